"""An engine in any language, spoken to over its standard input and output: ``process``.

The protocol is lines of UTF-8 text. The engine answers each line of ours with one of its
own; ``docs/engine_protocol.md`` says the same at length, with an example.

====================  =================================================================
``mancala 1``         ``ready NAME``: it speaks version 1 of the protocol
``seed N``            ``ready``: N decides all that it draws
``newgame SPEC``      ``ready``: the last game is forgotten, it can play one of this game
``position TEXT``     ``ready``: it knows ``State.to_text()``, which is complete
``go [seconds S]``    ``action N``, legal there; before it any ``info KEY=VALUE ...`` lines
``quit``              none; it ends, as it does at the end of its input
====================  =================================================================

``error TEXT`` may take the place of any answer. The engine says nothing that it was not
asked for; what it writes on standard error goes to ours.

Read next: ``serve.py``, the other end.
"""

from __future__ import annotations

import math
import os
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING, Any, cast
from weakref import finalize

from mancala_ai.errors import AgentError, OptionError, shown
from mancala_ai.fields import RealOption, TextOption, is_number

from .agent import LONGEST_SECONDS, OBJECTIVES, Agent, Info, natural_objective

if TYPE_CHECKING:
    from mancala_ai.game import Game
    from mancala_ai.state import State

VERSION = 1
GRACE = 2.0  # seconds that an action may come late: pipes, a busy machine
PATIENCE = 2.0  # seconds that an engine has to end by itself, and once more after SIGTERM
LONGEST_LINE = 1 << 16  # bytes


class ProcessAgent(Agent):
    """An engine that runs as a process of its own and speaks the protocol above.

    It is started by ``prepare`` or the first action. An engine that hangs, ends, or
    answers what is illegal or makes no sense is killed with all that it has started
    (AgentError); the next action starts it anew. Starting it and ``newgame`` are not on
    the clock.
    """

    NAME = "process"
    OPTIONS = (
        TextOption("cmd", None, (), "the command, quoted as for a shell (none is run)"),
        RealOption(
            "timeout", 60.0, (0.001, LONGEST_SECONDS), "seconds to wait for what is not on a clock"
        ),
    )

    def __init__(self, seed: int = 0, **options: Any) -> None:
        super().__init__(seed, **options)
        self._words = _split(self.options["cmd"])
        self._engine: _Engine | None = None
        self._game: Game | None = None  # that the engine is ready for
        self._closed = False

    def choose(self, state: State, seconds: float | None) -> tuple[int, Info]:
        with self._no_second_chance():
            return self._ask(self._ready(state.game), state, seconds)

    def prepare(self, state: State) -> None:
        with self._no_second_chance():
            self._ready(state.game)

    def reset(self) -> None:
        self._game = None

    def reseed(self, seed: int) -> None:
        """Begin anew with another seed, in the same process if it runs.

        AgentError if the engine fails.
        """
        self.seed, self._game = seed, None
        if self._engine is not None:
            with self._no_second_chance():
                self._engine.prepare(f"seed {seed}", self.options["timeout"])

    def close(self) -> None:
        self._stop()
        self._closed = True

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_engine": None, "_game": None}

    @contextmanager
    def _no_second_chance(self) -> Iterator[None]:
        """End the engine if anything fails: a late answer must not be taken for the next one."""
        if self._closed:
            raise AgentError(f"engine {shown(self.options['cmd'])} is closed")
        try:
            yield
        except BaseException:  # Ctrl-C too
            if self._engine is not None:
                self._engine.kill()
            self._stop()
            raise

    def _ready(self, game: Game) -> _Engine:
        """The engine, running and ready for a game."""
        timeout = self.options["timeout"]
        if self._engine is None:
            self._engine = _Engine(self._words, shown(self.options["cmd"]))
            self._engine.prepare(f"mancala {VERSION}", timeout)
            self._engine.prepare(f"seed {self.seed}", timeout)
        if self._game != game:
            self._engine.prepare(f"newgame {game.spec}", timeout)
            self._game = game
        return self._engine

    def _ask(self, engine: _Engine, state: State, seconds: float | None) -> tuple[int, Info]:
        timeout = self.options["timeout"]
        engine.prepare(f"position {state.to_text()}", timeout)
        if seconds is None:
            info, answer = engine.ask("go", timeout)
        else:
            info, answer = engine.ask(f"go seconds {seconds!r}", seconds + GRACE)
        word, _, number = answer.partition(" ")
        if word != "action" or not is_number(number):
            raise engine.error(f"answered {shown(answer)} to 'go'")
        if int(number) not in state.legal_actions():
            raise engine.error(f"answered {shown(answer)}, which is not legal here")
        if "value" in info:
            info.setdefault("objective", natural_objective(state.game, None))
        return int(number), info

    def _stop(self) -> None:
        if self._engine is not None:
            self._engine.end()
        self._engine = self._game = None


