"""Goré (Ivory Coast), 2 x 4 pits: captures by chains, and trade of territory.

Rules
-----
Every pit starts with six seeds. A player starts as the owner of his own row, but
pits can change hands. Sow any pit you own, one lap, counter-clockwise round all eight
pits. If the last seed makes two or four in a pit that the *opponent* owns, those seeds
are captured, and with them every pit of the unbroken chains of twos and fours after it
and before it, whoever owns them.

Instead of sowing, a player may offer one, two or three pits that he owns. The opponent
accepts or declines; that used the offerer's turn, so the opponent then moves. If he
accepts, he owns those pits and lays six of his captured seeds into each; what he could
not pay cannot be offered. A player with no seed in a pit he owns passes, and may not
offer.

The game ends when after a sowing every pit holds fewer than three: each player takes
what lies in the pits he owns. More seeds win; a win by a player who ever declined an
offer is "without glory".

Option: ``trading`` (True).

Pits go round the board from the mover's leftmost: 0 ... 3 his home row, 4 ... 7 the
opponent's, whoever owns them. Actions: 0 ... 7 sow; 8 ... 99 offer (8 single pits, 28
pairs, 56 triples, in lexicographic order); 100 accept; 101 decline. Notation: pits
a ... h in the mover's numbers, so that each player begins with a at his own left (a drawn
board has the letters of who decides, and stars the pits that belong to the player
opposite); ``c``, ``offer:ae``, ``accept``, ``decline``.

Sources: the sheet of rules that the project began with.

Readings: random playouts never offer (with offers they hardly ever end). Empty pits may
be offered. A given position with fewer than three seeds in every pit is finished.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

from ..dispatch import (
    OVER,
    SOW,
    SOWING,
    UNIT,
    WIN,
    Byte,
    Pits8,
    begin,
    features,
    lap,
    legal,
    register_state,
    rollout_legal,
    second_word,
    seeds_ahead,
    settle,
    stake,
    winner,
)
from ..errors import PositionError
from ..fields import Field, Option
from ..observation import Plane, Stored, has_bit
from ..rng import bit_count, bit_length, lowest_set_bit
from ..sowing import (
    at_least,
    below,
    drop,
    emptied,
    exactly,
    half_turn,
    keep,
    seeds,
    select,
    sow,
    total,
)
from .counting import CountingGame, captured_ahead, more_seeds

if TYPE_CHECKING:
    from ..state import State

ANSWER = 1  # phase: an offer is to be accepted or declined
PITS, HOME = 8, 4
ALL = 0xFF
PRICE = 6  # seeds laid into each pit that changes hands

# The offers as sets of pits, in the order of their actions. Actions from SECOND on
# (triples, accept, decline) are in the second word.
OFFERS = [sum(1 << pit for pit in pits) for k in (1, 2, 3) for pits in combinations(range(PITS), k)]
SINGLES, PAIRS = 8, 28
FIRST_OFFER, SECOND = PITS, PITS + SINGLES + PAIRS
ACCEPT, DECLINE = 100, 101
ANSWERS = 1 << (ACCEPT - SECOND) | 1 << (DECLINE - SECOND)


def _offers_within(start, end, offset):
    """By set of owned pits: the mask of the offers numbered start ... end-1 that lie within."""
    return np.array(
        [
            sum(1 << (k + offset - start) for k in range(start, end) if OFFERS[k] & ~owned == 0)
            for owned in range(256)
        ],
        np.int64,
    )


SINGLE_OFFERS = _offers_within(0, 8, 8)
PAIR_OFFERS = _offers_within(8, 36, 16)
TRIPLE_OFFERS = _offers_within(36, 92, 0)
OFFERED_PITS = np.array(OFFERS, np.uint8)
LETTERS = "abcdefgh"  # of the pits


class GoreRules(NamedTuple):
    trading: int
    max_laps: int


class GoreState(NamedTuple):
    ring: Pits8  # all pits, in the numbers of the player who decides
    phase: Byte
    player: Byte
    pit: Byte
    hand: Byte
    my_captured: Byte
    their_captured: Byte
    owned: Byte  # set of the decider's pits, in his numbers
    offer: Byte  # set of the pits offered to him, in his numbers
    declined: Byte  # set of the players who ever declined an offer


register_state(GoreRules, GoreState)
winner.register(GoreRules)(more_seeds)
seeds_ahead.register(GoreRules)(captured_ahead)


def _turned(pits):
    """A set of pits in the numbers of the other player."""
    return pits >> HOME | pits << HOME & ALL


turned = njit(forceinline=True)(_turned)


@njit(forceinline=True)
def chain(good, pit):
    """The unbroken run of good pits round the ring that contains the pit, which is good."""
    after = lowest_set_bit(~((good | good << PITS) >> pit))  # the pit itself and those after it
    behind = (good << PITS | good) >> pit & ALL  # pit + i is bit i
    before = PITS - bit_length(~behind & ALL)
    run = below(after + before) << (pit + PITS - before)
    return (run | run >> PITS | run >> 2 * PITS) & ALL


@second_word.register(GoreRules)
def _second_word(rules):
    return SECOND


@rollout_legal.register(GoreRules)
def _sowings_or_answers(rules, state):
    if state.phase == ANSWER:
        return 0, ANSWERS
    return select(state.phase == SOW, at_least(state.ring, 1) & state.owned, 0), 0


@legal.register(GoreRules)
def _legal(rules, state):
    first, second = rollout_legal(rules, state)
    if state.phase == SOW and rules.trading:
        owned, purse = np.uint64(state.owned), state.their_captured
        if purse >= PRICE:
            first |= SINGLE_OFFERS[owned]
        if purse >= 2 * PRICE:
            first |= PAIR_OFFERS[owned]
        if purse >= 3 * PRICE:
            second |= TRIPLE_OFFERS[owned]
    return first, second


@njit(forceinline=True)
def answered(state, ring, my_captured, owned, declined):
    """The state after an answer: it is the answerer's turn."""
    return GoreState(
        ring, SOW, state.player, 0, 0, my_captured, state.their_captured, owned, 0, declined
    )


