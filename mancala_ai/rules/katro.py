"""Katro (Madagascar), two or three rows of C pits a player: a serpentine relay.

Rules
-----
Every pit starts with two seeds. Sow a pit of your outermost row that holds seeds (single
seeds too) along your serpentine path: outer row left to right, central row right to left,
inner row left to right, then back to the start of the outer row. A last seed in an empty
pit ends the turn. In an occupied pit it captures if it can, else the relay goes on with
the seeds there. It captures if the pit lies in your innermost row that holds any seed and
the pit of the same column in the opponent's innermost row that holds any seed is
occupied: those seeds and all of the landing pit are sown on from the next pit. The player
to move who has no seed loses; there is no passing.

Options: ``rows`` of each player (3), ``columns`` (6), ``direction`` ("forward"; "either":
each turn may follow the mirrored path, outer row right to left and so on; "kept": a
player's first sowing fixes his path for the game), ``lone_seed`` (a player with one seed
may also step it straight to the same column of the next row inside; it captures there by
the rule above although the pit was empty, and what it takes runs on with it; with nothing
to take the turn ends), ``max_laps`` (see dispatch.apply).

Pits: 0 ... n-1 along the forward path. Actions: 0 ... n-1 sow on the forward path; n ...
2n-1 sow pit a-n on the mirrored path; 2n ... 3n-1 step the lone seed of pit a-2n.
Notation: a pit is its column from its owner's left and its row from the outer one, ``c2``;
``c2`` sows forward, ``c2<`` mirrored, ``c2^`` steps.

Sources: the sheet of rules that the project began with, which draws on a field report of
1998.

Readings: captures need an occupied pit (on an empty one nearly every game relays for
ever). Rows are judged as they stand once the last seed has fallen. A step counts as one
lap, fixes no path, and runs on forward, or on the path its player is fixed to. When the
opponent's very last seeds are captured, the seeds in hand are laid in the landing pit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..dispatch import (
    OVER,
    SOW,
    SOWING,
    Byte,
    Mask,
    Pits32,
    begin,
    features,
    lap,
    legal,
    opposing_seeds,
    register_state,
    second_word,
    settle,
    winner,
)
from ..fields import Field, Option
from ..game import Game
from ..observation import Plane, Stored, lookup
from ..rng import bit_count
from ..sowing import at_least, below, emptied, put, seeds, select, sow, total
from .last_move import mover_lost

if TYPE_CHECKING:
    from ..state import State

NO_PIT = 31  # a lane that never holds a seed
DIRECTIONS = ("forward", "either", "kept")
KEPT = DIRECTIONS.index("kept")
FORWARD, MIRRORED = 1, 2  # a player's path, 0 while it is not fixed


class KatroRules(NamedTuple):
    rows: int
    columns: int
    direction: int
    lone_seed: int
    max_laps: int


class KatroState(NamedTuple):
    mine: Pits32
    theirs: Pits32
    phase: Byte
    player: Byte
    pit: Byte
    hand: Byte
    paths: Byte  # of player 0, and four times that of player 1
    mirrored: Byte  # during a move: both boards are mirrored, so that sowing goes forward
    step: Byte  # during a move: the lap is the step of a lone seed
    held: Mask  # during a move: the opponent's pits with seeds


register_state(KatroRules, KatroState)
winner.register(KatroRules)(mover_lost)


@second_word.register(KatroRules)
def _second_word(rules):
    return 2 * rules.rows * rules.columns


@opposing_seeds.register(KatroRules)
def _opposing_seeds(rules, state):
    return total(state.theirs)


@njit
def mirrored(rules, pits):
    """The pits with left and right exchanged in every row."""
    columns = rules.columns
    other = pits
    for row in range(rules.rows):
        first = row * columns
        for i in range(columns):
            pit, image = first + i, first + columns - 1 - i
            other = put(emptied(other, image), image, seeds(pits, pit))
    return other


@njit(forceinline=True)
def outermost(rules, mine):
    """My pits with seeds in the outermost row that has any."""
    held = at_least(mine, 1)
    row = below(rules.columns)
    pits = held & row
    if pits == 0:
        pits = held & row << rules.columns
        if pits == 0:
            pits = held
    return pits


@njit(forceinline=True)
def path_of(state):
    return state.paths >> 2 * state.player & 3


@legal.register(KatroRules)
def _legal(rules, state):
    if state.phase != SOW:
        return 0, 0
    pits = outermost(rules, state.mine)
    steps = 0
    if rules.lone_seed and total(state.mine) == 1:
        steps = pits & below((rules.rows - 1) * rules.columns)
    if rules.direction == 0:
        return pits, steps
    path = path_of(state)
    backward = pits << rules.rows * rules.columns
    return select(path == MIRRORED, 0, pits) | select(path == FORWARD, 0, backward), steps


@begin.register(KatroRules)
def _begin(rules, state, action):
    n = rules.rows * rules.columns
    step, backward = action >= 2 * n, action >= n
    pit = select(step, action - 2 * n, select(backward, action - n, action))
    mine, theirs, paths = state.mine, state.theirs, state.paths
    if step:
        backward = path_of(state) == MIRRORED
    elif rules.direction == KEPT:
        paths |= select(backward, MIRRORED, FORWARD) << 2 * state.player
    if backward:
        mine, theirs = mirrored(rules, mine), mirrored(rules, theirs)
        row = select(pit >= 2 * rules.columns, 2, select(pit >= rules.columns, 1, 0))
        pit = (2 * row + 1) * rules.columns - 1 - pit
    return KatroState(
        emptied(mine, pit), theirs, SOWING, state.player, pit, seeds(mine, pit),
        paths, select(backward, 1, 0), select(step, 1, 0), at_least(theirs, 1),
    )  # fmt: skip


@njit(forceinline=True)
def inward(rules, pit):
    """The pit of the same column in the next row inside."""
    row_end = select(pit >= rules.columns, 2, 1) * rules.columns
    return 2 * row_end - 1 - pit


@njit(forceinline=True)
def facing(rules, pit, held):
    """The pit of the same column in the opponent's innermost row with seeds, in his numbers.

    His column c is mine from the other side, and rows run alternately to the right and to
    the left: facing rows of one kind count against each other, those of two kinds together.
    """
    columns = rules.columns
    row = select(held >> 2 * columns, 2 * columns, select(held >> columns, columns, 0))
    odd = row == columns
    last = row + columns - 1
    in_row_0 = select(odd, row + pit, last - pit)
    in_row_1 = select(odd, last + columns - pit, row - columns + pit)
    in_row_2 = select(odd, row - 2 * columns + pit, last + 2 * columns - pit)
    return select(pit < columns, in_row_0, select(pit < 2 * columns, in_row_1, in_row_2))


@njit(forceinline=True)
def target_pit(rules, mine, landing, held):
    """The pit that a last seed in an occupied pit would capture; ``NO_PIT`` if not innermost."""
    columns = rules.columns
    row_end = select(landing < columns, 1, select(landing < 2 * columns, 2, 3)) * columns
    innermost = at_least(mine, 1) >> row_end == 0
    return select(innermost, facing(rules, landing, held), NO_PIT)


@njit(forceinline=True)
def go_on(rules, state, mine, landing, there):
    """The relay or capture that follows a last seed in an occupied pit."""
    target = target_pit(rules, mine, landing, state.held)
    taken = seeds(state.theirs, target)
    theirs = emptied(state.theirs, target)
    held = state.held & ~(1 << target)
    if held == 0:
        if taken != 0:  # the opponent's last seeds
            return end_turn(state, put(mine, landing, taken), theirs)
    return KatroState(
        emptied(mine, landing), theirs, SOWING, state.player, landing,
        there + taken, state.paths, state.mirrored, 0, held,
    )  # fmt: skip


@njit(forceinline=True)
def stepped(rules, state):
    """The lone seed stepped inside: it ends the turn there, or captures."""
    landing = inward(rules, state.pit)
    mine = put(state.mine, landing, 1)
    target = target_pit(rules, mine, landing, state.held)
    if seeds(state.theirs, target) == 0:
        return end_turn(state, mine, state.theirs)
    return go_on(rules, state, mine, landing, 1)


@lap.register(KatroRules)
def _lap(rules, state):
    if state.step:
        return stepped(rules, state)
    mine, landing, there = sow(state.mine, state.pit, state.hand, rules.rows * rules.columns)
    if there == 1:
        return end_turn(state, mine, state.theirs)
    return go_on(rules, state, mine, landing, there)


@njit(forceinline=True)
def end_turn(state, mine, theirs):
    """The turn passes; boards are mirrored back in ``settle``."""
    return KatroState(theirs, mine, SOW, 1 - state.player, 0, 0, state.paths, state.mirrored, 0, 0)


@settle.register(KatroRules)
def _settle(rules, state):
    mine, theirs = state.mine, state.theirs
    if state.mirrored:
        mine, theirs = mirrored(rules, mine), mirrored(rules, theirs)
    phase = select(at_least(mine, 1) == 0, OVER, SOW)
    return KatroState(mine, theirs, phase, state.player, 0, 0, state.paths, 0, 0, 0)


@features.register(KatroRules)
def _features(rules, state):
    """Seeds, pits with seeds, pits that can be sown, and the move."""
    mine, theirs = state.mine, state.theirs
    pits = bit_count(at_least(mine, 1)) - bit_count(at_least(theirs, 1))
    sowable = bit_count(outermost(rules, mine)) - bit_count(outermost(rules, theirs))
    return total(mine) - total(theirs), pits, sowable, 1


class Katro(Game):
    """Katro; its options and notation are in the module's rules sheet."""

    NAME = "katro"
    OPTIONS = (
        Option("rows", 3, range(2, 4), "rows of each player"),
        Option("columns", 6, range(3, 9), "pits in a row"),
        Option("direction", "forward", DIRECTIONS, "the path a sowing may follow"),
        Option("lone_seed", False, (False, True), "a lone seed may step straight inside"),
        Option("max_laps", 10_000, range(1, 10**9 + 1), "laps after which a move annuls the game"),
    )
    RULES, STATE = KatroRules, KatroState
    WEIGHTS = (16, 8, 8, 16)
    WIN_SCALE = 332
    FIELDS = {
        "directions": Field(
            (0, 0), -1, 1, 2, "each player's path if fixed: 1 forward, -1 mirrored, 0 not yet"
        ),
    }
    KEEPS_CAPTURES = False
    LASTING_FIELDS = ("directions",)

    def _shape(self) -> tuple[int, int]:
        return self.options["rows"], self.options["columns"]

    def _further_planes(self, observer: int, mover: int) -> list[Plane]:
        def fixed(player: int, path: int) -> Stored:
            return Stored("paths", 0, lookup(lambda paths: paths >> 2 * player & 3 == path))

        return [
            Plane(f"{whose} path {name}", 1, f"the {whose} path is fixed: {name}",
                  fixed(player, path))
            for whose, player in (("own", observer), ("opposing", 1 - observer))
            for name, path in (("forward", FORWARD), ("mirrored", MIRRORED))
        ]  # fmt: skip

    def _rules(self) -> KatroRules:
        return KatroRules(
            self.rows,
            self.columns,
            DIRECTIONS.index(self.options["direction"]),
            int(self.options["lone_seed"]),
            self.options["max_laps"],
        )

    def _initial_row(self) -> NDArray[np.uint8]:
        board = np.full((2, self._pits), 2)
        return self._to_row(self._pack(board, 0, (0, 0), SOW, self._default_fields()))

    def action_names(self, player: int) -> tuple[str, ...]:
        pits = self.pit_names()
        return (*pits, *(pit + "<" for pit in pits), *(pit + "^" for pit in pits))

    def _pit_of(self, action: int) -> int:
        return action % self._pits

    def _deed(self, state: State, action: int) -> str:
        return ("sow", "sow mirrored", "step inwards")[action // self._pits]

    def _mirror(self, pit: int) -> int:
        first = pit - pit % self.columns
        return 2 * first + self.columns - 1 - pit

    def _rows_of(self, kernel: Mapping[str, Any]) -> Any:
        rows = np.array(super()._rows_of(kernel))
        if kernel["mirrored"]:
            rows = rows[:, [self._mirror(pit) for pit in range(self._pits)]]
        return rows

    def _fields_of(self, kernel: Mapping[str, Any]) -> dict[str, Any]:
        return {"directions": tuple((0, 1, -1)[kernel["paths"] >> 2 * p & 3] for p in (0, 1))}

    def _lay_fields(self, fields: Mapping[str, Any], player: int) -> dict[str, Any]:
        if self.options["direction"] != "kept":
            return {"paths": 0}
        first, second = ((0, FORWARD, MIRRORED)[d] for d in fields["directions"])
        return {"paths": first | second << 2}

    def _pending(self, kernel: Mapping[str, Any]) -> tuple[int, int, int]:
        if kernel["mirrored"]:
            return self._mirror(kernel["pit"]), kernel["hand"], -1
        return kernel["pit"], kernel["hand"], 1

    def _path(self, kernel: Mapping[str, Any]) -> list[int]:
        pits = list(range(self._pits))
        return [self._mirror(pit) for pit in pits] if kernel["mirrored"] else pits

    def _drops(self, kernel: Mapping[str, Any]) -> list[int]:
        if not kernel["step"]:
            return super()._drops(kernel)
        start, _, _ = self._pending(kernel)
        return [2 * self.columns * (start // self.columns + 1) - 1 - start]

    def _win_kind(self, kernel: Mapping[str, Any]) -> str:
        return "no_move"
