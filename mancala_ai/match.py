"""Matches: several games that two players play for one result.

    >>> match = make_match("omweso", mode="blitz", seed=3)
    >>> while not match.is_over:
    ...     state, seats = match.next_game()  # seats[0] is the player who sits South
    ...     while not state.is_terminal:
    ...         state = state.apply(state.legal_actions()[0])
    ...     match = match.after(state)
    >>> match.score, match.winner

Who moves first in the first game is drawn from the match seed, and then alternates. The
players of a match, 0 and 1, are not those of a game: whoever moves first sits South.

*Omweso*: first to 12 points. ``mode`` is "untimed", "contract" (no move may be taken back:
interfaces refuse undo) or "blitz" (three seconds for a turn, all its decisions together).

*Hoyito III*: ``rounds`` rounds, all of them played; most rounds won. In rounds one and two
the last four seeds go to the capturer, later to the last player who won a round, if any.
With ``fill_pits`` each player fills his pits from round two on with the seeds that he
captured in the round before, and the match ends when one cannot fill a pit.

*All others*: the best of ``games`` games; a draw is half a point each, and the match ends as
soon as it is decided. Equal scores draw any match.

A game that is annulled, or broken off after ``max_plies`` decisions, has no result: it is
played again with the same player first, on a new arrangement where that is drawn. Players
who never vary would do so for ever: after ``max_annulled`` of them in a row the match is
*abandoned*, which, like a truncated game, is the end of it and no result.

Readings, where the rules sheet is silent: the draw of the first move serves all games; who
forfeits a game, be it on time, loses it by one point, the least win, and in Hoyito III each
player then also keeps the seeds of his row; arranging seeds is not on the clock.

Read next: ``record.py``, ``cli/matches.py`` (a match on the terminal).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeVar

from .errors import ArgumentError, MancalaError, MatchError, OptionError, shown
from .fields import Option, as_int, check_options, parse_options, write_options
from .game import Game
from .registry import make
from .rng import draw_below, mix
from .state import State

T = TypeVar("T")
Pair = tuple[T, T]

WINNING_POINTS = 12  # of a match of Omweso
WINS = (1, 2, 12)  # the points that a game of Omweso gives
BLITZ_SECONDS = 3.0  # of a turn
FOUR = 4  # seeds of a pit of Hoyito III
FORFEIT, TRUNCATED, ANNULLED, DRAW = "forfeit", "truncated", "annulled", "draw"
NO_RESULT = (ANNULLED, TRUNCATED)

_RESULT = re.compile(r"([0-9.]{1,4})-([0-9.]{1,4}):([a-z_]{1,20})(?::([0-9]{1,3})-([0-9]{1,3}))?")


class NextGame(NamedTuple):
    """The next game of a match.

    Attributes
    ----------
    state : State
        Its first position; ``state.game`` has the options of this game.
    seats : pair of int
        The players of the match who sit South and North.
    """

    state: State
    seats: Pair[int]


class GameResult(NamedTuple):
    """How a game of a match ended. All but ``seats`` is by player of the match.

    Attributes
    ----------
    seats : pair of int
        The players who sat South and North.
    points : pair of float
        By the game's own scoring; zeros if there was no result.
    kind : str
        ``State.win_kind``, ``"forfeit"`` or ``"truncated"``.
    captured : pair of int, optional
        Seeds that each player had in the end, in Hoyito III.
    """

    seats: Pair[int]
    points: Pair[float]
    kind: str
    captured: Pair[int] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Match:
    """A match, at its beginning or after some games; never changed. Made by :func:`make_match`.

    Matches compare, hash and pickle by value.

    Attributes
    ----------
    game : Game
    seed : int
        Of who moves first in the first game, and of what is random in the set-ups.
    options : Mapping
        Every option of the match with its value.
    history : tuple of GameResult
        The games so far, those without a result included.
    """

    OPTIONS: ClassVar[tuple[Option, ...]] = (
        Option("max_annulled", 5, range(1, 1001), "games in a row without result that end it"),
        Option(
            "max_plies", 2000, range(1, 10**6 + 1), "decisions after which a game is broken off"
        ),
    )

    game: Game
    seed: int
    options: Mapping[str, Any]
    history: tuple[GameResult, ...] = ()

    # How it stands

    @property
    def score(self) -> Pair[float]:
        """The points of both players."""
        return sum(r.points[0] for r in self.history), sum(r.points[1] for r in self.history)

    @property
    def is_over(self) -> bool:
        """Whether no further game is played."""
        return self.abandoned or self._is_decided()

    @property
    def abandoned(self) -> bool:
        """Whether it ended without a result, after too many games without one."""
        last = self.history[-self.options["max_annulled"] :]
        return len(last) == self.options["max_annulled"] and not any(map(_has_result, last))

    @property
    def winner(self) -> int | None:
        """The player who won; None while it runs, if it is drawn, and if it is abandoned."""
        first, second = self.score
        if not self.is_over or self.abandoned or first == second:
            return None
        return int(second > first)

    @property
    def results(self) -> tuple[GameResult, ...]:
        """The games that had a result."""
        return tuple(filter(_has_result, self.history))

    @property
    def seconds_per_turn(self) -> float | None:
        """Time for all decisions of a turn together; None if there is no limit."""
        return None

    @property
    def allows_undo(self) -> bool:
        """Whether players may agree to take a move back."""
        return True

    # Its games

    @property
    def seats(self) -> Pair[int]:
        """The players who sit South and North in the next game."""
        first = (draw_below(mix(self.seed), 2) + len(self.results)) % 2
        return first, 1 - first

    def next_game(self) -> NextGame:
        """The first position of the next game, and who sits where.

        Raises
        ------
        MatchError
            If the match is over.
        """
        self._check_runs()
        return NextGame(self._start(self._next_rules()), self.seats)

    def ends_with(self, state: State) -> bool:
        """Whether a position ends a game: finished, or with ``max_plies`` decisions behind it.

        Parameters
        ----------
        state : State
            Decisions are counted by its ``ply``.
        """
        return state.is_terminal or state.ply >= self.options["max_plies"]

    def after(self, state: State, forfeit: int | None = None) -> Match:
        """The match after its next game.

        Parameters
        ----------
        state : State
            The last position: :meth:`ends_with` it, or the game was forfeited in it.
        forfeit : int, optional
            The player, of the match, who lost on time, or for another reason that is not
            on the board.

        Raises
        ------
        MatchError
            If the match is over, or this is not the end of its next game.
        """
        self._check_runs()
        if not isinstance(state, State) or state.game != self._next_rules():
            raise MatchError(
                f"the next game of the match is {self._next_rules().spec}, not {shown(state)}"
            )
        loser = None if forfeit is None else as_int(forfeit)
        if forfeit is not None and loser not in (0, 1):
            raise ArgumentError(f"forfeit is a player of the match, 0 or 1, not {shown(forfeit)}")
        if loser is not None:
            points, kind = (float(loser == 1), float(loser == 0)), FORFEIT
        elif state.is_terminal:
            points, kind = by_player(state.points, self.seats), str(state.win_kind)
        elif self.ends_with(state):
            points, kind = (0.0, 0.0), TRUNCATED
        else:
            raise MatchError(
                f"the game is not finished after {state.ply} decisions, and is broken off "
                f"after {self.options['max_plies']}"
            )
        return self._with(points, kind, None if kind in NO_RESULT else self._kept(state))

    def _with(self, points: Pair[float], kind: str, captured: Pair[int] | None) -> Match:
        """The match with one more result, checked."""
        self._check_runs()
        result = GameResult(self.seats, points, kind, captured)
        if kind in NO_RESULT:
            fits = not any(points) and captured is None
        else:
            fits = self._can_give(kind, points) and self._can_keep(captured)
        if not fits:
            raise MatchError(f"no game of {self.game.spec} ends in {shown(_result_text(result))}")
        return replace(self, history=(*self.history, result))

    def _check_runs(self) -> None:
        if self.is_over:
            raise MatchError(f"the match is over after {len(self.history)} games")

    # As text

    @property
    def terms(self) -> str:
        """The options that differ from their defaults, as :func:`make_match` reads them."""
        return write_options(self.OPTIONS, self.options)

    def to_text(self) -> str:
        """The match on one line, for a journal; :meth:`from_text` reads it back exactly.

        For example ``omweso match:mode=blitz seed=3 1-0:bulijo 0-0:annulled``: points are
        those of players 0 and 1, seeds that they had in the end may follow.
        """
        terms = f"match:{self.terms}" if self.terms else "match"
        results = map(_result_text, self.history)
        return " ".join([self.game.spec, terms, f"seed={self.seed}", *results])

    @staticmethod
    def from_text(text: str) -> Match:
        """The match that a text holds.

        Parameters
        ----------
        text : str

        Raises
        ------
        MancalaError
            A MatchError if it is none or breaks the rules of matches; it names the word. The
            game and the options raise errors of their own.
        """
        words = text.split() if isinstance(text, str) else []
        if len(words) < 3:
            raise MatchError(
                f"{shown(text)} is no match, as in 'omweso match:mode=blitz seed=3 1-0:bulijo'"
            )
        name, _, terms = words[1].partition(":")
        number = re.fullmatch("seed=(-?[0-9]{1,20})", words[2])
        if name != "match" or number is None:
            raise MatchError(
                f"after its game a match has match:OPTIONS and seed=N, "
                f"not {shown(' '.join(words[1:3]))}"
            )
        match = make_match(words[0], terms, seed=int(number[1]))
        for at, word in enumerate(words[3:], 1):
            try:
                match = match._with(*_read_result(word))
            except MancalaError as error:
                raise MatchError(f"game {at}, {shown(word)}: {error}") from error
        return match

    def __repr__(self) -> str:
        return f"<{self.to_text()}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Match):
            return NotImplemented
        return self.to_text() == other.to_text()

    def __hash__(self) -> int:
        return hash(self.to_text())

    def __reduce__(self) -> Any:
        return Match.from_text, (self.to_text(),)

    # What differs from game to game

    def _is_decided(self) -> bool:
        """Whether the results so far are all that count."""
        raise NotImplementedError

    def _next_rules(self) -> Game:
        """The next game, with its options."""
        return self.game

    def _start(self, game: Game) -> State:
        """The first position of the next game."""
        return game.initial_state(seed=mix(mix(self.seed) + 1 + len(self.history)))

    def _kept(self, state: State) -> Pair[int] | None:
        """What each player keeps of a game, if that matters."""
        return None

    def _can_give(self, kind: str, points: Pair[float]) -> bool:
        """Whether a game can end so."""
        return points == (0.5, 0.5) if kind == DRAW else sorted(points) == [0, 1]

    def _can_keep(self, captured: Pair[int] | None) -> bool:
        """Whether players can have kept so much."""
        return captured is None


class BestOf(Match):
    """The best of ``games`` games."""

    OPTIONS = (Option("games", 3, range(1, 10_000), "the best of how many"), *Match.OPTIONS)

    def _is_decided(self) -> bool:
        games: int = self.options["games"]
        return len(self.results) == games or max(self.score) > games / 2


class OmwesoMatch(Match):
    """Omweso to 12 points."""

    OPTIONS = (
        Option("mode", "untimed", ("untimed", "contract", "blitz"), "contract: nothing is taken "
               "back; blitz: three seconds a turn"),
        *Match.OPTIONS,
    )  # fmt: skip

    @property
    def seconds_per_turn(self) -> float | None:
        return BLITZ_SECONDS if self.options["mode"] == "blitz" else None

    @property
    def allows_undo(self) -> bool:
        return bool(self.options["mode"] != "contract")

    def _is_decided(self) -> bool:
        return max(self.score) >= WINNING_POINTS

    def _can_give(self, kind: str, points: Pair[float]) -> bool:
        return kind != DRAW and min(points) == 0 and max(points) in WINS


class HoyitoMatch(Match):
    """Rounds of Hoyito III."""

    OPTIONS = (
        Option("rounds", 5, range(1, 10_000), "how many are played"),
        Option("fill_pits", False, (False, True), "pits are filled with seeds captured before"),
        *Match.OPTIONS,
    )

    def _is_decided(self) -> bool:
        brought = self._brought()
        ruined = brought is not None and min(brought) < FOUR
        return ruined or len(self.results) == self.options["rounds"]

    def _brought(self) -> Pair[int] | None:
        """Seeds that each player brings to the next round; None if it begins like the first."""
        return self.results[-1].captured if self.options["fill_pits"] and self.results else None

    def _next_rules(self) -> Game:
        won = [result.points.index(1) for result in self.results if 1 in result.points]
        if len(self.results) < 2 or not won:
            return self.game
        seat = self.seats.index(won[-1])
        return make(self.game.name, **{**self.game.options, "last_four": f"player_{seat}"})

    def _start(self, game: Game) -> State:
        brought = self._brought()
        if brought is None:
            return super()._start(game)
        return game.initial_state(captured=by_player(brought, self.seats))  # type: ignore[call-arg]

    def _kept(self, state: State) -> Pair[int]:
        south, north = (state.captured + state.board.sum(axis=1)).tolist()
        return by_player((south, north), self.seats)

    def _can_keep(self, captured: Pair[int] | None) -> bool:
        return captured is not None and sum(captured) == 2 * FOUR * self.game.columns


def make_match(game: Game | str, terms: str = "", *, seed: int = 0, **options: Any) -> Match:
    """A match at its beginning.

    Parameters
    ----------
    game : Game or str
        As :func:`mancala_ai.make` returns or takes it.
    terms : str
        Options of the match as text: ``"rounds=3,fill_pits=True"``.
    seed : int
        Any 64-bit integer.
    **options
        Options of the match; they win over those in ``terms``. ``mode`` of Omweso,
        ``rounds`` and ``fill_pits`` of Hoyito III, ``games`` of all others; ``max_annulled``
        and ``max_plies`` (:func:`match_options` lists them).

    Raises
    ------
    UnknownGameError, OptionError, ArgumentError
        Naming what was given and what is allowed.
    """
    played = game if isinstance(game, Game) else make(game)
    if played.options.get("last_four", "capturer") != "capturer":
        raise OptionError("option last_four of hoyito_iii is set by the match for each round")
    number = as_int(seed)
    if number is None or not -(2**63) <= number < 2**64:
        raise ArgumentError(f"a seed is a 64-bit integer, not {shown(seed)}")
    kind, owner = _match_class(played), f"a match of {played.name}"
    given = {**parse_options(owner, kind.OPTIONS, terms), **options}
    return kind(played, number, check_options(owner, kind.OPTIONS, given))


def match_options(game: Game) -> tuple[Option, ...]:
    """The options of matches of a game: their names, defaults and allowed values.

    Parameters
    ----------
    game : Game
    """
    return _match_class(game).OPTIONS


def by_player(pair: Pair[T], seats: Pair[int]) -> Pair[T]:
    """What belongs to South and North, for players 0 and 1; or the other way round."""
    return pair[seats[0]], pair[seats[1]]


def _match_class(game: Game) -> type[Match]:
    return {"omweso": OmwesoMatch, "hoyito_iii": HoyitoMatch}.get(game.name, BestOf)


def _has_result(result: GameResult) -> bool:
    return result.kind not in NO_RESULT


def _result_text(result: GameResult) -> str:
    text = f"{result.points[0]:g}-{result.points[1]:g}:{result.kind}"
    return text if result.captured is None else f"{text}:{result.captured[0]}-{result.captured[1]}"


def _read_result(word: str) -> tuple[Pair[float], str, Pair[int] | None]:
    """Points, kind and seeds of a result; MatchError if it is none."""
    found = _RESULT.fullmatch(word)
    try:
        if found is None:
            raise ValueError(word)
        points = float(found[1]), float(found[2])
    except ValueError:
        raise MatchError("a result is POINTS-POINTS:KIND, and perhaps :SEEDS-SEEDS") from None
    return points, found[3], None if found[4] is None else (int(found[4]), int(found[5]))
