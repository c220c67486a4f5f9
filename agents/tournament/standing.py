"""How a tournament stands: results as they come in, counted, and nothing else kept.

A game takes one byte, so that a million of them is no matter.

Read next: ``ratings.py``, ``running.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .plan import Plan
from .playing import Outcome

UNPLAYED = -2  # results are 1, 0, -1, as South sees them
LENGTH_CLASS = 10  # plies


class Tally(NamedTuple):
    """Games of one agent against another, or against all, as the agent sees them.

    Attributes
    ----------
    pairs : ndarray of int64, shape (3, 3)
        Openings of which both games are finished: the agent lost, drew or won as South
        (first axis) and as North (second axis).
    single : ndarray of int64, shape (2, 3)
        Games of which the other one is not finished, as South and as North.
    """

    pairs: NDArray[np.int64]
    single: NDArray[np.int64]

    @property
    def wins_draws_losses(self) -> tuple[int, int, int]:
        """Games, those of pairs and single ones together."""
        both = self.pairs.sum(axis=0) + self.pairs.sum(axis=1) + self.single.sum(axis=0)
        return int(both[2]), int(both[1]), int(both[0])

    @property
    def games(self) -> int:
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

    def add(self, outcome: Outcome) -> None:
        """Count a game."""
        number = outcome["number"]
        fixture = self.plan.fixture(number)
        game = self.plan.games.index(outcome["game"])
        self._results[number] = outcome["result"]
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
        """The games of two agents, in one kind of game (its place in the plan) or in all."""
        couple = (min(agent, other), max(agent, other))
        if couple not in self.plan.couples:
            return Tally(np.zeros((3, 3), np.int64), np.zeros((2, 3), np.int64))
        results = self._results.reshape(self.plan.shape)[:, :, self.plan.couples.index(couple)]
        if game is not None:
            results = results[:, game : game + 1]
        flat = results.reshape(-1, 2)
        # the first of the couple sits South in the first game
        return _tally(*(flat.T if agent == couple[0] else flat.T[::-1]))

    def pair(self, opening: int) -> tuple[int, int] | None:
        """Both results of an opening, as the first of two agents in one game sees them."""
        south, north = self._results.reshape(self.plan.shape)[opening, 0, 0].tolist()
        return None if UNPLAYED in (south, north) else (south, -north)

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


def _tally(as_south: NDArray[np.int8], as_north: NDArray[np.int8]) -> Tally:
    """Count games of an agent; results are those of South."""
    south_done, north_done = as_south != UNPLAYED, as_north != UNPLAYED
    both = south_done & north_done
    first, second = as_south + 1, 1 - as_north  # 0: lost, 1: drawn, 2: won
    pairs = np.bincount(3 * first[both] + second[both], minlength=9).reshape(3, 3)
    single = [
        np.bincount(results[done & ~both], minlength=3)
        for results, done in ((first, south_done), (second, north_done))
    ]
    return Tally(pairs.astype(np.int64), np.array(single, np.int64))
