"""What can be wrong with an input: subclasses of ``ValueError`` whose message is one line."""

from __future__ import annotations

LONGEST_QUOTE = 100  # characters of a wrong value that a message repeats


class MancalaError(ValueError):
    """Any wrong input; the message names it, what was given and what is allowed."""


def shown(value: object) -> str:
    """A value as a message quotes it: on one line, and cut short if it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "..."


class UnknownGameError(MancalaError):
    """A game that does not exist."""


class OptionError(MancalaError):
    """An option that a game does not have, or a value that it cannot take."""


class PositionError(MancalaError):
    """A position, or its text, that is malformed or impossible."""


class ArgumentError(MancalaError):
    """An argument of a method that is of the wrong kind or out of range."""


class IllegalActionError(MancalaError):
    """An action that is not legal here, or the text of one that does not exist."""


class UnknownAgentError(MancalaError):
    """An agent that does not exist."""


class AgentError(MancalaError):
    """An agent that failed: it ended, hung, or answered what makes no sense."""


class RecordError(MancalaError):
    """A record of a game that is malformed or breaks the rules of its game."""


class TournamentError(MancalaError):
    """A tournament that cannot be played as asked, or a journal that does not belong to it."""


class MatchError(MancalaError):
    """A match, or its text, that is malformed, or a game that is not its next one."""


class TrainingError(MancalaError):
    """A training that cannot be done as asked, or a folder that does not belong to it."""
