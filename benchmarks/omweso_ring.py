"""An Omweso sowing that repeats itself only after 987,337,152 laps.

    python -m mancala_ai.benchmarks.omweso_ring

Found in a random game: with nothing to capture, the relay from one pit of this ring
goes round for ever. Its period is counted lap by lap, which takes a minute or so.
"""

from __future__ import annotations

import sys
from time import perf_counter

import mancala_ai
from mancala_ai.cli import interruptible, run

from .command import command

RING = (3, 4, 0, 3, 9, 8, 2, 1, 0, 14, 0, 2, 3, 8, 1, 2)
PIT = 1
PERIOD = 987_337_152

app = command("omweso_ring", __doc__)


@app.default
def omweso_ring(*, max_laps: int = 10**9) -> None:
    """Count the laps until the sowing repeats.

    Parameters
    ----------
    max_laps
        Laps after which to give up.
    """
    game = mancala_ai.make("omweso")
    other = [0] * len(RING)
    other[0] = 64 - sum(RING)  # the rest of the seeds, in the outer row: nothing to capture
    state = game.state([RING, other], player=0)
    begin = perf_counter()
    laps, ends, period = interruptible(lambda: game.relay_lengths(state, max_laps=max_laps))[PIT]
    seconds = perf_counter() - begin
    print(state)
    print(f"sown from pit {PIT}: {laps:,} laps, ends: {ends}, period: {period}")
    print(f"{seconds:.1f} s for all pits")
    print("period as known:", period == PERIOD)


if __name__ == "__main__":
    sys.exit(run(app))
