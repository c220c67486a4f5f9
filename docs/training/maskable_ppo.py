"""sb3-contrib's MaskablePPO against an agent of the library, through gymnasium."""

import gymnasium
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.env_util import make_vec_env

import mancala_ai.envs  # noqa: F401  # registers the environments


def make_env(opponent: str = "random") -> gymnasium.Env:
    """Either seat, drawn anew for every game; the opponent's turns are played inside."""
    return gymnasium.make("mancala_ai/Kalah-v0", opponent=opponent, seat="random")


def train(timesteps: int, opponent: str = "random") -> MaskablePPO:
    """A policy after so many of its own decisions; the masks come from ``action_masks()``."""
    model = MaskablePPO(
        "MlpPolicy",
        make_vec_env(lambda: make_env(opponent), n_envs=8, seed=1),
        learning_rate=1e-3,
        n_steps=128,
        batch_size=256,
        gamma=1.0,
        seed=1,
        device="cpu",
    )
    return model.learn(timesteps)


def score(model: MaskablePPO, opponent: str = "random", games: int = 100) -> float:
    """Its mean result, from -1 to +1."""
    return evaluate_policy(model, make_env(opponent), n_eval_episodes=games, warn=False)[0]


if __name__ == "__main__":
    model = train(100_000)
    print(f"against random: {score(model):+.2f}, against greedy: {score(model, 'greedy'):+.2f}")
    model.save("kalah_ppo")
