"""``mancala analyse``: what every move of a position does, and what it is worth.

Read first: ``display.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .inputs import AgentSpec, Flag, GameSpec, PositionText, make_game, position_of
from .output import new_console, new_table, print_table, shown_waiting, write_json
from .running import closing, interruptible

if TYPE_CHECKING:
    from mancala_ai.agents import Agent, Info
    from mancala_ai.state import State

    from .display import Effect

DEFAULT_SECONDS = 0.5
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
    game: GameSpec,
    /,
    *,
    position: PositionText = None,
    agent: AgentSpec | None = None,
    seconds: float | None = None,
    json: Flag = False,
) -> None:
    r"""Show what every legal move does and is worth, the best first.

    Laps and captured seeds are those up to the next decision. Values are the mover's: seeds
    won from here to the end, less those of the opponent, or, where the last move decides,
    the expected result (a win counts 1, a draw 1/2). The agent looks at the position after
    each move in turn; with one that gives no values, there are none.

        mancala analyse kalah
        mancala analyse omweso:akakyala=True --seconds 2
        mancala analyse kalah --agent mcts --position \
          "4,4,0,5,5,5/4,4,4,4,4,4 south captured=1,0"

    Parameters
    ----------
    game
        NAME or NAME:option=value,... (see `mancala games`).
    position
        The position in one line (as `state.to_text()` gives it, and `perft --json`); the
        initial one if left out.
    agent
        Who gives the values, as NAME or NAME:option=value,...; if left out, alphabeta with half
        a second for each move.
    seconds
        Time for each move at most.
    json
        Print JSON instead of a table.
    """
    from mancala_ai.agents import make_agent
    from mancala_ai.agents.agent import check_seconds, natural_objective

    from .display import effects

    state = position_of(make_game(game), position)
    check_seconds(seconds)
    if agent is None:
        agent, seconds = "alphabeta", seconds or DEFAULT_SECONDS
    with closing(make_agent(agent)) as judge:
        actions = state.legal_actions()
        found = interruptible(lambda: effects(state, actions, MAX_LAPS))
        lines = [after_forced_moves(state, action) for action in actions]
        infos = _infos([after for after, _ in lines], judge, seconds)
        objective = natural_objective(state.game, judge.options.get("objective"))
        objective = next((info["objective"] for info in infos if "objective" in info), objective)
    values = [_value(state, *parts, objective) for parts in zip(lines, infos, strict=True)]
    if None in values:  # without values there is no order
        values = [None] * len(actions)
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


def after_forced_moves(state: State, action: int) -> tuple[State, list[int]]:
    """The position with a choice that an action leads to, and the actions up to there.

    An agent that has but one move may play it without a thought.
    """
    line = [action]
    state = state.apply(action)
    while len(state.legal_actions()) == 1 and len(line) <= MOST_FORCED:
        line += state.legal_actions()
        state = state.apply(line[-1])
    return state, line


def _infos(states: Sequence[State], judge: Agent, seconds: float | None) -> list[Info]:
    """What the agent finds in each position; nothing in finished ones."""
    infos: list[Info] = []
    with shown_waiting(sys.stderr) as show:
        for number, state in enumerate(states, 1):
            show(f"looking at move {number} of {len(states)}")
            if state.is_terminal:
                infos.append({})
            else:
                interruptible(partial(judge.act, state, seconds))
                infos.append(judge.last_info)
    return infos


def _value(
    state: State, played: tuple[State, list[int]], info: Info, objective: str
) -> Value | None:
    """What a line of play is worth; None if the agent that looked at its end did not say."""
    after, line = played
    if after.is_terminal:
        return Value(exact_value(state, after, objective), True, len(line), line)
    if "value" not in info:
        return None
    return Value(
        passed_back(state, after, info["value"], objective),
        info.get("proven", False),
        info["depth"] + len(line) if "depth" in info else None,
        line + info.get("principal_variation", []),
    )


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
    table = new_table(*titles, numbers=NUMBERS, texts=TEXTS)
    for row in rows:
        table.add_row(*(row[title] for title in titles))
    print()
    print_table(table)


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

    from .display import relay_remark

    after = effect.after
    if remark := relay_remark(effect):
        return remark
    if after.is_terminal:
        return status(after)
    if after.player == state.player:
        return "again" if after.phase == state.phase else status(after)
    return ""
