"""sb3-contrib's MaskablePPO against itself, through PettingZoo: both players learn.

Stable-Baselines3 knows one agent per environment. Here each game fills two of its slots, one
a player, and both slots take every step: the one who waits is given a mask with a single
action, which is ignored. So the policy has nothing to choose there (its probability is 1, its
gradient 0), while the final reward arrives in both slots, whoever made the last move, and
every slot is one player's whole game in order, as GAE needs it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

from mancala_ai.envs import kalah_v0


class SelfPlayVecEnv(VecEnv):
    """``games`` games at once: slot 2g is player 0 of game g, slot 2g + 1 its player 1."""

    def __init__(self, make_env: Callable[[], AECEnv], games: int) -> None:
        self.games = [turn_based_aec_to_parallel(make_env()) for _ in range(games)]
        self.players = self.games[0].possible_agents
        first = self.players[0]
        seen = self.games[0].observation_space(first)["observation"]
        self.render_mode = None
        super().__init__(2 * games, seen, self.games[0].action_space(first))

    def reset(self) -> np.ndarray:
        seeds = self._seeds[::2]
        self.seen = [game.reset(seed)[0] for game, seed in zip(self.games, seeds, strict=True)]
        self._reset_seeds()
        return self._observations()

    def step_async(self, actions: np.ndarray) -> None:
        self.chosen = actions.reshape(-1, 2)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict]]:
        rewards, ended = np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, bool)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for number, game in enumerate(self.games):
            choice = dict(zip(self.players, self.chosen[number], strict=True))
            self.seen[number], paid, over, cut, _ = game.step(choice)
            for slot, player in enumerate(self.players, 2 * number):
                rewards[slot] = paid[player]
                ended[slot] = over[player] or cut[player]
                if ended[slot]:
                    last = self.seen[number][player]["observation"]
                    infos[slot] = {"terminal_observation": last}
                    infos[slot]["TimeLimit.truncated"] = cut[player] and not over[player]
            if ended[2 * number]:
                self.seen[number], _ = game.reset()
        return self._observations(), rewards, ended, infos

    def action_masks(self) -> list[np.ndarray]:
        """One a slot; who waits has nothing to choose."""
        masks = [seen[p]["action_mask"].astype(bool) for seen in self.seen for p in self.players]
        for mask in masks:
            mask[0] |= not mask.any()
        return masks

    def _observations(self) -> np.ndarray:
        return np.stack([seen[p]["observation"] for seen in self.seen for p in self.players])

    # What Stable-Baselines3 asks of the slots

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list:
        return getattr(self, method_name)(*args, **kwargs)

    def get_attr(self, attr_name: str, indices: Any = None) -> list:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def close(self) -> None:
        for game in self.games:
            game.close()


def train(timesteps: int, games: int = 8) -> MaskablePPO:
    """A policy after so many steps: half of them decisions, half of them waits."""
    env = SelfPlayVecEnv(kalah_v0.env, games)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=1e-3,
        n_steps=256,
        batch_size=512,
        gamma=1.0,
        seed=1,
        device="cpu",
    )
    return model.learn(timesteps)


if __name__ == "__main__":
    from maskable_ppo import score

    model = train(300_000)
    print(f"against random: {score(model):+.2f}, against greedy: {score(model, 'greedy'):+.2f}")
    model.save("kalah_selfplay")
