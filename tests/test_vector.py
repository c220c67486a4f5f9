"""The vector environment: row for row the environment of one game, by the rules of gymnasium."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

import mancala_ai as ma
from mancala_ai.agents import make_agent
from mancala_ai.envs import IDS
from mancala_ai.envs.single import SingleEnv
from mancala_ai.envs.vector import MancalaVectorEnv
from mancala_ai.errors import ArgumentError, IllegalActionError, OptionError, UnknownAgentError

MASK64 = 2**64 - 1


@pytest.mark.parametrize("name", ma.games())
def test_made_by_gymnasium(name):
    envs = gymnasium.make_vec(
        f"mancala_ai/{IDS[name]}-v0", num_envs=5, vectorization_mode="vector_entry_point"
    )
    assert isinstance(envs, MancalaVectorEnv) and envs.num_envs == 5
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    one = gymnasium.make(f"mancala_ai/{IDS[name]}-v0")
    assert envs.single_observation_space == one.observation_space
    assert envs.single_action_space == one.action_space
    observations, infos = envs.reset(seed=1)
    for _ in range(30):
        assert observations in envs.observation_space
        masks = tuple(infos["action_mask"])
        np.testing.assert_array_equal(np.array(masks), envs.action_masks())
        observations, rewards, terminations, truncations, infos = envs.step(
            envs.action_space.sample(mask=masks)
        )
        assert rewards.shape == terminations.shape == truncations.shape == (5,)
    envs.close()


@pytest.mark.parametrize("spec", ["kalah:columns=3", "omweso:setup=random"])
@pytest.mark.parametrize("seat", [0, 1])
def test_rows_are_the_environment_of_one_game(spec, seat):
    name, _, listed = spec.partition(":")
    given = {"opponent": "first", "seat": seat, "max_plies": 40, "reward": "points"}
    options = dict(ma.make(spec).options)
    envs = MancalaVectorEnv(name, 4, **given, **options)
    singles = [SingleEnv(name, **given, **options) for _ in range(4)]
    observations, infos = envs.reset(seed=5)
    expected = [
        one.reset(seed=int(seed) & MASK64)
        for one, seed in zip(singles, envs.batch.seeds, strict=True)
    ]
    ended, ends = [False] * 4, 0
    for _ in range(60):
        for row, (seen, info) in enumerate(expected):
            np.testing.assert_array_equal(observations[row], seen)
            for key in ("action_mask", "ply", "points", "annulled", "seat"):
                np.testing.assert_array_equal(infos[key][row], info[key])
        actions = envs.batch.random_actions().copy()
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        for row, one in enumerate(singles):
            told = (0.0, False, False)
            if ended[row]:
                expected[row] = one.reset(seed=int(envs.batch.seeds[row]) & MASK64)
            else:
                seen, *told, info = one.step(int(actions[row]))
                expected[row] = seen, info
            assert (rewards[row], terminations[row], truncations[row]) == tuple(told)
            ended[row] = terminations[row] or truncations[row]
            ends += ended[row]
    assert ends >= 4


def test_self_play_pays_whoever_decided():
    envs = MancalaVectorEnv("kalah", 20, opponent=None, columns=2)
    _, infos = envs.reset(seed=2)
    paid = []
    for _ in range(80):
        player, states = infos["player"], envs.batch.states()
        actions = envs.batch.random_actions().copy()
        _, rewards, terminations, _, infos = envs.step(actions)
        for row in np.flatnonzero(terminations):
            after = states[row].apply(int(actions[row]))
            assert rewards[row] == after.returns[player[row]]
            assert tuple(infos["rewards"][row]) == after.returns
            paid.append(rewards[row])
        assert not rewards[~terminations].any() and not infos["rewards"][~terminations].any()
    assert {-1.0, 1.0} <= set(paid)


def test_seeds():
    first, second, third = (MancalaVectorEnv("omweso", 6, setup="random") for _ in range(3))

    def run(envs, seed):
        first = envs.reset(seed=seed, options={"whatever": 1})[0]
        later = [envs.step(envs.batch.random_actions())[0] for _ in range(30)]
        return np.array([first, *later])

    one = run(first, 7)
    np.testing.assert_array_equal(one, run(second, 7))
    np.testing.assert_array_equal(one, run(first, 7))
    assert first.batch.seeds[0] == second.batch.seeds[0]
    assert not np.array_equal(one, run(second, 8))
    assert not np.array_equal(first.reset()[0], one[0])  # random numbers go on
    assert not np.array_equal(second.reset()[0], third.reset()[0])


def test_the_opponent_follows_the_seed():
    def run():
        envs = MancalaVectorEnv("kalah", 3, opponent="greedy", seat="random")
        first = envs.reset(seed=4)[0]
        later = [envs.step(envs.action_masks().argmax(axis=1))[0] for _ in range(12)]
        return np.array([first, *later])

    np.testing.assert_array_equal(run(), run())


def test_an_agent_of_ones_own():
    agent = make_agent("greedy", seed=1)
    envs = MancalaVectorEnv("hoyito_iii", 2, opponent=agent, seat=1)
    envs.reset(seed=3)
    assert "action" in agent.last_info and envs.batch.infos["player"].tolist() == [1, 1]


def test_arrays_are_copied_unless_asked_otherwise():
    copying, sharing = (MancalaVectorEnv("kalah", 4, copy=copy) for copy in (True, False))
    for envs in (copying, sharing):
        observation, infos = envs.reset(seed=1)
        mask = infos["action_mask"].copy()
        before = observation.copy()
        later = envs.step(envs.batch.random_actions())
        kept = np.array_equal(observation, before) and np.array_equal(infos["action_mask"], mask)
        assert kept == (envs is copying)
        assert np.shares_memory(later[0], observation) == (envs is sharing)


def test_wrappers_of_gymnasium():
    envs = DictInfoToList(RecordEpisodeStatistics(MancalaVectorEnv("kalah", 3, columns=2)))
    _, infos = envs.reset(seed=1)
    lengths, episodes = np.zeros(3), 0
    before = np.zeros(3, np.bool_)
    for _ in range(60):
        assert [info["action_mask"].shape for info in infos] == [(2,)] * 3
        _, rewards, terminations, _, infos = envs.step(envs.unwrapped.batch.random_actions())
        lengths = np.where(before, 0, lengths + 1)
        for row in np.flatnonzero(terminations):
            assert infos[row]["episode"]["r"] == rewards[row]
            assert infos[row]["episode"]["l"] == lengths[row]
            episodes += 1
        before = terminations
    assert episodes > 10


def test_renders_every_row():
    envs = MancalaVectorEnv("kalah", 2, render_mode="ansi")
    assert envs.render() == tuple(map(str, envs.batch.states()))


def pickled(envs):
    return pickle.loads(pickle.dumps(envs))


@pytest.mark.parametrize("make_copy", [copy.deepcopy, pickled])
def test_copies_keep_everything(make_copy):
    envs = MancalaVectorEnv("kalah", 3, opponent="greedy")
    envs.reset(seed=1)
    envs.step(envs.action_masks().argmax(axis=1))
    twin = make_copy(envs)
    for _ in range(10):
        actions = envs.batch.random_actions().copy()
        one, other = envs.step(actions), twin.step(actions)
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


def test_illegal_actions_raise():
    envs = MancalaVectorEnv("kalah", 2, opponent=None)
    envs.reset(seed=1)
    with pytest.raises(IllegalActionError, match="row 1: action 6 of kalah"):
        envs.step([0, 6])
    with pytest.raises(ArgumentError, match="actions are 2 integers"):
        envs.step([0.0, 1.0])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"illegal": "lose"}, OptionError, "cannot be 'lose'; allowed: raise"),
        ({"colour": 3}, OptionError, "has no option 'colour'"),
        ({"num_envs": 0}, ArgumentError, "n is an integer from 1 to"),
        ({"opponent": "nobody"}, UnknownAgentError, "unknown agent 'nobody'"),
        ({"opponent": 7}, ArgumentError, "opponent is None, 'random' or an agent, not 7"),
        ({"seat": 2}, ArgumentError, "seat is 0, 1 or 'random', not 2"),
        ({"reward": "margin"}, OptionError, "reward .* cannot be 'margin'"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        MancalaVectorEnv("tsoro", **{"num_envs": 2, **options})


@pytest.mark.parametrize("seed", [-1, 1.5, [1, 2], 2**64])
def test_bad_seeds(seed):
    envs = MancalaVectorEnv("kalah", 2)
    with pytest.raises(ArgumentError, match="seed is an integer"):
        envs.reset(seed=seed)
