"""PettingZoo's and gymnasium's own tests of the environments, and rewards counted over games."""

from __future__ import annotations

import random
import warnings

import gymnasium
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env

import mancala_ai as ma
import mancala_ai.envs  # registers

with warnings.catch_warnings():  # it imports environments in a way that it deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test

pytestmark = pytest.mark.filterwarnings("ignore:.*:UserWarning")  # of the checkers, advice

IDS = {
    "tsoro": "Tsoro", "omweso": "Omweso", "katro": "Katro", "gore": "Gore",
    "hoyito_iii": "HoyitoIII", "kalah": "Kalah", "oware": "Oware",
}  # fmt: skip


def aec(name, **options):
    return pettingzoo.make("aec", f"mancala_ai/{name}-v0", **options)


@pytest.mark.parametrize("name", ma.games())
def test_pettingzoo_finds_no_fault(name):
    api_test(aec(name, max_plies=60), num_cycles=60)
    seed_test(lambda: aec(name, max_plies=60), num_cycles=20)


@pytest.mark.parametrize("name", ma.games())
def test_gymnasium_finds_no_fault(name):
    env = gymnasium.make(f"mancala_ai/{IDS[name]}-v0", opponent="random", seat="random")
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", ma.games())
def test_each_result_is_paid_once_and_to_whom_it_belongs(name):
    rng, env = random.Random(4), aec(name, max_plies=400)
    for seed in range(3):
        env.reset(seed=seed)
        paid = dict.fromkeys(env.agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            paid[agent] += reward
            mask = observation["action_mask"]
            live = not (termination or truncation)
            assert mask.any() == live
            env.step(rng.choice(mask.nonzero()[0].tolist()) if live else None)
        points = info["points"]
        wanted = (points[0] > points[1]) - (points[0] < points[1])
        assert list(paid.values()) == [wanted, -wanted]
