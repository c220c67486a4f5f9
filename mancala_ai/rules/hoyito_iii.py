"""Hoyito III (Dominican Republic), 2 x C pits: relay sowing and captures of fours.

Rules
-----
Every pit starts with four seeds. Sow any pit of your row, counter-clockwise round both
rows. A last seed that makes exactly four, in any pit, captures them and the player moves
again; one that falls into another occupied pit goes on with the seeds there; one that
falls into an empty pit ends the turn. A player with no seed in his row passes until he
has one. The capture that leaves four seeds on the board ends the game; the last four go
to the player who made it. More captured seeds win.

A match has several rounds. ``initial_state(captured=(a, b))`` begins a round in which
each player fills his pits from the left with four of his seeds each; the surplus counts
as captured, and pits left unfilled are out of play: no one sows into them.

Options: ``columns``; ``last_four`` ("capturer", "player_0", "player_1": who gets the last
four, as a match sets it); ``max_laps`` (see dispatch.apply).

Actions: 0 ... C-1, sow that own pit. Notation: 1 ... C from the mover's left.

Sources: the sheet of rules that the project began with; the filling of pits is that of
Hoyito I and II.

Readings: a lap that ends in its own emptied pit ends the turn. In positions of odd
totals the game ends when four or fewer seeds are left. A given position holds more than
four seeds, or none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

from ..dispatch import (
    DRAW,
    OVER,
    SOW,
    SOWING,
    Byte,
    Pits32,
    begin,
    features,
    lap,
    legal,
    register_state,
    seeds_ahead,
    settle,
    winner,
)
from ..errors import PositionError, shown
from ..fields import Field, Option, as_int
from ..observation import Plane, Product, Stored, above
from ..rng import bit_count
from ..sowing import at_least, below, emptied, keep, seeds, select, sow, total
from .counting import CountingGame

if TYPE_CHECKING:
    from ..state import State

FOUR = 4
NO_PIT = 31  # a lane that never holds a seed
LAST_FOUR = ("capturer", "player_0", "player_1")


class HoyitoIIIRules(NamedTuple):
    columns: int
    last_four: int  # 0: to the capturer; 1 and 2: to player 0 and 1
    max_laps: int


class HoyitoIIIState(NamedTuple):
    ring: Pits32  # the pits in play: player 0's, then player 1's, each from his left
    phase: Byte
    player: Byte
    pit: Byte  # on the ring
    hand: Byte
    captured_0: Byte
    captured_1: Byte
    in_play_0: Byte  # how many pits each player has in play
    in_play_1: Byte


register_state(HoyitoIIIRules, HoyitoIIIState)


@njit(forceinline=True)
def offset(state):
    """Where on the ring the mover's row begins."""
    return select(state.player == 0, 0, state.in_play_0)


@njit(forceinline=True)
def own_row(state, held):
    """The mover's pits of a set of pits of the ring, in his own numbers."""
    size = select(state.player == 0, state.in_play_0, state.in_play_1)
    return held >> offset(state) & below(size)


@legal.register(HoyitoIIIRules)
def _legal(rules, state):
    return select(state.phase == SOW, own_row(state, at_least(state.ring, 1)), 0), 0


@begin.register(HoyitoIIIRules)
def _begin(rules, state, action):
    pit = action + offset(state)
    return HoyitoIIIState(
        emptied(state.ring, pit),
        SOWING,
        state.player,
        pit,
        seeds(state.ring, pit),
        state.captured_0,
        state.captured_1,
        state.in_play_0,
        state.in_play_1,
    )


@lap.register(HoyitoIIIRules)
def _lap(rules, state):
    ring, landing, there = sow(state.ring, state.pit, state.hand, state.in_play_0 + state.in_play_1)
    if (there != 1) & (there != FOUR):
        return HoyitoIIIState(
            emptied(ring, landing),
            SOWING,
            state.player,
            landing,
            there,
            state.captured_0,
            state.captured_1,
            state.in_play_0,
            state.in_play_1,
        )
    captures = there == FOUR
    taken = select(captures, FOUR, 0)
    return HoyitoIIIState(
        emptied(ring, select(captures, landing, NO_PIT)),
        SOW,
        select(captures, state.player, 1 - state.player),
        0,
        0,
        state.captured_0 + select(state.player == 0, taken, 0),
        state.captured_1 + select(state.player == 0, 0, taken),
        state.in_play_0,
        state.in_play_1,
    )


