"""The table of agents against agents, on small games."""

from __future__ import annotations

import json
import math
from concurrent.futures import Executor, Future

import pytest

import mancala_ai as ma
from mancala_ai.benchmarks import agents as benchmark
from mancala_ai.benchmarks.agents import Pairing, Result, app, mean_and_margin, opening, play_pair
from mancala_ai.cli import run

SMALL = ["kalah:columns=3,seeds=2", "katro:rows=2,columns=3"]
AGENTS = ["random", "greedy", "first"]


class Here(Executor):
    """Plays in this process, in order."""

    def __init__(self, *_):
        pass

    def submit(self, function, /, *args):
        done = Future()
        done.set_result(function(*args))
        return done


def compare(capsys, *words):
    """Exit code, stdout and stderr of the command."""
    code = run(app, words)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def rows_of(capsys, *words):
    code, out, err = compare(capsys, *SMALL, "--agents", *AGENTS, "--json", "-", *words)
    assert (code, err) == (0, "")
    return json.loads(out)["rows"]


def test_the_processes_change_nothing(capsys, monkeypatch):
    apart = rows_of(capsys, "--games", "6", "--seed", "3", "--processes", "2")
    monkeypatch.setattr(benchmark, "ProcessPoolExecutor", Here)
    assert rows_of(capsys, "--games", "6", "--seed", "3") == apart
    assert rows_of(capsys, "--games", "6", "--seed", "4") != apart


def test_figures_are_those_of_the_games(capsys, monkeypatch):
    monkeypatch.setattr(benchmark, "ProcessPoolExecutor", Here)
    rows = rows_of(capsys, "--games", "20")
    assert [(row["game"], row["agents"]) for row in rows] == [
        (game, pair)
        for game in SMALL
        for pair in (["random", "greedy"], ["random", "first"], ["greedy", "first"])
    ]
    for row in rows:
        pairs = [play_pair(row["game"], tuple(row["agents"]), 0, number) for number in range(10)]
        results = [result for pair in pairs for result in pair]
        scores = [result.score for result in results]
        assert row["games"] == 20
        assert row["score"] == pytest.approx(sum(scores) / 20)
        assert (row["wins"], row["losses"]) == (scores.count(1), scores.count(0))
        low, high = row["interval"]
        assert low <= row["score"] <= high
        assert row["annulled"] == row["truncated"] == 0


def test_the_table(capsys, monkeypatch):
    monkeypatch.setattr(benchmark, "ProcessPoolExecutor", Here)
    code, out, err = compare(capsys, SMALL[0], "--agents", *AGENTS[:2], "--games", "8")
    assert (code, err) == (0, "")
    head, random, greedy = out.strip().splitlines()
    assert head.split() == [SMALL[0], "random", "greedy", "all"]
    assert random.split()[:2] == ["random", "-"]
    assert random.split()[2:4] == random.split()[4:]  # there is one opponent
    assert greedy.split()[3] == "-"
    assert float(random.split()[2]) + float(greedy.split()[1]) == pytest.approx(1)


def test_seats_are_exchanged():
    for number in range(4):  # the same game twice
        south, north = play_pair(SMALL[0], ("first", "first"), 0, number)
        assert south.score + north.score == 1
        assert south.ending == north.ending


def test_a_sample_is_a_pair_of_games():
    drawn, won, lost = Result(0.5, "draw"), Result(1.0, "seeds"), Result(0.0, "seeds")
    pairing = Pairing("kalah", (0, 2), [(won, lost), (won, drawn)])
    assert pairing.samples(0) == [0.5, 0.75]
    assert pairing.samples(2) == [0.5, 0.25]


def test_intervals():
    assert mean_and_margin([0.75]) == (0.75, None)
    mean, margin = mean_and_margin([0.5, 1.0, 0.75, 0.75])
    assert (mean, margin) == (0.75, pytest.approx(1.96 * math.sqrt(1 / 24 / 4), rel=1e-3))


@pytest.mark.parametrize("name", ma.games())
def test_openings(name):
    game = ma.make(name)
    openings = [opening(game, 1, number) for number in range(6)]
    assert [opening(game, 1, number) for number in range(6)] == openings
    assert len(set(openings)) > 1
    assert not any(state.is_terminal for state in openings)


def test_openings_stop_before_the_end():
    assert not opening(ma.make("kalah:columns=1,seeds=1"), 0, 0).is_terminal


def test_endless_games_are_truncated(monkeypatch):
    monkeypatch.setattr(benchmark, "MAX_PLIES", 5)
    results = play_pair("oware", ("first", "first"), 0, 0)
    assert results == (Result(0.5, "truncated"), Result(0.5, "truncated"))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["chess", "--agents", "random", "first"], "chess"),
        (["--agents", "random"], "two or more"),
        (["--agents", "random", "nobody"], "nobody"),
        (["--agents", "random", "greedy:x=1"], "no option 'x'"),
        (["--games", "3"], "--games 3"),
        (["--games", "0"], "--games"),
        (["--seed", "x"], "x"),
        (["--json"], "--json"),
        (["--json", "--games", "4"], "--json"),
        (["--json", ""], "--json"),
        (["--json", "/no/such/folder/file", "--agents", "random", "first"], "/no/such/folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, words, named):
    code, out, err = compare(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith("agents: ")
    assert err.count("\n") == 1
    assert named in err
