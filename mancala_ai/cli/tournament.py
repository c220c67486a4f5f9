"""``mancala tournament``: agents against each other, played and reported.

Read next: ``../../agents/tournament/``, where all of it happens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import zip_longest
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from mancala_ai.files import whole_file

from .inputs import AgentSpecs, FilePath, Flag, GameSpecs, InputError, JsonTarget, integer
from .output import (
    fitting,
    is_animated,
    json_target,
    new_console,
    new_table,
    print_table,
    write_json,
)

if TYPE_CHECKING:
    from rich.table import Table

    from mancala_ai.agents.tournament import Standing

REFRESHES = 4  # a second, of the table that is shown while games are played


def tournament(
    *games: GameSpecs,
    agents: AgentSpecs,
    games_each: Annotated[int, Parameter(name="--games", converter=integer)] = 100,
    seed: Annotated[int, Parameter(converter=integer)] = 0,
    journal: FilePath | None = None,
    gauntlet: Flag = False,
    opening_plies: Annotated[int, Parameter(converter=integer)] = 4,
    fair: float | None = None,
    seconds_per_turn: float | None = None,
    grace: float = 0.1,
    max_plies: Annotated[int, Parameter(converter=integer)] = 2000,
    sprt: Annotated[str | None, Parameter(metavar="TEST")] = None,
    jobs: Annotated[int, Parameter(converter=integer)] = 0,
    backend: Literal["loky", "dask"] = "loky",
    address: Annotated[str | None, Parameter(metavar="ADDRESS")] = None,
    json: JsonTarget = None,
    csv: JsonTarget = None,
    html: FilePath | None = None,
) -> None:
    r"""Let agents play each other, and rate them.

    Every two agents play each opening twice, with seats exchanged; such a pair of games is
    what intervals are computed from. With a journal nothing is lost: the same command goes
    on where a run was stopped, however it was stopped, and with more --games it plays on.

        mancala tournament kalah --agents random greedy mcts
        mancala tournament omweso tsoro --games 40 \
          --agents greedy alphabeta:depth=4 \
          --journal league.jsonl --html league.html

    An agent that raises, answers what is not legal, or takes too long loses that game, and
    the report names it. Annulled games, and those broken off after --max-plies decisions,
    have no result and are left out. Ratings are in Elo, their mean 0; "better" is the
    likelihood that an agent is stronger than the next one.

    Parameters
    ----------
    games
        Games as NAME or NAME:option=value,... (see `mancala games`).
    agents
        Two agents or more, as NAME or NAME:option=value,...
    games_each
        Games of any two agents in each game, an even number.
    seed
        Of openings and agents.
    journal
        A file that keeps every finished game.
    gauntlet
        The first agent plays all others, and these not each other.
    opening_plies
        Random decisions that begin each game.
    fair
        How far the expected result of an opening may be from 1/2, say 0.1, by a shallow
        search; other openings are passed over.
    seconds_per_turn
        Time for all decisions of a turn together; who takes longer loses. Agents then run
        in processes of their own, and results depend on the machine.
    grace
        Seconds by which a turn may be late before it loses.
    max_plies
        Decisions after which a game is broken off.
    sprt
        Stop when it is decided which of two hypotheses on the first agent's strength
        holds, as elo0=0,elo1=20 (also alpha=0.05,beta=0.05): two agents and one game.
    jobs
        Games played at a time; 0 means as many as there are cores.
    backend
        Where they are played: in processes of this machine, or on a Dask cluster.
    address
        The scheduler of the cluster, as tcp://host:8786.
    json
        Write the report as JSON to this file; - writes it to stdout, and nothing else.
    csv
        Write the scores as CSV to this file; - as for JSON.
    html
        Write a page with tables, plots and games to step through to this file; with a
        journal, it has the games that finished first.
    """
    from mancala_ai.agents.tournament import Plan, Sprt, run
    from mancala_ai.agents.tournament.report import report, write_csv

    if games_each % 2 or games_each < 2:
        raise InputError(
            f"--games is an even number, as each opening is played twice, not {games_each}"
        )
    if html is not None:
        from mancala_ai.agents.tournament.page import check_installed

        check_installed()  # now, not when all is played
    plan = Plan(
        games=games,
        agents=agents,
        openings=games_each // 2,
        seed=seed,
        gauntlet=gauntlet,
        opening_plies=opening_plies,
        fair=fair,
        seconds_per_turn=seconds_per_turn,
        grace=grace,
        max_plies=max_plies,
    )
    with (
        json_target(json) as json_file,
        json_target(csv) as csv_file,
        nullcontext() if html is None else whole_file(html) as page,
        _kept(journal, wanted=html is not None) as kept,
    ):
        with _watching(plan.total) as watch:
            standing = run(
                plan,
                kept,
                jobs=jobs,
                backend=backend,
                address=address,
                sprt=None if sprt is None else Sprt.parse(sprt),
                watch=watch,
            )
        if json_file is not None:
            write_json(report(standing), json_file)
        if csv_file is not None:
            write_csv(standing, csv_file)
        if page is not None and kept is not None:
            from mancala_ai.agents.tournament.journal import read_outcomes
            from mancala_ai.agents.tournament.page import write_page

            write_page(standing, read_outcomes(kept), page)
    if "-" not in (json, csv):
        for table in tables(standing):
            print_table(table)
            print()
        for line in remarks(standing):
            print(line)


def tables(standing: Standing) -> Iterator[Table]:
    """For each game a cross table, the score of the agent of each row, and the ratings."""
    from mancala_ai.agents.tournament.report import ratings_rows

    plan, headers = standing.plan, ("Elo", "95 %", "score", "games", "better")
    for game, spec in enumerate(plan.games):
        cross = new_table(spec, *plan.agents, numbers=plan.agents)
        for place, agent in enumerate(plan.agents):
            tallies = [standing.tally(place, other, game) for other in range(len(plan.agents))]
            cross.add_row(agent, *(_score(tally.score) for tally in tallies))
        yield cross
        ratings = new_table("rating", *headers, numbers=headers)
        rows = ratings_rows(standing, game)
        for row, after in zip_longest(rows, rows[1:]):
            better = f"{row['superiority'][after['agent']]:.1%}" if after else ""
            ratings.add_row(
                row["agent"], f"{row['elo']:+z.0f}", f"{row['low']:+z.0f} to {row['high']:+z.0f}",
                _score(row["score"]), str(row["games"]), better,
            )  # fmt: skip
        yield ratings


def _score(score: float | None) -> str:
    return "-" if score is None or isnan(score) else f"{score:.3f}"


def remarks(standing: Standing) -> Iterator[str]:
    """What should be said of the games besides their results."""
    if standing.test is not None:
        yield (
            f"test: {standing.test.verdict or 'undecided'}, log-likelihood ratio "
            f"{standing.test.llr:.2f} within {standing.test.lower:.2f} to {standing.test.upper:.2f}"
        )
    for (agent, kind), count in sorted(standing.faults.items()):
        games = f"{count} game{'s' * (count > 1)}"
        yield f"{agent} lost {games} by {_KINDS[kind]}; {standing.messages[agent, kind]}"
    for game, endings in zip(standing.plan.games, standing.endings, strict=True):
        drawn = [f"{endings[kind]} {kind}" for kind in ("annulled", "truncated") if endings[kind]]
        if drawn:
            yield f"{game}: {' and '.join(drawn)}, left out"
    if standing.plan.seconds_per_turn is not None:
        yield (
            f"the latest turn accepted was {standing.late:.3f} s late "
            f"(grace {standing.plan.grace:g} s); with a clock, a game played again may differ"
        )
    if standing.plan.total > standing.finished:
        yield f"{standing.finished} of {standing.plan.total} games count"


_KINDS = {"time": "taking too long", "error": "failing"}


@contextmanager
def _kept(journal: Path | None, wanted: bool) -> Iterator[Path | None]:
    """Where games are kept: for as long as this lasts if they are wanted but not to be kept."""
    if journal is not None or not wanted:
        yield journal
        return
    with TemporaryDirectory() as folder:
        yield Path(folder) / "games.jsonl"


@contextmanager
def _watching(total: int) -> Iterator[Callable[[Standing], None]]:
    """What shows, on a terminal, how far a tournament has come."""
    console = new_console(sys.stderr)
    if not is_animated(console):
        yield lambda standing: None
        return
    from rich.console import Group, RenderableType
    from rich.live import Live
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("games"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    )
    task = bar.add_task("games", total=total)
    latest: list[Standing] = []

    def picture() -> RenderableType:
        shown = (fitting(table, console) for standing in latest for table in tables(standing))
        return Group(*shown, bar)

    def watch(standing: Standing) -> None:
        latest[:] = [standing]
        bar.update(task, completed=standing.finished)

    with Live(
        get_renderable=picture, console=console, refresh_per_second=REFRESHES, transient=True
    ):
        yield watch
