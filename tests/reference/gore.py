"""The slow twin of Goré (2 x 4), from the rules sheet alone.

Actions: 0 ... 7 sow an owned pit; 8 ... 99 offer pits (8 single ones, 28 pairs,
56 triples, each list in lexicographic order); 100 accept; 101 decline. Fields:
``owner[p][i]`` = the player who owns home pit i of p; ``offer`` = the pits of a
pending offer in the offerer's numbers, ascending; ``declined[p]`` = p ever
declined an offer. In phase "answer" ``player`` is the one who answers. A
finished position has ``player`` = the one who did not make the last move.
"""

from __future__ import annotations

from itertools import combinations

from reference.common import Lap, Position, Twin

COLUMNS = 4
PITS = 8
OFFERS: list[tuple[int, ...]] = [
    pits for size in (1, 2, 3) for pits in combinations(range(PITS), size)
]
FIRST_OFFER = 8
ACCEPT = 100
DECLINE = 101
PRICE = 6
HOME_OWNERS = ((0,) * COLUMNS, (1,) * COLUMNS)


class Gore(Twin):
    num_actions = 102

    def __init__(self, trading: bool = True) -> None:
        self.trading = trading

    def initial(self) -> Position:
        row = [6] * COLUMNS
        return self.position([row, row])

    def position(
        self,
        board: list[list[int]],
        player: int = 0,
        captured: tuple[int, int] = (0, 0),
        phase: str = "sow",
        owner: tuple[tuple[int, ...], tuple[int, ...]] = HOME_OWNERS,
        offer: tuple[int, ...] = (),
        declined: tuple[bool, bool] = (False, False),
    ) -> Position:
        position = Position([list(row) for row in board], player, list(captured), phase)
        position.fields = {
            "owner": (tuple(owner[0]), tuple(owner[1])),
            "offer": tuple(offer),
            "declined": tuple(declined),
        }
        if phase == "sow":
            self._settle(position)
        return position

    def legal(self, position: Position) -> list[int]:
        if position.finished:
            return []
        if position.phase == "answer":
            return [ACCEPT, DECLINE]
        me = position.player
        owned = [pit for pit in range(PITS) if self._owner(position, pit) == me]
        actions = [pit for pit in owned if self._seeds(position, pit) > 0]
        if self.trading:
            for index, pits in enumerate(OFFERS):
                payable = position.captured[1 - me] >= PRICE * len(pits)
                if payable and all(pit in owned for pit in pits):
                    actions.append(FIRST_OFFER + index)
        return actions

    def apply(self, position: Position, action: int) -> Position:
        self._check(position, action)
        if action < FIRST_OFFER:
            after, _ = self._sow(position, action)
            after.player = 1 - position.player
            self._settle(after)
            return after
        after = position.copy()
        if action < ACCEPT:
            after.phase = "answer"
            after.fields["offer"] = OFFERS[action - FIRST_OFFER]
            after.player = 1 - position.player
            return after
        answerer = position.player
        offerer = 1 - answerer
        if action == ACCEPT:
            owner = [list(row) for row in position.fields["owner"]]
            for number in position.fields["offer"]:
                row, pit = (offerer, number) if number < COLUMNS else (answerer, number - COLUMNS)
                owner[row][pit] = answerer
                after.board[row][pit] += PRICE
                after.captured[answerer] -= PRICE
            after.fields["owner"] = (tuple(owner[0]), tuple(owner[1]))
        else:
            declined = list(position.fields["declined"])
            declined[answerer] = True
            after.fields["declined"] = tuple(declined)
        after.fields["offer"] = ()
        after.phase = "sow"
        self._settle(after)
        return after

    def laps(self, position: Position, action: int) -> list[Lap]:
        self._check(position, action)
        if action >= FIRST_OFFER:
            return []
        return [self._sow(position, action)[1]]

    def relay(self, position: Position, action: int, max_laps: int) -> tuple[int, bool, int]:
        if not self.laps(position, action):
            raise ValueError(f"action {action} does not sow")
        return 1, True, 0

    def points(self, position: Position) -> tuple[float, float]:
        if position.winner is None:
            return 0.5, 0.5
        return (1.0, 0.0) if position.winner == 0 else (0.0, 1.0)

    def _check(self, position: Position, action: int) -> None:
        if action not in self.legal(position):
            raise ValueError(f"illegal action {action} in {position}")

    def _place(self, position: Position, number: int) -> tuple[int, int]:
        """The home row and the pit in it, of a pit in the numbers of ``position.player``."""
        if number < COLUMNS:
            return position.player, number
        return 1 - position.player, number - COLUMNS

    def _owner(self, position: Position, number: int) -> int:
        row, pit = self._place(position, number)
        return position.fields["owner"][row][pit]

    def _seeds(self, position: Position, number: int) -> int:
        row, pit = self._place(position, number)
        return position.board[row][pit]

    def _sow(self, position: Position, start: int) -> tuple[Position, Lap]:
        """The lap and its captures; the turn is not passed."""
        after = position.copy()
        me = after.player
        row, pit = self._place(after, start)
        hand = after.board[row][pit]
        after.board[row][pit] = 0
        number = start
        for _ in range(hand):
            number = (number + 1) % PITS
            row, pit = self._place(after, number)
            after.board[row][pit] += 1
        lap = Lap(start, hand, 1, number)

        if self._owner(after, number) != me and self._seeds(after, number) in (2, 4):
            taken = {number}
            for step in (1, -1):
                neighbour = (number + step) % PITS
                while neighbour not in taken and self._seeds(after, neighbour) in (2, 4):
                    taken.add(neighbour)
                    neighbour = (neighbour + step) % PITS
            for taken_number in sorted(taken):
                row, pit = self._place(after, taken_number)
                lap.captured[(row, pit)] = after.board[row][pit]
                after.captured[me] += after.board[row][pit]
                after.board[row][pit] = 0
        return after, lap

    def _settle(self, position: Position) -> None:
        """End the game if every pit holds fewer than three; else pass if the mover has no seed."""
        if all(seeds < 3 for row in position.board for seeds in row):
            for row in (0, 1):
                for pit in range(COLUMNS):
                    owner = position.fields["owner"][row][pit]
                    position.captured[owner] += position.board[row][pit]
                    position.board[row][pit] = 0
            self._finish(position)
            return
        me = position.player
        owned = [pit for pit in range(PITS) if self._owner(position, pit) == me]
        if all(self._seeds(position, pit) == 0 for pit in owned):
            position.player = 1 - me

    def _finish(self, position: Position) -> None:
        position.phase = "over"
        first, second = position.captured
        if first == second:
            position.winner = None
            position.win_kind = "draw"
            return
        position.winner = 0 if first > second else 1
        glorious = not position.fields["declined"][position.winner]
        position.win_kind = "seeds" if glorious else "without_glory"
