"""Our games as games of OpenSpiel, open to its algorithms.

    >>> import pyspiel
    >>> import mancala_ai.envs.openspiel
    >>> game = pyspiel.load_game("python_mancala_ai(game=omweso,akakyala=True)")
    >>> state = game.new_initial_state()

Importing the module registers one OpenSpiel game, ``python_mancala_ai``. Its parameters:

``game``
    A name of :func:`mancala_ai.games`; ``kalah`` if left out.
the options of that game
    With its own defaults. Where these differ between games (``columns``), OpenSpiel shows
    0, which stands for the game's own.
``max_plies``
    Decisions after which a game ends without a result: both players' return is 0, as of a
    draw. OpenSpiel knows no truncation; ``state.truncated`` tells them apart.
``setup_seed``
    Of a set-up that is random (Omweso's ``setup=random``), so that no game has chance
    nodes. Other seeds are other OpenSpiel games.

Returns are +1, 0 and -1; the only reward is at the end. Observations are those of
:meth:`.State.observation`, from 0 to 1; the text of a state is :meth:`.State.to_text`, and
``game.new_initial_state(text)`` begins from any position.

Read next: ``docs/training.md`` (algorithms that were run), ``mancala_ai/state.py``.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from mancala_ai.errors import ArgumentError, shown
from mancala_ai.game import State
from mancala_ai.registry import games, make, option_table

OWN_DEFAULT = 0  # stands for the game's own default where games differ in it


def _parameters() -> dict[str, Any]:
    """All parameters with what OpenSpiel fills in where one is not given."""
    options: dict[str, Any] = {}
    for name in games():
        for option in option_table(name):
            if options.setdefault(option.name, option.default) != option.default:
                options[option.name] = OWN_DEFAULT
    return {"game": "kalah", "max_plies": 2000, "setup_seed": 0, **options}


PARAMETERS = _parameters()

GAME_TYPE = pyspiel.GameType(
    short_name="python_mancala_ai",
    long_name="Mancala games of mancala_ai",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=PARAMETERS,
)


class MancalaGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its options, as ``pyspiel.load_game`` makes it.

    Attributes
    ----------
    rules : mancala_ai.Game
    max_plies : int
    """

    def __init__(self, params: dict[str, Any]) -> None:
        given = {name: value for name, value in params.items() if value != PARAMETERS[name]}
        self.max_plies = params["max_plies"]
        if self.max_plies < 1:
            raise ArgumentError(f"max_plies is an integer from 1, not {shown(self.max_plies)}")
        self._setup_seed = params["setup_seed"]
        named = ("game", "max_plies", "setup_seed")
        options = {name: value for name, value in given.items() if name not in named}
        self.rules = make(params["game"], **options)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.rules.num_actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.max_plies,
        )
        super().__init__(GAME_TYPE, info, {**given, "game": params["game"]})

    def new_initial_state(self, text: str | None = None) -> MancalaState:
        """The position in which a game begins: the usual one, or that of a text."""
        position = self._initial if text is None else self.rules.state_from_text(text)
        return MancalaState(self, position)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """What OpenSpiel observes states with: the position, or with perfect recall the history."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return _Observer(self.rules.observation_shape)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    @cached_property
    def _initial(self) -> State:
        return self.rules.initial_state(self._setup_seed)


class MancalaState(pyspiel.State):  # type: ignore[misc]
    """A position in a game of OpenSpiel.

    Attributes
    ----------
    position : mancala_ai.State
    """

    def __init__(self, game: MancalaGame, position: State) -> None:
        super().__init__(game)
        self.position = position
        self._max_plies = game.max_plies

    @property
    def truncated(self) -> bool:
        """Whether the game was stopped at ``max_plies``, without a result."""
        return self.position.ply >= self._max_plies and not self.position.is_terminal

    def current_player(self) -> int:
        """Who decides, or ``pyspiel.PlayerId.TERMINAL``."""
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.position.player

    def is_terminal(self) -> bool:
        """Whether the game is over, annulled or truncated."""
        return self.position.is_terminal or self.truncated

    def returns(self) -> list[float]:
        """Both players' results: +1, -1 or 0."""
        return list(self.position.returns)

    def __str__(self) -> str:
        return self.position.to_text() + (" (truncated)" if self.truncated else "")

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions()

    def _apply_action(self, action: int) -> None:
        self.position = self.position.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.game.action_names(player)[action]


class _Observer:
    """The position as a player sees it; ``tensor`` and ``dict`` share their memory."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.tensor: NDArray[np.float32] = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: MancalaState, player: int) -> None:
        self.dict["observation"][:] = state.position.observation(player)

    def string_from(self, state: MancalaState, player: int) -> str:
        return str(state)


pyspiel.register_game(GAME_TYPE, MancalaGame)
