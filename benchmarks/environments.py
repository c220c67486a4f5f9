"""Steps a second of the PettingZoo environments, beside PettingZoo's own Connect Four.

    python -m mancala_ai.benchmarks.environments [GAME ...] [--steps 2000] [--rounds 9]

Whole games in the loop that every user writes: ``agent_iter``, ``last``, a random action of
the mask, ``step``; the steps that tell of the end count too. ``raw`` is ``raw_env()`` on both
sides; ``env`` is ``env()``: PettingZoo's three wrappers there, checks of our own here. All
take turns, so that a machine that slows down slows all; figures are medians over rounds,
ratios medians of ratios. PettingZoo's game needs pygame (``pip install pygame-ce``); without
it, ours are measured alone.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

import mancala_ai
from mancala_ai.cli import run

from .command import command
from .peers.worker import aec_game

KINDS = ("raw_env", "env")
PEER = "pettingzoo.classic.connect_four.connect_four"

app = command("environments", __doc__)


@app.default
def environments(
    *games: str,
    steps: Annotated[int, Parameter(validator=Number(gte=1))] = 2000,
    rounds: Annotated[int, Parameter(validator=Number(gte=1))] = 9,
) -> None:
    """Compare our environments with Connect Four.

    Parameters
    ----------
    games
        Names of games; all if left out.
    steps
        Of every environment in every round, at least: games are played to their end.
    rounds
        Times that each environment is measured.
    """
    peer = _peer()
    print(f"steps/s, medians of {rounds} rounds of {steps:,} steps, and ratios to Connect Four")
    print(f"{'game':12} {'raw_env':>16} {'env':>16}")
    for name in games or mancala_ai.games():
        module = import_module(f"mancala_ai.envs.{name}_v0")
        makers = [getattr(source, kind) for source in (module, peer) if source for kind in KINDS]
        measured = [_measurement(maker(), steps) for maker in makers]
        for measure in measured:
            measure()  # compile, and fill the caches
        rows = [[measure() for measure in measured] for _ in range(rounds)]
        speeds = [median(column) for column in zip(*rows, strict=True)]
        ratios = [f"{median(row[i] / row[i + 2] for row in rows):.2f}" for i in (0, 1) if peer]
        cells = zip(speeds, ratios or ("-", "-"), strict=False)
        ours = " ".join(f"{speed:10,.0f} {ratio:>5}" for speed, ratio in cells)
        beside = f"   Connect Four {speeds[2]:,.0f} and {speeds[3]:,.0f}" if peer else ""
        print(f"{name:12} {ours}{beside}", flush=True)


def _peer() -> Any:
    """PettingZoo's Connect Four, or None, said to the user, where pygame is not installed."""
    try:
        return import_module(PEER)
    except ImportError:
        print("Connect Four is left out, as it needs pygame: pip install pygame-ce")
        return None


def _measurement(env: Any, steps: int) -> Callable[[], float]:
    """Whole random games of at least some steps in all; it returns the steps a second."""
    choose = random.Random(0).choice

    def measure() -> float:
        done, begin = 0, perf_counter()
        while done < steps:
            done += aec_game(env, choose) + 2  # each player is told of the end
        return done / (perf_counter() - begin)

    return measure


if __name__ == "__main__":
    sys.exit(run(app))
