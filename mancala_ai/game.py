"""Games: what a notebook, an agent or an environment begins with.

A :class:`Game` is a set of rules with its options; it makes the positions
(:class:`~mancala_ai.state.State`), plays random games and counts. It is thin: the
rules are the compiled kernels of ``rules/``.

Read next: ``state.py``, ``rules/kalah.py`` (a whole game in one file).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernels
from .cache import resolved
from .dispatch import (
    ANNULLED,
    OVER,
    SOW,
    Fields,
    counts_repetition,
    field_size,
    second_word,
    state_fields,
    stored_size,
)
from .endless import ENDLESS, UNDECIDED, relay_length
from .errors import ArgumentError, PositionError, shown
from .fields import Field, Option, as_int, check_options, is_number, write_options
from .observation import Plane, Product, Records, Stored, equal_to, look, lookup
from .perft import count_leaves
from .playout import random_games, random_games_looking_back
from .render.text import pit_at
from .sowing import Pits
from .state import PLAYERS, Lap, State

if TYPE_CHECKING:
    from .batch import Batch

MAX_GAMES = 10**9  # of one call: their results are held in memory
MAX_PLIES = 2**31 - 1
MAX_PLIES_REMEMBERED = 10**6  # where repetition counts: each thread keeps the positions
MAX_DEPTH = 10**4  # of perft: far beyond what can be counted
MAX_THREADS = 1024
SMALLEST_PART, LARGEST_PART = 256, 2**15  # games that a thread plays in one go
MAX_SEEDS = 255  # a pit is a byte, and all seeds may come to lie in one pit

__all__ = ["Field", "Game", "Lap", "Option", "RandomGames", "State"]


class RandomGames(NamedTuple):
    """Results of :meth:`Game.random_games`, one entry a game.

    Attributes
    ----------
    plies : ndarray of int32, shape (n,)
        Decisions made.
    points : ndarray of float32, shape (n, 2)
        Both players' points by the game's own scoring; zeros if annulled or truncated.
    annulled : ndarray of bool, shape (n,)
        Ended by a never-ending move, without a result.
    truncated : ndarray of bool, shape (n,)
        Stopped at ``max_plies``, without a result.
    """

    plies: NDArray[np.int32]
    points: NDArray[np.float32]
    annulled: NDArray[np.bool_]
    truncated: NDArray[np.bool_]


class Game:
    """The rules of one game with its options; made by :func:`mancala_ai.make`.

    A subclass in ``rules/`` describes its game by the class attributes and
    overrides the methods below "For subclasses" where the defaults do not fit.

    Attributes
    ----------
    name : str
    options : Mapping
        Every option with its value; it cannot be changed.
    num_actions : int
        Actions are the ints below it.
    rules : NamedTuple
        What the kernels take: the options as integers.
    rows, columns : int
        Rows of each player, and pits in a row.
    """

    NAME: ClassVar[str]
    OPTIONS: ClassVar[tuple[Option, ...]]
    RULES: ClassVar[type]
    STATE: ClassVar[type]
    PHASES: ClassVar[dict[int, str]] = {SOW: "sow"}  # the kinds of decision
    FIELDS: Mapping[str, Field] = {}  # of a position, beside board and captured seeds
    KEEPS_CAPTURES: ClassVar[bool] = True  # False: captured seeds are sown again
    COUNTS_SEEDS: ClassVar[bool] = False  # True: more captured seeds win
    RECURS: ClassVar[bool] = True  # False: no position can come back, so all play ends
    WEIGHTS: ClassVar[tuple[int, int, int, int]]  # of the features, in sixteenths of a seed
    WIN_SCALE: ClassVar[int] = 256  # the score at which 73 % (1 / (1 + 1/e)) is expected
    LASTING_FIELDS: ClassVar[tuple[str, ...]] = ()  # those that outlive a turn

    def __init__(self, **options: Any) -> None:
        self.name = self.NAME
        self.options = check_options(self.NAME, self.OPTIONS, options)
        self.rows, self.columns = self._shape()
        self.rules = self._rules()
        self.FIELDS = self._position_fields()
        self.num_actions = len(self.action_names(0))

    # What everybody uses

    def initial_state(self, seed: int = 0) -> State:
        """The position in which the game begins.

        Parameters
        ----------
        seed : int
            Of what is random in the set-up, which is nothing in most games.
        """
        return self._dealt(seed)

    def state(
        self,
        board: ArrayLike,
        player: int = 0,
        captured: Sequence[int] = (0, 0),
        phase: str = "sow",
        **fields: Any,
    ) -> State:
        """Any position, checked.

        Parameters
        ----------
        board : array_like of int, shape (2, n)
            Row p holds the home pits of player p in his own numbers.
        player : int
            Who decides: 0 or 1.
        captured : pair of int
            Seeds out of play that each player holds.
        phase : str
            The kind of decision, one of ``game.PHASES``; ``"over"`` or ``"annulled"``.
        **fields
            Whatever else decides the future of this game: ``game.FIELDS`` says what.

        Raises
        ------
        PositionError
            If it is not a position of this game; the message says why.
        """
        counts = self._check_board(board)
        if as_int(player) not in (0, 1):
            raise PositionError(f"the player of a position is 0 or 1, not {shown(player)}")
        taken = self._check_captured(captured, counts)
        kind = self._check_phase(phase)
        for name in fields:
            self._check_field_name(name)
        values = {
            name: field.check(name, fields.get(name, field.default))
            for name, field in self.FIELDS.items()
        }
        kernel = self._pack(counts, int(player), taken, kind, values)
        self._check_position(kernel, counts, values)
        seen = self._read_seen(values, taken) if self._counts_repetition else ()
        state = self._state(self._to_row(kernel), kind == SOW, taken, seen)
        if kind == OVER and not self._is_over(kernel):
            raise PositionError(f"the game is not over in the position {state.to_text()!r}")
        return state

    def state_from_text(self, text: str) -> State:
        """The position that :meth:`.State.to_text` wrote.

        Parameters
        ----------
        text : str

        Raises
        ------
        PositionError
            If it is none of this game; the message says what is wrong where.
        """
        if not isinstance(text, str):
            raise PositionError(f"a position is a text, not {type(text).__name__}")
        words = text.split()
        if len(words) < 2:
            raise PositionError(
                f"position {shown(text)} is too short; it begins with the board "
                f"(two lists of seeds with a slash between) and the player, as in "
                f"{self.initial_state().to_text()!r}"
            )
        board = _parse_rows(words[0])
        if words[1] not in PLAYERS:
            raise PositionError(f"word 2 of a position is south or north, not {shown(words[1])}")
        values: dict[str, Any] = {}
        for number, word in enumerate(words[2:], 3):
            name, equals, value = word.partition("=")
            if not equals or name in values:
                fault = "is given twice" if equals else "is not of the form name=value"
                raise PositionError(f"word {number} of a position, {shown(word)}, {fault}")
            values[name] = self._parse_value(name, value)
        return self.state(board, PLAYERS.index(words[1]), **values)

    def perft(self, depth: int, state: State | None = None) -> int:
        """The number of sequences of exactly ``depth`` decisions from a state.

        An action that ends the game counts; nothing follows it.

        Parameters
        ----------
        depth : int
            0 to 10,000.
        state : State, optional
            The initial one if left out.

        Raises
        ------
        ArgumentError
            For a wrong depth or a state of another game.
        """
        state = self._own(state)
        depth = _number("depth", depth, 0, MAX_DEPTH)
        if depth == 0:
            return 1
        if state.is_terminal:
            return 0
        earlier = state._history_rows()
        rows = np.concatenate([earlier, np.zeros((depth, earlier.shape[1]), np.uint8)])
        masks = np.zeros((2, depth), np.int64)
        return int(count_leaves(self.rules, rows, len(earlier), masks[0], masks[1]))

    def perft_divide(self, depth: int, state: State | None = None) -> dict[int, int]:
        """The perft of each legal action: their sum is ``perft(depth, state)``.

        Parameters
        ----------
        depth : int
            1 to 10,000.
        state : State, optional
            The initial one if left out.

        Raises
        ------
        ArgumentError
            For a wrong depth or a state of another game.
        """
        state = self._own(state)
        depth = _number("depth", depth, 1, MAX_DEPTH)
        return {a: self.perft(depth - 1, state.apply(a)) for a in state.legal_actions()}

    def random_games(
        self,
        n: int,
        seed: int = 0,
        threads: int | None = None,
        max_plies: int = 2000,
        start: int = 0,
    ) -> RandomGames:
        """Play games at random from the initial state, every choice equally likely.

        Game i of a seed is the same game on any number of threads. Rollouts follow
        the rules sheet: in Goré nobody offers a trade. The GIL is released.

        Parameters
        ----------
        n : int
            How many games.
        seed : int
            Any 64-bit integer.
        threads : int, optional
            Threads to use; None means one, 0 as many as there are processors to use.
        max_plies : int
            Decisions after which a game is truncated.
        start : int
            The number of the first game: games ``start ... start + n - 1`` are played.

        Returns
        -------
        RandomGames
            Arrays of plies, points, annulled, truncated.

        Raises
        ------
        ArgumentError
            If an argument is no integer or out of range.
        """
        n, start = _number("n", n, 0, MAX_GAMES), _number("start", start, 0, 2**62)
        most = MAX_PLIES_REMEMBERED if self._counts_repetition else MAX_PLIES
        max_plies = _number("max_plies", max_plies, 1, most)
        workers = 1 if threads is None else _number("threads", threads, 0, MAX_THREADS)
        workers = workers or usable_cores()
        number = _seed(seed)
        row = self._initial_row()
        plies, points = np.empty(n, np.int32), np.empty((n, 2), np.float32)
        flags = np.empty((n, 2), np.bool_)

        def play(first: int, end: int) -> None:
            part = slice(first, end)
            how = (
                self.rules, row, number, start + first, max_plies,
                plies[part], points[part], flags[part],
            )  # fmt: skip
            if self._counts_repetition:
                history = np.empty((2, max_plies + 1, row.shape[1]), np.uint8)
                random_games_looking_back(*how, history)
            else:
                random_games(*how)

        edges = _shares(n, workers)
        if workers == 1:
            for first, end in pairwise(edges):
                play(first, end)
        else:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(play, edges[:-1], edges[1:]))
        return RandomGames(plies, points, flags[:, 0].copy(), flags[:, 1].copy())

    def batch(self, n: int, seed: int = 0, **options: Any) -> Batch:
        """n games in lock-step, begun and ready to be stepped.

        Parameters
        ----------
        n : int
            How many games.
        seed : int
            Any 64-bit integer.
        **options
            ``opponent``, ``seat``, ``reward``, ``normalize``, ``max_plies``, ``threads``: see
            :class:`~mancala_ai.batch.Batch`.

        Raises
        ------
        ArgumentError
            If an argument is of the wrong kind or out of range.
        """
        from .batch import Batch

        return Batch(self, n, seed, **options)

    def relay_lengths(
        self, state: State | None = None, player: int | None = None, max_laps: int = 10**7
    ) -> dict[int, tuple[int, bool | None, int | None]]:
        """Meyer's question, for every sowing a player can make: does it end?

        Parameters
        ----------
        state : State, optional
            The initial one if left out.
        player : int, optional
            Whose moves; the other player's are those he would have were it his turn.
        max_laps : int
            Laps to look at before an action is left undecided.

        Returns
        -------
        dict
            ``{action: (laps, ends, period)}``: ``(laps, True, 0)`` if the action comes
            to its end, or to a further decision; ``(laps, False, period)`` if it comes
            back, after ``laps`` laps in all, to where it was ``period`` laps before, and
            so never ends; ``(laps, None, None)`` if undecided. ``max_laps`` of the game
            plays no part. Actions that sow nothing are left out.

        Raises
        ------
        ArgumentError
            If an argument is out of range, or the other player is asked for in the
            middle of a turn.
        """
        state = self._own(state)
        if player is not None and as_int(player) not in (0, 1):
            raise ArgumentError(f"player is 0, 1 or None, not {shown(player)}")
        if player is not None and player != state.player:
            state = state._other_player()
        budget = _number("max_laps", max_laps, 1, 2**62)
        found: dict[int, tuple[int, bool | None, int | None]] = {}
        for action in state.legal_actions():
            laps, verdict, period = relay_length(self.rules, state._row, action, budget)
            if verdict == UNDECIDED:
                found[action] = (laps, None, None)
            elif laps > 0:
                found[action] = (laps, verdict != ENDLESS, period)
        return found

    def endless_moves(
        self, state: State | None = None, player: int | None = None, max_laps: int = 10**7
    ) -> dict[int, int]:
        """The actions proven never to end, with their periods: ``{action: period}``.

        Parameters
        ----------
        state, player, max_laps
            As :meth:`relay_lengths` takes them.

        Raises
        ------
        ArgumentError
            As there.
        """
        lengths = self.relay_lengths(state, player, max_laps)
        return {a: period for a, (_, ends, period) in lengths.items() if ends is False and period}

    @cached_property
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape of observations: rows, columns, features."""
        return self.rows, self.columns, len(self.observation_planes)

    @cached_property
    def observation_planes(self) -> tuple[Plane, ...]:
        """The features of observations, in order: name, largest number, meaning."""
        return tuple(self._planes(0, 0))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.name == other.name and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.options.values())))

    def __repr__(self) -> str:
        return f"make({self.spec!r})"

    @property
    def spec(self) -> str:
        """The game as :func:`mancala_ai.make` reads it, with the options that differ."""
        changed = write_options(self.OPTIONS, self.options)
        return self.name + (":" + changed if changed else "")

    def __reduce__(self) -> Any:
        return _remake, (self.name, dict(self.options))

    # For subclasses

    def _shape(self) -> tuple[int, int]:
        """Rows of each player and pits in a row."""
        raise NotImplementedError

    def _rules(self) -> Any:
        """The options as the kernels take them."""
        raise NotImplementedError

    def _position_fields(self) -> Mapping[str, Field]:
        """``FIELDS``, for games where they depend on the options."""
        return self.FIELDS

    def _default_fields(self) -> dict[str, Any]:
        """The values of ``FIELDS`` that a plain position has."""
        return {name: field.default for name, field in self.FIELDS.items()}

    def _initial_row(self) -> NDArray[np.uint8]:
        """The stored initial state, shape (1, size)."""
        raise NotImplementedError

    def action_names(self, player: int) -> tuple[str, ...]:
        """The notation of every action, as the given player writes it.

        Parameters
        ----------
        player : int
            0 or 1; only Oware's notation depends on him.
        """
        raise NotImplementedError

    def pit_names(self) -> tuple[str, ...]:
        """A player's pits as coordinates: the column from his left, and the row from the outer one.

        The rows are sown alternately to the right and to the left.
        """
        names = [""] * self._pits
        for row in range(self.rows):
            for column in range(self.columns):
                names[pit_at(row, column, self.columns)] = f"{chr(ord('a') + column)}{row + 1}"
        return tuple(names)

    def _rows_of(self, kernel: Mapping[str, Any]) -> tuple[ArrayLike, ArrayLike]:
        """The home pits of players 0 and 1 in a state given by its kernel fields."""
        pair = kernel["mine"][: self._pits], kernel["theirs"][: self._pits]
        return pair if kernel["player"] == 0 else pair[::-1]

    def _lay_rows(self, rows: NDArray[np.int64], player: int) -> dict[str, Any]:
        """The kernel fields that hold the board; the inverse of :meth:`_rows_of`."""
        return {"mine": rows[player], "theirs": rows[1 - player]}

    def _fields_of(self, kernel: Mapping[str, Any]) -> dict[str, Any]:
        """The values of ``FIELDS`` in a state given by its kernel fields (all but ``seen``)."""
        return {name: kernel[name] for name in self.FIELDS if name != "seen"}

    def _lay_fields(self, fields: Mapping[str, Any], player: int) -> dict[str, Any]:
        """The kernel fields that hold the values of ``FIELDS``."""
        return {name: value for name, value in fields.items() if name != "seen"}

    def _check_position(
        self, kernel: Mapping[str, Any], board: NDArray[np.int64], fields: Mapping[str, Any]
    ) -> None:
        """Raise PositionError if the parts of a position do not fit each other."""

    def _is_over(self, kernel: Mapping[str, Any]) -> bool:
        """Whether a position given as finished is what a turn that cannot be played leads to."""
        settled = self._state(self._to_row({**kernel, "phase": SOW}), settle=True)
        return bool((settled._row == self._to_row(kernel)).all())

    def _captured_after(self, before: State, after: NDArray[np.uint8]) -> tuple[int, int]:
        """Captured seeds in a stored state later in a game, if the kernels do not count them."""
        return 0, 0  # they are sown again

    def _win_kind(self, kernel: Mapping[str, Any]) -> str:
        """How a decided game was won."""
        raise NotImplementedError

    def _captured_of(self, kernel: Mapping[str, Any]) -> tuple[int, int] | None:
        """Seeds captured by players 0 and 1, if the kernels count them."""
        if "my_captured" not in kernel:
            return None
        pair = kernel["my_captured"], kernel["their_captured"]
        return pair if kernel["player"] == 0 else pair[::-1]

    def _in_hand(self, kernel: Mapping[str, Any]) -> int:
        """Seeds in the hand of a pending choice."""
        return 0

    def _pending(self, kernel: Mapping[str, Any]) -> tuple[int, int, int]:
        """Start, hand and direction of the pending lap, in the mover's numbers."""
        return kernel["pit"], kernel["hand"], 1

    def _path(self, kernel: Mapping[str, Any]) -> list[int]:
        """The pits in the order in which the pending lap reaches them, in the mover's numbers."""
        return list(range(self._pits))

    def _drops(self, kernel: Mapping[str, Any]) -> list[int]:
        """Where the seeds of the pending lap fall, one after the other.

        For the record of laps only; play is done by the kernels.
        """
        start, hand, _ = self._pending(kernel)
        path = self._path(kernel)
        at = path.index(start)
        return [path[(at + step) % len(path)] for step in range(1, hand + 1)]

    def _place(self, player: int, number: int) -> tuple[int, int]:
        """Owner of the home row, and pit, of a pit in the mover's numbers."""
        return (player, number) if number < self._pits else (1 - player, number - self._pits)

    def _cell(self, fields: Mapping[str, Any], player: int, pit: int, seeds: int) -> str:
        """A pit as a drawn board shows it."""
        return str(seeds or ".")

    def _pit_name(self, player: int, pit: int, mover: int) -> str:
        """A player's home pit as the one who decides, the mover, reads and writes it."""
        return self.action_names(player)[pit]

    def _pit_kinds(self, state: State) -> dict[tuple[int, int], frozenset[str]]:
        """What is special about pits, by player and home pit, as pictures show it.

        ``"head"``, ``"out"`` (of play), ``"foreign"`` (owned by the other player), and
        ``"pending"`` (what the decision is about).
        """
        return {}

    def _column_labels(self, player: int, mover: int) -> list[list[str]]:
        """The lines of names outside a player's half, each from his left, for the mover."""
        if self.rows == 1:
            return [[self._pit_name(player, pit, mover) for pit in range(self.columns)]]
        return [[chr(ord("a") + column) for column in range(self.columns)]]

    def _question(self, state: State) -> str:
        """What the player is asked, in a few words."""
        return state.phase

    def _pit_of(self, action: int) -> int | None:
        """The pit that an action is about, in the mover's numbers; None if about no single one."""
        return action if action < 2 * self._pits else None

    def _deed(self, state: State, action: int) -> str:
        """What an action does, in words that stand beside the name of its pit, if it has one."""
        return "sow" if self._pit_of(action) is not None else state.action_to_text(action)

    # Observations

    def _planes(self, observer: int, mover: int) -> list[Plane]:
        """What an observer sees while ``mover`` decides: of every game, and of this one.

        All four views have the same planes; only the sources of their numbers differ.
        """
        total, other = self._seeds, 1 - observer
        turn = lookup(lambda phase: phase < OVER)
        none = lookup(lambda phase: 0)
        planes = [
            Plane("own seeds", total, "seeds in the pit of the observer's row",
                  [self._stored_pit(observer, mover, pit) for pit in self._own_pits]),
            Plane("opposing seeds", total, "seeds in the pit of the opponent's row",
                  [self._stored_pit(other, mover, pit) for pit in self._opposing_pits]),
            Plane("own turn", 1, "the observer decides",
                  Stored("phase", 0, turn if mover == observer else none)),
            Plane("opposing turn", 1, "the opponent decides",
                  Stored("phase", 0, none if mover == observer else turn)),
        ]  # fmt: skip
        if len(self.PHASES) > 1:
            planes += [
                Plane(f"phase {name}", 1, f"the decision is of kind {name}",
                      Stored("phase", 0, equal_to(number)))
                for number, name in self.PHASES.items()
            ]  # fmt: skip
        own, theirs = (self._stored_captured(player, mover) for player in (observer, other))
        if own and theirs:
            planes += [
                Plane("own captured", total, "seeds captured by the observer", own),
                Plane("opposing captured", total, "seeds captured by the opponent", theirs),
            ]
        return planes + self._further_planes(observer, mover)

    def _further_planes(self, observer: int, mover: int) -> list[Plane]:
        """Planes of whatever else decides the future of this game."""
        return []

    def _stored_pit(self, player: int, mover: int, pit: int) -> Stored | Product:
        """Where the seeds of a player's home pit are stored."""
        return Stored("mine" if player == mover else "theirs", pit)

    def _stored_captured(self, player: int, mover: int) -> Stored | None:
        """Where a player's captured seeds are stored; None if they do not matter."""
        if "my_captured" not in self._layout:
            return None
        return Stored("my_captured" if player == mover else "their_captured")

    @property
    def _own_pits(self) -> list[int]:
        """The observer's pit in each cell of an observation."""
        return [pit_at(row, c, self.columns) for row in range(self.rows) for c in self._columns]

    @property
    def _opposing_pits(self) -> list[int]:
        """The opponent's pit in each cell of an observation, in his numbers."""
        return [
            pit_at(row, c, self.columns) for row in range(self.rows) for c in self._columns[::-1]
        ]

    def _pits_of_mover(self, observer: int, mover: int) -> list[int]:
        """The pit of the player who decides in each cell."""
        return self._own_pits if observer == mover else self._opposing_pits

    @property
    def _columns(self) -> range:
        return range(self.columns)

    @cached_property
    def _seeds(self) -> int:
        """All seeds of a game, wherever they are."""
        state = self.initial_state()
        return int(state.board.sum() + state.captured.sum()) + state.in_hand

    @cached_property
    def _records(self) -> Records:
        return Records(self)

    @cached_property
    def _observation_tables(self) -> Mapping[bool, NDArray[np.uint8]]:
        """By whether observations are normalized."""
        return _Made(self._records.tables)

    # Kernels for states of this game

    @cached_property
    def _act(self) -> Callable[..., tuple[int, int, float, float]]:
        return resolved(kernels.act, self.rules, self._start, kernels.LOOK, 0, self._start)

    @cached_property
    def _look(self) -> Mapping[bool, Callable[..., None]]:
        """By whether observations are normalized, as the next one."""

        def compiled(normalize: bool) -> Callable[..., None]:
            tables, seen = self._seen_by_kernels(normalize)
            return resolved(look, tables, self._start, self._records.room(), 0, True, seen)

        return _Made(compiled)

    @cached_property
    def _apply_and_look(self) -> Mapping[bool, Callable[..., tuple[int, int, float, float]]]:
        def compiled(normalize: bool) -> Callable[..., tuple[int, int, float, float]]:
            tables, seen = self._seen_by_kernels(normalize)
            room, mask = self._records.room(), np.zeros(self.num_actions, np.int8)
            return resolved(
                kernels.apply_and_look, self.rules, tables, self._start, room, 0, seen, mask
            )

        return _Made(compiled)

    def _seen_by_kernels(self, normalize: bool) -> tuple[NDArray[np.uint8], NDArray[Any]]:
        dtype = np.float32 if normalize else np.uint8
        return self._observation_tables[normalize], np.zeros(self.observation_shape, dtype)

    # Stored states

    @cached_property
    def _start(self) -> NDArray[np.uint8]:
        return self._initial_row()

    @cached_property
    def _pits(self) -> int:
        return self.rows * self.columns

    @cached_property
    def _second_word(self) -> int:
        return int(second_word(self.rules))

    @cached_property
    def _counts_repetition(self) -> bool:
        return bool(counts_repetition(self.rules))

    @cached_property
    def _layout(self) -> dict[str, tuple[int, Any]]:
        """Offset and type of each kernel field in a stored state."""
        layout, at = {}, 0
        for name, field in state_fields(self.STATE).items():
            layout[name] = (at, field)
            at += field_size(field)
        return layout

    def _to_row(self, kernel: Mapping[str, Any]) -> NDArray[np.uint8]:
        row = np.zeros((1, stored_size(self.STATE)), np.uint8)
        for name, value in kernel.items():
            at, field = self._layout[name]
            stored = np.atleast_1d(np.asarray(value))
            if not isinstance(field, Pits):
                stored = np.frombuffer(int(value).to_bytes(field_size(field), "little"), np.uint8)
            row[0, at : at + len(stored)] = stored
        return row

    def _from_row(self, row: NDArray[np.uint8]) -> Mapping[str, Any]:
        return Fields(row.tobytes(), self._layout)

    def _pack(
        self,
        board: NDArray[np.int64],
        player: int,
        captured: tuple[int, int],
        phase: int,
        fields: Mapping[str, Any],
    ) -> dict[str, Any]:
        kernel = {"phase": phase, "player": player}
        kernel |= self._lay_rows(board, player) | self._lay_fields(fields, player)
        if "my_captured" in self._layout:
            kernel["my_captured"], kernel["their_captured"] = captured[player], captured[1 - player]
        return kernel

    def _state(
        self,
        row: NDArray[np.uint8],
        settle: bool = False,
        captured: tuple[int, int] = (0, 0),
        seen: tuple[bytes, ...] = (),
    ) -> State:
        out = np.empty_like(row)
        looked = self._act(self.rules, row, kernels.SETTLE if settle else kernels.LOOK, 0, out)
        if out.tobytes() in seen:
            looked = self._act(self.rules, out.copy(), kernels.REPEAT, 0, out)
        return State(self, out, looked, 0, captured, seen)

    def _dealt(self, seed: int) -> State:
        """The initial state, its random part drawn from a seed."""
        out = np.empty_like(self._start)
        looked = self._act(self.rules, self._start, kernels.DEAL, _seed(seed), out)
        return State(self, out, looked, 0, (0, 0), ())

    def _turn_of(self, player: int, state: State) -> State:
        """The same board with a player to move, even if he would have to pass."""
        fields = self._default_fields()
        fields |= {name: state.fields[name] for name in self.LASTING_FIELDS}
        captured = tuple(state.captured.tolist())
        kernel = self._pack(state.board, player, captured, SOW, fields)
        return self._state(self._to_row(kernel), captured=captured)

    def _read_seen(self, fields: Mapping[str, Any], captured: tuple[int, int]) -> tuple[bytes, ...]:
        """The stored states of earlier positions: each is given as board, then player."""
        numbers, size = fields["seen"], 2 * self._pits + 1
        if len(numbers) % size or any(player > 1 for player in numbers[size - 1 :: size]):
            raise PositionError(
                f"field seen of a position lists {size} numbers for each earlier position, "
                f"its board and its player (0 or 1), not {shown(numbers)}"
            )
        rows = []
        for at in range(0, len(numbers), size):
            board = np.array(numbers[at : at + size - 1], np.int64).reshape(2, self._pits)
            kernel = self._pack(board, numbers[at + size - 1], captured, SOW, {})
            rows.append(self._to_row(kernel).tobytes())
        return tuple(rows)

    def _write_seen(self, seen: Iterable[bytes]) -> tuple[int, ...]:
        numbers: list[int] = []
        for stored in seen:
            kernel = self._from_row(np.frombuffer(stored, np.uint8).reshape(1, -1))
            board = np.array(self._rows_of(kernel), np.int64)
            numbers += [*board.ravel().tolist(), kernel["player"]]
        return tuple(numbers)

    def _own(self, state: State | None) -> State:
        if state is None:
            return self.initial_state()
        if not isinstance(state, State) or state.game != self:
            what = state.game if isinstance(state, State) else type(state).__name__
            raise ArgumentError(f"a state of {self!r} is needed, not one of {what!r}")
        return state

    # Checks

    def _check_board(self, board: ArrayLike) -> NDArray[np.int64]:
        try:
            given = np.asarray(board)
        except ValueError:
            raise PositionError("the rows of a board have different lengths") from None
        if given.shape != (2, self._pits):
            raise PositionError(
                f"a board of {self!r} has shape (2, {self._pits}), not {given.shape}"
            )
        if not all(as_int(seeds) is not None for seeds in given.ravel().tolist()):
            raise PositionError(f"a board holds integers, not {shown(board)}")
        if given.min() < 0 or given.max() > MAX_SEEDS:
            wrong = given.min() if given.min() < 0 else given.max()
            raise PositionError(f"a pit holds 0 to {MAX_SEEDS} seeds, not {shown(int(wrong))}")
        return given.astype(np.int64)

    def _check_captured(self, captured: Sequence[int], board: NDArray[np.int64]) -> tuple[int, int]:
        try:
            pair = tuple(as_int(seeds) for seeds in captured)
        except TypeError:
            pair = ()
        if len(pair) != 2 or any(seeds is None or seeds < 0 for seeds in pair):
            raise PositionError(f"captured is a pair of seed counts, not {shown(captured)}")
        seeds_0, seeds_1 = int(pair[0] or 0), int(pair[1] or 0)
        if int(board.sum()) + seeds_0 + seeds_1 > MAX_SEEDS:
            raise PositionError(f"a position has at most {MAX_SEEDS} seeds, captured ones included")
        if seeds_0 + seeds_1 and not self.KEEPS_CAPTURES:
            raise PositionError(
                f"captured seeds of {self.name} are sown again: captured is (0, 0), not {pair}"
            )
        return seeds_0, seeds_1

    def _check_phase(self, phase: Any) -> int:
        for number, name in self._all_phases.items():
            if isinstance(phase, str) and name == phase:
                return number
        allowed = ", ".join(self._all_phases.values())
        raise PositionError(
            f"the phase of a position of {self.name} is one of {allowed}, not {shown(phase)}"
        )

    @cached_property
    def _all_phases(self) -> dict[int, str]:
        ends = (
            {OVER: "over", ANNULLED: "annulled"} if "max_laps" in self.options else {OVER: "over"}
        )
        return self.PHASES | ends

    def _check_field_name(self, name: str, *others: str) -> None:
        if name not in self.FIELDS:
            known = ", ".join([*others, "phase", *self.FIELDS])
            raise PositionError(
                f"a position of {self.name} has no field {shown(name)}; its fields are: {known}"
            )

    def _parse_value(self, name: str, text: str) -> Any:
        if name == "phase":
            return text
        if name == "captured":
            return Field((0, 0), 0, MAX_SEEDS, 2).parse(name, text)
        self._check_field_name(name, "captured")
        return self.FIELDS[name].parse(name, text)


class _Made(dict[bool, Any]):
    """Values that are made when they are first asked for."""

    def __init__(self, make: Callable[[bool], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: bool) -> Any:
        return self.setdefault(key, self._make(key))


def _shares(n: int, workers: int) -> list[int]:
    """The numbers at which n games are cut into parts, to be taken by whichever worker is free.

    The parts grow smaller, so that all finish together; Ctrl-C is heard between them.
    """
    edges = [0]
    while edges[-1] < n:
        left = n - edges[-1]
        part = min(max(left // (2 * workers), SMALLEST_PART), LARGEST_PART)
        edges.append(edges[-1] + min(part, left))
    return edges


def usable_cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _number(name: str, value: Any, least: int, most: int) -> int:
    number = as_int(value)
    if number is None or not least <= number <= most:
        raise ArgumentError(f"{name} is an integer from {least} to {most}, not {shown(value)}")
    return number


def _seed(value: Any) -> int:
    """A seed as a signed 64-bit integer."""
    number = as_int(value)
    if number is None or not -(2**63) <= number < 2**64:
        raise ArgumentError(f"a seed is a 64-bit integer, not {shown(value)}")
    return number - 2**64 if number >= 2**63 else number


def _parse_rows(word: str) -> list[list[int]]:
    """The board at the beginning of a position's text."""
    rows = word.split("/")
    if len(rows) != 2:
        raise PositionError(
            f"a board is two lists of seeds with a slash between, not {shown(word)}"
        )
    board = []
    for row in rows:
        seeds = row.split(",")
        for at, number in enumerate(seeds):
            if number.startswith("-") or not is_number(number):
                raise PositionError(
                    f"{shown(number)} at pit {at} of {shown(row)} is no number of seeds "
                    f"from 0 to {MAX_SEEDS}"
                )
        board.append([int(number) for number in seeds])
    return board


def _remake(name: str, options: dict[str, Any]) -> Game:
    from .registry import make

    return make(name, **options)
