"""The transposition table of alpha-beta: what is known of positions, by their hash.

An entry holds bounds on a position's score, for a search of one exact depth, and the
action that proved the lower one. It takes two words, and four entries fill a cache line,
the only one that a look-up touches. The first word is the hash, combined with the second
so that a half-written entry of another thread is not taken for one (Hyatt and Mann, "A
Lock-less Transposition Table Implementation for Parallel Search", ICGA Journal 25(1),
2002).

A bound is used for the depth for which it was found, and for any greater one if it is
*proven*: found without reaching the horizon. So a search gives the same score whatever
the table held before.

Read next: ``search.py``, which uses it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from mancala_ai.errors import ArgumentError
from mancala_ai.rng import bit_length
from mancala_ai.sowing import select

BUCKET = 4  # entries that share a cache line
ENTRY_BYTES, LINE_BYTES = 16, 64
NOTHING = 255  # the action of an entry that has none
UNLIMITED = 255  # the depth of a search to the end
BIAS = 1 << 15  # of a score in its 16 bits
UNKNOWN = BIAS - 1  # a bound that says nothing

# Bits of the second word, from the lowest
LOW, HIGH, ACTION, DEPTH, PROVEN_LOW, PROVEN_HIGH, EFFORT, AGE = 0, 16, 32, 40, 48, 49, 50, 56
AGES = 64


class Entry(NamedTuple):
    """What the table knows of a position."""

    low: int
    high: int
    action: int
    depth: int
    proven_low: int
    proven_high: int


def new_table(mebibytes: float) -> NDArray[np.int64]:
    """An empty table of at most so many MiB, a power of two of cache lines; shape (words,).

    Raises ArgumentError where there is not so much memory.
    """
    lines = 1 << max(0, int(mebibytes * 2**20 // LINE_BYTES).bit_length() - 1)
    words = LINE_BYTES // 8
    try:
        memory = np.zeros((lines + 1) * words, np.int64)
    except MemoryError:
        raise ArgumentError(f"there is no memory for a table of {mebibytes:g} MiB") from None
    skip = -memory.ctypes.data % LINE_BYTES // 8
    return memory[skip : skip + lines * words]


@njit(forceinline=True)
def line_of(table, key):
    """Where in the table the cache line of a key begins."""
    return (key & (len(table) // (2 * BUCKET) - 1)) * 2 * BUCKET


@njit(forceinline=True)
def lookup(table, key):
    """The entry of a key; one that bounds nothing if there is none."""
    line = line_of(table, key)
    for at in range(line, line + 2 * BUCKET, 2):
        data = table[at + 1]
        if table[at] ^ data == key:
            return unpacked(data)
    return Entry(-UNKNOWN, UNKNOWN, NOTHING, UNLIMITED + 1, 0, 0)


@njit(forceinline=True)
def unpacked(data):
    return Entry(
        (data >> LOW & 0xFFFF) - BIAS,
        (data >> HIGH & 0xFFFF) - BIAS,
        data >> ACTION & 0xFF,
        data >> DEPTH & 0xFF,
        data >> PROVEN_LOW & 1,
        data >> PROVEN_HIGH & 1,
    )


@njit(forceinline=True)
def low_holds(entry, depth):
    """Whether the lower bound is one for a search of this depth."""
    return (entry.depth == depth) | ((entry.proven_low != 0) & (entry.depth <= depth))


@njit(forceinline=True)
def high_holds(entry, depth):
    """Whether the upper bound is one for a search of this depth."""
    return (entry.depth == depth) | ((entry.proven_high != 0) & (entry.depth <= depth))


@njit(forceinline=True)
def store(table, key, depth, score, is_low, proven, action, nodes, age):
    """Note a bound found at the cost of so many nodes, with what is known and still holds."""
    line = line_of(table, key)
    victim, worst = line, 1 << 30
    low, high, proven_low, proven_high = -UNKNOWN, UNKNOWN, 0, 0
    for at in range(line, line + 2 * BUCKET, 2):
        data = table[at + 1]
        if table[at] ^ data == key:
            known = unpacked(data)
            if low_holds(known, depth):
                low, proven_low = known.low, known.proven_low
            if high_holds(known, depth):
                high, proven_high = known.high, known.proven_high
            action = select(action == NOTHING, known.action, action)
            victim = at
            break
        # of the oldest entries the one that took the least effort gives way
        fresh = select((data >> AGE & (AGES - 1)) == age, AGES, 0)
        worth = fresh + (data >> EFFORT & (AGES - 1))
        if worth < worst:
            victim, worst = at, worth
    if is_low:
        low, proven_low = score, proven
    else:
        high, proven_high = score, proven
    data = (
        (low + BIAS) << LOW
        | (high + BIAS) << HIGH
        | action << ACTION
        | depth << DEPTH
        | proven_low << PROVEN_LOW
        | proven_high << PROVEN_HIGH
        | bit_length(nodes) << EFFORT
        | age << AGE
    )
    table[victim] = key ^ data
    table[victim + 1] = data
