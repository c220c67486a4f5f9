"""The ``human`` agent: a person at the terminal.

``mancala play`` puts the same question and adds commands such as undo and hint.

Read first: ``agent.py``.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from mancala_ai.errors import AgentError, IllegalActionError, shown
from mancala_ai.render.text import NAMES

from .agent import Agent, Info

if TYPE_CHECKING:
    from mancala_ai.state import State

MOST_LISTED = 30  # moves that a message lists; the offers of Goré are more


class HumanAgent(Agent):
    """A person who sees the board and types moves (``read_move``)."""

    NAME = "human"

    def choose(self, state: State, seconds: float | None) -> tuple[int, Info]:
        print(state)
        while True:
            try:
                return read_move(state, ask(f"{NAMES[state.player]}> ")), {}
            except IllegalActionError as error:
                print(error)
            except EOFError:
                raise AgentError(f"{self.spec}: the input has ended") from None


def ask(prompt: str) -> str:
    """The line that a person types; EOFError at the end of the input.

    What does not come from a terminal is printed, so that the output reads like a session.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise EOFError
    if not sys.stdin.isatty():
        line = input(prompt)
        print(line)
        return line.strip()
    with suppress(ImportError):
        import readline  # noqa: F401  # input() then lets lines be edited and recalled
    return input(prompt).strip()


def read_move(state: State, text: str) -> int:
    """The legal action that a person means.

    A move is written in the game's notation. Where no notation is a number, the number of
    an action serves as well; so ``3`` is the third pit in Kalah, and action 3 in Omweso.

    Raises
    ------
    IllegalActionError
        In one line: there is no such move here, and which there are.
    """
    if numbers_are_free(state) and re.fullmatch("[0-9]{1,9}", text):
        if int(text) in state.legal_actions():
            return int(text)
    else:
        with suppress(IllegalActionError):
            return state.text_to_action(text)
    raise IllegalActionError(f"{shown(text)} is no legal move here; {listed_moves(state)}")


def numbers_are_free(state: State) -> bool:
    """Whether no move of the game is written as a number."""
    return not any(name.isdigit() for name in state.game.action_names(state.player))


def listed_moves(state: State) -> str:
    """The legal moves in a few words."""
    moves = [state.action_to_text(action) for action in state.legal_actions()]
    more = len(moves) - MOST_LISTED
    return "legal: " + " ".join(moves[:MOST_LISTED]) + (f" ... and {more} more" if more > 0 else "")
