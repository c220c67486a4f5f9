"""RLlib's wrapper of PettingZoo: episodes and rewards of both players, masks, training."""

from __future__ import annotations

import pytest
import ray
import rllib_ppo

import mancala_ai as ma


@pytest.fixture(scope="module")
def algorithm():
    made = rllib_ppo.make_algorithm(steps=512, games=4)
    yield made
    made.stop()
    ray.shutdown()


def test_both_players_are_paid(algorithm):
    """Each player's episode is his part of a game of ours, with his reward at its end."""
    decided = 0
    for episode in algorithm.env_runner.sample(num_episodes=10, random_actions=False):
        assert episode.is_terminated
        parts = [episode.agent_episodes[agent] for agent in ("player_0", "player_1")]
        actions = [list(part.get_actions()) for part in parts]
        seen = [part.get_observations() for part in parts]
        made = [0, 0]
        state = ma.make("kalah").initial_state()
        while not state.is_terminal:
            mover = state.player
            shown = {name: numbers[made[mover]] for name, numbers in seen[mover].items()}
            assert (shown["observation"] == state.observation()).all()
            assert (shown["action_mask"] == state.action_mask()).all()
            state = state.apply(int(actions[mover][made[mover]]))
            made[mover] += 1
        assert made == [len(own) for own in actions]
        for part, result in zip(parts, state.returns, strict=True):
            rewards = part.get_rewards()
            assert rewards[-1] == result
            assert not any(rewards[:-1])
            assert part.is_terminated
        decided += state.returns[0] != 0
    assert decided >= 5


def test_the_script(algorithm, tmp_path):
    before = algorithm.get_module("both").policy.weight.detach().clone()
    for _ in range(2):
        result = algorithm.train()
    assert result["learners"]["both"]["num_module_steps_trained"] > 0
    assert (algorithm.get_module("both").policy.weight != before).any()
    assert -1 <= rllib_ppo.score(algorithm) <= 1
    algorithm.save(str(tmp_path))
