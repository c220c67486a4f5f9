"""A C program that plays the same random games, to be measured beside our own.

The program is called as ``PROGRAM SECONDS NAME`` and prints a line such as
``omweso  56789 games/s  2345678 decisions/s ...``. It may be given as a C source,
which is compiled first, optimised for this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from . import BenchmarkError

# (game, options that differ from the default) to the program's name for it
_NAMES: dict[tuple[str, frozenset[tuple[str, Any]]], str] = {
    ("tsoro", frozenset()): "tsoro",
    ("tsoro", frozenset({("columns", 8)})): "tsoro8",
    ("omweso", frozenset()): "omweso",
    ("katro", frozenset()): "katro",
    ("gore", frozenset()): "gore",  # random games make no offers
    ("gore", frozenset({("trading", False)})): "gore",
    ("hoyito_iii", frozenset()): "hoyito",
    ("kalah", frozenset()): "kalah",
    ("oware", frozenset()): "oware",
}
_LINE = re.compile(r"^\S+\s+(?P<games>[\d.]+) games/s\s+(?P<decisions>[\d.]+) decisions/s", re.M)


class Speed(NamedTuple):
    """How fast a program plays, a second."""

    games: float
    decisions: float


def yardstick_name(game: Any) -> str | None:
    """What the C program calls this game with these options; None if it does not play it."""
    import mancala_ai

    defaults = mancala_ai.make(game.name).options
    changed = [(name, value) for name, value in game.options.items() if value != defaults[name]]
    try:
        return _NAMES.get((game.name, frozenset(changed)))
    except TypeError:  # a value that cannot be hashed is no default of the C program
        return None


class Yardstick:
    """The compiled program; made by :func:`open_yardstick`."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def run(self, name: str, seconds: float) -> Speed:
        """Let the program play one game for so many seconds."""
        command = [str(self.program), f"{seconds:.4f}", name]
        output = _output(command, timeout=30 + 10 * seconds)
        found = _LINE.search(output)
        if found is None:
            raise BenchmarkError(f"yardstick {self.program}: no speed printed for game {name!r}")
        return Speed(float(found["games"]), float(found["decisions"]))


@contextmanager
def open_yardstick(path: Path) -> Iterator[Yardstick]:
    """The yardstick at ``path``, a C source or a program; a source is compiled meanwhile."""
    path = path.absolute()
    if not path.is_file():
        raise BenchmarkError(f"yardstick {path}: no such file")
    if path.suffix != ".c":
        yield Yardstick(path)
        return
    with TemporaryDirectory() as folder:
        program = Path(folder, path.stem)
        _output([*_compiler(), "-O3", "-march=native", str(path), "-o", str(program)], timeout=300)
        yield Yardstick(program)


def has_compiler() -> bool:
    """Whether a C source can be compiled here."""
    command = _compiler_command()
    return bool(command) and shutil.which(command[0]) is not None


def _compiler() -> list[str]:
    if not has_compiler():
        raise BenchmarkError("a yardstick in C needs a C compiler: none found as `cc` (or $CC)")
    return _compiler_command()


def _compiler_command() -> list[str]:
    return os.environ.get("CC", "cc").split()


def _output(command: list[str], timeout: float) -> str:
    """What a command prints; a :class:`BenchmarkError` if it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=timeout, check=False
        )
    except OSError as error:
        raise BenchmarkError(f"yardstick {command[0]}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise BenchmarkError(f"yardstick {command[0]}: no answer in {timeout:.0f} s") from error
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise BenchmarkError(
            f"yardstick {command[0]}: failed ({said[0] if said else f'exit {done.returncode}'})"
        )
    return done.stdout
