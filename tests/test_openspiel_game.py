"""Our games as a game of OpenSpiel: its own checks, agreement with our states, its algorithms.

Skipped where OpenSpiel (PyPI ``open-spiel``) is not installed. ``test_openspiel.py``
compares OpenSpiel's own mancala games with ours.
"""

from __future__ import annotations

import pickle
import random
import runpy
from pathlib import Path

import numpy as np
import pytest

import mancala_ai as ma
from mancala_ai.agents import make_agent

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    cfr,
    exploitability,
    mcts,
    minimax,
    minimax_solver,
    random_agent,
    tabular_qlearner,
)
from open_spiel.python.tests import games_sim_test  # noqa: E402

from mancala_ai.envs import openspiel  # noqa: E402

SMALL_KALAH = "game=kalah,columns=3,seeds=2"
GAMES = [
    "game=tsoro",
    "game=tsoro,columns=8,optional_bonus=True",
    "game=omweso",
    "game=omweso,akakyala=True,setup=random,setup_seed=3",
    "game=omweso,setup=arrange",
    "game=katro",
    "game=katro,rows=2,columns=4,direction=kept",
    "game=gore",
    "game=gore,trading=False",
    "game=hoyito_iii",
    "game=hoyito_iii,last_four=player_0,columns=4",
    "game=kalah",
    "game=kalah,columns=4,empty_capture=True",
    "game=oware",
    "game=oware,repetition=split_rows,columns=3",
]


@pytest.fixture(autouse=True)
def seeded():
    np.random.seed(1)  # noqa: NPY002  # OpenSpiel draws from it


def load(parameters):
    return pyspiel.load_game(f"python_mancala_ai({parameters})")


def random_walk(state, chance):
    """The states of a random game, the last one included."""
    while not state.is_terminal():
        yield state
        state = state.child(chance.choice(state.legal_actions()))
    yield state


@pytest.mark.parametrize("parameters", GAMES)
def test_openspiels_own_checks(parameters):
    game = load(f"{parameters},max_plies=150")
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    games_sim_test.GamesSimTest().sim_game(game)


@pytest.mark.parametrize("parameters", GAMES)
def test_states_are_ours(parameters):
    game = load(f"{parameters},max_plies=150")
    assert game.num_distinct_actions() == game.rules.num_actions
    assert tuple(game.observation_tensor_shape()) == game.rules.observation_shape
    for state in random_walk(game.new_initial_state(), random.Random(1)):
        position = state.position
        assert str(state).removesuffix(" (truncated)") == position.to_text()
        assert state.returns() == list(position.returns)
        for player in (0, 1):
            seen = np.array(state.observation_tensor(player), np.float32)
            assert (seen == position.observation(player).ravel()).all()
        if state.is_terminal():
            assert state.current_player() == pyspiel.PlayerId.TERMINAL
            assert state.truncated != position.is_terminal
            return
        assert state.current_player() == position.player
        assert state.legal_actions() == position.legal_actions()
        assert state.legal_actions(1 - position.player) == []
        for action in state.legal_actions():
            text = state.action_to_string(action)
            assert text == position.action_to_text(action)
            assert state.string_to_action(text) == action


def test_parameters_of_a_game():
    game = pyspiel.load_game("python_mancala_ai", {"game": "omweso", "akakyala": True})
    assert game.rules == ma.make("omweso", akakyala=True)
    assert str(game) == "python_mancala_ai(akakyala=True,game=omweso)"
    assert pyspiel.load_game("python_mancala_ai").rules == ma.make("kalah")
    assert [load(f"game={name}").rules for name in ma.games()] == list(map(ma.make, ma.games()))


def test_the_value_that_stands_for_a_games_own_default_is_none_of_an_option():
    for name in ma.games():
        for option in ma.option_table(name):
            if openspiel.PARAMETERS[option.name] != option.default:
                assert openspiel.PARAMETERS[option.name] == openspiel.OWN_DEFAULT
                assert openspiel.OWN_DEFAULT not in option.choices


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("game=chess", "the games are: tsoro"),
        ("game=kalah,akakyala=True", "its options are: columns, seeds"),
        ("game=kalah,columns=13", "allowed: 1 to 12"),
        ("game=kalah,max_plies=0", "max_plies is an integer from 1, not 0"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ma.MancalaError, match=message):
        load(parameters)


def test_an_illegal_action_changes_nothing():
    state = load("game=kalah").new_initial_state()
    state.apply_action(2)
    before = str(state), state.history()
    for action in (6, 10**6):
        with pytest.raises(ma.IllegalActionError):
            state.apply_action(action)
    assert (str(state), state.history()) == before


def test_the_random_setup_is_a_parameter():
    boards = [
        load(f"game=omweso,setup=random,setup_seed={seed}").new_initial_state().position.board
        for seed in (1, 1, 2)
    ]
    assert (boards[0] == boards[1]).all()
    assert (boards[0] != boards[2]).any()


