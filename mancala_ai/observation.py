"""What a player sees of a position, as planes of numbers for a network.

An observation has shape ``(rows, columns, features)``: the observer's home rows from the outer
one, their columns from his left, and in each cell the features of the pit there and of the
opponent's pit in the same row and column of the board. A feature over all cells is a *plane*;
what concerns no single pit fills its plane. ``Game.observation_planes`` lists them.

A game says from which bytes of the stored state each number comes (:meth:`Game._planes`).
From that, tables are made once for each of the four *views*: who observes, and who decides.
A kernel then picks bytes, 16 or 64 at a time (:class:`Tables` says which), and multiplies.

Read first: ``dispatch.py`` (stored states). Read next: ``batch.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .arrays import (
    AT_ONCE,
    CACHE_LINE,
    LANES,
    NOTHING,
    aligned,
    bytes_at,
    picked,
    put_products,
    rearranged,
    united,
)
from .cache import entry
from .dispatch import OVER, stored_size
from .errors import ArgumentError
from .sowing import seeds

if TYPE_CHECKING:
    from .game import Game

BYTES = range(256)
IDENTITY = tuple(BYTES)


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
    table: tuple[int, ...] = IDENTITY
    after: str | None = None


class Product(NamedTuple):
    """A number that two bytes decide: that of one, or 0 where that of the other is 0, not 1."""

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
    """Where an observation's numbers come from: arrays of one dimension, most by view.

    A *record* is a stored state and, behind it, the bytes that :func:`complete` adds: all that
    no byte of the state is by itself. Each number of an observation is then one byte of the
    record, divided by the most that it can be.

    Attributes
    ----------
    looked_up : ndarray of uint32, length 4 * n * 3
        Bytes to add: place, table, and the place of what is looked up.
    products : ndarray of uint32, length 4 * n * 6
        Bytes to add: place; of one factor the table, the place of what is looked up, and the
        place of a byte that moves that; of the other the table and the place.
    parts : ndarray of uint32, length 4 * groups * n
        Where ``AT_ONCE`` bytes of the record begin: in the n of a group are all the next
        ``AT_ONCE`` bytes that are picked.
    picks : ndarray of uint8, length 4 * groups * n * AT_ONCE
        For each part, which of its bytes these are, or ``NOTHING`` for those of another part.
    bytes : ndarray of uint8
        The tables, 256 bytes each. A table is given by where it begins.
    high, low : ndarray of float32 or uint8
        For each byte that is picked two factors, the sum of which is 1 / most.
    """

    looked_up: NDArray[np.uint32]
    products: NDArray[np.uint32]
    parts: NDArray[np.uint32]
    picks: NDArray[np.uint8]
    bytes: NDArray[np.uint8]
    high: NDArray[Any]
    low: NDArray[Any]


VIEWS = 4
TABLES = len(Tables._fields)
ZEROS, ONES = lookup(lambda value: 0), lookup(lambda value: 1)
IS_LIVE = lookup(lambda phase: phase < OVER)
LAST = -1  # as a place: the last byte of the record


class Records:
    """How the records of a game are made, and what is picked from them.

    Parameters
    ----------
    game : Game

    Attributes
    ----------
    size : int
        Bytes of a record, a multiple of ``AT_ONCE``: the stored state, a zero, what is added,
        and last whether the game goes on.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._tables = {ZEROS: 0}  # and where they begin
        self._zero = stored_size(game.STATE)
        views = [self._view(observer, mover) for observer in (0, 1) for mover in (0, 1)]
        behind = self._zero + 1 + max(len(view.added) for view in views)
        self.size = -(-(behind + 1) // AT_ONCE) * AT_ONCE
        self._views = views

    def room(self) -> NDArray[np.uint8]:
        """(1, size) zeros, for a record."""
        return np.zeros((1, self.size), np.uint8)

    def tables(self, normalize: bool) -> NDArray[np.uint8]:
        """The tables of observations that are float32 from 0 to 1, or the uint8 counts, packed."""
        zero, views = self._zero, self._views
        order = _order(len(views[0].places))
        looked_up, products = zip(*(view.lists() for view in views), strict=True)
        return _packed(
            Tables(
                _stacked(looked_up, [zero, 0, zero]),
                _stacked(products, [zero, 0, zero, zero, 0, zero]),
                *self._steps([[view.places[number] for number in order] for view in views]),
                np.array(list(self._tables), np.uint8).reshape(-1),
                *self._factors(order, normalize),
            )
        )

    def _view(self, observer: int, mover: int) -> _View:
        planes = self._game._planes(observer, mover)
        view = _View(self._zero + 1)
        for cell in range(self._game.rows * self._game.columns):
            for plane in planes:
                source = plane.source
                byte = source if isinstance(source, Stored) else source[cell]
                view.places.append(self._place(view, byte))
        return view

    def _place(self, view: _View, number: Stored | Product) -> int:
        """Where a number is in the record; it is added if it is none of the stored bytes."""
        if isinstance(number, Product):
            if set(number.other.table) - {0, 1}:
                raise ArgumentError("the second number of a Product is 0 or 1")
            return view.place_of(*self._factor(number.one), *self._factor(number.other)[:2])
        if number.after is not None:
            return view.place_of(*self._factor(number), self._begin(ONES), self._zero)
        if number.table == IDENTITY:
            return self._game._layout[number.field][0] + number.offset
        if number.table == ZEROS:
            return self._zero
        if number == Stored("phase", 0, IS_LIVE):
            return LAST
        return view.place_of(*self._factor(number)[:2])

    def _factor(self, byte: Stored) -> tuple[int, int, int]:
        """A table, the place of what is looked up, and the place of what moves that."""
        layout = self._game._layout
        moved_by = layout[byte.after][0] if byte.after is not None else self._zero
        return self._begin(byte.table), layout[byte.field][0] + byte.offset, moved_by

    def _begin(self, table: tuple[int, ...]) -> int:
        return self._tables.setdefault(table, 256 * len(self._tables))

    def _steps(self, places: list[list[int]]) -> tuple[NDArray[Any], NDArray[Any]]:
        """``parts`` and ``picks`` for the places of the bytes that are picked, by view."""
        groups = [
            [
                _parts([place % self.size for place in view[first : first + AT_ONCE]])
                for first in range(0, len(view), AT_ONCE)
            ]
            for view in places
        ]
        most = max(len(parts) for view in groups for parts in view)
        none = (0, [NOTHING] * AT_ONCE)
        filled = [[parts + [none] * (most - len(parts)) for parts in view] for view in groups]
        first = np.array([[[at for at, _ in parts] for parts in view] for view in filled])
        picks = np.array([[[pick for _, pick in parts] for parts in view] for view in filled])
        return first.astype(np.uint32), picks.astype(np.uint8)

    def _factors(self, order: list[int], normalize: bool) -> Iterator[NDArray[Any]]:
        """``high`` and ``low``: high has 16 bits, so that its product with a byte is exact."""
        planes = self._game.observation_planes
        most = np.array([planes[number % len(planes)].most for number in order])
        if not normalize:
            return (np.full(len(most), factor, np.uint8) for factor in (1, 0))
        mantissa, exponent = np.frexp(1 / most)
        high = np.ldexp(np.floor(mantissa * 2**16), exponent - 16)
        return (factors.astype(np.float32) for factors in (high, 1 / most - high))


class _View:
    """What one view has of the tables."""

    def __init__(self, first: int) -> None:
        self.places: list[int] = []  # of the numbers of the observation
        self.added: dict[tuple[int, ...], int] = {}  # what is added to the record, and where
        self._first = first

    def place_of(self, *how: int) -> int:
        """The place of a byte that is added, once."""
        return self.added.setdefault(how, self._first + len(self.added))

    def lists(self) -> tuple[list[list[int]], list[list[int]]]:
        """The entries of ``looked_up`` and of ``products``."""
        entries = [[place, *how] for how, place in self.added.items()]
        return [e for e in entries if len(e) == 3], [e for e in entries if len(e) == 6]


def _order(length: int) -> list[int]:
    """The numbers of an observation as ``put_products`` writes them, some twice."""
    if length < LANES:
        return [*range(length)]
    last = length - LANES
    starts = [*range(0, last, LANES), last]
    return [start + lane for start in starts for lane in range(LANES)]


def _parts(places: list[int]) -> list[tuple[int, list[int]]]:
    """The parts of a record in which some places are: where it begins, and its picks."""
    parts = []
    places = places + [-1] * (AT_ONCE - len(places))
    for part in sorted({place // AT_ONCE for place in places if place >= 0}):
        pick = [place % AT_ONCE if place // AT_ONCE == part else NOTHING for place in places]
        parts.append((part * AT_ONCE, pick))
    return parts


def _stacked(lists: Sequence[Sequence[Any]], filler: Any) -> NDArray[np.uint32]:
    """Lists of several lengths as one array, the shorter ones filled up."""
    longest = max(len(entries) for entries in lists)
    shape = (len(lists), longest, *np.shape(filler))
    filled = [[*entries, *[filler] * (longest - len(entries))] for entries in lists]
    return np.array(filled, np.uint32).reshape(shape)


def _packed(tables: Tables) -> NDArray[np.uint8]:
    """All tables in one array: Numba takes 0.1 us to unpack each array that a kernel is given.

    It begins with int64 numbers: the beginning and the end of each table.
    """
    arrays: list[NDArray[Any]] = list(tables)
    bounds = np.zeros((len(arrays), 2), np.int64)
    end = bounds.nbytes
    for bound, table in zip(bounds, arrays, strict=True):
        begin = -(-end // CACHE_LINE) * CACHE_LINE
        end = begin + table.nbytes
        bound[:] = begin, end
    packed = aligned(np.zeros(end, np.uint8))
    packed[: bounds.nbytes] = bounds.reshape(-1).view(np.uint8)
    for (begin, end), table in zip(bounds.tolist(), arrays, strict=True):
        packed[begin:end] = np.ascontiguousarray(table).reshape(-1).view(np.uint8)
    return packed


@njit(forceinline=True)
def unpacked(packed, seen):
    """The tables in an array, for observations of the dtype of ``seen``."""
    bounds = packed[: 16 * TABLES].view(np.int64)
    return Tables(
        packed[bounds[0] : bounds[1]].view(np.uint32),
        packed[bounds[2] : bounds[3]].view(np.uint32),
        packed[bounds[4] : bounds[5]].view(np.uint32),
        packed[bounds[6] : bounds[7]],
        packed[bounds[8] : bounds[9]],
        packed[bounds[10] : bounds[11]].view(seen.dtype),
        packed[bounds[12] : bounds[13]].view(seen.dtype),
    )


@njit(forceinline=True)
def note_if_live(record, is_live):
    """Write into a record whether the game goes on."""
    record[np.uint64(len(record) - 1)] = is_live


@njit(forceinline=True)
def at(array, index):
    """An element; an index that might be negative would cost a look whether it is."""
    return array[np.uint64(index)]


@njit(forceinline=True)
def complete(tables, record, view):
    """Add to a record what no byte of its state is by itself."""
    looked_up, products = tables.looked_up, tables.products
    length = len(looked_up) // VIEWS
    for i in range(view * length, view * length + length, 3):
        value = at(record, at(looked_up, i + 2))
        record[np.uint64(at(looked_up, i))] = at(tables.bytes, at(looked_up, i + 1) + value)
    length = len(products) // VIEWS
    for i in range(view * length, view * length + length, 6):
        value = at(record, at(products, i + 2) + at(record, at(products, i + 3)))
        one = at(tables.bytes, at(products, i + 1) + value)
        value = at(record, at(products, i + 5))
        other = at(tables.bytes, at(products, i + 4) + value)
        record[np.uint64(at(products, i))] = one * other


@njit(forceinline=True)
def is_picked_at_once(records, length):
    """Whether records and observations of so many numbers fit a register each (small boards)."""
    return records.shape[1] == AT_ONCE and LANES <= length <= AT_ONCE


@njit(forceinline=True)
def write_at_once(tables, records, first, view, seen, to, length):
    """:func:`write` where :func:`is_picked_at_once`: a loop with nothing else is faster."""
    some = rearranged(bytes_at(records, first), bytes_at(tables.picks, AT_ONCE * view))
    put_products(seen, to, length, 0, some, tables.high, tables.low)


@njit(forceinline=True)
def write(tables, records, first, view, seen, to, length):
    """Write the observation, of ``length`` numbers, of a complete record.

    The record begins at ``first`` of ``records``, the observation at ``to`` of ``seen``, arrays
    of one dimension.
    """
    parts, picks = tables.parts, tables.picks
    groups = -(-len(tables.high) // AT_ONCE)
    of_group = len(parts) // (VIEWS * groups)
    for group in range(groups):
        k = (view * groups + group) * of_group
        some = picked(bytes_at(records, first + at(parts, k)), bytes_at(picks, AT_ONCE * k))
        for part in range(k + 1, k + of_group):
            here = bytes_at(records, first + at(parts, part))
            some = united(some, picked(here, bytes_at(picks, AT_ONCE * part)))
        put(tables, some, group, seen, to, length)


@njit(forceinline=True)
def put(tables, some, group, seen, to, length):
    """Write the numbers of a group, whose bytes were picked."""
    high, low = tables.high, tables.low
    if length >= LANES:
        put_products(seen, to, length, group * (AT_ONCE // LANES), some, high, low)
    else:  # a tiny board, of a single group
        for i in range(length):
            seen[np.uint64(to + i)] = seeds(some, i) * high[i] + seeds(some, i) * low[i]


@njit(forceinline=True)
def observe(packed, record, view, is_live, seen):
    """Write the observation of the state in a record; ``packed`` tables, ``seen`` in any shape.

    ``view`` is twice the observer plus the player who decides.
    """
    seen = seen.reshape(-1)
    tables = unpacked(packed, seen)
    note_if_live(record, is_live)
    complete(tables, record, view)
    write(tables, record, 0, view, seen, 0, len(seen))


@entry
def look(packed, row, record, view, is_live, seen):
    """:func:`observe` for the state in ``row``; ``record``, of zeros, is to work in.

    Both are (1, size) uint8 arrays.
    """
    for i in range(row.shape[1]):
        record[0, i] = row[0, i]
    observe(packed, record[0], view, is_live, seen)
