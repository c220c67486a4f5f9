"""A board as shapes: one description for all pictures.

A :class:`Scene` is a size and a list of discs, boxes and texts, painted one over the other.
``svg.py`` writes it as SVG, ``rgb.py`` paints pixels, ``animation.py`` makes films of it.
Lengths are in pits: a pit takes a square of side 1.

The board lies as in ``text.py``: North above and turned. Up to a dozen seeds are drawn one by
one, more as a number. Rings tell what happened last: where the sowing began and ended, and
which pits were captured.

Read next: ``svg.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .text import NAMES, pit_at, status

if TYPE_CHECKING:
    from ..game import Game
    from ..state import Lap, State

Place = tuple[int, int]  # a player and a home pit of his

MOST_LAPS = 10_000  # of a move that are looked at
MOST_DRAWN = 12  # seeds; more are a number
INNER = (0, 1, 0, 0, 0, 0, 1, 1, 1, 2, 3, 3, 4)  # of so many seeds, those nearer the middle
WIDEST_WITH_STORES = 12  # columns; beside wider boards captured seeds are in the captions

# Lengths
PIT, SEED, RING, NUMBER = 0.42, 0.085, 0.05, 0.46
MARGIN, LABEL, CAPTION, STORE, GAP = 0.25, 0.4, 0.55, 1.3, 0.2
LABEL_SIZE, NAME_SIZE, STATUS_SIZE = 0.28, 0.36, 0.34
LETTER = 0.58  # the width of one, in sizes of the text: long texts are written smaller
COLUMNS_OF_TEXT = 11  # beside wider boards texts grow with the board


class Disc(NamedTuple):
    """A disc or a ring: colours are names of a palette, None for none."""

    x: float
    y: float
    radius: float
    fill: str | None
    line: str | None = None
    width: float = 0.03


class Box(NamedTuple):
    """A rectangle with rounded corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str


class Words(NamedTuple):
    """A text; ``x`` is where it begins, is centred or ends, ``y`` its middle."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: str = "middle"  # or "start", "end"


class Scene(NamedTuple):
    """A picture.

    Attributes
    ----------
    width, height : float
        In pits.
    shapes : list of Disc, Box or Words
        Each is painted over those before.
    title : str
        What it shows, in words.
    """

    width: float
    height: float
    shapes: list[Disc | Box | Words]
    title: str


# Colours by what they are for
PALETTES: Mapping[str, Mapping[str, str]] = {
    "light": {
        "paper": "#fbf7ef", "wood": "#d9b382", "pit": "#a9764a", "rim": "#7c5230",
        "head": "#8a4f2a", "out": "#cfa877", "foreign": "#6f7f5a", "seed": "#fdf6e3",
        "seed line": "#5b3a1e", "number": "#fffaf0", "ink": "#3a2718", "faint": "#8a6f55",
        "start": "#1f6fb2", "landing": "#f2c230", "captured": "#c62f2f", "pending": "#2f9e5b",
    },
    "dark": {
        "paper": "#1d1a17", "wood": "#6b4a2f", "pit": "#3f2a19", "rim": "#241710",
        "head": "#5a2f17", "out": "#5d4128", "foreign": "#3f4a30", "seed": "#efe3c8",
        "seed line": "#1b120b", "number": "#fff4dc", "ink": "#f0e6d6", "faint": "#a8927a",
        "start": "#6db3f2", "landing": "#ffd75e", "captured": "#ff6b5e", "pending": "#6fd08c",
    },
}  # fmt: skip


class Marks(NamedTuple):
    """What to show of the last move.

    Attributes
    ----------
    start, landing : tuple of int or None
        Where the first seed was lifted, and where the last one fell.
    captured : frozenset of tuple of int
        Pits that were captured.
    """

    start: Place | None = None
    landing: Place | None = None
    captured: frozenset[Place] = frozenset()


def _is_told(state: State, action: int) -> bool:
    """Whether the laps of an action come to an end soon enough to look at each."""
    laps, ends, _ = state.game.relay_lengths(state, max_laps=MOST_LAPS).get(action, (0, True, 0))
    return bool(ends) and laps <= MOST_LAPS


def _marks(state: State, laps: list[Lap]) -> Marks:
    if not laps:
        return Marks()
    captured = frozenset(place for lap in laps for place in lap.captured)
    return Marks(_place(state, laps[0].start), _place(state, laps[-1].landing), captured)


def _place(state: State, number: int) -> Place | None:
    """Player and home pit of a pit in the mover's numbers; None for a store."""
    game = state.game
    return game._place(state.player, number) if number < 2 * game._pits else None


