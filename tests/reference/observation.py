"""The observation of a state, written anew from what the state tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Cell = tuple[int, int]  # of the observer: row from the outer one, column from his left


class _View:
    """A state as one player sees it."""

    def __init__(self, state: Any, observer: int) -> None:
        self.state, self.me, self.you = state, observer, 1 - observer
        self.fields = state.fields
        self.rows, self.columns = state.game.rows, state.game.columns
        self.live = not state.is_terminal

    def pit(self, player: int, cell: Cell) -> int:
        """A player's home pit in a cell of the board, in his numbers.

        His rows are sown to his right and to his left in turn; the opponent sits opposite.
        """
        row, column = cell
        from_his_left = column if player == self.me else self.columns - 1 - column
        steps = from_his_left if row % 2 == 0 else self.columns - 1 - from_his_left
        return row * self.columns + steps

    def seeds(self, player: int) -> Callable[[Cell], int]:
        return lambda cell: self.state.board[player][self.pit(player, cell)]

    def decides(self, player: int) -> int:
        return int(self.live and self.state.player == player)

    def is_pit_of_mover(self, cell: Cell, pit: int) -> int:
        return int(self.pit(self.state.player, cell) == pit)

    def phases(self, *names: str) -> list[int]:
        return [int(self.state.phase == name) for name in names]

    def pair(self, name: str) -> list[int]:
        """A field of both players: the observer's first."""
        both = self.fields[name]
        return [int(both[self.me]), int(both[self.you])]

    def captured(self) -> list[int]:
        return [self.state.captured[self.me], self.state.captured[self.you]]


def _tsoro(view: _View) -> list[Any]:
    in_head, fields = view.state.phase == "head", view.fields
    return [
        *view.phases("sow", "head", "bonus"),
        lambda cell: in_head * view.is_pit_of_mover(cell, fields["pit"]),
        fields["bonus"],
    ]


def _omweso(view: _View) -> list[Any]:
    fields = view.fields
    if view.state.phase == "arrange":  # nobody has moved yet, whatever the fields say
        moved = capturers = [0, 0]
    else:
        moved, capturers = view.pair("moved"), view.pair("capturers")
    return [
        *view.phases("sow", "lap", "arrange"),
        lambda cell: fields["hand"] * view.is_pit_of_mover(cell, fields["pit"]),
        *moved,
        *capturers,
        fields["took"],
        int(fields["ends"] in (1, 3)),
        int(fields["ends"] in (2, 3)),
        fields["last_end"],
    ]


def _katro(view: _View) -> list[Any]:
    both = view.fields.get("directions", (0, 0))
    return [
        int(both[player] == way) for player in (view.me, view.you) for way in (1, -1)
    ]  # fmt: skip


def _gore(view: _View) -> list[Any]:
    owner, offered = view.state.owner, set()
    if view.state.phase == "answer":
        offerer = 1 - view.state.player
        for number in view.fields["offer"]:  # as he counts round the board
            offered.add((offerer if number < 4 else 1 - offerer, number % 4))

    def owned_in_row_of(player: int) -> Callable[[Cell], int]:
        return lambda cell: int(owner[player][view.pit(player, cell)] == view.me)

    def offered_in_row_of(player: int) -> Callable[[Cell], int]:
        return lambda cell: int((player, view.pit(player, cell)) in offered)

    return [
        *view.phases("sow", "answer"),
        *view.captured(),
        owned_in_row_of(view.me),
        owned_in_row_of(view.you),
        offered_in_row_of(view.me),
        offered_in_row_of(view.you),
        *view.pair("declined"),
    ]


def _hoyito_iii(view: _View) -> list[Any]:
    def in_play(player: int) -> Callable[[Cell], int]:
        return lambda cell: int(view.pit(player, cell) < view.fields["in_play"][player])

    return [*view.captured(), in_play(view.me), in_play(view.you)]


_OTHERS = {
    "tsoro": _tsoro,
    "omweso": _omweso,
    "katro": _katro,
    "gore": _gore,
    "hoyito_iii": _hoyito_iii,
    "kalah": _View.captured,
    "oware": _View.captured,
}


def observation(state: Any, observer: int) -> list[list[list[int]]]:
    """``[row][column][plane]``: what a player sees, as counts."""
    view = _View(state, observer)
    planes = [
        view.seeds(view.me),
        view.seeds(view.you),
        view.decides(view.me),
        view.decides(view.you),
        *_OTHERS[state.game.name](view),
    ]
    return [
        [
            [int(plane((row, column)) if callable(plane) else plane) for plane in planes]
            for column in range(view.columns)
        ]
        for row in range(view.rows)
    ]
