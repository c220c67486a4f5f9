"""A board as text, for terminals and ``print``.

Every board is drawn by the same rule: a player's rows from the outer to the inner,
the first sown to the right, the next to the left, and so on; North's half is
turned, as he sits opposite. The letters or numbers outside are the pits' names in
the game's notation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..state import State

NAMES = ("South", "North")


def draw(state: State) -> str:
    """The board of a state, North above, and a line that says who decides what."""
    game = state.game
    board, fields = state.board.tolist(), state.fields
    cells = [
        [game._cell(fields, player, pit, seeds) for pit, seeds in enumerate(board[player])]
        for player in (0, 1)
    ]
    width = max(2, *(len(cell) for half in cells for cell in half)) + 1

    def line(player: int, texts: list[str]) -> str:
        texts = texts[::-1] if player else texts
        return "".join(f"{text:>{width}}" for text in texts)

    def row(player: int, number: int) -> str:
        pits = [pit_at(number, column, game.columns) for column in range(game.columns)]
        return line(player, [cells[player][pit] for pit in pits])

    labels = [[line(player, texts) for texts in game._column_labels(player)] for player in (0, 1)]
    north = [row(1, number) for number in range(game.rows)]
    south = [row(0, number) for number in reversed(range(game.rows))]
    north[0] += _caption(state, 1)
    south[-1] += _caption(state, 0)
    divider = " " + "-" * (width * game.columns - 1)
    return "\n".join([*reversed(labels[1]), *north, divider, *south, *labels[0], status(state)])


def _caption(state: State, player: int) -> str:
    mark = ">" if player == state.player and not state.is_terminal else " "
    kept = f"  {state.captured[player]} captured" if state.game.KEEPS_CAPTURES else ""
    return f"  {mark} {NAMES[player]}{kept}"


def pit_at(row: int, column: int, columns: int) -> int:
    """The pit at a column counted from its owner's left; rows count from the outer one."""
    return row * columns + (columns - 1 - column if row % 2 else column)


def status(state: State) -> str:
    """Who decides what, or how the game ended."""
    if state.annulled:
        return "annulled: the move never ends"
    if state.is_terminal:
        points = " : ".join(f"{p:g}" for p in state.points)
        return f"finished, {points} ({state.win_kind})"
    return f"{NAMES[state.player]} to {state.game._question(state)}"
