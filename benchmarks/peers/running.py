"""Who is measured by ``mancala bench --peers``, and all of them in turns on one processor.

Read first: ``worker.py``. Read next: ``report.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import mancala_ai

from .. import BenchmarkError
from ..machine import one_core
from ..throughput import ROUNDS, check_seconds
from ..yardstick import Speed, Yardstick, has_compiler, open_yardstick, yardstick_name
from . import worker

ROWS = 4096  # games in a batch
EXTRA_GAME = "oware:repetition=split_rows"  # the rules of OpenSpiel's Oware
KINDS = ("games", "states", "batch", "environment")
OURS = "mancala_ai"
PEERS = tuple(name for name in worker.PEERS if name != OURS)

LEAVE_SECONDS = 10  # for a worker to end by itself


class Entry(NamedTuple):
    """A :class:`worker.Way` of a program, ready to be played."""

    program: str
    kind: str
    game: str
    beside: str
    same_rules: bool
    note: str
    play: Callable[[float], Speed]


class Measured(NamedTuple):
    """All that was measured: programs with their versions, who was left out and why, speeds.

    ``speeds`` has a row for each entry, with a speed for each round.
    """

    programs: list[dict[str, Any]]
    skipped: list[dict[str, str]]
    entries: list[Entry]
    speeds: list[list[Speed]]


def default_games() -> list[str]:
    """All games, and the variants that other programs play."""
    return [*mancala_ai.games(), EXTRA_GAME]


def measure(
    games: Sequence[str],
    seconds: float,
    yardstick: Path | None = None,
    pythons: Sequence[str] = (),
    show: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Measured:
    """Measure this library and all peers in turns, on one processor.

    Parameters
    ----------
    games
        Specs of games; peers that play none of them are left out.
    seconds
        Time for each program to play each game in each way, all rounds together.
    yardstick
        A C program or its source.
    pythons
        Interpreters to look for peers in, besides this one: ``PATH`` for all, or ``NAME=PATH``.
    show
        Called with what is done now, the number of plays done, and that of all.

    Raises
    ------
    BenchmarkError
        If an interpreter or the C program does not run, or a worker fails.
    """
    check_seconds(seconds)
    for spec in games:
        mancala_ai.make(spec)
    choices = _interpreters(pythons)
    skipped: list[dict[str, str]] = []
    with ExitStack() as leaving:
        leaving.enter_context(one_core())
        show("starting", 0, 1)
        programs: list[_Worker | _CProgram] = [
            leaving.enter_context(_opened(_our_command(games), worker.PEERS[OURS].title))
        ]
        if (program := _yardstick(yardstick, skipped)) is not None:
            programs.append(_CProgram(leaving.enter_context(open_yardstick(program)), games))
        for name in PEERS:
            found = _first_found(name, choices[name], leaving, skipped)
            programs += [found] if found is not None else []
        entries = [entry for program in programs for entry in program.entries]
        entries = sorted(
            (entry for entry in entries if entry.beside in games),
            key=lambda entry: (KINDS.index(entry.kind), list(games).index(entry.beside)),
        )
        total = (1 + ROUNDS) * len(entries)
        speeds: list[list[Speed]] = [[] for _ in entries]
        for number in range(1 + ROUNDS):  # the first round compiles
            for place, entry in enumerate(entries):
                stage = f"round {number} of {ROUNDS}" if number else "compiling"
                show(stage, number * len(entries) + place, total)
                speed = entry.play(seconds / ROUNDS)
                if number:
                    speeds[place].append(speed)
        told = [program.told for program in programs]
        return Measured(told, skipped, entries, speeds)


# Programs -----------------------------------------------------------------------


class _CProgram:
    """The yardstick, as one of the programs."""

    def __init__(self, yardstick: Yardstick, games: Sequence[str]) -> None:
        self.told: dict[str, Any] = {"name": "C", "packages": {}}
        names = {spec: yardstick_name(mancala_ai.make(spec)) for spec in games}
        self.entries = [
            Entry("C", "games", name, spec, True, "", partial(yardstick.run, name))
            for spec, name in names.items()
            if name is not None
        ]


class _Missing(Exception):
    """What a worker lacks."""


class _Worker:
    """A process of ``worker.py``."""

    def __init__(self, process: subprocess.Popen[str], errors: IO[str], title: str) -> None:
        self._process, self._errors, self._title = process, errors, title
        answer = self._answer()
        if answer is None:
            raise _Missing(self._last_words())
        if "missing" in answer:
            raise _Missing(answer["missing"])
        self.told: dict[str, Any] = {
            "name": title, "python": answer["python"], "packages": answer["packages"],
        }  # fmt: skip
        self.entries = [
            Entry(title, **way, play=self._player(number))
            for number, way in enumerate(answer["ways"])
        ]

    def _player(self, number: int) -> Callable[[float], Speed]:
        def play(seconds: float) -> Speed:
            assert self._process.stdin is not None
            with suppress(BrokenPipeError):  # what happened is seen by the answer
                print(number, seconds, file=self._process.stdin, flush=True)
            answer = self._answer()
            if answer is None:
                raise BenchmarkError(f"{self._title} failed: {self._last_words()}")
            return Speed(*answer)

        return play

    def _answer(self) -> Any:
        """The next answer; None if the process has ended."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def _last_words(self) -> str:
        self._errors.seek(0)
        said = self._errors.read().strip().splitlines()
        return said[-1] if said else f"it ended with exit code {self._process.wait()}"