def scene(state: State, last: tuple[State, int] | None = None) -> Scene:
    """The picture of a position.

    Parameters
    ----------
    state : State
    last : tuple of State and int, optional
        The position before and the action that led here, to be marked.
    """
    marks = _marks(last[0], last[0].trace(last[1])) if last and _is_told(*last) else Marks()
    return _Drawing(state.game, state.player).picture(
        state.board.tolist(), state.captured.tolist(), state.game._pit_kinds(state), marks,
        None if state.is_terminal else state.player, status(state), state.to_text(),
    )  # fmt: skip


def empty_scene(game: Game) -> Scene:
    """The board without seeds and words, to lay them on."""
    drawing = _Drawing(game, 0)
    board, kinds = np.zeros((2, game._pits), int), game._pit_kinds(game.initial_state())
    return drawing.picture(board.tolist(), ("", ""), kinds, Marks(), None, "", "")


def centres(game: Game) -> list[tuple[float, float]]:
    """The middles of South's pits, of North's, and of both stores where they are drawn."""
    drawing = _Drawing(game, 0)
    places = [(player, pit) for player in (0, 1) for pit in range(game._pits)]
    return [drawing.centre(place) for place in places] + drawing.store_centres()


def lap_scenes(state: State, action: int) -> Iterator[Scene]:
    """The picture after each lap of an action but the last; none if they never end."""
    if not _is_told(state, action):
        return
    game, name = state.game, state.action_to_text(action)
    laps = state.trace(action)
    kinds = {place: kind - {"pending"} for place, kind in game._pit_kinds(state).items()}
    for number, (lap, (board, captured)) in enumerate(
        zip(laps[:-1], state._boards_between(action), strict=False), 1
    ):
        yield _Drawing(game, state.player).picture(
            board, captured, kinds, _marks(state, [lap]), state.player,
            f"{NAMES[state.player]} {name}: lap {number} of {len(laps)}", "",
        )  # fmt: skip


