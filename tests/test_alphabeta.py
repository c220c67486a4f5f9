"""Alpha-beta gives the score of plain minimax, whatever its table, window and threads.

``check_minimax.py`` compares the two, here and, on more positions, as a command.
"""

from __future__ import annotations

import math
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from check_minimax import affordable_depth, check, estimate_of, live_positions, objectives
from helpers import NAMES, option_sets
from reference.minimax import action_scores, minimax

import mancala_ai as ma
from mancala_ai.agents import make_agent, table
from mancala_ai.agents.alphabeta import (
    MOST_DEPTH,
    AlphaBetaAgent,
    Clock,
    Helpers,
    OutOfTime,
    Searcher,
)
from mancala_ai.agents.table import NOTHING
from mancala_ai.dispatch import UNIT
from mancala_ai.errors import AgentError

POSITIONS = 1000  # of every game
SETS = 8  # of options of every game, the defaults among them


@pytest.mark.parametrize("name", NAMES)
def test_score_and_action_are_those_of_minimax(name):
    for options in option_sets(name, SETS):
        check(name, options, POSITIONS // SETS)


@pytest.mark.parametrize("name", NAMES)
def test_every_window_gives_a_bound(name):
    rng = random.Random(2)
    for state in live_positions(name, {}, 40, 1):
        for by_win in objectives(state.game):
            evaluate = estimate_of(state.game, by_win)
            depth = affordable_depth(state, rng)
            scores = action_scores(state, depth, evaluate, by_win)
            best = max(scores.values())
            searcher = Searcher(state.game, by_win, MOST_DEPTH, 1, 1)
            searcher.look_at(state)
            for _ in range(20):
                goal = best + rng.choice((-1, 1)) * int(2 ** rng.uniform(0, 14)) + rng.randint(0, 1)
                answer = searcher.ask(goal, depth, NOTHING, Clock(None), math.inf)
                if answer.score >= goal:
                    assert answer.score <= best
                    assert scores[answer.action] >= answer.score
                else:
                    assert answer.score >= best
                    assert answer.action == NOTHING


@pytest.mark.parametrize("name", NAMES)
def test_proven_scores_do_not_change_with_depth(name):
    rng = random.Random(3)
    proven = 0
    for state in live_positions(name, {}, 400, 2):
        by_win = rng.choice(objectives(state.game))
        depth = affordable_depth(state, rng)
        searcher = Searcher(state.game, by_win, MOST_DEPTH, 1, 1)
        searcher.look_at(state)
        found = searcher.score(depth, 0, NOTHING, Clock(None))
        if found.proven:
            proven += 1
            deeper = minimax(state, depth + 1, estimate_of(state.game, by_win), by_win)
            assert deeper == found.score
            assert searcher.score(depth + 2, 0, NOTHING, Clock(None)).score == found.score
    assert proven > 3


@pytest.mark.parametrize("name", NAMES)
def test_table_and_threads_change_nothing(name, monkeypatch):
    monkeypatch.setattr("mancala_ai.agents.alphabeta.ALONE", 50)  # help is called early
    monkeypatch.setattr("mancala_ai.agents.alphabeta.FIRST_SLICE", 50)
    depth = {"gore": 3, "omweso": 5}.get(name, 6)
    agents = [
        make_agent("alphabeta", depth=depth, memory=memory, threads=threads)
        for memory, threads in ((8, 1), (0, 1), (8, 2), (0.01, 3))
    ]
    for state in live_positions(name, {}, 6, 3):
        for _ in range(2):  # the second time with a warm table
            told = []
            for agent in agents:
                agent.act(state)
                told.append([agent.last_info[key] for key in ("action", "value", "proven")])
            assert all(each == told[0] for each in told)
    for agent in agents:
        agent.close()


@pytest.mark.parametrize("threads", [1, 3])
def test_closing_ends_a_search(threads, monkeypatch):
    at_work = threading.Barrier(2 + threads - 1)  # the one who closes, and all who search
    helper, look = Helpers._help, Clock.look

    def help_and_tell(self, stack):
        at_work.wait(60)
        helper(self, stack)

    def look_and_tell(self):
        look(self)
        if agent._searcher is not None and agent._searcher.nodes > 100_000 and not told:
            told.append(at_work.wait(60))

    monkeypatch.setattr(Helpers, "_help", help_and_tell)
    monkeypatch.setattr(Clock, "look", look_and_tell)
    told = []
    agent = make_agent("alphabeta", solve=True, threads=threads, memory=1)
    state = ma.make("kalah").initial_state()  # takes minutes
    agent.prepare(state)
    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(agent.act, state)
        at_work.wait(60)
        agent.close()
        with pytest.raises(AgentError, match="alphabeta was closed in the middle of a search"):
            acting.result(60)
    assert agent.act(ma.make("kalah:columns=2,seeds=2").initial_state()) in (0, 1)  # it still can


def line_holds(state, info):
    """Whether a line is legal and leads, by its seeds and its end, to the value told."""
    player, begin = state.player, state.captured
    for action in info["principal_variation"]:
        state = state.apply(action)
    gains = state.captured - begin
    return state, int(gains[player] - gains[1 - player])


@pytest.mark.parametrize("name", ["kalah", "oware", "gore", "hoyito_iii"])
def test_principal_variation_of_a_proven_value_leads_to_it(name):
    seen = 0
    for state in live_positions(name, {}, 60, 4):
        agent = make_agent("alphabeta:depth=3")
        agent.act(state)
        info = agent.last_info
        assert info["principal_variation"][0] == info["action"]
        end, gain = line_holds(state, info)
        if info["proven"] and end.is_terminal and not end.annulled:
            seen += 1
            assert info["value"] == gain
    assert seen >= 1


def test_kalah_is_solved_to_its_end():
    for columns, seeds in ((1, 1), (2, 2), (3, 3), (4, 3)):
        game = ma.make("kalah", columns=columns, seeds=seeds)
        agent = make_agent("alphabeta:solve=True")
        agent.act(game.initial_state())
        info = agent.last_info
        assert info["proven"] and "depth" not in info
        end, gain = line_holds(game.initial_state(), info)
        assert end.is_terminal and gain == info["value"]


def test_solve_deepens_where_positions_recur():
    solved = 0
    for state in live_positions("katro", {"rows": 2, "columns": 3}, 100, 5):
        shallow, solver = make_agent("alphabeta:depth=4"), make_agent("alphabeta:solve=True")
        shallow.act(state)
        if shallow.last_info["proven"] and shallow.last_info["depth"] > 1:
            solved += 1
            solver.act(state)
            for key in ("value", "proven", "depth"):
                assert solver.last_info[key] == shallow.last_info[key]
    assert solved > 1


class FakeClock(Clock):
    """A clock on which every look takes a tenth of a second."""

    now = 0.0

    def look(self):
        FakeClock.now += 0.1
        if FakeClock.now >= 1:
            raise OutOfTime


def test_a_search_ends_with_its_time(monkeypatch):
    monkeypatch.setattr("mancala_ai.agents.alphabeta.Clock", FakeClock)
    FakeClock.now = 0.0
    agent = AlphaBetaAgent(seconds=1)
    state = ma.make("kalah").initial_state()
    assert agent.act(state) in state.legal_actions()
    assert 1 <= agent.last_info["depth"] < 20


class SlowClock(FakeClock):
    """A clock on which a search has time for some hundred thousand nodes."""

    def look(self):
        FakeClock.now += 0.003
        if FakeClock.now >= 1:
            raise OutOfTime


@pytest.mark.parametrize("name", NAMES)
def test_a_search_cut_off_by_its_time_has_the_line_of_the_last_depth(name, monkeypatch):
    monkeypatch.setattr("mancala_ai.agents.alphabeta.Clock", SlowClock)
    FakeClock.now = 0.0
    agent = AlphaBetaAgent(seconds=1)
    state = ma.make(name).initial_state()
    agent.act(state)
    info = agent.last_info
    assert info["principal_variation"][0] == info["action"]
    assert len(info["principal_variation"]) >= min(info["depth"], 3)


def test_a_new_game_is_searched_as_by_a_new_agent():
    state = ma.make("kalah").initial_state()
    agent = make_agent("alphabeta:depth=8")
    nodes = []
    for _ in range(3):
        agent.act(state)
        nodes.append(agent.last_info["nodes"])
        if len(nodes) == 2:
            agent.reset()
    assert nodes[0] == nodes[2] > nodes[1]


def test_a_table_without_memory_for_it_is_refused_in_one_line(monkeypatch):
    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr(table, "np", SimpleNamespace(zeros=no_memory, int64=np.int64))
    with pytest.raises(ma.ArgumentError, match="no memory for a table of 512 MiB"):
        make_agent("alphabeta:memory=512").act(ma.make("kalah").initial_state())


def test_one_legal_move_is_played_at_once_under_a_clock():
    game = ma.make("kalah")
    state = game.state([[0, 0, 0, 0, 0, 5], [4, 4, 4, 4, 4, 4]])
    agent = make_agent("alphabeta:seconds=1000")
    assert agent.act(state) == 5
    assert agent.last_info["depth"] == 1


def test_objective_margin_is_refused_where_the_last_move_decides():
    agent = make_agent("alphabeta:objective=margin")
    for name in ("tsoro", "omweso", "katro"):
        with pytest.raises(ma.ArgumentError, match=f"{name} is decided by the last move"):
            agent.act(ma.make(name).initial_state())


def test_values_of_finished_games_are_exact():
    # South takes all and wins by 24 seeds; whatever came before, the value counts from here
    game = ma.make("kalah", columns=2)
    state = game.state([[0, 1], [0, 6]], captured=(3, 0))
    for objective, value in (("margin", 1 - 6), ("win", 0.0)):
        agent = make_agent("alphabeta", depth=1, objective=objective)
        agent.act(state)
        assert agent.last_info["value"] == value
        assert agent.last_info["proven"]
    assert UNIT == 16
