"""The ``mancala`` command: one module a command.

===============================  ==============================================
``bench``, ``perft``, ``games``  measure, count, list
``play``                         a game on the terminal
``replay``                       a recorded game, shown or checked
``analyse``                      every move of a position with its value
``tournament``                   agents against each other, rated
``train``                        a network that learns a game by playing
``running``                      exit codes, errors in one line, Ctrl-C
``inputs``, ``output``           what commands are given and what they print
``display``                      boards in colour, moves in words
===============================  ==============================================

What a command measures or plays lives in the library. Bad input of any kind ends in
one line on stderr and exit code 2 (``running.run``), never in a traceback. Nothing
slow to import is imported before a command needs it, so that ``--help`` answers at once.

Read next: ``running.py``, ``perft.py`` (a short command).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from cyclopts import App

from . import analyse, bench, games, perft, play, replay, tournament, train
from .running import interruptible, run

__all__ = ["app", "interruptible", "main", "run"]


def _version() -> str:
    try:
        return version("mancala-ai")
    except PackageNotFoundError:
        return "unknown (not installed)"


app = App(
    name="mancala",
    help="Fast mancala games: Tsoro, Omweso, Katro, Goré, Hoyito III, Kalah and Oware.",
    version=_version,
    help_format="markdown",
    suppress_keyboard_interrupt=False,
)
app.command(bench.bench)
app.command(perft.perft)
app.command(games.games)
app.command(play.play)
app.command(replay.replay)
app.command(analyse.analyse)
app.command(tournament.tournament)
app.command(train.train)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``mancala`` command line; the exit code.

    Parameters
    ----------
    arguments
        The words after ``mancala``; those of this process when None.
    """
    return run(app, arguments)
