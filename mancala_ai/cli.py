"""The ``mancala`` command.

Each command is one function below; what it measures or counts lives in the
library. Bad input of any kind ends in one line on stderr and exit code 2
(:func:`run`), never in a traceback. Nothing slow to import is imported before
a command needs it, so that ``--help`` answers at once.

Read next: ``game.py`` for the library that the commands use, and
``../benchmarks/throughput.py`` for ``mancala bench``.
"""

from __future__ import annotations

import json as json_format
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version
from io import TextIOWrapper
from pathlib import Path
from threading import Thread
from threading import enumerate as enumerate_threads
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeVar

from cyclopts import App, CycloptsError, Parameter
from cyclopts.validators import Number

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from .benchmarks.throughput import Comparison, Meter

T = TypeVar("T")

BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
PIPE_CLOSED = 141  # 128 + SIGPIPE

_WORKER = "mancala worker"


def _version() -> str:
    try:
        return package_version("mancala-ai")
    except PackageNotFoundError:
        return "unknown (not installed)"


def _integer(type_: Any, tokens: Sequence[Any]) -> int:
    """An integer as written; cyclopts itself would round 2.5."""
    text = tokens[0].value
    if not re.fullmatch("[+-]?[0-9]+", text):
        raise ValueError(f"{text!r} is not an integer")
    return int(text)


