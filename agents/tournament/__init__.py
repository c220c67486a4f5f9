"""Tournaments: agents against each other, on one core or a cluster, with nothing lost.

    >>> from mancala_ai.agents.tournament import Plan, run
    >>> plan = Plan(games=("kalah",), agents=("random", "greedy"), openings=20, seed=1)
    >>> standing = run(plan, "kalah.jsonl", jobs=1)
    >>> standing.tally(1, 0).score > 0.5
    True

==============  ===============================================================
``plan``        who plays whom, numbered
``opening``     positions to begin from
``playing``     one game, to an outcome, whatever the agents do
``journal``     every finished game, on disk
``standing``    results, counted
``pairs``       counts of pairs of games, on which statistics rest
``ratings``     strengths with intervals, from pairs of games
``sprt``        whether one agent is stronger, decided as early as may be
``running``     all of it, by joblib
==============  ===============================================================

Read next: ``plan.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .pairs import PairCounts
from .plan import Plan
from .running import run
from .sprt import Sprt
from .standing import Standing

if TYPE_CHECKING:
    from .ratings import Ratings, rate

__all__ = ["PairCounts", "Plan", "Ratings", "Sprt", "Standing", "rate", "run"]


def __getattr__(name: str) -> Any:
    if name in ("Ratings", "rate"):  # they import SciPy, which no worker needs
        from . import ratings

        return getattr(ratings, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
