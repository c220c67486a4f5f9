"""The gymnasium environments: gymnasium's own check, and games replayed without them."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import mancala_ai as ma
from mancala_ai.agents import make_agent
from mancala_ai.envs import IDS
from mancala_ai.errors import (
    ArgumentError,
    IllegalActionError,
    OptionError,
    UnknownAgentError,
)

CASES = [
    *((name, {}) for name in IDS),
    ("tsoro", {"columns": 5, "seat": "random", "opponent": "greedy"}),
    ("omweso", {"setup": "random", "seat": 1, "opponent": "greedy", "reward": "points"}),
    ("omweso", {"setup": "arrange", "seat": "random", "max_laps": 12}),
    ("katro", {"rows": 2, "columns": 3, "seat": "random", "normalize": False}),
    ("gore", {"seat": 1, "max_plies": 40}),
    ("hoyito_iii", {"columns": 2, "seat": 1, "reward": "margin"}),
    ("kalah", {"columns": 3, "seat": "random", "illegal": "raise"}),
    ("oware", {"repetition": "split_rows", "columns": 4, "opponent": "first"}),
]


def label(value):
    return ",".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else value


every_case = pytest.mark.parametrize(("name", "options"), CASES, ids=label)


def made(name, **options):
    """The environment itself, without gymnasium's wrappers."""
    return gymnasium.make(f"mancala_ai/{IDS[name]}-v0", **options).unwrapped


def choose(rng, env):
    return rng.choice(np.flatnonzero(env.action_masks()).tolist())


def play(env, rng, steps=10**6):
    """Random steps until the game ends, or some of them: actions, and what the last told."""
    actions, told = [], None
    while len(actions) < steps:
        actions.append(choose(rng, env))
        told = env.step(actions[-1])
        if told[2] or told[3]:
            break
    return actions, told


def test_importing_registers_and_stays_light(tmp_path):
    program = """
import sys, mancala_ai.envs, gymnasium, pettingzoo
print(sorted({"numba", "torch", "PIL"} & set(sys.modules)))
print(sum(name.startswith("mancala_ai/") for name in gymnasium.registry))
print(sum(name.startswith("mancala_ai/") for name in pettingzoo.aec_registry))
"""
    command = [sys.executable, "-W", "error", "-c", program]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert out.stdout.split("\n")[:3] == ["[]", "7", "7"]


@every_case
def test_gymnasiums_check(name, options, capsys):
    if options.get("illegal") != "raise":  # it plays without looking at the mask
        check_env(made(name, **options))


@every_case
def test_games_are_those_of_the_state(name, options):
    rng = random.Random(f"single {name} {options}")
    twin = make_agent(options.get("opponent", "random"), seed=11)
    env = made(name, **{**options, "opponent": make_agent(twin.spec, seed=11)})
    normalize, max_plies = options.get("normalize", True), options.get("max_plies", 2000)
    seats, results = set(), set()
    for seed in range(6):
        observation, info = env.reset(seed=seed)
        twin.reset()
        state, plies, seat = env.game.initial_state(seed), 0, env.seat
        seats.add(seat)
        ended, reward = (False, False), None
        while True:
            while not state.is_terminal and plies < max_plies and state.player != seat:
                state, plies = state.apply(twin.act(state)), plies + 1
            live = not state.is_terminal and plies < max_plies
            assert (env.position, env.plies, env.seat) == (state, plies, seat)
            assert observation in env.observation_space
            np.testing.assert_array_equal(observation, state.observation(seat, normalize))
            mask = state.action_mask() if live else np.ones(env.game.num_actions)
            assert mask.any()
            np.testing.assert_array_equal(env.action_masks(), mask)
            np.testing.assert_array_equal(info["action_mask"], mask)
            assert (env.action_masks().dtype, info["action_mask"].dtype) == (np.bool_, np.int8)
            told = (info["ply"], info["points"], info["win_kind"], info["seat"])
            assert told == (plies, state.points, state.win_kind, seat)
            if any(ended):
                break
            assert not reward
            action = choose(rng, env)
            if live:
                state, plies = state.apply(action), plies + 1
            observation, reward, *ended, info = env.step(action)
            if not any(ended):
                assert state.player != seat or not state.is_terminal
        assert ended == [state.is_terminal, not state.is_terminal]
        held = {"points": state.points, "margin": state.captured.tolist()}
        won = held.get(options.get("reward"), state.returns)
        expected = won[seat] - won[1 - seat] if "reward" in options else state.returns[seat]
        assert reward == (expected if state.is_terminal and not state.annulled else 0.0)
        assert isinstance(reward, float) and isinstance(ended[0], bool)
        results.add(reward)
    assert seats == ({0, 1} if options.get("seat") == "random" else {options.get("seat", 0)})
    assert len(results) > 1 or name in ("gore", "oware")


@every_case
def test_seeds_decide_everything(name, options):
    def games(seed):
        env, rng = made(name, **{**options, "max_plies": 60}), random.Random(0)
        played = [repr((env.reset(seed=seed), play(env, rng)))]
        return [*played, *(repr((env.reset(), play(env, rng))) for _ in range(2))]

    assert games(3) == games(3)
    if options.get("opponent", "random") == "random":
        assert games(3) != games(4)


def test_unseeded_opponents_differ():
    def game():
        env = made("oware", seat=1, max_plies=20)
        env.reset()
        return repr([env.step(env.action_masks().argmax())[4] for _ in range(8)])

    assert len({game() for _ in range(3)}) > 1


