"""Two threads against one: how much faster random games are played.

    python -m mancala_ai.benchmarks.threads [GAME]... [--threads 2] [--seconds 2]

One thread, several threads and as many processes of one thread each take turns; the
ratios are medians over rounds. Processes share nothing but the machine: what they fall
short of is the machine's own limit. Run it on a quiet machine with enough cores.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median
from typing import Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number

import mancala_ai
from mancala_ai.cli import run

from .throughput import ROUNDS, Meter, check_seconds

app = App(
    name="python -m mancala_ai.benchmarks.threads",
    help=__doc__.partition("\n")[0],
    help_format="plaintext",
    version_flags=(),
)


@app.default
def threads(
    *games: Annotated[str, Parameter(name="GAME")],
    threads: Annotated[int, Parameter(validator=Number(gte=2))] = 2,
    seconds: float = 2.0,
) -> None:
    """Compare several threads with one, in games a second.

    Parameters
    ----------
    games
        Games as NAME or NAME:option=value,...; all games if none is given.
    threads
        Threads to compare with one.
    seconds
        Time to play each game for, once on one thread and once on several.
    """
    check_seconds(seconds)
    chosen = [(spec, mancala_ai.make(spec)) for spec in games or mancala_ai.games()]
    print(f"games/s and ratios to 1 thread, medians of {ROUNDS} rounds")
    print(f"{'game':20} {'1 thread':>12} {f'{threads} threads':>18} {f'{threads} processes':>18}")
    context = get_context("spawn")
    with ProcessPoolExecutor(threads, context) as processes:
        for spec, game in chosen:
            rounds = _speeds(processes, spec, game, threads, seconds / ROUNDS)
            one, several, apart = (median(speeds) for speeds in zip(*rounds, strict=True))
            ratios = [median(r[i] / r[0] for r in rounds) for i in (1, 2)]
            print(
                f"{spec:20} {one:12,.0f} {several:12,.0f} {ratios[0]:5.2f} "
                f"{apart:12,.0f} {ratios[1]:5.2f}",
                flush=True,
            )


def _speeds(
    processes: ProcessPoolExecutor, spec: str, game: Any, count: int, seconds: float
) -> list[tuple[float, float, float]]:
    """Games a second on one thread, several threads and several processes, by round."""
    one, several = (Meter(game, threads=threads) for threads in (1, count))
    for meter in (one, several):
        meter.warm_up()
    _together(processes, spec, count, 0.0)  # compiles in every process

    def measure() -> tuple[float, float, float]:
        apart = _together(processes, spec, count, seconds)
        return one.run(seconds).games, several.run(seconds).games, apart

    return [measure() for _ in range(ROUNDS)]


def _together(processes: ProcessPoolExecutor, spec: str, count: int, seconds: float) -> float:
    """Games a second of several processes at once."""
    return sum(processes.map(_alone, [spec] * count, [seconds] * count))


def _alone(spec: str, seconds: float) -> float:
    """Games a second of this process, on one thread."""
    meter = Meter(mancala_ai.make(spec))
    meter.warm_up()
    return meter.run(seconds).games if seconds else 0.0


if __name__ == "__main__":
    sys.exit(run(app))
