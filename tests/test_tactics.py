"""Forced wins: the positions of ``tactics.json`` are what they say, and agents find the wins.

``tests/make_tactics.py`` says what the file holds and writes it anew.
"""

from __future__ import annotations

import json

import pytest
from make_tactics import PATH, decisions_to_win, described
from reference.minimax import action_scores, minimax, winning_actions

import mancala_ai as ma
from mancala_ai.agents import agent_names, make_agent
from mancala_ai.dispatch import UNIT, WIN

TACTICS = json.loads(PATH.read_text(encoding="utf-8"))
NAMES = ma.games()

# How far off a win may be for an agent to find it, in decisions. Where the values of a game
# are seeds, an agent plays for the win only if it is told to.
FINDERS = {
    "greedy": 1,
    "alphabeta:depth=1,objective=win": 1,
    "alphabeta:depth=3,objective=win": 3,
    "mcts:num_simulations=2000,objective=win": 3,
}


def of_game(name):
    entries = [entry for entry in TACTICS if entry["game"] == name]
    return [(entry, ma.make(name).state_from_text(entry["position"])) for entry in entries]


@pytest.mark.parametrize("name", NAMES)
def test_positions_are_what_they_say(name):
    for number, (entry, state) in enumerate(of_game(name)):
        assert described(state, entry["decisions"]) == entry
        if number % 4 == 0:  # which takes longer
            assert decisions_to_win(state) == entry["decisions"]


@pytest.mark.parametrize("name", NAMES)
def test_there_are_wins_of_all_kinds(name):
    kinds = {(e["decisions"], state.player, e["again"]) for e, state in of_game(name)}
    assert {kind[:2] for kind in kinds} == {(1, 0), (1, 1), (3, 0), (3, 1)}
    if name not in ("katro", "oware"):  # where nobody decides twice
        assert {(3, 0, True), (3, 1, True)} <= kinds


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spec", [s for s in FINDERS if s.partition(":")[0] in agent_names()])
def test_agents_find_the_wins(spec, name):
    agent = make_agent(spec, seed=1)
    for entry, state in of_game(name):
        if entry["decisions"] <= FINDERS[spec]:
            assert agent.act(state) in entry["winning"], state.to_text()
    agent.close()


# Plain minimax itself ---------------------------------------------------------


def seven(state):
    """An estimate: seven sixteenths of a seed for whoever decides."""
    return 7


def test_minimax_follows_who_decides():
    # South's last pit fills his store, and he moves again; then his other pit takes three
    state = ma.make("kalah:columns=3").state([[0, 1, 1], [3, 0, 0]])
    assert action_scores(state, 1, seven, by_win=False) == {1: -7, 2: UNIT + 7}
    # after the other pit North has one move, into his store, and moves again
    assert action_scores(state, 2, seven, by_win=False) == {1: -(UNIT + 7), 2: 5 * UNIT}
    assert action_scores(state, 2, seven, by_win=True) == {1: -7, 2: WIN}
    assert minimax(state, 2, seven, by_win=False) == 5 * UNIT
    assert (winning_actions(state, 1), winning_actions(state, 2)) == ([], [2])


def test_minimax_knows_ends():
    drawn = ma.make("kalah:columns=2").state([[0, 1], [0, 1]])
    lost = ma.make("kalah:columns=2").state([[0, 1], [0, 1]], captured=(0, 3))
    finished = lost.apply(1)
    assert minimax(finished, 3, seven, by_win=True) == (WIN if finished.player == 1 else -WIN)
    assert minimax(finished, 3, seven, by_win=False) == 0
    for depth in (1, 2):
        assert action_scores(drawn, depth, seven, by_win=True) == {1: 0}
        assert action_scores(drawn, depth, seven, by_win=False) == {1: 0}
        assert action_scores(lost, depth, seven, by_win=True) == {1: -WIN}
        assert action_scores(lost, depth, seven, by_win=False) == {1: 0}


@pytest.mark.parametrize("spec", ["hoyito_iii:max_laps=1", "katro:max_laps=1"])
def test_annulled_games_are_worth_nothing(spec):
    state = ma.make(spec).initial_state()
    annulled = [action for action in state.legal_actions() if state.apply(action).annulled]
    assert annulled
    for by_win in (True, False):
        scores = action_scores(state, 2, seven, by_win)
        assert {scores[action] for action in annulled} == {0}
