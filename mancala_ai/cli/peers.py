"""``mancala bench --peers``: this library beside others, measured by ``benchmarks/peers``.

Read first: ``bench.py``.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mancala_ai.files import whole_binary_file, whole_file

from .output import json_target, new_table, print_table, shown_progress, write_json
from .running import interruptible

if TYPE_CHECKING:
    from rich.table import Table

NAME = "peers"  # of the files


def bench_peers(
    games: Sequence[str],
    seconds: float,
    yardstick: Path | None,
    pythons: Sequence[str],
    json: str | None,
    out: Path | None,
) -> None:
    """Measure all programs that are there, and write what was found."""
    from mancala_ai.benchmarks.peers import report, running

    if out is not None:
        report.check_plot_possible()
        out.mkdir(parents=True, exist_ok=True)
    with ExitStack() as files:
        target = files.enter_context(json_target(json))
        if out is not None:  # opened now, so that it is known to be possible
            page = files.enter_context(whole_file(out / f"{NAME}.md"))
            figures = files.enter_context(whole_file(out / f"{NAME}.json"))
            plot = files.enter_context(whole_binary_file(out / f"{NAME}.png"))
        with shown_progress(sys.stderr) as show:
            measured = interruptible(
                lambda: running.measure(
                    games or running.default_games(), seconds, yardstick, pythons, show
                )
            )
        found = report.report(measured, shlex.join(["mancala", *sys.argv[1:]]), seconds)
        if target is not None:
            write_json(found, target)
        if out is not None:
            write_json(found, figures)
            report.write_markdown(found, page)
            report.write_plot(found, plot)
    if json != "-":
        _print(found)
        if out is not None:
            print(f"{out / NAME}.json, .md and .png written")


def _print(found: dict[str, Any]) -> None:
    from mancala_ai.benchmarks.peers import report

    for title, rows, notes in report.tables(found):
        print(title)
        print_table(_table(rows))
        for note in notes:
            print(note)
        print()
    for remark in report.remarks(found):
        print(remark)


def _table(rows: Sequence[Sequence[str]]) -> Table:
    from mancala_ai.benchmarks.peers.report import HEADERS, NUMBERS

    table = new_table(*HEADERS, numbers=NUMBERS)
    for row in rows:
        table.add_row(*row)
    return table
