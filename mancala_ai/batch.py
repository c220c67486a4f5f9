"""Many games in lock-step: one call steps them all and writes what a network wants to see.

    batch = game.batch(1024, seed=1)
    actions = batch.random_actions()
    observation, rewards, terminations, truncations, infos = batch.step(actions)

The arrays are made once and *overwritten by every step*: copy what is to be kept. The step
after the end of a game ignores its action and shows the next game (gymnasium calls that
``AutoresetMode.NEXT_STEP``); until then the mask says that any action will do.

Read next: ``batch_kernels.py``, and ``../envs/vector.py``, the same for gymnasium.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernels
from .arrays import CACHE_LINE, aligned
from .batch_kernels import (
    BOTH_SEATS,
    CALLER,
    GO,
    MARGIN,
    OUTCOME,
    POINTS,
    RANDOM,
    RANDOM_SEAT,
    STAY,
    WAIT,
    Rows,
    Shown,
    first_illegal,
    play,
)
from .cache import resolved
from .dispatch import ONE_WORD, OVER, stored_size
from .errors import ArgumentError, IllegalActionError, shown
from .fields import as_int
from .game import MAX_PLIES, MAX_THREADS, Game, _number, _seed, usable_cores
from .state import State

MAX_ROWS = 2**24
ROWS_OF_A_THREAD = 4096  # fewer are played before another thread has woken up
FIRST_CAPACITY = 32  # positions that are kept of a game where repetition counts
MOST_KEPT_AT_ONCE = 2  # in a step of such a game: players alternate in them
REWARDS = {"outcome": OUTCOME, "points": POINTS, "margin": MARGIN}

Step = tuple[
    NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, NDArray[Any]]
]


class Opponent(Protocol):
    """Whatever decides for the other seat: an agent."""

    def act(self, state: State) -> int:
        """A legal action.

        Parameters
        ----------
        state : State
            Not finished.
        """


class Batch:
    """n games of one kind in lock-step; made by :meth:`.Game.batch`.

    Row i plays a game exactly as :class:`~mancala_ai.state.State` does, beginning with
    ``game.initial_state(batch.seeds[i])``, on any number of threads, whatever the other
    rows. Rows of the same number of two batches of the same seed play the same games.

    Parameters
    ----------
    game : Game
    n : int
        How many games: 1 to 2**24.
    seed : int
        Any 64-bit integer.
    opponent : None, "random" or an agent
        Who decides for one of the players, inside ``step``; with None the caller decides
        for both. ``"random"``: every legal action is equally likely; it is fast. An agent
        is asked for each row in turn, and is not told when a game begins.
    seat : 0, 1 or "random"
        Which player the caller is where there is an opponent; ``"random"``: drawn anew for
        every game.
    reward : str
        ``"outcome"``: +1, -1 or 0. ``"points"``: own points less the opponent's, by the
        game's own scoring. ``"margin"``: own captured seeds less the opponent's, in games
        that these decide. All are paid when the game ends; a truncated or annulled game pays
        nothing.
    normalize : bool
        Whether observations are float32 from 0 to 1, or uint8 counts.
    max_plies : int
        Decisions of both players after which a game is truncated.
    threads : int, optional
        Threads to use; None means one, 0 as many as there are processors to use. Each plays
        4,096 rows or more: with fewer, it would not pay.

    Attributes
    ----------
    observation : ndarray, shape (n, rows, columns, features)
        What ``state.observation()`` shows the player who decides, or the caller's player
        where there is an opponent.
    rewards : ndarray of float32, shape (n, 2)
        Of players 0 and 1; zero-sum.
    terminations, truncations : ndarray of bool, shape (n,)
        Whether a game ended in the last step, with a result or annulled; or at ``max_plies``.
    infos : dict
        ``action_mask``: bool, (n, num_actions), the legal actions; all True where any
        action will do. (Its rows do not follow each other closely in memory.)
        ``player``: int8, (n,), who decides. ``points``: float32, (n, 2), by the game's own
        scoring. ``annulled``: bool, (n,). ``ply``: int32, (n,), decisions of both players.
        ``seat``: int8, (n,), the caller's player; -1 for both. The last two cannot be
        written to.
    seeds : ndarray of int64, shape (n,)
        Of the present games. Game e (0, 1, ...) of row i has the seed
        ``stream(stream(seed, i), e)``, see ``rng.py``. It cannot be written to.

    Raises
    ------
    ArgumentError
        If an argument is of the wrong kind or out of range.

    Notes
    -----
    An opponent may end a game before the caller has decided anything in it (on very small
    boards). It is shown finished, and the next step ends it, whatever the action.

    A batch is stepped by one Python thread at a time; different batches by any. The GIL is
    released meanwhile. Copies and pickles keep everything.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        seed: int = 0,
        *,
        opponent: str | Opponent | None = None,
        seat: int | str = 0,
        reward: str = "outcome",
        normalize: bool = True,
        max_plies: int = 2000,
        threads: int | None = None,
    ) -> None:
        self.game, self.n = game, _number("n", n, 1, MAX_ROWS)
        self._opponent = _check_opponent(opponent)
        self._seat = BOTH_SEATS if opponent is None else _check_seat(seat)
        self._reward = _check_reward(game, reward)
        self._max_plies = _number("max_plies", max_plies, 1, MAX_PLIES)
        self._normalize = bool(normalize)
        self._threads = 1 if threads is None else _number("threads", threads, 0, MAX_THREADS)
        self._rows, self._shown = self._memory()
        self._step = 0
        self._begin(seed)
        self._open()
        self._play(self._actions)

    def reset(self, seed: int | None = None) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
        """Leave all games and begin the next ones.

        Parameters
        ----------
        seed : int, optional
            To begin with the first games of this seed, as a new batch does.

        Returns
        -------
        observation, infos
        """
        if seed is not None:
            self._begin(seed)
        self._leave()
        self._play(self._actions)
        return self.observation, self.infos

    def step(self, actions: ArrayLike, rows: ArrayLike | None = None) -> Step:
        """One decision in every row; where a game has ended, the next one begins instead.

        Parameters
        ----------
        actions : array_like of int, shape (n,)
        rows : array_like of int, shape (k,), optional
            The rows to step, none twice; ``actions`` has shape (k,) then. The others stay as
            they are, and so does all that is shown of them: their flags are those of the last
            step that they took. So different networks may decide in different games.

        Returns
        -------
        observation, rewards, terminations, truncations, infos
            The arrays of the batch, overwritten.

        Raises
        ------
        IllegalActionError
            If an action is not legal; names the row. All games are as they were.
        ArgumentError
            If ``actions`` are not n integers, or ``rows`` are not rows.
        """
        if rows is None:
            taken = self._taken(actions, self.n)
            self._play(taken, check=partial(self._check_legal, taken, actions))
        else:
            numbers = self._check_rows(rows)
            taken = self._taken(actions, len(numbers))
            self._check_legal(taken, actions, numbers)
            self._play(self._spread(taken, numbers), in_part=True)
        return self.observation, self.rewards, self.terminations, self.truncations, self.infos

    def random_actions(self) -> NDArray[np.int64]:
        """(n,) a legal action for each row, each equally likely; overwritten by the next step.

        A row's action depends on its seed and ply alone. Where ``game.random_games`` chooses
        from all legal actions (which it does in all games but Goré with trade), these lead
        through its game: ``game.random_games(1, seed=batch.seeds[i])``.
        """
        actions: NDArray[np.int64] = self._shown.random_actions
        return actions

    def state(self, row: int) -> State:
        """The position of a row.

        Parameters
        ----------
        row : int

        Raises
        ------
        ArgumentError
            If there is no such row.
        """
        i = _number("row", row, 0, self.n - 1)
        game, rows = self.game, self._rows
        stored = rows.states[i : i + 1, : stored_size(game.STATE)].copy()
        looked = game._act(game.rules, stored, kernels.LOOK, 0, np.empty_like(stored))
        captured = game._captured_after(game.initial_state(int(rows.seeds[i])), stored)
        earlier = rows.history[i, : max(int(rows.kept[i]) - 1, 0)]
        seen = tuple(position.tobytes() for position in earlier)
        return State(game, stored, looked, int(rows.plies[i]), captured, seen)

    def states(self) -> list[State]:
        """The positions of all rows."""
        return [self.state(row) for row in range(self.n)]

    def copy(self) -> Batch:
        """A batch of its own with the same games."""
        return copy.deepcopy(self)

    __copy__ = copy

    def __repr__(self) -> str:
        return f"<{self.n} games of {self.game.spec}>"

    # Inside

    def _memory(self) -> tuple[Rows, Shown]:
        """What the batch remembers and shows, empty."""
        n, game = self.n, self.game
        size = stored_size(game.STATE)
        rows = Rows(
            states=np.zeros((n, size), np.uint8),
            legal=np.zeros((1 if game._second_word == ONE_WORD else 2, n), np.int64),
            streams=np.zeros(n, np.int64),
            plies=np.zeros(n, np.int32),
            ended=np.zeros(n, np.bool_),
            born=np.zeros(n, np.int64),
            seats=np.zeros(n, np.int8),
            begun=np.zeros(n, np.int64),
            seeds=np.zeros(n, np.int64),
            history=np.zeros((n, FIRST_CAPACITY * game._counts_repetition, size), np.uint8),
            kept=np.zeros(n, np.int32),
        )
        numbers = int(np.prod(game.observation_shape))
        shown = Shown(
            observation=np.zeros(n * numbers, np.float32 if self._normalize else np.uint8),
            rewards=np.zeros(2 * n, np.float32),
            points=np.zeros(2 * n, np.float32),
            terminations=np.zeros(n, np.bool_),
            truncations=np.zeros(n, np.bool_),
            annulled=np.zeros(n, np.bool_),
            action_flags=np.zeros(n * -(-game.num_actions // 8), np.int64),
            random_actions=np.zeros(n, np.int64),
            player=np.zeros(n, np.int8),
        )
        return rows, shown

    def _open(self) -> None:
        """Set up what follows from the rest: views, buffers, threads."""
        stored = self._rows.states
        records = aligned(np.zeros((self.n, self.game._records.size), np.uint8))
        records[:, : stored.shape[1]] = stored
        records[:, -1] = stored[:, self.game._layout["phase"][0]] < OVER
        self._rows = self._rows._replace(states=records)
        rows, seen = self._rows, self._shown
        self.observation = seen.observation.reshape(self.n, *self.game.observation_shape)
        self.rewards = seen.rewards.reshape(self.n, 2)
        self.terminations, self.truncations = seen.terminations, seen.truncations
        flags = seen.action_flags.view(np.bool_).reshape(self.n, -1)
        self.infos = {
            "action_mask": flags[:, : self.game.num_actions],
            "player": seen.player,
            "points": seen.points.reshape(self.n, 2),
            "annulled": seen.annulled,
            "ply": _guarded(rows.plies),
            "seat": _guarded(rows.seats),
        }
        self.seeds = _guarded(rows.seeds)
        self._start = self.game._initial_row()
        self._tables = self.game._observation_tables[self._normalize]
        self._actions = np.zeros(self.n, np.int64)
        workers = min(self._threads or usable_cores(), max(1, self.n // ROWS_OF_A_THREAD))
        bounds = np.arange(workers + 1) * self.n // workers
        self._starts, self._ends = bounds[:-1], bounds[1:]
        self._begun = np.zeros((workers, CACHE_LINE // 8), np.int64)
        self._first_begun = self._begun[:, 0]
        self._arrays = tuple(self._rows), tuple(self._shown)  # Numba unpacks them faster
        legal = self._rows.legal
        self._kernel = resolved(play, *self._arguments(self._actions, self._actions, False, 0))
        self._first_illegal = resolved(
            first_illegal, self.game._second_word, self.game.num_actions, legal, self._actions
        )
        self._new_pool()

    def _new_pool(self) -> None:
        """Have helpers for all parts but one; their threads start when they are used."""
        self._pool = ThreadPoolExecutor(max(1, len(self._ends) - 1))
        self._process = os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in _KEPT}
        # what a record has besides depends on the processor, and is worked out when it is used
        states = self._rows.states[:, : stored_size(self.game.STATE)]
        return {**kept, "_rows": self._rows._replace(states=states.copy())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()

    def _begin(self, seed: int) -> None:
        """Let the first games of a seed be the next ones."""
        self._seed = _seed(seed)
        self._rows.begun[:] = 0
        self._leave()

    def _leave(self) -> None:
        """Let all rows begin their next games, whatever the action."""
        self._rows.legal[:] = 0
        self._rows.ended[:] = True

    def _taken(self, actions: ArrayLike, count: int) -> NDArray[np.int64]:
        """Actions as the kernels read them; a copy only if they are of another kind."""
        try:
            given = np.asarray(actions)
        except ValueError:  # lists of different lengths
            given = np.empty(())
        if given.shape != (count,) or given.dtype.kind not in "iu":
            raise ArgumentError(
                f"actions are {count} integers, one for each game, not {shown(actions)}"
            )
        if given.dtype == np.int64 and given.flags.carray:
            return given
        np.copyto(self._actions[:count], given, casting="unsafe")  # what overflows is no action
        return self._actions[:count]

    def _check_legal(
        self, taken: NDArray[np.int64], given: ArrayLike, rows: NDArray[np.int64] | None = None
    ) -> None:
        """Raise IllegalActionError if an action is not legal, naming it as it was given."""
        game = self.game
        legal = self._rows.legal if rows is None else self._rows.legal.take(rows, axis=1)
        wrong = self._first_illegal(game._second_word, game.num_actions, legal, taken)
        if wrong >= 0:
            row = wrong if rows is None else int(rows[wrong])
            try:
                self.state(row)._check_action(int(np.asarray(given)[wrong]))
            except IllegalActionError as error:
                raise IllegalActionError(f"row {row}: {error}") from None

    def _spread(self, taken: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Actions of some rows among those of all; the others wait."""
        taken = np.maximum(taken, 0)  # one that is ignored is not to mean WAIT
        self._actions[:] = WAIT
        self._actions[rows] = taken
        return self._actions

    def _check_rows(self, rows: ArrayLike) -> NDArray[np.int64]:
        """The numbers of rows, none twice."""
        numbers = np.asarray(rows)
        if numbers.size == 0:
            return np.empty(0, np.int64)
        if (
            numbers.ndim != 1
            or numbers.dtype.kind not in "iu"
            or not 0 <= numbers.min() <= numbers.max() < self.n
            or len(np.unique(numbers)) < len(numbers)
        ):
            raise ArgumentError(
                f"rows are integers from 0 to {self.n - 1}, none twice, not {shown(rows)}"
            )
        return numbers.astype(np.int64)

    def _play(
        self,
        actions: NDArray[np.int64],
        in_part: bool = False,
        check: Callable[[], None] | None = None,
    ) -> None:
        """Play actions, and what the opponent answers."""
        self._step += 1
        self._run(actions, in_part, check)
        if self._opponent not in (None, "random"):
            self._let_agent_play(self._opponent)

    def _let_agent_play(self, agent: Opponent) -> None:
        rows = self._rows
        while True:
            live = rows.legal.any(axis=0)
            waiting = np.flatnonzero(live & (self._shown.player != rows.seats))
            if not waiting.size:
                return
            self._actions[:] = WAIT
            self._actions[waiting] = [agent.act(self.state(row)) for row in waiting.tolist()]
            self._run(self._actions, True)

    def _run(
        self,
        actions: NDArray[np.int64],
        in_part: bool,
        check: Callable[[], None] | None = None,
    ) -> None:
        """Run the kernel on all rows, each thread on its part, unless the check raises.

        The other threads are called before the check, as it takes them as long to wake up.
        """
        self._make_room()
        self._first_begun[:] = self._starts
        signal, told = np.zeros(1, np.int64), STAY
        try:
            others = self._called(signal, actions, in_part)
            if check is not None:
                check()
            told = GO
        finally:
            signal[0] = told
        self._run_part(signal, actions, in_part, 0)
        for other in others:
            other.result()

    def _called(
        self, signal: NDArray[np.int64], actions: NDArray[np.int64], in_part: bool
    ) -> list[Future[None]]:
        """The other threads, which wait for the signal."""
        if self._process != os.getpid():  # a fork copies the pool, but not its threads
            self._new_pool()
        return [
            self._pool.submit(self._run_part, signal, actions, in_part, part)
            for part in range(1, len(self._ends))
        ]

    def _run_part(
        self,
        signal: NDArray[np.int64],
        actions: NDArray[np.int64],
        in_part: bool,
        part: int,
    ) -> None:
        """Run the kernel on a part first, then on what is left of others, if the signal says GO."""
        self._kernel(*self._arguments(signal, actions, in_part, part))

    def _arguments(
        self, signal: NDArray[np.int64], actions: NDArray[np.int64], in_part: bool, part: int
    ) -> tuple[Any, ...]:
        """The arguments of the kernel."""
        opponent = RANDOM if self._opponent == "random" else CALLER
        return (
            self.game.rules, self._start, self._tables, self._max_plies, self._reward, self._seed,
            self._seat, opponent, self._step, in_part, actions, *self._arrays, signal, self._ends,
            self._begun, part,
        )  # fmt: skip

    def _make_room(self) -> None:
        """Let the positions of the next decisions fit in where repetition counts."""
        history, kept = self._rows.history, self._rows.kept
        if history.size and kept.max() + MOST_KEPT_AT_ONCE > history.shape[1]:
            longer = np.concatenate([history, np.zeros_like(history)], axis=1)
            self._rows = self._rows._replace(history=longer)
            self._arrays = tuple(self._rows), self._arrays[1]


_KEPT = (
    "game", "n", "_opponent", "_seat", "_reward", "_max_plies", "_normalize", "_threads",
    "_seed", "_step", "_rows", "_shown",
)  # fmt: skip


def _guarded(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def _check_opponent(opponent: Any) -> Any:
    if opponent in (None, "random") or callable(getattr(opponent, "act", None)):
        return opponent
    raise ArgumentError(f"opponent is None, 'random' or an agent, not {shown(opponent)}")


def _check_seat(seat: Any) -> int:
    if seat == "random":
        return RANDOM_SEAT
    number = as_int(seat)
    if number not in (0, 1):
        raise ArgumentError(f"seat is 0, 1 or 'random', not {shown(seat)}")
    return number


def _check_reward(game: Game, reward: Any) -> int:
    allowed = [name for name in REWARDS if name != "margin" or game.COUNTS_SEEDS]
    if reward not in allowed:
        raise ArgumentError(f"reward of {game.name} is {', '.join(allowed)}, not {shown(reward)}")
    return REWARDS[reward]
