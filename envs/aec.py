"""The PettingZoo environment of every game: two players who take turns.

The agents are ``player_0`` (South, who begins) and ``player_1`` (North). An agent is
selected again when he has another decision to make: a turn may hold several, or bring an
extra turn, or the opponent may have to pass. When the game ends, the agent who made the last
decision is selected first, so that ``last()`` after a winning step tells the winner of his
reward; after his ``step(None)`` the other agent is told of his own. Each is paid once.

``env`` and ``raw_env`` differ in one default: an illegal action ends the game in ``env``
(``illegal="lose"``: -1 for him who chose it, as PettingZoo's TerminateIllegalWrapper does),
and raises in ``raw_env`` (``illegal="raise"``). What else PettingZoo's wrappers check is
checked here: actions out of range, and what is asked before ``reset`` or after the end.

Read first: ``setting.py`` (options, rewards). Read next: ``omweso_v0.py``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from mancala_ai.errors import ArgumentError, IllegalActionError, shown
from mancala_ai.state import State

from .setting import FORFEIT, RENDER_MODES, Setting, check_seed

AGENTS = ("player_0", "player_1")

Observation = dict[str, NDArray[Any]]

# What there is from ``reset`` on; ``get_state`` copies it.
_OF_A_GAME = (
    "agents",
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "position",
    "plies",
    "_cumulative_rewards",
    "_seen",
    "_skip_agent_selection",
)


class MancalaAEC(AECEnv[str, Observation, int | None]):
    """A game as a PettingZoo environment.

    Parameters
    ----------
    game : str
        A name of :func:`mancala_ai.games`.
    **options
        Those of the game, and ``max_plies``, ``max_cycles`` (the same, as
        ``pettingzoo.make`` passes it), ``reward``, ``normalize``, ``illegal`` and
        ``render_mode``: see :class:`~mancala_ai.envs.setting.Setting`.

    Attributes
    ----------
    game : Game
    position : State
        Of the game under way.
    plies : int
        Decisions since ``reset``.

    Raises
    ------
    OptionError
        For an option that does not exist or a value that it cannot have.
    """

    position: State
    plies: int

    def __init__(self, game: str, **options: Any) -> None:
        super().__init__()
        self._setting = Setting(game, options)
        self.game = self._setting.game
        self.render_mode = self._setting.render_mode
        self.metadata = {
            "name": f"{game}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.possible_agents = list(AGENTS)
        actions = self.game.num_actions
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in AGENTS}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": self._setting.observation_space,
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self._no_actions = np.zeros(actions, np.int8)
        self._no_actions.flags.writeable = False
        self._random: np.random.Generator | None = None

    def __getattr__(self, name: str) -> Any:
        if name in _OF_A_GAME:
            raise AttributeError(f"{name} cannot be used before reset()")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Of ``observation`` and ``action_mask``; the same for both agents.

        Parameters
        ----------
        agent : str
        """
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The actions of the game; the same for both agents.

        Parameters
        ----------
        agent : str
        """
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game.

        Parameters
        ----------
        seed : int, optional
            Of what is random in the set-up: the game begins with
            ``game.initial_state(seed)``. Without it, random numbers go on from those before.
        options : Mapping, optional
            ``state``: a live state, or its text, to begin with. In Omweso also ``setup``,
            in Hoyito III ``captured``, as ``game.initial_state`` takes them. Other keys are
            ignored.

        Raises
        ------
        ArgumentError, PositionError
            If the seed or the start is none.
        """
        number = check_seed(seed)
        generator = self._random
        if number is not None or generator is None:
            generator = np.random.default_rng(number)
        dealt = int(generator.integers(2**63)) if number is None else number
        position = self._setting.start(dealt, options)

        self._random = generator
        self.position, self.plies = position, 0
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[position.player]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._skip_agent_selection = None
        seen = position.observation(normalize=self._setting.normalize)
        self._tell(seen, position.action_mask().view(np.int8))

    def step(self, action: int | None) -> None:
        """Play an action for the agent selected.

        Parameters
        ----------
        action : int or None
            None once his game is over.

        Raises
        ------
        IllegalActionError
            For an action that does not exist or, with ``illegal="raise"``, is not legal; the
            environment is as before.
        ArgumentError
            If both agents have been told of the end already.
        """
        if not self.agents:
            raise ArgumentError("the game is over: step() comes after reset()")
        agent, setting = self.agent_selection, self._setting
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        try:
            position, seen, mask = self.position._apply_and_look(action, setting.normalize)
        except IllegalActionError:
            if not setting.forfeits(action):
                raise
            self._forfeit(agent)
            return
        self.position, self.plies = position, self.plies + 1
        self._cumulative_rewards[agent] = 0.0
        if position.is_terminal:
            self._end(dict(zip(AGENTS, setting.rewards(position), strict=True)))
        elif self.plies >= setting.max_plies:
            self.truncations = dict.fromkeys(AGENTS, True)
            self._tell()
        else:
            self.agent_selection = AGENTS[position.player]
            self._tell(seen, mask)

    def _forfeit(self, agent: str) -> None:
        """The game ends by an illegal action; the board stays, and nobody has won."""
        self._cumulative_rewards[agent] = 0.0
        self._end({**dict.fromkeys(AGENTS, 0.0), agent: FORFEIT})

    def _end(self, rewards: dict[str, float]) -> None:
        self.rewards = rewards
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(AGENTS, True)
        self._tell()

    def _tell(self, seen: NDArray[Any] | None = None, mask: NDArray[np.int8] | None = None) -> None:
        """Tell both agents of the position, and the person who watches.

        A live position is given with what the agent selected sees and may do.
        """
        told = self._setting.info(self.position, self.plies, self._no_actions)
        self.infos = {AGENTS[0]: told, AGENTS[1]: told.copy()}
        self._seen = seen
        if mask is not None:
            self.infos[self.agent_selection]["action_mask"] = mask
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What an agent sees.

        Parameters
        ----------
        agent : str
            ``"player_0"`` or ``"player_1"``, whether it is his turn or not.

        Returns
        -------
        dict
            ``observation``: float32 or uint8, shape ``game.observation_shape``, from the
            agent's own side. ``action_mask``: int8, shape ``(num_actions,)``, 1 where an
            action is legal; all 0 while the agent waits and when the game is over.
        """
        if agent not in AGENTS:
            raise ArgumentError(f"the agents are {', '.join(AGENTS)}, not {shown(agent)}")
        mask = self.infos[agent]["action_mask"] if agent in self.infos else self._no_actions
        seen = None
        if agent == self.agent_selection:
            seen, self._seen = self._seen, None  # whoever asks owns it; it is made anew then
        if seen is None:
            seen = self.position.observation(AGENTS.index(agent), self._setting.normalize)
        return {"observation": seen, "action_mask": mask.copy()}

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """The agent selected, again and again, until both have been told of the end.

        Parameters
        ----------
        max_iter : int
            How often at most.

        Raises
        ------
        ArgumentError
            If neither ``step`` nor ``reset`` was called since the agent before.
        """
        before: Any = None
        for _ in range(max_iter):
            if not self.agents:
                return
            now = self.infos, len(self.agents)
            if before is not None and now[0] is before[0] and now[1] == before[1]:
                raise ArgumentError("step() has to be called in a loop over agent_iter()")
            before = now
            yield self.agent_selection

    def render(self) -> Any:
        """The position as a str (``ansi``) or an (h, w, 3) uint8 array (``rgb_array``).

        With ``human``, the board is printed, which also happens by itself after every step.
        """
        return self._setting.render(self.position)

    def close(self) -> None:
        """Nothing is held open."""

    def get_state(self) -> dict[str, Any]:
        """All of the game under way, as plain values that can be pickled."""
        return copy.deepcopy({name: getattr(self, name) for name in _OF_A_GAME})

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Go back to what :meth:`get_state` gave.

        Parameters
        ----------
        state : Mapping
            Of this environment or another one of the same game.

        Raises
        ------
        ArgumentError
            If it is anything else.
        """
        if not isinstance(state, Mapping) or set(state) != set(_OF_A_GAME):
            raise ArgumentError(f"a state that get_state() gave is needed, not {shown(state)}")
        if state["position"].game != self.game:
            raise ArgumentError(f"a state of {self.game!r} is needed, not {state['position']!r}")
        self.__dict__.update(copy.deepcopy(dict(state)))


def constructors(
    name: str,
) -> tuple[Callable[..., MancalaAEC], Callable[..., MancalaAEC]]:
    """The functions ``env`` and ``raw_env`` of a game."""

    def env(**options: Any) -> MancalaAEC:
        """The environment; an illegal action ends the game, unless ``illegal="raise"``."""
        return MancalaAEC(name, **options)

    def raw_env(**options: Any) -> MancalaAEC:
        """The environment; an illegal action raises, unless ``illegal="lose"``."""
        return MancalaAEC(name, **{"illegal": "raise", **options})

    return env, raw_env
