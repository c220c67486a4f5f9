"""``mancala games``: the games and their options."""

from __future__ import annotations

import sys
from typing import Annotated, Any

from cyclopts import Parameter

from .output import new_table, print_table, write_json


def games(*, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """List the games and their options.

    Parameters
    ----------
    json
        Print JSON.
    """
    import mancala_ai

    listed: list[dict[str, Any]] = [
        {
            "name": name,
            "options": [
                {
                    "name": option.name,
                    "default": option.default,
                    "allowed": option.allowed,
                    "meaning": option.meaning,
                }
                for option in mancala_ai.option_table(name)
            ],
        }
        for name in mancala_ai.games()
    ]
    if json:
        write_json(listed, sys.stdout)
        return

    table = new_table("game", "option", "default", "allowed", "meaning")
    for column in table.columns[:3]:
        column.no_wrap = True
    for column in table.columns[3:]:
        column.overflow = "fold"
    for entry in listed:
        for index, option in enumerate(entry["options"]):
            name = entry["name"] if index == 0 else ""
            cells = (str(option[key]) for key in ("name", "default", "allowed", "meaning"))
            table.add_row(name, *cells)
    print_table(table, wrap=True)
    print("A game with options: NAME:option=value,option=value")
