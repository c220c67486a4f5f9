"""Oware (Abapa): a reference game, two rows of C pits.

Rules
-----
Every pit starts with ``seeds`` seeds. Sow a pit of your own counter-clockwise round
both rows, one lap; the emptied pit is skipped on every round. If the last seed makes
two or three in an enemy pit, they are captured, and so is the unbroken run of twos and
threes before it in the enemy row. A capture that would take every enemy seed (a grand
slam) takes nothing. A player whose opponent has no seed must feed him; if he cannot,
the game ends and each side keeps its row. More than half of the seeds ends the game at
once. More seeds win.

Options: ``columns``, ``seeds`` (a pit), ``grand_slam`` ("no_capture";
"illegal_unless_forced": a grand slam is not legal unless nothing else is, and then takes
nothing), ``repetition`` ("none"; "split_rows": a position, board and mover, that occurs a
second time ends the game, each side keeps its row).

Actions: 0 ... C-1, sow that pit. Notation: A, B, ... for South, a, b, ... for North.

Sources: the Abapa rules as in H. J. R. Murray, "A History of Board-Games Other than
Chess" (1952), and J. W. Romein and H. E. Bal, "Solving Awari with Parallel Retrograde
Analysis", IEEE Computer 36(10), 2003.

Readings: "half" is half of the seeds of the position, captured ones included. When the
game ends by more than half, the rest stays on the board. With "illegal_unless_forced",
what is left is judged after the feeding rule. Positions count as occurred from the first
one on, and until a capture.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from numba import njit

from ..dispatch import (
    OVER,
    SOW,
    SOWING,
    UNIT,
    Byte,
    Pits16,
    begin,
    counts_repetition,
    end_by_repetition,
    features,
    lap,
    legal,
    register_state,
    seeds_ahead,
    settle,
    stake,
    winner,
)
from ..fields import Field, Option
from ..rng import bit_count, bit_length, lowest_set_bit
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

GRAND_SLAMS = ("no_capture", "illegal_unless_forced")
REPETITIONS = ("none", "split_rows")
SEEN = Field((), 0, 255, None, "earlier positions that can recur: their boards and players")


class OwareRules(NamedTuple):
    columns: int
    slam_is_illegal: int
    repetition: int
    max_laps: int


class OwareState(NamedTuple):
    mine: Pits16
    theirs: Pits16
    phase: Byte
    player: Byte
    pit: Byte
    hand: Byte
    my_captured: Byte
    their_captured: Byte


register_state(OwareRules, OwareState)
winner.register(OwareRules)(more_seeds)
seeds_ahead.register(OwareRules)(captured_ahead)


@njit(forceinline=True)
def sown(rules, mine, theirs, pit, hand):
    """Both rows after sowing the lifted ``hand`` of a pit, and the run of pits it would capture."""
    columns = rules.columns
    ring = 2 * columns
    while hand >= ring:  # a round reaches every pit but the emptied one
        mine = drop(mine, below(columns) ^ 1 << pit)
        theirs = drop(theirs, below(columns))
        hand -= ring - 1
    fed = reached(pit, hand, ring)
    mine = drop(mine, fed & below(columns))
    theirs = drop(theirs, fed >> columns)
    landing = landing_pit(pit, hand, ring)

    up_to_landing = below(select(landing >= columns, landing - columns + 1, 0))
    twos_and_threes = at_least(theirs, 2) & ~at_least(theirs, 4)
    # the run is what lies above the highest pit that breaks it
    run = up_to_landing ^ below(bit_length(up_to_landing & ~twos_and_threes))
    return mine, theirs, run


@njit(forceinline=True)
def is_grand_slam(theirs, run):
    """Whether the run is all that an opponent with seeds has: he has some, once he is fed."""
    return at_least(theirs, 1) & ~run == 0


@njit(forceinline=True)
def feeding(rules, mine):
    """My pits from which a seed reaches an opponent who has none."""
    feeds = 0
    for pit in range(rules.columns):
        feeds |= select(seeds(mine, pit) + pit >= rules.columns, 1, 0) << pit
    return feeds & at_least(mine, 1)


@njit
def without_slams(rules, mine, theirs, pits):
    """The pits of the mask that make no grand slam; all of them if each does."""
    kept, rest = 0, pits
    while rest != 0:
        pit = lowest_set_bit(rest)
        rest &= rest - 1
        _, after, run = sown(rules, emptied(mine, pit), theirs, pit, seeds(mine, pit))
        kept |= select(is_grand_slam(after, run), 0, 1) << pit
    return select(kept == 0, pits, kept)


@njit(forceinline=True)
def sowable(rules, mine, theirs):
    """The pits that the feeding rule allows."""
    return feeding(rules, mine) if at_least(theirs, 1) == 0 else at_least(mine, 1)


@legal.register(OwareRules)
def _legal(rules, state):
    if state.phase != SOW:
        return 0, 0
    pits = sowable(rules, state.mine, state.theirs)
    if rules.slam_is_illegal:
        pits = without_slams(rules, state.mine, state.theirs, pits)
    return pits, 0


@begin.register(OwareRules)
def _begin(rules, state, pit):
    return OwareState(
        emptied(state.mine, pit),
        state.theirs,
        SOWING,
        state.player,
        pit,
        seeds(state.mine, pit),
        state.my_captured,
        state.their_captured,
    )


@lap.register(OwareRules)
def _lap(rules, state):
    mine, theirs, run = sown(rules, state.mine, state.theirs, state.pit, state.hand)
    run = select(is_grand_slam(theirs, run), 0, run)
    return OwareState(
        keep(theirs, ~run),
        mine,
        SOW,
        1 - state.player,
        0,
        0,
        state.their_captured,
        state.my_captured + total(keep(theirs, run)),
    )


@settle.register(OwareRules)
def _settle(rules, state):
    mine, theirs = state.mine, state.theirs
    my_captured, their_captured = state.my_captured, state.their_captured
    half = (total(mine) + total(theirs) + my_captured + their_captured) >> 1
    if (my_captured > half) | (their_captured > half):
        return OwareState(mine, theirs, OVER, state.player, 0, 0, my_captured, their_captured)
    return _split_rows(rules, state) if sowable(rules, mine, theirs) == 0 else state


@njit(forceinline=True)
def _split_rows(rules, state):
    """The finished game, each side keeping its row."""
    return OwareState(
        keep(state.mine, 0),
        keep(state.theirs, 0),
        OVER,
        state.player,
        0,
        0,
        state.my_captured + total(state.mine),
        state.their_captured + total(state.theirs),
    )


@counts_repetition.register(OwareRules)
def _counts_repetition(rules):
    return rules.repetition != 0


@end_by_repetition.register(OwareRules)
def _end_by_repetition(rules, state):
    return _split_rows(rules, state)


@stake.register(OwareRules)
def _stake(rules, state):
    return UNIT * (total(state.mine) + total(state.theirs))


@njit(forceinline=True)
def weak_pits(pits):
    """How many pits hold one or two seeds, and so can become two or three."""
    return bit_count(at_least(pits, 1) & ~at_least(pits, 3))


@features.register(OwareRules)
def _features(rules, state):
    """Seeds, pits with seeds and pits with one or two seeds in the rows, and the move."""
    mine, theirs = state.mine, state.theirs
    pits = bit_count(at_least(mine, 1)) - bit_count(at_least(theirs, 1))
    return total(mine) - total(theirs), pits, weak_pits(mine) - weak_pits(theirs), 1


class Oware(CountingGame):
    """Oware; its options are listed in the module's rules sheet."""

    NAME = "oware"
    OPTIONS = (
        Option("columns", 6, range(1, 13), "pits of each player"),
        Option("seeds", 4, range(1, 11), "seeds in each pit at the start"),
        Option("grand_slam", "no_capture", GRAND_SLAMS, "what becomes of a grand slam"),
        Option("repetition", "none", REPETITIONS, "what a repeated position does"),
    )
    RULES, STATE = OwareRules, OwareState
    WEIGHTS = (0, 10, -3, 0)
    WIN_SCALE = 66

    def _rules(self) -> OwareRules:
        slam = GRAND_SLAMS.index(self.options["grand_slam"])
        repetition = REPETITIONS.index(self.options["repetition"])
        return OwareRules(self.columns, slam, repetition, 1)

    def _position_fields(self) -> Mapping[str, Field]:
        return {"seen": SEEN} if self.rules.repetition else {}

    def action_names(self, player: int) -> tuple[str, ...]:
        letters = "ABCDEFGHIJKL"[: self.columns]
        return tuple(letters if player == 0 else letters.lower())

    def _path(self, kernel: Mapping[str, Any]) -> list[int]:
        return [pit for pit in super()._path(kernel) if pit != kernel["pit"]]

    def _drops(self, kernel: Mapping[str, Any]) -> list[int]:
        # the emptied pit is not on the path: the first seed falls into the pit that follows it
        path, start = self._path(kernel), kernel["pit"]
        return [path[(start + step) % len(path)] for step in range(kernel["hand"])]
