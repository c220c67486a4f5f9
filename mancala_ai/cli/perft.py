"""``mancala perft``: sequences of decisions, counted."""

from __future__ import annotations

import sys
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from .inputs import Flag, GameSpec, PositionText, integer, make_game, position_of
from .output import write_json
from .running import interruptible

if TYPE_CHECKING:
    from mancala_ai.game import Game
    from mancala_ai.state import State


def perft(
    game: GameSpec,
    depth: Annotated[int, Parameter(converter=integer, validator=Number(gte=0, lte=1000))],
    /,
    *,
    divide: Flag = False,
    position: PositionText = None,
    json: Flag = False,
) -> None:
    """Count the sequences of exactly DEPTH decisions; the test of a rules engine.

    An action that ends the game counts, and nothing follows it.

        mancala perft kalah 8
        mancala perft katro:rows=2,columns=4 5 --divide

    Parameters
    ----------
    game
        NAME or NAME:option=value,... (see `mancala games`).
    depth
        Number of decisions; every depth up to it is counted and printed.
    divide
        Print the count behind each first action instead.
    position
        Count from this position, not from the initial one; in one line, as
        `state.to_text()` gives it.
    json
        Print JSON instead of lines.
    """
    played = make_game(game)
    state = position_of(played, position)
    head = {
        "game": played.name,
        "options": dict(played.options),
        "position": state.to_text(),
        "depth": depth,
    }
    if divide:
        report = {"divide": _divide(played, state, depth, show=not json)}
    else:
        report = {"counts": _count(played, state, depth, show=not json)}
    if json:
        write_json(head | report, sys.stdout)


def _count(game: Game, state: State, depth: int, show: bool) -> list[dict[str, Any]]:
    """Perft at every depth up to ``depth``, printed as it is found if ``show``."""
    interruptible(partial(game.perft, 2, state))  # compiles; only counting is timed
    rows = []
    for plies in range(min(depth, 1), depth + 1):
        begin = perf_counter()
        count = int(interruptible(partial(game.perft, plies, state)))
        seconds = perf_counter() - begin
        rows.append({"depth": plies, "count": count, "seconds": seconds})
        if show:
            print(f"{plies:3}  {count:18}  {seconds:9.3f} s", flush=True)
    return rows


def _divide(game: Game, state: State, depth: int, show: bool) -> list[dict[str, Any]]:
    """Perft behind each first action, printed if ``show``."""
    counts = interruptible(partial(game.perft_divide, depth, state)) if depth else {}
    rows = [
        {"action": int(action), "text": state.action_to_text(action), "count": int(count)}
        for action, count in counts.items()
    ]
    if show:
        for row in rows:
            print(f"{row['text']} ({row['action']}): {row['count']}")
        print(f"total: {sum(counts.values()) if depth else 1}")
    return rows