def test_an_agent_goes_on_with_its_own_random_numbers():
    agent = make_agent("random", seed=3)
    env = made("kalah", opponent=agent, seat=1)
    assert env.opponent is agent
    boards = set()
    for _ in range(8):
        env.reset(seed=0)
        boards.add(env.position)
    assert len(boards) > 1
    expected, twin = [], make_agent("random", seed=3)
    for _ in range(8):
        state = env.game.initial_state()
        while state.player == 0:
            state = state.apply(twin.act(state))
        expected.append(state)
    assert boards == set(expected)


def test_opponents_are_reset_and_closed():
    class Spy:
        def __init__(self):
            self.calls = []

        def act(self, state):
            return state.legal_actions()[0]

        def reset(self):
            self.calls.append("reset")

        def close(self):
            self.calls.append("close")

    given, owned = Spy(), Spy()
    env = made("kalah", opponent=given)
    env.reset(seed=0)
    env.reset()
    env.close()
    assert given.calls == ["reset", "reset"]  # it is the caller's to close
    env = made("kalah", opponent="first")
    env.opponent = owned
    env.reset()
    env.reset(seed=0)
    assert owned.calls == ["reset", "close"]
    env.opponent = owned
    env.close()
    assert owned.calls == ["reset", "close", "close"]


@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_an_opponent_who_ends_the_game_at_once(reward):
    env = made("kalah", columns=2, seeds=2, seat=1, opponent="first", reward=reward)
    observation, info = env.reset(options={"state": "0,1/3,2 south captured=1,1"})
    assert env.position.is_terminal
    assert env.action_masks().all() and info["action_mask"].all()
    assert observation in env.observation_space
    told = env.step(0)
    assert told[1:4] == (1.0 if reward == "outcome" else 4.0, True, False)
    with pytest.raises(ArgumentError, match=r"step\(\) comes after reset\(\)"):
        env.step(0)


def test_an_opponent_who_reaches_max_plies():
    env = made("kalah", seat=1, opponent="first", max_plies=1)
    env.reset()
    assert env.plies == 1 and not env.position.is_terminal and env.action_masks().all()
    assert env.step(5)[1:4] == (0.0, False, True)
    assert env.plies == 1


def test_passes_are_not_asked():
    class Last:
        def act(self, state):
            return state.legal_actions()[-1]

        def reset(self):
            pass

    env = made("hoyito_iii", seat=1, opponent=Last())
    # South steps three times with his last seed before it reaches North's row
    env.reset(options={"state": "6,1,0,1,0,0/0,0,0,0,0,0 south captured=20,20"})
    assert env.position.to_text() == "6,1,0,0,0,0/1,0,0,0,0,0 north captured=20,20"
    assert env.plies == 3


@every_case
@pytest.mark.parametrize("make_copy", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alike(name, options, make_copy):
    env = made(name, **{**options, "max_plies": 60})
    env.reset(seed=8)
    if any(play(env, random.Random(0), steps=2)[1][2:4]):
        env.reset()
    other = make_copy(env)
    for _ in range(2):
        assert repr(play(env, random.Random(1))) == repr(play(other, random.Random(1)))
        assert repr(env.reset()) == repr(other.reset())


def test_illegal_actions():
    state = "0,4,4,4,4,4/4,4,4,4,4,4 south captured=4,0"
    env = made("kalah", illegal="raise")
    env.reset(options={"state": state})
    for action in (0, 6, -1, 1.0, "1", None, True, np.array([1])):
        with pytest.raises(IllegalActionError):
            env.step(action)
        assert (env.position.to_text(), env.plies) == (state, 0)
    env = made("kalah", reward="margin")
    env.reset(options={"state": state})
    for action in (6, -1, 1.0, "1", None, True, np.array([1])):  # none of the game's
        with pytest.raises(IllegalActionError, match="is not an integer from 0 to 5"):
            env.step(action)
    told = env.step(np.int64(0))
    assert told[1:4] == (-1.0, True, False)
    assert env.position.to_text() == state and told[4]["win_kind"] is None
    assert env.action_masks().all() and told[4]["action_mask"].all()
    with pytest.raises(ArgumentError, match="the game is over"):
        env.step(1)


def test_a_step_before_reset():
    with pytest.raises(ArgumentError, match=r"step\(\) comes after reset\(\)"):
        made("kalah").step(0)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"opponent": "genius"}, UnknownAgentError, "genius"),
        ({"opponent": "alphabeta:deep=3"}, OptionError, "deep"),
        ({"opponent": 3}, OptionError, "opponent is an agent or its spec, not 3"),
        ({"seat": 2}, OptionError, "option seat cannot be 2; allowed: 0, 1, random"),
        ({"seat": True}, OptionError, "option seat"),
        ({"seat": "south"}, OptionError, "option seat"),
        ({"rows": 3}, OptionError, "no option 'rows'"),
        ({"max_plies": -1}, OptionError, "option max_plies"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        made("kalah", **options)


def test_bad_resets():
    env = made("kalah", illegal="raise")
    env.reset(seed=0)
    before = env.position
    for seed in (-1, 1.5, "1"):
        with pytest.raises(ArgumentError, match="seed is an integer"):
            env.reset(seed=seed)
    with pytest.raises(ArgumentError, match="a state of"):
        env.reset(options={"state": ma.make("oware").initial_state()})
    assert env.position == before
    env.reset(options={"nonsense": 3})


def test_pictures(capsys):
    env = made("oware", render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == str(env.position)
    env = made("oware", render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape[1:] == (512, 3)
    assert capsys.readouterr().out == ""
    env = made("oware", render_mode="human")
    env.reset(seed=0)
    env.step(0)
    assert capsys.readouterr().out.count("South") >= 2
