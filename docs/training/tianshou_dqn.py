"""Tianshou's DQN against itself, through its wrapper of PettingZoo: one network, both players.

The replay buffer holds a game as one row of transitions, both players' moves in turn, with
both players' rewards in each. Tianshou's n-step returns follow that row, so with a horizon as
long as a game every transition is worth its own player's final result, whoever moved last. A
short horizon would bootstrap from what the *opponent* sees.

Not so its on-policy algorithms (PPO, A2C): they cut the row into each player's own
transitions first, and the reward of the player who did not move last is lost.
"""

from typing import Any

import numpy as np
import torch
from arena import score_against_random
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from mancala_ai.envs import kalah_v0

GAME = {"columns": 4, "seeds": 3}  # a small Kalah: Tianshou's long returns take their time
LONGEST_GAME = 50  # decisions: none of 100,000 random games has more


class WithoutInfos(PettingZooEnv):
    """Tianshou stores infos, and takes the None that a live game's ``win_kind`` is for a NaN."""

    def reset(self, *args: Any, **kwargs: Any) -> tuple[dict, dict]:
        return super().reset(*args, **kwargs)[0], {}

    def step(self, action: Any) -> tuple[dict, list[int], bool, bool, dict]:
        return *super().step(action)[:-1], {}


def make_env() -> PettingZooEnv:
    return WithoutInfos(kalah_v0.env(**GAME))


def make_algorithm() -> MultiAgentOffPolicyAlgorithm:
    """One DQN that plays and learns both sides: observations are from the mover's own."""
    env = make_env()
    seen, actions = env.observation_space["observation"], env.action_space
    net = Net(state_shape=seen.shape, action_shape=actions.n, hidden_sizes=(128, 128))
    policy = DiscreteQLearningPolicy(model=net, action_space=actions, eps_training=0.2)
    dqn = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=LONGEST_GAME,
    )
    return MultiAgentOffPolicyAlgorithm(algorithms=[dqn, dqn], env=env)


def train(timesteps: int, games: int = 4) -> MultiAgentOffPolicyAlgorithm:
    """The algorithm after so many decisions of both players, collected in whole games."""
    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002  # Tianshou draws from it
    algorithm = make_algorithm()
    collector = Collector(
        algorithm,
        DummyVectorEnv([make_env] * games),
        VectorReplayBuffer(50_000, games),
        exploration_noise=True,
    )
    collector.reset()
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=timesteps,
            collection_step_num_env_steps=None,
            collection_step_num_episodes=2 * games,
            batch_size=256,
            update_step_num_gradient_steps_per_sample=0.03,
            show_progress=False,
            verbose=False,
        )
    )
    return algorithm


def score(algorithm: MultiAgentOffPolicyAlgorithm) -> float:
    """Its mean result against random play, from -1 to +1."""
    policy = algorithm.get_algorithm("player_0").policy

    def act(seen: dict[str, np.ndarray]) -> int:
        obs = Batch(obs=seen["observation"][None], mask=seen["action_mask"][None])
        return policy(Batch(obs=obs, info=Batch())).act[0]

    return score_against_random(kalah_v0.env(**GAME), act)


if __name__ == "__main__":
    algorithm = train(100_000)
    print(f"against random: {score(algorithm):+.2f}")
    torch.save(algorithm.state_dict(), "kalah_dqn.pt")
