"""Slow twin of Omweso (4 x 8, Uganda): written from the rules sheet alone, for the tests.

Phases: "arrange" (seeds are placed one at a time), "sow", and "lap", a choice inside a turn:
``hand`` lifted seeds are about to be sown from ``pit``, either way round. Fields:

- ``moved``: has each player finished a turn;
- ``capturers``: has each player captured in a finished turn (without ``akakyala`` the first
  capture of the game sets both);
- in phase "lap" also ``pit``, ``hand``, ``took`` (captured in this turn), ``ends`` (bits: 1 =
  captured in the column of own pit 15, 2 = of own pit 8) and ``last_end`` (the last capture of
  this turn was in an end column); outside it they are 0 or False.
"""

from __future__ import annotations

from typing import Any

from .common import Lap, Position, Twin

SIZE = 16  # pits of a player's ring
COLUMNS = 8
SEEDS = 32  # of a player at the start
MOST_IN_A_PIT = 10  # while arranging
LEFT_PITS = [0, 1, 14, 15]  # action 16 + i sows LEFT_PITS[i] clockwise
OPENING = 20  # action 20 + p is the opening sowing of pit p
WORTH = {"akawumbi": 12.0, "okutema": 2.0, "akakyala": 2.0, "bulijo": 1.0}
TURN_FIELDS: dict[str, Any] = {
    "pit": 0,
    "hand": 0,
    "took": False,
    "ends": 0,
    "last_end": False,
}


