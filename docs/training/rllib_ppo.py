"""RLlib's PPO against itself, through its wrapper of PettingZoo: one module, both players.

RLlib keeps an episode for each player, and its wrapper gives both their rewards at the end.
The module below masks illegal actions itself; that of RLlib's examples wants the key
``observations``, where PettingZoo's environments have ``observation``.
"""

from typing import Any

import numpy as np
import torch
from arena import score_against_random
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env
from torch import nn

from mancala_ai.envs import kalah_v0


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """A small policy and value network that gives illegal actions no probability."""

    def setup(self) -> None:
        inputs = int(np.prod(self.observation_space["observation"].shape))
        self.body = nn.Sequential(
            nn.Flatten(), nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh()
        )
        self.policy, self.value = nn.Linear(128, int(self.action_space.n)), nn.Linear(128, 1)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        logits = self.policy(self.body(seen["observation"]))
        illegal = seen["action_mask"] == 0
        masked = logits.masked_fill(illegal, torch.finfo(logits.dtype).min)
        return {Columns.ACTION_DIST_INPUTS: masked}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        return self.value(self.body(batch[Columns.OBS]["observation"])).squeeze(-1)


def make_algorithm(steps: int = 2048, games: int = 8) -> Algorithm:
    """PPO that plays in this process, so many decisions before each of its updates."""
    register_env("kalah", lambda config: PettingZooEnv(kalah_v0.env(**config)))
    return (
        PPOConfig()
        .environment("kalah")
        .env_runners(num_env_runners=0, num_envs_per_env_runner=games)
        .multi_agent(policies={"both"}, policy_mapping_fn=lambda agent, *_, **__: "both")
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={"both": RLModuleSpec(module_class=MaskedModule)}
            )
        )
        .training(
            gamma=1.0,
            lr=3e-4,
            train_batch_size_per_learner=steps,
            minibatch_size=256,
            num_epochs=10,
        )
        .debugging(seed=1)
        .build_algo()
    )


def score(algorithm: Algorithm) -> float:
    """Its mean result against random play, from -1 to +1."""
    module = algorithm.get_module("both")

    def act(seen: dict[str, np.ndarray]) -> int:
        obs = {name: torch.from_numpy(part[None]) for name, part in seen.items()}
        out = module.forward_inference({Columns.OBS: obs})
        return out[Columns.ACTION_DIST_INPUTS].argmax()

    return score_against_random(kalah_v0.env(), act)


if __name__ == "__main__":
    algorithm = make_algorithm()
    for iteration in range(50):
        algorithm.train()
        if iteration % 10 == 9:
            print(f"iteration {iteration + 1}: against random {score(algorithm):+.2f}")
    algorithm.save("kalah_rllib")
    algorithm.stop()
