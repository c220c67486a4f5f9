"""Omweso (Uganda), 4 x 8 pits: relay sowing, reverse laps, and four ways to win.

Rules
-----
Each player has 32 seeds on his two rows of eight pits: four in each outer pit, or as he
arranges them. Sow a pit of two or more counter-clockwise round your own sixteen pits. A
last seed in an occupied pit goes on with the seeds there; in an empty pit it ends the
turn.

*Capture.* The last seed falls into an occupied inner pit and both opposing pits of that
column hold seeds: all of those are sown as the next lap, from the pit where the lap just
sown began. The landing pit keeps its seeds.

*Reverse laps.* A lap about to start from one of the four leftmost pits (0, 1, 14, 15) may
be sown clockwise if, and only if, that clockwise lap captures directly. All other laps go
counter-clockwise.

*First turns.* On his first turn nobody captures or sows clockwise.

*Opening sowing* (okukoneeza). Until somebody has captured, a pit of exactly three may be
sown two into the next pit and one into the pit after; the turn then ends.

*End*, judged when a turn ends, the first that holds: **akawumbi** (12 points), the
opponent has no seed and the turn's last capture was in an end column; **okutema** (2), the
turn's captures emptied the opponent's inner row or were made in both end columns;
**akakyala** (2, if agreed), the second turn in which this player captured while the
opponent has captured in none; **bulijo** (1), the opponent cannot move.

Options: ``setup`` ("standard"; "arrange": South, then North places his 32 seeds one at a
time, at most ten in a pit; "random": drawn from the seed, at most ten in a pit; or two
lists of 16), ``akakyala``, ``max_laps`` (see dispatch.apply).

Pits: 0 ... 7 the outer row from the left, 8 ... 15 the inner row from the right. Actions:
0 ... 15 sow counter-clockwise (or place a seed); 16 ... 19 sow clockwise from pit 0, 1,
14, 15; 20 ... 35 opening sowing of pit a-20. A choice inside a turn has the same numbers.
Notation: inner pits a ... h and outer pits i ... p from the left; ``m`` sows, ``i<`` sows
clockwise, ``m3`` is an opening sowing.

Sources: the sheet of rules that the project began with; B. Wernham, "Omweso: The Royal
Mancala Game of Uganda"; M. Nsimbi, "Omweso, A Game People Play in Uganda" (1968).

Readings: reverse laps inside a turn may follow captures of either direction. Seeds of a
pending lap are lifted. When the opponent's very last seeds are captured, they are laid in
the pit from which they would have been sown. The cap of ten binds "arrange" and "random".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..dispatch import (
    ANNULLED,
    OVER,
    SOW,
    SOWING,
    Byte,
    Pits16,
    begin,
    deal,
    features,
    lap,
    legal,
    opposing_seeds,
    prize,
    register_state,
    settle,
    winner,
)
from ..errors import PositionError
from ..fields import Field, Option
from ..game import Game
from ..observation import Plane, Product, Stored, equal_to, has_bit
from ..playout import random_action
from ..rng import advance, bit_count
from ..sowing import (
    at_least,
    drop,
    emptied,
    exactly,
    put,
    seeds,
    select,
    sow,
    sow_clockwise,
    total,
)
from .last_move import mover_lost

if TYPE_CHECKING:
    from ..state import State

CHOICE, ARRANGE = 1, 2  # phases: which way to sow the pending lap; where to place a seed
ONWARD, CLOCKWISE, OPENING = 0, 1, 2  # ways to sow a lap

RING, ALL_PITS = 16, 0xFFFF
LEFTMOST = 1 << 0 | 1 << 1 | 1 << 14 | 1 << 15  # where a lap may start clockwise
INNER = 0xFF00
LEFT_END, RIGHT_END = 15, 8  # inner pits of the end columns
SEEDS, MOST_ARRANGED = 32, 10

# the kinds of win, and what they score
AKAWUMBI, OKUTEMA, AKAKYALA, BULIJO = 1, 2, 3, 4
KINDS = {AKAWUMBI: "akawumbi", OKUTEMA: "okutema", AKAKYALA: "akakyala", BULIJO: "bulijo"}

SETUPS = ("standard", "arrange", "random")

# a set of eight pits from the other side
MIRRORED = np.array([int(f"{pits:08b}"[::-1], 2) for pits in range(256)], np.uint8)


class OmwesoRules(NamedTuple):
    random_setup: int
    akakyala: int
    max_laps: int


class OmwesoState(NamedTuple):
    mine: Pits16
    theirs: Pits16
    phase: Byte
    player: Byte
    pit: Byte
    hand: Byte
    way: Byte  # of the lap being sown
    moved: Byte  # set of the players who have finished a turn
    capturers: Byte  # set of the players who captured in a finished turn
    took: Byte  # whether this turn captured,
    ends: Byte  # ... in which end columns (1: left, 2: right),
    last_end: Byte  # ... and in one of them last
    kind: Byte  # of the win


register_state(OmwesoRules, OmwesoState)
winner.register(OmwesoRules)(mover_lost)


@prize.register(OmwesoRules)
def _prize(rules, state):
    if state.kind == AKAWUMBI:
        return 12.0
    return 1.0 if state.kind == BULIJO else 2.0


@opposing_seeds.register(OmwesoRules)
def _opposing_seeds(rules, state):
    return total(state.theirs)


@njit(forceinline=True)
def open_columns(theirs):
    """The set of my inner pits whose two opposing pits both hold seeds."""
    held = at_least(theirs, 1)
    outer, inner = held & 0xFF, np.int64(MIRRORED[np.uint64(held >> 8)])
    return (outer & inner) << 8


@njit(forceinline=True)
def clockwise_hit(targets, pit, hand):
    """The pit, as a set, if its clockwise lap of at most 15 seeds ends on a target; else none."""
    twice_round = targets | targets << RING
    return (twice_round >> (pit + RING - hand) & 1) << pit


@njit(forceinline=True)
def clockwise_hit_long(columns, held, pit, hand):
    """The same for any hand: a long lap finds seeds of its own, but one of 16 an empty pit."""
    targets = select(hand < RING, columns & held, select(hand == RING, 0, columns))
    return (targets >> ((pit - hand) & 15) & 1) << pit


@njit(forceinline=True)
def reversible(mine, columns):
    """The set of leftmost pits from which a clockwise lap captures directly."""
    held = at_least(mine, 1)
    a, b, c, d = seeds(mine, 0), seeds(mine, 1), seeds(mine, 14), seeds(mine, 15)
    if at_least(mine, RING) & LEFTMOST == 0:
        goal = columns & held
        left = clockwise_hit(goal, 0, a) | clockwise_hit(goal, 1, b)
        return left | clockwise_hit(goal, 14, c) | clockwise_hit(goal, 15, d)
    left = clockwise_hit_long(columns, held, 0, a) | clockwise_hit_long(columns, held, 1, b)
    right = clockwise_hit_long(columns, held, 14, c) | clockwise_hit_long(columns, held, 15, d)
    return left | right


@njit(forceinline=True)
def clockwise_actions(pits):
    """The actions 16 ... 19 for a set of leftmost pits."""
    return (pits & 3) << 16 | (pits >> 14) << 18


@legal.register(OmwesoRules)
def _legal(rules, state):
    if state.phase == CHOICE:
        pit = 1 << state.pit
        return pit | clockwise_actions(pit), 0
    if state.phase == ARRANGE:
        return ALL_PITS & ~at_least(state.mine, MOST_ARRANGED), 0
    if state.phase != SOW:
        return 0, 0
    pits = at_least(state.mine, 2)
    actions = pits
    if state.moved >> state.player & 1:
        columns = open_columns(state.theirs)
        actions |= clockwise_actions(reversible(state.mine, columns) & pits)
    if state.capturers == 0:
        actions |= exactly(state.mine, 3) << 20
    return actions, 0


@njit(forceinline=True)
def sowing(state, mine, pit, hand, way):
    """A lap about to be sown at the start of a turn."""
    return OmwesoState(
        mine, state.theirs, SOWING, state.player, pit, hand, way,
        state.moved, state.capturers, 0, 0, 0, 0,
    )  # fmt: skip


@begin.register(OmwesoRules)
def _begin(rules, state, action):
    if state.phase == ARRANGE:
        return placed(state, action)
    if state.phase == CHOICE:
        return OmwesoState(
            state.mine, state.theirs, SOWING, state.player, state.pit, state.hand,
            select(action == state.pit, ONWARD, CLOCKWISE),
            state.moved, state.capturers, state.took, state.ends, state.last_end, 0,
        )  # fmt: skip
    way = select(action < 16, ONWARD, select(action < 20, CLOCKWISE, OPENING))
    pit = select(action < 16, action, select(action < 18, action - 16, action - 4))
    pit = select(action < 20, pit, action - 20)
    return sowing(state, emptied(state.mine, pit), pit, seeds(state.mine, pit), way)


@njit(forceinline=True)
def placed(state, pit):
    """One more seed arranged; after 32 it is the other player's turn, at last to sow."""
    mine, theirs = put(state.mine, pit, 1), state.theirs
    done = total(mine) == SEEDS
    phase = select(total(mine) + total(theirs) == 2 * SEEDS, SOW, ARRANGE)
    return OmwesoState(
        select(done, theirs, mine), select(done, mine, theirs), phase,
        select(done, 1 - state.player, state.player),
        0, 0, 0, 0, 0, 0, 0, 0, 0,
    )  # fmt: skip