@begin.register(GoreRules)
def _begin(rules, state, action):
    ring, owned = state.ring, state.owned
    if action < PITS:
        return GoreState(
            emptied(ring, action),
            SOWING,
            state.player,
            action,
            seeds(ring, action),
            state.my_captured,
            state.their_captured,
            owned,
            0,
            state.declined,
        )
    if action == DECLINE:
        declined = state.declined | 1 << state.player
        return answered(state, ring, state.my_captured, owned, declined)
    if action == ACCEPT:
        for _ in range(PRICE):
            ring = drop(ring, state.offer)
        paid = PRICE * bit_count(state.offer)
        return answered(state, ring, state.my_captured - paid, owned | state.offer, state.declined)
    return GoreState(
        half_turn(ring),
        ANSWER,
        1 - state.player,
        0,
        0,
        state.their_captured,
        state.my_captured,
        turned(ALL ^ owned),
        turned(np.int64(OFFERED_PITS[np.uint64(action - FIRST_OFFER)])),
        state.declined,
    )


@lap.register(GoreRules)
def _lap(rules, state):
    ring, landing, _ = sow(state.ring, state.pit, state.hand, PITS)
    good = exactly(ring, 2) | exactly(ring, 4)
    captures = good & ~state.owned & 1 << landing
    taken = select(captures, chain(good | 1 << landing, landing), 0)
    return GoreState(
        half_turn(keep(ring, ~taken)),
        SOW,
        1 - state.player,
        0,
        0,
        state.their_captured,
        state.my_captured + total(keep(ring, taken)),
        turned(ALL ^ state.owned),
        0,
        state.declined,
    )


