"""Meyer's question: does a move end, and if not, after how many laps does it repeat?

A lap can be undone in one way only, so the states of a relay without captures
form a cycle or a path, never a path that runs into a cycle: a relay is endless
if and only if it comes back to the state in which it, or its stretch since the
last capture, began. No table of visited states is needed.

The question and the argument are those of the sheet of rules that the project began with.
"""

from __future__ import annotations

from .cache import entry
from .dispatch import SOWING, begin, lap, load, opposing_seeds, same

ENDS, ENDLESS, UNDECIDED = 0, 1, 2


@entry
def relay_length(rules, row, action, max_laps):
    """Laps of an action up to its first decision, with no annulment.

    ``row`` is a (1, size) uint8 array. Returns ``(laps, verdict, period)``; the
    period is 0 unless the verdict is ``ENDLESS``.
    """
    state = begin(rules, load(rules, row, 0), action)
    stretch, stretch_began = state, 0
    laps = 0
    while state.phase == SOWING:
        if laps >= max_laps:
            return laps, UNDECIDED, 0
        after = lap(rules, state)
        laps += 1
        if opposing_seeds(rules, after) != opposing_seeds(rules, state):
            stretch, stretch_began = after, laps
        elif after.pit == stretch.pit and after.hand == stretch.hand and same(after, stretch):
            return laps, ENDLESS, laps - stretch_began
        state = after
    return laps, ENDS, 0
