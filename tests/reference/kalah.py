"""The slow twin of Kalah (2 x C and a store each), from the rules sheet alone.

Actions: own pit 0 ... C-1. ``captured`` is the store. A lap's landing is a pit
in the mover's numbers (0 ... C-1 his own, C ... 2C-1 the opponent's), or 2C for
the mover's store. ``Lap.captured`` names the two pits of a capture; a seed sown
into the store is no capture. A finished position has ``player`` = the one who
did not make the last move.
"""

from __future__ import annotations

from typing import Any

from reference.common import Lap, Position, Twin


class Kalah(Twin):
    def __init__(self, columns: int = 6, seeds: int = 4, empty_capture: bool = False) -> None:
        self.columns = columns
        self.seeds = seeds
        self.empty_capture = empty_capture
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
        **fields: Any,
    ) -> Position:
        if fields:
            raise TypeError(f"Kalah has no fields {sorted(fields)}")
        position = Position([list(row) for row in board], player, list(captured), phase)
        if phase == "sow":
            self._settle(position)
        return position

    def legal(self, position: Position) -> list[int]:
        if position.finished:
            return []
        return [pit for pit in range(self.columns) if position.board[position.player][pit] > 0]

    def apply(self, position: Position, action: int) -> Position:
        return self._move(position, action)[0]

    def laps(self, position: Position, action: int) -> list[Lap]:
        return [self._move(position, action)[1]]

    def relay(self, position: Position, action: int, max_laps: int) -> tuple[int, bool, int]:
        self._move(position, action)
        return 1, True, 0

    def points(self, position: Position) -> tuple[float, float]:
        if position.winner is None:
            return 0.5, 0.5
        return (1.0, 0.0) if position.winner == 0 else (0.0, 1.0)

    def _move(self, position: Position, action: int) -> tuple[Position, Lap]:
        if action not in self.legal(position):
            raise ValueError(f"illegal action {action} in {position}")
        after = position.copy()
        me = after.player
        you = 1 - me
        store = ("store", me)
        # The places of the ring in sowing order, and their names in the mover's numbers.
        ring: list[tuple[Any, int]] = [(me, pit) for pit in range(self.columns)]
        ring.append(store)
        ring.extend((you, pit) for pit in range(self.columns))
        numbers = [*range(self.columns), 2 * self.columns]
        numbers += list(range(self.columns, 2 * self.columns))

        hand = after.board[me][action]
        after.board[me][action] = 0
        place = action
        before_last = 0
        for _ in range(hand):
            place = (place + 1) % len(ring)
            if ring[place] == store:
                after.captured[me] += 1
            else:
                row, pit = ring[place]
                before_last = after.board[row][pit]
                after.board[row][pit] += 1
        lap = Lap(action, hand, 1, numbers[place])

        in_store = ring[place] == store
        if not in_store and ring[place][0] == me and before_last == 0:
            pit = ring[place][1]
            facing = self.columns - 1 - pit
            if after.board[you][facing] > 0 or self.empty_capture:
                for row, taken_pit in ((me, pit), (you, facing)):
                    taken = after.board[row][taken_pit]
                    if taken > 0:
                        lap.captured[(row, taken_pit)] = taken
                    after.captured[me] += taken
                    after.board[row][taken_pit] = 0
        if not in_store:
            after.player = you
        self._settle(after)
        if after.finished:
            after.player = you
        return after, lap

    def _settle(self, position: Position) -> None:
        """End the game if a row is empty: the other side keeps its seeds."""
        if all(sum(row) > 0 for row in position.board):
            return
        for player in (0, 1):
            position.captured[player] += sum(position.board[player])
            position.board[player] = [0] * self.columns
        position.phase = "over"
        first, second = position.captured
        if first == second:
            position.winner = None
            position.win_kind = "draw"
        else:
            position.winner = 0 if first > second else 1
            position.win_kind = "seeds"
