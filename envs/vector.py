"""Many games at once for gymnasium: a batch behind the interface of ``VectorEnv``.

    >>> import gymnasium
    >>> import mancala_ai.envs
    >>> envs = gymnasium.make_vec("mancala_ai/Kalah-v0", num_envs=1024, opponent=None)

Against an opponent, each row is what ``single.py`` shows of one game. With
``opponent=None`` both players are the caller's (*self-play*): each step asks whoever decides,
and shows him the board from his side.

Read first: ``../mancala_ai/batch.py``, which does the work; ``setting.py`` (options, rewards).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from mancala_ai.agents import Agent, make_agent
from mancala_ai.batch import Batch
from mancala_ai.errors import OptionError, shown

from .setting import RENDER_MODES, Setting, check_seed


class MancalaVectorEnv(VectorEnv[NDArray[Any], ArrayLike, NDArray[Any]]):
    """Games of one kind in lock-step, against an opponent or in self-play.

    The step after the end of a game ignores the action of its row, pays nothing and shows
    the next game (``AutoresetMode.NEXT_STEP``); until then its mask is all ones.

    Parameters
    ----------
    game : str
        A name of :func:`mancala_ai.games`.
    num_envs : int
    opponent : str, Agent or None
        Whose turns are played inside: an agent as :func:`mancala_ai.agents.make_agent` reads
        it, or the agent itself; ``"random"`` is by far the fastest. None: self-play. One
        agent serves all rows, and is not told when a game begins.
    seat : int or "random"
        The player's, where there is an opponent: 0 (South, who begins), 1, or drawn anew for
        every game.
    threads : int, optional
        Threads to use; None means one, 0 as many as there are processors to use.
    copy : bool
        False: the arrays returned are those that the next step overwrites.
    **options
        Those of the game, and ``max_plies`` (decisions of both players), ``reward``,
        ``normalize`` and ``render_mode``: see :class:`~mancala_ai.envs.setting.Setting`. An
        illegal action raises here.

    Attributes
    ----------
    batch : Batch
        The games; ``batch.state(row)`` is one of them.

    Raises
    ------
    OptionError, UnknownAgentError, ArgumentError
        Naming what was given and what is allowed.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponent: str | Agent | None = "random",
        seat: int | str = 0,
        threads: int | None = None,
        copy: bool = True,
        **options: Any,
    ) -> None:
        self._setting = setting = Setting(game, {"illegal": "raise", **options})
        if setting.illegal != "raise":
            raise OptionError(
                f"option illegal of many games at once cannot be {shown(setting.illegal)}; "
                "allowed: raise"
            )
        self.game, self.render_mode = setting.game, setting.render_mode
        self._batch_options: dict[str, Any] = {
            "n": num_envs,
            "seat": seat,
            "reward": setting.reward,
            "normalize": setting.normalize,
            "max_plies": setting.max_plies,
            "threads": threads,
        }
        self._opponent, self._copy = opponent, copy
        self._made: Agent | None = None
        self.batch = self._new_batch(None)

        self.num_envs = self.batch.n
        self.metadata = {
            "autoreset_mode": AutoresetMode.NEXT_STEP,
            "render_modes": list(RENDER_MODES),
            "render_fps": 1,
        }
        self.single_observation_space = setting.observation_space
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a game in every row.

        Parameters
        ----------
        seed : int, optional
            Of set-ups, seats and the opponent: the games are those of ``game.batch(n, seed)``.
            Without it, random numbers go on from those before.
        options : Mapping, optional
            Ignored.

        Raises
        ------
        ArgumentError
            If the seed is none.
        """
        number = check_seed(seed)
        if number is None:
            self.batch.reset()
        else:
            super().reset(seed=number)
            self.batch = self._new_batch(number)
        return self._shown(self.batch.observation), self._infos()

    def _new_batch(self, seed: int | None) -> Batch:
        """The games of a seed, or of a random one."""
        opponent = self._opponent
        if isinstance(opponent, str) and opponent != "random":
            self.close_extras()
            opponent = self._made = make_agent(opponent, seed=int(self.np_random.integers(2**63)))
            opponent.check_game(self.game)
        number = int(self.np_random.integers(2**63)) if seed is None else seed
        return self.game.batch(seed=number, opponent=opponent, **self._batch_options)

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """One decision in every row, and against an opponent all of his that follow.

        Parameters
        ----------
        actions : array_like of int, shape (num_envs,)

        Returns
        -------
        observations : ndarray, shape (num_envs, rows, columns, features)
        rewards : ndarray of float32, shape (num_envs,)
            The player's; in self-play those of whoever made the decision. A game is paid in
            the step that ends it. ``infos["rewards"]`` has those of both players.
        terminations, truncations : ndarray of bool, shape (num_envs,)
        infos : dict
            Those of :class:`~mancala_ai.batch.Batch` (``action_mask`` is int8 here), and
            ``rewards``: float32, (num_envs, 2), of players 0 and 1.

        Raises
        ------
        IllegalActionError
            If an action is not legal; names the row. All games are as they were.
        ArgumentError
            If ``actions`` are not num_envs integers.
        """
        batch = self.batch
        whose = batch.infos["player" if self._opponent is None else "seat"].copy()
        batch.step(actions)
        rewards = batch.rewards[np.arange(self.num_envs), whose]
        terminations, truncations = batch.terminations, batch.truncations
        return (
            self._shown(batch.observation),
            rewards,
            self._shown(terminations),
            self._shown(truncations),
            self._infos(),
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """(num_envs, num_actions) which actions are legal; all, where any action will do."""
        return self._shown(self.batch.infos["action_mask"])

    def _infos(self) -> dict[str, Any]:
        infos = {**self.batch.infos, "rewards": self.batch.rewards}
        infos["action_mask"] = infos["action_mask"].view(np.int8)
        told = {name: self._shown(array) for name, array in infos.items()}
        everywhere = np.ones(self.num_envs, np.bool_)  # gymnasium asks which rows have a key
        return told | {f"_{name}": everywhere for name in told}

    def _shown(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array

    def render(self) -> tuple[Any, ...]:
        """The positions of all rows, each as a str (``ansi``) or an (h, w, 3) uint8 array.

        With ``human`` they are printed.
        """
        return tuple(self._setting.render(state) for state in self.batch.states())

    def close_extras(self, **kwargs: Any) -> None:
        """Close the opponent, if it was made here."""
        if self._made is not None:
            self._made.close()
