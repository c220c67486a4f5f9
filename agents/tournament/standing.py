"""How a tournament stands: results as they come in, counted, and nothing else kept.

A game takes one byte, so that a million of them is no matter.

Read next: ``ratings.py``, ``running.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .pairs import PairCounts
from .plan import Plan
from .playing import Outcome
from .sprt import SprtResult

UNPLAYED, NO_RESULT = -2, 2  # results are 1, 0, -1, as South sees them
LENGTH_CLASS = 10  # plies


class Tally(NamedTuple):
    """Games of one agent against another, as the agent sees them.

    Attributes
    ----------
    counts : ndarray of int64, shape (4, 4)
        Openings by the results of the agent as South (first axis) and as North: 0 lost,
        1 drawn, 2 won, 3 not played or without a result.
    """

    counts: NDArray[np.int64]

    @property
    def wins_draws_losses(self) -> tuple[int, int, int]:
        """Games with a result."""
        losses, draws, wins = (self.counts.sum(axis=0) + self.counts.sum(axis=1))[:3].tolist()
        return wins, draws, losses

    @property
    def games(self) -> int:
        """Games with a result."""
        return sum(self.wins_draws_losses)

    @property
    def score(self) -> float:
        """Points for a win 1, for a draw 1/2, a game; NaN without games."""
        wins, draws, _ = self.wins_draws_losses
        return (wins + draws / 2) / self.games if self.games else float("nan")


class Standing:
    """The results of a plan so far.

    Parameters
    ----------
    plan : Plan

    Attributes
    ----------
    finished : int
        Games that count.
    endings : list of Counter
        How the games of each kind of game ended.
    lengths : list of Counter
        Games of each kind by their length, in classes of ``LENGTH_CLASS`` plies.
    seconds : ndarray of float64, shape (agents,)
        Time that each agent took.
    faults : Counter
        Games lost by a fault, by agent and kind.
    messages : dict
        What happened in the first of them, by agent and kind.
    late : float
        Seconds by which the latest turn was late that was still accepted.
    test : SprtResult, optional
        Where a sequential test stands, if there is one.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._results = np.full(plan.total, UNPLAYED, np.int8)
        self.finished = 0
        self.endings: list[Counter[str]] = [Counter() for _ in plan.games]
        self.lengths: list[Counter[int]] = [Counter() for _ in plan.games]
        self.seconds = np.zeros(len(plan.agents))
        self.faults: Counter[tuple[str, str]] = Counter()
        self.messages: dict[tuple[str, str], str] = {}
        self.late = 0.0
        self.test: SprtResult | None = None

    def add(self, outcome: Outcome) -> None:
        """Count a game.

        Parameters
        ----------
        outcome : Outcome
        """
        number = outcome["number"]
        fixture = self.plan.fixture(number)
        game = self.plan.games.index(outcome["game"])
        result = outcome["result"]
        self._results[number] = NO_RESULT if result is None else result
        self.finished += 1
        self.endings[game][outcome["ending"]] += 1
        self.lengths[game][len(outcome["moves"]) // LENGTH_CLASS] += 1
        for agent, seconds in zip((fixture.south, fixture.north), outcome["seconds"], strict=True):
            self.seconds[agent] += seconds
        self.late = max(self.late, outcome["late"])
        fault = outcome["fault"]
        if fault is not None:
            agent_spec = outcome["south" if fault["player"] == "south" else "north"]
            what = agent_spec, fault["kind"]
            self.faults[what] += 1
            self.messages.setdefault(what, f"game {number}: {fault['message']}")

    def unplayed(self) -> Iterator[int]:
        """The numbers of the games that are missing, in order."""
        at = 0
        while at < len(self._results):
            part = self._results[at : at + 4096]
            yield from (np.flatnonzero(part == UNPLAYED) + at).tolist()
            at += 4096

    def tally(self, agent: int, other: int, game: int | None = None) -> Tally:
        """The games of two agents.

        Parameters
        ----------
        agent, other : int
            Their places in the plan.
        game : int, optional
            The place of a game in the plan; all games if left out.
        """
        couple = (min(agent, other), max(agent, other))
        if couple not in self.plan.couples:
            return Tally(np.zeros((4, 4), np.int64))
        results = self._results.reshape(self.plan.shape)[:, :, self.plan.couples.index(couple)]
        if game is not None:
            results = results[:, game : game + 1]
        first, second = results.reshape(-1, 2).T
        # the first of the couple sits South in the first game
        return Tally(_count(first, second) if agent == couple[0] else _count(second, first))

    def pair_counts(self, game: int | None = None) -> PairCounts:
        """The games of all couples, to be rated.

        Parameters
        ----------
        game : int, optional
            The place of a game in the plan; all games if left out.
        """
        counted = PairCounts(self.plan.agents)
        everyone = list(combinations(range(len(self.plan.agents)), 2))
        for couple in self.plan.couples:
            counted.counts[everyone.index(couple)] = self.tally(*couple, game).counts
        return counted

    def rows(self) -> Iterator[dict[str, Any]]:
        """The score of each couple in each game, ready for tables and files."""
        for game, spec in enumerate(self.plan.games):
            for first, second in self.plan.couples:
                tally = self.tally(first, second, game)
                wins, draws, losses = tally.wins_draws_losses
                yield {
                    "game": spec,
                    "agent": self.plan.agents[first],
                    "opponent": self.plan.agents[second],
                    "games": tally.games,
                    "wins": wins,
                    "draws": draws,
                    "losses": losses,
                    "score": tally.score if tally.games else None,
                }


def _count(as_south: NDArray[np.int8], as_north: NDArray[np.int8]) -> NDArray[np.int64]:
    """Count openings by an agent's results in both seats; those given are South's."""
    first = np.where(np.abs(as_south) > 1, 3, as_south + 1)
    second = np.where(np.abs(as_north) > 1, 3, 1 - as_north)
    counts = np.bincount(4 * first + second, minlength=16).reshape(4, 4)
    counts[3, 3] = 0  # nothing
    return counts.astype(np.int64)