@lap.register(OmwesoRules)
def _lap(rules, state):
    theirs, start = state.theirs, state.pit
    if state.way != ONWARD:
        if state.way == OPENING:
            one, two = 1 << (start + 1 & 15), 1 << (start + 2 & 15)
            return end_turn(rules, state, drop(drop(state.mine, one | two), one), theirs, 0, 0, 0)
        mine, landing, there = sow_clockwise(state.mine, start, state.hand, RING)
    else:
        mine, landing, there = sow(state.mine, start, state.hand, RING)
    took, ends, last_end = state.took, state.ends, state.last_end
    if there == 1:
        return end_turn(rules, state, mine, theirs, took, ends, last_end)

    may_capture = state.moved >> state.player & 1  # not on the first turn
    columns = open_columns(theirs)
    if columns >> landing & may_capture:
        inner, outer = 23 - landing, landing - 8  # the pits facing the landing pit
        hand = seeds(theirs, inner) + seeds(theirs, outer)
        theirs = emptied(emptied(theirs, inner), outer)
        took = 1
        end = select(landing == LEFT_END, 1, select(landing == RIGHT_END, 2, 0))
        ends |= end
        last_end = select(end != 0, 1, 0)
        if at_least(theirs, 1) == 0:
            mine = put(mine, start, hand)
            return end_turn(rules, state, mine, theirs, took, ends, last_end)
        columns = open_columns(theirs)
    else:
        start, hand = landing, there
        mine = emptied(mine, landing)

    # may the next lap go clockwise? one condition: three jumps would cost more than they save
    occupied = select(hand <= RING, at_least(mine, 1), ALL_PITS)
    captures = (columns & occupied) >> (start - hand & 15)
    phase = select(captures & LEFTMOST >> start & may_capture, CHOICE, SOWING)
    return OmwesoState(
        mine, theirs, phase, state.player, start, hand, ONWARD,
        state.moved, state.capturers, took, ends, last_end, 0,
    )  # fmt: skip


