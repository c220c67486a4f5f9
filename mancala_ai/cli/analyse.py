"""``mancala analyse``: what every move of a position does, and what it is worth.

Read first: ``display.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from .inputs import make_game, position_of
from .output import new_console, new_table, print_table, shown_waiting, write_json
from .running import interruptible

if TYPE_CHECKING:
    from mancala_ai.agents import Agent
    from mancala_ai.state import State

    from .display import Effect

MAX_LAPS = 10**7  # looked at before a move is left undecided
MOST_FORCED = 100  # moves; two players can be forced to go round for ever
LINE_SHOWN = 8  # moves of a best line in the table
NUMBERS, TEXTS = ("laps", "taken", "value", "depth"), ("then", "best line")  # columns


@dataclass(frozen=True)
class Value:
    """What a move is worth to the player who makes it.

    Attributes
    ----------
    value : float
        Seeds or an expected result, as the objective of the analysis says.
    proven : bool
        Whether it is exact.
    depth : int or None
        Decisions looked ahead, the move included, if the agent tells.
    line : list of int
        The best line, the move itself first.
    """

    value: float
    proven: bool
    depth: int | None
    line: list[int]


@dataclass(frozen=True)
class Move:
    """A legal move: what it does, and what it is worth if somebody knows."""

    action: int
    effect: Effect
    value: Value | None


def analyse(
    game: str,
    /,
    *,
    position: str | None = None,
    agent: str = "alphabeta:seconds=0.5",
    seconds: float | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Show what every legal move does and is worth, the best first.

    Laps and captured seeds are those up to the next decision. Values are the mover's: seeds
    won from here to the end, less those of the opponent, or, where the last move decides,
    the expected result (a win counts 1, a draw 1/2). The agent looks at the position after
    each move in turn; with one that gives no values, there are none.

    Parameters
    ----------
    game
        NAME or NAME:option=value,... (see `mancala games`).
    position
        In the one-line form of the library (`state.to_text()`); the initial one if left out.
    agent
        The agent that gives the values, as NAME:option=value,...
    seconds
        Time for each move, instead of what the agent's own options say.
    json
        Print JSON.
    """
    from mancala_ai.agents import make_agent
    from mancala_ai.agents.agent import check_seconds, natural_objective

    from .display import effects

    state = position_of(make_game(game), position)
    check_seconds(seconds)
    judge = make_agent(agent)
    with closing(judge):
        objective = natural_objective(state, judge.options.get("objective"))
        actions = state.legal_actions()
        found = interruptible(lambda: effects(state, actions, MAX_LAPS))
        values = _values(state, actions, found, judge, objective, seconds)
    moves = [Move(*parts) for parts in zip(actions, found, values, strict=True)]
    moves.sort(key=lambda move: -move.value.value if move.value else 0)
    if json:
        head = {
            "game": state.game.name,
            "options": dict(state.game.options),
            "position": state.to_text(),
            "agent": judge.spec,
            "objective": objective,
        }
        write_json(head | {"moves": [_json_row(state, move) for move in moves]}, sys.stdout)
    else:
        _print(state, moves, objective)


def _values(
    state: State,
    actions: Sequence[int],
    found: Sequence[Effect],
    judge: Agent,
    objective: str,
    seconds: float | None,
) -> Sequence[Value | None]:
    """What each action is worth; nothing but None if the agent gives no values."""
    values = []
    with shown_waiting(sys.stderr) as show:
        for action, effect in zip(actions, found, strict=True):
            show(f"looking at {state.action_to_text(action)}")
            after, forced = after_forced_moves(effect.after)
            line = [action, *forced]
            if after.is_terminal:
                value = exact_value(state, after, objective)
                values.append(Value(value, True, len(line), line))
                continue
            interruptible(partial(judge.act, after, seconds))
            info = judge.last_info
            if "value" not in info:
                return [None] * len(actions)
            value = passed_back(state, after, info["value"], objective)
            depth = info["depth"] + len(line) if "depth" in info else None
            line += info.get("principal_variation", [])
            values.append(Value(value, info.get("proven", False), depth, line))
    return values


