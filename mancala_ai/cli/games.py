"""``mancala games``: the games and their options."""

from __future__ import annotations

import sys
from typing import Any

from .inputs import Flag
from .output import new_table, print_table, write_json


def games(*, json: Flag = False) -> None:
    """List the games and their options.

    A game is given to a command by its name, with options after a colon:

        mancala play omweso:akakyala=True
        mancala bench tsoro:columns=8,bonus=1

    The rules are told in Python, by `help("mancala_ai.rules.omweso")`.

    Parameters
    ----------
    json
        Print JSON instead of a table.
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

    texts = ("allowed", "meaning")
    table = new_table("game", "option", "default", *texts, texts=texts)
    for entry in listed:
        for option in entry["options"]:
            cells = (str(option[key]) for key in ("name", "default", "allowed", "meaning"))
            table.add_row(entry["name"], *cells)
    print_table(table)
    print("Options follow a colon: tsoro:columns=8")
