"""What the environments of a game share: options, start, spaces, rewards, infos, pictures.

Read next: ``aec.py``, ``single.py``.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

import mancala_ai as ma
from mancala_ai.errors import ArgumentError, OptionError, shown
from mancala_ai.fields import Option, as_int, check_options
from mancala_ai.state import State

MAX_PLIES = 2000  # only random games of Oware that go round for ever are longer
REWARDS = ("outcome", "points", "margin")
RENDER_MODES = ("human", "ansi", "rgb_array")
FORFEIT = -1.0  # the reward for an illegal action that ends the game


class Setting:
    """A game with the options of an environment.

    Parameters
    ----------
    name : str
        Of the game.
    given : Mapping
        Options of the game and of the environment, by name.

    Attributes
    ----------
    game : Game
    max_plies : int
        Decisions after which a game is truncated.
    reward : str
        ``"outcome"``: +1, -1 or 0. ``"points"``: own points less the opponent's, by the game's
        own scoring. ``"margin"``: own captured seeds less the opponent's. All are paid when
        the game ends; a truncated or annulled game pays nothing.
    normalize : bool
        Whether observations are float32 from 0 to 1, or uint8 counts.
    illegal : str
        ``"lose"``: an illegal action ends the game, at -1 for him who chose it; ``"raise"``:
        it raises IllegalActionError, and nothing changes.
    render_mode : str or None
    observation_space : Box
        Of the observation alone.

    Raises
    ------
    OptionError
        For an option that does not exist or a value that it cannot have.
    """

    def __init__(self, name: str, given: Mapping[str, Any]) -> None:
        of_game = ma.option_table(name)
        own = environment_options(ma.make(name).COUNTS_SEEDS)
        values = check_options(f"the environment of {name}", (*of_game, *own), given)
        self.game = ma.make(name, **{option.name: values[option.name] for option in of_game})
        self.max_plies = _one_of(values["max_plies"], values["max_cycles"])
        self.reward: str = values["reward"]
        self.normalize: bool = values["normalize"]
        self.illegal: str = values["illegal"]
        self.render_mode: str | None = values["render_mode"]
        self.observation_space = self._observation_space()
        self._start_options = set(inspect.signature(self.game.initial_state).parameters) - {"seed"}

    def _observation_space(self) -> spaces.Box:
        shape = self.game.observation_shape
        if self.normalize:
            return spaces.Box(0.0, 1.0, shape, np.float32)
        most = np.array([plane.most for plane in self.game.observation_planes], np.uint8)
        return spaces.Box(np.zeros(shape, np.uint8), np.broadcast_to(most, shape), dtype=np.uint8)

    def start(self, seed: int, options: Mapping[str, Any] | None) -> State:
        """The position in which a game begins.

        Parameters
        ----------
        seed : int
            Of what is random in the set-up.
        options : Mapping, optional
            ``state``: a live state of the game, or its text. Besides, what
            ``game.initial_state`` takes: in Omweso ``setup``, in Hoyito III ``captured``.
            All other keys are ignored.
        """
        options = options or {}
        if options.get("state") is not None:
            return self._given_start(options["state"])
        given = {name: options[name] for name in self._start_options if name in options}
        return self.game.initial_state(seed=seed, **given)

    def _given_start(self, given: Any) -> State:
        state = self.game.state_from_text(given) if isinstance(given, str) else given
        if not isinstance(state, State) or state.game != self.game:
            raise ArgumentError(f"options['state'] is a state of {self.game!r}, not {shown(given)}")
        if state.is_terminal:
            raise ArgumentError(f"options['state'] is finished already ({state.win_kind})")
        seeds = int(state.board.sum() + state.captured.sum()) + state.in_hand
        if seeds > self.game._seeds:
            raise ArgumentError(
                f"options['state'] has {seeds} seeds, more than the {self.game._seeds} of "
                f"{self.game!r}: its observations would leave their space"
            )
        return state

    def forfeits(self, action: Any) -> bool:
        """Whether an action that could not be played ends the game; it raises if it does not.

        One that does not exist is a fault of the program, and never does.
        """
        number = as_int(action)
        exists = number is not None and 0 <= number < self.game.num_actions
        return self.illegal == "lose" and exists

    def rewards(self, state: State) -> tuple[float, float]:
        """What the players 0 and 1 are paid in a finished game; zero-sum."""
        if self.reward == "outcome" or state.annulled:
            return state.returns
        held = state.points if self.reward == "points" else state.captured
        difference = float(held[0] - held[1])
        return difference, 0.0 - difference

    def info(self, state: State, plies: int, mask: NDArray[np.int8]) -> dict[str, Any]:
        """What is told beside the observation."""
        win_kind = state.win_kind
        return {
            "action_mask": mask,
            "ply": plies,
            "points": state.points,
            "win_kind": win_kind,
            "annulled": win_kind == "annulled",
            "without_glory": win_kind == "without_glory",
        }

    def render(self, state: State) -> Any:
        """The position in the render mode; the human mode prints it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() shows nothing where no render_mode was given")
            return None
        if self.render_mode == "rgb_array":
            from mancala_ai.render.rgb import picture

            return picture(state)
        if self.render_mode == "ansi":
            return str(state)
        print(state, end="\n\n")
        return None


def environment_options(counts_seeds: bool) -> tuple[Option, ...]:
    """The options of environments, of games that seeds decide or others."""
    plies = range(1, 2**31)
    rewards = REWARDS if counts_seeds else REWARDS[:2]
    return (
        Option("max_plies", None, plies, f"decisions until truncation, {MAX_PLIES} if None"),
        Option("max_cycles", None, plies, "the same, by the name that PettingZoo gives it"),
        Option("reward", "outcome", rewards, "what is paid at the end of a game"),
        Option("normalize", True, (False, True), "observations as float32 from 0 to 1, else uint8"),
        Option("illegal", "lose", ("lose", "raise"), "what an illegal action does"),
        Option("render_mode", None, RENDER_MODES, "the kind of picture"),
    )


def check_seed(seed: Any) -> int | None:
    """A seed of ``reset``: None, or an integer that generators take."""
    number = as_int(seed)
    if seed is not None and (number is None or not 0 <= number < 2**64):
        raise ArgumentError(f"seed is an integer from 0 to 2**64 - 1 or None, not {shown(seed)}")
    return number


def _one_of(max_plies: int | None, max_cycles: int | None) -> int:
    if max_plies is not None and max_cycles not in (None, max_plies):
        raise OptionError(
            f"max_plies and max_cycles are the same: {max_plies} and {max_cycles} cannot both hold"
        )
    return max_plies or max_cycles or MAX_PLIES
