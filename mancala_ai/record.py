"""Records: played games as text, for people to read and for programs to check.

    game: omweso:akakyala=True
    south: human
    north: greedy
    date: 2025-11-30

    ; North has promised to be quick.
    1. south l
    2. north l ; as in a mirror,
    ; which is seldom wise
    3. south i
    4. north i
    5. south n ; and now the choice: clockwise?
    5. south i

    result: 2-0 akakyala

First the headers, ``name: value``: ``game`` is as :func:`mancala_ai.make` takes it,
``start``, if there is one, the position in which the game began (``State.to_text()``),
and all others are free. Then the moves in the game's notation, one line a *turn*, that
is all decisions in a row of one player. ``;`` begins a comment on the move before it,
or on the start; a line that is nothing but a comment goes on with the last one. A turn
that was interrupted by a comment goes on in a new line of the same number and player.
Last, ``result``: the points and how they were won, ``0.5-0.5 draw``, ``0-0 annulled``,
or ``*`` if the game is unfinished. Blank lines mean nothing.

Records may stand one after the other in a file, as those of a match do
(:func:`read_records`). Each is complete; the header ``match`` of one tells how the match
stood before that game (``Match.to_text()``), and ``forfeit: south`` that South lost it on time.

A :class:`Record` is always legal: its moves are played when it is made.

Read next: ``cli/replay.py``, ``state.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import TypeVar

from .errors import MancalaError, RecordError, shown
from .files import whole_file
from .game import Game
from .registry import make
from .state import PLAYERS, State

T = TypeVar("T")

UNFINISHED = "*"

_HEADER = re.compile(r"([a-z][a-z0-9_-]*):(.*)")
_TURN = re.compile(r"([0-9]{1,9})\.\s+(south|north)\s+(.*)")
_RESERVED = ("game", "start", "result")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # nothing a text file should hold


@dataclass(frozen=True)
class Record:
    """A game, finished or not, with whatever is to be said of it.

    Attributes
    ----------
    game : Game
    actions : tuple of int
        Every decision from the start.
    headers : dict of str to str
        Free names and values such as ``south``, ``north``, ``date``, ``seed``; names are
        of lower-case letters, digits, ``_`` and ``-``.
    comments : dict of int to str
        By the number of actions played before: 0 is the comment on the start, ``n`` the
        one on the n-th action. It may have several lines; spaces around them are dropped.
    start : State
        Where the game began; ``game.initial_state()`` if none is given.

    Raises
    ------
    RecordError
        If an action is not legal (it is named), a header or a comment cannot be written, or
        a part is of the wrong kind.
    """

    game: Game
    actions: tuple[int, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    comments: Mapping[int, str] = field(default_factory=dict)
    start: State = None  # type: ignore[assignment]  # never None once it is made
    _states: tuple[State, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._check_kinds()
        start = self.game.initial_state() if self.start is None else self.start
        if start.game != self.game:
            raise RecordError(f"the start is of {start.game!r}, but the game is {self.game!r}")
        start = self.game.state_from_text(start.to_text())  # what is behind it plays no part
        actions = tuple(self.actions)
        states = tuple(_played(start, actions))
        checked = {
            "actions": tuple(map(int, actions)),
            "headers": {_name(name): _value(name, text) for name, text in self.headers.items()},
            "comments": dict(_comments(self.comments, len(actions))),
            "start": start,
            "_states": states,
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def _check_kinds(self) -> None:
        """RecordError if a part is of the wrong kind."""
        for name, kind, wanted in (
            ("game", Game, "game"),
            ("actions", Iterable, "sequence of actions"),
            ("headers", Mapping, "mapping of names to texts"),
            ("comments", Mapping, "mapping of numbers of moves to texts"),
            ("start", State | None, "state"),
        ):
            part = getattr(self, name)
            if not isinstance(part, kind):
                raise RecordError(f"{name} of a record is a {wanted}, not {shown(part)}")

    def states(self) -> list[State]:
        """The positions from the start to the last, one more than there are actions."""
        return list(self._states)

    @property
    def final(self) -> State:
        """The last position."""
        return self._states[-1]

    @property
    def result(self) -> str:
        """The result as it is written: ``"2-0 okutema"``, or ``"*"`` if unfinished."""
        return result_text(self.final)

    def to_text(self) -> str:
        """The record as text; :meth:`from_text` reads it back exactly."""
        lines = [f"game: {self.game.spec}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if self.start.to_text() != self.game.initial_state().to_text():
            lines.append(f"start: {self.start.to_text()}")
        lines += ["", *self._move_lines()]
        if lines[-1]:
            lines.append("")
        return "\n".join([*lines, f"result: {self.result}", ""])

    @classmethod
    def from_text(cls, text: str) -> Record:
        """The record that a text holds.

        Parameters
        ----------
        text : str
            Lines end as they do anywhere, and a byte order mark may come before the first.

        Raises
        ------
        RecordError
            With the line, the number of the move where it is one, and the reason.
        """
        record, *others = _read(text)
        if others:
            raise RecordError(f"there are {1 + len(others)} games, where one is to be read")
        return record

    def _move_lines(self) -> Iterator[str]:
        yield from _comment_lines(self.comments.get(0, ""))
        turn, mover, line = 0, -1, ""
        for number, (state, action) in enumerate(zip(self._states, self.actions, strict=False), 1):
            if state.player != mover:
                if line:
                    yield line
                turn, mover, line = turn + 1, state.player, ""
            line = line or f"{turn}. {PLAYERS[mover]}"
            line += " " + state.action_to_text(action)
            if comment := self.comments.get(number):
                first, *others = _comment_lines(comment)
                yield f"{line} {first}"
                yield from others
                line = ""
        if line:
            yield line


def read_record(path: str | Path) -> Record:
    """The record in a file.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    RecordError
        If it is no record, or several; the message begins with the path.
    OSError
        If the file cannot be read.
    """
    return _from_file(path, Record.from_text)


def read_records(path: str | Path) -> list[Record]:
    """The records in a file, one or more.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    RecordError
        If it holds anything else; the message begins with the path.
    OSError
        If the file cannot be read.
    """
    return _from_file(path, _read)


def write_record(record: Record, path: str | Path) -> None:
    """Write a record to a file, whole or not at all.

    Parameters
    ----------
    record : Record
    path : str or Path

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    write_records([record], path)


