"""What the commands print: tables, JSON, consoles."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from mancala_ai.files import whole_file

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


@contextmanager
def json_target(path: str | None) -> Iterator[TextIO | None]:
    """The stream that JSON goes to: none, stdout for "-", or a file."""
    if path is None:
        yield None
    elif path == "-":
        yield sys.stdout
    else:
        with whole_file(path) as file:
            yield file


def write_json(value: object, file: TextIO) -> None:
    """Write a value as JSON that people can read too."""
    json_format.dump(value, file, indent=2, allow_nan=False)
    file.write("\n")


def new_table(first: str, *others: str, numbers: bool = False) -> Table:
    """A plain table with a name in the first column; the others may be numbers."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column(first)
    for header in others:
        table.add_column(header, justify="right" if numbers else "left")
    return table


def print_table(table: Table, wrap: bool = False) -> None:
    """Print a table on stdout; only on a terminal, and if it may, it is wrapped to fit."""
    console = new_console(sys.stdout)
    if not (wrap and console.is_terminal):
        unlimited = console.options.update(max_width=10_000)
        console.width = max(console.width, console.measure(table, options=unlimited).maximum)
    console.print(table)


def new_console(file: TextIO) -> Console:
    """A console that prints texts as they are, and lets a closed pipe be seen."""
    from rich.console import Console

    class QuietConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for run() to deal with

    return QuietConsole(file=file, markup=False, emoji=False, highlight=False)


@contextmanager
def shown_waiting(file: TextIO) -> Iterator[Callable[[str], None]]:
    """For what takes a while: a function that shows what it is, if that is seen on a terminal."""
    console = new_console(file)
    if not console.is_terminal:
        yield lambda what: None
        return
    with console.status("") as status:
        yield lambda what: status.update(f"{what} ...")


@contextmanager
def shown_progress(file: TextIO) -> Iterator[Callable[[str, int, int], None]]:
    """A function that shows what is done, how much of it and of how much, on a terminal."""
    console = new_console(file)
    if not console.is_terminal:
        yield lambda what, done, total: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("")
        yield lambda what, done, total: progress.update(
            task, description=what, completed=done, total=total
        )