@settle.register(GoreRules)
def _settle(rules, state):
    ring, owned = state.ring, state.owned
    if at_least(ring, 3) == 0:
        return GoreState(
            keep(ring, 0),
            OVER,
            state.player,
            0,
            0,
            state.my_captured + total(keep(ring, owned)),
            state.their_captured + total(keep(ring, ALL ^ owned)),
            owned,
            0,
            state.declined,
        )
    if at_least(ring, 1) & owned != 0:
        return state
    return GoreState(  # a pass
        half_turn(ring),
        SOW,
        1 - state.player,
        0,
        0,
        state.their_captured,
        state.my_captured,
        turned(ALL ^ owned),
        0,
        state.declined,
    )


@stake.register(GoreRules)
def _stake(rules, state):
    # who buys a pit pays with captured seeds: with trade there is no bound
    return select(rules.trading, WIN, UNIT * total(state.ring))


@features.register(GoreRules)
def _features(rules, state):
    """Seeds on own pits, own pits and own pits with seeds, and the move."""
    ring, owned = state.ring, state.owned
    mine = total(keep(ring, owned))
    held = at_least(ring, 1)
    pits = bit_count(held & owned) - bit_count(held & ~owned)
    return 2 * mine - total(ring), 2 * bit_count(owned) - PITS, pits, 1


def _pits_of(mask: int) -> tuple[int, ...]:
    return tuple(pit for pit in range(PITS) if mask >> pit & 1)


