"""What the notebooks share: how much is done, the look of plots, intervals, boards side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import matplotlib.pyplot as plt
from IPython.display import SVG
from scipy.stats import binomtest

from mancala_ai.render.scene import Scene
from mancala_ai.render.svg import write_svg

QUICK = bool(os.environ.get("MANCALA_NOTEBOOKS_QUICK"))  # the tests look whether all runs

plt.style.use(Path(__file__).with_name("plots.mplstyle"))


def amount(full: int, quick: int) -> int:
    """How much of something is done: ``quick`` in short mode."""
    return quick if QUICK else full


def share(count: int, of: int) -> tuple[float, float, float]:
    """A share with its exact 95 % interval (Clopper and Pearson, 1934)."""
    interval = binomtest(int(count), int(of)).proportion_ci(0.95)
    return count / of, float(interval.low), float(interval.high)


def bars(estimates: Iterable[tuple[float, float, float]]) -> list[list[float]]:
    """What ``errorbar`` takes for estimates with the ends of their intervals."""
    # an end may lie on the wrong side by a rounding
    lengths = [(max(0.0, v - low), max(0.0, high - v)) for v, low, high in estimates]
    return [list(ends) for ends in zip(*lengths, strict=True)]


def side_by_side(scenes: Iterable[Scene], columns: int = 2, width: int = 760) -> SVG:
    """Pictures in one, row by row."""
    drawn = list(scenes)
    columns = min(columns, len(drawn))
    part = width // columns
    height = round(part * drawn[0].height / drawn[0].width)
    panels = []
    for number, scene in enumerate(drawn):
        row, column = divmod(number, columns)
        place = f'<svg x="{column * part}" y="{row * height}" '
        panels.append(write_svg(scene, part - 8, "auto").replace("<svg ", place, 1))
    rows = -(-len(drawn) // columns)
    return SVG(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{rows * height}">'
        f"{''.join(panels)}</svg>"
    )