@settle.register(HoyitoIIIRules)
def _settle(rules, state):
    left = total(state.ring)
    if left <= FOUR:  # the mover has just captured
        heir = select(rules.last_four == 0, state.player, rules.last_four - 1)
        return HoyitoIIIState(
            keep(state.ring, 0),
            OVER,
            state.player,
            0,
            0,
            state.captured_0 + select(heir == 0, left, 0),
            state.captured_1 + select(heir == 0, 0, left),
            state.in_play_0,
            state.in_play_1,
        )
    passes = own_row(state, at_least(state.ring, 1)) == 0
    return HoyitoIIIState(
        state.ring,
        SOW,
        select(passes, 1 - state.player, state.player),
        0,
        0,
        state.captured_0,
        state.captured_1,
        state.in_play_0,
        state.in_play_1,
    )


@winner.register(HoyitoIIIRules)
def _winner(rules, state):
    leader = select(state.captured_0 > state.captured_1, 0, 1)
    return select(state.captured_0 == state.captured_1, DRAW, leader)


@seeds_ahead.register(HoyitoIIIRules)
def _seeds_ahead(rules, state):
    ahead = state.captured_0 - state.captured_1
    return select(state.player == 0, ahead, -ahead)


@features.register(HoyitoIIIRules)
def _features(rules, state):
    """Seeds and pits with seeds in the rows, the move, and the move while many seeds lie."""
    ring = state.ring
    everything, held = total(ring), at_least(ring, 1)
    pits = 2 * bit_count(own_row(state, held)) - bit_count(held)
    mine = total(keep(ring, own_row(state, -1) << offset(state)))
    return 2 * mine - everything, pits, 1, everything


