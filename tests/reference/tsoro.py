"""Slow twin of Tsoro (4 x C, Zimbabwe): written from the rules sheet alone, for the tests.

Phases: "sow"; "head" (field ``pit``: the head just reached, its seeds still on the board);
"bonus" (field ``bonus``: how many takings are left, this one included).
"""

from __future__ import annotations

from typing import Any

from .common import Lap, Position, Twin


class Tsoro(Twin):
    def __init__(
        self,
        columns: int = 21,
        bonus: int = 2,
        heads: int = 2,
        protected_heads: bool = False,
        optional_bonus: bool = False,
        max_laps: int = 10_000,
    ) -> None:
        self.columns = columns
        self.bonus = bonus
        self.heads = heads
        self.protected_heads = protected_heads
        self.optional_bonus = optional_bonus
        self.max_laps = max_laps
        self.size = 2 * columns
        self.num_actions = 4 * columns + 2
        self.relay_action = 4 * columns
        self.stop_action = 4 * columns + 1
        # The rightmost outer pits: none, C-1 alone, or C-2 and C-1.
        self.head_pits = list(range(columns - heads, columns))

    def initial(self) -> Position:
        home = [2] * self.columns + [0] * self.columns
        if self.heads == 1:
            home[self.columns - 1] = 3
        return self.position([list(home), list(home)])

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
            fields={"pit": 0, "bonus": 0, **fields},
        )
        if phase == "sow":
            self._settle(position)
        return position

    def legal(self, position: Position) -> list[int]:
        if position.finished:
            return []
        if position.phase == "head":
            return [self.relay_action, self.stop_action]
        if position.phase == "bonus":
            actions = [2 * self.columns + pit for pit in self._targets(position)]
            if self.optional_bonus:
                actions.append(self.stop_action)
            return actions
        ring = position.board[position.player]
        large = [pit for pit in range(self.size) if ring[pit] >= 2]
        if large:
            return large
        return [
            pit for pit in range(self.size) if ring[pit] == 1 and ring[(pit + 1) % self.size] == 0
        ]

    def apply(self, position: Position, action: int) -> Position:
        return self._play(position, action)[0]

    def laps(self, position: Position, action: int) -> list[Lap]:
        return self._play(position, action)[1]

    def relay(
        self, position: Position, action: int, max_laps: int
    ) -> tuple[int, bool | None, int | None]:
        self._check(position, action)
        after = position.copy()
        start = self._start(position, action)
        ring = after.board[after.player]
        # Before it is lifted, the hand is what lies in the start pit.
        first = (list(ring), start)
        made = 0
        while True:
            lap, what = self._one_lap(after, start)
            made += 1
            if what != "relay":
                return made, True, 0
            start = lap.landing
            if (list(ring), start) == first:
                return made, False, made
            if made >= max_laps:
                return made, None, None

    def points(self, position: Position) -> tuple[float, float]:
        if position.phase != "over":
            return 0.0, 0.0
        return (1.0, 0.0) if position.winner == 0 else (0.0, 1.0)

    # -- the parts ---------------------------------------------------------------------

    def _check(self, position: Position, action: int) -> None:
        if action not in self.legal(position):
            raise ValueError(f"Tsoro: action {action} is not legal in phase {position.phase}")

    def _start(self, position: Position, action: int) -> int:
        """The pit that a sowing action lifts."""
        if action == self.relay_action:
            return position.fields["pit"]
        if action < self.size:
            return action
        raise ValueError(f"Tsoro: action {action} does not sow")

    def _targets(self, position: Position) -> list[int]:
        """The enemy pits that a bonus capture may take."""
        enemy = position.board[1 - position.player]
        pits = [pit for pit in range(self.size) if enemy[pit] > 0]
        if self.protected_heads:
            pits = [pit for pit in pits if pit not in self.head_pits]
        return pits

    def _one_lap(self, position: Position, start: int) -> tuple[Lap, str]:
        """Sow one pit, capture if it does, and say what follows: relay, head, end or capture."""
        me, enemy = position.player, 1 - position.player
        ring = position.board[me]
        hand = ring[start]
        ring[start] = 0
        pit = start
        for _ in range(hand - 1):
            pit = (pit + 1) % self.size
            ring[pit] += 1
        landing = (pit + 1) % self.size
        occupied = ring[landing] > 0
        ring[landing] += 1
        lap = Lap(start=start, hand=hand, direction=1, landing=landing)
        if occupied:
            return lap, "head" if landing in self.head_pits else "relay"
        if landing < self.columns:
            return lap, "end"
        facing_inner = 3 * self.columns - 1 - landing
        facing_outer = landing - self.columns
        if position.board[enemy][facing_inner] == 0:
            return lap, "end"
        for target in (facing_inner, facing_outer):
            taken = position.board[enemy][target]
            if taken > 0:
                position.board[enemy][target] = 0
                position.captured[me] += taken
                lap.captured[(enemy, target)] = taken
        return lap, "capture"

    def _play(self, position: Position, action: int) -> tuple[Position, list[Lap]]:
        self._check(position, action)
        after = position.copy()
        after.phase = "sow"
        after.fields["pit"] = 0
        after.fields["bonus"] = 0
        if action == self.stop_action:
            self._end_turn(after)
            return after, []
        if position.phase == "bonus":
            target = action - 2 * self.columns
            enemy = after.board[1 - after.player]
            after.captured[after.player] += enemy[target]
            enemy[target] = 0
            self._ask_bonus(after, position.fields["bonus"] - 1)
            return after, []
        start = self._start(position, action)
        laps: list[Lap] = []
        while True:
            lap, what = self._one_lap(after, start)
            laps.append(lap)
            if what == "relay":
                if len(laps) >= self.max_laps:
                    return self._annulled(position), laps
                start = lap.landing
                continue
            if what == "head":
                after.phase = "head"
                after.fields["pit"] = lap.landing
            elif what == "capture":
                self._ask_bonus(after, self.bonus)
            else:
                self._end_turn(after)
            return after, laps

    def _ask_bonus(self, position: Position, left: int) -> None:
        """Ask for a bonus capture if one is left and there is something to take."""
        if left > 0 and self._targets(position):
            position.phase = "bonus"
            position.fields["bonus"] = left
        else:
            self._end_turn(position)

    def _end_turn(self, position: Position) -> None:
        position.phase = "sow"
        position.player = 1 - position.player
        self._settle(position)

    def _settle(self, position: Position) -> None:
        """The player to move who has no move loses."""
        if not self.legal(position):
            position.phase = "over"
            position.winner = 1 - position.player
            position.win_kind = "no_move"

    def _annulled(self, position: Position) -> Position:
        annulled = position.copy()
        annulled.phase = "annulled"
        annulled.win_kind = "annulled"
        annulled.winner = None
        return annulled
