"""Perft: how many sequences of exactly so many decisions there are.

The number checks move generation and play at once, and is compared with other
programs. An action that ends the game counts; nothing follows it.

Read first: ``dispatch.py``.
"""

from __future__ import annotations

from .cache import entry
from .dispatch import (
    SOW,
    apply,
    counts_repetition,
    end_by_repetition,
    legal,
    load,
    save,
    second_word,
)
from .playout import occurred
from .rng import bit_count, lowest_set_bit


@entry
def count_leaves(rules, rows, before, first, second):
    """Perft of the state in row ``before - 1``.

    The rows before it are the positions that must not occur again, where the rules count
    repetition; as many as the depth, at least 1, must follow it for what is played.
    ``first`` and ``second``, (depth,) int64, are for the actions of a level not yet tried, as
    the masks of ``legal``.
    """
    depth = len(first)
    first[0], second[0] = legal(rules, load(rules, rows, before - 1))
    if depth == 1:
        return bit_count(first[0]) + bit_count(second[0])
    leaves = 0
    level = 0
    while level >= 0:
        if first[level] != 0:
            action = lowest_set_bit(first[level])
            first[level] &= first[level] - 1
        elif second[level] != 0:
            action = second_word(rules) + lowest_set_bit(second[level])
            second[level] &= second[level] - 1
        else:
            level -= 1
            continue
        at = before + level
        state = apply(rules, load(rules, rows, at - 1), action)
        save(rules, rows, at, state)
        if counts_repetition(rules) and state.phase == SOW and occurred(rows, 0, at):
            state = end_by_repetition(rules, state)
        more, more_second = legal(rules, state)
        if level == depth - 2:
            leaves += bit_count(more) + bit_count(more_second)
        else:
            save(rules, rows, at, state)
            level += 1
            first[level], second[level] = more, more_second
    return leaves
