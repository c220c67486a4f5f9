"""``mancala bench``: random games, measured by ``benchmarks/throughput.py``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from .inputs import (
    FilePath,
    Flag,
    FolderPath,
    GameSpecs,
    InputError,
    JsonTarget,
    integer,
    make_game,
)
from .output import (
    fitting,
    is_animated,
    json_target,
    new_console,
    new_table,
    print_table,
    write_json,
)
from .running import interruptible

if TYPE_CHECKING:
    from rich.table import Table

    from mancala_ai.benchmarks.throughput import Comparison, Meter


def bench(
    *games: GameSpecs,
    threads: Annotated[int, Parameter(converter=integer, validator=Number(gte=0, lte=1024))] = 1,
    seconds: float = 2.0,
    max_plies: Annotated[
        int, Parameter(converter=integer, validator=Number(gte=1, lte=10**9))
    ] = 2000,
    seed: Annotated[int, Parameter(converter=integer, validator=Number(gte=0, lt=2**64))] = 0,
    json: JsonTarget = None,
    yardstick: FilePath | None = None,
    peers: Flag = False,
    python: Annotated[tuple[str, ...], Parameter(metavar="PYTHON", negative=())] = (),
    out: FolderPath | None = None,
) -> None:
    """Measure uniformly random games: games and decisions a second, and what came of them.

    Each game is compiled first, then played for the given time; only the playing is
    timed. The first player's score counts a win 1 and a draw 1/2, over the games neither
    annulled nor truncated, with a 95 % interval by the normal approximation of a mean.

        mancala bench
        mancala bench omweso tsoro:columns=8 --threads 2
        mancala bench --peers --out report

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
    peers
        Measure OpenSpiel, Pgx and PettingZoo too, as far as they are installed, in turns with
        this library and on one processor: random games, games played from Python, batches and
        environments. --seconds is then the time of each program, game and way of playing.
    python
        Where peers are installed, besides here: an interpreter, or NAME=INTERPRETER for one
        of openspiel, pgx and pettingzoo. May be given several times.
    out
        Write what --peers finds to peers.json, peers.md and peers.png in this folder.
    """
    from mancala_ai.benchmarks import throughput
    from mancala_ai.benchmarks.machine import describe_machine
    from mancala_ai.benchmarks.yardstick import open_yardstick, yardstick_name
    from mancala_ai.game import usable_cores

    throughput.check_seconds(seconds)
    if peers:
        from .peers import bench_peers

        if (threads, max_plies, seed) != (1, throughput.MAX_PLIES, 0):
            raise InputError("--peers compares one thread, with --max-plies and --seed as they are")
        bench_peers(games, seconds, yardstick, python, json, out)
        return
    if python or out is not None:
        raise InputError("--python and --out belong to --peers")
    if yardstick is not None and (threads, max_plies) != (1, throughput.MAX_PLIES):
        raise InputError("--yardstick compares one thread and the default --max-plies")
    specs = list(games) or _all_games(beside_yardstick=yardstick is not None)
    progress = _Progress()
    meters = [
        throughput.Meter(
            make_game(spec),
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

    with json_target(json) as target:
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
            write_json({"machine": describe_machine(), "rows": rows}, target)
    if json != "-":
        print_table(table())


def _all_games(beside_yardstick: bool) -> list[str]:
    import mancala_ai

    names = list(mancala_ai.games())
    return ["tsoro", "tsoro:columns=8", *names[1:]] if beside_yardstick else names


class _Progress:
    """The table of ``mancala bench`` while it runs, on stderr if that is a terminal."""

    def __init__(self) -> None:
        self.console = new_console(sys.stderr)
        self._live: Any = None
        self._table: Callable[[], Table] | None = None

    @contextmanager
    def shown(self, table: Callable[[], Table]) -> Iterator[None]:
        """Show ``table()`` for the time of a ``with`` statement."""
        if not is_animated(self.console):
            yield
            return
        from rich.live import Live

        self._table = table
        self._live = Live(
            fitting(table(), self.console), console=self.console, auto_refresh=False, transient=True
        )
        try:
            with self._live:
                self.update()
                yield
        finally:
            self._live = None

    def update(self, tally: object = None) -> None:
        """Show the table as it stands now."""
        if self._live is not None and self._table is not None:
            self._live.update(fitting(self._table(), self.console), refresh=True)


def _bench_table(
    specs: Sequence[str], meters: Sequence[Meter], comparisons: Sequence[Comparison | None] | None
) -> Table:
    headers = ["games/s", "decisions/s", "decisions\na game", "annulled", "truncated"]
    headers.append("first player's\nscore")
    if comparisons is not None:
        headers += ["games/s\nours : C", "decisions/s\nours : C"]
    table = new_table("game", *headers, numbers=headers)
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
