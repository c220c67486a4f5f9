"""What decides a training, apart from how long it goes on.

Read next: ``running.py``, ``ppo.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import mancala_ai
from mancala_ai.errors import TrainingError, shown

ALGORITHMS = ("maskable-ppo",)


@dataclass(frozen=True)
class Settings:
    """The settings of a training.

    Attributes
    ----------
    game : str
        A spec, as :func:`mancala_ai.make` takes it; kept in its shortest form.
    algo : str
        ``"maskable-ppo"``.
    seed : int
        Of all that is random; 0 to 2**32 - 1.
    games : int
        Games played at a time.
    steps : int
        Decisions of the learner in each of them between two updates of the network.
    leg : int
        Decisions of the learner between two checkpoints.
    batch_size, epochs, learning_rate, gae_lambda, entropy
        As ``MaskablePPO`` takes them.
    hidden : tuple of int
        Widths of the hidden layers that lead to the actions, and of those to the value.
    measured_games : int
        Games against each opponent by which a checkpoint is measured, an even number.

    Raises
    ------
    UnknownGameError, OptionError, TrainingError
        If the game, the algorithm or the seed is none.
    """

    game: str
    algo: str = "maskable-ppo"
    seed: int = 0
    games: int = 128
    steps: int = 64
    leg: int = 65_536
    batch_size: int = 512
    epochs: int = 6
    learning_rate: float = 1e-3
    gae_lambda: float = 0.5
    entropy: float = 0.01
    hidden: tuple[int, ...] = (128, 128)
    measured_games: int = 100

    def __post_init__(self) -> None:
        object.__setattr__(self, "game", mancala_ai.make(self.game).spec)
        if self.algo not in ALGORITHMS:
            raise TrainingError(f"algo is one of {', '.join(ALGORITHMS)}, not {shown(self.algo)}")
        if not 0 <= self.seed < 2**32:
            raise TrainingError(f"seed is an integer from 0 to 2**32 - 1, not {shown(self.seed)}")

    def as_json(self) -> dict[str, Any]:
        """The settings as a checkpoint keeps them."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    def check_same(self, kept: Mapping[str, Any]) -> None:
        """Raise TrainingError unless a training with settings so kept can be gone on with."""
        for name, value in self.as_json().items():
            if kept.get(name) != value:
                raise TrainingError(
                    f"there is a training with {name} {shown(kept.get(name))}, not {shown(value)}"
                )