@contextmanager
def _opened(command: list[str], title: str) -> Iterator[_Worker]:
    """A worker, ended in the end."""
    # ours is found wherever this one was; others do not mind
    path = [str(Path(mancala_ai.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    ours = {"PYTHONPATH": os.pathsep.join(filter(None, path))} if command[2] == OURS else {}
    with (
        TemporaryFile("w+", errors="replace") as errors,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
            env={**os.environ, **ours},
        ) as process,
    ):  # fmt: skip
        try:
            yield _Worker(process, errors, title)
        finally:
            with suppress(OSError):
                process.communicate(timeout=LEAVE_SECONDS)
            process.kill()


def _command(python: str, name: str, *games: str) -> list[str]:
    return [python, str(Path(worker.__file__).resolve()), name, str(ROWS), *games]


def _our_command(games: Sequence[str]) -> list[str]:
    return _command(sys.executable, OURS, *games)


def _first_found(
    name: str, pythons: list[str], leaving: ExitStack, skipped: list[dict[str, str]]
) -> _Worker | None:
    """A worker of the first interpreter that has what it needs; else it is noted as skipped."""
    title, reasons = worker.PEERS[name].title, []
    for python in pythons:
        try:
            return leaving.enter_context(_opened(_command(python, name), title))
        except _Missing as error:
            reasons.append(f"{error}" if python == sys.executable else f"{error} in {python}")
    skipped.append({"name": title, "reason": ", ".join(reasons)})
    return None


def _yardstick(path: Path | None, skipped: list[dict[str, str]]) -> Path | None:
    """The C program if it is given and can be compiled; else it is noted as skipped."""
    reason = None
    if path is None:
        reason = "no --yardstick PROGRAM.c given"
    elif path.suffix == ".c" and not has_compiler():
        reason = "no C compiler found as `cc` (or $CC)"
    if reason is None:
        return path
    skipped.append({"name": "C", "reason": reason})
    return None


# Interpreters -------------------------------------------------------------------


def _interpreters(given: Sequence[str]) -> dict[str, list[str]]:
    """The interpreters to look for each peer in: those named for it, or else all."""
    shared = [sys.executable]
    named: dict[str, list[str]] = {name: [] for name in PEERS}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals:
            shared.append(_checked(text))
        elif name in named:
            named[name].append(_checked(path))
        else:
            raise BenchmarkError(f"--python {text}: the peers are {', '.join(PEERS)}")
    return {name: pythons or shared for name, pythons in named.items()}


def _checked(path: str) -> str:
    """An interpreter that runs."""
    try:
        done = subprocess.run(
            [path, "-c", "import sys; print(sys.version_info[0])"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = error.strerror if isinstance(error, OSError) else "it does not answer"
        raise BenchmarkError(f"--python {path}: {reason}") from None
    if done.stdout.strip() != "3":
        raise BenchmarkError(f"--python {path}: it is no Python 3")
    return path
