"""A training: legs of learning, each followed by a measurement and a checkpoint.

After each leg the network joins the pool of versions that the next legs are played against.
All that is random in a leg follows from the seed and the number of the leg. So a training
that was killed goes on from its last checkpoint exactly as if it had not been.

Read next: ``folder.py``, ``ppo.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

import numpy as np

from mancala_ai.agents.network import Network
from mancala_ai.errors import TrainingError, shown
from mancala_ai.fields import as_int
from mancala_ai.registry import make

from .curve import Point, measured
from .folder import Checkpoint, Folder
from .settings import Settings

if TYPE_CHECKING:
    from .ppo import Learner

MOST_TIMESTEPS = 10**12
MOST_VERSIONS = 20  # in the pool
AGAINST_ITSELF, AGAINST_EARLIER = 2, 2  # opponents in a leg, each in as many games


class Watcher(Protocol):
    """Who is told how a training goes."""

    def learnt(self, timesteps: int) -> None:
        """Some more timesteps were taken; said again and again.

        Parameters
        ----------
        timesteps : int
            Taken so far.
        """

    def measured(self, point: Point) -> None:
        """A leg is finished; said also of the legs before, when a training is gone on with.

        Parameters
        ----------
        point : Point
        """


class _Nobody:
    def learnt(self, timesteps: int) -> None:
        pass

    def measured(self, point: Point) -> None:
        pass


def train(
    settings: Settings,
    out: str | Path,
    timesteps: int,
    *,
    seconds: float | None = None,
    threads: int = 1,
    watcher: Watcher | None = None,
) -> Checkpoint:
    """Train a policy, or go on with a training, until so many timesteps were taken in all.

    Parameters
    ----------
    settings : Settings
    out : str or Path
        The folder of the training (``folder.py`` says what it holds); made if there is none.
    timesteps : int
        Decisions of the learner, rounded up to whole rollouts of ``settings.games`` times
        ``settings.steps``.
    seconds : float, optional
        Time after which no further leg is begun now.
    threads : int
        For the network's arithmetic; the result may depend on it in the last digits.
    watcher : Watcher, optional

    Returns
    -------
    Checkpoint
        The last one.

    Raises
    ------
    TrainingError
        If packages are missing, the folder belongs to another training or is in use, or an
        argument is wrong.
    OSError
        If the folder cannot be written to.
    """
    target = as_int(timesteps)
    if target is None or not 1 <= target <= MOST_TIMESTEPS:
        raise TrainingError(
            f"timesteps is an integer from 1 to {MOST_TIMESTEPS:.0e}, not {shown(timesteps)}"
        )
    if seconds is not None and not seconds > 0:
        raise TrainingError(f"the time for a training is positive, not {shown(seconds)} s")
    begin = perf_counter()
    make_learner = _learner_maker()
    folder = Folder(out)
    with folder.locked():
        kept = folder.read()
        if kept is not None:
            _check_same(settings, kept, folder)
        learner = make_learner(make(settings.game), settings, threads)
        training = _Training(settings, folder, learner, watcher or _Nobody(), begin)
        training.begin_with(kept)
        while learner.timesteps < target:
            if seconds is not None and perf_counter() - begin > seconds:
                break
            training.run_leg(min(settings.leg, target - learner.timesteps))
        return training.checkpoint


class _Training:
    """A training under way.

    Attributes
    ----------
    checkpoint : Checkpoint
        The last one.
    """

    checkpoint: Checkpoint

    def __init__(
        self, settings: Settings, folder: Folder, learner: Learner, told: Watcher, begin: float
    ) -> None:
        self._settings, self._folder, self._learner, self._told = settings, folder, learner, told
        self._counted = begin  # the time up to here is in the points

    def begin_with(self, kept: Checkpoint | None) -> None:
        """Go on from a checkpoint; without one, the first is made of what knows nothing."""
        if kept is None:
            self._put_down(0, {}, ())
            return
        self._learner.restore(kept.learner, kept.timesteps)
        self.checkpoint = kept
        # what a killed training wrote after its last checkpoint is undone
        self._folder.write_policy(self._settings, self._learner.network(), kept.timesteps)
        self._folder.write_curve(self._settings, kept)
        for point in kept.points:
            self._told.measured(point)

    def run_leg(self, timesteps: int) -> None:
        """Learn for so many timesteps, and put the result down."""
        before = self.checkpoint
        opponents = opponents_of(before.versions, self._settings.seed, before.leg)
        self._learner.learn(before.leg, timesteps, opponents, self._told.learnt)
        self._put_down(before.leg + 1, before.versions, before.points)

    def _put_down(
        self, leg: int, versions: Mapping[int, Network], points: tuple[Point, ...]
    ) -> None:
        """Measure what was learnt, and make it the last checkpoint."""
        settings, network = self._settings, self._learner.network()
        timesteps, games = self._learner.timesteps, settings.measured_games
        self._folder.write_policy(settings, network, timesteps)
        scores = measured(settings.game, self._folder.policy, games)
        now, so_far = perf_counter(), points[-1].seconds if points else 0.0
        point = Point(timesteps, so_far + now - self._counted, games, scores)
        self._counted = now
        self.checkpoint = Checkpoint(
            settings.as_json(),
            leg,
            timesteps,
            (*points, point),
            self._learner.tensors(),
            thinned({**versions, leg: network}),
        )
        self._folder.write(self.checkpoint)
        self._folder.write_curve(settings, self.checkpoint)
        self._told.measured(point)


def opponents_of(versions: Mapping[int, Network], seed: int, leg: int) -> list[Network]:
    """Who is played against in a leg: the last version, and some that are drawn from the pool."""
    rng = np.random.default_rng([seed, leg])
    latest = versions[max(versions)]
    earlier = rng.choice(sorted(versions), AGAINST_EARLIER).tolist()
    return [latest] * AGAINST_ITSELF + [versions[number] for number in earlier]


def thinned(versions: Mapping[int, Network]) -> dict[int, Network]:
    """At most ``MOST_VERSIONS``: the last, and every 1st, 2nd, 4th, ... of the training."""
    kept, every, last = dict(versions), 1, max(versions)
    while len(kept) > MOST_VERSIONS:
        every *= 2
        kept = {number: kept[number] for number in kept if number % every == 0 or number == last}
    return kept


def _check_same(settings: Settings, kept: Checkpoint, folder: Folder) -> None:
    try:
        settings.check_same(kept.settings)
    except TrainingError as error:
        raise TrainingError(f"{folder.path}: {error}; choose another folder") from None


def _learner_maker() -> type[Learner]:
    """The class of learners; TrainingError without the packages that training needs."""
    try:
        import matplotlib  # noqa: F401  # not needed yet, but in the end

        from .ppo import Learner
    except ImportError as error:
        raise TrainingError(
            f'training needs more packages ({error.name}): pip install "mancala-ai[train]"'
        ) from None
    return Learner