class _Drawing:
    """The geometry of a game's board."""

    def __init__(self, game: Game, mover: int) -> None:
        self._game = game
        self._labels = [game._column_labels(player, mover) for player in (0, 1)]
        self._text = max(1.0, game.columns / COLUMNS_OF_TEXT)  # so that it can be read
        self._label, self._caption = LABEL * self._text, CAPTION * self._text
        self._stores = game.KEEPS_CAPTURES and game.columns <= WIDEST_WITH_STORES
        side = STORE + GAP if self._stores else 0.0
        self._left = MARGIN + GAP + side
        self._width = 2 * self._left + game.columns
        above = MARGIN + self._caption + self._label * len(self._labels[1])
        self._top = above + GAP
        self._half = float(game.rows)
        self._bottom = self._top + 2 * self._half + GAP  # of the pits
        below = self._label * len(self._labels[0]) + 2 * self._caption
        self._height = self._bottom + GAP + below
        self._shapes: list[Disc | Box | Words] = []

    def picture(
        self,
        board: Any,
        captured: Any,
        kinds: Mapping[Place, frozenset[str]],
        marks: Marks,
        mover: int | None,
        said: str,
        position: str,
    ) -> Scene:
        add = self._shapes.append
        add(Box(0, 0, self._width, self._height, 0, "paper"))
        edge = MARGIN, self._top - GAP
        size = self._width - 2 * MARGIN, self._bottom - self._top + 2 * GAP
        add(Box(*edge, *size, 0.3, "wood"))
        middle = (self._top + self._bottom) / 2
        add(Box(self._left, middle - 0.015, self._game.columns, 0.03, 0, "rim"))
        for player in (0, 1):
            self._draw_labels(player)
            self._draw_caption(player, captured[player], mover)
            if self._stores:
                self._draw_store(player, captured[player])
            for pit in range(self._game._pits):
                place = player, pit
                self._draw_pit(place, board[player][pit], kinds.get(place, frozenset()), marks)
        y = self._height - self._caption / 2 - 0.05
        height = min(STATUS_SIZE * self._text, self._width / (LETTER * len(said) + 1))
        add(Words(self._width / 2, y, said, height, "ink"))
        return Scene(
            self._width, self._height, self._shapes, f"{self._game.name}: {said} {position}"
        )

    def centre(self, place: Place) -> tuple[float, float]:
        player, pit = place
        columns, rows = self._game.columns, self._game.rows
        row = pit // columns
        column = next(c for c in range(columns) if pit_at(row, c, columns) == pit)
        x, y = column + 0.5, rows - row - 0.5  # from the left, and from the middle
        if player:
            return self._left + columns - x, self._top + self._half - y
        return self._left + x, self._bottom - self._half + y

    def _draw_pit(self, place: Place, seeds: int, kind: frozenset[str], marks: Marks) -> None:
        x, y = self.centre(place)
        add = self._shapes.append
        fill = next((name for name in ("out", "foreign", "head") if name in kind), "pit")
        add(Disc(x, y, PIT, fill, "rim"))
        rings = {
            "pending": "pending" in kind,
            "captured": place in marks.captured,
            "landing": place == marks.landing,
            "start": place == marks.start,
        }
        colours = [name for name, shown in rings.items() if shown]
        for number, colour in enumerate(colours):
            add(Disc(x, y, PIT - number * 1.4 * RING, None, colour, RING))
        if seeds > MOST_DRAWN:
            add(Words(x, y, str(seeds), NUMBER, "number"))
        else:
            for dx, dy in _scattered(seeds):
                add(Disc(x + dx, y + dy, SEED, "seed", "seed line", 0.012))

    def _draw_labels(self, player: int) -> None:
        columns = self._game.columns
        for line, texts in enumerate(self._labels[player]):
            away = GAP + self._label * (line + 0.5)
            y = self._top - away if player else self._bottom + away
            for column, text in enumerate(texts):
                x = column + 0.5
                x = self._left + (columns - x if player else x)
                self._shapes.append(Words(x, y, text, LABEL_SIZE * self._text, "faint"))

    def _draw_caption(self, player: int, captured: Any, mover: int | None) -> None:
        name = NAMES[player]
        if self._game.KEEPS_CAPTURES and not self._stores and captured != "":
            name += f", {captured} captured"
        y = MARGIN / 2 + self._caption / 2
        if player == 0:
            y = self._height - 1.5 * self._caption - 0.05
        colour = "ink" if player == mover else "faint"
        self._shapes.append(Words(self._width / 2, y, name, NAME_SIZE * self._text, colour))

    def _draw_store(self, player: int, captured: Any) -> None:
        x, y = self.store_centres()[player]
        height = self._bottom - self._top
        box = Box(x - STORE / 2 + 0.15, self._top, STORE - 0.3, height, 0.4, "pit")
        self._shapes += [box, Words(x, y, str(captured), NUMBER, "number")]

    def store_centres(self) -> list[tuple[float, float]]:
        """The middles of both stores; empty where there are none."""
        if not self._stores:
            return []
        x, y = MARGIN + GAP + STORE / 2, (self._top + self._bottom) / 2
        return [(self._width - x, y), (x, y)]


def _scattered(seeds: int) -> Iterator[tuple[float, float]]:
    """Where seeds lie in a pit, from its centre."""
    inner = INNER[seeds]
    outer = seeds - inner
    for count, radius in (
        (inner, 0.0 if inner == 1 else 0.11),
        (outer, 0.16 if outer < 4 else 0.27),
    ):
        for number in range(count):
            angle = 2 * pi * number / count - pi / 2
            yield radius * cos(angle), radius * sin(angle)
