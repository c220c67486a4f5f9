"""Tianshou's wrapper of PettingZoo: masks, rewards and returns of both players, training."""

from __future__ import annotations

import numpy as np
import tianshou_dqn
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv

import mancala_ai as ma


def collected(games):
    """The algorithm, and a buffer with games that it played, many moves at random."""
    algorithm, buffer = tianshou_dqn.make_algorithm(), VectorReplayBuffer(10_000, 4)
    for policy in algorithm.policy.policies.values():
        policy.set_eps_inference(0.5)  # else all games are alike outside of training
    envs = DummyVectorEnv([tianshou_dqn.make_env] * 4)
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)
    collector.reset()
    collector.collect(n_episode=games)
    return algorithm, buffer


def test_games_in_the_buffer_are_ours():
    """Every action was legal, and both players' rewards lie in a game's last transition."""
    _, buffer = collected(40)
    game = ma.make("kalah", **tianshou_dqn.GAME)
    state, ended = game.initial_state(), 0
    for row in buffer.sample(0)[0]:
        assert row.obs.agent_id == f"player_{state.player}"
        assert (row.obs.mask == state.action_mask()).all()
        assert (row.obs.obs == state.observation()).all()
        state = state.apply(int(row.act))
        assert row.rew.tolist() == list(state.returns)
        assert row.terminated == state.is_terminal
        if state.is_terminal:
            state, ended = game.initial_state(), ended + 1
        elif row.done:  # cut short where collecting ended
            state = game.initial_state()
    assert ended >= 40


def test_every_transition_of_both_players_is_credited_with_the_result():
    algorithm, buffer = collected(40)
    batch, indices = buffer.sample(0)
    results = np.zeros((len(batch), 2))
    last = np.flatnonzero(batch.terminated)
    for first, end in zip([0, *(last[:-1] + 1)], last, strict=True):
        results[first : end + 1] = batch.rew[end]
    assert (abs(results).sum(axis=1) == 2).mean() > 0.8
    returns = algorithm._preprocess_batch(batch, buffer, indices)
    for number, agent in enumerate(("player_0", "player_1")):
        own = batch.obs.agent_id == agent
        assert (returns[agent].returns.flatten().numpy() == results[own, number]).all()


def test_the_script():
    algorithm = tianshou_dqn.train(4000)
    assert tianshou_dqn.score(algorithm) > 0
