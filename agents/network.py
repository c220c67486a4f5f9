"""A trained policy: a network, its file, and its judgment of positions, in plain NumPy.

A policy's file is in the safetensors format: the weights, and in the header a text in JSON
that says of which game they are, what the network looks like and how it was trained.
Nothing in it is run, and neither training nor playing with it leaves anything else behind
that is needed: one file is a player (``policy.py``), or the evaluator of a search
(:meth:`Policy.judge`).

The network is fed by :class:`Inputs`. Two rows of layers, each but the last followed by
``max(x, 0)``, lead from there to a number for each action (``policy.0.weight``,
``policy.0.bias``, ...) and to the expected result (``value.0.weight``, ...).

Read next: ``policy.py``, and ``../mancala_ai/training`` (how they are trained).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

import mancala_ai
from mancala_ai.errors import AgentError, ArgumentError, shown
from mancala_ai.files import whole_binary_file
from mancala_ai.game import Game
from mancala_ai.observation import Stored
from mancala_ai.state import State

FORMAT = 1  # of the file, and of what the network is fed
FILE_NAME = "policy.safetensors"  # in a folder of training
PARTS = ("policy", "value")
SIGNS = 16
LARGEST = 16  # that a number is divided by
KEY = "mancala_ai policy"  # of the text in JSON


class Inputs:
    """What networks are fed: the numbers of an observation, each of them once.

    A number is given as it is, divided by its largest or by ``LARGEST``, and, unless it is 0 or
    1, also by signs: sign k of it is 1 if the number is k, for each k below ``SIGNS``. Where
    seeds come to lie depends on their exact number; how it does, is much easier to learn so.

    Parameters
    ----------
    game : Game

    Attributes
    ----------
    size : int
        How many numbers the network is fed.
    """

    def __init__(self, game: Game) -> None:
        planes, cells = game.observation_planes, game.rows * game.columns
        numbers = [
            (cell * len(planes) + k, plane.most)
            for k, plane in enumerate(planes)
            for cell in range(1 if isinstance(plane.source, Stored) else cells)
        ]
        most = np.array([most for _, most in numbers])
        self._places = np.array([place for place, _ in numbers])
        self._scale = (1 / np.clip(most, 1, LARGEST)).astype(np.float32)
        self._counts = np.flatnonzero(most > 1)
        self.size = len(numbers) + SIGNS * len(self._counts)

    def __call__(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The (n, size) numbers of (n, ...) observations that are not normalized."""
        n = len(observations)
        numbers = observations.reshape(n, -1)[:, self._places]
        signs = numbers[:, self._counts, None] == np.arange(SIGNS, dtype=np.uint8)
        parts = (numbers * self._scale, signs.reshape(n, -1))
        fed: NDArray[np.float32] = np.concatenate(parts, axis=1, dtype=np.float32)
        return fed


class Layer(NamedTuple):
    """Numbers times ``weight``, (outputs, inputs), plus ``bias``, (outputs,)."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]


class Network:
    """The layers of a policy.

    Parameters
    ----------
    policy, value : sequence of Layer
        One layer or more each.
    """

    def __init__(self, policy: Sequence[Layer], value: Sequence[Layer]) -> None:
        self.policy, self.value = tuple(policy), tuple(value)

    def actions(self, fed: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, num_actions) numbers; the probabilities of actions go by their exponentials.

        Parameters
        ----------
        fed : ndarray of float32, shape (n, inputs)
        """
        return _through(self.policy, fed)

    def values(self, fed: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n,) expected results of the players who decide, from -1 to 1.

        Parameters
        ----------
        fed : ndarray of float32, shape (n, inputs)
        """
        values: NDArray[np.float32] = np.clip(_through(self.value, fed)[:, 0], -1, 1)
        return values


def _through(layers: Sequence[Layer], numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    for weight, bias in layers[:-1]:
        numbers = np.maximum(numbers @ weight.T + bias, 0)
    weight, bias = layers[-1]
    last: NDArray[np.float32] = numbers @ weight.T + bias
    return last


class Policy:
    """A trained network with the game that it plays.

    Parameters
    ----------
    game : Game
    network : Network
    training : mapping, optional
        How it was trained; ready for JSON.

    Raises
    ------
    AgentError
        If the network is not one for the game.
    """

    def __init__(
        self, game: Game, network: Network, training: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        self.game, self.network, self.training = game, network, dict(training)
        self._inputs = Inputs(game)
        _check_layers("policy", network, self._inputs.size, game.num_actions)
        _check_layers("value", network, self._inputs.size, 1)

    def check_game(self, game: Game) -> None:
        """Raise unless a game, with its options, is what it was trained for.

        Parameters
        ----------
        game : Game

        Raises
        ------
        ArgumentError
            Naming both games.
        """
        if game != self.game:
            raise ArgumentError(f"the policy was trained for {self.game.spec}, not for {game.spec}")

    def judge(self, states: Sequence[State]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the network holds of positions; it serves as the evaluator of ``mcts``.

        Parameters
        ----------
        states : sequence of State
            n unfinished positions of the game, n at least 1.

        Returns
        -------
        probabilities : ndarray of float32, shape (n, num_actions)
            Of the actions; 0 for those that are not legal.
        values : ndarray of float32, shape (n,)
            Expected results of the players who decide, from -1 to 1.

        Raises
        ------
        ArgumentError
            If a state is of another game, or of the game with other options.
        AgentError
            If the network answers what is no number.
        """
        for state in states:
            self.check_game(state.game)
        fed = self._inputs(np.array([state.observation(normalize=False) for state in states]))
        legal = np.array([state.action_mask() for state in states])
        with np.errstate(over="ignore", invalid="ignore"):
            shares = probabilities(self.network.actions(fed), legal)
            values = self.network.values(fed)
        if not (np.isfinite(shares).all() and np.isfinite(values).all()):
            raise AgentError("the weights of the policy are so large that it answers no numbers")
        return shares, values


