"""``mancala tournament``: agents against each other, played and reported.

Read next: ``../../agents/tournament/``, where all of it happens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from .inputs import InputError, JsonTarget, integer
from .output import json_target, new_console, new_table, print_table, write_json

if TYPE_CHECKING:
    from rich.table import Table

    from mancala_ai.agents.tournament import Standing

REFRESHES = 4  # a second, of the table that is shown while games are played


def tournament(
    *games: Annotated[str, Parameter(name="GAME")],
    agents: Annotated[tuple[str, ...], Parameter(consume_multiple=True)],
    games_each: Annotated[int, Parameter(name="--games", converter=integer)] = 100,
    seed: Annotated[int, Parameter(converter=integer)] = 0,
    journal: Path | None = None,
    gauntlet: bool = False,
    opening_plies: Annotated[int, Parameter(converter=integer)] = 4,
    fair: float | None = None,
    seconds_per_turn: float | None = None,
    grace: float = 0.1,
    max_plies: Annotated[int, Parameter(converter=integer)] = 2000,
    sprt: str | None = None,
    jobs: Annotated[int, Parameter(converter=integer)] = 0,
    backend: Literal["loky", "dask"] = "loky",
    address: str | None = None,
    json: JsonTarget = None,
    csv: JsonTarget = None,
) -> None:
    """Let agents play each other, and rate them.

    Every two agents play each opening twice, with seats exchanged; such a pair of games is
    what intervals are computed from. With a journal nothing is lost: the same command goes
    on where a run was stopped, however it was stopped, and with more --games it plays on.

        mancala tournament kalah oware --agents greedy alphabeta:depth=4 \
            mcts:num_simulations=400 --games 40 --journal league.jsonl

        kalah                    greedy alphabeta:depth=4 ...

    An agent that raises, answers what is not legal, or takes too long loses that game, and
    the report names it. Annulled games and those of --max-plies decisions count as drawn.

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
    """
    from mancala_ai.agents.tournament import Plan, run
    from mancala_ai.agents.tournament.report import report, write_csv

    if games_each % 2 or games_each < 2:
        raise InputError(
            f"--games is an even number, as each opening is played twice, not {games_each}"
        )
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
    with json_target(json) as json_file, json_target(csv) as csv_file:
        with _watching(plan.total) as watch:
            standing = run(plan, journal, jobs=jobs, backend=backend, address=address, watch=watch)
        if json_file is not None:
            write_json(report(standing), json_file)
        if csv_file is not None:
            write_csv(standing, csv_file)
    if "-" not in (json, csv):
        for table in tables(standing):
            print_table(table)
            print()
        for line in remarks(standing):
            print(line)


def tables(standing: Standing) -> Iterator[Table]:
    """A cross table for each game: the score of the agent of each row."""
    plan = standing.plan
    for game, spec in enumerate(plan.games):
        table = new_table(spec, *plan.agents, "games", numbers=True)
        for row, agent in enumerate(plan.agents):
            tallies = [standing.tally(row, other, game) for other in range(len(plan.agents))]
            cells = [f"{tally.score:.3f}" if tally.games else "-" for tally in tallies]
            table.add_row(agent, *cells, str(sum(tally.games for tally in tallies)))
        yield table


def remarks(standing: Standing) -> Iterator[str]:
    """What should be said of the games besides their results."""
    for (agent, kind), count in sorted(standing.faults.items()):
        games = f"{count} game{'s' * (count > 1)}"
        yield f"{agent} lost {games} by {_KINDS[kind]}; {standing.messages[agent, kind]}"
    for game, endings in zip(standing.plan.games, standing.endings, strict=True):
        drawn = [f"{endings[kind]} {kind}" for kind in ("annulled", "truncated") if endings[kind]]
        if drawn:
            yield f"{game}: {' and '.join(drawn)}, counted as drawn"
    if standing.plan.seconds_per_turn is not None:
        yield (
            f"the latest turn accepted was {standing.late:.3f} s late "
            f"(grace {standing.plan.grace:g} s); with a clock, a game played again may differ"
        )
    missing = standing.plan.total - standing.finished
    if missing:
        yield f"{missing} games were not played"


_KINDS = {"time": "taking too long", "error": "failing"}


@contextmanager
def _watching(total: int) -> Iterator[Callable[[Standing], None]]:
    """What shows, on a terminal, how far a tournament has come."""
    console = new_console(sys.stderr)
    if not console.is_terminal:
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
        return Group(*(table for standing in latest for table in tables(standing)), bar)

    def watch(standing: Standing) -> None:
        latest[:] = [standing]
        bar.update(task, completed=standing.finished)

    with Live(
        get_renderable=picture, console=console, refresh_per_second=REFRESHES, transient=True
    ):
        yield watch
