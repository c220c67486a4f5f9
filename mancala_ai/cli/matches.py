"""The matches of ``mancala play``: game after game, with the score, and a clock if there is one.

All games of a match are kept in one file. Each says by its header ``match`` how the match
stood when it began, so that the last one tells how to go on.

Read first: ``play.py``, ``../match.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from .inputs import InputError, make_game
from .output import shown_waiting
from .play import CONTRACT, Session, Table, name_of
from .running import interruptible

if TYPE_CHECKING:
    from rich.console import Console

    from mancala_ai.agents import Agent
    from mancala_ai.match import Match
    from mancala_ai.record import Record

MATCH, FORFEIT = "match", "forfeit"  # headers of a game: its match so far, who lost it on time


class Course(NamedTuple):
    """A match to be played, or played on.

    Attributes
    ----------
    match : Match
        As it stands before the next game, or the one that was begun.
    earlier : list of Record
        The games before.
    current : Record or None
        The game that was begun, if one was.
    recorded : Mapping
        The names of players 0 and 1, as far as they are known: ``south`` and ``north``, as
        the command line calls the two.
    """

    match: Match
    earlier: list[Record]
    current: Record | None
    recorded: Mapping[str, str]


def is_in(file: Path | None) -> bool:
    """Whether a file is there and holds a match."""
    from mancala_ai.record import read_records

    return file is not None and file.exists() and MATCH in read_records(file)[-1].headers


def course(game: str | None, terms: str | None, seed: int, file: Path | None) -> Course:
    """The match in a file, or a new one; InputError if it is not what was asked for."""
    from mancala_ai.match import make_match

    if file is not None and file.exists():
        return _earlier(game, terms, file)
    if game is None:
        raise InputError("a game is needed: GAME, or a --record to go on with")
    return Course(make_match(make_game(game), terms or "", seed=seed), [], None, {})


def _earlier(game: str | None, terms: str | None, file: Path) -> Course:
    from mancala_ai.match import Match, by_player, make_match
    from mancala_ai.record import read_records
    from mancala_ai.state import PLAYERS

    *earlier, last = read_records(file)
    if MATCH not in last.headers:
        raise InputError(f"--match starts a match, but there is a game without one in {file}")
    match = Match.from_text(last.headers[MATCH])
    if game is not None and make_game(game) != match.game:
        raise InputError(f"the match in {file} is of {match.game.spec}, not of {game}")
    if terms is not None and make_match(match.game, terms).terms != match.terms:
        raise InputError(f"the match in {file} has the terms {match.terms or 'by default'}")
    start, seats = match.next_game()
    if last.start != start:
        raise InputError(f"the last game in {file} is not the next one of its match")
    names = by_player((last.headers.get("south"), last.headers.get("north")), seats)
    recorded = {side: name for side, name in zip(PLAYERS, names, strict=True) if name}
    loser = last.headers.get(FORFEIT)
    if loser is not None and loser not in PLAYERS:
        raise InputError(f"header {FORFEIT} in {file} is south or north, not {loser}")
    if loser is None and not match.ends_with(last.final):
        return Course(match, earlier, last, recorded)
    forfeit = None if loser is None else seats[PLAYERS.index(loser)]
    return Course(match.after(last.final, forfeit), [*earlier, last], None, recorded)


def play_match(
    course: Course,
    agents: Sequence[Agent],
    players: Mapping[str, str],
    helper: Agent,
    console: Console,
    file: Path | None,
) -> None:
    """Play a match to its end, or until somebody leaves; ``agents`` are players 0 and 1."""
    match, earlier, current, recorded = course
    names = [name_of(spec, recorded.get(side)) for side, spec in players.items()]
    called = names if names[0] != names[1] else [f"{name} ({n})" for n, name in enumerate(names, 1)]

    def say(text: str) -> None:
        console.print(text, soft_wrap=True)

    say(f"Match of {match.game.spec}{', ' if match.terms else ''}{match.terms}.")
    while not match.is_over:
        say(f"Game {len(match.history) + 1}. {score_text(match, called)}.")
        south, north = match.seats
        seated = {"south": names[south], "north": names[north]}
        session = Session(current or _next_record(match, seated))
        session.headers |= seated
        for agent in agents:
            agent.reset()
        table = MatchTable(
            session, [agents[south], agents[north]], helper, console, file, match, earlier
        )
        table.play_and_write()
        if table.is_finished():
            match = match.after(session.state, table.forfeit)
            earlier, current = table.records(), None
            say("")
        if table.left:
            break
    if match.is_over:
        say(f"{score_text(match, called)}. {result_text(match, called)}")


def _next_record(match: Match, seated: Mapping[str, str]) -> Record:
    from mancala_ai.record import Record

    start, _ = match.next_game()
    headers = {MATCH: match.to_text(), **seated, "date": date.today().isoformat()}
    if not match.allows_undo:
        headers |= CONTRACT
    return Record(start.game, (), headers, start=start)


def score_text(match: Match, names: Sequence[str]) -> str:
    """How a match stands."""
    first, second = match.score
    return f"Score: {names[0]} {first:g}, {names[1]} {second:g}"


def result_text(match: Match, names: Sequence[str]) -> str:
    """How a match ended."""
    if match.abandoned:
        games = match.options["max_annulled"]
        return f"The match is abandoned: {games} game{'s' * (games > 1)} in a row had no result."
    if match.winner is None:
        return "The match is drawn."
    return f"{names[match.winner]} wins the match."


class MatchTable(Table):
    """A table at which a game counts once it is over, and a turn may have a limit."""

    def __init__(
        self,
        session: Session,
        seats: list[Agent],
        helper: Agent,
        console: Console,
        record: Path | None,
        match: Match,
        earlier: list[Record],
    ) -> None:
        super().__init__(session, seats, helper, console, record)
        self._match, self._earlier = match, earlier
        self._limit = match.seconds_per_turn
        self._used = 0.0  # seconds, in this turn

    @property
    def forfeit(self) -> int | None:
        """The player of the match who lost on time."""
        return self._match.seats[self.session.state.player] if self._is_late() else None

    def play(self) -> None:
        if self._limit is not None:
            with shown_waiting(sys.stdout) as show:
                show("the players get ready")
                for agent in (*self.seats, *([self.helper] if self.people else [])):
                    interruptible(partial(agent.prepare, self.session.state))
        super().play()
        if self._is_late():
            self._lose_on_time()
        elif self.is_finished() and not self.session.state.is_terminal:
            self._say(f"The game is broken off after {len(self.session.actions)} decisions.")

    def is_finished(self) -> bool:
        return self._is_late() or self._match.ends_with(self.session.state)

    def records(self) -> list[Record]:
        return [*self._earlier, *super().records()]

    def _lose_on_time(self) -> None:
        from mancala_ai.render.text import NAMES
        from mancala_ai.state import PLAYERS

        loser = self.session.state.player
        self.session.headers[FORFEIT] = PLAYERS[loser]
        took = f"{NAMES[loser]} took {self._used:.2f} s of {self._limit:g} s for a turn"
        self._say(f"{took}: {NAMES[1 - loser]} wins on time.")

    # The clock

    def _is_late(self) -> bool:
        return self._limit is not None and self._used >= self._limit

    @contextmanager
    def _clock_running(self) -> Iterator[None]:
        begin = perf_counter()
        try:
            yield
        finally:
            if self.session.state.phase != "arrange":
                self._used += perf_counter() - begin

    def _seconds(self) -> float | None:
        """Half of what is left, as the turn may ask for more than one decision."""
        return None if self._limit is None else (self._limit - self._used) / 2

    def _ask(self, prompt: str) -> str:
        with self._clock_running():
            return super()._ask(prompt)

    def _wait_for(self, agent: Agent) -> int:
        with self._clock_running():
            return super()._wait_for(agent)

    def _let_act(self, agent: Agent) -> None:
        from mancala_ai.errors import AgentError

        try:
            super()._let_act(agent)
        except AgentError:
            if not self._is_late():  # such as an engine that hung
                raise

    def _obey(self, word: str, rest: str) -> None:
        if not self._is_late() or word == "quit":
            super()._obey(word, rest)

    def _move(self, action: int, comment: str) -> None:
        if self._is_late():
            return
        super()._move(action, comment)
        if self.session.state.phase == "sow":  # else the turn goes on
            self._used = 0.0

    def _undo(self, name: str) -> None:
        super()._undo(name)
        self._used = 0.0

    def _load(self, name: str) -> None:
        raise InputError("in a match no other game is loaded")