@njit(forceinline=True)
def end_turn(rules, state, mine, theirs, took, ends, last_end):
    """The turn passes, or the game was won by what this turn captured."""
    me = 1 << state.player
    moved, capturers, kind = state.moved | me, state.capturers, 0
    if took:
        held = at_least(theirs, 1)
        if (held == 0) & (last_end != 0):
            kind = AKAWUMBI
        elif (held & INNER == 0) | (ends == 3):
            kind = OKUTEMA
        elif (rules.akakyala != 0) & (capturers == me):
            kind = AKAKYALA
        # who captured matters for akakyala only
        capturers |= me if rules.akakyala else 3
    phase = select(kind == 0, SOW, OVER)
    return OmwesoState(
        theirs, mine, phase, 1 - state.player, 0, 0, 0, moved, capturers, 0, 0, 0, kind
    )


@settle.register(OmwesoRules)
def _settle(rules, state):
    blocked = at_least(state.mine, 2) == 0
    return OmwesoState(
        state.mine, state.theirs, select(blocked, OVER, SOW), state.player, 0, 0, 0,
        state.moved, state.capturers, 0, 0, 0, select(blocked, BULIJO, 0),
    )  # fmt: skip


@features.register(OmwesoRules)
def _features(rules, state):
    """Seeds, pits that can be sown, columns open to capture, and the move."""
    mine, theirs = state.mine, state.theirs
    pits = bit_count(at_least(mine, 2)) - bit_count(at_least(theirs, 2))
    columns = bit_count(open_columns(mine)) - bit_count(open_columns(theirs))
    return total(mine) + state.hand - total(theirs), pits, columns, 1


