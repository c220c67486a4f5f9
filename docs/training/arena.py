"""Games against random play, to see what was learned: for the scripts beside this file."""

from collections.abc import Callable
from typing import Any

import numpy as np
from pettingzoo import AECEnv


def score_against_random(
    env: AECEnv, act: Callable[[dict[str, np.ndarray]], Any], games: int = 100
) -> float:
    """The mean result, from -1 to +1, of ``act``, which is shown an observation with its mask."""
    chance, results = np.random.default_rng(1), []
    for number in range(games):
        own = env.possible_agents[number % 2]
        env.reset(seed=number)
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            if terminated or truncated:
                action = None
                if agent == own:
                    results.append(reward)
            elif agent == own:
                action = int(act(seen))
            else:
                action = int(chance.choice(np.flatnonzero(seen["action_mask"])))
            env.step(action)
    return float(np.mean(results))
