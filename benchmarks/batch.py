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

import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

import mancala_ai
from mancala_ai.cli import run

from .command import command
from .machine import one_core
from .peers.worker import our_batch, pgx_batch
from .throughput import ROUNDS, check_seconds
from .yardstick import Yardstick, open_yardstick, yardstick_name

Play = Callable[[float], float]  # for some seconds; returns decisions a second

app = command("batch", __doc__)


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
    pgx = on_one_core(lambda: pgx_batch(rows)) if find_spec("pgx") else None
    with open_yardstick(yardstick) if yardstick else nullcontext() as program:
        for spec in games or mancala_ai.games():
            game = mancala_ai.make(spec)
            ways = [
                on_one_core(partial(our_batch, game, rows)),
                decisions_of(our_batch(game, rows, threads)),
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


def _c_player(game: Any, program: Yardstick | None) -> Play | None:
    name = yardstick_name(game)
    if program is None or name is None:
        return None
    return on_one_core(lambda: lambda seconds: program.run(name, seconds))


def decisions_of(play: Callable[[float], Any]) -> Play:
    """Of a speed, the decisions a second alone."""
    return lambda seconds: play(seconds)[1]


def on_one_core(prepare: Callable[[], Callable[[float], Any]]) -> Play:
    """What plays, made and run on one processor."""
    with one_core():
        play = decisions_of(prepare())

    def pinned(seconds: float) -> float:
        with one_core():
            return play(seconds)

    return pinned


if __name__ == "__main__":
    sys.exit(run(app))
