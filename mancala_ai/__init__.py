"""Traditional mancala games, played exactly and fast.

    >>> import mancala_ai as ma
    >>> game = ma.make("omweso", akakyala=True)
    >>> state = game.initial_state()
    >>> state = state.apply(state.legal_actions()[0])

Importing the package is light: Numba is imported by the first :func:`make`.

Read next: ``game.py`` (games and states), ``rules/`` (the rules, one file a game),
``record.py`` (games as text), ``match.py`` (several games for one result), ``batch.py``
(thousands of games at once).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import (
    ArgumentError,
    IllegalActionError,
    MancalaError,
    MatchError,
    OptionError,
    PositionError,
    RecordError,
    UnknownGameError,
)
from .registry import games, make, option_table

if TYPE_CHECKING:
    from .batch import Batch
    from .game import Game, Lap, Option, RandomGames, State
    from .match import Match, make_match
    from .record import Record, read_record, read_records, write_record, write_records

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "Batch",
    "Game",
    "IllegalActionError",
    "Lap",
    "MancalaError",
    "Match",
    "MatchError",
    "Option",
    "OptionError",
    "PositionError",
    "RandomGames",
    "Record",
    "RecordError",
    "State",
    "UnknownGameError",
    "games",
    "make",
    "make_match",
    "option_table",
    "read_record",
    "read_records",
    "write_record",
    "write_records",
]

# In a checkout, agents, benchmarks and envs lie beside this folder instead of inside it.
_checkout = Path(__file__).parent.parent
if (_checkout / "pyproject.toml").is_file():
    __path__.append(str(_checkout))


def __getattr__(name: str) -> Any:
    if name in ("Game", "Lap", "Option", "RandomGames", "State"):
        from . import game

        return getattr(game, name)
    if name == "Batch":
        from .batch import Batch

        return Batch
    if name in ("Match", "make_match"):
        from . import match

        return getattr(match, name)
    if name in ("Record", "read_record", "read_records", "write_record", "write_records"):
        from . import record

        return getattr(record, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