class Gore(CountingGame):
    """Goré; its option and notation are in the module's rules sheet."""

    NAME = "gore"
    OPTIONS = (Option("trading", True, (False, True), "whether pits may be offered"),)
    RULES, STATE = GoreRules, GoreState
    WEIGHTS = (8, 8, 2, 4)
    WIN_SCALE = 467
    PHASES = {SOW: "sow", ANSWER: "answer"}
    FIELDS = {
        "owner": Field((0,) * HOME + (1,) * HOME, 0, 1, PITS, "owner of each pit, by home row"),
        "offer": Field((), 0, PITS - 1, None, "pits offered, in the offerer's numbers"),
        "declined": Field((0, 0), 0, 1, 2, "whether each player ever declined an offer"),
    }

    LASTING_FIELDS = ("owner", "declined")

    def _shape(self) -> tuple[int, int]:
        return 1, HOME

    def _further_planes(self, observer: int, mover: int) -> list[Plane]:
        halves = (
            ("own", observer, self._own_pits),
            ("opposing", 1 - observer, self._opposing_pits),
        )

        def numbers(player: int, pits: list[int]) -> list[int]:
            return [pit + (0 if player == mover else HOME) for pit in pits]

        def owned(number: int) -> Stored:
            mine = has_bit(number)
            return Stored("owned", 0, mine if mover == observer else tuple(1 - bit for bit in mine))

        return [
            *(
                Plane(f"{whose} row owned", 1, f"the observer owns the pit of the {whose} row",
                      [owned(number) for number in numbers(player, pits)])
                for whose, player, pits in halves
            ),
            *(
                Plane(f"{whose} row offered", 1, f"the pit of the {whose} row is offered",
                      [Stored("offer", 0, has_bit(number)) for number in numbers(player, pits)])
                for whose, player, pits in halves
            ),
            *(
                Plane(f"{whose} refusal", 1, f"an offer was declined: {whose} refusal",
                      Stored("declined", 0, has_bit(player)))
                for whose, player, _ in halves
            ),
        ]  # fmt: skip

    def _stored_pit(self, player: int, mover: int, pit: int) -> Stored:
        return Stored("ring", pit + (0 if player == mover else HOME))

    def _rules(self) -> GoreRules:
        return GoreRules(int(self.options["trading"]), 1)

    def _initial_row(self) -> Any:
        fields = self._default_fields()
        return self._to_row(self._pack(np.full((2, HOME), 6), 0, (0, 0), SOW, fields))

    def action_names(self, player: int) -> tuple[str, ...]:
        offers = ("offer:" + "".join(LETTERS[pit] for pit in _pits_of(mask)) for mask in OFFERS)
        return (*LETTERS, *offers, "accept", "decline")

    def _rows_of(self, kernel: Mapping[str, Any]) -> Any:
        mine, theirs = kernel["ring"][:HOME], kernel["ring"][HOME:]
        return (mine, theirs) if kernel["player"] == 0 else (theirs, mine)

    def _lay_rows(self, rows: Any, player: int) -> dict[str, Any]:
        return {"ring": np.concatenate([rows[player], rows[1 - player]])}

    def _fields_of(self, kernel: Mapping[str, Any]) -> dict[str, Any]:
        player = kernel["player"]
        of_player_0 = kernel["owned"] if player == 0 else ALL ^ _turned(kernel["owned"])
        return {
            "owner": tuple(1 - (of_player_0 >> pit & 1) for pit in range(PITS)),
            "offer": _pits_of(_turned(kernel["offer"])),
            "declined": (kernel["declined"] & 1, kernel["declined"] >> 1),
        }

    def _lay_fields(self, fields: Mapping[str, Any], player: int) -> dict[str, Any]:
        of_player_0 = sum(1 << pit for pit in range(PITS) if fields["owner"][pit] == 0)
        return {
            "owned": of_player_0 if player == 0 else _turned(ALL ^ of_player_0),
            "offer": _turned(sum(1 << pit for pit in set(fields["offer"]))),
            "declined": fields["declined"][0] | fields["declined"][1] << 1,
        }

    def _check_position(self, kernel: Mapping[str, Any], board: Any, fields: Any) -> None:
        offer, pits = kernel["offer"], fields["offer"]
        if (kernel["phase"] == ANSWER) != bool(pits):
            raise PositionError("a position of gore has an offer exactly in phase answer")
        if not pits:
            return
        if list(pits) != sorted(set(pits)) or len(pits) > 3:
            raise PositionError(f"an offer is one to three pits in ascending order, not {pits}")
        if offer & kernel["owned"]:
            raise PositionError(f"the offer {pits} names pits that the offerer does not own")
        if kernel["my_captured"] < PRICE * len(pits):
            raise PositionError(f"the offer {pits} costs more than its receiver has captured")

    def _cell(self, fields: Mapping[str, Any], player: int, pit: int, seeds: int) -> str:
        lost = fields["owner"][HOME * player + pit] != player
        return super()._cell(fields, player, pit, seeds) + ("*" if lost else "")

    def _pit_name(self, player: int, pit: int, mover: int) -> str:
        return LETTERS[pit if player == mover else HOME + pit]

    def _pit_kinds(self, state: State) -> dict[tuple[int, int], frozenset[str]]:
        fields = state.fields
        offered = {(pit + HOME * (1 - state.player)) % PITS for pit in fields["offer"]}
        return {
            divmod(pit, HOME): frozenset(
                kind
                for kind, holds in (
                    ("foreign", owner != pit // HOME),
                    ("pending", pit in offered),
                )
                if holds
            )
            for pit, owner in enumerate(fields["owner"])
        }

    def _question(self, state: State) -> str:
        if state.phase != "answer":
            return state.phase
        pits = ", ".join(LETTERS[pit] for pit in _pits_of(state._kernel["offer"]))
        return f"accept or decline {pits} of the other player, for {PRICE} seeds a pit"

    def _deed(self, state: State, action: int) -> str:
        name = super()._deed(state, action)
        deed, colon, pits = name.partition(":")
        return f"{deed} {', '.join(pits)}" if colon else name

    def _win_kind(self, kernel: Mapping[str, Any]) -> str:
        mine_is_more = kernel["my_captured"] > kernel["their_captured"]
        victor = kernel["player"] if mine_is_more else 1 - kernel["player"]
        return "without_glory" if kernel["declined"] >> victor & 1 else "seeds"
