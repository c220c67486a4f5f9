"""What a player sees of a position, as planes of numbers for a network.

An observation has shape ``(rows, columns, features)``: the observer's home rows from the outer
one, their columns from his left, and in each cell the features of the pit there and of the
opponent's pit in the same row and column of the board. A feature over all cells is a *plane*;
what concerns no single pit fills its plane. ``Game.observation_planes`` lists them.

A game says from which bytes of the stored state each number comes (:meth:`Game._planes`).
From that, tables are made once; a kernel only looks up, number by number in the order in which
they lie. They differ for the four *views*: who observes, and who decides.

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
    offset : int
        Of the byte in that field.
    table : tuple of int
        The number for each value of the byte.
    after : str, optional
        A field of one byte whose value is added to ``offset``.
    """

    field: str
    offset: int = 0
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
    source : Stored, or list of Stored and Product
        Where its numbers come from: one for all cells, or one for each cell.
    """

    name: str
    most: int
    meaning: str
    source: Stored | Sequence[Stored | Product]


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

    A *source* is a byte of the stored state and a table: ``byte << 16 | table << 8``, so
    that the lower half, with the value of the byte added, is a place in ``numbers``.

    Attributes
    ----------
    sources : ndarray of uint32, shape (4, size)
        The source of each number of the observation.
    shifted : ndarray of uint32, shape (4, n, 3)
        Numbers to look up otherwise: place, source, byte whose value moves that of the source.
    factors : ndarray of uint32, shape (4, n, 2)
        Numbers to multiply by a second one: place, source of that.
    numbers : ndarray of float32 or uint8
        The tables, 256 numbers each.
    """

    sources: NDArray[np.uint32]
    shifted: NDArray[np.uint32]
    factors: NDArray[np.uint32]
    numbers: NDArray[Any]


def observation_tables(game: Game, normalize: bool) -> Tables:
    """The tables of a game's observations: float32 from 0 to 1, or the uint8 counts."""
    maker = _TablesMaker(game, normalize)
    views = [maker.view(observer, mover) for observer in (0, 1) for mover in (0, 1)]
    sources, shifted, factors = (np.array(part, np.uint32) for part in zip(*views, strict=True))
    numbers = np.array(list(maker.numbers), np.float32 if normalize else np.uint8)
    return Tables(
        sources, shifted.reshape(4, -1, 3), factors.reshape(4, -1, 2), numbers.reshape(-1)
    )


class _TablesMaker:
    """Collects the tables of a game; ``numbers`` has each of them once, in order."""

    def __init__(self, game: Game, normalize: bool) -> None:
        self._game, self._normalize = game, normalize
        self.numbers: dict[tuple[float, ...], int] = {}

    def view(self, observer: int, mover: int) -> tuple[list[Any], list[Any], list[Any]]:
        """The entries of ``sources``, ``shifted`` and ``factors`` for one view."""
        planes = self._game._planes(observer, mover)
        cells = self._game.rows * self._game.columns
        sources, shifted, factors = [0] * (cells * len(planes)), [], []
        for number, plane in enumerate(planes):
            most = plane.most if self._normalize else 1
            given = plane.source
            each: Sequence[Stored | Product]
            each = [given] * cells if isinstance(given, Stored) else given
            for cell, byte in enumerate(each):
                place = cell * len(planes) + number
                if isinstance(byte, Product):
                    factors.append((place, self._source(byte.other, 1)))
                    byte = byte.one
                sources[place] = self._source(byte, most)
                if byte.after is not None:
                    shifted.append((place, sources[place], self._game._layout[byte.after][0]))
        return sources, shifted, factors

    def _source(self, byte: Stored, most: int) -> int:
        table = self.numbers.setdefault(
            tuple(value / most for value in byte.table), len(self.numbers)
        )
        return (self._game._layout[byte.field][0] + byte.offset) << 16 | table << 8


@njit(forceinline=True)
def _number(numbers, stored, source, moved):
    """The number that a source gives, its byte moved."""
    byte = stored[np.uint64((source >> 16) + moved)]
    return numbers[np.uint64((source & 0xFFFF) + byte)]


@njit(forceinline=True)
def observe(tables, rows, index, view, seen):
    """Write the observation of the state stored in a row.

    ``view`` is twice the observer plus the player who decides; ``seen`` is the observation
    as a one-dimensional array of the dtype of ``tables.numbers``.
    """
    stored, numbers, seen = unowned(rows[index]), unowned(tables.numbers), unowned(seen)
    sources = unowned(tables.sources[view])
    shifted, factors = unowned(tables.shifted[view]), unowned(tables.factors[view])
    for place in range(len(seen)):
        seen[place] = _number(numbers, stored, sources[place], 0)
    for i in range(len(shifted)):
        moved = stored[np.uint64(shifted[i, 2])]
        seen[shifted[i, 0]] = _number(numbers, stored, shifted[i, 1], moved)
    for i in range(len(factors)):
        seen[factors[i, 0]] *= _number(numbers, stored, factors[i, 1], 0)


@entry
def look(sources, shifted, factors, numbers, row, view, seen):
    """:func:`observe` for the state of a single (1, size) row; ``seen`` in any shape.

    The parts of the tables come one by one: a tuple of arrays takes longer to unpack.
    """
    observe(Tables(sources, shifted, factors, numbers), row, 0, view, seen.reshape(-1))
