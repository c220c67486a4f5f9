"""What is installed, and that it is light to import."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

CHECKOUT = Path(__file__).parents[1]
FOLDERS = {"mancala_ai": "mancala_ai", "envs": "mancala_ai/envs", "agents": "mancala_ai/agents"}
FOLDERS |= {"benchmarks": "mancala_ai/benchmarks"}


def python(program, cwd):
    """What a program prints in a new process."""
    return subprocess.run(
        [sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The names of the files in a wheel built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__", "tests")
    shutil.copytree(CHECKOUT, folder / "source", ignore=ignored)
    build = "from setuptools import build_meta; build_meta.build_wheel('..')"
    python(build, folder / "source")
    (built,) = folder.glob("*.whl")
    with ZipFile(built) as archive:
        return archive.namelist()


def test_wheel_puts_one_package_into_site_packages(wheel):
    top = {name.partition("/")[0] for name in wheel}
    assert len(top) == 2
    assert "mancala_ai" in top
    (metadata,) = top - {"mancala_ai"}
    assert metadata.endswith(".dist-info")


def test_wheel_holds_every_module(wheel):
    expected = {"mancala_ai/py.typed"}
    for folder, installed_as in FOLDERS.items():
        for path in CHECKOUT.joinpath(folder).rglob("*.py"):
            inside = path.relative_to(CHECKOUT / folder)
            expected.add(f"{installed_as}/{inside.as_posix()}")
    packaged = {name for name in wheel if name.startswith("mancala_ai/")}
    assert {name for name in packaged if name.endswith((".py", ".typed"))} == expected


def test_wheel_has_the_command_and_the_licence(wheel):
    names = {Path(name).name for name in wheel}
    assert {"entry_points.txt", "LICENSE"} <= names


def test_no_test_is_installed(wheel):
    assert not [name for name in wheel if "test" in name.lower()]


def test_every_benchmark_command_has_help(tmp_path):
    for path in sorted(CHECKOUT.joinpath("benchmarks").glob("*.py")):
        if "__main__" in path.read_text(encoding="utf-8"):
            command = [sys.executable, "-m", f"mancala_ai.benchmarks.{path.stem}", "--help"]
            out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
            assert out.stdout.startswith(f"Usage: python -m mancala_ai.benchmarks.{path.stem}")


@pytest.mark.parametrize(
    "program",
    [
        "import mancala_ai",
        "import mancala_ai; mancala_ai.games()",
        "from mancala_ai.cli import main; main(['--help'])",
        "from mancala_ai.cli import main; main(['bench', '--help'])",
        "from mancala_ai.cli import main; main(['bench', '--threads', 'many'])",
    ],
)
def test_numba_is_imported_only_when_needed(program, tmp_path):
    report = "import sys; print(sorted({'numba', 'llvmlite', 'gymnasium'} & set(sys.modules)))"
    assert python(f"{program}\n{report}", tmp_path).splitlines()[-1] == "[]"


def test_readme_commands_are_those_of_the_project():
    project = tomllib.loads(CHECKOUT.joinpath("pyproject.toml").read_text(encoding="utf-8"))
    readme = CHECKOUT.joinpath("README.md").read_text(encoding="utf-8")
    first_screen = "\n".join(readme.splitlines()[:24])
    assert "bin/mancala bench" in first_screen
    assert 'install ".[test]" && .venv/bin/pytest' in first_screen
    assert "mancala" in project["project"]["scripts"]
    assert "test" in project["project"]["optional-dependencies"]


def test_games_stays_a_function_beside_the_folder_of_that_name(tmp_path):
    program = "import mancala_ai as ma; ma.make('kalah'); print(ma.games()[0])"
    assert python(program, tmp_path) == "tsoro\n"
