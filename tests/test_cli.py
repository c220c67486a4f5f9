"""The ``mancala`` command: what it prints, and that bad input ends in one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mancala_ai as ma
from mancala_ai.cli import main

COMMAND = [sys.executable, "-m", "mancala_ai.cli"]
QUICK = ["--seconds", "0.02"]


def mancala(capsys, *words):
    """Exit code, stdout and stderr of a command run in this process."""
    code = main(words)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def in_process(*words, cwd=None, **options):
    """A command run in a process of its own."""
    return subprocess.run(
        [*COMMAND, *words], capture_output=True, text=True, timeout=120, cwd=cwd, **options
    )


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("nonsense", "nonsense"),
        ("bench chess", "chess"),
        ("bench kalah:stores=3", "stores"),
        ("bench kalah:columns=0", "columns"),
        ("bench kalah:columns", "columns"),
        ("bench --seconds 0", "--seconds"),
        ("bench --seconds nan", "--seconds"),
        ("bench --seconds soon", "--seconds"),
        ("bench --threads -1", "--threads"),
        ("bench --max-plies 0", "--max-plies"),
        ("bench --seed -1", "--seed"),
        ("bench --threads 100000", "--threads"),
        ("bench --max-plies 99999999999", "--max-plies"),
        ("bench --seed 99999999999999999999", "seed"),
        ("bench --json", "--json"),
        ("bench --json --threads 2", "--json"),
        ("bench --json /no/such/folder/file.json", "/no/such/folder"),
        ("bench --json .", "directory"),
        ("bench --yardstick /no/such/file.c", "/no/such/file.c"),
        ("bench --yardstick yardstick.c --threads 2", "--yardstick"),
        ("bench --fast", "--fast"),
        ("perft", "GAME"),
        ("perft kalah", "DEPTH"),
        ("perft kalah -1", "DEPTH"),
        ("perft kalah 99999999999999999999", "DEPTH"),
        ("perft kalah deep", "deep"),
        ("perft kalah 1 2", "2"),
        ("perft chess 1", "chess"),
        ("perft kalah 1 --position nowhere", "nowhere"),
        ("perft kalah 1 --position", "--position"),
        ("games --long", "--long"),
        ("games kalah", "more is given than is taken (see --help): 'kalah'"),
        # as of a variable of the shell that is not set
        ("play kalah --south random --north random --record=", "name of the file is empty"),
        ("tournament kalah --agents random greedy --journal=", "--journal: the name of the file"),
        ("tournament kalah --agents random greedy --html=", "--html: the name of the file"),
        ("replay game.txt --gif=", "--gif: the name of the file"),
        ("bench --yardstick=", "--yardstick: the name of the file"),
        ("bench --peers --out=", "--out: the name of the folder"),
        ("tournament kalah --agents human random", "people do not play in tournaments"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, line, named):
    code, out, err = mancala(capsys, *line.split())
    assert code == 2
    assert out == ""
    assert err.startswith("mancala: ")
    assert err.count("\n") == 1
    assert named in err


@pytest.mark.parametrize("line", ["--help", "bench --help", "perft --help", "games --help"])
def test_help(capsys, line):
    code, out, err = mancala(capsys, *line.split())
    assert (code, err) == (0, "")
    assert out.startswith("Usage: mancala")


def test_games_lists_every_game_and_option(capsys):
    code, out, _ = mancala(capsys, "games")
    assert code == 0
    code, text, _ = mancala(capsys, "games", "--json")
    assert code == 0
    listed = json.loads(text)
    assert [entry["name"] for entry in listed] == list(ma.games())
    for entry in listed:
        assert entry["name"] in out
        options = {option["name"]: option["default"] for option in entry["options"]}
        assert options == ma.make(entry["name"]).options
        for option in entry["options"]:
            assert option["name"] in out
            assert option["allowed"]


def test_bench_prints_a_row_a_game(capsys):
    code, out, _ = mancala(capsys, "bench", "kalah", "oware", *QUICK)
    assert code == 0
    header, *rows = out.strip().splitlines()[1:]
    assert header.split()[:3] == ["game", "games/s", "decisions/s"]
    assert [row.split()[0] for row in rows] == ["kalah", "oware"]


def test_bench_json_on_stdout_is_nothing_but_json(capsys):
    code, out, _ = mancala(capsys, "bench", "kalah:columns=3", *QUICK, "--json", "-")
    assert code == 0
    report = json.loads(out)
    assert {"cpu", "cores", "python", "numba", "numpy", "llvmlite", "date"} <= set(
        report["machine"]
    )
    (row,) = report["rows"]
    assert (row["game"], row["options"]["columns"], row["threads"]) == ("kalah", 3, 1)
    assert row["games"] > 0
    assert row["games_per_second"] == pytest.approx(row["games"] / row["seconds"])
    assert row["decisions_per_second"] == pytest.approx(
        row["games_per_second"] * row["decisions_per_game"]
    )
    assert row["annulled"] == row["truncated"] == 0
    low, high = row["first_player_interval"]
    assert 0 <= low < row["first_player_score"] < high <= 1


def test_bench_counts_what_random_games_returns(capsys):
    _, out, _ = mancala(capsys, "bench", "katro", *QUICK, "--seed", "5", "--json", "-")
    (row,) = json.loads(out)["rows"]
    played = ma.make("katro").random_games(row["games"], seed=5)
    assert row["decisions_per_game"] == played.plies.mean()
    assert row["annulled"] == played.annulled.mean()
    finished = ~(played.annulled | played.truncated)
    first, second = played.points[finished].T
    scores = (first > second) + 0.5 * (first == second)
    assert row["first_player_score"] == pytest.approx(scores.mean())
    half_width = (row["first_player_interval"][1] - row["first_player_interval"][0]) / 2
    expected = 1.959964 * scores.std(ddof=1) / len(scores) ** 0.5
    assert half_width == pytest.approx(expected)


def test_bench_truncates(capsys):
    _, out, _ = mancala(capsys, "bench", "kalah", *QUICK, "--max-plies", "3", "--json", "-")
    (row,) = json.loads(out)["rows"]
    assert (row["truncated"], row["decisions_per_game"]) == (1, 3)
    assert row["first_player_score"] is None
    assert row["first_player_interval"] is None


def test_json_file_is_replaced_whole(capsys, tmp_path):
    target = tmp_path / "figures.json"
    target.write_text("old")
    code, out, _ = mancala(capsys, "bench", "kalah", *QUICK, "--json", str(target))
    assert code == 0
    assert "kalah" in out
    assert json.loads(target.read_text())["rows"][0]["game"] == "kalah"
    assert list(tmp_path.iterdir()) == [target]


def test_json_file_survives_a_failure(capsys, tmp_path):
    target = tmp_path / "figures.json"
    target.write_text("old")
    yardstick = tmp_path / "broken.c"
    yardstick.write_text("this is no C")
    words = ["bench", "kalah", *QUICK, "--json", str(target), "--yardstick", str(yardstick)]
    assert mancala(capsys, *words)[0] == 2
    assert target.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [yardstick, target]


def test_json_to_something_that_is_no_file(capsys):
    assert mancala(capsys, "bench", "kalah", *QUICK, "--json", os.devnull)[0] == 0
    assert not Path(os.devnull).is_file()


def test_yardstick_ratio(capsys, tmp_path):
    program = tmp_path / "yardstick"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "print(f'{sys.argv[2]}  100 games/s  4000 decisions/s  40.00 decisions/game')\n"
    )
    program.chmod(0o755)
    words = ["bench", "kalah", "kalah:columns=5", *QUICK, "--json", "-"]
    code, out, _ = mancala(capsys, *words, "--yardstick", str(program))
    assert code == 0
    known, unknown = json.loads(out)["rows"]
    assert "yardstick" not in unknown
    measured = known["yardstick"]
    assert (measured["name"], measured["games_per_second"]) == ("kalah", 100)
    assert measured["games_ratio"] == pytest.approx(known["games_per_second"] / 100, rel=0.9)


def test_yardstick_that_says_nothing(capsys, tmp_path):
    program = tmp_path / "yardstick"
    program.write_text(f"#!{sys.executable}\n")
    program.chmod(0o755)
    code, _, err = mancala(capsys, "bench", "kalah", *QUICK, "--yardstick", str(program))
    assert code == 2
    assert "no speed printed" in err


def test_perft_prints_every_depth(capsys):
    code, out, _ = mancala(capsys, "perft", "kalah", "4")
    assert code == 0
    assert [row.split()[:2] for row in out.splitlines()] == [
        ["1", "6"], ["2", "35"], ["3", "185"], ["4", "942"],
    ]  # fmt: skip


def test_perft_depth_0(capsys):
    assert mancala(capsys, "perft", "kalah", "0")[1].split()[:2] == ["0", "1"]
    assert mancala(capsys, "perft", "kalah", "0", "--divide")[1] == "total: 1\n"


def test_perft_divide_adds_up(capsys):
    code, out, _ = mancala(capsys, "perft", "oware", "3", "--divide")
    assert code == 0
    *rows, total = out.splitlines()
    assert len(rows) == 6
    assert total == "total: 190"
    assert sum(int(row.split()[-1]) for row in rows) == 190


def test_perft_from_a_position_as_json(capsys):
    game = ma.make("kalah")
    position = game.initial_state().apply(2).to_text()
    words = ["perft", "kalah", "2", "--position", position, "--json"]
    report = json.loads(mancala(capsys, *words)[1])
    assert (report["game"], report["position"], report["depth"]) == ("kalah", position, 2)
    counts = [entry["count"] for entry in report["counts"]]
    state = game.state_from_text(position)
    assert counts == [game.perft(1, state), game.perft(2, state)]
    divided = json.loads(mancala(capsys, *words, "--divide")[1])["divide"]
    assert [entry["action"] for entry in divided] == state.legal_actions()
    assert sum(entry["count"] for entry in divided) == counts[-1]
    assert divided[0]["text"] == state.action_to_text(divided[0]["action"])


@pytest.mark.parametrize("words", ["perft kalah 2.5", "perft kalah 1_0", "bench kalah --seed 1.9"])
def test_integers_are_not_rounded(capsys, words):
    code, out, err = mancala(capsys, *words.split())
    assert (code, out) == (2, "")
    assert "is not an integer" in err


def test_interrupt_is_quiet(tmp_path):
    target = tmp_path / "figures.json"
    words = ["bench", "kalah", "--seconds", "60", "--json", str(target)]
    with subprocess.Popen(
        [*COMMAND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a job in the background inherits that SIGINT is ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        while not any(tmp_path.iterdir()):  # the draft of the JSON file: under way
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "mancala: interrupted\n")
    assert not any(tmp_path.iterdir())


def test_closed_pipe_is_quiet():
    with subprocess.Popen(
        [*COMMAND, "games", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.wait(timeout=60) == 141
        assert process.stderr.read() == b""


def test_colours_only_where_wanted(tmp_path):
    result = in_process("games", cwd=tmp_path, env={**os.environ, "NO_COLOR": "1"})
    assert result.returncode == 0
    assert "\x1b" not in result.stdout + result.stderr


def test_output_that_lacks_a_character(tmp_path):
    result = in_process("--help", cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (result.returncode, result.stderr) == (0, "")
