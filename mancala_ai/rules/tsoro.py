"""Tsoro (Zimbabwe), 4 x C pits: relay sowing, heads, and bonus captures.

Rules
-----
Each player has two rows of C pits: two seeds in every outer pit, the inner row empty. The
two rightmost outer pits are his *heads* (misoro). Sow a pit of two or more seeds
counter-clockwise round your own rows. Only when you have singletons alone may you sow
one, and then only into an empty pit. A last seed in an occupied pit goes on with the
seeds there; in an occupied head the player chooses to go on or to stop; in an empty pit
the sowing ends, and if that is an inner pit whose facing inner pit holds seeds, those and
all seeds of the outer pit behind are captured. After a capture the player takes the seeds
of two further enemy pits of his choice (the bonus), or of as many as there are. Captured
seeds leave the board. The player to move who cannot loses.

Options: ``columns`` (21); ``bonus`` (2: takings after a capture); ``heads`` (2; 1: only the
rightmost outer pit, which then starts with three seeds; 0: none); ``protected_heads``
(bonus captures cannot take heads); ``optional_bonus`` (the player may stop before each
taking); ``max_laps`` (see dispatch.apply).

Pits: 0 ... C-1 the outer row from the left, C ... 2C-1 the inner row from the right.
Actions: 0 ... 2C-1 sow; 2C ... 4C-1 take the opponent's pit a-2C (his number); 4C go on
from the head; 4C+1 stop. Notation: a pit is its column from its owner's left and its row,
``a1`` ... outer, ``a2`` ... inner; ``c1`` sows, ``xc1`` takes, ``relay``, ``stop``.

Sources: the sheet of rules that the project began with, which draws on Matthews' report.
The game is also known as Fuva or Imbwe, holes as magomba, stones as matombo.

Readings: sources disagree on whether the bonus may take heads, and on whether it must be
taken; both are options. A pending head still holds its seeds. A player with nothing but
singletons, none of which can step, has lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..dispatch import (
    ANNULLED,
    OVER,
    SOW,
    SOWING,
    Byte,
    Pits64,
    begin,
    features,
    lap,
    legal,
    register_state,
    second_word,
    settle,
    winner,
    with_phase,
)
from ..errors import PositionError
from ..fields import Field, Option
from ..game import Game
from ..observation import Plane, Product, Stored, equal_to
from ..rng import bit_count
from ..sowing import at_least, below, emptied, keep, seeds, select, sow, total
from ..state import State
from .last_move import mover_lost

HEAD, BONUS = 1, 2  # phases: relay a head or stop; take a pit


class TsoroRules(NamedTuple):
    columns: int
    bonus: int
    heads: int
    protected_heads: int
    optional_bonus: int
    max_laps: int


class TsoroState(NamedTuple):
    mine: Pits64
    theirs: Pits64
    phase: Byte
    player: Byte
    pit: Byte
    hand: Byte
    bonus: Byte  # takings left


register_state(TsoroRules, TsoroState)
winner.register(TsoroRules)(mover_lost)


@second_word.register(TsoroRules)
def _second_word(rules):
    return 2 * rules.columns


@njit(forceinline=True)
def head_pits(rules):
    return below(rules.columns) ^ below(rules.columns - rules.heads)


@njit(forceinline=True)
def sowable(rules, mine):
    """Pits of two or more; if there are none, singletons before an empty pit."""
    pits = at_least(mine, 2)
    if pits == 0:
        held = at_least(mine, 1)
        before_seeds = held >> 1 | held << (2 * rules.columns - 1)
        pits = held & ~before_seeds
    return pits


@njit(forceinline=True)
def takeable(rules, theirs):
    """The enemy pits that a bonus may take."""
    held = at_least(theirs, 1)
    return held & ~head_pits(rules) if rules.protected_heads else held


@legal.register(TsoroRules)
def _legal(rules, state):
    relay = 1 << 2 * rules.columns  # in the second word, after the takings
    stop = relay << 1
    if state.phase == SOW:
        return sowable(rules, state.mine), 0
    if state.phase == BONUS:
        return 0, takeable(rules, state.theirs) | (stop if rules.optional_bonus else 0)
    if state.phase == HEAD:
        return 0, relay | stop
    return 0, 0


@njit(forceinline=True)
def end_turn(state, mine, theirs):
    return TsoroState(theirs, mine, SOW, 1 - state.player, 0, 0, 0)


@begin.register(TsoroRules)
def _begin(rules, state, action):
    ring = 2 * rules.columns
    mine, theirs = state.mine, state.theirs
    if state.phase == BONUS:
        theirs = emptied(theirs, action - ring)  # to stop empties no pit
        if action > 2 * ring or state.bonus == 1 or takeable(rules, theirs) == 0:
            return end_turn(state, mine, theirs)
        return TsoroState(mine, theirs, BONUS, state.player, 0, 0, state.bonus - 1)
    if action > 2 * ring:
        return end_turn(state, mine, theirs)
    pit = select(state.phase == HEAD, state.pit, action)
    return TsoroState(emptied(mine, pit), theirs, SOWING, state.player, pit, seeds(mine, pit), 0)


@lap.register(TsoroRules)
def _lap(rules, state):
    columns = rules.columns
    mine, landing, there = sow(state.mine, state.pit, state.hand, 2 * columns)
    theirs = state.theirs
    if there > 1:
        if head_pits(rules) >> landing & 1:
            return TsoroState(mine, theirs, HEAD, state.player, landing, 0, 0)
        mine = emptied(mine, landing)
        return TsoroState(mine, theirs, SOWING, state.player, landing, there, 0)
    # the pits facing mine, in their owner's numbers; an outer pit of mine faces none
    inner, outer = 3 * columns - 1 - landing, landing - columns
    if at_least(theirs, 1) >> inner & 1:
        theirs = keep(theirs, ~(1 << inner | 1 << outer))
        if rules.bonus > 0 and takeable(rules, theirs) != 0:
            return TsoroState(mine, theirs, BONUS, state.player, 0, 0, rules.bonus)
    return end_turn(state, mine, theirs)


@settle.register(TsoroRules)
def _settle(rules, state):
    return with_phase(state, select(sowable(rules, state.mine) == 0, OVER, SOW))


@features.register(TsoroRules)
def _features(rules, state):
    """Seeds, pits that can be sown two or more from, takings left, and the move."""
    mine, theirs = state.mine, state.theirs
    pits = bit_count(at_least(mine, 2)) - bit_count(at_least(theirs, 2))
    return total(mine) - total(theirs), pits, state.bonus, 1


class Tsoro(Game):
    """Tsoro; its options and notation are in the module's rules sheet."""

    NAME = "tsoro"
    OPTIONS = (
        Option("columns", 21, range(4, 22), "pits in a row"),
        Option("bonus", 2, range(4), "enemy pits taken after a capture"),
        Option("heads", 2, range(3), "outer pits where a relay may be stopped"),
        Option("protected_heads", False, (False, True), "bonus captures cannot take heads"),
        Option("optional_bonus", False, (False, True), "one may stop before each bonus capture"),
        Option("max_laps", 10_000, range(1, 10**9 + 1), "laps after which a move annuls the game"),
    )
    RULES, STATE = TsoroRules, TsoroState
    WEIGHTS = (40, -24, 56, 8)
    PHASES = {SOW: "sow", HEAD: "head", BONUS: "bonus"}
    FIELDS = {
        "pit": Field(0, 0, 41, 0, "the pending head"),
        "bonus": Field(0, 0, 3, 0, "takings left, this one included"),
    }

    def _shape(self) -> tuple[int, int]:
        return 2, self.options["columns"]

    def _further_planes(self, observer: int, mover: int) -> list[Plane]:
        asked = Stored("phase", 0, equal_to(HEAD))
        heads = [
            Product(Stored("pit", 0, equal_to(pit)), asked)
            for pit in self._pits_of_mover(observer, mover)
        ]
        bonus = max(1, self.options["bonus"])
        return [
            Plane("pending head", 1, "the head, of whoever decides, that may be relayed", heads),
            Plane("bonus", bonus, "takings left, this one included", Stored("bonus")),
        ]

    def _rules(self) -> TsoroRules:
        return TsoroRules(*(int(self.options[name]) for name in TsoroRules._fields))

    def _initial_row(self) -> NDArray[np.uint8]:
        half = np.zeros(self._pits, np.int64)
        half[: self.columns] = 2
        if self.options["heads"] == 1:
            half[self.columns - 1] = 3
        fields = self._default_fields()
        return self._to_row(self._pack(np.array([half, half]), 0, (0, 0), SOW, fields))

    def action_names(self, player: int) -> tuple[str, ...]:
        pits = self.pit_names()
        return (*pits, *("x" + pit for pit in pits), "relay", "stop")

    def _check_position(self, kernel: Mapping[str, Any], board: Any, fields: Any) -> None:
        phase, pit, bonus = kernel["phase"], fields["pit"], fields["bonus"]
        player = kernel["player"]
        first_head = self.columns - self.options["heads"]
        if phase == HEAD and not (first_head <= pit < self.columns and board[player, pit] > 1):
            raise PositionError(f"pit {pit} is no head of the player with two or more seeds")
        if phase not in (HEAD, ANNULLED) and pit:
            raise PositionError("field pit of a position of tsoro is given in phase head only")
        if (phase == BONUS) != (bonus > 0) or bonus > self.options["bonus"]:
            raise PositionError(
                f"field bonus of a position of tsoro is 1 to {self.options['bonus']} in phase "
                f"bonus and 0 in others, not {bonus}"
            )
        if phase == BONUS:
            targets = board[1 - player].copy()
            if self.options["protected_heads"]:
                targets[first_head : self.columns] = 0
            if not targets.any():
                raise PositionError("phase bonus needs a pit of the opponent that can be taken")

    def _pit_kinds(self, state: State) -> dict[tuple[int, int], frozenset[str]]:
        heads = range(self.columns - self.options["heads"], self.columns)
        kinds = {(player, pit): frozenset({"head"}) for player in (0, 1) for pit in heads}
        if state.phase == "head":
            kinds[state.player, state.fields["pit"]] |= {"pending"}
        return kinds

    def _captured_after(self, before: State, after: NDArray[np.uint8]) -> tuple[int, int]:
        # seeds never change sides: what a player's half has lost, the opponent holds
        lost = before.board.sum(axis=1) - np.array(self._rows_of(self._from_row(after))).sum(axis=1)
        south, north = (before.captured + lost[::-1]).tolist()
        return south, north

    def _question(self, state: State) -> str:
        fields = state.fields
        if state.phase == "head":
            return f"relay from the head {self.pit_names()[fields['pit']]}, or stop"
        if state.phase == "bonus":
            return f"take a pit, {fields['bonus']} left"
        return state.phase

    def _deed(self, state: State, action: int) -> str:
        takes = self._pits <= action < 2 * self._pits
        return "take" if takes else super()._deed(state, action)

    def _win_kind(self, kernel: Mapping[str, Any]) -> str:
        return "no_move"
