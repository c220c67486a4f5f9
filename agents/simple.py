"""Agents that do not search: ``random``, ``first`` and ``greedy``.

Read first: ``agent.py``.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from .agent import Agent, Info

if TYPE_CHECKING:
    from mancala_ai.state import State


class RandomAgent(Agent):
    """Every legal action is equally likely."""

    NAME = "random"

    def __init__(self, seed: int = 0, **options: Any) -> None:
        super().__init__(seed, **options)
        self._random = random.Random(self.seed)

    def choose(self, state: State, seconds: float | None) -> tuple[int, Info]:
        return self._random.choice(state.legal_actions()), {}


class FirstAgent(Agent):
    """The legal action with the lowest number."""

    NAME = "first"

    def choose(self, state: State, seconds: float | None) -> tuple[int, Info]:
        return state.legal_actions()[0], {}


class GreedyAgent(Agent):
    """The action that wins at once, else the one that takes most seeds; ties by lot.

    What an action takes is what the player's seeds grow by, less what the opponent's do:
    captured ones where those are counted, else those in the home pits.
    """

    NAME = "greedy"

    def __init__(self, seed: int = 0, **options: Any) -> None:
        super().__init__(seed, **options)
        self._random = random.Random(self.seed)

    def choose(self, state: State, seconds: float | None) -> tuple[int, Info]:
        gains = {action: _gain(state, action) for action in state.legal_actions()}
        best = max(gains.values())
        return self._random.choice([a for a, gain in gains.items() if gain == best]), {}


def _gain(state: State, action: int) -> tuple[float, int]:
    """The result for the player, if the action ends the game, and the seeds that it takes."""
    after = state.apply(action)
    player = state.player
    if after.game.COUNTS_SEEDS:
        held, before = after.captured, state.captured
    else:
        held, before = after.board.sum(axis=1), state.board.sum(axis=1)
    gain = (held[player] - held[1 - player]) - (before[player] - before[1 - player])
    return after.returns[player], int(gain)