def probabilities(numbers: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The probabilities of actions, (n, num_actions), from a network's numbers for them."""
    masked = np.where(legal, numbers, -np.inf)
    weights = np.exp(masked - masked.max(axis=1, keepdims=True))
    shares: NDArray[np.float32] = weights / weights.sum(axis=1, keepdims=True)
    return shares


# Files -----------------------------------------------------------------------


def write_policy(policy: Policy, path: str | Path) -> None:
    """Write a policy to a file, whole or not at all.

    Parameters
    ----------
    policy : Policy
    path : str or Path

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    described = {
        "format": FORMAT,
        "game": policy.game.spec,
        "observation": _observation(policy.game),
        "network": _shapes(policy.network),
        "training": policy.training,
    }
    data = save(tensors_of(policy.network), {KEY: json.dumps(described)})
    with whole_binary_file(path) as file:
        file.write(data)


def read_policy(path: str | Path) -> Policy:
    """The policy in a file, or in the folder of a training.

    Parameters
    ----------
    path : str or Path
        Of the file or the folder.

    Raises
    ------
    AgentError
        In one line, if there is none, or it is damaged or not for this version.
    """
    path = Path(path)
    if path.is_dir():
        path /= FILE_NAME
    try:
        with safe_open(path, framework="np") as file:
            described = json.loads((file.metadata() or {}).get(KEY, "null"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return _policy(described, tensors)
    except OSError as error:
        reason: object = error.strerror or "there is no such file"
    except (SafetensorError, RecursionError, ValueError) as error:
        reason = error
    raise AgentError(f"no policy can be read from {path}: {' '.join(str(reason).split())}")


def tensors_of(network: Network) -> dict[str, NDArray[np.float32]]:
    """The weights and biases of a network by their names in files."""
    return {
        f"{part}.{number}.{kind}": np.ascontiguousarray(numbers, np.float32)
        for part in PARTS
        for number, layer in enumerate(getattr(network, part))
        for kind, numbers in layer._asdict().items()
    }


def network_of(tensors: Mapping[str, NDArray[Any]]) -> Network:
    """The network of :func:`tensors_of`; AgentError if there are others or too few."""
    parts = []
    for part in PARTS:
        count = sum(name.startswith(f"{part}.") for name in tensors) // 2
        names = [[f"{part}.{number}.{kind}" for kind in Layer._fields] for number in range(count)]
        missing = [name for pair in names for name in pair if name not in tensors]
        if missing or not names:
            raise AgentError(f"weights are missing: {', '.join(missing) or part}")
        parts.append([Layer(*(tensors[name] for name in pair)) for pair in names])
    known = sum(2 * len(layers) for layers in parts)
    if known != len(tensors):
        raise AgentError(f"there are {len(tensors)} arrays, and {known} are expected")
    return Network(*parts)


def _policy(described: Any, tensors: Mapping[str, NDArray[Any]]) -> Policy:
    """A policy from the parts of its file; AgentError if they do not fit."""
    if not isinstance(described, dict) or "format" not in described:
        raise AgentError("the file does not say that it is a policy of mancala_ai")
    if described["format"] != FORMAT:
        raise AgentError(f"its format is {shown(described['format'])}, and {FORMAT} can be read")
    game = mancala_ai.make(described.get("game"))  # type: ignore[arg-type]  # it is checked
    if described.get("observation") != _observation(game):
        raise AgentError(f"it was trained on other observations of {game.name} than there are now")
    training = described.get("training")
    return Policy(game, network_of(tensors), training if isinstance(training, dict) else {})


def _observation(game: Game) -> dict[str, Any]:
    """What a policy's file says of its observations, to tell whether they are still the same."""
    planes = [[plane.name, plane.most] for plane in game.observation_planes]
    return {"shape": list(game.observation_shape), "planes": planes}


def _shapes(network: Network) -> dict[str, Any]:
    """What a policy's file says of its layers, for a reader: their widths from input to output."""
    return {
        part: [layers[0].weight.shape[1], *(len(layer.bias) for layer in layers)]
        for part in PARTS
        for layers in [getattr(network, part)]
    }


def _check_layers(part: str, network: Network, inputs: int, outputs: int) -> None:
    """AgentError if the layers do not lead from so many numbers to so many."""
    layers: Sequence[Layer] = getattr(network, part)
    for number, (weight, bias) in enumerate(layers):
        last = number == len(layers) - 1
        width = outputs if last else bias.size
        for kind, array, shape in (("weight", weight, (width, inputs)), ("bias", bias, (width,))):
            name = f"{part}.{number}.{kind}"
            if array.shape != shape or array.dtype != np.float32:
                raise AgentError(
                    f"{name} is float32 of shape {shape}, not {array.dtype} of {array.shape}"
                )
            if not np.isfinite(array).all():
                raise AgentError(f"{name} holds what is no number")
        inputs = width
