"""The slow twin of Hoyito III (2 x C), one round, from the rules sheet alone.

Actions: own pit 0 ... C-1. Fields: ``in_play``, how many of each player's pits,
counted from his left, are in play; sowing skips the others. The game ends at a
capture that leaves four seeds or fewer on the board. A finished position has
``player`` = the one who did not make the last move; an annulled one is the
position of the decision that led to it.
"""

from __future__ import annotations

from reference.common import Lap, Position, Twin


class HoyitoIII(Twin):
    def __init__(
        self, columns: int = 6, last_four: str = "capturer", max_laps: int = 10000
    ) -> None:
        self.columns = columns
        self.last_four = last_four
        self.max_laps = max_laps
        self.num_actions = columns

    def initial(self, captured: tuple[int, int] | None = None) -> Position:
        """The start; ``captured`` (seeds that each player holds) starts a filled round."""
        if captured is None:
            row = [4] * self.columns
            return self.position([row, row])
        filled = [min(self.columns, captured[p] // 4) for p in (0, 1)]
        board = [[4] * filled[p] + [0] * (self.columns - filled[p]) for p in (0, 1)]
        surplus = (captured[0] - 4 * filled[0], captured[1] - 4 * filled[1])
        return self.position(board, 0, surplus, in_play=(filled[0], filled[1]))

    def position(
        self,
        board: list[list[int]],
        player: int = 0,
        captured: tuple[int, int] = (0, 0),
        phase: str = "sow",
        in_play: tuple[int, int] | None = None,
    ) -> Position:
        if in_play is None:
            in_play = (self.columns, self.columns)
        position = Position([list(row) for row in board], player, list(captured), phase)
        position.fields = {"in_play": tuple(in_play)}
        if phase == "sow":
            if sum(map(sum, position.board)) == 0:
                self._finish(position)
            else:
                self._pass(position)
        return position

    def legal(self, position: Position) -> list[int]:
        if position.finished:
            return []
        return [pit for pit in range(self.columns) if position.board[position.player][pit] > 0]

    def apply(self, position: Position, action: int) -> Position:
        return self._move(position, action)[0]

    def laps(self, position: Position, action: int) -> list[Lap]:
        return self._move(position, action)[1]

    def relay(
        self, position: Position, action: int, max_laps: int
    ) -> tuple[int, bool | None, int | None]:
        self._check(position, action)
        now = position.copy()
        start = action
        first_state = self._state(now, start)
        laps = 0
        while True:
            lap, result = self._lap(now, start)
            laps += 1
            if result != "relay":
                return laps, True, 0
            start = lap.landing
            if self._state(now, start) == first_state:
                return laps, False, laps
            if laps >= max_laps:
                return laps, None, None

    def points(self, position: Position) -> tuple[float, float]:
        if position.annulled:
            return 0.0, 0.0
        if position.winner is None:
            return 0.5, 0.5
        return (1.0, 0.0) if position.winner == 0 else (0.0, 1.0)

    def _check(self, position: Position, action: int) -> None:
        if action not in self.legal(position):
            raise ValueError(f"illegal action {action} in {position}")

    def _place(self, position: Position, pit: int) -> tuple[int, int]:
        """The home row and the pit in it, of a pit in the mover's numbers."""
        if pit < self.columns:
            return position.player, pit
        return 1 - position.player, pit - self.columns

    def _state(self, position: Position, start: int) -> tuple[list[list[int]], int, int]:
        """Ring, start and hand of a lap about to start: the hand is still in its pit."""
        row, pit = self._place(position, start)
        return [list(r) for r in position.board], start, position.board[row][pit]

    def _lap(self, position: Position, start: int) -> tuple[Lap, str]:
        """Sow one lap in place; its result is "capture", "relay" or "empty"."""
        row, pit = self._place(position, start)
        hand = position.board[row][pit]
        position.board[row][pit] = 0
        place = start
        before_last = 0
        for _ in range(hand):
            place = self._next(position, place)
            row, pit = self._place(position, place)
            before_last = position.board[row][pit]
            position.board[row][pit] += 1
        lap = Lap(start, hand, 1, place)
        if position.board[row][pit] == 4:
            lap.captured[(row, pit)] = 4
            position.captured[position.player] += 4
            position.board[row][pit] = 0
            return lap, "capture"
        return lap, "relay" if before_last > 0 else "empty"

    def _next(self, position: Position, place: int) -> int:
        """The next pit in play after ``place``, in the mover's numbers."""
        while True:
            place = (place + 1) % (2 * self.columns)
            row, pit = self._place(position, place)
            if pit < position.fields["in_play"][row]:
                return place

    def _move(self, position: Position, action: int) -> tuple[Position, list[Lap]]:
        self._check(position, action)
        after = position.copy()
        laps: list[Lap] = []
        start = action
        while True:
            lap, result = self._lap(after, start)
            laps.append(lap)
            if result != "relay":
                break
            if len(laps) >= self.max_laps:
                annulled = position.copy()
                annulled.phase = "annulled"
                annulled.win_kind = "annulled"
                return annulled, laps
            start = lap.landing

        me = position.player
        if result == "capture":
            left = sum(map(sum, after.board))
            if left <= 4:
                receiver = {"capturer": me, "player_0": 0, "player_1": 1}[self.last_four]
                after.captured[receiver] += left
                after.board = [[0] * self.columns, [0] * self.columns]
                after.player = 1 - me
                self._finish(after)
                return after, laps
        else:
            after.player = 1 - me
        self._pass(after)
        return after, laps

    def _pass(self, position: Position) -> None:
        if sum(position.board[position.player]) == 0:
            position.player = 1 - position.player

    def _finish(self, position: Position) -> None:
        position.phase = "over"
        first, second = position.captured
        if first == second:
            position.winner = None
            position.win_kind = "draw"
        else:
            position.winner = 0 if first > second else 1
            position.win_kind = "seeds"
