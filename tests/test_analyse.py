"""``mancala analyse``: what every move does, and values that are the mover's whoever is next."""

from __future__ import annotations

import json
import re
import sys
from functools import cache

import pytest
from helpers import Screen

import mancala_ai as ma
from mancala_ai.agents import Agent, registry
from mancala_ai.cli import main
from mancala_ai.cli.analyse import after_forced_moves
from mancala_ai.errors import AgentError
from mancala_ai.fields import Option

NEVER = "2,0,1,0,1,0,1,0,1,0,1,0,1,0,2,1/51,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 south"  # sown from i


@cache
def south_ahead(state, objective):
    """What the game comes to for South under best play: captured seeds ahead, or -1, 0, 1."""
    if state.is_terminal:
        won = state.captured[0] - state.captured[1] if objective == "margin" else state.returns[0]
        return int(won)
    values = [south_ahead(state.apply(action), objective) for action in state.legal_actions()]
    return max(values) if state.player == 0 else min(values)


class Oracle(Agent):
    """Knows the exact value of every position; its line is one move."""

    NAME = "oracle"
    OPTIONS = (Option("objective", "margin", ("margin", "win"), "what values count"),)

    def choose(self, state, seconds):
        objective = self.options["objective"] if state.game.COUNTS_SEEDS else "win"
        value = south_ahead(state, objective)
        if objective == "margin":
            value -= int(state.captured[0] - state.captured[1])
        value = value if state.player == 0 else -value
        action = state.legal_actions()[0]
        if objective == "win":
            value = (value + 1) / 2
        info = {"value": value, "objective": objective, "proven": True, "depth": 4}
        return action, {**info, "principal_variation": [action]}


class Failing(Agent):
    NAME = "failing"

    def choose(self, state, seconds):
        raise AgentError("failing: no idea")


class Hopeful(Agent):
    """Counts results where others count seeds."""

    NAME = "hopeful"

    def choose(self, state, seconds):
        return state.legal_actions()[0], {"value": 0.25, "objective": "win"}


class Clock(Agent):
    """Values a position by the time it was given, or a quarter."""

    NAME = "clock"

    def choose(self, state, seconds):
        return state.legal_actions()[0], {"value": seconds or 0.25}


