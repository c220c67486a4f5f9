"""``mancala bench --peers``, with the programs that are installed here."""

from __future__ import annotations

import json
import shutil
import sys
from importlib.util import find_spec

import pytest

from mancala_ai.benchmarks.peers import report, running, worker
from mancala_ai.benchmarks.throughput import ROUNDS
from mancala_ai.cli import main

QUICK = ["--peers", "--seconds", "0.01"]
HERE = {
    "OpenSpiel": find_spec("pyspiel"),
    "Pgx": find_spec("pgx"),
    "PettingZoo": find_spec("pygame"),
}
YARDSTICK = """
#include <stdio.h>
int main(int count, char **words) { printf("%s 100 games/s 4400 decisions/s\\n", words[2]); }
"""


def mancala(capsys, *words):
    code = main(["bench", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What was written for Kalah: a report, Markdown, a picture, and the folder."""
    folder = tmp_path_factory.mktemp("peers")
    yardstick = folder / "yardstick.c"
    yardstick.write_text(YARDSTICK)
    with pytest.MonkeyPatch.context() as changing:
        changing.setattr(running, "ROWS", 16)
        words = ["bench", "kalah", *QUICK, "--yardstick", str(yardstick)]
        assert main([*words, "--out", str(folder / "out")]) == 0
    return json.loads((folder / "out" / "peers.json").read_text()), folder / "out"


def test_everybody_is_measured_or_said_to_be_left_out(found):
    told, _ = found
    present = {title for title, spec in HERE.items() if spec} | {"mancala_ai"}
    absent = set(HERE) - present
    (absent if shutil.which("cc") is None else present).add("C")
    assert {program["name"] for program in told["programs"]} == present
    assert {row["program"] for row in told["rows"]} == present
    assert {skipped["name"] for skipped in told["skipped"]} == absent
    for program in told["programs"]:
        if program["name"] != "C":
            assert program["python"] == sys.version.split()[0]
            assert all(program["packages"][name] for name in program["packages"] if "-" not in name)


def test_figures_are_possible(found):
    told, _ = found
    assert {"cpu", "date", "numba"} <= set(told["machine"])
    assert told["setting"]["rounds"] == ROUNDS
    speeds = {}
    for row in told["rows"]:
        assert row["game"] == "kalah"
        for name in ("games_per_second", "decisions_per_second"):
            assert 0 <= row[name]["low"] <= row[name]["median"] <= row[name]["high"]
        assert row["decisions_per_second"]["low"] > 0
        assert ("decisions_ratio" in row) == (row["program"] != "mancala_ai")
        speeds[row["program"], row["kind"]] = row
    assert {kind for program, kind in speeds if program == "mancala_ai"} == set(report.KINDS)
    for kind in ("games", "states", "environment"):
        # random games of the same rules are equally long; a few games tell only roughly
        for program in {"mancala_ai", "OpenSpiel"} & {program for program, _ in speeds}:
            row = speeds[program, kind]
            length = row["decisions_per_second"]["median"] / row["games_per_second"]["median"]
            assert 25 < length < 70
    if ("C", "games") in speeds:
        c = speeds["C", "games"]
        ours = speeds["mancala_ai", "games"]["decisions_per_second"]
        assert c["decisions_per_second"] == {"median": 4400, "low": 4400, "high": 4400}
        assert c["decisions_ratio"]["high"] == pytest.approx(ours["high"] / 4400)


def test_files(found):
    told, folder = found
    assert sorted(path.name for path in folder.iterdir()) == ["peers.json", "peers.md", "peers.png"]
    page = (folder / "peers.md").read_text()
    for title, _ in report.KINDS.values():
        assert page.count(f"## {title}: ") == 1
    table_rows = [line for line in page.splitlines() if line.startswith("| kalah |")]
    assert len(table_rows) == len(told["rows"])
    assert {line.count("|") for line in page.splitlines() if line.startswith("|")} == {7}
    assert told["command"] in page
    assert (folder / "peers.png").read_bytes().startswith(b"\x89PNG")


def test_a_game_of_no_peer_stands_alone(capsys, monkeypatch):
    monkeypatch.setattr(running, "ROWS", 16)
    code, out, err = mancala(capsys, "kalah:columns=3", *QUICK)
    assert (code, err) == (0, "")
    assert "C is left out: no --yardstick PROGRAM.c given." in out
    assert "mancala_ai" in out
    assert "OpenSpiel" not in out.partition("Medians")[0]


def test_json_on_stdout_is_nothing_but_json(capsys, monkeypatch):
    monkeypatch.setattr(running, "ROWS", 16)
    code, out, _ = mancala(capsys, "kalah:columns=3", *QUICK, "--json", "-")
    assert code == 0
    assert {row["program"] for row in json.loads(out)["rows"]} == {"mancala_ai"}


def test_a_worker_that_fails_is_named_with_its_last_words(capsys, monkeypatch):
    monkeypatch.setattr(running, "ROWS", -1)  # no batch is so small
    code, out, err = mancala(capsys, "kalah:columns=3", *QUICK)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("mancala: mancala_ai failed: mancala_ai.errors.ArgumentError: ")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--peers", "--python", "/no/such/python"], "/no/such/python"),
        (["--peers", "--python", "/"], "--python /: "),
        (["--peers", "--python", shutil.which("true")], "no Python 3"),
        (["--peers", "--python", f"ludii={sys.executable}"], "openspiel, pgx, pettingzoo"),
        (["--peers", "--python", "pgx="], "--python"),
        (["--peers", "--threads", "2"], "--peers"),
        (["--peers", "--seed", "1"], "--peers"),
        (["--peers", "chess"], "chess"),
        (["--peers", "--yardstick", "/no/such/file.c"], "/no/such/file.c"),
        (["--peers", "--out", "/dev/null"], "/dev/null"),
        (["--out", "here"], "--peers"),
        (["--python", sys.executable], "--peers"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, tmp_path, monkeypatch, words, named):
    monkeypatch.chdir(tmp_path)
    code, out, err = mancala(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert named in err
    assert not any(tmp_path.iterdir())


def test_an_interpreter_without_the_peer_is_named(capsys, tmp_path, monkeypatch):
    """Another Python, with nothing but what the standard library has."""
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setattr(running, "ROWS", 16)
    words = [word for name in running.PEERS for word in ("--python", f"{name}={bare}")]
    code, out, _ = mancala(capsys, "kalah:columns=3", *QUICK, *words)
    assert code == 0
    for name in running.PEERS:
        title = worker.PEERS[name].title
        assert f"{title} is left out: ModuleNotFoundError: No module named 'numpy' in {bare}" in out
