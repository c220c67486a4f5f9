"""The kernel behind a single :class:`~mancala_ai.state.State`: one compiled function a game.

Read next: ``state.py``, which calls it.
"""

from __future__ import annotations

from .cache import entry
from .dispatch import (
    apply,
    begin,
    deal,
    end_by_repetition,
    lap,
    legal,
    load,
    points,
    save,
    settle,
)
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
    return first, second, points_0, points_1
