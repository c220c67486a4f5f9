"""Games against a pool of opponents, as Stable-Baselines3 wants them.

A :class:`~mancala_ai.batch.Batch` plays all games, for both players. The learner is one of
them, drawn anew for each game; the other one is a network of the pool, which is asked about
all of its games at once. A step takes one action of the learner in every game, and goes on
until he has to decide again in all of them, in a new game where the last one has ended.

Read next: ``ppo.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from mancala_ai.agents.network import Inputs, Network
from mancala_ai.game import Game

MAX_PLIES = 1000  # of a game, which is then broken off and counts as drawn
MOST_OPENING = 16  # random decisions that a game begins with, for positions of all kinds


class SelfPlay(VecEnv):
    """Games in lock-step, each against an opponent of the pool.

    Observations are what :class:`~mancala_ai.agents.network.Inputs` makes of the learner's
    view; a game pays +1, -1 or 0 at its end.

    Parameters
    ----------
    game : Game
    n : int
        How many games at a time.

    """

    def __init__(self, game: Game, n: int) -> None:
        self._batch = game.batch(n, normalize=False, max_plies=MAX_PLIES)
        self._inputs = Inputs(game)
        self._seats, self._against = np.zeros(n, np.int8), np.zeros(n, np.int64)
        self._openings = np.zeros(n, np.int64)
        self.render_mode = None  # which is asked for before it is set
        observations = spaces.Box(0, np.inf, (self._inputs.size,), np.float32)
        super().__init__(n, observations, spaces.Discrete(game.num_actions))

    def prepare(self, seed: int, opponents: Sequence[Network]) -> None:
        """Say what the next :meth:`reset` begins.

        Parameters
        ----------
        seed : int
            Of all that is random from there on.
        opponents : sequence of Network
            Each game is against one of them, drawn evenly. They draw their actions by the
            probabilities that they give.
        """
        self._seed_of_games, self._random = seed, np.random.default_rng(seed)
        self._opponents = [
            [tuple(torch.tensor(numbers) for numbers in layer) for layer in network.policy]
            for network in opponents
        ]

    def reset(self) -> NDArray[np.float32]:
        self._batch.reset(self._seed_of_games)
        self._sit_down(np.arange(self.num_envs))
        self._go_on(np.zeros(self.num_envs, np.float32), np.ones(self.num_envs, np.bool_))
        return self._seen()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], Any]:
        rewards, ended = np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, np.bool_)
        self._batch.step(self._actions)
        self._go_on(rewards, ended)
        return self._seen(), rewards, ended, [{} for _ in range(self.num_envs)]

    def action_masks(self) -> NDArray[np.bool_]:
        """(n, num_actions) the legal actions of the learner."""
        masks: NDArray[np.bool_] = self._batch.infos["action_mask"].copy()
        return masks

    def _seen(self) -> NDArray[np.float32]:
        return self._inputs(self._batch.observation)

    def _sit_down(self, rows: NDArray[np.int64]) -> None:
        """Draw seats, opponents and lengths of openings of games that begin."""
        self._openings[rows] = self._random.integers(MOST_OPENING + 1, size=len(rows))
        self._seats[rows] = self._random.integers(2, size=len(rows))
        self._against[rows] = self._random.integers(len(self._opponents), size=len(rows))

    def _go_on(self, rewards: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        """Play on until the learner decides in every game.

        The first end in a row is written down; games after it that end before the learner
        has decided anything are none of his.
        """
        batch = self._batch
        actions = np.empty(self.num_envs, np.int64)
        while True:
            over = batch.terminations | batch.truncations
            first = np.flatnonzero(over & ~ended)
            rewards[first] = batch.rewards[first, self._seats[first]]
            ended |= over
            opening = ~over & (batch.infos["ply"] < self._openings)
            waiting = ~(over | opening) & (batch.infos["player"] != self._seats)
            rows = np.flatnonzero(over | opening | waiting)
            if not rows.size:
                return
            actions[:] = batch.random_actions()  # of openings; any will do after an end
            for number, layers in enumerate(self._opponents):
                asked = np.flatnonzero(waiting & (self._against == number))
                if asked.size:
                    actions[asked] = self._drawn(layers, asked)
            self._sit_down(np.flatnonzero(over))
            batch.step(actions[rows], rows)

    def _drawn(self, layers: Sequence[Any], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Actions of an opponent: the greatest of his numbers with Gumbel noise added.

        By torch, which keeps to the threads that it is given; NumPy's products take all.
        """
        numbers = torch.from_numpy(self._inputs(self._batch.observation[rows]))
        for weight, bias in layers[:-1]:
            numbers = torch.relu(torch.nn.functional.linear(numbers, weight, bias))
        numbers = torch.nn.functional.linear(numbers, *layers[-1]).numpy()
        noisy = numbers + self._random.gumbel(size=numbers.shape)
        legal = self._batch.infos["action_mask"][rows]
        actions: NDArray[np.int64] = np.where(legal, noisy, -np.inf).argmax(axis=1)
        return actions

    # What else Stable-Baselines3 asks of its environments

    def close(self) -> None:
        """Nothing is held."""

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        return getattr(self, method_name)(*args, **kwargs)  # its answer has a row for each game

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs
