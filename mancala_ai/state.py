"""One position of a game, immutable: what is seen of it, its actions, its text and its value.

A state is one row of bytes, as the kernels store it, with a view on it; what the bytes
mean is its game's to say.

Read next: ``kernels.py`` (what an action runs), ``rules/kalah.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import kernels
from .dispatch import SOWING
from .errors import ArgumentError, IllegalActionError, shown
from .fields import as_int
from .render.text import draw

if TYPE_CHECKING:
    from .game import Game

PLAYERS = ("south", "north")


@dataclass(frozen=True)
class Lap:
    """One lap of a move, as :meth:`State.trace` tells it.

    Attributes
    ----------
    start, hand : int
        ``hand`` seeds are sown from pit ``start``; pits are in the numbers of the
        player who sows.
    direction : int
        1 for counter-clockwise (forward), -1 for the other way.
    landing : int
        Where the last seed falls; 2C in Kalah's own store.
    captured : dict
        Seeds taken, by ``(owner of the home row, pit in his own numbers)``.
    """

    start: int
    hand: int
    direction: int
    landing: int
    captured: dict[tuple[int, int], int]

    __hash__ = None  # type: ignore[assignment]  # it holds a dict


def _bits(mask: int, offset: int) -> list[int]:
    return [offset + bit for bit in range(mask.bit_length()) if mask >> bit & 1]


class State:
    """One position of a game; never changed.

    Two states are equal if they have the same future: the same game, board,
    mover, phase and whatever else still matters, but not the same ``ply``.
    """

    __slots__ = ("_captured", "_first", "_game", "_ply", "_points", "_row", "_second", "_seen")

    def __init__(
        self,
        game: Game,
        row: NDArray[np.uint8],
        looked: tuple[int, int, float, float],
        ply: int,
        captured: tuple[int, int] | State,
        seen: tuple[bytes, ...],
    ) -> None:
        self._game, self._ply = game, ply
        self._row = row
        self._first, self._second, south, north = looked
        self._points = (south, north)
        self._captured = captured  # or an earlier state, to count them from when asked for
        self._seen = () if self.is_terminal else seen  # nothing recurs after the end

    # The position

    @property
    def game(self) -> Game:
        """The game that this is a position of."""
        return self._game

    @property
    def ply(self) -> int:
        """Decisions made so far, from the position that the state began with."""
        return self._ply

    @property
    def board(self) -> NDArray[np.int64]:
        """(2, n) seeds: row p holds player p's home pits in his own numbers."""
        return np.array(self.game._rows_of(self._kernel), np.int64)

    @property
    def captured(self) -> NDArray[np.int64]:
        """(2,) seeds out of play that each player holds."""
        counted = self.game._captured_of(self._kernel)
        if counted is None and isinstance(self._captured, State):
            counted = self.game._captured_after(self._captured, self._row)
        return np.array(self._captured if counted is None else counted, np.int64)

    @property
    def player(self) -> int:
        """Who decides now: 0 (South) or 1 (North)."""
        return self._row.item(self._game._layout["player"][0])

    @property
    def phase(self) -> str:
        """The kind of decision; ``"over"`` or ``"annulled"`` when finished."""
        return self._game._all_phases[self._row.item(self._game._layout["phase"][0])]

    @property
    def in_hand(self) -> int:
        """Seeds in hand: of a pending lap, or not yet placed."""
        return int(self.game._in_hand(self._kernel))

    @property
    def owner(self) -> NDArray[np.int64]:
        """(2, n) the owner of each home pit (it changes in Goré only)."""
        owners = self.fields.get("owner")
        n = self.game._pits
        return np.array(owners or [0] * n + [1] * n, np.int64).reshape(2, n)

    @property
    def fields(self) -> dict[str, Any]:
        """Whatever else decides the future, by the names that ``game.state`` takes."""
        fields = self.game._fields_of(self._kernel)
        if self.game._counts_repetition:
            fields["seen"] = self.game._write_seen(self._seen)
        return fields

    @property
    def stored(self) -> NDArray[np.uint8]:
        """(1, size) the position as kernels keep it: :func:`~mancala_ai.dispatch.load` reads it."""
        return self._row.copy()

    @property
    def _kernel(self) -> Mapping[str, Any]:
        return self.game._from_row(self._row)

    def observation(self, player: int | None = None, normalize: bool = True) -> NDArray[Any]:
        """What a player sees: the position from his side of the board, for a network.

        Two positions with different futures look different, but for Oware with
        ``repetition="split_rows"``, where earlier positions decide too.

        Parameters
        ----------
        player : int, optional
            Who observes; the player who decides if left out.
        normalize : bool
            Whether numbers are divided by their largest.

        Returns
        -------
        ndarray, shape ``game.observation_shape``
            ``[row, column, k]`` is feature k, ``game.observation_planes[k]``, of the pits in
            that row of the observer (from the outer one), at that column from his left.
            float32, from 0 to 1 in games from the initial state; uint8 if not normalized.

        Raises
        ------
        ArgumentError
            If there is no such player.
        """
        game = self.game
        observer = self.player if player is None else as_int(player)
        if observer not in (0, 1):
            raise ArgumentError(f"player is 0, 1 or None, not {shown(player)}")
        tables = game._observation_tables[bool(normalize)]
        seen = np.empty(game.observation_shape, np.float32 if normalize else np.uint8)
        view, is_live = 2 * observer + self.player, not self.is_terminal
        game._look[bool(normalize)](tables, self._row, game._records.room(), view, is_live, seen)
        return seen

    # Actions

    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order; empty when finished."""
        return _bits(self._first, 0) + _bits(self._second, self.game._second_word)

    def action_mask(self) -> NDArray[np.bool_]:
        """(num_actions,) which actions are legal."""
        game = self.game
        bits = (self._first | self._second << game._second_word).to_bytes(16, "little")
        stored = np.frombuffer(bits, np.uint8)
        return np.unpackbits(stored, count=game.num_actions, bitorder="little").view(np.bool_)

    def apply(self, action: int) -> State:
        """The state after an action; this one is unchanged.

        Parameters
        ----------
        action : int
            One of :meth:`legal_actions`.

        Raises
        ------
        IllegalActionError
            If the action is not legal here; the message says why.
        """
        number = self._check_action(action)
        after = np.empty_like(self._row)
        looked = self._game._act(self._game.rules, self._row, kernels.APPLY, number, after)
        return self._followed_by(after, looked)

    def _apply_and_look(
        self, action: int | None, normalize: bool
    ) -> tuple[State, NDArray[Any], NDArray[np.int8]]:
        """The state after an action, its ``observation()`` and, as int8, its ``action_mask()``.

        In one call of a kernel, for environments; raises as :meth:`apply` does.
        """
        number = self._check_action(action)
        game = self._game
        if game._counts_repetition:
            state = self.apply(number)
            return state, state.observation(None, normalize), state.action_mask().view(np.int8)
        tables, after = game._observation_tables[normalize], self._row.copy()
        seen = np.empty(game.observation_shape, np.float32 if normalize else np.uint8)
        mask = np.empty(game.num_actions, np.int8)
        record = game._records.room()
        apply_and_look = game._apply_and_look[normalize]
        looked = apply_and_look(game.rules, tables, after, record, number, seen, mask)
        return self._followed_by(after, looked), seen, mask

    def _followed_by(
        self, after: NDArray[np.uint8], looked: tuple[int, int, float, float]
    ) -> State:
        """The next state, from what a kernel saved and returned."""
        game, seen = self._game, self._seen
        if game._counts_repetition:
            seen = (*seen, self._row.tobytes()) if self._keeps_seeds(after) else ()
            if after.tobytes() in seen:
                looked = game._act(game.rules, after.copy(), kernels.REPEAT, 0, after)
        known = self._captured if isinstance(self._captured, State) else self
        return State(game, after, looked, self._ply + 1, known, seen)

    def trace(self, action: int) -> list[Lap]:
        """The laps of an action, up to the next decision, the end or annulment.

        Parameters
        ----------
        action : int
            A legal one.

        Raises
        ------
        IllegalActionError
            If it is not legal here.
        """
        return [self._lap(before, after) for before, after in self._lapping(action)]

    def _lapping(self, action: int) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """The kernel fields before and after each lap of an action."""
        number = self._check_action(action)
        game, rules = self.game, self.game.rules
        row = np.empty_like(self._row)
        game._act(rules, self._row, kernels.BEGIN, number, row)
        before = game._from_row(row)
        for _ in range(rules.max_laps):
            if before["phase"] != SOWING:
                return
            after = np.empty_like(row)
            game._act(rules, row, kernels.LAP, 0, after)
            row, earlier, before = after, before, game._from_row(after)
            yield earlier, before

    def _boards_between(self, action: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The board and the captured seeds after each lap of an action."""
        for _, after in self._lapping(action):
            counted = self.game._captured_of(after)
            captured = self.captured if counted is None else np.array(counted, np.int64)
            yield np.array(self.game._rows_of(after), np.int64), captured

    def _lap(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> Lap:
        """The lap between two stored states.

        What was captured is what sowing alone would have left, less what is left.
        """
        game = self.game
        start, hand, direction = game._pending(before)
        drops = game._drops(before)
        missing = np.array(game._rows_of(before), np.int64)
        missing -= np.array(game._rows_of(after), np.int64)
        for number in drops:
            if number < 2 * game._pits:  # else a store
                missing[game._place(before["player"], number)] += 1
        landing = drops[-1]
        if after["hand"]:  # seeds lifted to go on are not captured
            missing[game._place(before["player"], landing)] = 0
        captured = {(int(p), int(i)): int(missing[p, i]) for p, i in np.argwhere(missing > 0)}
        return Lap(start, hand, direction, landing, captured)

    def action_to_text(self, action: int) -> str:
        """An action in the notation of its game.

        Parameters
        ----------
        action : int
            Legal or not.

        Raises
        ------
        IllegalActionError
            If the game has no such action.
        """
        number = as_int(action)
        names = self.game.action_names(self.player)
        if number is None or not 0 <= number < len(names):
            raise IllegalActionError(self._no_such_action(action))
        return names[number]

    def text_to_action(self, text: str) -> int:
        """The legal action written so.

        Parameters
        ----------
        text : str
            Upper case serves for lower where nothing else is meant.

        Raises
        ------
        IllegalActionError
            If no legal action, or more than one, is written so.
        """
        names = self.game.action_names(self.player)
        wanted = text.strip() if isinstance(text, str) else ""
        found = [i for i, name in enumerate(names) if name == wanted]
        found = found or [i for i, name in enumerate(names) if name.lower() == wanted.lower()]
        if len(found) != 1 or found[0] not in self.legal_actions():
            legal = " ".join(names[i] for i in self.legal_actions())
            raise IllegalActionError(
                f"no legal move {shown(text)} here; the legal moves are: {legal or 'none'}"
            )
        return found[0]

    # Results

    @property
    def is_terminal(self) -> bool:
        """Whether the game is finished, annulled included."""
        return not (self._first or self._second)  # else there is a legal action

    @property
    def annulled(self) -> bool:
        """Whether the game was annulled by a never-ending move."""
        return self.phase == "annulled"

    @property
    def win_kind(self) -> str | None:
        """How the game ended: the kind of win, ``"draw"`` or ``"annulled"``; None while it runs."""
        if not self.is_terminal:
            return None
        if self.annulled:
            return "annulled"
        if self._points[0] == self._points[1]:
            return "draw"
        return self.game._win_kind(self._kernel)

    @property
    def points(self) -> tuple[float, float]:
        """Both players' points by the game's own scoring; zeros while it runs and when annulled."""
        return self._points

    @property
    def returns(self) -> tuple[float, float]:
        """Zero-sum result: +1 and -1, or 0 and 0 for a draw, an annulled or a running game."""
        difference = float(np.sign(self._points[0] - self._points[1]))
        return difference, 0.0 - difference

    # Texts

    def to_text(self) -> str:
        """The position on one line; :meth:`.Game.state_from_text` reads it back exactly."""
        rows = "/".join(",".join(map(str, row)) for row in self.board.tolist())
        words = [rows, PLAYERS[self.player]]
        if self.captured.any():
            words.append("captured=" + ",".join(map(str, self.captured.tolist())))
        if self.phase != "sow":
            words.append(f"phase={self.phase}")
        fields = self.fields
        for name, field in self.game.FIELDS.items():
            if fields[name] != field.default:
                words.append(f"{name}={field.write(fields[name])}")
        return " ".join(words)

    def __str__(self) -> str:
        return draw(self)

    def __repr__(self) -> str:
        return f"<{self.game.spec} {self.to_text()}>"

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        from .render.svg import board_svg

        return board_svg(self, theme="auto")

    def _repr_html_(self) -> str:
        return f'<div style="max-width:100%">{self._repr_svg_()}</div>'

    # Values

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return bool(self._key() == other._key())

    def __hash__(self) -> int:
        return hash(self._key())

    def __copy__(self) -> State:
        return self

    def __deepcopy__(self, memo: Any) -> State:
        return self

    def __reduce__(self) -> Any:
        looked = (self._first, self._second, *self._points)
        captured = tuple(self.captured.tolist())
        return State, (self.game, self._row, looked, self.ply, captured, self._seen)

    def _key(self) -> Any:
        return self.game, self._row.tobytes(), frozenset(self._seen)

    # Inside

    def _keeps_seeds(self, after: NDArray[np.uint8]) -> bool:
        """Whether an action captured nothing: what came before it can occur again."""
        kernel = self.game._from_row(after)
        return int(self.captured.sum()) == int(kernel["my_captured"] + kernel["their_captured"])

    def _history_rows(self) -> NDArray[np.uint8]:
        """The stored states that must not occur again, and last this one."""
        earlier = [np.frombuffer(stored, np.uint8) for stored in self._seen]
        return np.array([*earlier, self._row[0]], np.uint8)

    def _other_player(self) -> State:
        """The position with the other player to move."""
        if self.phase not in ("sow", "over"):
            raise ArgumentError(f"the other player cannot move in phase {self.phase!r}")
        return self.game._turn_of(1 - self.player, self)

    def _check_action(self, action: Any) -> int:
        number = as_int(action)
        if number is None or not 0 <= number < self.game.num_actions:
            raise IllegalActionError(self._no_such_action(action))
        first_of_second = self.game._second_word
        word, bit = (
            (self._second, number - first_of_second)
            if number >= first_of_second
            else (self._first, number)
        )
        if not word >> bit & 1:
            raise IllegalActionError(self._why_illegal(number))
        return number

    def _no_such_action(self, action: Any) -> str:
        last = self.game.num_actions - 1
        return f"action {shown(action)} of {self.game.name} is not an integer from 0 to {last}"

    def _why_illegal(self, action: int) -> str:
        name = self.game.action_names(self.player)[action]
        if self.is_terminal:
            return (
                f"action {action} ({name}) is not possible: the game is finished ({self.win_kind})"
            )
        legal = ", ".join(map(str, self.legal_actions()))
        return (
            f"action {action} ({name}) is not legal for {PLAYERS[self.player]} in phase "
            f"{self.phase!r}; the legal actions are: {legal}"
        )
