"""A board, and what happened on it, as text: for terminals and ``print``.

Every board is drawn by the same rule: a player's rows from the outer to the inner,
the first sown to the right, the next to the left, and so on; North's half is
turned, as he sits opposite. The letters or numbers outside are the pits' names in
the game's notation, as the player who decides writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..state import Lap, State

NAMES = ("South", "North")

FIRST_LAPS, LAST_LAPS = 4, 3  # those of a long relay that are told


def draw(
    state: State, paint: Callable[[int, int, str], str] | None = None, width: int | None = None
) -> str:
    """The board of a state, North above, and a line that says who decides what.

    Parameters
    ----------
    state : State
    paint : callable, optional
        ``paint(player, pit, text)`` is shown instead of the text of a player's home pit;
        it may add colours, but must take as much room.
    width : int, optional
        Of the screen, in characters; the players' captions go above and below the board
        if they do not fit beside it, and a board that does not fit either is cut into parts,
        one below the other.
    """
    game = state.game
    board, fields = state.board.tolist(), state.fields
    cells = [
        [game._cell(fields, player, pit, seeds) for pit, seeds in enumerate(board[player])]
        for player in (0, 1)
    ]
    room = max(2, *(len(cell) for half in cells for cell in half)) + 1

    def line(player: int, texts: list[str]) -> list[str]:
        return texts[::-1] if player else texts

    def cell(player: int, pit: int) -> str:
        text = cells[player][pit].rjust(room)
        return paint(player, pit, text) if paint else text

    def row(player: int, number: int) -> list[str]:
        pits = [pit_at(number, column, game.columns) for column in range(game.columns)]
        return line(player, [cell(player, pit) for pit in pits])

    def labels(player: int) -> list[list[str]]:
        lines = game._column_labels(player, state.player)
        return [line(player, [text.rjust(room) for text in texts]) for texts in lines]

    above, below = [*reversed(labels(1))], labels(0)
    north = [row(1, number) for number in range(game.rows)]
    south = [row(0, number) for number in reversed(range(game.rows))]
    columns_shown = game.columns if width is None else max(1, width // room)
    parts = -(-game.columns // columns_shown)
    lines: list[str] = []
    for part in range(parts):
        begin, end = (game.columns * number // parts for number in (part, part + 1))
        divider = " " + "-" * (room * (end - begin) - 1)
        half = ["".join(texts[begin:end]) for texts in (*above, *north)]
        lines += [*([""] if part else []), *half, divider]
        lines += ["".join(texts[begin:end]) for texts in (*south, *below)]
    captions = [_caption(state, player) for player in (0, 1)]
    if width is None or room * game.columns + max(map(len, captions)) <= width:
        lines[len(above)] += captions[1]
        lines[-1 - len(below)] += captions[0]
    else:
        lines = [captions[1], *lines, captions[0]]
    return "\n".join([*lines, status(state)])


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


def describe_laps(state: State, laps: Sequence[Lap]) -> list[str]:
    """The laps of an action (:meth:`State.trace`), a line each; of a long relay only some.

    Parameters
    ----------
    state : State
        Where the action is played.
    laps : sequence of Lap
    """
    lines = [f"{number:>3}  {describe_lap(state, lap)}" for number, lap in enumerate(laps, 1)]
    left_out = laps[FIRST_LAPS:-LAST_LAPS]
    if len(left_out) > 1:
        lines[FIRST_LAPS:-LAST_LAPS] = [f"     ... {len(left_out)} laps{_taken(left_out)} ..."]
    return lines


def describe_lap(state: State, lap: Lap) -> str:
    """One lap in words."""
    seeds = f"{lap.hand} seed{'s' * (lap.hand != 1)}"
    way = " clockwise" if lap.direction < 0 else ""
    start, landing = (pit_name(state, number) for number in (lap.start, lap.landing))
    return f"{seeds} from {start}{way} to {landing}{_taken([lap])}"


def _taken(laps: Sequence[Lap]) -> str:
    taken = sum(seeds for lap in laps for seeds in lap.captured.values())
    return f", {taken} taken" if taken else ""


def pit_name(state: State, number: int) -> str:
    """A pit in the mover's numbers, by its name on the drawn board."""
    game = state.game
    if number >= 2 * game._pits:
        return "the store"
    owner, pit = game._place(state.player, number)
    name = game._pit_name(owner, pit, state.player)
    own = [game._pit_name(state.player, pit, state.player) for pit in range(game._pits)]
    return f"{NAMES[owner]}'s {name}" if owner != state.player and name in own else name
