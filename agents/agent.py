"""What an agent is: it is shown a state and answers with a legal action.

A new agent is a subclass with ``NAME``, ``OPTIONS`` and ``choose``, and one row in
``registry.py``. Anything with ``act``, ``reset``, ``close``, ``spec`` and
``last_info`` serves as well: the rest of the library asks for no more.

Read next: ``simple.py`` (the shortest agents), ``registry.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict

from mancala_ai.errors import AgentError, ArgumentError, shown
from mancala_ai.fields import Option, as_int, check_options, write_options
from mancala_ai.state import State

if TYPE_CHECKING:
    from mancala_ai.game import Game

LONGEST_SECONDS = 10.0**6
OBJECTIVES = ("margin", "win")


class Info(TypedDict, total=False):
    """What an agent did for its last action; a key is absent where it has no meaning.

    Attributes
    ----------
    action : int
        The action chosen.
    seconds : float
        Wall-clock time taken.
    objective : str
        What ``value`` counts: ``"margin"``, seeds won from here to the end, own less the
        opponent's; or ``"win"``, the expected result, a win 1, a draw or an annulled
        game 1/2.
    value : float
        The value of the position for the player who moves in it, by the objective.
    proven : bool
        Whether the value is exact, and not an estimate.
    depth : int
        Decisions looked ahead, completely; absent where all were, to the end.
    nodes : int
        Positions visited.
    nodes_per_second : float
    principal_variation : list of int
        The best line found; the action itself comes first.
    num_simulations : int
    simulations_per_second : float
    visit_counts : dict
        ``{action: visits}`` of the legal actions.
    policy : dict
        ``{action: probability}`` of the legal actions, as a network judges.
    memory : int
        Bytes held by tables or trees.
    """

    action: int
    seconds: float
    objective: str
    value: float
    proven: bool
    depth: int
    nodes: int
    nodes_per_second: float
    principal_variation: list[int]
    num_simulations: int
    simulations_per_second: float
    visit_counts: dict[int, int]
    policy: dict[int, float]
    memory: int


class Agent:
    """A player; made by :func:`mancala_ai.agents.make_agent`.

    It looks at one position at a time: while it acts, another thread may call ``close`` and
    nothing else. It can be deep-copied and pickled; the copy plays as it would (but an engine
    is started anew).

    Parameters
    ----------
    seed : int
        Of all that the agent draws. The same seed and the same states give the same
        actions, unless the agent is given a time instead of a depth or a number of
        simulations.
    **options
        By name; ``OPTIONS`` of the class lists them.

    Attributes
    ----------
    options : Mapping
        Every option with its value.
    last_info : Info
        What was done for the last action.
    """

    NAME: ClassVar[str]
    OPTIONS: ClassVar[tuple[Option, ...]] = ()

    def __init__(self, seed: int = 0, **options: Any) -> None:
        number = as_int(seed)
        if number is None or not -(2**63) <= number < 2**64:
            raise ArgumentError(f"a seed is a 64-bit integer, not {shown(seed)}")
        self.seed = number
        self.options: Mapping[str, Any] = check_options(self.NAME, self.OPTIONS, options)
        self.last_info: Info = {}

    def act(self, state: State, seconds: float | None = None) -> int:
        """The action for the player who decides in ``state``; always legal.

        Parameters
        ----------
        state : State
            Any unfinished position of any game.
        seconds : float, optional
            Time to take at most; agents that do not search ignore it.

        Raises
        ------
        ArgumentError
            If ``state`` is none, the game is finished or not for this agent
            (:meth:`check_game`), or ``seconds`` is no positive number.
        AgentError
            If the agent fails.
        """
        if not isinstance(state, State):
            raise ArgumentError(f"an agent acts on a state, not on {shown(state)}")
        if state.is_terminal:
            raise ArgumentError(f"{self.spec} cannot act: the game is finished ({state.win_kind})")
        self.check_game(state.game)
        begin = perf_counter()
        action, info = self.choose(state, check_seconds(seconds))
        if action not in state.legal_actions():
            raise AgentError(f"{self.spec} answered {shown(action)}, which is not legal here")
        self.last_info = {**info, "action": action, "seconds": perf_counter() - begin}
        return action

    def choose(self, state: State, seconds: float | None) -> tuple[int, Info]:
        """The action and what is to be said of it; for subclasses.

        Parameters
        ----------
        state : State
            Not finished.
        seconds : float or None
            As :meth:`act` takes it.
        """
        raise NotImplementedError

    def check_game(self, game: Game) -> None:
        """Raise unless the agent, with its options, can play a game.

        Parameters
        ----------
        game : Game

        Raises
        ------
        ArgumentError
            Saying why it cannot.
        """

    def prepare(self, state: State) -> None:
        """Do what takes its time but once, such as compiling, before any clock runs.

        Parameters
        ----------
        state : State
            One of the game to be played.
        """

    def reset(self) -> None:
        """Forget what was kept from one move to the next: a new game begins."""

    def close(self) -> None:
        """Give back what the agent holds: processes, memory.

        It ends a search under way in another thread, where ``act`` then raises AgentError.
        """

    @property
    def spec(self) -> str:
        """The agent as ``make_agent`` reads it, with the options that differ."""
        changed = write_options(self.OPTIONS, self.options)
        return self.NAME + (":" + changed if changed else "")

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "options": dict(self.options)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, options=check_options(self.NAME, self.OPTIONS, state["options"]))

    def __repr__(self) -> str:
        return f"make_agent({self.spec!r}, seed={self.seed})"


def check_seconds(seconds: float | None) -> float | None:
    """A time as a float; ArgumentError unless it is positive."""
    if seconds is None:
        return None
    if not is_real(seconds) or not 0 < seconds <= LONGEST_SECONDS:
        raise ArgumentError(
            f"seconds is a positive number up to {LONGEST_SECONDS:g}, not {shown(seconds)}"
        )
    return float(seconds)


def is_real(value: Any) -> bool:
    """Whether a value is a real number; booleans are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def natural_objective(game: Game, wanted: str | None) -> str:
    """The objective to use in a game: its own where none is wanted.

    Raises ArgumentError where seeds are wanted in a game that is decided by the last move.
    """
    if game.COUNTS_SEEDS:
        return wanted or "margin"
    if wanted == "margin":
        raise ArgumentError(
            f"{game.name} is decided by the last move: objective is win, not margin"
        )
    return "win"