class Omweso(Twin):
    num_actions = 36

    def __init__(
        self,
        setup: str | tuple[list[int], list[int]] = "standard",
        akakyala: bool = False,
        max_laps: int = 10_000,
    ) -> None:
        self.setup = setup
        self.akakyala = akakyala
        self.max_laps = max_laps

    def initial(self) -> Position:
        fresh: dict[str, Any] = {"moved": (False, False), "capturers": (False, False)}
        if self.setup == "arrange":
            return self.position([[0] * SIZE, [0] * SIZE], phase="arrange", **fresh)
        if self.setup == "standard":
            home = [4] * COLUMNS + [0] * COLUMNS
            return self.position([list(home), list(home)], **fresh)
        assert not isinstance(self.setup, str), self.setup
        south, north = self.setup
        return self.position([list(south), list(north)], **fresh)

    def position(
        self,
        board: list[list[int]],
        player: int = 0,
        captured: tuple[int, int] = (0, 0),
        phase: str = "sow",
        **fields: Any,
    ) -> Position:
        position = Position(
            board=[list(board[0]), list(board[1])],
            player=player,
            captured=list(captured),
            phase=phase,
            fields={"moved": (True, True), "capturers": (True, True), **TURN_FIELDS, **fields},
        )
        position.fields["moved"] = tuple(position.fields["moved"])
        position.fields["capturers"] = tuple(position.fields["capturers"])
        if phase == "arrange":
            position.in_hand = 2 * SEEDS - sum(board[0]) - sum(board[1])
        if phase == "lap":
            position.in_hand = position.fields["hand"]
        if phase == "sow":
            self._settle(position)
        return position

    def legal(self, position: Position) -> list[int]:
        if position.finished:
            return []
        ring = position.board[position.player]
        if position.phase == "arrange":
            return [pit for pit in range(SIZE) if ring[pit] < MOST_IN_A_PIT]
        if position.phase == "lap":
            pit, hand = position.fields["pit"], position.fields["hand"]
            actions = [pit]
            if self._reversible(position, pit, hand):
                actions.append(16 + LEFT_PITS.index(pit))
            return actions
        actions = [pit for pit in range(SIZE) if ring[pit] >= 2]
        for i, pit in enumerate(LEFT_PITS):
            if ring[pit] >= 2:
                lifted = position.copy()
                lifted.board[lifted.player][pit] = 0
                if self._reversible(lifted, pit, ring[pit]):
                    actions.append(16 + i)
        if not any(position.fields["capturers"]):
            actions += [OPENING + pit for pit in range(SIZE) if ring[pit] == 3]
        return actions

    def apply(self, position: Position, action: int) -> Position:
        return self._play(position, action)[0]

    def laps(self, position: Position, action: int) -> list[Lap]:
        return self._play(position, action)[1]

    def relay(
        self, position: Position, action: int, max_laps: int
    ) -> tuple[int, bool | None, int | None]:
        self._check(position, action)
        if position.phase == "arrange":
            raise ValueError(f"Omweso: action {action} does not sow")
        if action >= OPENING:
            return 1, True, 0
        after, start, hand, direction = self._lift(position, action)
        ring = after.board[after.player]
        first = (list(ring), start, hand)
        made = 0
        made_before_stretch = 0
        while True:
            lap, what, start, hand = self._one_lap(after, start, hand, direction)
            made += 1
            if what == "end" or self._reversible(after, start, hand):
                return made, True, 0
            direction = 1
            if what == "capture":
                first = (list(ring), start, hand)
                made_before_stretch = made
            elif (list(ring), start, hand) == first:
                return made, False, made - made_before_stretch
            if made >= max_laps:
                return made, None, None

    def points(self, position: Position) -> tuple[float, float]:
        if position.phase != "over":
            return 0.0, 0.0
        worth = WORTH[str(position.win_kind)]
        return (worth, 0.0) if position.winner == 0 else (0.0, worth)

    # -- the parts ---------------------------------------------------------------------

    def _check(self, position: Position, action: int) -> None:
        if action not in self.legal(position):
            raise ValueError(f"Omweso: action {action} is not legal in phase {position.phase}")

    def _first_turn(self, position: Position) -> bool:
        return not position.fields["moved"][position.player]

    def _captures(self, position: Position, landing: int, occupied: bool) -> bool:
        """Does a last seed that falls into ``landing`` capture?"""
        if self._first_turn(position) or not occupied or landing < COLUMNS:
            return False
        enemy = position.board[1 - position.player]
        return enemy[self._facing_inner(landing)] > 0 and enemy[self._facing_outer(landing)] > 0

    @staticmethod
    def _facing_inner(pit: int) -> int:
        return 3 * COLUMNS - 1 - pit

    @staticmethod
    def _facing_outer(pit: int) -> int:
        return pit - COLUMNS

    @staticmethod
    def _sow(ring: list[int], start: int, hand: int, direction: int) -> tuple[int, bool]:
        """Sow a lifted hand; the landing pit, and whether it was occupied before the last seed."""
        pit = start
        for _ in range(hand - 1):
            pit = (pit + direction) % SIZE
            ring[pit] += 1
        landing = (pit + direction) % SIZE
        occupied = ring[landing] > 0
        ring[landing] += 1
        return landing, occupied

    def _reversible(self, position: Position, start: int, hand: int) -> bool:
        """May a lap of lifted seeds, about to start from ``start``, go clockwise?"""
        if start not in LEFT_PITS:
            return False
        ring = list(position.board[position.player])
        landing, occupied = self._sow(ring, start, hand, -1)
        return self._captures(position, landing, occupied)

    def _lift(self, position: Position, action: int) -> tuple[Position, int, int, int]:
        """The position with the action's first hand lifted, and that lap's start, hand, way."""
        after = position.copy()
        after.phase = "sow"
        if action < 16:
            start, direction = action, 1
        else:
            start, direction = LEFT_PITS[action - 16], -1
        if position.phase == "lap":
            hand = position.fields["hand"]  # lifted before the choice was asked
            after.in_hand = 0
            after.fields["pit"] = 0
            after.fields["hand"] = 0
        else:
            hand = after.board[after.player][start]
            after.board[after.player][start] = 0
        return after, start, hand, direction

    def _one_lap(
        self, position: Position, start: int, hand: int, direction: int
    ) -> tuple[Lap, str, int, int]:
        """Sow a lifted hand. What follows is "end", "relay" or "capture", with the start and
        the hand (lifted) of the lap that comes next."""
        me, enemy = position.player, 1 - position.player
        ring = position.board[me]
        landing, occupied = self._sow(ring, start, hand, direction)
        lap = Lap(start=start, hand=hand, direction=direction, landing=landing)
        if not occupied:
            return lap, "end", 0, 0
        if self._captures(position, landing, occupied):
            taken = 0
            for target in (self._facing_inner(landing), self._facing_outer(landing)):
                lap.captured[(enemy, target)] = position.board[enemy][target]
                taken += position.board[enemy][target]
                position.board[enemy][target] = 0
            position.fields["took"] = True
            position.fields["last_end"] = landing in (15, 8)
            if landing == 15:
                position.fields["ends"] |= 1
            if landing == 8:
                position.fields["ends"] |= 2
            if sum(position.board[enemy]) == 0:
                ring[start] += taken
                return lap, "end", 0, 0
            return lap, "capture", start, taken
        lifted = ring[landing]
        ring[landing] = 0
        return lap, "relay", landing, lifted

    def _play(self, position: Position, action: int) -> tuple[Position, list[Lap]]:
        self._check(position, action)
        if position.phase == "arrange":
            return self._place(position, action), []
        if action >= OPENING:
            return self._opening(position, action - OPENING)
        after, start, hand, direction = self._lift(position, action)
        laps: list[Lap] = []
        while True:
            lap, what, start, hand = self._one_lap(after, start, hand, direction)
            laps.append(lap)
            direction = 1
            if what == "end":
                self._end_turn(after)
                return after, laps
            if self._reversible(after, start, hand):
                after.phase = "lap"
                after.in_hand = hand
                after.fields["pit"] = start
                after.fields["hand"] = hand
                return after, laps
            if len(laps) >= self.max_laps:
                return self._annulled(position), laps

    def _place(self, position: Position, pit: int) -> Position:
        after = position.copy()
        after.board[after.player][pit] += 1
        after.in_hand -= 1
        if sum(after.board[after.player]) == SEEDS:
            if after.player == 0:
                after.player = 1
            else:
                after.player = 0
                after.phase = "sow"
                self._settle(after)
        return after

    def _opening(self, position: Position, pit: int) -> tuple[Position, list[Lap]]:
        """Okukoneeza: of a pit of three, two into the next pit and one into the pit after."""
        after = position.copy()
        ring = after.board[after.player]
        ring[pit] = 0
        ring[(pit + 1) % SIZE] += 2
        ring[(pit + 2) % SIZE] += 1
        self._end_turn(after)
        return after, [Lap(start=pit, hand=3, direction=1, landing=(pit + 2) % SIZE)]

    def _end_turn(self, position: Position) -> None:
        me, enemy = position.player, 1 - position.player
        took = position.fields["took"]
        ends = position.fields["ends"]
        last_end = position.fields["last_end"]
        captured_before = position.fields["capturers"]
        position.fields.update(TURN_FIELDS)

        moved = list(position.fields["moved"])
        moved[me] = True
        position.fields["moved"] = tuple(moved)
        if took:
            capturers = list(captured_before)
            capturers[me] = True
            position.fields["capturers"] = tuple(capturers) if self.akakyala else (True, True)

        kind = None
        if took and sum(position.board[enemy]) == 0 and last_end:
            kind = "akawumbi"
        elif took and (sum(position.board[enemy][COLUMNS:]) == 0 or ends == 3):
            kind = "okutema"
        elif self.akakyala and took and captured_before[me] and not captured_before[enemy]:
            kind = "akakyala"

        position.phase = "sow"
        position.player = enemy
        if kind is not None:
            position.phase = "over"
            position.winner = me
            position.win_kind = kind
        else:
            self._settle(position)

    def _settle(self, position: Position) -> None:
        """Bulijo: the player to move cannot, and the other has won."""
        if max(position.board[position.player]) <= 1:
            position.phase = "over"
            position.winner = 1 - position.player
            position.win_kind = "bulijo"

    def _annulled(self, position: Position) -> Position:
        annulled = position.copy()
        annulled.phase = "annulled"
        annulled.win_kind = "annulled"
        annulled.winner = None
        return annulled