class _Engine:
    """A process that answers lines. It ends by ``end()``, with this object, or at exit."""

    def __init__(self, words: Sequence[str], name: str) -> None:
        self.name = name
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # so that all it starts can be killed with it
            )
        except (OSError, ValueError) as error:
            raise self.error(f"cannot be started: {error}") from None
        self._said = b""  # and not read yet
        self.end = finalize(self, _end, self._process)

    def error(self, what: str) -> AgentError:
        """An error that says what this engine did."""
        return AgentError(f"engine {self.name} {' '.join(what.split())}")

    def kill(self) -> None:
        """Let it end at once, and all that it started; ``end()`` tidies up."""
        _signal(self._process, "SIGKILL")

    def prepare(self, line: str, seconds: float) -> None:
        """Send a line that is answered by ``ready``."""
        _, answer = self.ask(line, seconds)
        if answer.partition(" ")[0] != "ready":
            raise self.error(f"answered {shown(answer)} to {shown(line)}")

    def ask(self, line: str, seconds: float) -> tuple[Info, str]:
        """Send a line; what ``info`` lines say, and the line that answers.

        The pipes are left to a thread, which can be given up. Whatever goes wrong, the
        engine is killed first.
        """
        answer: Future[tuple[Info, str]] = Future()

        def attempt() -> None:
            try:
                self._tell(line)
                answer.set_result(self._answer())
            except BaseException as error:
                answer.set_exception(error)

        thread = Thread(target=attempt, name="mancala engine", daemon=True)
        thread.start()
        try:
            return answer.result(seconds)
        except BaseException as error:
            self.kill()
            thread.join(PATIENCE)  # it reads the end, unless another process has the pipe
            if isinstance(error, TimeoutError):
                raise self.error(f"did not answer {shown(line)} in {seconds:g} s") from None
            raise

    def _tell(self, line: str) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        rest = memoryview(f"{line}\n".encode())
        with suppress(BrokenPipeError):  # it has ended: its output says so
            while rest:
                rest = rest[pipe.write(rest) :]

    def _answer(self) -> tuple[Info, str]:
        info: dict[str, Any] = {}
        while True:
            line = self._read_line()
            word, _, rest = line.partition(" ")
            if word != "info":
                return cast(Info, info), line
            try:
                info |= read_info(rest)
            except ValueError:
                raise self.error(f"said {shown(line)}, which is no information") from None

    def _read_line(self) -> str:
        pipe = self._process.stdout
        assert pipe is not None
        while b"\n" not in self._said:
            if len(self._said) > LONGEST_LINE:
                raise self.error(f"said a line of more than {LONGEST_LINE} bytes")
            more = pipe.read(LONGEST_LINE)
            if not more:
                raise self._ended()
            self._said += more
        line, _, self._said = self._said.partition(b"\n")
        if len(line) > LONGEST_LINE:
            raise self.error(f"said a line of more than {LONGEST_LINE} bytes")
        return line.decode(errors="replace").strip()

    def _ended(self) -> AgentError:
        self.kill()  # it may only have closed its output
        code = self._process.wait()
        said = f" after {shown(self._said.decode(errors='replace'))}" if self._said else ""
        return self.error(f"ended without an answer{said} (exit code {code})")


def _split(command: str | None) -> list[str]:
    """The words of a command; OptionError if there is none or a quotation is not closed."""
    if command is None:
        raise OptionError("option cmd of process is needed: the command that starts an engine")
    try:
        return shlex.split(command)
    except ValueError as error:
        raise OptionError(f"option cmd of process cannot be {shown(command)}: {error}") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask an engine to end, then make it end."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError):  # it has ended, or does not read
        if hasattr(os, "set_blocking"):
            os.set_blocking(process.stdin.fileno(), False)  # nor must a full pipe hold us up
        process.stdin.write(b"quit\n")
    process.stdin.close()
    for stronger in ("SIGTERM", "SIGKILL"):
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            _signal(process, stronger)
    process.wait()
    process.stdout.close()


def _signal(process: subprocess.Popen[bytes], name: str) -> None:
    """Send a signal to an engine not waited for yet, and to all that it started."""
    if process.returncode is not None:
        return
    if hasattr(os, "killpg"):
        with suppress(OSError):  # all have ended
            os.killpg(process.pid, getattr(signal, name))
    else:  # Windows has no process groups, and one way to end a process
        process.kill()


# Information ------------------------------------------------------------------


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def _one_of(words: Mapping[str, Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if text not in words:
            raise ValueError(text)
        return words[text]

    return read


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


# the keys of Info that are told, and how they are read
_READERS: dict[str, Callable[[str], Any]] = {
    "objective": _one_of({word: word for word in OBJECTIVES}),
    "value": _number,
    "proven": _one_of({"true": True, "false": False}),
    "depth": _count,
    "nodes": _count,
    "nodes_per_second": _number,
    "num_simulations": _count,
    "simulations_per_second": _number,
    "principal_variation": _numbers,
    "memory": _count,
}


def read_info(text: str) -> dict[str, Any]:
    """The items of an ``info`` line; unknown keys are passed over. ValueError if malformed."""
    info = {}
    for item in text.split():
        key, equals, value = item.partition("=")
        if not equals:
            raise ValueError(item)
        if key in _READERS:
            info[key] = _READERS[key](value)
    if info.get("objective") == "win" and not 0 <= info.get("value", 0) <= 1:
        raise ValueError(text)
    return info


def write_info(info: Mapping[str, object]) -> str:
    """What an agent did, as :func:`read_info` reads it."""
    told = {key: _write(info[key]) for key in _READERS if key in info}
    return " ".join(f"{key}={value}" for key, value in told.items() if value)


def _write(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