def write_records(records: Iterable[Record], path: str | Path) -> None:
    """Write records to a file, whole or not at all.

    Parameters
    ----------
    records : iterable of Record
    path : str or Path

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    with whole_file(path) as file:
        file.write("\n".join(record.to_text() for record in records))


def _from_file(path: str | Path, read: Callable[[str], T]) -> T:
    try:
        return read(Path(path).read_bytes().decode())
    except UnicodeDecodeError:
        raise RecordError(f"{path}: not a text in UTF-8") from None
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from error


def _read(text: str) -> list[Record]:
    """The records in a text; RecordError with the line of what is wrong."""
    if not isinstance(text, str):
        raise RecordError(f"a record is read from a text, not from {shown(text)}")
    readers = [_Reader()]
    lines = StringIO(text.removeprefix("\ufeff"), newline=None).read().split("\n")
    for number, line in enumerate(lines, 1):
        plain = line.replace("\t", " ").strip()
        if readers[-1].ended and plain.startswith("game:"):
            readers.append(_Reader())
        try:
            readers[-1].read(plain)
        except MancalaError as error:
            raise RecordError(f"line {number}: {error}") from error
    if not readers[-1].ended:
        raise RecordError(f"line {len(lines)}: {readers[-1].missing()}")
    return [reader.record() for reader in readers]


def result_text(state: State) -> str:
    """How a game stands in its record: ``"1-0 seeds"``, or ``"*"`` while it runs."""
    if not state.is_terminal:
        return UNFINISHED
    south, north = state.points
    return f"{south:g}-{north:g} {state.win_kind}"


class _Reader:
    """Reads a record line by line, and plays it."""

    def __init__(self) -> None:
        self.ended = False
        self._game: Game | None = None
        self._headers: dict[str, str] = {}
        self._state: State | None = None  # the last one; None until the first move
        self._start: State | None = None
        self._actions: list[int] = []
        self._comments: dict[int, str] = {}
        self._turn = 0
        self._player: int | None = None  # whose turn the last line is

    def read(self, line: str) -> None:
        if not line:
            return
        if _CONTROL.search(line):
            raise RecordError("a record holds no control characters")
        if self.ended:
            raise RecordError("nothing follows the result")
        if line.startswith(";"):
            self._read_comment(line[1:])
        elif match := _TURN.fullmatch(line):
            self._read_turn(int(match[1]), PLAYERS.index(match[2]), match[3])
        elif match := _HEADER.fullmatch(line):
            self._read_header(match[1], match[2].strip())
        else:
            raise RecordError(
                f"{shown(line)} is no header (name: value), turn (1. south MOVES) "
                f"or comment (; TEXT)"
            )

    def missing(self) -> str:
        if self._game is None:
            return "the record names no game (game: NAME)"
        return f"the record has no result (result: {UNFINISHED} if the game is unfinished)"

    def record(self) -> Record:
        assert self._game is not None
        return Record(
            self._game,
            tuple(self._actions),
            self._headers,
            self._comments,
            self._start,  # type: ignore[arg-type]
        )

    def _read_header(self, name: str, value: str) -> None:
        if self._game is None:
            if name != "game":
                raise RecordError(f"a record begins with its game (game: NAME), not with {name}")
            self._game = make(value)
        elif name == "result":
            self._read_result(value)
        elif self._actions:
            raise RecordError(f"header {name} comes after the first move")
        elif name in self._headers or name == "game" or (name == "start" and self._start):
            raise RecordError(f"header {name} is given twice")
        elif name == "start":
            self._start = self._game.state_from_text(value)
        else:
            self._headers[name] = _value(name, value)

    def _read_result(self, value: str) -> None:
        result = result_text(self._reached())
        if " ".join(value.split()) != result:
            raise RecordError(f"the result is {result}, not {value}")
        self.ended = True

    def _read_turn(self, number: int, player: int, rest: str) -> None:
        state = self._reached()
        expected = self._turn + (player != self._player)
        if not state.is_terminal and number != expected:
            raise RecordError(f"turn {expected} is due, not {number}")
        self._turn, self._player = number, player
        moves, semicolon, comment = rest.partition(";")
        if not moves.split():
            raise RecordError(f"turn {number} has no move")
        for text in moves.split():
            try:
                self._play(player, text)
            except MancalaError as error:
                raise RecordError(f"move {len(self._actions) + 1}: {error}") from error
        if semicolon:
            self._read_comment(comment)

    def _play(self, player: int, text: str) -> None:
        state = self._reached()
        if state.is_terminal:
            raise RecordError(f"the game is already finished ({state.win_kind})")
        if state.player != player:
            raise RecordError(f"it is {PLAYERS[state.player]} who moves, not {PLAYERS[player]}")
        action = state.text_to_action(text)
        self._state = state.apply(action)
        self._actions.append(action)

    def _read_comment(self, text: str) -> None:
        if self._game is None:
            raise RecordError("a record begins with its game (game: NAME), not with a comment")
        at = len(self._actions)
        before = self._comments.get(at)
        self._comments[at] = text.strip() if before is None else f"{before}\n{text.strip()}"

    def _reached(self) -> State:
        """The last position so far."""
        if self._game is None:
            raise RecordError("a record begins with its game (game: NAME)")
        if self._state is None:
            self._state = self._start or self._game.initial_state()
        return self._state


def _played(state: State, actions: tuple[int, ...]) -> Iterator[State]:
    yield state
    for number, action in enumerate(actions, 1):
        try:
            state = state.apply(action)
        except MancalaError as error:
            raise RecordError(f"move {number}: {error}") from error
        yield state


def _name(name: str) -> str:
    if not isinstance(name, str) or not _HEADER.fullmatch(f"{name}:") or name in _RESERVED:
        raise RecordError(
            f"a header is named by lower-case letters, digits, _ and -, and not by one of "
            f"{', '.join(_RESERVED)}: {shown(name)} cannot be"
        )
    return name


def _value(name: str, text: str) -> str:
    if not isinstance(text, str) or not text.strip() or _CONTROL.search(text):
        raise RecordError(
            f"header {name} is a text of one line that is not empty: not {shown(text)}"
        )
    return text.strip()


def _comments(comments: Mapping[int, str], actions: int) -> Iterator[tuple[int, str]]:
    for at, text in comments.items():
        if at not in range(actions + 1):
            raise RecordError(f"a comment on move {shown(at)}: there are {actions} moves")
        if not isinstance(text, str):
            raise RecordError(f"the comment on move {at} is a text, not {shown(text)}")
        lines = [line.replace("\t", " ").strip() for line in text.split("\n")]
        if any(_CONTROL.search(line) for line in lines):
            raise RecordError(f"the comment on move {at} has a control character: {shown(text)}")
        if plain := "\n".join(lines).strip():
            yield at, plain


def _comment_lines(comment: str) -> list[str]:
    return [f"; {line}".rstrip() for line in comment.split("\n")] if comment else []
