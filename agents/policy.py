"""``policy``: plays as a trained network says, which it reads from a file.

Read first: ``network.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mancala_ai.errors import ArgumentError, OptionError
from mancala_ai.fields import RealOption, TextOption
from mancala_ai.state import State

from .agent import Agent, Info
from .network import read_policy

if TYPE_CHECKING:
    from mancala_ai.game import Game


class PolicyAgent(Agent):
    """A trained policy; it looks at the position itself and at no other.

    It plays the game that it was trained for, with the options that it was trained with
    (ArgumentError). Reading its file runs nothing in it; AgentError if that is not possible.

    Attributes
    ----------
    policy : Policy
        ``policy.judge`` is an evaluator for ``mcts``.
    """

    NAME = "policy"
    OPTIONS = (
        TextOption("path", None, (), "file of the policy, or folder of its training"),
        RealOption("temperature", 0.0, (0.0, 100.0), "0: likeliest action; 1: drawn by the policy"),
    )

    def __init__(self, seed: int = 0, **options: Any) -> None:
        super().__init__(seed, **options)
        if self.options["path"] is None:
            raise OptionError("option path of policy is needed: the file of a trained policy")
        self.policy = read_policy(self.options["path"])
        self._random = np.random.default_rng(self.seed % 2**64)

    def check_game(self, game: Game) -> None:
        try:
            self.policy.check_game(game)
        except ArgumentError as error:
            raise ArgumentError(f"{self.spec} cannot act: {error}") from None

    def choose(self, state: State, seconds: float | None) -> tuple[int, Info]:
        shares, values = self.policy.judge([state])
        legal = state.legal_actions()
        likelihoods = shares[0][legal].astype(float)
        action = legal[self._drawn(likelihoods)]
        info: Info = {
            "objective": "win",
            "value": (1 + float(values[0])) / 2,
            "proven": False,
            "depth": 0,
            "nodes": 1,
            "principal_variation": [action],
            "policy": dict(zip(legal, likelihoods.tolist(), strict=True)),
        }
        return action, info

    def _drawn(self, likelihoods: np.ndarray[Any, Any]) -> int:
        """The place of the likeliest action, or of one that is drawn."""
        temperature = self.options["temperature"]
        if temperature == 0:
            return int(likelihoods.argmax())
        weights = (likelihoods / likelihoods.max()) ** (1 / temperature)
        return int(self._random.choice(len(weights), p=weights / weights.sum()))
