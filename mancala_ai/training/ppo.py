"""Masked proximal policy optimization, by sb3-contrib's ``MaskablePPO``, in self-play.

A :class:`Learner` learns *leg* by leg. What happens in a leg follows from its number, the seed
and what the learner was before it, so that it can be put down after any leg
(:meth:`Learner.tensors`) and go on as if nothing had been, without the state of any generator.

Read first: ``selfplay.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from mancala_ai.agents.network import Layer, Network
from mancala_ai.game import Game

from .selfplay import SelfPlay
from .settings import Settings

MODEL, OPTIMIZER = "model.", "optimizer."  # beginnings of names of tensors


class Learner:
    """A network that learns to play a game.

    Parameters
    ----------
    game : Game
    settings : Settings
    threads : int
        For torch, in this process.
    """

    def __init__(self, game: Game, settings: Settings, threads: int = 1) -> None:
        torch.set_num_threads(threads)
        self._settings = settings
        self._env = SelfPlay(game, settings.games)
        self._model = MaskablePPO(
            "MlpPolicy",
            self._env,
            learning_rate=settings.learning_rate,
            n_steps=settings.steps,
            batch_size=settings.batch_size,
            n_epochs=settings.epochs,
            gamma=1.0,  # so that the value of a position is the result expected
            gae_lambda=settings.gae_lambda,
            ent_coef=settings.entropy,
            policy_kwargs={
                "net_arch": list(settings.hidden),
                "activation_fn": torch.nn.ReLU,
            },
            seed=settings.seed,
            device="cpu",  # faster for networks of this size
        )
        self._model.set_logger(Logger(None, []))  # else it makes a folder for its logs

    @property
    def timesteps(self) -> int:
        """Decisions of the learner so far."""
        return int(self._model.num_timesteps)

    def learn(
        self,
        leg: int,
        timesteps: int,
        opponents: Sequence[Network],
        watch: Callable[[int], None],
    ) -> None:
        """Play a leg and learn from it.

        Parameters
        ----------
        leg : int
            Its number.
        timesteps : int
            Decisions of the learner, rounded up to whole rollouts.
        opponents : sequence of Network
        watch : callable
            Is told the timesteps so far, again and again.
        """
        seed = _seed_of(self._settings.seed, leg)
        self._env.prepare(seed, opponents)
        self._model.set_random_seed(seed)
        self._model._last_obs = None  # new games
        self._model.learn(timesteps, callback=_Watching(watch), reset_num_timesteps=False)

    def network(self) -> Network:
        """The network as it is now, a copy."""
        tensors = {name: _array(tensor) for name, tensor in self._model.policy.state_dict().items()}

        def layers(hidden: str, last: str) -> list[Layer]:
            names = [f"mlp_extractor.{hidden}.{2 * i}" for i in range(len(self._settings.hidden))]
            return [Layer(tensors[f"{n}.weight"], tensors[f"{n}.bias"]) for n in [*names, last]]

        return Network(layers("policy_net", "action_net"), layers("value_net", "value_net"))

    def tensors(self) -> dict[str, NDArray[Any]]:
        """All that it has learnt, for :meth:`restore`."""
        model = self._model.policy.state_dict()
        optimizer = self._model.policy.optimizer.state_dict()["state"]
        return {MODEL + name: _array(tensor) for name, tensor in model.items()} | {
            f"{OPTIMIZER}{number}.{name}": _array(tensor)
            for number, state in optimizer.items()
            for name, tensor in state.items()
        }

    def restore(self, tensors: Mapping[str, NDArray[Any]], timesteps: int) -> None:
        """Be as a learner was when it was asked for its :meth:`tensors`."""
        policy = self._model.policy
        states: dict[int, dict[str, torch.Tensor]] = {}
        for name, array in tensors.items():
            if name.startswith(OPTIMIZER):
                number, _, kind = name.removeprefix(OPTIMIZER).partition(".")
                states.setdefault(int(number), {})[kind] = torch.from_numpy(array.copy())
        model = {
            name.removeprefix(MODEL): torch.from_numpy(array.copy())
            for name, array in tensors.items()
            if name.startswith(MODEL)
        }
        policy.load_state_dict(model)
        groups = policy.optimizer.state_dict()["param_groups"]
        policy.optimizer.load_state_dict({"state": states, "param_groups": groups})
        self._model.num_timesteps = timesteps


class _Watching(BaseCallback):
    """Tells somebody how many timesteps were taken."""

    def __init__(self, watch: Callable[[int], None]) -> None:
        super().__init__()
        self._watch = watch

    def _on_step(self) -> bool:
        self._watch(self.num_timesteps)
        return True


def _array(tensor: torch.Tensor) -> NDArray[Any]:
    return np.ascontiguousarray(tensor.detach().numpy().copy())


def _seed_of(seed: int, leg: int) -> int:
    """The seed of a leg, one that every generator takes."""
    return int(np.random.SeedSequence([seed, leg]).generate_state(1)[0])
