"""The slow twin of Oware (2 x C), from the rules sheet alone.

Actions: own pit 0 ... C-1. Fields: ``seen``, with ``repetition="split_rows"``
the earlier positions of the game with the same seeds on the board, as
``(board of player 0, board of player 1, player)``, in order; else empty.

"More than half" is of all seeds of the position (board and captured). A game
ended by it leaves the other seeds on the board. In the other endings each side
takes its own row: after a repetition by rule, and when the mover has no move
because one of the rows is empty then, so that all seeds lie in one row.
A finished position has ``player`` = the one who did not make the last move.
"""

from __future__ import annotations

from typing import Any

from reference.common import Lap, Position, Twin


class Oware(Twin):
    def __init__(
        self,
        columns: int = 6,
        seeds: int = 4,
        grand_slam: str = "no_capture",
        repetition: str = "none",
    ) -> None:
        self.columns = columns
        self.seeds = seeds
        self.grand_slam = grand_slam
        self.repetition = repetition
        self.num_actions = columns

    def initial(self) -> Position:
        row = [self.seeds] * self.columns
        return self.position([row, row])

    def position(
        self,
        board: list[list[int]],
        player: int = 0,
        captured: tuple[int, int] = (0, 0),
        phase: str = "sow",
        seen: tuple[Any, ...] = (),
    ) -> Position:
        position = Position([list(row) for row in board], player, list(captured), phase)
        position.fields = {"seen": tuple(seen) if self.repetition == "split_rows" else ()}
        if phase == "sow":
            self._settle(position)
        return position

    def legal(self, position: Position) -> list[int]:
        if position.finished:
            return []
        me = position.player
        you = 1 - me
        moves = [pit for pit in range(self.columns) if position.board[me][pit] > 0]
        if sum(position.board[you]) == 0:
            moves = [pit for pit in moves if self._feeds(position, pit)]
        if self.grand_slam == "illegal_unless_forced":
            others = [pit for pit in moves if not self._sow(position, pit)[2]]
            if others:
                moves = others
        return moves

    def apply(self, position: Position, action: int) -> Position:
        if action not in self.legal(position):
            raise ValueError(f"illegal action {action} in {position}")
        after, lap, _ = self._sow(position, action)
        after.player = 1 - position.player
        if self.repetition == "split_rows":
            if lap.captured:
                after.fields["seen"] = ()
            else:
                after.fields["seen"] = (*position.fields["seen"], self._key(position))
        self._settle(after)
        return after

    def laps(self, position: Position, action: int) -> list[Lap]:
        if action not in self.legal(position):
            raise ValueError(f"illegal action {action} in {position}")
        return [self._sow(position, action)[1]]

    def relay(self, position: Position, action: int, max_laps: int) -> tuple[int, bool, int]:
        self.laps(position, action)
        return 1, True, 0

    def points(self, position: Position) -> tuple[float, float]:
        if position.winner is None:
            return 0.5, 0.5
        return (1.0, 0.0) if position.winner == 0 else (0.0, 1.0)

    def _key(self, position: Position) -> tuple[Any, ...]:
        return tuple(position.board[0]), tuple(position.board[1]), position.player

    def _feeds(self, position: Position, pit: int) -> bool:
        after, _, _ = self._sow(position, pit)
        return sum(after.board[1 - position.player]) > 0

    def _sow(self, position: Position, start: int) -> tuple[Position, Lap, bool]:
        """The lap from ``start``, captures included; the turn not passed. Third: a grand slam?"""
        after = Position(
            [list(row) for row in position.board],
            position.player,
            list(position.captured),
            fields=dict(position.fields),
        )
        me = after.player
        you = 1 - me
        ring = [(me, pit) for pit in range(self.columns)]
        ring += [(you, pit) for pit in range(self.columns)]

        hand = after.board[me][start]
        after.board[me][start] = 0
        place = start
        for _ in range(hand):
            place = (place + 1) % len(ring)
            if place == start:
                place = (place + 1) % len(ring)
            row, pit = ring[place]
            after.board[row][pit] += 1
        lap = Lap(start, hand, 1, place)

        run: list[int] = []
        if ring[place][0] == you:
            pit = ring[place][1]
            while pit >= 0 and after.board[you][pit] in (2, 3):
                run.append(pit)
                pit -= 1
        taken = sum(after.board[you][pit] for pit in run)
        if taken > 0 and taken == sum(after.board[you]):
            return after, lap, True
        for pit in run:
            lap.captured[(you, pit)] = after.board[you][pit]
            after.board[you][pit] = 0
        after.captured[me] += taken
        return after, lap, False

    def _settle(self, position: Position) -> None:
        total = sum(map(sum, position.board)) + sum(position.captured)
        if any(2 * captured > total for captured in position.captured):
            self._finish(position)
            return
        repeated = self._key(position) in position.fields["seen"]  # () if not tracked
        if repeated or not self.legal(position):
            for player in (0, 1):
                position.captured[player] += sum(position.board[player])
                position.board[player] = [0] * self.columns
            self._finish(position)

    def _finish(self, position: Position) -> None:
        position.phase = "over"
        first, second = position.captured
        if first == second:
            position.winner = None
            position.win_kind = "draw"
        else:
            position.winner = 0 if first > second else 1
            position.win_kind = "seeds"
