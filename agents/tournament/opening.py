"""Openings: positions some random decisions into a game, the same for all who play them.

The openings of a game are numbered; number and seed decide one. Among random openings some
are as good as won. Where a plan asks for fair ones, a shallow search values each that is
drawn, and others are drawn in its place until one is fair enough.

Read next: ``playing.py``.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import NamedTuple

from mancala_ai.agents import make_agent
from mancala_ai.game import Game
from mancala_ai.registry import make
from mancala_ai.state import State

FAIR_DEPTH = 6  # of the search that judges
MOST_DRAWN = 100  # openings; the fairest is taken if none is fair enough


class Opening(NamedTuple):
    """Where a game begins for those who play it.

    Attributes
    ----------
    initial : State
        The game's initial state.
    actions : tuple of int
        From there; never to the end of the game.
    start : State
        The position reached.
    """

    initial: State
    actions: tuple[int, ...]
    start: State


@lru_cache(maxsize=64)  # its games are played one after the other
def opening(game: str, seed: int, number: int, plies: int, fair: float | None = None) -> Opening:
    """An opening of a game.

    Parameters
    ----------
    game : str
        A spec, as :func:`mancala_ai.make` takes it.
    seed, number : int
        They decide the opening.
    plies : int
        Random decisions; fewer if the next one would end the game.
    fair : float, optional
        How far from 1/2 its expected result may be, 0 to 0.5, by a search of
        ``FAIR_DEPTH``. Of ``MOST_DRAWN`` that are not, the fairest is taken.
    """
    made = _made(game)
    rng = random.Random(f"opening {game} {seed} {number}")
    drawn = _draw(made, rng, plies)
    if fair is None:
        return drawn
    best, unfairness = drawn, _unfairness(drawn.start)
    for _ in range(MOST_DRAWN - 1):
        if unfairness <= fair:
            break
        drawn = _draw(made, rng, plies)
        judged = _unfairness(drawn.start)
        if judged < unfairness:
            best, unfairness = drawn, judged
    return best


_made = lru_cache(maxsize=64)(make)  # a game takes longer to make than to begin


def _draw(game: Game, rng: random.Random, plies: int) -> Opening:
    initial = state = game.initial_state(seed=rng.getrandbits(63))
    actions: list[int] = []
    for _ in range(plies):
        action = rng.choice(state.legal_actions())
        after = state.apply(action)
        if after.is_terminal:
            break
        actions.append(action)
        state = after
    return Opening(initial, tuple(actions), state)


def _unfairness(start: State) -> float:
    judge = make_agent("alphabeta", depth=FAIR_DEPTH, objective="win", memory=4)
    judge.act(start)
    return abs(judge.last_info["value"] - 0.5)