class HoyitoIII(CountingGame):
    """Hoyito III; its options are listed in the module's rules sheet."""

    NAME = "hoyito_iii"
    OPTIONS = (
        Option("columns", 6, range(2, 13), "pits of each player"),
        Option("last_four", "capturer", LAST_FOUR, "who gets the last four seeds"),
        Option("max_laps", 10_000, range(1, 10**9 + 1), "laps after which a move annuls the game"),
    )
    RULES, STATE = HoyitoIIIRules, HoyitoIIIState
    WEIGHTS = (1, 4, 8, 0)
    WIN_SCALE = 94
    LASTING_FIELDS = ("in_play",)

    def _further_planes(self, observer: int, mover: int) -> list[Plane]:
        def in_play(player: int, pits: list[int]) -> list[Stored]:
            return [Stored(f"in_play_{player}", 0, above(pit)) for pit in pits]

        own, other = in_play(observer, self._own_pits), in_play(1 - observer, self._opposing_pits)
        return [
            Plane("own in play", 1, "the pit of the observer's row is in play", own),
            Plane("opposing in play", 1, "the pit of the opponent's row is in play", other),
        ]

    def _stored_pit(self, player: int, mover: int, pit: int) -> Stored | Product:
        if player == 1:
            return Stored("ring", pit, after="in_play_0")
        return Product(Stored("ring", pit), Stored("in_play_0", 0, above(pit)))

    def _stored_captured(self, player: int, mover: int) -> Stored:
        return Stored(f"captured_{player}")

    def _rules(self) -> HoyitoIIIRules:
        last_four = LAST_FOUR.index(self.options["last_four"])
        return HoyitoIIIRules(self.columns, last_four, self.options["max_laps"])

    def _position_fields(self) -> Mapping[str, Field]:
        everything = (self.columns, self.columns)
        meaning = "how many of each player's pits are in play, from his left"
        return {"in_play": Field(everything, 1, self.columns, 2, meaning)}

    def initial_state(self, seed: int = 0, captured: Sequence[int] | None = None) -> State:
        """The position in which a round begins.

        Parameters
        ----------
        seed : int
            Without effect: nothing is random.
        captured : pair of int, optional
            Seeds that each player brings from the round before; together all the seeds
            of the game, and at least four each. Each fills his pits from the left.
        """
        if captured is None:
            return super().initial_state(seed)
        everything = 2 * FOUR * self.columns
        brought = [as_int(seeds) or 0 for seeds in np.ravel(captured).tolist()]
        if len(brought) != 2 or sum(brought) != everything or min(brought) < FOUR:
            raise PositionError(
                f"captured is two numbers from {FOUR} on that add up to {everything}, "
                f"not {shown(captured)}"
            )
        filled = [min(self.columns, seeds // FOUR) for seeds in brought]
        board = [[FOUR] * pits + [0] * (self.columns - pits) for pits in filled]
        surplus = [seeds - FOUR * pits for seeds, pits in zip(brought, filled, strict=True)]
        return self.state(board, 0, surplus, in_play=filled)

    def _initial_row(self) -> Any:
        board = np.full((2, self.columns), FOUR)
        return self._to_row(self._pack(board, 0, (0, 0), SOW, self._default_fields()))

    def action_names(self, player: int) -> tuple[str, ...]:
        return tuple(str(pit + 1) for pit in range(self.columns))

    def _pack(self, board: Any, player: int, captured: Any, phase: int, fields: Any) -> Any:
        in_play = fields["in_play"]
        return {
            "ring": np.concatenate([row[:pits] for row, pits in zip(board, in_play, strict=True)]),
            "phase": phase,
            "player": player,
            "captured_0": captured[0],
            "captured_1": captured[1],
            "in_play_0": in_play[0],
            "in_play_1": in_play[1],
        }

    def _rows_of(self, kernel: Mapping[str, Any]) -> Any:
        rows = np.zeros((2, self.columns), np.int64)
        first, second = kernel["in_play_0"], kernel["in_play_1"]
        rows[0, :first] = kernel["ring"][:first]
        rows[1, :second] = kernel["ring"][first : first + second]
        return rows

    def _captured_of(self, kernel: Mapping[str, Any]) -> tuple[int, int]:
        return kernel["captured_0"], kernel["captured_1"]

    def _fields_of(self, kernel: Mapping[str, Any]) -> dict[str, Any]:
        return {"in_play": (kernel["in_play_0"], kernel["in_play_1"])}

    def _cell(self, fields: Mapping[str, Any], player: int, pit: int, seeds: int) -> str:
        in_play = pit < fields["in_play"][player]
        return super()._cell(fields, player, pit, seeds) if in_play else "-"

    def _pit_kinds(self, state: State) -> dict[tuple[int, int], frozenset[str]]:
        return {
            (player, pit): frozenset({"out"})
            for player, in_play in enumerate(state.fields["in_play"])
            for pit in range(in_play, self.columns)
        }

    def _check_position(self, kernel: Mapping[str, Any], board: Any, fields: Any) -> None:
        for player, pits in enumerate(fields["in_play"]):
            if board[player, pits:].any():
                raise PositionError(
                    f"pits of player {player} from {pits} on are out of play but hold seeds"
                )
        if kernel["phase"] == SOW and 0 < board.sum() <= FOUR:
            raise PositionError(
                f"a live position of hoyito_iii has more than {FOUR} seeds on the board"
            )

    def _number(self, kernel: Mapping[str, Any], place: int) -> int:
        """The mover's number of a pit of the ring."""
        first = kernel["in_play_0"]
        owner, pit = (0, place) if place < first else (1, place - first)
        return pit if owner == kernel["player"] else self.columns + pit

    def _pending(self, kernel: Mapping[str, Any]) -> tuple[int, int, int]:
        return self._number(kernel, kernel["pit"]), kernel["hand"], 1

    def _path(self, kernel: Mapping[str, Any]) -> list[int]:
        in_play = kernel["in_play_0"] + kernel["in_play_1"]
        return [self._number(kernel, place) for place in range(in_play)]
