"""The games by name. A new game is one file in ``rules/`` and one row here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import UnknownGameError, shown
from .fields import parse_options

if TYPE_CHECKING:
    from .game import Game, Option

_CLASSES = {
    "tsoro": "Tsoro",
    "omweso": "Omweso",
    "katro": "Katro",
    "gore": "Gore",
    "hoyito_iii": "HoyitoIII",
    "kalah": "Kalah",
    "oware": "Oware",
}


def games() -> tuple[str, ...]:
    """The names that :func:`make` knows."""
    return tuple(_CLASSES)


def make(spec: str, **options: Any) -> Game:
    """A game with its options.

    Parameters
    ----------
    spec : str
        A name of :func:`games`, or a name with options: ``"omweso:akakyala=True"``,
        ``"tsoro:columns=8,bonus=1"``.
    **options
        Options as keyword arguments; they win over those in ``spec``.

    Raises
    ------
    UnknownGameError, OptionError
        Naming what was given and what is allowed.
    """
    name, _, listed = spec.partition(":") if isinstance(spec, str) else (spec, "", "")
    game_class = _game_class(name)
    return game_class(**{**parse_options(name, game_class.OPTIONS, listed), **options})


def option_table(name: str) -> tuple[Option, ...]:
    """The options of a game: their names, defaults and allowed values.

    Parameters
    ----------
    name : str
        One of :func:`games`.

    Raises
    ------
    UnknownGameError
        If there is no such game.
    """
    return _game_class(name).OPTIONS


def _game_class(name: Any) -> type[Game]:
    if not isinstance(name, str) or name not in _CLASSES:
        raise UnknownGameError(f"unknown game {shown(name)}; the games are: {', '.join(_CLASSES)}")
    found: type[Game] = getattr(import_module(f".rules.{name}", __package__), _CLASSES[name])
    return found
