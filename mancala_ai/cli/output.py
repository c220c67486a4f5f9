"""What the commands print: tables, JSON, consoles."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from mancala_ai.files import whole_file

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

NARROWEST_TEXT = 16  # of a column whose texts may wrap


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


def new_table(
    first: str, *others: str, numbers: Container[str] = (), texts: Container[str] = ()
) -> Table:
    """A plain table with a name in the first column; numbers are on the right, texts may wrap."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for header in (first, *others):
        table.add_column(
            header,
            justify="right" if header in numbers else "left",
            no_wrap=header not in texts,
            overflow="fold",
        )
    return table


def print_table(table: Table) -> None:
    """Print a table on stdout: as wide as it is, but on a terminal so that it fits."""
    console = new_console(sys.stdout)
    if on_terminal(console):
        console.print(fitting(table, console))
    else:
        unlimited = console.options.update(max_width=10_000)
        console.width = max(console.width, console.measure(table, options=unlimited).maximum)
        console.print(table)


def fitting(table: Table, console: Console) -> Table:
    """A table if it fits a terminal, else its rows one below the other, a line for each cell."""
    if _narrowest(table) <= console.width:
        return table
    rows = list(zip(*(column.cells for column in table.columns), strict=True))
    titles = [str(column.header).replace("\n", " ") for column in table.columns]
    lines = new_table("", "", texts=("",))
    lines.show_header = False
    lines.columns[0].no_wrap = True
    lines.columns[0].style = "bold"
    for number, row in enumerate(rows):
        if number:
            lines.add_row()
        for title, cell in zip(titles, row, strict=True):
            if cell:
                lines.add_row(title, cell)
    return lines


def _narrowest(table: Table) -> int:
    """The room that a table needs: its texts may wrap, all else not."""
    from rich.cells import cell_len

    width = len(table.columns) - 1  # between them
    for column in table.columns:
        lines = [line for cell in (column.header, *column.cells) for line in str(cell).split("\n")]
        widest = max(map(cell_len, lines))
        width += widest if column.no_wrap else min(widest, NARROWEST_TEXT)
    return width


def new_console(file: TextIO) -> Console:
    """A console that prints texts as they are, and lets a closed pipe be seen."""
    from rich.console import Console

    class QuietConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for run() to deal with

    return QuietConsole(file=file, markup=False, emoji=False, highlight=False)


def on_terminal(console: Console) -> bool:
    """Whether a person looks at it; FORCE_COLOR makes rich believe so of files too."""
    return console.file.isatty()


def is_animated(console: Console) -> bool:
    """Whether what is shown can be overwritten: on a terminal, and one that can (TERM=dumb)."""
    return on_terminal(console) and console.is_interactive


@contextmanager
def shown_waiting(file: TextIO) -> Iterator[Callable[[str], None]]:
    """For what takes a while: a function that shows what it is, if that is seen on a terminal."""
    console = new_console(file)
    if not is_animated(console):
        yield lambda what: None
        return
    with console.status("") as status:
        yield lambda what: status.update(f"{what} ...")


@contextmanager
def shown_progress(file: TextIO) -> Iterator[Callable[[str, int, int], None]]:
    """A function that shows what is done, how much of it and of how much, on a terminal."""
    console = new_console(file)
    if not is_animated(console):
        yield lambda what, done, total: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("")
        yield lambda what, done, total: progress.update(
            task, description=what, completed=done, total=total
        )