def after_forced_moves(state: State) -> tuple[State, list[int]]:
    """The next position in which there is a choice, and the actions that lead there.

    An agent that has but one move may play it without a thought.
    """
    forced: list[int] = []
    while len(state.legal_actions()) == 1 and len(forced) < MOST_FORCED:
        forced += state.legal_actions()
        state = state.apply(forced[-1])
    return state, forced


def exact_value(state: State, after: State, objective: str) -> float:
    """What a game that is finished in ``after`` is worth to the player who moves in ``state``."""
    if objective == "margin":
        return _gain(state, after)
    return (1 + after.returns[state.player]) / 2


def passed_back(state: State, after: State, value: float, objective: str) -> float:
    """The value of ``state`` for its mover if play goes on to ``after``.

    ``value`` is that of ``after``, for whoever moves there: perhaps the same player.
    """
    same = after.player == state.player
    if objective == "margin":
        return _gain(state, after) + (value if same else -value)
    return value if same else 1 - value


def _gain(state: State, after: State) -> int:
    """The seeds that the mover of ``state`` has won, less those of the opponent."""
    won = after.captured - state.captured
    return int(won[state.player] - won[1 - state.player])


def _json_row(state: State, move: Move) -> dict[str, Any]:
    from .display import line_text

    effect, value = move.effect, move.value
    row: dict[str, Any] = {
        "action": move.action,
        "text": state.action_to_text(move.action),
        "laps": effect.laps,
        "ends": effect.ends,
        "period": effect.period or None,
        "landing": effect.trace[-1].landing if effect.trace else None,
        "captured": effect.taken,
        "after": effect.after.to_text(),
        "points": list(effect.after.points) if effect.after.is_terminal else None,
        "win_kind": effect.after.win_kind,
    }
    if value is not None:
        row |= asdict(value) | {"line_text": line_text(state, value.line)}
    return row


def _print(state: State, moves: Sequence[Move], objective: str) -> None:
    from .display import show_board

    show_board(new_console(sys.stdout), state)
    if not moves:
        return
    rows = [_cells(state, move, objective) for move in moves]
    titles = [title for title in rows[0] if any(row[title] for row in rows)]
    table = new_table(*titles)
    for column, title in zip(table.columns, titles, strict=True):
        column.justify = "right" if title in NUMBERS else "left"
        column.overflow, column.no_wrap = "fold", title not in TEXTS
    for row in rows:
        table.add_row(*(row[title] for title in titles))
    print()
    print_table(table, wrap=True)


def _cells(state: State, move: Move, objective: str) -> dict[str, str]:
    """What the table says of a move, by the titles of its columns."""
    from mancala_ai.render.text import pit_name

    from .display import line_text, value_text

    effect = move.effect
    cells = {
        "move": state.action_to_text(move.action),
        "laps": f"{effect.laps:,}" if effect.laps else "",
        "to": pit_name(state, effect.trace[-1].landing) if effect.trace else "",
        "taken": str(effect.taken or ""),
        "then": _what_follows(state, effect),
    }
    if (value := move.value) is not None:
        line = line_text(state, value.line[:LINE_SHOWN])
        more = ["..."] if len(value.line) > LINE_SHOWN else []
        cells["value"] = value_text(objective, value.value)
        cells["exact"] = "yes" if value.proven else ""
        cells["depth"] = str(value.depth or "")
        cells["best line"] = " ".join(line + more)
    return cells


def _what_follows(state: State, effect: Effect) -> str:
    """What comes after a move, if it is not just the other player's turn."""
    from mancala_ai.render.text import status

    from .display import why_annulled

    after = effect.after
    if after.is_terminal:
        return why_annulled(effect) or status(after)
    if after.player == state.player:
        return "again" if after.phase == state.phase else status(after)
    return ""