app = App(
    name="mancala",
    help="Fast mancala games: Tsoro, Omweso, Katro, Goré, Hoyito III, Kalah and Oware.",
    version=_version,
    help_format="markdown",
    suppress_keyboard_interrupt=False,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``mancala`` command line; the exit code.

    Parameters
    ----------
    arguments
        The words after ``mancala``; those of this process when None.
    """
    return run(app, arguments)


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
    _tolerate_stdout()
    try:
        command(words, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        _discard_stdout()
        return PIPE_CLOSED
    except OSError as error:
        _discard_stdout()
        where = f"{error.filename}: " if error.filename else ""
        return _refuse(command, f"{where}{error.strerror or error}")
    except (CycloptsError, ValueError) as error:
        if not _is_about_input(error):
            raise
        return _refuse(command, error)
    return 0


# Commands ------------------------------------------------------------------


def _check_json_target(type_: Any, value: str | None) -> None:
    if value is not None and (not value or (value.startswith("-") and value != "-")):
        raise ValueError("a file name or - is needed")


@app.command
def bench(
    *games: Annotated[str, Parameter(name="GAME")],
    threads: Annotated[int, Parameter(converter=_integer, validator=Number(gte=0, lte=1024))] = 1,
    seconds: float = 2.0,
    max_plies: Annotated[
        int, Parameter(converter=_integer, validator=Number(gte=1, lte=10**9))
    ] = 2000,
    seed: Annotated[int, Parameter(converter=_integer, validator=Number(gte=0, lt=2**64))] = 0,
    json: Annotated[
        str | None, Parameter(allow_leading_hyphen=True, validator=_check_json_target)
    ] = None,
    yardstick: Path | None = None,
) -> None:
    """Measure uniformly random games: games and decisions a second, and what came of them.

    Each game is compiled first, then played for the given time; only the playing is
    timed. The first player's score counts a win 1 and a draw 1/2, over the games neither
    annulled nor truncated, with a 95 % interval by the normal approximation of a mean.

    Parameters
    ----------
    games
        Games as NAME or NAME:option=value,... (see `mancala games`). All games if none
        is given; beside a yardstick also tsoro:columns=8.
    threads
        Threads to play on; 0 means all cores. The games are the same on any number.
    seconds
        Time to play each game for.
    max_plies
        Decisions after which a game is given up, and counted as truncated.
    seed
        Seed of the random games.
    json
        Write the figures as JSON to this file; - writes them to stdout, and nothing else.
    yardstick
        A C program that plays the same games, or its source, to be measured in turns with
        ours on one thread. The table then ends with our speed as a multiple of its speed.
    """
    from .benchmarks import throughput
    from .benchmarks.machine import describe_machine
    from .benchmarks.yardstick import open_yardstick, yardstick_name
    from .game import usable_cores

    throughput.check_seconds(seconds)
    if yardstick is not None and (threads, max_plies) != (1, throughput.MAX_PLIES):
        raise InputError("--yardstick compares one thread and the default --max-plies")
    specs = list(games) or _all_games(beside_yardstick=yardstick is not None)
    progress = _Progress()
    meters = [
        throughput.Meter(
            _make(spec),
            threads=threads or usable_cores(),
            seed=seed,
            max_plies=max_plies,
            report=progress.update,
        )
        for spec in specs
    ]
    comparisons: list[Comparison | None] = [None] * len(meters)

    def table() -> Table:
        return _bench_table(specs, meters, comparisons if yardstick is not None else None)

    with _json_target(json) as target:
        with ExitStack() as measuring:
            program = yardstick and measuring.enter_context(open_yardstick(yardstick))
            measuring.enter_context(progress.shown(table))

            def measure() -> None:
                for index, meter in enumerate(meters):
                    meter.warm_up()
                    name = yardstick_name(meter.game) if program else None
                    if program and name:
                        comparisons[index] = meter.compare(program, name, seconds)
                    else:
                        meter.run(seconds)

            interruptible(measure)
        if target is not None:
            rows = [throughput.row(*pair) for pair in zip(meters, comparisons, strict=True)]
            _write_json({"machine": describe_machine(), "rows": rows}, target)
    if json != "-":
        _print_table(table())


@app.command
def perft(
    game: str,
    depth: Annotated[int, Parameter(converter=_integer, validator=Number(gte=0, lte=1000))],
    /,
    *,
    divide: Annotated[bool, Parameter(negative=())] = False,
    position: str | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Count the sequences of exactly DEPTH decisions; the test of a rules engine.

    An action that ends the game counts, and nothing follows it.

    Parameters
    ----------
    game
        NAME or NAME:option=value,... (see `mancala games`).
    depth
        Number of decisions; every depth up to it is counted and printed.
    divide
        Print the count behind each first action instead.
    position
        Count from this position, in the one-line form of the library (`state.to_text()`),
        not from the initial one.
    json
        Print JSON.
    """
    played = _make(game)
    state = played.initial_state() if position is None else played.state_from_text(position)
    head = {
        "game": played.name,
        "options": dict(played.options),
        "position": state.to_text(),
        "depth": depth,
    }
    if divide:
        report = {"divide": _divide(played, state, depth, show=not json)}
    else:
        report = {"counts": _count(played, state, depth, show=not json)}
    if json:
        _write_json(head | report, sys.stdout)


def _count(game: Any, state: Any, depth: int, show: bool) -> list[dict[str, Any]]:
    """Perft at every depth up to ``depth``, printed as it is found if ``show``."""
    interruptible(partial(game.perft, 2, state))  # compiles; only counting is timed
    rows = []
    for plies in range(min(depth, 1), depth + 1):
        begin = perf_counter()
        count = int(interruptible(partial(game.perft, plies, state)))
        seconds = perf_counter() - begin
        rows.append({"depth": plies, "count": count, "seconds": seconds})
        if show:
            print(f"{plies:3}  {count:18}  {seconds:9.3f} s", flush=True)
    return rows


def _divide(game: Any, state: Any, depth: int, show: bool) -> list[dict[str, Any]]:
    """Perft behind each first action, printed if ``show``."""
    counts = interruptible(partial(game.perft_divide, depth, state)) if depth else {}
    rows = [
        {"action": int(action), "text": state.action_to_text(action), "count": int(count)}
        for action, count in counts.items()
    ]
    if show:
        for row in rows:
            print(f"{row['text']} ({row['action']}): {row['count']}")
        print(f"total: {sum(counts.values()) if depth else 1}")
    return rows


@app.command
def games(*, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """List the games and their options.

    Parameters
    ----------
    json
        Print JSON.
    """
    import mancala_ai

    listed: list[dict[str, Any]] = [
        {
            "name": name,
            "options": [
                {
                    "name": option.name,
                    "default": option.default,
                    "allowed": option.allowed,
                    "meaning": option.meaning,
                }
                for option in mancala_ai.option_table(name)
            ],
        }
        for name in mancala_ai.games()
    ]
    if json:
        _write_json(listed, sys.stdout)
        return

    table = _table("game", "option", "default", "allowed", "meaning")
    for column in table.columns[:3]:
        column.no_wrap = True
    for column in table.columns[3:]:
        column.overflow = "fold"
    for entry in listed:
        for index, option in enumerate(entry["options"]):
            name = entry["name"] if index == 0 else ""
            cells = (str(option[key]) for key in ("name", "default", "allowed", "meaning"))
            table.add_row(name, *cells)
    _print_table(table, wrap=True)
    print("A game with options: NAME:option=value,option=value")


# Input ---------------------------------------------------------------------


class InputError(ValueError):
    """Command-line input that is refused; its text is one line for the user."""


def _make(spec: str) -> Any:
    import mancala_ai

    return mancala_ai.make(spec)


def _all_games(beside_yardstick: bool) -> list[str]:
    import mancala_ai

    names = list(mancala_ai.games())
    return ["tsoro", "tsoro:columns=8", *names[1:]] if beside_yardstick else names


def _is_about_input(error: Exception) -> bool:
    """Whether an error says what is wrong with the input, or is a fault of our own."""
    if isinstance(error, CycloptsError | InputError):
        return True
    import mancala_ai

    from .benchmarks import BenchmarkError

    return isinstance(error, BenchmarkError | mancala_ai.MancalaError)


def _refuse(command: App, reason: object) -> int:
    """Say in one line what is wrong; the exit code for that."""
    name = command.name[0].rpartition(".")[2]
    print(f"{name}:", " ".join(str(reason).split()), file=sys.stderr)
    return BAD_INPUT


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


def _interrupted() -> int:
    """The exit code after Ctrl-C; leaves at once if compiled code still runs."""
    if any(thread.name == _WORKER for thread in enumerate_threads()):
        os._exit(INTERRUPTED)
    return INTERRUPTED


# Output --------------------------------------------------------------------


@contextmanager
def _json_target(path: str | None) -> Iterator[TextIO | None]:
    """The stream that JSON goes to: none, stdout for "-", or a file."""
    if path is None:
        yield None
    elif path == "-":
        yield sys.stdout
    else:
        with _whole_file(Path(path)) as file:
            yield file


@contextmanager
def _whole_file(path: Path) -> Iterator[TextIO]:
    """A file that appears under its name complete, or not at all.

    It is opened at once, so that a place that cannot be written to is found before
    the work. Anything but a regular file (``/dev/null``, a pipe) is written directly.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8") as file:
            yield file
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        file = draft.open("w", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    try:
        with file:
            yield file
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _write_json(value: object, file: TextIO) -> None:
    json_format.dump(value, file, indent=2, allow_nan=False)
    file.write("\n")


def _table(first: str, *others: str, numbers: bool = False) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column(first)
    for header in others:
        table.add_column(header, justify="right" if numbers else "left")
    return table


def _print_table(table: Table, wrap: bool = False) -> None:
    """Print a table on stdout; only on a terminal, and if it may, it is wrapped to fit."""
    console = _console(sys.stdout)
    if not (wrap and console.is_terminal):
        unlimited = console.options.update(max_width=10_000)
        console.width = max(console.width, console.measure(table, options=unlimited).maximum)
    console.print(table)


def _console(file: TextIO) -> Console:
    from rich.console import Console

    class QuietConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for main() to deal with

    return QuietConsole(file=file, markup=False, emoji=False, highlight=False)


def _tolerate_stdout() -> None:
    """Let a closed stdout, or one that lacks a character, do no harm."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _discard_stdout() -> None:
    """Send what is left in stdout's buffer nowhere, so that nothing complains at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Progress:
    """The table of ``mancala bench`` while it runs, on stderr if that is a terminal."""

    def __init__(self) -> None:
        self.console = _console(sys.stderr)
        self._live: Any = None
        self._table: Callable[[], Table] | None = None

    @contextmanager
    def shown(self, table: Callable[[], Table]) -> Iterator[None]:
        """Show ``table()`` for the time of a ``with`` statement."""
        if not self.console.is_terminal:
            yield
            return
        from rich.live import Live

        self._table = table
        self._live = Live(table(), console=self.console, auto_refresh=False, transient=True)
        try:
            with self._live:
                yield
        finally:
            self._live = None

    def update(self, tally: object) -> None:
        """Show the table as it stands now."""
        if self._live is not None and self._table is not None:
            self._live.update(self._table(), refresh=True)


def _bench_table(
    specs: Sequence[str], meters: Sequence[Meter], comparisons: Sequence[Comparison | None] | None
) -> Table:
    headers = ["games/s", "decisions/s", "decisions\na game", "annulled", "truncated"]
    headers.append("first player's\nscore")
    if comparisons is not None:
        headers += ["games/s\nours : C", "decisions/s\nours : C"]
    table = _table("game", *headers, numbers=True)
    for index, (spec, meter) in enumerate(zip(specs, meters, strict=True)):
        cells = _tally_cells(meter)
        if comparisons is not None:
            cells += _ratio_cells(comparisons[index])
        table.add_row(spec, *cells)
    return table


def _tally_cells(meter: Meter) -> list[str]:
    tally = meter.tally
    if not tally.games:
        return []
    score = "-" if tally.score is None else f"{tally.score:.4f}"
    margin = "" if tally.margin is None else f" ±{tally.margin:.4f}"
    return [
        f"{tally.speed.games:,.0f}",
        f"{tally.speed.decisions:,.0f}",
        f"{tally.decisions / tally.games:.2f}",
        f"{tally.annulled / tally.games:.4%}",
        f"{tally.truncated / tally.games:.4%}",
        score + margin,
    ]


def _ratio_cells(comparison: Comparison | None) -> list[str]:
    if comparison is None:
        return ["-", "-"]
    return [f"{comparison.games_ratio:.2f}", f"{comparison.decisions_ratio:.2f}"]


if __name__ == "__main__":
    sys.exit(main())