@pytest.fixture
def analyse(capsys, monkeypatch):
    """Runs the command; exit code, stdout and stderr."""
    known = registry._agent_class
    added = {agent.NAME: agent for agent in (Oracle, Failing, Hopeful, Clock)}
    monkeypatch.setattr(registry, "_agent_class", lambda name: added.get(name) or known(name))

    def run(*words):
        code = main(["analyse", *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def moves_of(report):
    """The moves of a JSON report by their notation."""
    return {move["text"]: move for move in json.loads(report[1])["moves"]}


@pytest.mark.parametrize("objective", ["margin", "win"])
@pytest.mark.parametrize(
    "position",
    [
        "2,2/2,2 south",
        "2,2/2,2 north",
        "3,1/1,3 north captured=2,0",
        "0,1/3,1 south captured=2,4",
        "0,1/3,1 south captured=4,2",
        "1,0/2,3 north captured=0,5",
        "4,3/0,1 north captured=1,1",
    ],
)
def test_values_are_the_movers(analyse, position, objective):
    report = analyse(
        "kalah:columns=2,seeds=2", "--position", position, "--json",
        "--agent", f"oracle:objective={objective}",
    )  # fmt: skip
    state = ma.make("kalah", columns=2, seeds=2).state_from_text(position)
    sign = 1 if state.player == 0 else -1
    moves = json.loads(report[1])["moves"]
    assert sorted(move["action"] for move in moves) == state.legal_actions()
    for move in moves:
        after = state.apply(move["action"])
        value = sign * south_ahead(after, objective)
        if objective == "margin":
            value -= sign * int(state.captured[0] - state.captured[1])
        else:
            value = (value + 1) / 2
        assert move["value"] == value
        assert move["proven"] is True
        line = [move["action"]]
        while len(after.legal_actions()) == 1:
            line += after.legal_actions()
            after = after.apply(line[-1])
        assert move["depth"] == len(line) + (0 if after.is_terminal else 4)
        assert move["line"] == line + after.legal_actions()[:1]
    values = [move["value"] for move in moves]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("position", ["2,2/2,2 south", "4,3/0,1 north captured=1,1"])
def test_the_default_agent_agrees(analyse, position):
    words = ["kalah:columns=2,seeds=2", "--position", position, "--json"]
    exact, found = (moves_of(analyse(*words, *more)) for more in (["--agent", "oracle"], []))
    assert exact.keys() == found.keys()
    for text, move in exact.items():
        assert (found[text]["value"], found[text]["proven"]) == (move["value"], True)


def test_the_positions_of_the_test_above_say_enough():
    game = ma.make("kalah", columns=2, seeds=2)
    state = game.state_from_text("2,2/2,2 south")
    assert state.apply(0).player == 0  # an extra turn
    ended = game.state_from_text("0,1/3,1 south captured=2,4").apply(1)
    assert ended.is_terminal
    state = game.state_from_text("1,0/2,3 north captured=0,5")
    assert any(len(state.apply(a).legal_actions()) == 1 for a in state.legal_actions())


def test_forced_moves_are_played_before_the_agent_is_asked():
    game = ma.make("kalah", columns=3)
    state = game.state_from_text("0,1,1/0,0,3 south")
    after, (first, *forced) = after_forced_moves(state, 2)
    assert first == 2
    assert forced
    state = state.apply(first)
    for action in forced:
        assert state.legal_actions() == [action]
        state = state.apply(action)
    assert after == state
    assert len(after.legal_actions()) != 1


def test_the_objective_is_that_of_the_agents_values(analyse):
    position = "1,0,2/0,2,0 south"
    state = ma.make("kalah", columns=3).state_from_text(position)
    assert state.apply(0).returns == (1, -1)
    assert len(state.apply(2).legal_actions()) > 1
    words = ["kalah:columns=3", "--position", position, "--agent", "hopeful", "--json"]
    report = analyse(*words)
    assert json.loads(report[1])["objective"] == "win"
    assert {move["action"]: move["value"] for move in moves_of(report).values()} == {0: 1, 2: 0.75}


def test_what_moves_do(analyse):
    position = "0,0,0,2,0,0,0,0,0,0,0,3,0,0,0,0/0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,5 south"
    game = ma.make("omweso")
    moves = moves_of(analyse("omweso", "--position", position, "--agent", "random", "--json"))
    state = game.state_from_text(position)
    assert list(moves) == [state.action_to_text(action) for action in state.legal_actions()]
    for move in moves.values():
        trace = state.trace(move["action"])
        after = state.apply(move["action"])
        assert (move["laps"], move["ends"], move["period"]) == (len(trace), True, None)
        assert move["landing"] == trace[-1].landing
        assert move["captured"] == sum(sum(lap.captured.values()) for lap in trace)
        assert move["after"] == after.to_text()
        assert move["points"] == (list(after.points) if after.is_terminal else None)
        assert move["win_kind"] == after.win_kind
        assert "value" not in move


def test_captures_by_decisions_that_sow_nothing(analyse):
    position = "0,2,0,0,0,0,0,0/0,3,0,1,0,0,0,0 south phase=bonus bonus=1"
    report = analyse("tsoro:columns=4", "--position", position, "--agent", "first", "--json")
    told = {text: (move["captured"], move["laps"]) for text, move in moves_of(report).items()}
    assert told == {"xb1": (3, 0), "xd1": (1, 0)}


def test_a_move_that_never_ends(analyse):
    words = ["omweso", "--position", NEVER, "--agent", "first"]
    game = ma.make("omweso")
    state = game.state_from_text(NEVER)
    assert game.endless_moves(state)[0] == 128
    move = moves_of(analyse(*words, "--json"))["i"]
    assert (move["ends"], move["period"], move["landing"]) == (False, 128, None)
    assert move["win_kind"] == "annulled"
    assert move["points"] == [0, 0]
    _, out, _ = analyse(*words)
    assert re.search(r"^i +128 +never ends, repeats after 128 laps", out, re.MULTILINE)


def test_decided_by_the_last_move(analyse):
    position = "2,0,2,2,0,2/0,2,2,0,0,0 south"
    state = ma.make("katro:rows=2,columns=3").state_from_text(position)
    assert state.apply(0).returns == (1, -1)
    assert state.apply(2).player == 1
    assert len(state.apply(2).legal_actions()) > 1
    words = ["katro:rows=2,columns=3", "--position", position, "--agent", "clock"]
    report = analyse(*words, "--json")
    assert json.loads(report[1])["objective"] == "win"
    told = {move["action"]: (move["value"], move["proven"]) for move in moves_of(report).values()}
    assert told == {0: (1, True), 2: (0.75, False)}
    assert "75.0%" in analyse(*words)[1]


def test_a_table_with_values(analyse):
    code, out, err = analyse("kalah:columns=2,seeds=2", "--agent", "oracle")
    assert (code, err) == (0, "")
    game = ma.make("kalah", columns=2, seeds=2)
    assert out.startswith(str(game.initial_state()) + "\n\n")
    header, *rows = out.split("\n\n")[1].splitlines()
    assert " ".join(header.split()) == "move laps to then value exact depth best line"
    assert [row.split()[0] for row in rows] == ["2", "1"]
    again = rows[1]
    assert re.search(r"^1 +1 the store again +[+-]\d+ seeds +yes +2 +1 2 *$", again)
    values = [int(re.search(r"([+-]\d+) seeds", row)[1]) for row in rows]
    assert values[0] > values[1]


def test_a_table_without_values(analyse):
    _, out, _ = analyse("kalah", "--agent", "random")
    header = out.split("\n\n")[1].splitlines()[0]
    assert header.split() == ["move", "laps", "to", "then"]


@pytest.mark.parametrize("columns", [40, 72])  # row by row, or a table with wrapped texts
def test_a_narrow_terminal(analyse, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "stdout", terminal := Screen())
    analyse("kalah:columns=2,seeds=2", "--agent", "oracle")
    out = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    assert max(map(len, out.splitlines())) <= columns
    assert bool(re.search("^move +laps", out, re.M)) == (columns == 72)
    for title in ("move", "laps", "to", "then", "value", "exact", "depth", "best line"):
        assert re.search(rf"(^| ){title}( |$)", out, re.M)
    assert len(re.findall("[+-][0-9]+ seeds", out)) == 2


def test_a_finished_position(analyse):
    game = ma.make("kalah:columns=2,seeds=2")
    over = game.state_from_text("0,1/3,1 south captured=2,1").apply(1).to_text()
    report = analyse("kalah:columns=2,seeds=2", "--position", over, "--json")
    assert json.loads(report[1])["moves"] == []
    code, out, _ = analyse("kalah:columns=2,seeds=2", "--position", over)
    assert (code, out) == (0, str(game.state_from_text(over)) + "\n")


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("--agent clock --seconds 2.5", 2.5),
        ("--agent clock", 0.25),  # its own time
        ("--seconds 2.5", 2.5),
        ("", 0.5),
    ],
)
def test_the_time_that_the_agent_is_given(analyse, monkeypatch, words, seconds):
    known = registry._agent_class
    replaced = {"alphabeta": Clock}
    monkeypatch.setattr(registry, "_agent_class", lambda name: replaced.get(name) or known(name))
    report = analyse("oware", "--json", *words.split())
    assert {move["value"] for move in moves_of(report).values()} == {-seconds}  # North is next


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("", "GAME"),
        ("chess", "chess"),
        ("kalah --position nowhere", "nowhere"),
        ("kalah --position 6,6,6,6/6,6,6,6_south", "(2, 4)"),
        ("kalah --agent nobody", "nobody"),
        ("kalah --agent first:depth=1", "depth"),
        ("kalah --agent failing", "failing: no idea"),
        ("kalah --seconds 0", "seconds"),
        ("kalah --seconds nan", "seconds"),
        ("kalah --seconds soon", "--seconds"),
        ("kalah oware", "oware"),
        ("kalah --jso", "--jso"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(analyse, line, named):
    code, out, err = analyse(*(word.replace("_", " ") for word in line.split()))
    assert (code, out) == (2, "")
    assert err.startswith("mancala: ")
    assert err.count("\n") == 1
    assert named in err


def test_help(analyse):
    code, out, _ = analyse("--help")
    assert code == 0
    assert out.startswith("Usage: mancala analyse")
