"""What a tournament costs beside its games: time, cores, memory, and reading its journal.

    python -m mancala_ai.benchmarks.tournament [--games 10000] [--lines 1000000] [--rounds 5]

*Overhead*: a tournament of random against greedy Kalah on one core, less the time that the
same agents take for the same games in a bare loop. *Throughput*: the same on all cores.
*Efficiency*: MCTS agents on all cores against one, a round after the other; 1 would be perfect.
*Reading*: a journal of many lines, counted and rated. *Memory*: by how much the process
grows over these lines. Run it on a quiet machine.

Read next: ``../agents/tournament/running.py``.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from mancala_ai.agents import make_agent
from mancala_ai.agents.tournament import Plan, run
from mancala_ai.agents.tournament.journal import read_outcomes
from mancala_ai.agents.tournament.opening import opening
from mancala_ai.agents.tournament.report import report
from mancala_ai.cli import run as run_command
from mancala_ai.cli.inputs import integer
from mancala_ai.game import usable_cores

from .command import command

FAST = ("random", "greedy")
SEARCHING = ("mcts:num_simulations=2000", "mcts:num_simulations=2000,c=0.7")
SEARCHED_GAMES = 24

Count = Annotated[int, Parameter(converter=integer, validator=Number(gte=2))]

app = command("tournament", __doc__)


@app.default
def tournament(*, games: Count = 10_000, lines: Count = 1_000_000, rounds: Count = 5) -> None:
    """Measure what a tournament adds to its games.

    Parameters
    ----------
    games
        Of random against greedy.
    lines
        Of the journal that is read.
    rounds
        Repetitions; figures are medians.
    """
    cores = usable_cores()
    plan = Plan(("kalah",), FAST, openings=games // 2)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "games.jsonl"
        run(Plan(("kalah",), FAST, openings=1), jobs=1)  # compile
        alone = [_played(plan, 1, path) - _bare(plan) for _ in range(rounds)]
        print(f"overhead on one core: {1e6 * median(alone) / plan.total:.0f} us a game")
        together = median(_played(plan, cores, path) for _ in range(rounds))
        print(f"{plan.total:,} games on {cores} cores, processes started: {together:.1f} s")
        print(f"efficiency on {cores} cores with MCTS: {_efficiency(cores, rounds):.2f}")
        _read_many(path, lines)


def _played(plan: Plan, jobs: int, path: Path) -> float:
    """Seconds of a tournament with a new journal."""
    path.unlink(missing_ok=True)
    begin = perf_counter()
    run(plan, path, jobs=jobs)
    return perf_counter() - begin


def _bare(plan: Plan) -> float:
    """Seconds of the same games in a loop, with the same agents."""
    agents = [make_agent(spec, 1) for spec in plan.agents]
    begin = perf_counter()
    for number in range(plan.total):
        fixture = plan.fixture(number)
        begun = opening(fixture.game, plan.seed, fixture.opening, plan.opening_plies)
        state, seats = begun.start, (agents[fixture.south], agents[fixture.north])
        while not state.is_terminal:
            state = state.apply(seats[state.player].act(state))
    return perf_counter() - begin


def _efficiency(cores: int, rounds: int) -> float:
    """The speed of all cores as a share of what so many single ones would reach."""
    plan = Plan(("kalah",), SEARCHING, openings=SEARCHED_GAMES // 2)
    run(plan, jobs=cores)  # start the processes, and compile
    run(Plan(("kalah",), SEARCHING, openings=1), jobs=1)
    shares = []
    for _ in range(rounds):
        times = []
        for jobs in (1, cores):
            begin = perf_counter()
            run(plan, jobs=jobs)
            times.append(perf_counter() - begin)
        shares.append(times[0] / times[1] / cores)
    return median(shares)


def _read_many(path: Path, lines: int) -> None:
    """Read and rate a journal made of the games in one, over and over."""
    known = sorted(read_outcomes(path), key=lambda outcome: outcome["number"])
    plan = Plan(("kalah",), FAST, openings=lines // 2)
    with path.open("w") as file:
        print(json.dumps({"version": 1, "settings": plan.settings()}), file=file)
        for number in range(plan.total):
            outcome = known[number % len(known)]
            print(json.dumps({**outcome, "number": number}), file=file)
    del known
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = perf_counter()
    found = report(run(plan, path))
    seconds = perf_counter() - begin
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    read = f"{found['finished']:,} lines of a journal"
    print(f"{read} rated in {seconds:.1f} s, {grown / 1024:.0f} MiB more memory")


if __name__ == "__main__":
    sys.exit(run_command(app))
