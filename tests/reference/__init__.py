"""Slow, independent twins of every game, for tests: ``GAMES`` maps a name to its class."""

from __future__ import annotations

from reference.common import Lap, Position, Twin
from reference.gore import Gore
from reference.hoyito_iii import HoyitoIII
from reference.kalah import Kalah
from reference.katro import Katro
from reference.omweso import Omweso
from reference.oware import Oware
from reference.tsoro import Tsoro

GAMES: dict[str, type[Twin]] = {
    "tsoro": Tsoro,
    "omweso": Omweso,
    "katro": Katro,
    "gore": Gore,
    "hoyito_iii": HoyitoIII,
    "kalah": Kalah,
    "oware": Oware,
}

__all__ = ["GAMES", "Lap", "Position", "Twin"]
