"""What a person is shown of a game: boards in colour, moves with their laps, agents' findings.

Read first: ``../render/text.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .output import on_terminal

if TYPE_CHECKING:
    from rich.console import Console

    from mancala_ai.agents import Info
    from mancala_ai.state import Lap, State

MOST_TRACED = 10_000  # laps of a move that are looked at one by one


@dataclass(frozen=True)
class Effect:
    """What an action does, up to the next decision.

    Attributes
    ----------
    after : State
        The position that it leads to.
    laps : int
        Laps of its relay, 0 if it sows nothing; of one that never ends, up to where it
        first repeats.
    ends : bool or None
        None: it did not end within ``laps`` laps, and nothing was proven.
    period : int
        Laps after which it repeats if it never ends, else 0.
    trace : tuple of Lap
        The laps, as many as are played; empty if they are too many to be told or never end.
    taken : int or None
        Seeds captured by those laps, or by an action that sows nothing; None if not told.
    """

    after: State
    laps: int
    ends: bool | None
    period: int
    trace: tuple[Lap, ...]
    taken: int | None


def effects(state: State, actions: Iterable[int], max_laps: int = MOST_TRACED) -> list[Effect]:
    """What each of some legal actions does; ``max_laps`` laps are looked at."""
    lengths = state.game.relay_lengths(state, max_laps=max_laps)
    return [_effect(state, action, *lengths.get(action, (0, True, 0))) for action in actions]


def _effect(state: State, action: int, laps: int, ends: bool | None, period: int | None) -> Effect:
    after = state.apply(action)
    trace = tuple(state.trace(action)) if ends and 0 < laps <= MOST_TRACED else ()
    taken: int | None
    if trace:
        taken = sum(seeds for lap in trace for seeds in lap.captured.values())
    elif laps:
        taken = None
    else:
        taken = max(0, int(after.captured[state.player] - state.captured[state.player]))
    return Effect(after, laps, ends, period or 0, trace, taken)


def move_lines(state: State, action: int) -> list[str]:
    """What an action does, in some lines: the move, and the laps of its relay."""
    from mancala_ai.render.text import NAMES, describe_lap, describe_laps

    (effect,) = effects(state, [action])
    move = f"{NAMES[state.player]} plays {state.action_to_text(action)}"
    if not effect.laps:
        return [f"{move}, {effect.taken} taken" if effect.taken else move]
    if remark := relay_remark(effect):
        return [f"{move}: {remark}"]
    if len(effect.trace) == 1:
        return [f"{move}: {describe_lap(state, effect.trace[0])}"]
    return [f"{move}: {effect.laps} laps", *describe_laps(state, effect.trace)]


def relay_remark(effect: Effect) -> str:
    """What is to be said of a relay that is not told lap by lap; empty if it is."""
    if effect.period:
        return f"never ends, repeats after {effect.period:,} lap{'s' * (effect.period > 1)}"
    if effect.laps and not effect.trace:
        return f"{effect.laps:,} laps" if effect.ends else f"more than {effect.laps:,} laps"
    return f"{effect.laps:,} laps, too many" if effect.after.annulled else ""


def show_board(console: Console, state: State, before: State | None = None) -> None:
    """Draw the board; on a terminal with colours for pits that gained or lost seeds."""
    from rich.text import Text

    from mancala_ai.render.text import draw

    colours = console.color_system is not None and not console.no_color
    changes = state.board - (state if before is None else before).board

    def paint(player: int, pit: int, text: str) -> str:
        change = changes[player, pit]
        style = "1;32" if change > 0 else "31" if change < 0 else "2" if "." in text else "0"
        return f"\x1b[{style}m{text}\x1b[0m"

    width = console.width if on_terminal(console) else None
    board = draw(state, paint if colours else None, width)
    console.print(Text.from_ansi(board), soft_wrap=True)


def value_text(objective: str, value: float) -> str:
    """A value in the words of its objective."""
    return f"{round(value, 2):+g} seeds" if objective == "margin" else f"{value:.1%}"


def line_text(state: State, actions: Iterable[int]) -> list[str]:
    """A line of play in the game's notation, as far as it is legal: engines may err."""
    texts = []
    for action in actions:
        if action not in state.legal_actions():
            break
        texts.append(state.action_to_text(action))
        state = state.apply(action)
    return texts


def finding(state: State, info: Info) -> str:
    """What an agent found out in a position; empty if it looked at nothing."""
    parts = []
    if "value" in info:
        exact = " exactly" if info.get("proven") else ""
        parts.append(value_text(info.get("objective", "win"), info["value"]) + exact)
    if "depth" in info:
        parts.append(f"depth {info['depth']}")
    if "num_simulations" in info:
        parts.append(f"{info['num_simulations']:,} simulations")
    if parts and "principal_variation" in info:
        parts.append("line " + " ".join(line_text(state, info["principal_variation"][:10])))
    return ", ".join(parts)
