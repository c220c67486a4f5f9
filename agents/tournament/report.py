"""What a tournament came to, as values: for JSON, CSV, and whoever prints.

Read first: ``standing.py``.
"""

from __future__ import annotations

import csv
from typing import Any, TextIO

from .standing import LENGTH_CLASS, Standing


def report(standing: Standing) -> dict[str, Any]:
    """All that is known of a tournament, ready for JSON."""
    plan = standing.plan
    return {
        "settings": {**plan.settings(), "openings": plan.openings},
        "finished": standing.finished,
        "rows": list(standing.rows()),
        "endings": dict(zip(plan.games, map(dict, standing.endings), strict=True)),
        "lengths": {
            game: {str(LENGTH_CLASS * number): count for number, count in sorted(lengths.items())}
            for game, lengths in zip(plan.games, standing.lengths, strict=True)
        },
        "seconds": dict(zip(plan.agents, standing.seconds.round(3).tolist(), strict=True)),
        "faults": [
            {
                "agent": agent,
                "kind": kind,
                "games": games,
                "first": standing.messages[agent, kind],
            }
            for (agent, kind), games in sorted(standing.faults.items())
        ],
        "late": standing.late,
    }


def write_csv(standing: Standing, file: TextIO) -> None:
    """The score of every couple in every game, a line each."""
    rows = list(standing.rows())
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
