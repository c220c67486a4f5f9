"""Write the tables of observations and options into the sheets of the environments.

    python tests/make_sheets.py

Run it after a change of a game's planes or options; ``test_aec.py`` tells when it was
forgotten.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import mancala_ai as ma
from mancala_ai.envs.setting import environment_options
from mancala_ai.observation import Stored

ENVS = Path(__file__).parents[1] / "envs"
WIDTH = 96


def observation_table(name: str) -> str:
    """The planes of a game with its default options, one a line."""
    planes = ma.make(name).observation_planes
    rows = [("k", "plane", "range", "cells", "meaning")]
    for k, plane in enumerate(planes):
        cells = "alike" if isinstance(plane.source, Stored) else "each"
        rows.append((str(k), plane.name, f"0-{plane.most}", cells, plane.meaning))
    return _aligned(rows)


def options_table(name: str) -> str:
    """The options of a game and its environment, each with its meaning below."""
    lines = []
    for o in (*ma.option_table(name), *environment_options(ma.make(name).COUNTS_SEEDS)):
        lines += textwrap.wrap(f"{o.name} : {o.allowed}; default {o.default!r}", WIDTH - 4)
        lines.append(f"    {o.meaning}")
    return textwrap.indent("\n".join(lines), "    ")


def _aligned(rows: list[tuple[str, ...]]) -> str:
    """Columns of texts; the last one is wrapped."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    lines = []
    for row in rows:
        first = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=False))
        hanging = " " * (len(first) + 2)
        lines += textwrap.wrap(
            row[-1], WIDTH - 4, initial_indent=f"{first}  ", subsequent_indent=hanging
        )
    return textwrap.indent("\n".join(lines), "    ")


def with_tables(text: str, name: str) -> str:
    """A sheet with the two tables, which are indented, below their headings replaced."""
    tables = {"Observation": observation_table(name), "Options": options_table(name)}
    for heading, table in tables.items():
        block = re.compile(rf"(^{heading}\n-+\n(?:(?!    ).*\n)*)(?:    .*\n)*", re.MULTILINE)
        text = block.sub(lambda found, table=table: f"{found[1]}{table}\n", text, count=1)
    return text


if __name__ == "__main__":
    for game in ma.games():
        path = ENVS / f"{game}_v0.py"
        path.write_text(with_tables(path.read_text(encoding="utf-8"), game), encoding="utf-8")
