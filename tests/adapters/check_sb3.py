"""sb3-contrib's MaskablePPO: against an agent, and in self-play where both players are paid."""

from __future__ import annotations

from itertools import pairwise

import gymnasium
import maskable_ppo
import maskable_ppo_selfplay
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

import mancala_ai as ma
from mancala_ai.envs import IDS, kalah_v0, omweso_v0


@pytest.mark.parametrize("name", IDS)
def test_every_game_can_be_trained(name):
    """An illegal action would raise."""
    env = gymnasium.make(f"mancala_ai/{IDS[name]}-v0", seat="random", illegal="raise")
    MaskablePPO("MlpPolicy", env, n_steps=64, seed=1, device="cpu").learn(64)


def test_the_script_against_an_agent(tmp_path):
    model = maskable_ppo.train(16_384)
    assert maskable_ppo.score(model) > 0.3
    model.save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model", device="cpu")
    seen = np.zeros(loaded.observation_space.shape, np.float32)
    mask = np.arange(loaded.action_space.n) == 2
    assert loaded.predict(seen, action_masks=mask)[0] == 2


@pytest.mark.parametrize(("make_env", "name"), [(kalah_v0.env, "kalah"), (omweso_v0.env, "omweso")])
def test_both_players_are_paid(make_env, name):
    """The vector environment against games of our own with the same actions."""
    chance = np.random.default_rng(1)
    env = maskable_ppo_selfplay.SelfPlayVecEnv(make_env, games=3)
    env.reset()
    states = [ma.make(name).initial_state() for _ in range(3)]
    decided = 0
    for _ in range(600):
        masks = env.action_masks()
        actions = np.array([chance.choice(np.flatnonzero(mask)) for mask in masks])
        seen, rewards, ended, _ = env.step(actions)
        for number, state in enumerate(states):
            pair = slice(2 * number, 2 * number + 2)
            assert (masks[2 * number + state.player] == state.action_mask()).all()
            assert np.count_nonzero(masks[2 * number + 1 - state.player]) == 1
            after = state.apply(actions[2 * number + state.player])
            assert rewards[pair].tolist() == list(after.returns)
            assert ended[pair].tolist() == [after.is_terminal] * 2
            decided += after.returns[0] != 0
            states[number] = state.game.initial_state() if after.is_terminal else after
            for player in (0, 1):
                expected = states[number].observation(player)
                assert (seen[2 * number + player] == expected).all()
    assert decided > 5


class Credits(BaseCallback):
    """Looks at every rollout: what each player's transitions were paid and credited."""

    def __init__(self) -> None:
        super().__init__()
        self.games = 0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        buffer = self.model.rollout_buffer
        for south in range(0, buffer.n_envs, 2):
            pair = slice(south, south + 2)
            rewards, returns = buffer.rewards[:, pair], buffer.returns[:, pair]
            starts = np.flatnonzero(buffer.episode_starts[:, south])
            assert (buffer.episode_starts[:, south] == buffer.episode_starts[:, south + 1]).all()
            for first, end in pairwise(starts):
                result = rewards[end - 1]
                assert result.sum() == 0
                assert not rewards[first : end - 1].any()
                assert np.allclose(returns[first:end], result, atol=1e-4)
                self.games += abs(result[0]) == 1


def test_every_transition_of_both_players_is_credited_with_the_result():
    env = maskable_ppo_selfplay.SelfPlayVecEnv(kalah_v0.env, games=4)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=256, gamma=1.0, gae_lambda=1.0, seed=1, device="cpu"
    )
    credits = Credits()
    model.learn(4096, callback=credits)
    assert credits.games > 20


def test_the_script_in_self_play():
    assert maskable_ppo.score(maskable_ppo_selfplay.train(32_768)) > 0.1
