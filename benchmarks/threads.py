"""Two threads against one: how much faster random games are played.

    python -m mancala_ai.benchmarks.threads [GAME]... [--threads 2] [--seconds 5]

One thread, several threads and as many processes of one thread each take turns; the
ratios are medians over rounds. Processes share nothing but the machine: what they fall
short of is the machine's own limit. Run it on a quiet machine with enough cores.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median
from time import perf_counter
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

import mancala_ai
from mancala_ai.cli import run

from .command import command
from .throughput import MAX_PLIES, ROUNDS, Meter, check_seconds

app = command("threads", __doc__)


@app.default
def threads(
    *games: Annotated[str, Parameter(name="GAME")],
    threads: Annotated[int, Parameter(validator=Number(gte=2))] = 2,
    seconds: float = 5.0,
) -> None:
    """Compare several threads with one, in games a second.

    Parameters
    ----------
    games
        Games as NAME or NAME:option=value,...; all games if none is given.
    threads
        Threads to compare with one.
    seconds
        Time to play each game for, each of the three ways.
    """
    check_seconds(seconds)
    specs = games or mancala_ai.games()
    print(f"games/s and ratios to 1 thread, medians of {ROUNDS} rounds")
    print(f"{'game':20} {'1 thread':>12} {f'{threads} threads':>18} {f'{threads} processes':>18}")
    with ProcessPoolExecutor(threads, get_context("spawn")) as processes:
        for spec in specs:
            rounds = _speeds(processes, spec, threads, seconds / ROUNDS)
            one, several, apart = (median(speeds) for speeds in zip(*rounds, strict=True))
            ratios = [median(r[i] / r[0] for r in rounds) for i in (1, 2)]
            print(
                f"{spec:20} {one:12,.0f} {several:12,.0f} {ratios[0]:5.2f} "
                f"{apart:12,.0f} {ratios[1]:5.2f}",
                flush=True,
            )


def _speeds(
    processes: ProcessPoolExecutor, spec: str, count: int, seconds: float
) -> list[tuple[float, float, float]]:
    """Games a second on one thread, several threads and several processes, by round.

    A thread or process plays as many games as one thread plays in the seconds given.
    """
    meter = Meter(mancala_ai.make(spec))
    meter.warm_up()
    share = round(meter.run(seconds).games * seconds)
    list(processes.map(_speed, [spec] * count, [share] * count))

    def measure() -> tuple[float, float, float]:
        one, several = _speed(spec, share), _speed(spec, share * count, count)
        apart = processes.map(_speed, [spec] * count, [share] * count)
        return one, several, sum(apart)

    return [measure() for _ in range(ROUNDS)]


def _speed(spec: str, games: int, threads: int = 1) -> float:
    """Games a second of this process."""
    game = mancala_ai.make(spec)
    begin = perf_counter()
    game.random_games(games, threads=threads, max_plies=MAX_PLIES)
    return games / (perf_counter() - begin)


if __name__ == "__main__":
    sys.exit(run(app))
