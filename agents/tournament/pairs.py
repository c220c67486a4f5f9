"""Results as counts of pairs of games: all that ratings and sequential tests read.

Two agents play one opening twice, with seats exchanged. The two games share their opening,
so their results depend on each other, and the *pair* is the unit of every interval and
test. A game without its partner (a tournament stopped half-way, a partner that was
annulled) is a pair with one game unplayed. A million games take no more room than one.

An annulled game was never decided: by the rules it scores 0 for both, which no draw does,
and a match replays it. It is left out, as if it had been replayed until a result came;
counted as a draw, it would pull two agents together that never drew. The same holds for a
game cut short at ``max_plies``.

Read next: ``ratings.py`` (a fit to these counts), ``sprt.py`` (a test on those of a couple).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mancala_ai.errors import ArgumentError, shown
from mancala_ai.fields import as_int

Ints = NDArray[np.int64]

LOSS, DRAW, WIN, UNPLAYED = range(4)  # a game as one of its players sees it
_MIRROR = np.array([WIN, DRAW, LOSS, UNPLAYED])  # ... and as the other does


class PairCounts:
    """How often the pairs of games of every two agents had which results.

    Parameters
    ----------
    agents : sequence of str
        At least two, all different.

    Attributes
    ----------
    agents : tuple of str
    counts : ndarray of int64, shape (couples, 4, 4)
        Numbers of pairs. Couples are any two agents, in the order of
        ``np.triu_indices(len(agents), 1)``; then come the results of the first of the two
        as South and as North: 0 loss, 1 draw, 2 win, 3 unplayed or annulled.

    Raises
    ------
    ArgumentError
        If there are fewer than two agents, or two of one name.
    """

    __hash__ = None  # type: ignore[assignment]  # counts change

    def __init__(self, agents: Sequence[str]) -> None:
        self.agents = tuple(agents)
        self._places = {name: place for place, name in enumerate(self.agents)}
        if len(self._places) < max(2, len(self.agents)):
            raise ArgumentError(
                f"agents cannot be {shown(agents)}; allowed: two or more of different names"
            )
        couples = len(self.agents) * (len(self.agents) - 1) // 2
        self.counts: Ints = np.zeros((couples, 4, 4), dtype=np.int64)

    @classmethod
    def from_games(
        cls,
        agents: Sequence[str],
        south: ArrayLike,
        north: ArrayLike,
        result: ArrayLike,
        pair: ArrayLike,
    ) -> PairCounts:
        """Counts of many games; those without a result are to be left out before.

        Parameters
        ----------
        agents : sequence of str
        south, north : array_like of int, shape (games,)
            The places of the two players in ``agents``.
        result : array_like of int, shape (games,)
            South's: 1 won, 0 drawn, -1 lost, as ``state.returns[0]``.
        pair : array_like of int, shape (games,)
            Two games of the same two agents with the same number are a pair; the number of
            the opening will do.

        Raises
        ------
        ArgumentError
            If arrays are not of integers or differ in length, a value is out of range, an
            agent plays itself, or two games of a pair have the same seats.
        """
        counts = cls(agents)
        souths, norths, results, numbers = _columns(
            {"south": south, "north": north, "result": result, "pair": pair}
        )
        if not len(souths):
            return counts
        low, high = np.minimum(souths, norths), np.maximum(souths, norths)
        if low.min() < 0 or high.max() >= len(counts.agents) or (low == high).any():
            raise ArgumentError(
                f"a game is of two different agents from 0 to {len(counts.agents) - 1}"
            )
        if np.abs(results).max() > 1:
            raise ArgumentError(f"a result is -1, 0 or 1, not {np.abs(results).max()}")

        couples = counts._couple(low, high)
        order = np.lexsort((numbers, couples))
        begins = np.ones(len(order), dtype=bool)  # a pair, in this order
        begins[1:] = (np.diff(couples[order]) != 0) | (np.diff(numbers[order]) != 0)
        pair_of_game = np.empty_like(order)
        pair_of_game[order] = np.cumsum(begins) - 1
        as_north = (souths != low).astype(np.int64)  # the seat of the lower of the two
        if np.bincount(2 * pair_of_game + as_north).max() > 1:
            raise ArgumentError("a pair has two games with the same seats")
        seen = np.full((begins.sum(), 2), UNPLAYED)
        seen[pair_of_game, as_north] = np.where(as_north, -results, results) + 1
        np.add.at(counts.counts, (couples[order][begins], seen[:, 0], seen[:, 1]), 1)
        return counts

    def add(self, first: str, second: str, as_south: int | None, as_north: int | None) -> None:
        """Count one pair of games.

        Parameters
        ----------
        first, second : str
            Two of the agents.
        as_south, as_north : int or None
            The results of ``first`` in either seat: 1 won, 0 drawn, -1 lost; None for a game
            that was not played or has no result.

        Raises
        ------
        ArgumentError
            If an agent does not take part or plays itself, or a result is none.
        """
        couple, turned = self._find(first, second)
        south, north = _seen(as_south), _seen(as_north)
        if turned:
            south, north = _MIRROR[north], _MIRROR[south]
        self.counts[couple, south, north] += 1

    def __add__(self, other: PairCounts) -> PairCounts:
        """The counts of two parts of a tournament together; raises ArgumentError."""
        if not isinstance(other, PairCounts):
            return NotImplemented
        if self.agents != other.agents:
            raise ArgumentError(
                f"counts of {shown(other.agents)} cannot be added to those of {shown(self.agents)}"
            )
        total = PairCounts(self.agents)
        total.counts = self.counts + other.counts
        return total

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairCounts):
            return NotImplemented
        return self.agents == other.agents and np.array_equal(self.counts, other.counts)

    def __repr__(self) -> str:
        return f"<PairCounts: {len(self.agents)} agents, {self.games().sum()} games>"

    def place(self, agent: str) -> int:
        """The place of an agent in ``agents``.

        Parameters
        ----------
        agent : str

        Raises
        ------
        ArgumentError
            If it does not take part.
        """
        if agent not in self._places:
            raise ArgumentError(
                f"agent {shown(agent)} does not take part; these do: {', '.join(self.agents)}"
            )
        return self._places[agent]

    def between(self, first: str, second: str) -> Ints:
        """Pairs of two agents by the results of ``first`` as South and as North.

        Parameters
        ----------
        first, second : str
            As in ``agents``.

        Returns
        -------
        ndarray of int64, shape (4, 4)
            0 loss, 1 draw, 2 win, 3 unplayed or annulled.

        Raises
        ------
        ArgumentError
            If an agent does not take part or plays itself.
        """
        couple, turned = self._find(first, second)
        table: Ints = self.counts[couple]
        return table[np.ix_(_MIRROR, _MIRROR)].T if turned else table.copy()

    def pentanomial(self, first: str, second: str) -> Ints:
        """Whole pairs of two agents by the points of ``first``: 0, 1/2, 1, 3/2, 2.

        Parameters
        ----------
        first, second : str
            As in ``agents``.

        Returns
        -------
        ndarray of int64, shape (5,)

        Raises
        ------
        ArgumentError
            If an agent does not take part or plays itself.
        """
        whole = self.between(first, second)[:UNPLAYED, :UNPLAYED]
        return np.array([whole[::-1].trace(half_points - 2) for half_points in range(5)])

    def games(self) -> Ints:
        """All games with a result, by South, North, and South's loss, draw or win.

        Returns
        -------
        ndarray of int64, shape (agents, agents, 3)
        """
        first, second = np.triu_indices(len(self.agents), 1)
        table = np.zeros((len(self.agents), len(self.agents), UNPLAYED), dtype=np.int64)
        table[first, second] = self.counts.sum(axis=2)[:, :UNPLAYED]
        table[second, first] = self.counts.sum(axis=1)[:, _MIRROR[:UNPLAYED]]
        return table

    def _find(self, first: str, second: str) -> tuple[Any, bool]:
        """The index of a couple, and whether its agents are counted the other way round."""
        one, other = self.place(first), self.place(second)
        if one == other:
            raise ArgumentError(f"agent {shown(first)} does not play itself")
        return self._couple(min(one, other), max(one, other)), one > other

    def _couple(self, low: Any, high: Any) -> Any:
        """The index in ``counts`` of two agents, or of arrays of them; low < high."""
        return low * (2 * len(self.agents) - low - 3) // 2 + high - 1


def _seen(result: int | None) -> int:
    """A result as ``counts`` numbers it; raises ArgumentError."""
    if result is None:
        return UNPLAYED
    number = as_int(result)
    if number not in (-1, 0, 1):
        raise ArgumentError(f"a result is -1, 0, 1 or None, not {shown(result)}")
    return number + 1


def _columns(given: dict[str, ArrayLike]) -> list[Ints]:
    """Arrays of integers of one length; raises ArgumentError."""
    columns = []
    for name, values in given.items():
        column = np.asarray(values)
        if column.ndim != 1 or (column.size and column.dtype.kind not in "iu"):
            raise ArgumentError(f"{name} cannot be {shown(values)}; allowed: a row of integers")
        columns.append(column.astype(np.int64))
    if len({len(column) for column in columns}) > 1:
        lengths = ", ".join(f"{len(c)} of {name}" for name, c in zip(given, columns, strict=True))
        raise ArgumentError(f"the columns of games differ in length: {lengths}")
    return columns
