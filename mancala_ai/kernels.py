"""The kernels behind a single :class:`~mancala_ai.state.State`, compiled once a game.

Read next: ``state.py``, which calls it.
"""

from __future__ import annotations

from .cache import entry
from .dispatch import (
    OVER,
    apply,
    begin,
    deal,
    end_by_repetition,
    lap,
    legal,
    load,
    points,
    save,
    second_word,
    settle,
)
from .observation import observe
from .rng import stream

# What `act` does with a stored state
LOOK = 0  # nothing
APPLY = 1  # the whole action `argument`
BEGIN = 2  # the action `argument` up to its first lap, not settled
LAP = 3  # the pending lap, not settled
SETTLE = 4  # the start of a turn
DEAL = 5  # the random part of a set-up, from seed `argument`
REPEAT = 6  # the end by repetition


@entry
def act(rules, row, deed, argument, out):
    """Load the state in ``row``, do a deed, save the result in ``out``.

    Both are (1, size) uint8 arrays. Returns the two masks of the legal actions
    and both players' points of the result.
    """
    state = load(rules, row, 0)
    if deed == APPLY:
        state = apply(rules, state, argument)
    elif deed == BEGIN:
        state = begin(rules, state, argument)
    elif deed == LAP:
        state = lap(rules, state)
    elif deed == SETTLE:
        state = settle(rules, state)
    elif deed == DEAL:
        state, _ = deal(rules, state, stream(argument, 0))
    elif deed == REPEAT:
        state = end_by_repetition(rules, state)
    save(rules, out, 0, state)
    first, second = legal(rules, state)
    points_0, points_1 = points(rules, state)
    return int(first), int(second), float(points_0), float(points_1)


@entry
def apply_and_look(rules, tables, row, record, action, seen, mask):
    """Replace the state in ``row`` by the one after an action, and look at it.

    ``seen`` receives the observation of whoever decides then, as :func:`observation.look`
    writes it, and ``mask`` (num_actions,) int8 his legal actions; ``record`` is a (1, size) uint8
    array of zeros to work in. Returns what :func:`act` does.
    """
    state = apply(rules, load(rules, row, 0), action)
    save(rules, row, 0, state)
    save(rules, record, 0, state)
    observe(tables, record[0], 3 * state.player, state.phase < OVER, seen)
    first, second = legal(rules, state)
    for i in range(len(mask)):
        behind = i - second_word(rules)
        mask[i] = (first >> i if behind < 0 else second >> behind) & 1
    points_0, points_1 = points(rules, state)
    return int(first), int(second), float(points_0), float(points_1)
