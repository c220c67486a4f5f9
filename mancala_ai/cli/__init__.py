"""The ``mancala`` command: one module a command.

===============================  ==============================================
``bench``, ``perft``, ``games``  measure, count, list
``play``                         a game on the terminal
``replay``                       a recorded game, shown or checked
``analyse``                      every move of a position with its value
``tournament``                   agents against each other, rated
``train``                        a network that learns a game by playing
``start``                        what can be done next
``completion``                   what TAB completes
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

import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version

from cyclopts import App

from . import analyse, bench, games, perft, play, replay, start, tournament, train
from .completion import install_completion
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
    version_flags=("--version", "-V"),
    usage="Usage: mancala COMMAND",
    help_format="markdown",
    suppress_keyboard_interrupt=False,
)


def _add(command: Callable[..., None], takes: str = "") -> None:
    """Add a command below those that are there, with what it takes besides options."""
    usage = ["Usage: mancala", command.__name__, *takes.split(), "[OPTIONS]"]
    app.command(command, usage=" ".join(usage), sort_key=len(list(app)))


_add(play.play, "[GAME]")
_add(replay.replay, "FILE")
_add(analyse.analyse, "GAME")
_add(games.games)
_add(tournament.tournament, "GAME... --agents AGENT...")
_add(train.train, "GAME --out FOLDER")
_add(perft.perft, "GAME DEPTH")
_add(bench.bench, "[GAME...]")
app.command(install_completion, name="--install-completion")
app.command(start.start, show=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``mancala`` command line; the exit code.

    Parameters
    ----------
    arguments
        The words after ``mancala``; those of this process when None.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    return run(app, words or ["start"])
