"""What a tournament came to, as values: for JSON, CSV, and whoever prints.

Read first: ``standing.py``.
"""

from __future__ import annotations

import csv
from typing import Any, TextIO

from .ratings import rate
from .standing import LENGTH_CLASS, Standing


def report(standing: Standing) -> dict[str, Any]:
    """All that is known of a tournament, ready for JSON."""
    plan = standing.plan
    return {
        "settings": {**plan.settings(), "openings": plan.openings},
        "finished": standing.finished,
        "rows": list(standing.rows()),
        "ratings": {game: ratings_rows(standing, number) for number, game in enumerate(plan.games)},
        "test": None if standing.test is None else standing.test._asdict(),
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


def ratings_rows(standing: Standing, game: int) -> list[dict[str, Any]]:
    """The ratings in one kind of game, the strongest agent first."""
    found = rate(standing.pair_counts(game))
    rows = []
    for place in (-found.elo).argsort(kind="stable").tolist():
        against = [standing.tally(place, other, game) for other in range(len(found.agents))]
        games = sum(tally.games for tally in against)
        points = sum(tally.score * tally.games for tally in against if tally.games)
        low, high = found.intervals[place].round(1).tolist()
        rows.append(
            {
                "agent": found.agents[place],
                "elo": round(float(found.elo[place]), 1),
                "low": low,
                "high": high,
                "games": games,
                "score": points / games if games else None,
                "superiority": {
                    other: round(float(likelihood), 4)
                    for other, likelihood in zip(
                        found.agents, found.superiority[place], strict=True
                    )
                    if other != found.agents[place]
                },
            }
        )
    return rows


def write_csv(standing: Standing, file: TextIO) -> None:
    """The score of every couple in every game, a line each."""
    rows = list(standing.rows())
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
