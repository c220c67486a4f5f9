"""Alpha-beta beside plain minimax, on random positions of any game and options.

    python tests/check_minimax.py [GAME]... [--positions 1000] [--jobs 2]

compares that many positions of each set of options: the defaults, as many random ones as it
takes until every value of every option has been used, and every combination of the options
that choose a rule, on boards of random sizes. With ``--sizes`` it goes through every
combination of all options instead, sizes too: 7,561 sets, for which 10 positions each will
do, as 1,000 take hours (6,048 of the sets are Tsoro's). Each position is searched with a
table that the positions before have warmed, and with next to none, from a random guess;
score and action have to be those of minimax, which knows no table and no window.
``test_alphabeta.py`` looks at fewer positions and sets.
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from helpers import (
    NAMES,
    combinations,
    enough_sets,
    library_state,
    option_sets,
    random_position,
    twin_of,
)
from reference.minimax import action_scores
from rich.progress import track

import mancala_ai as ma
from mancala_ai.agents.alphabeta import MOST_DEPTH, Clock, Searcher
from mancala_ai.agents.search import value_rows
from mancala_ai.agents.table import NOTHING
from mancala_ai.dispatch import WIN

LEAVES = 250  # of the plain search of a position, about


def estimate_of(game: ma.Game, by_win: bool) -> Callable[[ma.State], int]:
    """The kernel's own score of a live state at the horizon."""
    features, scores = np.zeros((1, 4), np.int64), np.zeros(1, np.int64)
    weights = np.array(game.WEIGHTS, np.int64)

    def evaluate(state: ma.State) -> int:
        value_rows(game.rules, state._row, weights, by_win, features, scores)
        return int(scores[0])

    return evaluate


def objectives(game: ma.Game) -> tuple[bool, ...]:
    """What can be sought, as values of ``by_win``."""
    return (False, True) if game.COUNTS_SEEDS else (True,)


def live_positions(name: str, options: dict[str, Any], n: int, seed: int) -> Iterator[ma.State]:
    """Random live positions: any that the rules allow, and any that play leads to."""
    rng = random.Random(f"{name} {options} {seed}")
    game = ma.make(name, **options)
    twin = twin_of(game)
    while n:
        if rng.random() < 0.5:
            position = random_position(game, twin, rng)
            if position.finished:
                continue
            state = library_state(game, position)
        else:
            state = game.initial_state(rng.randrange(1000))
            for _ in range(rng.randrange(60)):
                if not state.is_terminal:
                    state = state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal:
            n -= 1
            yield state


def affordable_depth(state: ma.State, rng: random.Random) -> int:
    """A depth whose plain search is short."""
    depth = 1
    while depth < 6 and state.game.perft(depth + 1, state) <= LEAVES:
        depth += 1
    return rng.randint(1, depth)


def check(name: str, options: dict[str, Any], n: int) -> None:
    """Compare ``n`` positions; AssertionError names one that differs."""
    rng = random.Random(1)
    searchers: dict[tuple[bool, int], Searcher] = {}
    for state in live_positions(name, options, n, 0):
        game = state.game
        by_win = rng.choice(objectives(game))
        evaluate = estimate_of(game, by_win)
        depth = affordable_depth(state, rng)
        scores = action_scores(state, depth, evaluate, by_win)
        best = max(scores.values())
        for memory in (1, 0):  # MiB of the table
            key = by_win, memory
            if key not in searchers:
                searchers[key] = Searcher(game, by_win, MOST_DEPTH, memory, 1)
            searcher = searchers[key]
            searcher.look_at(state)
            guess = rng.choice((0, best, rng.randint(-300, 300), WIN, -WIN))
            favourite = rng.choice((NOTHING, *state.legal_actions()))
            found = searcher.score(depth, guess, favourite, Clock(None))
            assert found.score == best, (game, state.to_text(), depth)
            assert scores[found.action] == best, (game, state.to_text(), depth)


def main() -> None:
    """Check the games of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--positions", type=int, default=1000, help="of each set of options")
    parser.add_argument("--sizes", action="store_true", help="every combination of all options")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    words = parser.parse_args()
    for name in words.games or NAMES:
        sets = list(combinations(name, sizes=words.sizes))
        if not words.sizes:
            sets = [*option_sets(name, enough_sets(name)), *sets]
        task = functools.partial(check, name, n=words.positions)
        with multiprocessing.Pool(words.jobs) as pool:
            for _ in track(pool.imap_unordered(task, sets), name, len(sets)):
                pass
        print(f"{name}: {len(sets)} sets of options, {words.positions} positions each", flush=True)


if __name__ == "__main__":
    main()
