"""``mancala train``: a network that learns a game by playing against itself.

Read next: ``../training/running.py``, where all of it happens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from .inputs import FolderPath, GameSpec, integer
from .output import is_animated, new_console
from .running import interruptible

if TYPE_CHECKING:
    from mancala_ai.training.curve import Point


def train(
    game: GameSpec,
    /,
    *,
    out: FolderPath,
    timesteps: Annotated[int, Parameter(converter=integer, validator=Number(gte=1))] = 2_000_000,
    algo: Literal["maskable-ppo"] = "maskable-ppo",
    seed: Annotated[int, Parameter(converter=integer, validator=Number(gte=0, lt=2**32))] = 0,
    minutes: float | None = None,
    threads: Annotated[int, Parameter(converter=integer, validator=Number(gte=0, lte=1024))] = 1,
) -> None:
    """Train an agent by self-play: it learns against itself and its own earlier versions.

    Every few seconds, what was learnt is written to the folder and measured by games against
    random and greedy. However a training ends, the same command goes on from there, and with
    more --timesteps it learns on.

        mancala train kalah --out learnt --minutes 10
        mancala play kalah --north policy:path=learnt

    The folder holds the agent (policy.safetensors), its scores as it learnt, with 95 %
    intervals (curve.png, curve.csv), and what it takes to go on (checkpoint.safetensors).
    Training needs more packages: pip install "mancala-ai[train]". Playing does not.

    Parameters
    ----------
    game
        NAME or NAME:option=value,... (see `mancala games`).
    out
        The folder; made if there is none.
    timesteps
        Decisions to learn from in all.
    algo
        How to learn: proximal policy optimization with a mask of the legal actions.
    seed
        Of all that is random.
    minutes
        Stop after this time, at the next checkpoint.
    threads
        For the arithmetic of the network; 0 means as many as there are cores.
    """
    from mancala_ai.game import usable_cores
    from mancala_ai.training import Settings
    from mancala_ai.training import train as run

    settings = Settings(game, algo, seed)
    with _shown(timesteps, timed=minutes is not None) as watcher:
        last = interruptible(
            lambda: run(
                settings,
                out,
                timesteps,
                seconds=None if minutes is None else 60 * minutes,
                threads=threads or usable_cores(),
                watcher=watcher,
            )
        )
    if last.timesteps < timesteps:
        print(f"{last.timesteps:,} of {timesteps:,} timesteps; the same command goes on")
    print(f"mancala play {settings.game} --north policy:path={out}")


class _Report:
    """A line for each measurement, and what moves the bar that is shown meanwhile."""

    def __init__(self, move: Callable[[int], None]) -> None:
        self.learnt = move
        self._begun = False

    def measured(self, point: Point) -> None:
        """Print what was measured."""
        from mancala_ai.training.curve import OPPONENTS

        if not self._begun:
            print(f"{'timesteps':>13}{'seconds':>9}" + "".join(f"   {o:<22}" for o in OPPONENTS))
            self._begun = True
        scores = [f"   {s.mean:.3f} ({s.low:.3f} to {s.high:.3f})" for s in point.scores]
        print(f"{point.timesteps:13,}{point.seconds:9,.0f}" + "".join(scores), flush=True)
        self.learnt(point.timesteps)


@contextmanager
def _shown(timesteps: int, timed: bool) -> Iterator[_Report]:
    """Who prints how a training goes; with a bar below, if that is seen on a terminal.

    The bar says how long the timesteps will still take; if time may be up before, how long
    it has been.
    """
    console = new_console(sys.stderr)
    if not is_animated(console):
        yield _Report(lambda timesteps: None)
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    clock = TimeElapsedColumn() if timed else TimeRemainingColumn()
    columns = "timesteps", BarColumn(), MofNCompleteColumn(), clock
    on_terminal = sys.stdout.isatty()  # elsewhere lines must not be led to the bar's stream
    with Progress(
        *columns, console=console, redirect_stdout=on_terminal, transient=True
    ) as progress:
        bar = progress.add_task("", total=timesteps)
        yield _Report(lambda done: progress.update(bar, completed=done))
