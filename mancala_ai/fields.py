"""Options and fields of a position: how a value is checked, read from text and written."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .errors import OptionError, PositionError, shown

_INTEGER = re.compile(r"-?[0-9]{1,9}")
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def as_int(value: Any) -> int | None:
    """The value as a Python int, or None if it is not an integer (booleans are not)."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


@dataclass(frozen=True)
class Option:
    """One option of a game.

    Attributes
    ----------
    name, default
        As :func:`mancala_ai.make` takes them.
    choices : range or tuple
        The values allowed: a range of integers, ``(False, True)`` or some words.
    meaning : str
        One line for help texts.
    """

    name: str
    default: Any
    choices: range | tuple[Any, ...]
    meaning: str

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if isinstance(self.choices, range):
            return f"{self.choices.start} to {self.choices.stop - 1}"
        return ", ".join(str(choice) for choice in self.choices)

    def check(self, game: str, value: Any) -> Any:
        """The value in its plain Python type; raises OptionError."""
        if isinstance(self.choices, range):
            number = as_int(value)
            if number is not None and number in self.choices:
                return number
        elif self.choices == (False, True) and type(value).__name__ in ("bool", "bool_"):
            return bool(value)
        elif isinstance(value, str) and value in self.choices:
            return value
        raise self.error(game, value)

    def parse(self, game: str, text: str) -> Any:
        """The value written in a spec such as ``"tsoro:columns=8"``; raises OptionError."""
        value: Any = text.strip()
        if isinstance(self.choices, range):
            if not _INTEGER.fullmatch(value):
                raise self.error(game, text)
            value = int(value)
        elif self.choices == (False, True):
            value = _BOOLEANS.get(value.lower(), value)
        return self.check(game, value)

    def write(self, value: Any) -> str:
        """The value as :meth:`parse` reads it."""
        return str(value)

    def error(self, game: str, value: Any) -> OptionError:
        return OptionError(
            f"option {self.name} of {game} cannot be {shown(value)}; allowed: {self.allowed}"
        )


@dataclass(frozen=True)
class Field:
    """One field of a position beyond board, player and captured seeds.

    Its value is an int, or a tuple of ``length`` ints; of any length when the
    length is None. Each int lies in ``low`` ... ``high``.
    """

    default: int | tuple[int, ...]
    low: int
    high: int
    length: int | None = 0  # 0: a single int
    meaning: str = ""

    def check(self, name: str, value: Any) -> int | tuple[int, ...]:
        """The value as plain ints (nested sequences are flattened); raises PositionError."""
        numbers = list(_flatten(value))
        if any(n is None or not self.low <= n <= self.high for n in numbers):
            raise self._error(name, value)
        if self.length == 0:
            if len(numbers) != 1 or isinstance(value, Sequence):
                raise self._error(name, value)
            return int(numbers[0])
        if self.length is not None and len(numbers) != self.length:
            raise self._error(name, value)
        return tuple(numbers)

    def parse(self, name: str, text: str) -> int | tuple[int, ...]:
        """The value from its text: ints separated by commas."""
        words = text.split(",") if text else []
        if not all(_INTEGER.fullmatch(word) for word in words):
            raise self._error(name, text)
        numbers = [int(word) for word in words]
        return self.check(name, numbers[0] if self.length == 0 and len(numbers) == 1 else numbers)

    def write(self, value: Any) -> str:
        return str(value) if self.length == 0 else ",".join(map(str, value))

    def _error(self, name: str, value: Any) -> PositionError:
        count = {0: "one number", None: "numbers"}.get(self.length, f"{self.length} numbers")
        return PositionError(
            f"field {name} of a position cannot be {shown(value)}; "
            f"it takes {count} from {self.low} to {self.high}"
        )


def is_number(text: str) -> bool:
    """Whether a text is a plain integer of at most nine digits."""
    return _INTEGER.fullmatch(text) is not None


def _flatten(value: Any) -> Any:
    """The ints in a value, nested or not; None for what is no integer."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        for part in value:
            yield from _flatten(part)
    else:
        yield int(value) if isinstance(value, bool) else as_int(value)