def test_max_plies():
    """A game stopped there has no result; one that ends just then has its own."""
    chance = random.Random(4)
    *_, last = random_walk(load(SMALL_KALAH).new_initial_state(), chance)
    while not last.returns()[0]:
        *_, last = random_walk(load(SMALL_KALAH).new_initial_state(), chance)
    plies = len(last.history())
    for max_plies, returns in ((plies, last.returns()), (plies - 1, [0, 0])):
        state = load(f"{SMALL_KALAH},max_plies={max_plies}").new_initial_state()
        for action in last.history()[:max_plies]:
            assert not state.is_terminal()
            state.apply_action(action)
        assert state.is_terminal()
        assert state.truncated == (max_plies < plies) == str(state).endswith(" (truncated)")
        assert state.returns() == returns
        assert state.legal_actions() == []


def test_games_begin_from_any_position():
    game = load("game=kalah")
    text = "4,4,0,5,5,5/4,4,4,4,4,4 south captured=1,0"
    state = game.new_initial_state(text)
    state.apply_action(0)
    for copy in (state.clone(), pickle.loads(pickle.dumps(state))):
        assert copy.position == game.rules.state_from_text(text).apply(0)
        assert copy.history() == [0]
    with pytest.raises(ma.PositionError):
        game.new_initial_state("4,4/4,4 south")


# OpenSpiel's algorithms


@pytest.fixture(scope="module")
def small_value():
    """The result of SMALL_KALAH with best play, by our own search."""
    solver = make_agent("alphabeta:solve=True,objective=win")
    solver.act(load(SMALL_KALAH).rules.initial_state())
    assert solver.last_info["proven"]
    return 2 * solver.last_info["value"] - 1


def test_alpha_beta(small_value):
    value, action = minimax.alpha_beta_search(load(SMALL_KALAH))
    assert value == small_value
    assert action in load(SMALL_KALAH).new_initial_state().legal_actions()


def test_minimax_solver(small_value):
    game = load(SMALL_KALAH)
    solved = minimax_solver.MinimaxSolver(str(game)).solve()
    assert solved[str(game.new_initial_state())].value == small_value


def python_mcts(game, seed):
    chance = np.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(1, chance)
    return mcts.MCTSBot(game, 2.0, 60, evaluator, random_state=chance).step


def compiled_mcts(game, seed):
    """OpenSpiel's C++ search; its ``step`` gives up the GIL and crashes in Python games."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 60, 100, False, seed, False)
    return lambda state: bot.mcts_search(state).best_child().action


@pytest.mark.parametrize("make_bot", [python_mcts, compiled_mcts])
@pytest.mark.parametrize(
    "parameters", ["game=kalah,columns=4,seeds=2", "game=hoyito_iii,columns=3"]
)
def test_mcts(parameters, make_bot):
    """It takes at least seven of eight games from random play."""
    game = load(parameters)
    chance, step = random.Random(1), make_bot(game, 1)
    won = 0
    for number in range(8):
        state, side = game.new_initial_state(), number % 2
        while not state.is_terminal():
            own = state.current_player() == side
            state.apply_action(step(state) if own else chance.choice(state.legal_actions()))
        won += state.returns()[side] > 0
    assert won >= 7


def test_the_script_of_the_documentation(capsys):
    script = Path(__file__).parents[1] / "docs" / "training" / "openspiel_mcts.py"
    results = runpy.run_path(str(script))["play"]()
    assert results in ([1, -1], [-1, 1], [0, 0])
    assert len(capsys.readouterr().out.split()) > 5


def test_counterfactual_regret_and_exploitability():
    game = load("game=kalah,columns=2,seeds=1")
    solver = cfr.CFRSolver(game)
    before = exploitability.exploitability(game, solver.average_policy())
    for _ in range(30):
        solver.evaluate_and_update_policy()
    after = exploitability.exploitability(game, solver.average_policy())
    assert after < 0.1 < before


def test_tabular_q_learning():
    """Through OpenSpiel's environment it learns to play better than it began."""
    environment = rl_environment.Environment(load("game=kalah,columns=2,seeds=2"))
    environment.seed(1)
    actions = environment.action_spec()["num_actions"]
    learner = tabular_qlearner.QLearner(player_id=0, num_actions=actions)
    agents = [learner, random_agent.RandomAgent(player_id=1, num_actions=actions)]

    def play(evaluate):
        step = environment.reset()
        while not step.last():
            agent = agents[step.observations["current_player"]]
            step = environment.step([agent.step(step, is_evaluation=evaluate).action])
        for agent in agents:
            agent.step(step, is_evaluation=evaluate)
        return step.rewards[0]

    untrained = np.mean([play(evaluate=True) for _ in range(100)])
    for _ in range(1000):
        play(evaluate=False)
    trained = np.mean([play(evaluate=True) for _ in range(100)])
    assert trained > untrained + 0.5
