"""The gymnasium environment of every game: one player against an agent.

Read first: ``setting.py`` (options, rewards). Read next: ``aec.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from mancala_ai.agents import Agent, make_agent
from mancala_ai.errors import ArgumentError, IllegalActionError, OptionError, shown
from mancala_ai.fields import as_int
from mancala_ai.state import State

from .setting import FORFEIT, RENDER_MODES, Setting, check_seed


class SingleEnv(gymnasium.Env[NDArray[Any], Any]):
    """A game against an agent, whose turns are played inside.

    The observation is that of the player's own side, of shape ``game.observation_shape``;
    legal actions are told by :meth:`action_masks`, which sb3-contrib asks, and as
    ``info["action_mask"]`` (int8). Where nothing is asked, since the game is over, the mask
    is all ones.

    The opponent may finish the game before the player ever decides (in games with extra
    turns, on very small boards). Then ``reset`` shows the finished board, and the first
    ``step`` ends the game with its reward, whatever the action.

    Parameters
    ----------
    game : str
        A name of :func:`mancala_ai.games`.
    opponent : str or Agent
        An agent as :func:`mancala_ai.agents.make_agent` reads it, or the agent itself, which
        then goes on with its own random numbers whatever the seed of ``reset``.
    seat : int or "random"
        The player's: 0 (South, who begins), 1, or drawn anew for every game.
    **options
        Those of the game, and ``max_plies`` (decisions of both players), ``reward``,
        ``normalize``, ``illegal`` and ``render_mode``: see
        :class:`~mancala_ai.envs.setting.Setting`.

    Attributes
    ----------
    position : State
        Of the game under way.
    plies : int
        Decisions of both players since ``reset``.

    Raises
    ------
    OptionError, UnknownAgentError
        Naming what was given and what is allowed.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}
    position: State
    plies: int
    seat: int

    def __init__(
        self, game: str, opponent: str | Agent = "random", seat: int | str = 0, **options: Any
    ) -> None:
        self._setting = Setting(game, options)
        self.game = self._setting.game
        self.render_mode = self._setting.render_mode
        if seat != "random" and as_int(seat) not in (0, 1):
            raise OptionError(f"option seat cannot be {shown(seat)}; allowed: 0, 1, random")
        if not isinstance(opponent, str) and not callable(getattr(opponent, "act", None)):
            raise OptionError(f"option opponent is an agent or its spec, not {shown(opponent)}")
        self._wanted_seat = seat
        self._spec = opponent if isinstance(opponent, str) else None
        self.opponent = self._make_opponent() if isinstance(opponent, str) else opponent
        self.observation_space = self._setting.observation_space
        self.action_space = spaces.Discrete(self.game.num_actions)
        self._awaits_step = False

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a game, up to the player's first decision.

        Parameters
        ----------
        seed : int, optional
            Of the set-up, the seat and the opponent. Without it, random numbers go on from
            those before.
        options : Mapping, optional
            ``state``, ``setup``, ``captured``: see
            :meth:`mancala_ai.envs.aec.MancalaAEC.reset`. Other keys are ignored.

        Raises
        ------
        ArgumentError, PositionError
            If the seed or the start is none.
        """
        number = check_seed(seed)
        super().reset(seed=number)
        dealt = int(self.np_random.integers(2**63)) if number is None else number
        self.position, self.plies = self._setting.start(dealt, options), 0
        random_seat = int(self.np_random.integers(2))
        self.seat = random_seat if self._wanted_seat == "random" else int(self._wanted_seat)
        if self._spec is not None and number is not None:
            self.opponent.close()
            self.opponent = self._make_opponent()
        self.opponent.reset()
        self._awaits_step = True
        self._let_opponent_play()
        return self._seen()

    def _make_opponent(self) -> Agent:
        agent = make_agent(str(self._spec), seed=int(self.np_random.integers(2**63)))
        agent.check_game(self.game)
        return agent

    def step(self, action: int) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play an action, and all of the opponent's until the player decides again.

        Parameters
        ----------
        action : int

        Raises
        ------
        IllegalActionError
            For an action that does not exist or, with ``illegal="raise"``, is not legal; the
            environment is as before.
        ArgumentError
            If the game is over.
        """
        if not self._awaits_step:
            raise ArgumentError("the game is over: step() comes after reset()")
        if self._is_live():
            try:
                self.position = self.position.apply(action)
            except IllegalActionError:
                if not self._setting.forfeits(action):
                    raise
                self._awaits_step = False
                seen, info = self._seen()
                return seen, FORFEIT, True, False, info
            self.plies += 1
            self._let_opponent_play()
        terminated, self._awaits_step = self.position.is_terminal, self._is_live()
        reward = self._setting.rewards(self.position)[self.seat] if terminated else 0.0
        seen, info = self._seen()
        return seen, reward, terminated, not (terminated or self._awaits_step), info

    def _let_opponent_play(self) -> None:
        while self._is_live() and self.position.player != self.seat:
            self.position = self.position.apply(self.opponent.act(self.position))
            self.plies += 1

    def _is_live(self) -> bool:
        return not self.position.is_terminal and self.plies < self._setting.max_plies

    def _seen(self) -> tuple[NDArray[Any], dict[str, Any]]:
        """The observation and what is told beside it."""
        mask = self.action_masks().view(np.int8)
        info = {**self._setting.info(self.position, self.plies, mask), "seat": self.seat}
        if self.render_mode == "human":
            self.render()
        return self.position.observation(self.seat, self._setting.normalize), info

    def action_masks(self) -> NDArray[np.bool_]:
        """(num_actions,) which actions are legal; all, where nothing is asked."""
        if self._awaits_step and self._is_live():
            return self.position.action_mask()
        return np.ones(self.game.num_actions, np.bool_)

    def render(self) -> Any:
        """The position as a str (``ansi``) or an (h, w, 3) uint8 array (``rgb_array``).

        With ``human``, the board is printed, which also happens by itself after every step.
        """
        return self._setting.render(self.position)

    def close(self) -> None:
        """Close the opponent, if it was made here."""
        if self._spec is not None:
            self.opponent.close()
