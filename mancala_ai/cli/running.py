"""Running a command line: exit codes, errors in one line, Ctrl-C, closed pipes.

Read next: ``output.py``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from threading import Thread
from threading import enumerate as enumerate_threads
from typing import TYPE_CHECKING, TypeVar

from cyclopts import App, CycloptsError, UnusedCliTokensError

from .inputs import InputError

if TYPE_CHECKING:
    from mancala_ai.agents import Agent

T = TypeVar("T")

BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
PIPE_CLOSED = 141  # 128 + SIGPIPE

_WORKER = "mancala worker"


def run(command: App, arguments: Sequence[str] | None = None) -> int:
    """Run a command line of this library, ``mancala`` or a benchmark; the exit code.

    Parameters
    ----------
    command
        The commands.
    arguments
        The words after the command's name; those of this process when None.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    _tolerate_streams()
    try:
        command(words, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _interrupted(command)
    except (BrokenPipeError, SystemExit):  # the latter from rich, while help is printed
        _discard_stdout()
        return PIPE_CLOSED
    except OSError as error:
        _discard_stdout()
        where = f"{error.filename}: " if error.filename else ""
        return _refuse(command, f"{where}{error.strerror or error}")
    except UnusedCliTokensError as error:
        surplus = " ".join(map(repr, error.unused_tokens or ()))
        return _refuse(command, f"more is given than is taken (see --help): {surplus}")
    except (CycloptsError, ValueError) as error:
        if not _is_about_input(error):
            raise
        return _refuse(command, error)
    return 0


def interruptible(work: Callable[[], T]) -> T:
    """Run ``work`` so that Ctrl-C ends the command although compiled code does not listen.

    The main thread, which gets the interrupt, only waits.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def attempt() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=attempt, name=_WORKER, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


@contextmanager
def closing(agent: Agent) -> Iterator[Agent]:
    """Close an agent in the end; not after Ctrl-C, when it may still search: that would wait."""
    try:
        yield agent
    except KeyboardInterrupt:
        raise
    except BaseException:
        agent.close()
        raise
    agent.close()


def _interrupted(command: App) -> int:
    """The exit code after Ctrl-C; leaves at once if compiled code still runs."""
    print(f"{_name(command)}: interrupted", file=sys.stderr)
    if any(thread.name == _WORKER for thread in enumerate_threads()):
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(INTERRUPTED)
    return INTERRUPTED


def _is_about_input(error: Exception) -> bool:
    """Whether an error says what is wrong with the input, or is a fault of our own."""
    if isinstance(error, CycloptsError | InputError):
        return True
    from mancala_ai.benchmarks import BenchmarkError
    from mancala_ai.errors import MancalaError

    return isinstance(error, BenchmarkError | MancalaError)


def _refuse(command: App, reason: object) -> int:
    """Say in one line what is wrong; the exit code for that."""
    print(f"{_name(command)}:", " ".join(str(reason).split()), file=sys.stderr)
    return BAD_INPUT


def _name(command: App) -> str:
    return command.name[0].rpartition(".")[2]


def _tolerate_streams() -> None:
    """Let a closed stdout, a character that it lacks, or input that is no text do no harm."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper) and not stream.closed:
            stream.reconfigure(errors="replace")


def _discard_stdout() -> None:
    """Send what is left in stdout's buffer nowhere, so that nothing complains at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
