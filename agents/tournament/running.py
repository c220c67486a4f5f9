"""Playing a tournament: on one core, on all, or on a cluster.

joblib deals the games out; where they are played makes no difference to them. This process
writes the journal and counts.

Read next: ``playing.py``, ``../../mancala_ai/cli/tournament.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from mancala_ai.errors import TournamentError, shown
from mancala_ai.game import usable_cores

from .journal import Journal
from .plan import Plan
from .playing import Outcome, play
from .sprt import Sprt
from .standing import Standing

BACKENDS = ("loky", "dask")
MOST_JOBS = 1024
_AS_THEY_COME = "generator_unordered"  # of joblib

Watcher = Callable[[Standing], None]


def run(
    plan: Plan,
    journal: str | Path | None = None,
    *,
    jobs: int = 0,
    backend: str = "loky",
    address: str | None = None,
    sprt: Sprt | None = None,
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
    sprt : Sprt, optional
        A test of the first of two agents in one game. Openings then count in their order,
        and no more once the test is decided.
    watch : callable, optional
        Called with the standing after each game, and once at the start.

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
    if not 0 <= jobs <= MOST_JOBS:
        raise TournamentError(f"jobs is a number from 0 to {MOST_JOBS}, not {jobs}")
    if address is not None and backend != "dask":
        raise TournamentError("an address is that of a scheduler: the backend is dask then")
    with Journal(journal, plan) if journal is not None else nullcontext() as kept:
        intake = _Intake(plan) if sprt is None else _TestedIntake(plan, sprt)
        if kept is not None:
            for outcome in kept.outcomes():
                intake.take(outcome)
        if watch is not None:
            watch(intake.standing)
        missing = intake.missing()
        first = next(missing, None)
        if first is not None:
            with _playing(backend, jobs, address) as parallel:
                for outcome in parallel(_task(plan, n) for n in chain([first], missing)):
                    if kept is not None:
                        kept.append(outcome)
                    intake.take(outcome)
                    if watch is not None:
                        watch(intake.standing)
        return intake.standing


class _Intake:
    """Takes outcomes in any order and counts them."""

    def __init__(self, plan: Plan) -> None:
        self.standing = Standing(plan)

    def take(self, outcome: Outcome) -> None:
        self.standing.add(outcome)

    def missing(self) -> Iterator[int]:
        """The games still to be played."""
        return self.standing.unplayed()


class _TestedIntake(_Intake):
    """Counts outcomes in the order of the plan, until a test is decided."""

    def __init__(self, plan: Plan, sprt: Sprt) -> None:
        super().__init__(plan)
        if plan.shape[1:3] != (1, 1):
            raise TournamentError("a test is of two agents in one game")
        self._sprt = sprt
        self._early: dict[int, Outcome] = {}  # before their turn

    def take(self, outcome: Outcome) -> None:
        self._early[outcome["number"]] = outcome
        while self._undecided and self.standing.finished in self._early:
            self.standing.add(self._early.pop(self.standing.finished))
            if self.standing.finished % 2 == 0:
                pairs = self.standing.pair_counts().pentanomial(*self.standing.plan.agents)
                self.standing.test = self._sprt.test(pairs)

    @property
    def _undecided(self) -> bool:
        return self.standing.test is None or self.standing.test.verdict is None

    def missing(self) -> Iterator[int]:
        for number in super().missing():
            if not self._undecided:
                return
            if number not in self._early:
                yield number


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