@deal.register(OmwesoRules)
def _deal(rules, state, numbers):
    if rules.random_setup:
        while state.phase == ARRANGE:
            state = placed(state, random_action(rules, state, numbers))
            numbers = advance(numbers)
    return state, numbers


class SetupOption(Option):
    """The option that also takes two arrangements of 32 seeds."""

    def check(self, owner: str, value: Any) -> Any:
        if isinstance(value, str):
            return super().check(owner, value)
        try:
            halves = np.asarray(value)
        except ValueError:
            halves = np.zeros(0)
        if (
            halves.shape != (2, RING)
            or not np.issubdtype(halves.dtype, np.integer)
            or halves.min() < 0
            or (halves.sum(axis=1) != SEEDS).any()
        ):
            raise self.error(owner, value)
        return tuple(map(tuple, halves.tolist()))

    def parse(self, owner: str, text: str) -> Any:
        if "/" not in text:
            return self.check(owner, text.strip())
        try:
            return self.check(owner, [list(map(int, half.split("."))) for half in text.split("/")])
        except ValueError:
            raise self.error(owner, text) from None

    def write(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        return "/".join(".".join(map(str, half)) for half in value)

    @property
    def allowed(self) -> str:
        return (
            f"{', '.join(SETUPS)}, or two lists of {RING} seed counts that add up to {SEEDS} each"
        )


class Omweso(Game):
    """Omweso; its options and notation are in the module's rules sheet."""

    NAME = "omweso"
    OPTIONS = (
        SetupOption("setup", "standard", SETUPS, "how the seeds lie at the start"),
        Option("akakyala", False, (False, True), "two capturing turns to none win"),
        Option("max_laps", 10_000, range(1, 10**9 + 1), "laps after which a move annuls the game"),
    )
    RULES, STATE = OmwesoRules, OmwesoState
    WEIGHTS = (16, 16, -8, 16)
    WIN_SCALE = 352
    PHASES = {SOW: "sow", CHOICE: "lap", ARRANGE: "arrange"}
    FIELDS = {
        "pit": Field(0, 0, 15, 0, "start of the pending lap"),
        "hand": Field(0, 0, 255, 0, "seeds of the pending lap"),
        "moved": Field((1, 1), 0, 1, 2, "whether each player has finished a turn"),
        "capturers": Field((1, 1), 0, 1, 2, "whether each captured in a finished turn"),
        "took": Field(0, 0, 1, 0, "whether this turn captured"),
        "ends": Field(
            0, 0, 3, 0, "end columns in which it did (1: of his pit 15, 2: of pit 8, 3: both)"
        ),
        "last_end": Field(0, 0, 1, 0, "whether it last did in an end column"),
        "kind": Field(
            0, 0, 4, 0, "of the win, when finished: 1 akawumbi, 2 okutema, 3 akakyala, 4 bulijo"
        ),
    }
    KEEPS_CAPTURES = False
    LASTING_FIELDS = ("moved", "capturers")

    def _shape(self) -> tuple[int, int]:
        return 2, RING // 2

    def _further_planes(self, observer: int, mover: int) -> list[Plane]:
        hand = [
            Product(Stored("hand"), Stored("pit", 0, equal_to(pit)))
            for pit in self._pits_of_mover(observer, mover)
        ]
        players = (("own", observer), ("opposing", 1 - observer))
        return [
            Plane("hand", 2 * SEEDS, "seeds of the pending lap, in the pit where it starts", hand),
            *(
                Plane(f"{whose} first turn made", 1, f"the {whose} first turn is over",
                      Stored("moved", 0, has_bit(player)))
                for whose, player in players
            ),
            *(
                Plane(f"{whose} capture made", 1, f"{whose} captures in an earlier turn (both "
                      "alike if akakyala is not played)", Stored("capturers", 0, has_bit(player)))
                for whose, player in players
            ),
            Plane("took", 1, "this turn captured", Stored("took")),
            Plane("left end", 1, "it did in the left end column of whoever decides",
                  Stored("ends", 0, has_bit(0))),
            Plane("right end", 1, "it did in the right end column of whoever decides",
                  Stored("ends", 0, has_bit(1))),
            Plane("last end", 1, "it last did in an end column", Stored("last_end")),
        ]  # fmt: skip

    def _rules(self) -> OmwesoRules:
        return OmwesoRules(
            int(self.options["setup"] == "random"),
            int(self.options["akakyala"]),
            self.options["max_laps"],
        )

    def initial_state(
        self, seed: int = 0, setup: Sequence[Sequence[int]] | str | None = None
    ) -> State:
        """The position in which the game begins.

        Parameters
        ----------
        seed : int
            Of the arrangements, where the setup is "random".
        setup : optional
            As the option ``setup``, for this game alone.
        """
        if setup is not None:
            options = {**self.options, "setup": setup}
            return self._state(type(self)(**options).initial_state(seed=seed)._row)
        return self._dealt(seed)

    def _initial_row(self) -> NDArray[np.uint8]:
        setup = self.options["setup"]
        phase = ARRANGE if setup in ("arrange", "random") else SOW
        board = np.zeros((2, RING), np.int64)
        if setup == "standard":
            board[:, : RING // 2] = 4
        elif phase == SOW:
            board[:] = setup
        fields = self._default_fields()
        fields |= {"moved": (0, 0), "capturers": (0, 0)}
        return self._to_row(self._pack(board, 0, (0, 0), phase, fields))

    def action_names(self, player: int) -> tuple[str, ...]:
        pits = "ijklmnophgfedcba"
        clockwise = (pits[pit] + "<" for pit in (0, 1, 14, 15))
        return (*pits, *clockwise, *(pit + "3" for pit in pits))

    def _fields_of(self, kernel: Mapping[str, Any]) -> dict[str, Any]:
        fields = super()._fields_of(kernel)
        for name in ("moved", "capturers"):
            players = kernel[name] if kernel["phase"] != ARRANGE else 3
            fields[name] = (players & 1, players >> 1)
        return fields

    def _lay_fields(self, fields: Mapping[str, Any], player: int) -> dict[str, Any]:
        kernel = dict(fields)
        for name in ("moved", "capturers"):
            kernel[name] = fields[name][0] | fields[name][1] << 1
        return kernel

    def _pack(self, board: Any, player: int, captured: Any, phase: int, fields: Any) -> Any:
        kernel = super()._pack(board, player, captured, phase, fields)
        if phase == ARRANGE:
            kernel["moved"] = kernel["capturers"] = 0
        elif not self.options["akakyala"] and kernel["capturers"]:
            kernel["capturers"] = 3
        return kernel

    def _check_position(self, kernel: Mapping[str, Any], board: Any, fields: Any) -> None:
        phase = kernel["phase"]
        turn = ("pit", "hand", "took", "ends", "last_end")
        if phase not in (CHOICE, ANNULLED) and any(fields[name] for name in turn):
            raise PositionError(f"fields {', '.join(turn)} are given in phase lap only")
        if (phase == OVER) != (fields["kind"] > 0):
            raise PositionError(
                "field kind is given in a finished position, and only there: "
                + ", ".join(f"{number} {name}" for number, name in KINDS.items())
            )
        if phase == ARRANGE:
            self._check_arrangement(board, kernel["player"])
        if phase == CHOICE:
            self._check_choice(kernel, board, fields)

    def _check_arrangement(self, board: Any, player: int) -> None:
        first, second = board.sum(axis=1).tolist()
        if board.max() > MOST_ARRANGED:
            raise PositionError(f"at most {MOST_ARRANGED} seeds are arranged in a pit")
        fits = (first == SEEDS and second < SEEDS) if player else (first < SEEDS and second == 0)
        if not fits:
            raise PositionError(
                f"first player 0 and then player 1 arranges {SEEDS} seeds; "
                f"they cannot have placed {first} and {second} with player {player} to go on"
            )

    def _check_choice(self, kernel: Mapping[str, Any], board: Any, fields: Any) -> None:
        player, pit, hand = kernel["player"], fields["pit"], fields["hand"]
        if not LEFTMOST >> pit & 1 or hand == 0:
            raise PositionError(
                "the pending lap of phase lap is one of seeds in pit 0, 1, 14 or 15"
            )
        if board.sum() + hand > 255:
            raise PositionError("a position has at most 255 seeds, those in hand included")
        after = board[player].copy()
        for step in range(1, hand + 1):
            after[(pit - step) % RING] += 1
        landing = (pit - hand) % RING
        faced = board[1 - player][[23 - landing, landing - 8]] if landing >= 8 else np.zeros(2)
        if not (fields["moved"][player] and after[landing] > 1 and faced.all()):
            raise PositionError("in phase lap the pending lap, sown clockwise, must capture")

    def _in_hand(self, kernel: Mapping[str, Any]) -> int:
        if kernel["phase"] == ARRANGE:
            return 2 * SEEDS - int(kernel["mine"].sum() + kernel["theirs"].sum())
        return int(kernel["hand"])

    def _pit_kinds(self, state: State) -> dict[tuple[int, int], frozenset[str]]:
        if state.phase != "lap":
            return {}
        return {(state.player, state.fields["pit"]): frozenset({"pending"})}

    def _column_labels(self, player: int, mover: int) -> list[list[str]]:
        return [list("ijklmnop"), list("abcdefgh")]  # of the outer and of the inner row

    def _question(self, state: State) -> str:
        if state.phase == "lap":
            pit = self.action_names(0)[state.fields["pit"]]
            return f"sow {state.in_hand} seeds from {pit}, or clockwise ({pit}<)"
        if state.phase == "arrange":
            return f"arrange, {SEEDS - int(state.board[state.player].sum())} seeds left"
        return state.phase

    def _pit_of(self, action: int) -> int:
        names = self.action_names(0)
        return names.index(names[action][0])

    def _deed(self, state: State, action: int) -> str:
        if state.phase == "arrange":
            return "place a seed"
        way = self.action_names(0)[action][1:]
        return {"": "sow", "<": "sow clockwise", "3": "sow two and one"}[way]

    def _pending(self, kernel: Mapping[str, Any]) -> tuple[int, int, int]:
        return kernel["pit"], kernel["hand"], -1 if kernel["way"] == CLOCKWISE else 1

    def _path(self, kernel: Mapping[str, Any]) -> list[int]:
        pits = list(range(RING))
        return pits[::-1] if kernel["way"] == CLOCKWISE else pits

    def _drops(self, kernel: Mapping[str, Any]) -> list[int]:
        if kernel["way"] == OPENING:
            after = [(kernel["pit"] + step) % RING for step in (1, 2)]
            return [after[0], after[0], after[1]]
        return super()._drops(kernel)

    def _is_over(self, kernel: Mapping[str, Any]) -> bool:
        mine, kind = kernel["mine"], kernel["kind"]  # of the loser; okutema leaves no trace
        if kind == AKAWUMBI:
            return not mine.any()
        if kind == AKAKYALA:
            return bool(self.options["akakyala"])
        return kind == OKUTEMA or mine.max() < 2

    def _win_kind(self, kernel: Mapping[str, Any]) -> str:
        return KINDS[kernel["kind"]]
