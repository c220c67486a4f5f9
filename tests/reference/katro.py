"""Slow twin of Katro (6 x 6, Madagascar): written from the rules sheet alone, for the tests.

The only phase is "sow". Field ``directions``: the direction each player has fixed (0 none yet,
1 forward, -1 mirrored); used only with ``direction="kept"``.
"""

from __future__ import annotations

from typing import Any

from .common import Lap, Position, Twin


class Katro(Twin):
    def __init__(
        self,
        rows: int = 3,
        columns: int = 6,
        direction: str = "forward",
        lone_seed: bool = False,
        max_laps: int = 10_000,
    ) -> None:
        self.rows = rows
        self.columns = columns
        self.direction = direction
        self.lone_seed = lone_seed
        self.max_laps = max_laps
        self.size = rows * columns
        self.num_actions = 3 * self.size
        # The two paths as lists of (row, column from the owner's left), row 0 being the outer.
        forward: list[tuple[int, int]] = []
        mirrored: list[tuple[int, int]] = []
        for row in range(rows):
            left_to_right = [(row, column) for column in range(columns)]
            right_to_left = left_to_right[::-1]
            forward += left_to_right if row % 2 == 0 else right_to_left
            mirrored += right_to_left if row % 2 == 0 else left_to_right
        self.place_of = forward  # pit -> (row, column)
        self.pit_at = {place: pit for pit, place in enumerate(forward)}
        self.after: dict[int, dict[int, int]] = {1: {}, -1: {}}  # direction -> pit -> next pit
        for way, path in ((1, forward), (-1, mirrored)):
            pits = [self.pit_at[place] for place in path]
            for i, pit in enumerate(pits):
                self.after[way][pit] = pits[(i + 1) % self.size]

    def initial(self) -> Position:
        return self.position([[2] * self.size, [2] * self.size])

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
            fields={"directions": (0, 0), **fields},
        )
        position.fields["directions"] = tuple(position.fields["directions"])
        if phase == "sow":
            self._settle(position)
        return position

    def legal(self, position: Position) -> list[int]:
        if position.finished:
            return []
        ring = position.board[position.player]
        outermost = min(self._held_rows(ring))
        pits = [p for p in range(self.size) if ring[p] > 0 and self.place_of[p][0] == outermost]
        actions: list[int] = []
        if 1 in self._ways(position):
            actions += pits
        if -1 in self._ways(position):
            actions += [self.size + pit for pit in pits]
        if self.lone_seed and sum(ring) == 1 and outermost < self.rows - 1:
            actions.append(2 * self.size + pits[0])
        return actions

    def apply(self, position: Position, action: int) -> Position:
        return self._play(position, action)[0]

    def laps(self, position: Position, action: int) -> list[Lap]:
        return self._play(position, action)[1]

    def relay(
        self, position: Position, action: int, max_laps: int
    ) -> tuple[int, bool | None, int | None]:
        self._check(position, action)
        after = position.copy()
        ring = after.board[after.player]
        start, way, step = self._decode(position, action)
        hand = ring[start]
        ring[start] = 0
        first = (list(ring), start, hand)
        made = 0
        made_before_stretch = 0
        while True:
            lap, what, start, hand = self._one_lap(after, start, hand, way, step)
            made += 1
            step = False
            if what == "end":
                return made, True, 0
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
        return (1.0, 0.0) if position.winner == 0 else (0.0, 1.0)

    # -- the parts ---------------------------------------------------------------------

    def _check(self, position: Position, action: int) -> None:
        if action not in self.legal(position):
            raise ValueError(f"Katro: action {action} is not legal in phase {position.phase}")

    def _held_rows(self, ring: list[int]) -> list[int]:
        """The rows of a player that hold any seed."""
        return sorted({self.place_of[pit][0] for pit in range(self.size) if ring[pit] > 0})

    def _ways(self, position: Position) -> list[int]:
        """The directions in which the player may sow."""
        if self.direction == "forward":
            return [1]
        kept = position.fields["directions"][position.player]
        if self.direction == "kept" and kept != 0:
            return [kept]
        return [1, -1]

    def _decode(self, position: Position, action: int) -> tuple[int, int, bool]:
        """An action's start pit, its direction, and whether it steps the lone seed."""
        pit = action % self.size
        if action < self.size:
            return pit, 1, False
        if action < 2 * self.size:
            return pit, -1, False
        kept = position.fields["directions"][position.player]
        return pit, (kept if self.direction == "kept" and kept != 0 else 1), True

    def _target(self, position: Position, landing: int) -> int | None:
        """The enemy pit that a last seed just fallen into ``landing`` captures, if any."""
        ring = position.board[position.player]
        enemy = position.board[1 - position.player]
        row, column = self.place_of[landing]
        enemy_rows = self._held_rows(enemy)
        if row != max(self._held_rows(ring)) or not enemy_rows:
            return None
        target = self.pit_at[(max(enemy_rows), self.columns - 1 - column)]
        return target if enemy[target] > 0 else None

    def _one_lap(
        self, position: Position, start: int, hand: int, way: int, step: bool
    ) -> tuple[Lap, str, int, int]:
        """Sow a lifted hand. What follows is "end", "relay" or "capture", with the start and
        the hand (lifted) of the lap that comes next."""
        enemy = 1 - position.player
        ring = position.board[position.player]
        if step:
            row, column = self.place_of[start]
            landing = self.pit_at[(row + 1, column)]
        else:
            landing = start
            for _ in range(hand - 1):
                landing = self.after[way][landing]
                ring[landing] += 1
            landing = self.after[way][landing]
        occupied = ring[landing] > 0
        ring[landing] += 1
        lap = Lap(start=start, hand=hand, direction=way, landing=landing)
        if not occupied and not step:
            return lap, "end", 0, 0
        target = self._target(position, landing)
        if target is None and step:
            return lap, "end", 0, 0
        if target is None:
            lifted = ring[landing]
            ring[landing] = 0
            return lap, "relay", landing, lifted
        taken = position.board[enemy][target]
        position.board[enemy][target] = 0
        lap.captured[(enemy, target)] = taken
        if sum(position.board[enemy]) == 0:
            ring[landing] += taken
            return lap, "end", 0, 0
        lifted = taken + ring[landing]
        ring[landing] = 0
        return lap, "capture", landing, lifted

    def _play(self, position: Position, action: int) -> tuple[Position, list[Lap]]:
        self._check(position, action)
        after = position.copy()
        ring = after.board[after.player]
        start, way, step = self._decode(position, action)
        if self.direction == "kept" and not step:
            directions = list(after.fields["directions"])
            directions[after.player] = way
            after.fields["directions"] = tuple(directions)
        hand = ring[start]
        ring[start] = 0
        laps: list[Lap] = []
        while True:
            lap, what, start, hand = self._one_lap(after, start, hand, way, step)
            laps.append(lap)
            step = False
            if what == "end":
                after.player = 1 - after.player
                self._settle(after)
                return after, laps
            if len(laps) >= self.max_laps:
                return self._annulled(position), laps

    def _settle(self, position: Position) -> None:
        """The player to move without a seed loses."""
        if sum(position.board[position.player]) == 0:
            position.phase = "over"
            position.winner = 1 - position.player
            position.win_kind = "no_move"

    def _annulled(self, position: Position) -> Position:
        annulled = position.copy()
        annulled.phase = "annulled"
        annulled.win_kind = "annulled"
        annulled.winner = None
        return annulled
