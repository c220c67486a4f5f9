"""Films of whole games, lap by lap, as animated GIFs.

Read first: ``scene.py``, ``rgb.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..files import whole_binary_file
from .rgb import paint
from .scene import Scene, lap_scenes, scene

if TYPE_CHECKING:
    from ..state import State

WIDTH = 480  # pixels
MOVE_SECONDS, LAP_SECONDS, END_SECONDS = 1.0, 0.35, 4.0
MOST_LAPS = 30  # shown of a relay: the first ones


def game_scenes(states: Sequence[State], actions: Sequence[int]) -> Iterator[tuple[Scene, float]]:
    """The pictures of a game, each with the seconds that it is shown.

    Parameters
    ----------
    states : sequence of State
        All positions, one more than actions.
    actions : sequence of int
    """
    yield scene(states[0]), MOVE_SECONDS
    for before, action, after in zip(states, actions, states[1:], strict=False):
        for number, lap in enumerate(lap_scenes(before, action)):
            if number == MOST_LAPS:
                break
            yield lap, LAP_SECONDS
        seconds = END_SECONDS if after is states[-1] else MOVE_SECONDS
        yield scene(after, (before, action)), seconds


def write_gif(
    path: str | Path,
    scenes: Iterable[tuple[Scene, float]],
    width: int = WIDTH,
    theme: str = "light",
) -> None:
    """Write pictures as an animated GIF that begins again after its end.

    Parameters
    ----------
    path : str or Path
    scenes : iterable of tuple of Scene and float
        Each with the seconds that it is shown; :func:`game_scenes` makes them.
    width : int
        In pixels.
    theme : str
        ``"light"`` or ``"dark"``.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    with whole_binary_file(path) as file:
        painted = [(paint(drawn, width, theme).quantize(256), seconds) for drawn, seconds in scenes]
        frames, shown = zip(*painted, strict=True)
        durations = [round(1000 * seconds) for seconds in shown]
        frames[0].save(
            file, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0
        )
