"""Import, first game after an install, cached start, option changes, read-only installation.

    python -m mancala_ai.benchmarks.startup [GAME]...

Everything is measured in new processes on a fresh copy of the installed package, so
that the first game finds an empty cache as it does after an install.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated, NamedTuple

from cyclopts import Parameter

import mancala_ai
from mancala_ai.cli import run

from . import BenchmarkError
from .command import command

IMPORTS = 9  # new processes to take the median of

OTHER_OPTIONS = {
    "tsoro": "columns=8,bonus=1,heads=1,max_laps=500",
    "omweso": "akakyala=True,max_laps=500",
    "katro": "rows=2,columns=4,direction=either,lone_seed=True",
    "gore": "trading=False",
    "hoyito_iii": "columns=4,last_four=player_1",
    "kalah": "columns=5,seeds=3,empty_capture=True",
    "oware": "columns=5,seeds=3,grand_slam=illegal_unless_forced",
}

_IMPORT = """
from time import perf_counter
begin = perf_counter()
import mancala_ai
print(perf_counter() - begin)
"""

# Plays one game of each spec and prints how many functions numba compiled for each
_PLAY = """
import json, sys
import mancala_ai
from numba.core import event
compiled = []
for spec in sys.argv[1:]:
    with event.install_recorder("numba:compile") as recorder:
        mancala_ai.make(spec).random_games(1)
    compiled.append(sum(happened.is_start for _, happened in recorder.buffer))
print(json.dumps(compiled))
"""

app = command("startup", __doc__)


@app.default
def startup(*games: Annotated[str, Parameter(name="GAME")]) -> None:
    """Measure how soon the library is ready.

    Parameters
    ----------
    games
        Names of games; all games if none is given.
    """
    names = list(games) or list(mancala_ai.games())
    for name in names:
        mancala_ai.make(name)  # refuses an unknown one before anything is measured
    with TemporaryDirectory() as folder:
        installation = Installation.copy_to(Path(folder))
        print(f"import mancala_ai: {import_seconds(installation):.3f} s, median of {IMPORTS}")
        print("\nwhole processes that play one game, in seconds; functions compiled")
        print(f"{'game':12} {'empty cache':>16} {'cached':>16} {'other options':>16}", flush=True)
        for name in names:
            print_game(installation, name)
        print(f"\nafter an edit of its rules file, {names[0]} compiles again:", end=" ", flush=True)
        print(recompiles_after_edit(installation, names[0]))
        print("a read-only installation plays:", end=" ", flush=True)
        print(plays_read_only(installation, names[0]))


class Played(NamedTuple):
    """A process that played one game of each of some specs."""

    seconds: float
    compiled: list[int]

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s, {self.compiled[-1]:3}"


class Installation(NamedTuple):
    """A copy of the package, and a home folder, that nobody has used yet."""

    folder: Path

    @classmethod
    def copy_to(cls, folder: Path) -> Installation:
        """Copy the package that is running, without anything cached."""
        package = Path(mancala_ai.__file__).parent
        shutil.copytree(
            package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__")
        )
        (folder / "home").mkdir()
        return cls(folder)

    def python(
        self, program: str, *words: str, before: Callable[[], None] | None = None
    ) -> tuple[str, float]:
        """Run a program in a new process on this copy: its output, and seconds in all."""
        cache_variables = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "PYTHONPYCACHEPREFIX")
        environment = {key: v for key, v in os.environ.items() if key not in cache_variables}
        environment |= {"PYTHONPATH": str(self.folder), "HOME": str(self.folder / "home")}
        begin = perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", program, *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=environment,
            preexec_fn=before,
        )
        seconds = perf_counter() - begin
        if done.returncode != 0:
            raise BenchmarkError(f"a new process failed: {done.stderr.strip()[-300:]}")
        return done.stdout, seconds

    def play(self, *specs: str, before: Callable[[], None] | None = None) -> Played:
        """Play one game of each spec in one new process."""
        output, seconds = self.python(_PLAY, *specs, before=before)
        return Played(seconds, json.loads(output))


def import_seconds(installation: Installation) -> float:
    """Seconds that ``import mancala_ai`` takes in a new process, once compiled to bytecode."""
    installation.python(_IMPORT)
    return median(float(installation.python(_IMPORT)[0]) for _ in range(IMPORTS))


def print_game(installation: Installation, name: str) -> None:
    """Print the first start, the cached one, and one with other options."""
    first = installation.play(name)
    cached = installation.play(name)
    other = OTHER_OPTIONS.get(name)
    changed = installation.play(name, f"{name}:{other}") if other else "-"
    print(f"{name:12} {first!s:>16} {cached!s:>16} {changed!s:>16}", flush=True)


def recompiles_after_edit(installation: Installation, name: str) -> str:
    """Touch the rules of a game that is in the cache, and see whether the cache notices."""
    rules = installation.folder / "mancala_ai" / "rules" / f"{name}.py"
    rules.write_text(rules.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    (compiled,) = installation.play(name).compiled
    return f"yes, {compiled} functions" if compiled else "NO, the cache is stale"


def plays_read_only(installation: Installation, name: str) -> str:
    """Play where neither the package nor the home folder can be written to."""
    shutil.rmtree(installation.folder / "home")
    (installation.folder / "home").mkdir()
    for cache in installation.folder.rglob("__pycache__"):
        shutil.rmtree(cache)
    paths = [installation.folder, *installation.folder.rglob("*")]
    for path in paths:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        played = installation.play(name, before=_obey_permissions)
        untouched = len(paths) == 1 + sum(1 for _ in installation.folder.rglob("*"))
    except BenchmarkError as error:
        return f"NO, {error}"
    finally:
        for path in paths:
            path.chmod(path.stat().st_mode | 0o200)
    return f"yes, in {played.seconds:.2f} s" if untouched else "NO, it was written to all the same"


def _obey_permissions() -> None:
    """Give up root's power to write where it may not (Linux; capabilities 1 and 2)."""
    if sys.platform == "linux" and os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for capability in (1, 2):
            libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


if __name__ == "__main__":
    sys.exit(run(app))
