"""Two threads against one: how much faster the same random games are played.

    python -m mancala_ai.benchmarks.threads [GAME]... [--threads 2] [--seconds 2]

One and several threads take turns; the ratio is the median over rounds. Run it on
a quiet machine with at least as many cores.
"""

from __future__ import annotations

import sys
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
    columns = f"{'game':20} {'1 thread':>12} {f'{threads} threads':>12}   ratio"
    print(columns, "  (games/s, medians of", ROUNDS, "rounds)", flush=True)
    for spec, game in chosen:
        one, several = _speeds(game, threads, seconds)
        ratio = median(b / a for a, b in zip(one, several, strict=True))
        print(f"{spec:20} {median(one):12,.0f} {median(several):12,.0f} {ratio:7.2f}", flush=True)


def _speeds(game: Any, threads: int, seconds: float) -> tuple[list[float], list[float]]:
    """Games a second on one and on several threads, round by round."""
    meters = [Meter(game, threads=count) for count in (1, threads)]
    for meter in meters:
        meter.warm_up()
    rounds = [[meter.run(seconds / ROUNDS).games for meter in meters] for _ in range(ROUNDS)]
    return [pair[0] for pair in rounds], [pair[1] for pair in rounds]


if __name__ == "__main__":
    sys.exit(run(app))
