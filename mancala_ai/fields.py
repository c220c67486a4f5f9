"""Options and fields of a position: how a value is checked, read from text and written."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from .errors import OptionError, PositionError, shown

_INTEGER = re.compile(r"-?[0-9]{1,18}")  # int() refuses texts of thousands of digits
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def as_int(value: Any) -> int | None:
    """The value as a Python int, or None if it is not an integer (booleans are not)."""
    if type(value) is int:
        return value  # at once, as it mostly is
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


@dataclass(frozen=True)
class Option:
    """One option of a game or an agent.

    Attributes
    ----------
    name, default
        As :func:`mancala_ai.make` takes them. A default of None means "not given".
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

    def check(self, owner: str, value: Any) -> Any:
        """The value in its plain Python type; raises OptionError."""
        if isinstance(self.choices, range):
            number = as_int(value)
            if number is not None and number in self.choices:
                return number
        elif self.choices == (False, True) and type(value).__name__ in ("bool", "bool_"):
            return bool(value)
        elif isinstance(value, str) and value in self.choices:
            return value
        raise self.error(owner, value)

    def parse(self, owner: str, text: str) -> Any:
        """The value written in a spec such as ``"tsoro:columns=8"``; raises OptionError."""
        value: Any = text.strip()
        if isinstance(self.choices, range):
            if not _INTEGER.fullmatch(value):
                raise self.error(owner, text)
            value = int(value)
        elif self.choices == (False, True):
            value = _BOOLEANS.get(value.lower(), value)
        return self.check(owner, value)

    def write(self, value: Any) -> str:
        """The value as :meth:`parse` reads it."""
        return str(value)

    def error(self, owner: str, value: Any) -> OptionError:
        return OptionError(
            f"option {self.name} of {owner} cannot be {shown(value)}; allowed: {self.allowed}"
        )


@dataclass(frozen=True)
class RealOption(Option):
    """An option that is a real number; ``choices`` are the least and the greatest."""

    @property
    def allowed(self) -> str:
        low, high = self.choices
        return f"a number from {low:g} to {high:g}"

    def check(self, owner: str, value: Any) -> Any:
        low, high = self.choices
        try:
            number = math.nan if isinstance(value, bool | str) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not low <= number <= high:  # which NaN never is
            raise self.error(owner, value)
        return number

    def parse(self, owner: str, text: str) -> Any:
        try:
            return self.check(owner, float(text))
        except ValueError:
            raise self.error(owner, text) from None


@dataclass(frozen=True)
class TextOption(Option):
    """An option that is any text but the empty one; it has no choices."""

    @property
    def allowed(self) -> str:
        return "a text that is not empty"

    def check(self, owner: str, value: Any) -> Any:
        if not isinstance(value, str) or not value.strip():
            raise self.error(owner, value)
        return value


def parse_options(owner: str, table: Sequence[Option], text: str) -> dict[str, Any]:
    """The values in a text such as ``"columns=8,bonus=1"``; raises OptionError.

    The value of a :class:`TextOption` is all that follows, commas included.
    """
    known = {option.name: option for option in table}
    parsed: dict[str, Any] = {}
    while text:
        name, equals, _ = text.partition("=")
        takes_all = isinstance(known.get(name), TextOption)
        item, comma, text = (text, "", "") if takes_all else text.partition(",")
        if comma and not text:
            raise OptionError(f"an option of {owner} is missing after {shown(item + comma)}")
        name, equals, value = item.partition("=")
        if not equals:
            raise OptionError(f"option {shown(item)} of {owner} is not of the form name=value")
        if name in parsed:
            raise OptionError(f"option {shown(name)} of {owner} is given twice")
        # an unknown name is left to the owner, which says what exists
        parsed[name] = known[name].parse(owner, value) if name in known else value
    return parsed


def check_options(
    owner: str, table: Sequence[Option], given: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Every option of a table with its value, given or default; raises OptionError."""
    known = {option.name: option for option in table}
    for name in given:
        if name not in known:
            has = f"its options are: {', '.join(known)}" if known else "it has none"
            raise OptionError(f"{owner} has no option {shown(name)}; {has}")
    values = {}
    for name, option in known.items():
        value = given.get(name, option.default)
        values[name] = value if value is option.default else option.check(owner, value)
    return MappingProxyType(values)


def write_options(table: Sequence[Option], values: Mapping[str, Any]) -> str:
    """The options that differ from their defaults, as :func:`parse_options` reads them."""
    changed = [option for option in table if values[option.name] != option.default]
    changed.sort(key=lambda option: isinstance(option, TextOption))  # which takes all the rest
    return ",".join(f"{option.name}={option.write(values[option.name])}" for option in changed)


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
    """Whether a text is a plain integer of at most 18 digits."""
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
