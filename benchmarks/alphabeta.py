"""How deep and how fast alpha-beta searches, and how well it keeps to its time.

    python -m mancala_ai.benchmarks.alphabeta [GAME]... [--seconds 1] [--threads 1]

The positions are the initial one and some of random games. For each game: the depths, in
decisions, that were searched completely in the time given, the nodes visited in a second,
and the longest time taken, in per cent of that given.
"""

from __future__ import annotations

import random
import sys
from statistics import median
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

import mancala_ai
from mancala_ai.agents import make_agent
from mancala_ai.cli import run
from mancala_ai.cli.output import new_table, print_table

from .command import command
from .throughput import check_seconds

PLIES = (0, 4, 8, 12, 16)  # random decisions before each position

app = command("alphabeta", __doc__)


@app.default
def alphabeta(
    *games: Annotated[str, Parameter(name="GAME")],
    seconds: float = 1.0,
    threads: Annotated[int, Parameter(validator=Number(gte=1))] = 1,
    memory: float = 64.0,
) -> None:
    """Search some positions of each game, each for a time, and tell how far it went.

    Parameters
    ----------
    games
        Games as NAME or NAME:option=value,...; all games if none is given.
    seconds
        Time for each position.
    threads
        Threads to search with.
    memory
        MiB of the transposition table.
    """
    check_seconds(seconds)
    columns = ("depths", "million nodes/s", "longest, %")
    table = new_table("game", *columns, numbers=columns)
    for spec in games or mancala_ai.games():
        found = [
            search(state, seconds, threads, memory) for state in positions(mancala_ai.make(spec))
        ]
        depths = " ".join(f"{info['depth']}{'.' if info['proven'] else ''}" for info in found)
        speed = median(info["nodes_per_second"] for info in found) / 1e6
        longest = 100 * max(info["seconds"] for info in found) / seconds
        table.add_row(spec, depths, f"{speed:.2f}", f"{longest:.1f}")
    print_table(table)
    print("a depth with a point behind it is one at which the value was proven")


def positions(game: Any) -> list[Any]:
    """The initial position, and positions of random games."""
    rng = random.Random(0)
    found = []
    for plies in PLIES:
        state = game.initial_state()
        while state.ply < plies and not state.is_terminal:
            state = state.apply(rng.choice(state.legal_actions()))
        if not state.is_terminal:
            found.append(state)
    return found


def search(state: Any, seconds: float, threads: int, memory: float) -> Any:
    """What alpha-beta did in the time, with an empty table."""
    agent = make_agent("alphabeta", seconds=seconds, threads=threads, memory=memory)
    agent.prepare(state)
    agent.act(state)
    agent.close()
    return agent.last_info


if __name__ == "__main__":
    sys.exit(run(app))
