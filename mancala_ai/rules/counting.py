"""What the games won by captured seeds share: the result, and how it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dispatch import DRAW, SOW
from ..game import Game
from ..sowing import select


def more_seeds(rules, state):
    """The player who captured more seeds, or ``DRAW``."""
    mine, theirs = state.my_captured, state.their_captured
    leader = select(mine > theirs, state.player, 1 - state.player)
    return select(mine == theirs, DRAW, leader)


def captured_ahead(rules, state):
    """Captured seeds of the player to move, less the opponent's."""
    return state.my_captured - state.their_captured


class CountingGame(Game):
    """A game won by captured seeds, with one row of pits for each player."""

    COUNTS_SEEDS = True

    def _shape(self) -> tuple[int, int]:
        return 1, self.options["columns"]

    def _initial_row(self) -> NDArray[np.uint8]:
        board = np.full((2, self._pits), self.options["seeds"], np.int64)
        return self._to_row(self._pack(board, 0, (0, 0), SOW, {}))

    def _path(self, kernel: Mapping[str, Any]) -> list[int]:
        return list(range(2 * self._pits))

    def _win_kind(self, kernel: Mapping[str, Any]) -> str:
        return "seeds"
