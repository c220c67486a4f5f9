"""Tournaments: plans, openings, faults, journals that survive, and the same games everywhere."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import mancala_ai as ma
from mancala_ai.agents.tournament import Plan, Sprt, run
from mancala_ai.agents.tournament.journal import (
    Journal,
    read_outcomes,
    read_record,
    read_settings,
)
from mancala_ai.agents.tournament.opening import opening
from mancala_ai.agents.tournament.playing import play
from mancala_ai.agents.tournament.report import report
from mancala_ai.cli import main
from mancala_ai.errors import MancalaError, TournamentError
from mancala_ai.render.text import status

AGENTS = ("random", "first", "greedy")


def small(**changes):
    settings = {"games": ("kalah", "gore:trading=False"), "agents": AGENTS, "openings": 3}
    return Plan(**{**settings, **changes})


def games_of(path):
    """The games of a journal by number, without the times, which differ."""
    return {
        outcome["number"]: {k: v for k, v in outcome.items() if k != "seconds"}
        for outcome in read_outcomes(path)
    }


@pytest.fixture
def complete(tmp_path):
    """A journal of all games of the small plan."""
    path = tmp_path / "complete.jsonl"
    run(small(), path, jobs=1)
    return path


# Plans and openings


def test_every_couple_plays_every_opening_twice_with_seats_exchanged():
    for plan in (small(), small(gauntlet=True)):
        fixtures = [plan.fixture(number) for number in range(plan.total)]
        assert [fixture.number for fixture in fixtures] == list(range(plan.total))
        played = {fixture[1:] for fixture in fixtures}
        assert len(played) == plan.total
        couples = [(0, 1), (0, 2)] if plan.gauntlet else [(0, 1), (0, 2), (1, 2)]
        wanted = {
            (game, *seats, number)
            for game in plan.games
            for couple in couples
            for seats in (couple, couple[::-1])
            for number in range(plan.openings)
        }
        assert played == wanted


def test_a_plan_with_more_openings_begins_with_the_same_games():
    short, long = small(openings=2), small(openings=5)
    for number in range(short.total):
        assert short.fixture(number) == long.fixture(number)
        assert short.agent_seeds(number) == long.agent_seeds(number)


def test_wrong_plans_are_refused_in_one_line():
    wrong = [
        {"games": ()},
        {"agents": ("random",)},
        {"agents": ("random", "greedy", "random")},
        {"agents": ("mcts", "mcts:c=0.5")},  # the same, as 0.5 is the default
        {"games": ("kalah", "kalah:columns=6")},
        {"games": ("chess",)},
        {"agents": ("random", "nobody")},
        {"agents": ("random", "human")},
        {"openings": 0},
        {"opening_plies": -1},
        {"fair": 0.7},
        {"seconds_per_turn": 0},
        {"grace": -0.1},
        {"max_plies": 0},
    ]
    for changes in wrong:
        with pytest.raises(MancalaError) as caught:
            small(**changes)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("game", ma.games())
def test_openings_are_live_and_depend_on_seed_and_number_alone(game):
    spec = ma.make(game).spec
    drawn = [opening(spec, 7, number, 5) for number in range(20)]
    opening.cache_clear()
    assert drawn == [opening(spec, 7, number, 5) for number in range(20)]
    assert drawn != [opening(spec, 8, number, 5) for number in range(20)]
    for each in drawn:
        state = each.initial
        for action in each.actions:
            state = state.apply(action)
        assert state == each.start
        assert not state.is_terminal


def test_fair_openings_are_fairer():
    def unfairness(fair):
        judge = ma_agent("alphabeta", depth=6, objective="win")
        found = []
        for number in range(12):
            judge.act(opening("kalah", 3, number, 6, fair).start)
            found.append(abs(judge.last_info["value"] - 0.5))
        return found

    from mancala_ai.agents import make_agent as ma_agent

    assert max(unfairness(None)) > 0.1
    assert max(unfairness(0.1)) <= 0.1


# Games


def test_the_moves_of_an_outcome_lead_to_its_result():
    plan = small()
    for number in range(plan.total):
        outcome = play(plan, number)
        state = ma.make(outcome["game"]).state_from_text(outcome["position"])
        for action in outcome["moves"]:
            state = state.apply(action)
        assert state.is_terminal
        assert outcome["ending"] == state.win_kind
        assert outcome["result"] == state.returns[0]
        assert tuple(outcome["points"]) == state.points
        assert outcome["fault"] is None


def test_truncated_games_have_no_result():
    outcome = play(small(games=("tsoro",), max_plies=6), 0)
    assert (len(outcome["moves"]), outcome["ending"], outcome["result"]) == (6, "truncated", None)


ENGINES = {
    "hangs": "import time; time.sleep(1000)",
    "ends": "raise SystemExit(3)",
    "illegal": (
        "import sys\n"
        "for line in sys.stdin:\n"
        "    print('action 5000' if line.startswith('go') else 'ready', flush=True)"
    ),
    "late": (
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('go'): time.sleep(1000)\n"
        "    print('ready', flush=True)"
    ),
}


@pytest.mark.parametrize(
    ("fault", "seconds", "kind"),
    [
        ("hangs", None, "error"),
        ("ends", None, "error"),
        ("illegal", None, "error"),
        ("illegal", 5.0, "error"),
        ("late", 0.05, "time"),
        ("ends", 5.0, "error"),
    ],
)
def test_an_agent_that_fails_loses_and_the_tournament_goes_on(tmp_path, fault, seconds, kind):
    program = tmp_path / "engine.py"
    program.write_text(ENGINES[fault])
    command = shlex.join([sys.executable, str(program)])
    faulty = f"process:timeout=2,cmd={command}"
    plan = Plan(("kalah",), ("random", faulty), openings=1, seconds_per_turn=seconds)
    standing = run(plan, jobs=1)
    assert standing.finished == 2
    assert standing.tally(0, 1).wins_draws_losses == (2, 0, 0)
    assert dict(standing.faults) == {(plan.agents[1], kind): 2}


# Journals


def test_a_journal_holds_each_game_and_tells_all_that_the_run_told(complete):
    plan = small()
    found = games_of(complete)
    assert sorted(found) == list(range(plan.total))
    assert read_settings(complete) == json.loads(json.dumps(plan.settings()))
    again = run(plan, complete, jobs=1)
    assert again.finished == plan.total
    assert games_of(complete) == found  # nothing was added
    assert [r["games"] for r in report(again)["rows"]] == [6] * 6


def test_whatever_is_left_of_a_journal_the_rest_is_played_the_same(complete, tmp_path):
    text, wanted = complete.read_bytes(), games_of(complete)
    lines = text.splitlines(keepends=True)
    damaged = tmp_path / "rest.jsonl"
    for kept in (0, 1, 2, 20, len(lines) - 1):
        for torn in (b"", lines[kept][:1], lines[kept][:-1]):
            damaged.write_bytes(b"".join(lines[:kept]) + torn)
            run(small(), damaged, jobs=1)
            assert games_of(damaged) == wanted


def test_more_games_are_added_to_a_journal(complete):
    before = games_of(complete)
    run(small(openings=4), complete, jobs=1)
    after = games_of(complete)
    assert len(after) == small(openings=4).total
    assert before.items() <= after.items()
    assert run(small(openings=2), complete, jobs=1).finished == small(openings=2).total


@pytest.mark.parametrize("line", [0, 1, 5])
def test_a_damaged_line_is_named_and_nothing_is_done(complete, line):
    for damage in (b"{}\n", b"\xff\xfe\n", b"null\n", b"\n", b'{"number": 1\n'):
        lines = complete.read_bytes().splitlines(keepends=True)
        lines[line] = damage
        damaged = complete.with_name("damaged.jsonl")
        damaged.write_bytes(b"".join(lines))
        with pytest.raises(TournamentError, match=rf"damaged.jsonl:{line + 1}: "):
            run(small(), damaged, jobs=1)
        assert damaged.read_bytes() == b"".join(lines)


def test_games_that_occur_twice_or_are_others_are_damage(complete):
    lines = complete.read_bytes().splitlines(keepends=True)
    twice = complete.with_name("twice.jsonl")
    twice.write_bytes(b"".join([*lines[:4], lines[2]]))
    with pytest.raises(TournamentError, match=r"twice.jsonl:5: .*twice"):
        run(small(), twice, jobs=1)
    other = json.loads(lines[3])
    other["south"], other["north"] = other["north"], other["south"]
    twice.write_bytes(b"".join([*lines[:3], json.dumps(other).encode() + b"\n"]))
    with pytest.raises(TournamentError, match=r"twice.jsonl:4: "):
        run(small(), twice, jobs=1)


def test_a_journal_of_another_tournament_is_refused(complete):
    before = complete.read_bytes()
    for changes in ({"seed": 1}, {"agents": ("random", "first")}, {"max_plies": 5}):
        with pytest.raises(TournamentError, match=next(iter(changes))):
            run(small(**changes), complete, jobs=1)
    assert complete.read_bytes() == before


def test_two_runs_on_one_journal_are_one_too_many(complete):
    with Journal(complete, small()), pytest.raises(TournamentError, match="another tournament"):
        run(small(), complete, jobs=1)
    run(small(), complete, jobs=1)


def arguments(path, *more):
    return [
        *("tournament", "kalah", "gore:trading=False", "--agents", *AGENTS),
        *("--games", "200", "--journal", str(path), *more),
    ]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_killed_at_any_moment_it_ends_with_the_same_games(tmp_path):
    plan = small(openings=100)
    undisturbed, killed = tmp_path / "undisturbed.jsonl", tmp_path / "killed.jsonl"
    run(plan, undisturbed, jobs=1)
    command = [sys.executable, "-m", "mancala_ai.cli", *arguments(killed, "--jobs", "2")]
    for enough in (3, 300):
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        while process.poll() is None and _lines(killed) < enough:
            time.sleep(0.01)
        process.kill()
        process.wait()
        with suppress(ProcessLookupError):  # joblib's workers outlive it for some minutes
            os.killpg(process.pid, signal.SIGKILL)
    assert _lines(killed) < plan.total
    while True:  # its workers may hold on to the lock for a moment
        try:
            run(plan, killed, jobs=1)
            break
        except TournamentError:
            time.sleep(0.05)
    assert games_of(killed) == games_of(undisturbed)


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


# Everywhere the same


def test_processes_play_the_same_games(complete, tmp_path):
    path = tmp_path / "loky.jsonl"
    run(small(), path, jobs=2)
    assert games_of(path) == games_of(complete)


def test_a_cluster_that_loses_a_worker_plays_the_same_games(tmp_path):
    distributed = pytest.importorskip("distributed")
    plan = small(openings=10)
    alone, clustered = tmp_path / "alone.jsonl", tmp_path / "cluster.jsonl"
    run(plan, alone, jobs=1)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        killed = []

        def kill_one(standing):
            if standing.finished > 5 and not killed:
                killed.append(next(iter(cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        run(plan, clustered, backend="dask", address=cluster.scheduler_address, watch=kill_one)
    assert killed
    assert games_of(clustered) == games_of(alone)


def test_wrong_backends_are_refused():
    with pytest.raises(TournamentError, match="loky"):
        run(small(), backend="slurm")
    with pytest.raises(TournamentError, match="dask"):
        run(small(), address="tcp://127.0.0.1:8786")


# Tests that stop early


def test_a_test_stops_at_the_same_opening_however_it_is_played(tmp_path):
    plan = Plan(("kalah",), ("greedy", "random"), openings=400)
    sprt = Sprt.parse("elo0=0,elo1=200")
    alone = run(plan, tmp_path / "alone.jsonl", jobs=1, sprt=sprt)
    assert alone.test.verdict == "elo1"
    assert alone.finished < plan.total / 2
    many = run(plan, tmp_path / "many.jsonl", jobs=2, sprt=sprt)
    resumed = run(plan, tmp_path / "many.jsonl", jobs=2, sprt=sprt)
    for other in (many, resumed):
        assert other.finished == alone.finished
        assert (other.tally(0, 1).counts == alone.tally(0, 1).counts).all()
        assert other.test == alone.test
        assert other.endings == alone.endings
    with pytest.raises(TournamentError, match="two agents in one game"):
        run(small(), jobs=1, sprt=sprt)


def test_tallies_agree_with_the_outcomes(complete):
    plan, standing = small(), run(small(), complete, jobs=1)
    outcomes = list(read_outcomes(complete))
    for game, spec in enumerate(plan.games):
        for agent in range(3):
            for other in {0, 1, 2} - {agent}:
                won, drawn, lost = 0, 0, 0
                for outcome in outcomes:
                    seats = [outcome["south"], outcome["north"]]
                    if outcome["game"] == spec and set(seats) == {
                        plan.agents[agent],
                        plan.agents[other],
                    }:
                        result = outcome["result"] * (1 if seats[0] == plan.agents[agent] else -1)
                        won, drawn, lost = (
                            won + (result == 1),
                            drawn + (result == 0),
                            lost + (result == -1),
                        )
                tally = standing.tally(agent, other, game)
                assert tally.wins_draws_losses == (won, drawn, lost)
                assert tally.games == 6
                assert tally.score == (won + drawn / 2) / 6


def test_games_without_a_result_are_left_out():
    standing = run(small(games=("tsoro",), max_plies=6), jobs=1)
    assert standing.finished == standing.plan.total
    assert standing.endings[0]["truncated"] == standing.plan.total
    assert standing.tally(0, 1).games == 0
    assert np.isfinite([row["elo"] for row in report(standing)["ratings"]["tsoro"]]).all()


# The command


def test_the_command_reports(tmp_path, capsys):
    table, figures = tmp_path / "scores.csv", tmp_path / "report.json"
    words = ["tournament", "kalah", "--agents", *AGENTS, "--games", "4", "--jobs", "1"]
    assert main([*words, "--csv", str(table), "--json", str(figures)]) == 0
    printed = capsys.readouterr().out
    assert all(agent in printed for agent in AGENTS)
    rows = json.loads(figures.read_text())["rows"]
    assert [(row["agent"], row["opponent"]) for row in rows] == [
        ("random", "first"),
        ("random", "greedy"),
        ("first", "greedy"),
    ]
    assert table.read_text().splitlines()[0] == ",".join(rows[0])
    assert len(table.read_text().splitlines()) == 4


def test_every_game_of_a_journal_can_be_replayed(complete, tmp_path, capsys):
    for number, outcome in games_of(complete).items():
        record = read_record(complete, number)
        assert record.actions == tuple(outcome["moves"])
        assert record.final.returns[0] == outcome["result"]
    assert main(["replay", str(complete), "--game", "5", "--check"]) == 0
    assert "OK" in capsys.readouterr().out
    assert main(["replay", str(complete), "--game", "5000"]) == 2
    assert "no game 5000" in capsys.readouterr().err


def test_the_page_needs_nothing_else_and_replays_games(tmp_path, capsys):
    page = tmp_path / "page.html"
    words = ["kalah", "tsoro:columns=4", "--agents", "random", "greedy", "--games", "4"]
    assert main(["tournament", *words, "--jobs", "1", "--html", str(page)]) == 0
    text = page.read_text()
    assert not re.search(r"(src|href)=\"(?!#)|@import|url\((?!#)|fetch\(", text)
    assert text.count("<option") == 8
    replays = json.loads(re.search(r"const replays = (.*), geometry = ", text)[1])
    geometry = json.loads(re.search(r"geometry = (.*);", text)[1])
    for shown in replays:
        game = ma.make(shown["game"])
        for step in shown["steps"]:
            assert len(step["seeds"]) == 4 * game.rows * game.columns // 2 + 2
        assert len(geometry[shown["game"]]) in (len(step["seeds"]), len(step["seeds"]) - 2)
    assert not list(tmp_path.glob("*.jsonl"))


def test_games_can_be_stepped_through_in_a_browser(chromium, tmp_path):
    file, journal, complaints = tmp_path / "page.html", tmp_path / "games.jsonl", []
    words = ["kalah", "tsoro:columns=14", "--agents", "random", "greedy", "--games", "4"]
    written = ["--journal", str(journal), "--html", str(file)]
    assert main(["tournament", *words, "--jobs", "1", *written]) == 0
    page = chromium.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    for place in (0, 5):
        option = page.locator("#game option").nth(place)
        number = int(option.inner_text().partition(":")[0])
        page.select_option("#game", str(place))
        record = read_record(journal, number)
        steps, states = len(record.actions), record.states()
        at = page.locator("#step")
        for ply in range(3):
            assert at.inner_text().startswith(f"{ply} of {steps} ")
            board = page.locator(".board:visible svg")
            assert board.get_attribute("aria-label") == status(states[ply])
            shown = list(map(int, board.locator("g.seeds text").all_text_contents()))
            pits = states[ply].board.ravel().tolist()
            stores = [] if "tsoro" in option.inner_text() else states[ply].captured.tolist()
            assert shown == [seeds for seeds in pits if seeds > 12] + stores
            assert board.locator("g.seeds circle").count() == sum(s for s in pits if s <= 12)
            page.get_by_role("button", name="next").click()
        page.get_by_role("button", name="last position").click()
        assert at.inner_text().startswith(f"{steps} of {steps} ")
        page.get_by_role("button", name="back").click()
        assert at.inner_text().startswith(f"{steps - 1} of {steps} ")
        page.get_by_role("button", name="first position").click()
        assert at.inner_text().startswith("0 of ")
    page.close()
    assert complaints == []


def test_no_rating_is_minus_zero(capsys, tmp_path):
    page = tmp_path / "page.html"
    words = ["oware:seeds=1", "--agents", "first", "greedy", "--games", "2", "--seed", "0"]
    assert main(["tournament", *words, "--html", str(page)]) == 0
    for text in (capsys.readouterr().out, page.read_text(encoding="utf-8")):
        assert not re.search(r"-0\b(?!\.)", text)


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib.figure"])
def test_a_page_that_cannot_be_written_is_refused_before_the_games(
    missing, tmp_path, capsys, monkeypatch
):
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.chdir(tmp_path)
    words = ["tournament", "kalah", "--agents", "random", "greedy", "--games", "4"]
    assert main([*words, "--html", "page.html", "--journal", "games.jsonl"]) == 2
    name = missing.partition(".")[0]
    assert capsys.readouterr().err == (
        f'mancala: an HTML report needs {name}: pip install "mancala-ai[report]"\n'
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["kalah", "--agents", "random", "--games", "4"], "2 agents"),
        (["kalah", "--agents", "random", "greedy", "--games", "5"], "even"),
        (["--agents", "random", "greedy"], "1 game"),
        (["kalah", "--agents", "random", "greedy", "--backend", "slurm"], "loky"),
        (["kalah", "--agents", "random", "greedy", "--jobs", "-1"], "jobs"),
        (["kalah", "--agents", "random", "greedy", "--jobs", "9999999"], "from 0 to 1024"),
        (["kalah", "--agents", "random", "greedy", "--journal", "nowhere/j.jsonl"], "nowhere"),
        (["kalah", "--agents", "random", "greedy", "--html", "nowhere/p.html"], "nowhere"),
        (["kalah", "--agents", "random", "greedy", "--fair", "nan"], "fair"),
    ],
)
def test_wrong_commands_end_in_one_line(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["tournament", *words]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert said in captured.err
    assert not list(tmp_path.iterdir())
