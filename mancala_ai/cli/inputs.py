"""What the commands are given: checks that the library does not make itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from . import completion

if TYPE_CHECKING:
    from mancala_ai.game import Game
    from mancala_ai.state import State


class InputError(ValueError):
    """Command-line input that is refused; its text is one line for the user."""


def integer(type_: Any, tokens: Sequence[Any]) -> int:
    """An integer as written; cyclopts itself would round 2.5."""
    text = tokens[0].value
    if not re.fullmatch("[+-]?[0-9]+", text):
        raise ValueError(f"{text!r} is not an integer")
    return int(text)


def _folder(type_: Any, tokens: Sequence[Any]) -> Path:
    """A folder; an empty name, as of a variable of the shell that is not set, is none."""
    return _named("folder", tokens)


def _file(type_: Any, tokens: Sequence[Any]) -> Path:
    return _named("file", tokens)


def _named(what: str, tokens: Sequence[Any]) -> Path:
    if not tokens[0].value:
        raise ValueError(f"the name of the {what} is empty")
    return Path(tokens[0].value)


def _check_json_target(type_: Any, value: str | None) -> None:
    if value is not None and (not value or (value.startswith("-") and value != "-")):
        raise ValueError("a file name or - is needed")


FilePath = Annotated[Path, Parameter(converter=_file)]
FolderPath = Annotated[Path, Parameter(converter=_folder, metavar="FOLDER")]
# NAME or NAME:option=value,...
GameSpec = Annotated[str, Parameter(completer=completion.games)]
GameSpecs = Annotated[str, Parameter(name="GAME", completer=completion.games)]
AgentSpec = Annotated[str, Parameter(metavar="AGENT", completer=completion.agents)]
AgentSpecs = Annotated[
    tuple[str, ...],
    Parameter(metavar="AGENT", completer=completion.agents, consume_multiple=True, negative=()),
]

# A position in the one-line form of the library.
PositionText = Annotated[str | None, Parameter(metavar="POSITION")]

# A switch; there is nothing like --no-json, and that it is off by default goes without saying.
Flag = Annotated[bool, Parameter(negative=(), show_default=False)]

# What `output.json_target` takes; by itself cyclopts would refuse - as a value.
JsonTarget = Annotated[
    str | None, Parameter(metavar="FILE", allow_leading_hyphen=True, validator=_check_json_target)
]


def make_game(spec: str) -> Game:
    """The game of a spec."""
    import mancala_ai

    return mancala_ai.make(spec)


def position_of(game: Game, text: str | None) -> State:
    """The position of a text; the initial one if there is none."""
    return game.initial_state() if text is None else game.state_from_text(text)
