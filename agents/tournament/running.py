"""Playing a tournament: on one core, on all, or on a cluster.

joblib deals the games out; where they are played makes no difference to them. This process
writes the journal and counts.

Read next: ``playing.py``, ``../../mancala_ai/cli/tournament.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

from mancala_ai.errors import TournamentError, shown
from mancala_ai.game import usable_cores

from .journal import Journal
from .plan import Plan
from .playing import play
from .standing import Standing

BACKENDS = ("loky", "dask")
_AS_THEY_COME = "generator_unordered"  # of joblib

Watcher = Callable[[Standing], bool | None]


def run(
    plan: Plan,
    journal: str | Path | None = None,
    *,
    jobs: int = 0,
    backend: str = "loky",
    address: str | None = None,
    watch: Watcher | None = None,
) -> Standing:
    """Play all games of a plan that its journal does not have.

    Games in which agents are given a depth or a number of simulations come out the same
    however often the run is interrupted and wherever it is played; a clock cannot promise that.

    Parameters
    ----------
    plan : Plan
    journal : str or Path, optional
        Where each game is kept before it counts; nothing is kept if left out.
    jobs : int
        Games played at a time, 0 for as many as there are cores (of the cluster).
    backend : str
        ``"loky"``: processes of this machine; ``"dask"``: a Dask cluster.
    address : str, optional
        Of the cluster's scheduler, as ``tcp://host:8786``; without one, a cluster on this
        machine is started.
    watch : callable, optional
        Called with the standing after each game, and once at the start; if it returns True,
        no further games are begun.

    Returns
    -------
    Standing

    Raises
    ------
    TournamentError
        If the journal cannot serve, or an argument is wrong.
    OSError
        If the journal cannot be written, or the scheduler not be reached.
    """
    if backend not in BACKENDS:
        raise TournamentError(f"backend is one of {', '.join(BACKENDS)}, not {shown(backend)}")
    if address is not None and backend != "dask":
        raise TournamentError("an address is that of a scheduler: the backend is dask then")
    with Journal(journal, plan) if journal is not None else nullcontext() as kept:
        standing = Standing(plan)
        if kept is not None:
            for outcome in kept.outcomes():
                standing.add(outcome)
        stopped = watch is not None and watch(standing)

        def numbers() -> Iterator[int]:
            for number in standing.unplayed():
                if stopped:
                    return
                yield number

        if standing.finished < plan.total and not stopped:
            with _playing(backend, jobs, address) as parallel:
                for outcome in parallel(_task(plan, number) for number in numbers()):
                    if kept is not None:
                        kept.append(outcome)
                    standing.add(outcome)
                    if watch is not None and watch(standing):
                        stopped = True
        return standing


def _task(plan: Plan, number: int) -> Any:
    from joblib import delayed

    return delayed(play)(plan, number)


@contextmanager
def _playing(backend: str, jobs: int, address: str | None) -> Iterator[Any]:
    """A joblib.Parallel that gives each result as soon as it is there."""
    from joblib import Parallel, parallel_config

    if backend == "loky":
        yield Parallel(n_jobs=jobs or usable_cores(), return_as=_AS_THEY_COME)
        return
    with _client(jobs, address), parallel_config(backend="dask"):
        yield Parallel(n_jobs=jobs or -1, return_as=_AS_THEY_COME)


def _client(jobs: int, address: str | None) -> Any:
    """A connection to a Dask scheduler."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise TournamentError(
            'the backend dask needs a package: pip install "mancala-ai[dask]"'
        ) from None
    if address is None:
        workers = jobs or usable_cores()
        return distributed.Client(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    return distributed.Client(address)
