"""The slow twins of matches of Omweso and of Hoyito III, from the rules sheet alone.

Players are 0 and 1; the one who moves first in a game sits South. A twin is told the games
one after the other, by seat, with None for an annulled one.
"""

from __future__ import annotations

WIN_POINTS = {"akawumbi": 12, "okutema": 2, "akakyala": 2, "bulijo": 1}


class OmwesoMatch:
    def __init__(self, first: int) -> None:
        self.south = first
        self.score = [0, 0]

    def play(self, winning_seat: int | None, kind: str = "") -> None:
        if winning_seat is None:
            return  # the game is annulled: it is played again
        winner = self.south if winning_seat == 0 else 1 - self.south
        self.score[winner] += WIN_POINTS[kind]
        self.south = 1 - self.south

    @property
    def over(self) -> bool:
        return self.score[0] >= 12 or self.score[1] >= 12

    @property
    def winner(self) -> int | None:
        for player in (0, 1):
            if self.score[player] >= 12:
                return player
        return None


class HoyitoMatch:
    def __init__(self, first: int, rounds: int, fill_pits: bool, columns: int) -> None:
        self.south = first
        self.rounds, self.fill_pits, self.columns = rounds, fill_pits, columns
        self.round = 1
        self.winners: list[int | None] = []  # of each round; None: drawn
        self.held = [4 * columns, 4 * columns]  # by player

    def start(self) -> tuple[list[list[int]], list[int]]:
        """Board and captured seeds with which the round begins, South's first."""
        board, captured = [], []
        for player in (self.south, 1 - self.south):
            row, seeds = [0] * self.columns, self.held[player]
            for pit in range(self.columns):
                if seeds >= 4:
                    row[pit] = 4
                    seeds -= 4
            board.append(row)
            captured.append(seeds)
        return board, captured

    @property
    def last_four(self) -> str:
        if self.round <= 2:
            return "capturer"
        heir = self.winners[-1]  # the winner of the previous round
        if heir is None:  # it was drawn
            for winner in self.winners:
                if winner is not None:
                    heir = winner  # in the end the last one who won a round
        if heir is None:
            return "capturer"
        return "player_0" if heir == self.south else "player_1"

    def play(self, captured: tuple[int, int] | None) -> None:
        """A round, with the seeds that South and North had in the end."""
        if captured is None:
            return
        north = 1 - self.south
        if captured[0] == captured[1]:
            self.winners.append(None)
        else:
            self.winners.append(self.south if captured[0] > captured[1] else north)
        if self.fill_pits:
            self.held[self.south], self.held[north] = captured
        self.round += 1
        self.south = north

    @property
    def over(self) -> bool:
        return self.round > self.rounds or min(self.held) < 4

    @property
    def won(self) -> tuple[int, int]:
        """Rounds that each player won."""
        return self.winners.count(0), self.winners.count(1)

    @property
    def winner(self) -> int | None:
        first, second = self.won
        if not self.over or first == second:
            return None
        return 0 if first > second else 1
