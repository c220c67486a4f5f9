"""Batches: decisions a second, with observations and masks, on one thread and on several.

    python -m mancala_ai.benchmarks.batch [GAME]... [--rows 16384] [--threads 2]
        [--seconds 5] [--yardstick PROGRAM.c]

Each step plays a random legal action in every row and writes observations (float32), masks,
rewards and flags; where it only begins the next game it counts for nothing. Beside it, if
they are there: a C program that plays random games and shows nothing (``yardstick.py``), and
``connect_four`` of PyPI's ``pgx``, as many games with random legal actions and automatic
resets, a step being one compiled call. All but the several threads stay on one processor.
All take turns; figures are medians over rounds. Run it on a quiet machine with enough cores.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated, Any

import numpy as np
from cyclopts import App, Parameter
from cyclopts.validators import Number

import mancala_ai
from mancala_ai.cli import run

from .throughput import ROUNDS, check_seconds
from .yardstick import Yardstick, open_yardstick, yardstick_name

WARM_UP = 100  # steps, so that the rows are no longer all in the first moves of a game
STEPS = 10  # between two looks at the clock

Play = Callable[[float], float]  # for some seconds; returns decisions a second

app = App(
    name="python -m mancala_ai.benchmarks.batch",
    help=__doc__.partition("\n")[0],
    help_format="plaintext",
    version_flags=(),
)


@app.default
def batch(
    *games: Annotated[str, Parameter(name="GAME")],
    rows: Annotated[int, Parameter(validator=Number(gte=1, lte=2**24))] = 2**14,
    threads: Annotated[int, Parameter(validator=Number(gte=2))] = 2,
    seconds: float = 5.0,
    yardstick: Path | None = None,
) -> None:
    """Measure batches, beside a C program and Pgx if they are there.

    Parameters
    ----------
    games
        Games as NAME or NAME:option=value,...; all games if none is given.
    rows
        Games played at once.
    threads
        Threads to compare with one.
    seconds
        Time to play each game for, each of the ways.
    yardstick
        C source or program to compare with, called as PROGRAM SECONDS GAME.
    """
    check_seconds(seconds)
    print(f"decisions/s of {rows:,} games at once, medians of {ROUNDS} rounds")
    print(f"{'game':20} {'1 thread':>12} {f'{threads} threads':>20} {'C':>20} {'pgx':>20}")
    pgx = on_one_core(_pgx_player(rows)) if find_spec("pgx") else None
    with open_yardstick(yardstick) if yardstick else nullcontext() as program:
        for spec in games or mancala_ai.games():
            game = mancala_ai.make(spec)
            ways = [
                on_one_core(_batch_player(game, rows, 1)),
                _batch_player(game, rows, threads),
                _c_player(game, program),
                pgx,
            ]
            print(f"{spec:20} {_line(ways, seconds / ROUNDS)}", flush=True)


def _line(ways: list[Play | None], share: float) -> str:
    """Decisions a second of each way, and of all but the first the ratio to the first."""
    rounds = [[play(share) if play else 0.0 for play in ways] for _ in range(ROUNDS)]
    ours, *others = zip(*rounds, strict=True)
    words = [f"{median(ours):12,.0f}"]
    for speeds in others:
        ratio = median(a / b for a, b in zip(speeds, ours, strict=True))
        words.append(f"{median(speeds):13,.0f} {ratio:6.3f}" if any(speeds) else f"{'-':>20}")
    return " ".join(words)


def _batch_player(game: Any, rows: int, threads: int) -> Play:
    games = game.batch(rows, seed=1, threads=threads)
    for _ in range(WARM_UP):
        games.step(games.random_actions())

    def play(seconds: float) -> float:
        decisions, begin = 0, perf_counter()
        while perf_counter() - begin < seconds:
            for _ in range(STEPS):
                _, _, terminations, truncations, _ = games.step(games.random_actions())
                # a game that ends is followed by a step without a decision
                ended = np.count_nonzero(terminations) + np.count_nonzero(truncations)
                decisions += rows - int(ended)
        return decisions / (perf_counter() - begin)

    return play


def _c_player(game: Any, program: Yardstick | None) -> Play | None:
    name = yardstick_name(game)
    if program is None or name is None:
        return None
    return on_one_core(lambda seconds: program.run(name, seconds).decisions)


def _pgx_player(rows: int) -> Play:
    """Connect four, played by Pgx and JAX; every step is a decision in every row."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    with one_core():  # JAX has as many threads as it finds processors when it starts
        jax, pgx = import_module("jax"), import_module("pgx")
        env = pgx.make("connect_four")
        step_one = import_module("pgx.experimental").auto_reset(env.step, env.init)

        def step_all(state: Any, key: Any) -> tuple[Any, Any]:
            key, draws, resets = jax.random.split(key, 3)
            logits = jax.numpy.log(state.legal_action_mask.astype(np.float32))
            actions = jax.random.categorical(draws, logits, axis=1)
            return jax.vmap(step_one)(state, actions, jax.random.split(resets, rows)), key

        step = jax.jit(step_all)
        keys = jax.random.split(jax.random.key(0), rows)
        shown = jax.jit(jax.vmap(env.init))(keys), jax.random.key(1)
        for _ in range(WARM_UP):
            shown = step(*shown)

    def play(seconds: float) -> float:
        nonlocal shown
        decisions, begin = 0, perf_counter()
        while perf_counter() - begin < seconds:
            for _ in range(STEPS):
                shown = jax.block_until_ready(step(*shown))
                decisions += rows
        return decisions / (perf_counter() - begin)

    return play


def on_one_core(play: Play) -> Play:
    """The same on one processor."""

    def pinned(seconds: float) -> float:
        with one_core():
            return play(seconds)

    return pinned


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and what it starts, on one processor where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


if __name__ == "__main__":
    sys.exit(run(app))
