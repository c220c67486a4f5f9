"""What a position is worth: the weights of the evaluations, fitted and played against others.

    python -m mancala_ai.benchmarks.evaluations [GAME]... [--games 400] [--matches 200]

Games between shallow searches with some random moves give positions with their features
(``dispatch.features``) and what came of them. Where seeds decide, the seeds still won
after a position are fitted to its features by least squares; elsewhere the result is, by
logistic regression. Then alpha-beta with the weights that the game has plays alpha-beta
with no weights, and with that of the first feature alone.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from cyclopts.validators import Number
from numpy.typing import NDArray

import mancala_ai
from mancala_ai.agents.alphabeta import AlphaBetaAgent
from mancala_ai.agents.search import value_rows
from mancala_ai.cli import run
from mancala_ai.dispatch import UNIT

from .command import command

DEPTH_OF_GAMES, DEPTH_OF_MATCHES = 2, 4
RANDOM_MOVES = 0.2  # of the moves in games for the fit
OPENING = 6  # random decisions at the start of a match game
MOST_PLIES = 400
NEWTON_STEPS = 25
NORMAL_95 = 1.959964

app = command("evaluations", __doc__)


@app.default
def evaluations(
    *games: Annotated[str, Parameter(name="GAME")],
    games_to_fit: Annotated[int, Parameter(name="--games", validator=Number(gte=10))] = 400,
    matches: Annotated[int, Parameter(validator=Number(gte=2))] = 200,
    seed: int = 0,
) -> None:
    """Fit the weights of evaluations, and let those of the games play against others.

    Parameters
    ----------
    games
        Games as NAME or NAME:option=value,...; all games if none is given.
    games_to_fit
        Games from which the weights are fitted.
    matches
        Games played against each other evaluation; every opening is played from both seats.
    seed
        Of all that is random.
    """
    for spec in games or mancala_ai.games():
        game = mancala_ai.make(spec)
        features, results = sample(game, games_to_fit, seed)
        fitted = fit(game, features, results)
        scale = win_scale(game, features, results, game.WEIGHTS)
        print(f"{spec}: weights {game.WEIGHTS}, fitted {fitted}, {len(results)} positions")
        print(f"  WIN_SCALE {game.WIN_SCALE}, fitted {scale}")
        first, *_ = game.WEIGHTS
        others = {"no weights": (0, 0, 0, 0), "the first alone": (first, 0, 0, 0), "fitted": fitted}
        for name, weights in others.items():
            score, margin = match(game, game.WEIGHTS, weights, matches, seed)
            print(f"  scores {score:.3f} ±{margin:.3f} against {name}", flush=True)


def sample(game: Any, n: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Features of positions, and a row for each: captured seeds, final ones, result."""
    rng = random.Random(seed)
    agent = AlphaBetaAgent(depth=DEPTH_OF_GAMES, memory=1)
    rows, told = [], []
    for number in range(n):
        state, seen = game.initial_state(number), []
        while not state.is_terminal and state.ply < MOST_PLIES:
            seen.append(state)
            action = rng.choice(state.legal_actions())
            state = state.apply(action if rng.random() < RANDOM_MOVES else agent.act(state))
        if state.is_terminal and not state.annulled:
            for position in seen[OPENING:]:
                rows.append(position._row[0])
                player = position.player
                told.append(
                    (_ahead(position, player), _ahead(state, player), state.returns[player])
                )
    features = np.zeros((len(rows), 4), np.int64)
    scores, weights = np.zeros(len(rows), np.int64), np.zeros(4, np.int64)
    value_rows(game.rules, np.array(rows), weights, False, features, scores)
    return features, np.array(told, np.float64)


def _ahead(state: Any, player: int) -> int:
    captured = state.captured
    return int(captured[player] - captured[1 - player])


def fit(game: Any, features: NDArray[np.int64], told: NDArray[np.float64]) -> tuple[int, ...]:
    """The weights of the features, in sixteenths of a seed; of a decided result, by WIN_SCALE."""
    if game.COUNTS_SEEDS:
        seeds = told[:, 1] - told[:, 0]
        weights = np.linalg.lstsq(features.astype(float), UNIT * seeds, rcond=None)[0]
    else:
        weights = game.WIN_SCALE * logistic(features.astype(float), (told[:, 2] + 1) / 2)
    return tuple(round(weight) for weight in weights)


def win_scale(
    game: Any, features: NDArray[np.int64], told: NDArray[np.float64], weights: Sequence[int]
) -> int:
    """The score, with these weights, at which 73 % are won."""
    scores = features @ np.array(weights, float)
    if game.COUNTS_SEEDS:
        scores += UNIT * told[:, 0]
    return round(256 / float(logistic(scores[:, None] / 256, (told[:, 2] + 1) / 2)[0]))


def logistic(x: NDArray[np.float64], results: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coefficients of a logistic regression, by Newton's method with a slight ridge."""
    weights = np.zeros(x.shape[1])
    for _ in range(NEWTON_STEPS):
        expected = 1 / (1 + np.exp(-x @ weights))
        curvature = (x.T * (expected * (1 - expected))) @ x + 1e-6 * np.eye(len(weights))
        weights += np.linalg.solve(curvature, x.T @ (results - expected) - 1e-6 * weights)
    return weights


def match(
    game: Any, ours: Sequence[int], theirs: Sequence[int], n: int, seed: int
) -> tuple[float, float]:
    """Our mean score and half its 95 % interval; a pair of games with one opening is the unit."""
    agents = [AlphaBetaAgent(depth=DEPTH_OF_MATCHES, memory=4) for _ in range(2)]
    for agent, weights in zip(agents, (ours, theirs), strict=True):
        agent.weights = weights
    rng = random.Random(seed)
    pairs: list[float] = []
    while len(pairs) < n // 2:
        opening = _opening(game, rng)
        if opening is not None:
            score = [_play(opening, (agents[seat].act, agents[1 - seat].act)) for seat in (0, 1)]
            pairs.append((score[0] + 1 - score[1]) / 2)
    spread = np.std(pairs, ddof=1) / np.sqrt(len(pairs)) if len(pairs) > 1 else 0.5
    return float(np.mean(pairs)), float(NORMAL_95 * spread)


def _opening(game: Any, rng: random.Random) -> Any:
    state = game.initial_state(rng.randrange(2**31))
    for _ in range(OPENING):
        if state.is_terminal:
            return None
        state = state.apply(rng.choice(state.legal_actions()))
    return None if state.is_terminal else state


def _play(state: Any, acts: tuple[Callable[[Any], int], Callable[[Any], int]]) -> float:
    """The first agent's score of a game: a win 1, a draw, annulled or unfinished game 1/2."""
    begin = state.ply
    while not state.is_terminal and state.ply - begin < MOST_PLIES:
        state = state.apply(acts[state.player](state))
    return float(state.returns[0] + 1) / 2


if __name__ == "__main__":
    sys.exit(run(app))
