"""What a player sees of a position, as planes of numbers for a network.

An observation has shape ``(rows, columns, features)``: the observer's home rows from the outer
one, their columns from his left, and in each cell the features of the pit there and of the
opponent's pit in the same row and column of the board. A feature over all cells is a *plane*;
what concerns no single pit fills its plane. ``Game.observation_planes`` lists them.

A game says from which bytes of the stored state each number comes (:meth:`Game._planes`).
From that, tables are made once; a kernel only looks up. They differ for the four *views*:
who observes, and who decides.

Read first: ``dispatch.py`` (stored states). Read next: ``batch.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .arrays import unowned
from .cache import entry

if TYPE_CHECKING:
    from .game import Game

BYTES = range(256)


class Stored(NamedTuple):
    """A number that one byte of the stored state decides.

    Attributes
    ----------
    field : str
        Of the kernel's state.
    index : int
        Of the byte in that field.
    table : tuple of int
        The number for each value of the byte.
    after : str, optional
        A field of one byte whose value is added to ``index``.
    """

    field: str
    index: int = 0
    table: tuple[int, ...] = tuple(BYTES)
    after: str | None = None


class Product(NamedTuple):
    """A number that two bytes decide: that of one times that of the other."""

    one: Stored
    other: Stored


class Plane(NamedTuple):
    """One feature of an observation.

    Attributes
    ----------
    name : str
    most : int
        The largest number that occurs in games from the initial state; the least is 0.
        Normalized observations are divided by it.
    meaning : str
    source : Stored, or list of Stored or of Product
        Where its numbers come from: one for all cells, or one for each cell.
    """

    name: str
    most: int
    meaning: str
    source: Stored | Sequence[Stored] | Sequence[Product]


def lookup(function: Callable[[int], int]) -> tuple[int, ...]:
    """The table of a function of a byte, with results from 0 to 255."""
    return tuple(int(function(value)) for value in BYTES)


def equal_to(wanted: int) -> tuple[int, ...]:
    """The table that is 1 for one value."""
    return lookup(lambda value: value == wanted)


def has_bit(bit: int) -> tuple[int, ...]:
    """The table that is 1 for sets with a member."""
    return lookup(lambda value: value >> bit & 1)


def above(bound: int) -> tuple[int, ...]:
    """The table that is 1 for greater values."""
    return lookup(lambda value: value > bound)


class Tables(NamedTuple):
    """Where an observation's numbers come from. The first axis is the view.

    Attributes
    ----------
    uniform : ndarray of int32, shape (4, n, 3)
        Plane, byte, table: one number for all cells.
    single : ndarray of int32, shape (4, n, 3)
        Place in the observation, byte, table.
    shifted : ndarray of int32, shape (4, n, 4)
        Place, byte, table, byte whose value moves the first byte.
    paired : ndarray of int32, shape (4, n, 5)
        Place, byte, table, byte, table.
    numbers : ndarray of float32 or uint8, shape (n, 256)
        The tables.
    """

    uniform: NDArray[np.int32]
    single: NDArray[np.int32]
    shifted: NDArray[np.int32]
    paired: NDArray[np.int32]
    numbers: NDArray[Any]


def observation_tables(game: Game, normalize: bool) -> Tables:
    """The tables of a game's observations: float32 from 0 to 1, or the uint8 counts."""
    maker = _TablesMaker(game, normalize)
    views = [maker.view(observer, mover) for observer in (0, 1) for mover in (0, 1)]
    columns = zip(*views, strict=True)
    lists = [
        np.array(column, np.int32).reshape(4, -1, width)
        for column, width in zip(columns, (3, 3, 4, 5), strict=True)
    ]
    dtype = np.float32 if normalize else np.uint8
    return Tables(*lists, np.array(list(maker.numbers), dtype))


class _TablesMaker:
    """Collects the tables of a game; ``numbers`` has each of them once, in order."""

    def __init__(self, game: Game, normalize: bool) -> None:
        self._game, self._normalize = game, normalize
        self.numbers: dict[tuple[float, ...], int] = {}

    def view(self, observer: int, mover: int) -> tuple[list[tuple[int, ...]], ...]:
        """The entries of ``uniform``, ``single``, ``shifted`` and ``paired`` for one view."""
        planes = self._game._planes(observer, mover)
        uniform, single, shifted, paired = [], [], [], []
        for number, plane in enumerate(planes):
            most = plane.most if self._normalize else 1
            if isinstance(plane.source, Stored):
                uniform.append((number, *self._entry(plane.source, most)))
                continue
            for cell, source in enumerate(plane.source):
                place = cell * len(planes) + number
                if isinstance(source, Product):
                    factors = (*self._entry(source.one, most), *self._entry(source.other, 1))
                    paired.append((place, *factors))
                elif source.after is None:
                    single.append((place, *self._entry(source, most)))
                else:
                    after = self._game._layout[source.after][0]
                    shifted.append((place, *self._entry(source, most), after))
        return uniform, single, shifted, paired

    def _entry(self, byte: Stored, most: int) -> tuple[int, int]:
        table = tuple(value / most for value in byte.table)
        number = self.numbers.setdefault(table, len(self.numbers))
        return self._game._layout[byte.field][0] + byte.index, number


@njit(forceinline=True)
def observe(tables, rows, index, view, cells):
    """Write the observation of the state stored in a row.

    ``view`` is twice the observer plus the player who decides; ``cells`` is a C-contiguous
    (cells, features) array of the dtype of ``tables.numbers``.
    """
    features = cells.shape[1]
    flat = unowned(cells.reshape(-1))
    numbers, stored = unowned(tables.numbers), unowned(rows[index])
    uniform, single = unowned(tables.uniform[view]), unowned(tables.single[view])
    shifted, paired = unowned(tables.shifted[view]), unowned(tables.paired[view])
    for i in range(len(uniform)):
        value = numbers[uniform[i, 2], stored[uniform[i, 1]]]
        for place in range(uniform[i, 0], len(flat), features):
            flat[place] = value
    for i in range(len(single)):
        flat[single[i, 0]] = numbers[single[i, 2], stored[single[i, 1]]]
    for i in range(len(shifted)):
        moved = shifted[i, 1] + stored[shifted[i, 3]]
        flat[shifted[i, 0]] = numbers[shifted[i, 2], stored[moved]]
    for i in range(len(paired)):
        one = numbers[paired[i, 2], stored[paired[i, 1]]]
        flat[paired[i, 0]] = one * numbers[paired[i, 4], stored[paired[i, 3]]]


@entry
def look(tables, row, view, cells):
    """:func:`observe` for the state of a single (1, size) row."""
    observe(tables, row, 0, view, cells)
