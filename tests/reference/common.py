"""What the slow twins share: a plain position, and searches over any twin.

Each game of the library has a twin here, written from the rules sheet alone in
the most obvious Python, without looking at the kernels. The tests compare the
two move by move. Speed does not matter here; being easy to check does.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

LIVE_FREE = ("over", "annulled")


@dataclass
class Position:
    """A position in plain Python values.

    ``board[p]`` holds player p's home pits in p's own numbers, ``captured[p]``
    the seeds that p holds out of play, ``phase`` the kind of decision asked of
    ``player`` ("sow" and a game's own words; "over" and "annulled" when
    finished), ``in_hand`` the seeds of a pending lap, ``fields`` whatever else
    decides the future of this game, by the names its twin documents.
    """

    board: list[list[int]]
    player: int = 0
    captured: list[int] = field(default_factory=lambda: [0, 0])
    phase: str = "sow"
    in_hand: int = 0
    win_kind: str | None = None
    winner: int | None = None  # 0, 1 or None (a draw) once the phase is "over"
    fields: dict[str, Any] = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        return self.phase in LIVE_FREE

    @property
    def annulled(self) -> bool:
        return self.phase == "annulled"

    def copy(self) -> Position:
        return copy.deepcopy(self)


@dataclass
class Lap:
    """One lap: ``hand`` seeds sown from ``start``, the last into ``landing``.

    Pits are in the numbers of the player who sows. ``captured`` maps
    ``(owner of the home row, pit in the owner's numbers)`` to the seeds taken.
    ``direction`` is +1 for counter-clockwise (forward) and -1 for the other way.
    """

    start: int
    hand: int
    direction: int
    landing: int
    captured: dict[tuple[int, int], int] = field(default_factory=dict)


class Twin:
    """The interface of a slow twin; positions are never changed in place."""

    num_actions: int

    def initial(self) -> Position:
        raise NotImplementedError

    def position(
        self,
        board: list[list[int]],
        player: int = 0,
        captured: tuple[int, int] = (0, 0),
        **fields: Any,
    ) -> Position:
        """Any position, settled: passes are made and a finished one is marked finished."""
        raise NotImplementedError

    def legal(self, position: Position) -> list[int]:
        """The legal actions in ascending order; empty when finished."""
        raise NotImplementedError

    def apply(self, position: Position, action: int) -> Position:
        raise NotImplementedError

    def laps(self, position: Position, action: int) -> list[Lap]:
        """The laps that the action makes up to the next decision, as ``apply`` makes them."""
        raise NotImplementedError

    def relay(
        self, position: Position, action: int, max_laps: int
    ) -> tuple[int, bool | None, int | None]:
        """Meyer's question for one action: ``(laps, ends, period)``.

        ``max_laps`` is how far to search.
        """
        raise NotImplementedError

    def points(self, position: Position) -> tuple[float, float]:
        """The game's own score of a finished position; (0, 0) when annulled."""
        raise NotImplementedError

    def perft(self, position: Position, depth: int) -> int:
        """Sequences of exactly ``depth`` decisions; nothing follows one that ends the game."""
        if depth == 0:
            return 1
        actions = self.legal(position)
        if depth == 1:
            return len(actions)
        return sum(self.perft(self.apply(position, a), depth - 1) for a in actions)
