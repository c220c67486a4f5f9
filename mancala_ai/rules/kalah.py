"""Kalah: the reference game with stores, two rows of C pits.

Rules
-----
Every pit starts with ``seeds`` seeds. Sow a pit of your own counter-clockwise
over your pits, your store, the opponent's pits, and round again past his store.
If the last seed falls into your store, you move again. If it falls into an own
pit that was empty and the facing pit holds seeds, both go to your store. The
game ends when a row is empty after a move (no extra move then); the other player
keeps the seeds of his row. More seeds win.

Options: ``columns``, ``seeds`` (a pit) and ``empty_capture``: whether the last
seed in an own empty pit is taken even when the facing pit is empty.

Actions: 0 ... C-1, sow that pit. Notation: 1 ... C from the mover's left.
``captured`` is the store.

Sources: G. Irving, J. Donkers and J. Uiterwijk, "Solving Kalah", ICGA Journal
23(3), 2000, whose values the tests reproduce (they are those of
``empty_capture=True``).

Readings: a lap that comes round to the pit it left finds it empty, so a lap of
2C+1 seeds captures; the facing pit then holds the seed just sown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..dispatch import (
    OVER,
    SOW,
    SOWING,
    UNIT,
    Byte,
    Pits16,
    begin,
    features,
    future,
    lap,
    legal,
    register_state,
    seeds_ahead,
    settle,
    stake,
    winner,
)
from ..fields import Option
from ..rng import bit_count
from ..sowing import (
    at_least,
    below,
    drop,
    emptied,
    keep,
    landing_pit,
    reached,
    seeds,
    select,
    total,
)
from .counting import CountingGame, captured_ahead, more_seeds

NO_PIT = 15  # a lane that never holds a seed


class KalahRules(NamedTuple):
    columns: int
    empty_capture: int
    max_laps: int


class KalahState(NamedTuple):
    mine: Pits16
    theirs: Pits16
    phase: Byte
    player: Byte
    pit: Byte
    hand: Byte
    my_captured: Byte
    their_captured: Byte


register_state(KalahRules, KalahState)
winner.register(KalahRules)(more_seeds)
seeds_ahead.register(KalahRules)(captured_ahead)


@legal.register(KalahRules)
def _legal(rules, state):
    return select(state.phase == SOW, at_least(state.mine, 1), 0), 0


@begin.register(KalahRules)
def _begin(rules, state, pit):
    return KalahState(
        emptied(state.mine, pit),
        state.theirs,
        SOWING,
        state.player,
        pit,
        seeds(state.mine, pit),
        state.my_captured,
        state.their_captured,
    )


@lap.register(KalahRules)
def _lap(rules, state):
    columns, hand = rules.columns, state.hand
    mine, theirs, store = state.mine, state.theirs, state.my_captured
    ring = 2 * columns + 1  # my pits, my store, their pits
    while hand >= ring:
        mine, theirs, store = drop(mine, below(columns)), drop(theirs, below(columns)), store + 1
        hand -= ring
    # what lies in a pit after the lap follows from before: the processor knows it earlier
    landing = landing_pit(state.pit, hand, ring)
    facing = (columns - 1 - landing) & 15
    sown = reached(state.pit, hand, ring)
    sown_there = sown >> (columns + 1)
    is_alone = seeds(mine, landing & 15) + select(hand == 0, 0, 1) == 1
    opposite = seeds(theirs, facing) + (sown_there >> facing & 1)
    is_worth_taking = (opposite > 0) | (rules.empty_capture != 0)
    captures = (landing < columns) & is_alone & is_worth_taking
    mine = emptied(drop(mine, sown & below(columns)), select(captures, landing, NO_PIT))
    theirs = emptied(drop(theirs, sown_there), select(captures, facing, NO_PIT))
    store += (sown >> columns & 1) + select(captures, 1 + opposite, 0)

    again = landing == columns
    return KalahState(
        select(again, mine, theirs),
        select(again, theirs, mine),
        SOW,
        select(again, state.player, 1 - state.player),
        0,
        0,
        select(again, store, state.their_captured),
        select(again, state.their_captured, store),
    )


@settle.register(KalahRules)
def _settle(rules, state):
    mine, theirs = state.mine, state.theirs
    if (at_least(mine, 1) != 0) & (at_least(theirs, 1) != 0):
        return state
    return KalahState(
        keep(mine, 0),
        keep(theirs, 0),
        OVER,
        state.player,
        0,
        0,
        state.my_captured + total(mine),
        state.their_captured + total(theirs),
    )


@stake.register(KalahRules)
def _stake(rules, state):
    return UNIT * (total(state.mine) + total(state.theirs))


@future.register(KalahRules)
def _future(rules, state):
    return KalahState(state.mine, state.theirs, state.phase, 0, 0, 0, 0, 0)


@features.register(KalahRules)
def _features(rules, state):
    """Seeds and pits with seeds in the rows, and the move."""
    mine, theirs = state.mine, state.theirs
    pits = bit_count(at_least(mine, 1)) - bit_count(at_least(theirs, 1))
    return total(mine) - total(theirs), pits, 1, 0


class Kalah(CountingGame):
    """Kalah; its options are listed in the module's rules sheet."""

    NAME = "kalah"
    OPTIONS = (
        Option("columns", 6, range(1, 13), "pits of each player"),
        Option("seeds", 4, range(1, 11), "seeds in each pit at the start"),
        Option("empty_capture", False, (False, True), "take the lone seed facing an empty pit too"),
    )
    RULES, STATE = KalahRules, KalahState
    RECURS = False
    WEIGHTS = (4, 12, 0, 0)
    WIN_SCALE = 106

    def _rules(self) -> KalahRules:
        return KalahRules(self.columns, int(self.options["empty_capture"]), 1)

    def action_names(self, player: int) -> tuple[str, ...]:
        return tuple(str(pit + 1) for pit in range(self.columns))

    def _path(self, kernel: Mapping[str, Any]) -> list[int]:
        store = 2 * self.columns
        return [*range(self.columns), store, *range(self.columns, store)]
