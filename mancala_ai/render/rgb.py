"""A board as an array of pixels, for videos and ``render_mode="rgb_array"``.

Read first: ``text.py`` (how a board lies).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from .text import NAMES, pit_at, status

if TYPE_CHECKING:
    from ..state import State

WIDTH = 512  # pixels

WOOD, PIT, LINE = (222, 184, 135), (139, 94, 60), (94, 60, 34)
INK, SEEDS = (40, 26, 13), (255, 248, 235)


def picture(state: State, width: int = WIDTH) -> NDArray[np.uint8]:
    """The board of a state, North above, with captions.

    Parameters
    ----------
    state : State
    width : int
        In pixels.

    Returns
    -------
    ndarray of uint8, shape (height, width, 3)
    """
    game = state.game
    cell = width / (game.columns + 1)
    band = max(14, width // 24)  # of a caption
    height = round(2 * band + cell * (2 * game.rows + 1.5)) + band
    image = Image.new("RGB", (width, height), WOOD)
    pen = ImageDraw.Draw(image)
    caption_font, seed_font = ImageFont.load_default(0.7 * band), ImageFont.load_default(0.5 * cell)

    def write(y: float, text: str) -> None:
        pen.text((width / 2, y), text, INK, caption_font, "mm")

    write(band, _caption(state, 1))
    write(height - 2 * band, _caption(state, 0))
    write(height - 0.8 * band, status(state))
    middle = (height - band) / 2
    pen.line((cell / 2, middle, width - cell / 2, middle), LINE, 2)
    board = state.board.tolist()
    for player in (0, 1):
        away = 1 if player == 0 else -1  # from the middle
        for row in range(game.rows):
            y = middle + away * cell * (game.rows - row - 0.25)
            for column in range(game.columns):
                pit = pit_at(row, column, game.columns)
                x = width / 2 + away * cell * (column - (game.columns - 1) / 2)
                pen.circle((x, y), 0.45 * cell, PIT, LINE)
                text = game._cell(state.fields, player, pit, board[player][pit])
                pen.text((x, y), text.replace(".", ""), SEEDS, seed_font, "mm")
    return np.array(image)


def _caption(state: State, player: int) -> str:
    kept = f": {state.captured[player]} captured" if state.game.KEEPS_CAPTURES else ""
    return NAMES[player] + kept
