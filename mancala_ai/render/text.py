"""A board as text, for terminals and ``print``.

Every board is drawn by the same rule: a player's rows from the outer to the inner,
the first sown to the right, the next to the left, and so on; North's half is
turned, as he sits opposite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..game import State


def draw(state: State) -> str:
    """The board of a state, North above, and a line that says who decides what."""
    game = state.game
    board, captured = state.board.tolist(), state.captured.tolist()
    width = max(2, *(len(str(seeds)) for row in board for seeds in row)) + 1

    def line(player: int, row: int) -> str:
        pits = [board[player][pit_at(row, column, game.columns)] for column in range(game.columns)]
        if player == 1:
            pits.reverse()
        return "".join(f"{seeds or '.':>{width}}" for seeds in pits)

    north = [line(1, row) for row in range(game.rows)]
    south = [line(0, row) for row in reversed(range(game.rows))]
    divider = " " + "-" * (width * game.columns - 1)
    lines = [*north, divider, *south]
    for player, at in ((1, 0), (0, len(lines) - 1)):
        name = ("South", "North")[player]
        mark = ">" if player == state.player and not state.is_terminal else " "
        kept = f"  {captured[player]} captured" if captured[player] else ""
        lines[at] += f"  {mark} {name}{kept}"
    return "\n".join([*lines, status(state)])


def pit_at(row: int, column: int, columns: int) -> int:
    """The pit at a column counted from its owner's left; rows count from the outer one."""
    return row * columns + (columns - 1 - column if row % 2 else column)


def status(state: State) -> str:
    """Who decides what, or how the game ended."""
    if state.annulled:
        return "annulled"
    if state.is_terminal:
        points = " : ".join(f"{p:g}" for p in state.points)
        return f"finished, {points} ({state.win_kind})"
    hand = f", {state.in_hand} in hand" if state.in_hand else ""
    return f"{('South', 'North')[state.player]} to {state.phase}{hand}"
