"""``mancala replay``: a recorded game, shown position by position, or checked.

Read first: ``../record.py``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from .inputs import FilePath, Flag, integer
from .output import new_console, on_terminal

if TYPE_CHECKING:
    from rich.console import Console

    from mancala_ai.record import Record

HELP = "Enter: next   b: back   a number: that move   q: quit"


def replay(
    file: FilePath,
    /,
    *,
    check: Flag = False,
    game: Annotated[int | None, Parameter(converter=integer, validator=Number(gte=0))] = None,
    gif: FilePath | None = None,
    width: Annotated[int, Parameter(converter=integer, validator=Number(gte=100, lte=4000))] = 480,
    dark: Flag = False,
) -> None:
    """Step through a recorded game, or those of a match.

    On a terminal Enter goes on, b goes back, a number goes to the position after that
    move and q quits; elsewhere all positions are printed.

        mancala replay game.txt
        mancala replay game.txt --gif game.gif
        mancala replay league.jsonl --game 17

    Parameters
    ----------
    file
        A record, as `mancala play` saves it (`help("mancala_ai.record")` says more).
    check
        Only check that every move is legal and the result right, and say so in one line for
        each game.
    game
        The number of a game of a tournament, whose journal the file is.
    gif
        Write the game to this file as an animated picture, lap by lap.
    width
        Of the picture, in pixels.
    dark
        Draw it for a dark screen.
    """
    records = _records(file, game)
    if gif is not None:
        from mancala_ai.render.animation import game_scenes, write_gif

        scenes = chain.from_iterable(game_scenes(r.states(), r.actions) for r in records)
        write_gif(gif, scenes, width, "dark" if dark else "light")
        print(f"{gif}: {', '.join(f'{r.game.spec}, {count(r)}' for r in records)}")
        return
    for record in records:
        if check:
            print(f"{file}: OK, {record.game.spec}, {count(record)}, result {record.result}")
        else:
            _show(record)


def _records(file: Path, game: int | None) -> Sequence[Record]:
    """The games to be shown."""
    if game is None:
        from mancala_ai.record import read_records

        return read_records(file)
    from mancala_ai.agents.tournament.journal import read_record

    return [read_record(file, game)]


def _show(record: Record) -> None:
    """All of a game: at the terminal step by step, else printed."""
    console = new_console(sys.stdout)
    print_headers(console, record)
    if on_terminal(console) and sys.stdin is not None and sys.stdin.isatty():
        _step(console, record)
    else:
        for number in range(len(record.actions) + 1):
            print_position(console, record, number)
        console.print(f"\nresult: {record.result}")


def count(record: Record) -> str:
    """The length of a game in words."""
    moves = len(record.actions)
    return f"{moves} move{'s' * (moves != 1)}"


def print_headers(console: Console, record: Record) -> None:
    """What a record says of its game."""
    console.print(f"game: {record.game.spec}", soft_wrap=True)
    for name, value in record.headers.items():
        console.print(f"{name}: {value}", soft_wrap=True)


def print_position(console: Console, record: Record, number: int) -> None:
    """The position after ``number`` moves, below the last of them and its comment."""
    from .display import move_lines, show_board

    state = record.states()[number]
    before = record.states()[number - 1] if number else None
    if before is not None:
        console.print()
        first, *laps = move_lines(before, record.actions[number - 1])
        console.print(f"{number}. {first}", *laps, sep="\n", soft_wrap=True)
    for line in record.comments.get(number, "").splitlines():
        console.print(f"; {line}", soft_wrap=True)
    console.print()
    show_board(console, state, before)


def _step(console: Console, record: Record) -> None:
    """Show one position after the other, as the person at the terminal wants."""
    from mancala_ai.agents.human import ask

    last = len(record.actions)
    console.print(HELP)
    number, shown = 0, None
    while number <= last:
        if number != shown:
            print_position(console, record, number)
            shown = number
        try:
            wish = ask(f"[{number} of {last}] ")
        except EOFError:
            console.print()
            return
        if wish == "":
            number += 1
        elif wish == "q":
            return
        elif wish == "b":
            number = max(0, number - 1)
        elif re.fullmatch("[0-9]{1,9}", wish) and int(wish) <= last:
            number = int(wish)
        else:
            console.print(f"{HELP} (0 to {last})")
