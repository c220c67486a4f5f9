"""Pictures as pixels: for files, videos and ``render_mode="rgb_array"``.

Read first: ``scene.py``. Read next: ``animation.py``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ..errors import ArgumentError, shown
from .scene import PALETTES, Box, Disc, Scene, Words, scene

if TYPE_CHECKING:
    from ..state import State

WIDTH = 512  # pixels
FINER = 3  # pixels painted for each one shown, each way: edges come out smooth

_ANCHORS = {"start": "lm", "middle": "mm", "end": "rm"}


def picture(
    state: State,
    width: int = WIDTH,
    last: tuple[State, int] | None = None,
    theme: str = "light",
) -> NDArray[np.uint8]:
    """A position as pixels.

    Parameters
    ----------
    state : State
    width : int
        In pixels.
    last : tuple of State and int, optional
        The position before and the action that led here, to be marked.
    theme : str
        ``"light"`` or ``"dark"``.

    Returns
    -------
    ndarray of uint8, shape (height, width, 3)

    Raises
    ------
    ArgumentError
        If there is no such theme.
    """
    return np.array(paint(scene(state, last), width, theme))


def paint(drawn: Scene, width: int = WIDTH, theme: str = "light") -> Image.Image:
    """A scene as an image of Pillow."""
    if theme not in PALETTES:
        raise ArgumentError(f"theme is one of {', '.join(PALETTES)}, not {shown(theme)}")
    palette = PALETTES[theme]
    height = round(width * drawn.height / drawn.width)
    image = Image.new("RGB", (FINER * width, FINER * height), palette["paper"])
    pen, scale = ImageDraw.Draw(image), FINER * width / drawn.width
    for shape in drawn.shapes:
        _paint(pen, shape, palette, scale)
    return image.resize((width, height), Image.Resampling.LANCZOS)


def _paint(pen: ImageDraw.ImageDraw, shape: Disc | Box | Words, palette: Any, scale: float) -> None:
    fill = None if shape.fill is None else palette[shape.fill]
    if isinstance(shape, Disc):
        line = None if shape.line is None else palette[shape.line]
        width = max(1, round(scale * shape.width)) if line else 0
        # Pillow's line lies inside the radius, SVG's on both sides of it
        radius = scale * shape.radius + width / 2
        pen.circle((scale * shape.x, scale * shape.y), radius, fill, line, width)
    elif isinstance(shape, Box):
        x, y = scale * shape.x, scale * shape.y
        corner = x + scale * shape.width, y + scale * shape.height
        pen.rounded_rectangle((x, y, *corner), scale * shape.radius, fill)
    else:
        place = scale * shape.x, scale * shape.y
        font = _font(round(scale * shape.size))
        pen.text(place, shape.text, fill, font, _ANCHORS[shape.anchor])


@lru_cache(maxsize=32)
def _font(size: int) -> Any:
    return ImageFont.load_default(max(size, 4))
