"""Every block of code in the README and the docs runs, and what it says is true.

A document runs from its top to its end, in a folder of its own. Of Python, an expression with
a value behind it, ``game.perft(2)  # 36: ...`` or ``a == b  # ... which is True``, must have
that value. A block whose first line is ``# file: NAME`` is written to that file, to be run by
what follows. Of shell blocks each command must succeed, with nobody at the terminal.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from codeop import compile_command
from pathlib import Path

import pytest
from helpers import random_policy
from sybil import Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser

import mancala_ai as ma
from mancala_ai.agents.network import FILE_NAME, write_policy

CHECKOUT = Path(__file__).parents[1]
DOCUMENTS = [CHECKOUT / "README.md", *sorted(CHECKOUT.joinpath("docs").rglob("*.md"))]

NOT_RUN = {  # commands, and why
    r"pip install|sphinx-build": "done by .ci/run",
    r"\.\.\. |\b[A-Z]{3,}\b": "something is to be filled in",
    r"dask scheduler": "runs until it is stopped",
    r"docs/training/|tests/adapters|mancala train": "needs torch: tests/adapters/run.sh",
    r"mancala_ai\.benchmarks": "takes minutes; test_packaging.py asks each for its help",
}
SHORTER = {  # what a command is given, as its answer is of no interest
    r"mancala bench": " --seconds 0.02",
    r"mancala tournament": " --games 2 --jobs 1",
}

CLAIM = re.compile(r"^(\S[^#\n]*?)  # (?:\.\.\. which is )?([^:\n]+)", re.M)
FILE = re.compile(r"# file: (\S+)\n")
LANGUAGES = ("python", "sh", "text")


def run_python(example):
    if file := FILE.match(example.parsed):
        path = Path(file[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(example.parsed, encoding="utf-8")
        return
    example.parsed = type(example.parsed)(
        CLAIM.sub(checked, example.parsed), example.parsed.offset, example.parsed.line_offset
    )
    example.namespace["check_claim"] = check_claim
    PythonEvaluator()(example)


def checked(claim):
    """A line with a claim as one that checks it."""
    expression, value = claim.groups()
    try:
        ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return claim[0]  # no value, but words
    return f"check_claim({expression!r}, ({expression}), ({value}))  # "


def check_claim(expression, value, claimed):
    assert value == claimed, expression


def run_commands(example):
    for command in commands_of(example.parsed):
        if not any(re.search(pattern, command) for pattern in NOT_RUN):
            run_command(command)


def commands_of(block):
    """The commands in a shell block, without comments, each in one line."""
    lines = re.sub(r"\\\n *", "", block).splitlines()
    return [line for line in (re.sub(r"(^|  )#.*", "", line).strip() for line in lines) if line]


def run_command(command):
    for pattern, option in SHORTER.items():
        if re.search(pattern, command):
            name = option.split()[0]
            command = re.sub(rf" {name} \S+", "", command) + option
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"


SYBIL = Sybil([CodeBlockParser("python", run_python), CodeBlockParser("sh", run_commands)])

each_document = pytest.mark.parametrize(
    "path", DOCUMENTS, ids=lambda path: str(path.relative_to(CHECKOUT))
)


@each_document
def test_a_document_runs(path, tmp_path, monkeypatch):
    document = SYBIL.parse(path)
    lay_files(tmp_path)
    if "# file: mancala_ai/" in document.text:
        for name in ("pyproject.toml", "mancala_ai", "agents", "envs"):
            copy = shutil.copytree if CHECKOUT.joinpath(name).is_dir() else shutil.copy
            copy(CHECKOUT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    document.namespace["__name__"] = "document"
    for example in document.examples():
        example.evaluate()


@each_document
def test_python_can_be_pasted_into_an_interpreter(path):
    for block in re.findall(
        r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S
    ):
        if block.startswith("# file: "):
            continue
        pending: list[str] = []
        for line in [*block.splitlines(), ""]:  # an empty line ends an indented block
            pending.append(line)
            if compile_command("\n".join(pending)) is not None:
                pending = []
        assert not pending


def lay_files(folder):
    """Files that documents speak of: a record as the README shows it, a match, policies."""
    readme = CHECKOUT.joinpath("README.md").read_text(encoding="utf-8")
    record = re.search(r"^game: .*?^result: \*\n", readme, re.M | re.S)[0]
    folder.joinpath("game.txt").write_text(record)
    folder.joinpath("match.txt").write_text(f"{record}\n{record}")
    for game, training in (("hoyito_iii", "runs/hoyito"), ("kalah", "runs/kalah")):
        folder.joinpath(training).mkdir(parents=True)
        write_policy(random_policy(ma.make(game)), folder / training / FILE_NAME)


@each_document
def test_every_block_says_what_it_is(path):
    fences = re.findall(r"^ *(```+|:::+)(.*)$", path.read_text(encoding="utf-8"), re.M)
    openings = [info for _, info in fences[::2]]
    assert all(info in LANGUAGES or info.startswith("{") for info in openings), openings


def test_the_readme_claims_enough():
    claims = [value for _, value in CLAIM.findall(DOCUMENTS[0].read_text(encoding="utf-8"))]
    assert {"True", "6.0"} <= set(claims)
