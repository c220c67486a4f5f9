"""What a training leaves in its folder, each file written whole or not at all.

==========================  ====================================================
``checkpoint.safetensors``  all that it takes to go on: arrays, and a text in JSON
``policy.safetensors``      the policy as it is now, for ``make_agent``
``curve.csv``, ``.png``     the scores measured so far
==========================  ====================================================

The checkpoint counts: the others follow from it. Nothing in it is run when it is read.

Read next: ``running.py``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from errno import ENOTDIR
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from mancala_ai.agents.network import (
    FILE_NAME,
    Network,
    Policy,
    network_of,
    tensors_of,
    write_policy,
)
from mancala_ai.errors import AgentError, TrainingError, shown
from mancala_ai.files import whole_binary_file
from mancala_ai.registry import make

from .curve import Point, Score, write_csv, write_png
from .settings import Settings

CHECKPOINT = "checkpoint.safetensors"
FORMAT = 1
KEY = "mancala_ai training"  # of the text in JSON
LEARNER, VERSION = "learner", "version"  # first parts of names of arrays


@dataclass(frozen=True)
class Checkpoint:
    """A training between two legs.

    Attributes
    ----------
    settings : dict
        As :meth:`Settings.as_json` gives them.
    leg : int
        How many legs there were.
    timesteps : int
        Decisions of the learner so far.
    points : tuple of Point
        Measurements so far.
    learner : dict of str to ndarray
        See :meth:`~mancala_ai.training.ppo.Learner.tensors`.
    versions : dict of int to Network
        Networks after earlier legs and after this one, by the number of legs before.
    """

    settings: Mapping[str, Any]
    leg: int
    timesteps: int
    points: tuple[Point, ...]
    learner: Mapping[str, NDArray[Any]]
    versions: Mapping[int, Network]


class Folder:
    """The folder of a training, open to be written to; made if there is none.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    OSError
        If it cannot be made.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), str(path)) from None

    @property
    def policy(self) -> Path:
        """The file of the policy."""
        return self.path / FILE_NAME

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other trainings out; the system lets go of the lock however we end."""
        lock = FileLock(self.path / ".lock")
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise TrainingError(f"{self.path}: another training is writing there") from None
        try:
            yield
        finally:
            lock.release()

    def read(self) -> Checkpoint | None:
        """The checkpoint, if there is one; TrainingError if it is damaged or of another kind."""
        path = self.path / CHECKPOINT
        if not path.exists():
            if self.policy.exists():
                raise TrainingError(f"{self.policy} exists and is of no training here: keep it")
            return None
        try:
            with safe_open(path, framework="np") as file:
                described = json.loads((file.metadata() or {}).get(KEY, "null"))
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            return _checkpoint(described, arrays)
        except (SafetensorError, AgentError, KeyError, TypeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise TrainingError(f"{path} cannot be gone on with: {reason}") from None

    def write_policy(self, settings: Settings, network: Network, timesteps: int) -> None:
        """Write the file of the policy."""
        facts = {**settings.as_json(), "timesteps": timesteps}
        write_policy(Policy(make(settings.game), network, facts), self.policy)

    def write(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint; from then on it counts."""
        described = {
            "format": FORMAT,
            "settings": checkpoint.settings,
            "leg": checkpoint.leg,
            "timesteps": checkpoint.timesteps,
            "points": checkpoint.points,
        }
        arrays = {f"{LEARNER}.{name}": array for name, array in checkpoint.learner.items()}
        for number, network in checkpoint.versions.items():
            tensors = tensors_of(network)
            arrays |= {f"{VERSION}.{number}.{name}": array for name, array in tensors.items()}
        data = save(arrays, {KEY: json.dumps(described)})
        with whole_binary_file(self.path / CHECKPOINT) as file:
            file.write(data)

    def write_curve(self, settings: Settings, checkpoint: Checkpoint) -> None:
        """Write the curve as CSV and PNG."""
        write_csv(checkpoint.points, self.path / "curve.csv")
        title = f"{settings.game}, {settings.algo}, seed {settings.seed}"
        write_png(checkpoint.points, title, self.path / "curve.png")


def _checkpoint(described: Any, arrays: Mapping[str, NDArray[Any]]) -> Checkpoint:
    """A checkpoint from the parts of its file; some error if they do not fit."""
    if not isinstance(described, dict) or described.get("format") != FORMAT:
        raise ValueError(f"it is no checkpoint of format {FORMAT}")
    learner: dict[str, NDArray[Any]] = {}
    versions: dict[int, dict[str, NDArray[Any]]] = {}
    for name, array in arrays.items():
        kind, _, rest = name.partition(".")
        if kind == LEARNER:
            learner[rest] = array
        elif kind == VERSION:
            number, _, rest = rest.partition(".")
            versions.setdefault(int(number), {})[rest] = array
        else:
            raise ValueError(f"an array is named {shown(name)}")
    points = [
        Point(timesteps, seconds, games, tuple(Score(*score) for score in scores))
        for timesteps, seconds, games, scores in described["points"]
    ]
    return Checkpoint(
        described["settings"],
        int(described["leg"]),
        int(described["timesteps"]),
        tuple(points),
        learner,
        {number: network_of(versions[number]) for number in sorted(versions)},
    )
