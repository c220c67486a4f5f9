"""Kalah solved: the published values of larger boards, and the time beside a C program.

    python -m mancala_ai.benchmarks.kalah [--largest 3] [--solver PROGRAM.c]

Every board of at most so many seeds a pit whose value is published is searched to its
end by ``alphabeta:solve=True``. The C program, called as ``PROGRAM SEEDS LOG2_ENTRIES``,
solves the smaller boards of six columns with the standard rules, in turns with ours.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

import mancala_ai
from mancala_ai.agents import Info, make_agent
from mancala_ai.cli import run

from . import BenchmarkError
from .command import command

# (empty_capture, columns, seeds): the first player's margin at perfect play
VALUES = {
    (empty_capture, columns, seeds): margin
    for empty_capture, columns, margins in (
        (True, 1, (0, -2, 6, -2, 2, 0)),
        (True, 2, (2, -2, -2, -12, 6, 8)),
        (True, 3, (0, 4, 2, 2, 6, -10)),
        (True, 4, (2, 6, 8, 2, 2, 0)),
        (True, 5, (0, 0, 8, 12, 2, 2)),
        (True, 6, (2, 10, 2, 10, 12)),
        (False, 2, (2, -2, -2, -10, 6, 8)),
        (False, 3, (0, 4, 2, 2, 6, -8)),
        (False, 4, (2, 6, 6)),
        (False, 6, (2, 6, 2, 8)),
    )
    for seeds, margin in enumerate(margins, 1)
}
ROUNDS = 5  # of a comparison with the C program
LOG2_ENTRIES = 24  # of the C program's table

app = command("kalah", __doc__)


@app.default
def kalah(
    *,
    smallest: Annotated[int, Parameter(validator=Number(gte=1))] = 1,
    largest: Annotated[int, Parameter(validator=Number(gte=1))] = 3,
    columns: int | None = None,
    memory: float | None = None,
    threads: int = 1,
    solver: Path | None = None,
) -> None:
    """Solve the boards whose values are published, and compare.

    Parameters
    ----------
    smallest, largest
        Seeds a pit.
    columns
        Only boards of so many columns.
    memory
        MiB of the transposition table; 64 for up to 36 seeds on the board and 1024 for
        more, if left out.
    threads
        Threads to search with.
    solver
        C source of a solver to run in turns with ours, for up to three seeds a pit.
    """
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        program = solver and _compile(solver, Path(folder))
        print("board                    value  published   million nodes      s  million nodes/s")
        for board, published in VALUES.items():
            empty_capture, wide, seeds = board
            if not smallest <= seeds <= largest or columns not in (None, wide):
                continue
            standard = wide == 6 and not empty_capture and seeds <= 3
            ours, theirs = [], []
            for _ in range(ROUNDS if program is not None and standard else 1):
                ours.append(solve(board, memory or (64 if wide * seeds <= 18 else 1024), threads))
                if program is not None and standard:
                    theirs.append(_run(program, seeds))
            info = ours[-1]
            seconds = median(each["seconds"] for each in ours)
            wrong += info["value"] != published
            name = f"{wide} x {seeds}" + (" empty_capture" if empty_capture else "")
            speed = info["nodes"] / seconds / 1e6
            print(
                f"{name:22} {info['value']:+7g}    {published:+7}    {info['nodes'] / 1e6:12.3f} "
                f"{seconds:6.2f}    {speed:12.2f}",
                flush=True,
            )
            if theirs:
                print(f"{'  the C program':58} {median(theirs):6.2f}", flush=True)
    if wrong:
        raise BenchmarkError(f"{wrong} values differ from the published ones")


def solve(board: tuple[bool, int, int], memory: float, threads: int = 1) -> Info:
    """What alpha-beta finds of a board; ``seconds`` without compiling."""
    empty_capture, columns, seeds = board
    game = mancala_ai.make("kalah", columns=columns, seeds=seeds, empty_capture=empty_capture)
    agent = make_agent("alphabeta", solve=True, memory=memory, threads=threads)
    state = game.initial_state()
    agent.prepare(state)
    agent.act(state)
    agent.close()
    return agent.last_info


def _compile(source: Path, folder: Path) -> Path:
    """The program made from a C source."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise BenchmarkError("a C compiler (cc) is needed for --solver")
    program = folder / "solver"
    command = [compiler, "-O3", "-march=native", str(source), "-o", str(program)]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        raise BenchmarkError(f"{source} cannot be compiled: {made.stderr.strip()[:200]}")
    return program


def _run(program: Path, seeds: int) -> float:
    begin = perf_counter()
    subprocess.run([program, str(seeds), str(LOG2_ENTRIES)], check=True, capture_output=True)
    return perf_counter() - begin


if __name__ == "__main__":
    sys.exit(run(app))
