"""What a page is told of a game: pictures, pits and moves in words, all of it plain JSON.

Read first: ``../render/scene.py``, ``../cli/display.py``. Read next: ``board.js``.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

from ..cli.display import effects, move_lines, value_text
from ..render.animation import game_scenes
from ..render.scene import PIT, centres, scene
from ..render.svg import write_svg
from ..render.text import NAMES, status
from ..state import State
from .hints import Hint

Move = tuple[State, int]  # a position and what was played there

LARGEST_PIT = 72  # pixels
KINDS = {"head": "head", "out": "out of play", "pending": "to be decided on"}


def position_view(state: State, last: Move | None, asked: bool) -> dict[str, Any]:
    """A position as a page shows it.

    Parameters
    ----------
    state : State
    last : tuple of State and int, optional
        The position before and the action that led here.
    asked : bool
        Whether a person is to decide, on this page; else nothing can be played.

    Returns
    -------
    dict
        ``picture``, an SVG, and the ``width`` in pixels beyond which it does not grow; ``size``,
        the diameter of a pit, and ``pits``, South's and then North's, each with its middle ``x``
        and ``y``, in per cent of the picture, its ``label``, and the ``moves`` that are about
        it; ``choices``, all other moves. A move has an ``action`` and a ``label``.
    """
    drawn = scene(state, last)
    moves = _moves_by_place(state) if asked else {}
    places = [(player, pit) for player in (0, 1) for pit in range(state.game._pits)]
    across, down = 100 / drawn.width, 100 / drawn.height
    return {
        "picture": write_svg(drawn, theme="auto"),
        "width": round(LARGEST_PIT * drawn.width),
        "size": 2 * PIT * across,
        "pits": [
            {
                "x": x * across,
                "y": y * down,
                "label": pit_label(state, place, [deed for _, deed in moves.get(place, ())]),
                "moves": _labelled(state, moves.get(place, [])),
            }
            for place, (x, y) in zip(places, centres(state.game), strict=False)
        ],
        "choices": _labelled(state, moves.get(None, [])),
    }


def _moves_by_place(state: State) -> dict[tuple[int, int] | None, list[tuple[int, str]]]:
    """The legal actions, each with what it does, by the player and home pit they are about."""
    moves: dict[tuple[int, int] | None, list[tuple[int, str]]] = {}
    for action in state.legal_actions():
        number = state.game._pit_of(action)
        place = None if number is None else state.game._place(state.player, number)
        moves.setdefault(place, []).append((action, state.game._deed(state, action)))
    return moves


def _labelled(state: State, moves: list[tuple[int, str]]) -> list[dict[str, Any]]:
    return [{"action": action, "label": move_label(state, action)} for action, _ in moves]


def move_label(state: State, action: int) -> str:
    """A move in words: ``"m: sow clockwise"``, ``"Offer a, e"``."""
    game, number = state.game, state.game._pit_of(action)
    deed = game._deed(state, action)
    if number is None:
        return deed[0].upper() + deed[1:]
    return f"{game._pit_name(*game._place(state.player, number), state.player)}: {deed}"


def pit_label(state: State, place: tuple[int, int], deeds: list[str]) -> str:
    """A pit in words: ``"South pit 3: 4 seeds, legal"``."""
    player, pit = place
    seeds = int(state.board[player, pit])
    name = state.game._pit_name(player, pit, state.player)
    words = [f"{NAMES[player]} pit {name}: {seeds} seed{'s' * (seeds != 1)}"]
    kinds = state.game._pit_kinds(state).get(place, frozenset())
    words += [meaning for kind, meaning in KINDS.items() if kind in kinds]
    if "foreign" in kinds:
        words.append(f"belongs to {NAMES[1 - player]}")
    if deeds == ["sow"]:
        words.append("legal")
    elif deeds:
        words.append(f"legal: {' or '.join(deeds)}")
    return ", ".join(words)


def film(before: State, action: int, after: State) -> bytes:
    """The pictures between two positions, one a lap, each with the seconds it is shown.

    They are so alike that the JSON shrinks to a tenth or less: servers of notebooks drop what
    is sent too fast.
    """
    _, *laps, _ = game_scenes([before, after], [action])
    frames = [{"picture": write_svg(lap, theme="auto"), "seconds": time} for lap, time in laps]
    return gzip.compress(json.dumps(frames).encode())


def told(before: State, action: int) -> str:
    """A move in a sentence."""
    sentence, *more = move_lines(before, action)
    (effect,) = effects(before, [action])
    if more and effect.taken:
        sentence += f", {effect.taken} taken"
    return sentence + "."


def standing(state: State) -> str:
    """What the picture says of a game, for those who do not see it."""
    sentence = f"{status(state)}."
    if state.game.KEEPS_CAPTURES:
        south, north = state.captured
        sentence += f" Captured: South {south}, North {north}."
    return sentence


def news(state: State, thinks: str | None) -> str:
    """What there is to wait for, or who has won; ``thinks`` is the agent that decides, if any."""
    if thinks is not None:
        return f"{NAMES[state.player]} ({thinks}) is thinking."
    if not state.is_terminal:
        return ""
    south, north = state.points
    return f"{NAMES[north > south]} wins." if south != north else "Nobody wins."


def hint_view(state: State, hint: Hint, agent: str) -> dict[str, Any]:
    """A hint as a page shows it: a sentence, and the moves with their values, the best first.

    The move of the hint is the first: the agent had more time to think of it.
    """
    sentence = f"{agent} would play {state.action_to_text(hint.action)}"
    order = hint.values or hint.shares
    moves = sorted(state.legal_actions(), key=lambda a: (a != hint.action, -order.get(a, 0.0)))
    return {
        "said": f"{sentence} ({hint.finding})." if hint.finding else f"{sentence}.",
        "action": hint.action,
        "titles": ["move", *_columns(hint)],
        "rows": [
            {"action": action, "cells": [move_label(state, action), *_figures(hint, action)]}
            for action in moves
        ]
        if order
        else [],
    }


def _columns(hint: Hint) -> Iterator[str]:
    if hint.values:
        yield "value"
    if hint.shares:
        yield "share"


def _figures(hint: Hint, action: int) -> Iterator[str]:
    if hint.values:
        yield value_text(hint.objective, hint.values[action])
    if hint.shares:
        yield f"{hint.shares.get(action, 0.0):.0%}"
