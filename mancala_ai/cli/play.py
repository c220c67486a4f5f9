"""``mancala play``: a game on the terminal, between people and agents in any mixture.

A :class:`Session` is the game under way; a :class:`Table` has it played. What a person
types is a move or one of ``COMMANDS``, and whatever is wrong with it is answered by one
line.

Read first: ``display.py``, ``../../agents/human.py``. Read next: ``matches.py``, ``replay.py``.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from .inputs import (
    AgentSpec,
    FilePath,
    Flag,
    GameSpec,
    InputError,
    PositionText,
    integer,
    make_game,
)
from .output import new_console, shown_waiting
from .running import closing, interruptible

if TYPE_CHECKING:
    from rich.console import Console

    from mancala_ai.agents import Agent
    from mancala_ai.game import Game
    from mancala_ai.record import Record
    from mancala_ai.state import State

GAME_OVER = "The game is over: undo, save FILE, or quit."
CONTRACT = {"mode": "contract"}  # the header of a game in which no move is taken back
DEFAULT_PLAYERS = {"south": "human", "north": "alphabeta:seconds=2"}

COMMANDS = {
    "help": "this list, and the legal moves",
    "hint": "what an agent would play",
    "undo": "back to your last decision",
    "save FILE": "write the game to a file; without FILE where it was last saved",
    "load FILE": "go on with the game in a file",
    "quit": "leave the game",
}
TAKE_A_FILE = {words.split()[0] for words in COMMANDS if words.endswith(" FILE")}


def play(
    game: GameSpec | None = None,
    /,
    *,
    south: AgentSpec | None = None,
    north: AgentSpec | None = None,
    hints: AgentSpec = "alphabeta:seconds=2",
    record: FilePath | None = None,
    position: PositionText = None,
    contract: Flag = False,
    match: Annotated[str | None, Parameter(metavar="TERMS")] = None,
    seed: Annotated[
        int | None, Parameter(converter=integer, validator=Number(gte=0, lt=2**64))
    ] = None,
) -> None:
    """Play a game, or a match of several.

    Moves are typed in the game's notation, which stands around the board; type `help` for
    all else that can be typed. Two agents play without being asked anything.

        mancala play kalah
        mancala play omweso --south greedy --north human
        mancala play tsoro --record game.txt
        mancala play oware --match games=3

    A match is asked for by its terms. In Omweso, to 12 points: mode=untimed, mode=contract
    (no move may be taken back) or mode=blitz (three seconds a turn; whoever takes longer, up
    to the Enter key, loses the game). In Hoyito III: rounds=5, or rounds=5,fill_pits=True. In
    other games: games=3, the best of three. All take max_annulled=5, games in a row without a
    result that end the match, and max_plies=2000, decisions that end a game. Who moves first
    is drawn, then alternates.

    Parameters
    ----------
    game
        NAME or NAME:option=value,... (see `mancala games`). It may be left out if the
        record names it.
    south
        Who moves first: human, or an agent as NAME:option=value,... If left out, whom the
        record names, or else human. In a match the two change seats from game to game.
    north
        Who moves second. If left out, whom the record names, or else alphabeta:seconds=2.
    hints
        The agent that answers `hint`.
    record
        Go on with the game in this file, if there is such a file, and write the game there
        when it ends or is left. A player's name that is no agent's is that of a person. The
        names stay, unless --south or --north gives the seat to another player. A program
        (process:cmd=...) is run only if it stands on the command line. Of a match all games
        are kept.
    position
        Start from this position, in one line, as `state.to_text()` gives it.
    contract
        Omweso's contract mode: no move may be taken back.
    match
        Play a match on these terms, as above.
    seed
        Of the set-up, where it is random, and of the agents. A new one each time by default.
    """
    from . import matches

    if seed is None:
        seed = random.SystemRandom().getrandbits(32)
    asked = {"south": south, "north": north}
    if match is not None or matches.is_in(record):
        if contract or position is not None:
            raise InputError("a match takes neither --position nor --contract (--match mode=...)")
        course = matches.course(game, match, seed, record)
        players = players_of(asked, course.recorded)
        with _seated(course.match.game, players, hints, seed) as (agents, helper):
            matches.play_match(course, agents, players, helper, new_console(sys.stdout), record)
        return
    if record is not None and record.exists():
        session = Session(_earlier(record, game, position))
        players = players_of(asked, session.headers)
        session.seat(players)
    else:
        players = players_of(asked, {})
        session = Session(_beginning(game, position, seed, players))
    if contract:
        if session.game.name != "omweso":
            raise InputError(f"--contract is a mode of omweso, not of {session.game.name}")
        session.headers |= CONTRACT
    with _seated(session.game, players, hints, seed) as (agents, helper):
        table = Table(session, agents, helper, new_console(sys.stdout), record)
        table.play_and_write()


@contextmanager
def _seated(
    game: Game, players: Mapping[str, str], hints: str, seed: int
) -> Iterator[tuple[list[Agent], Agent]]:
    """The two players and the agent that gives hints; closed in the end."""
    from mancala_ai.agents import make_agent
    from mancala_ai.agents.human import HumanAgent

    with ExitStack() as leaving:
        south, north, helper = (
            leaving.enter_context(closing(make_agent(spec, seed=(seed + number) % 2**64)))
            for number, spec in enumerate((*players.values(), hints))
        )
        for agent in (south, north, helper):
            agent.check_game(game)
        if isinstance(helper, HumanAgent):
            raise InputError("hints are given by an agent: --hints cannot be human")
        yield [south, north], helper


def _earlier(file: Path, game: str | None, position: str | None) -> Record:
    """The record to go on with; InputError if it is not what was asked for."""
    from mancala_ai.record import read_record

    record = read_record(file)
    if game is not None and make_game(game) != record.game:
        raise InputError(f"the game in {file} is {record.game.spec}, not {game}")
    if position is not None:
        raise InputError(f"--position starts a new game, but there is one in {file}")
    return record


def players_of(asked: Mapping[str, str | None], recorded: Mapping[str, str]) -> dict[str, str]:
    """Who plays each side: whom the command line asks for, else whom the record names."""
    return {
        side: _recorded_player(side, recorded) if spec is None else spec
        for side, spec in asked.items()
    }


def _recorded_player(side: str, recorded: Mapping[str, str]) -> str:
    if side not in recorded:
        return DEFAULT_PLAYERS[side]
    spec = player_named(recorded[side])
    if spec.startswith("process:"):  # it may come from anybody
        raise InputError(f"the {side} of the record is a program: it is run if --{side} names it")
    return spec


def player_named(name: str) -> str:
    """The player that a record means: an agent by its spec; any other name is a person's."""
    from mancala_ai.agents import agent_names

    return name if name.partition(":")[0] in agent_names() else "human"


def name_of(spec: str, recorded: str | None) -> str:
    """What a player is called: as recorded, if that name means this player."""
    return recorded if recorded is not None and player_named(recorded) == spec else spec


def _beginning(
    game: str | None, position: str | None, seed: int, players: Mapping[str, str]
) -> Record:
    """A new game."""
    from mancala_ai.record import Record

    if game is None:
        raise InputError("a game is needed: GAME, or a --record to go on with")
    played = make_game(game)
    start = played.initial_state(seed) if position is None else played.state_from_text(position)
    headers = {**players, "date": date.today().isoformat(), "seed": str(seed)}
    return Record(played, (), headers, start=start)


class Session:
    """A game under way: what was played and said, and whether it can be taken back."""

    def __init__(self, record: Record) -> None:
        self.load(record)

    def load(self, record: Record) -> None:
        """Go on with the game of a record."""
        self.game, self.headers = record.game, dict(record.headers)
        self.states, self.actions = record.states(), list(record.actions)
        self.comments = dict(record.comments)

    def seat(self, players: Mapping[str, str]) -> None:
        """Note who plays from now on; a name that means the same player stays."""
        for side, spec in players.items():
            self.headers[side] = name_of(spec, self.headers.get(side))

    def to_record(self) -> Record:
        """The game so far."""
        from mancala_ai.record import Record

        start = self.states[0]
        return Record(self.game, tuple(self.actions), self.headers, self.comments, start)

    @property
    def state(self) -> State:
        """The position now."""
        return self.states[-1]

    def play(self, action: int, comment: str) -> None:
        """One more action; it has to be legal. The comment may be empty."""
        self.states.append(self.state.apply(action))
        self.actions.append(action)
        if comment:
            self.comments[len(self.actions)] = comment

    def take_back(self, players: Container[int]) -> None:
        """Back to the last decision made by one of some players; InputError if it may not be."""
        self.check_may_take_back()
        for at in reversed(range(len(self.actions))):
            if self.states[at].player in players:
                del self.states[at + 1 :], self.actions[at:]
                self.comments = {n: text for n, text in self.comments.items() if n <= at}
                return
        raise InputError("there is nothing to take back")

    def check_may_take_back(self) -> None:
        """InputError in contract mode."""
        if self.headers.items() >= CONTRACT.items():
            raise InputError("in contract mode no move is taken back")


class Table:
    """Two players at a session, and what they see of it."""

    def __init__(
        self,
        session: Session,
        seats: list[Agent],
        helper: Agent,
        console: Console,
        record: Path | None,
    ) -> None:
        from mancala_ai.agents.human import HumanAgent

        self.session, self.seats, self.helper, self.console = session, seats, helper, console
        self.record = self.saved = record
        self.people = {p for p, agent in enumerate(seats) if isinstance(agent, HumanAgent)}
        self.left = False
        self._commands: dict[str, Callable[[str], None]] = {
            "help": self._help,
            "hint": self._hint,
            "undo": self._undo,
            "save": self._save,
            "load": self._load,
            "quit": self._quit,
        }

    def play_and_write(self) -> None:
        """Play; the game is written to the record that it is kept in, whatever happens."""
        self.write_record()  # at once, so that it is known to be possible
        try:
            self.play()
        finally:
            self.write_record()

    def play(self) -> None:
        """Play until the game is over, or somebody leaves."""
        south, north = (agent.spec for agent in self.seats)
        self._say(f"{self.session.game.spec}: South is {south}, North is {north}.")
        if self.people:
            self._say("Type a move, or help.")
        self._show()
        while not self.left and not self.is_finished():
            state = self.session.state
            if state.is_terminal or state.player in self.people:
                self._listen()
            else:
                self._let_act(self.seats[state.player])

    def is_finished(self) -> bool:
        """Whether nobody is asked anything any more."""
        return self.session.state.is_terminal and not self.people

    def records(self) -> list[Record]:
        """What a file is to hold."""
        return [self.session.to_record()]

    def write_record(self) -> None:
        """Write the game to the record that it is kept in, if it is kept in one."""
        from mancala_ai.record import write_records

        if self.record is not None:
            write_records(self.records(), self.record)

    def _seconds(self) -> float | None:
        """Time for the next decision of an agent, if there is a limit."""
        return None

    def _ask(self, prompt: str) -> str:
        """The line that a person types."""
        from mancala_ai.agents.human import ask

        return ask(prompt)

    def _let_act(self, agent: Agent) -> None:
        from .display import finding

        action = self._wait_for(agent)
        self._move(action, finding(self.session.state, agent.last_info))

    def _wait_for(self, agent: Agent) -> int:
        """What an agent would play now."""
        with shown_waiting(sys.stdout) as show:
            show(f"{agent.spec} is thinking")
            return interruptible(partial(agent.act, self.session.state, self._seconds()))

    def _listen(self) -> None:
        """One line from a person: a move or a command."""
        from mancala_ai.agents.human import read_move
        from mancala_ai.errors import MancalaError
        from mancala_ai.render.text import NAMES

        state = self.session.state
        try:
            line = self._ask("> " if state.is_terminal else f"{NAMES[state.player]}> ")
        except EOFError:
            self._say("")
            self.left = True
            return
        except KeyboardInterrupt:
            self._say("")
            raise
        word, _, rest = line.partition(" ")
        word, rest = word.lower(), rest.strip()
        try:
            if not line.isprintable():
                raise InputError("that has characters that cannot be read")
            if word in self._commands:
                self._obey(word, rest)
            elif state.is_terminal:
                self._say(GAME_OVER)
            elif line:
                self._move(read_move(state, line), "")
        except (InputError, MancalaError) as error:
            self._say(str(error))
        except OSError as error:
            self._say(f"{error.filename or rest}: {error.strerror}")

    def _obey(self, word: str, rest: str) -> None:
        """Do what a command says; InputError if what follows it makes no sense."""
        from mancala_ai.errors import shown

        if word not in TAKE_A_FILE and rest:
            raise InputError(f"{word} stands alone on its line, without {shown(rest)}")
        name = _unquoted(rest)
        if rest and not name:
            raise InputError(f"the name of the file is empty: {word} FILE")
        self._commands[word](name)

    def _move(self, action: int, comment: str) -> None:
        from .display import move_lines

        self._say("\n".join(move_lines(self.session.state, action)))
        if comment:
            self._say(f"     {comment}")
        self.session.play(action, comment)
        self._show(self.session.states[-2])

    def _show(self, before: State | None = None) -> None:
        from mancala_ai.render.text import NAMES

        from .display import show_board

        state = self.session.state
        self._say("")
        show_board(self.console, state, before)
        south, north = state.points
        if south != north:
            self._say(f"{NAMES[north > south]} wins.")
        if state.is_terminal and not self.is_finished():
            self._say(GAME_OVER)

    def _say(self, text: str) -> None:
        self.console.print(text, soft_wrap=True)

    # Commands

    def _help(self, _: str) -> None:
        from mancala_ai.agents.human import numbers_are_free

        state = self.session.state
        for name, meaning in COMMANDS.items():
            self._say(f"{name:<10} {meaning}")
        if state.is_terminal:
            return
        free = numbers_are_free(state)
        names = {a: state.action_to_text(a) for a in state.legal_actions()}
        moves = [f"{text} ({action})" if free else text for action, text in names.items()]
        self._say("legal moves" + (", by name or by number:" if free else ":"))
        self.console.print("  ".join(moves))

    def _hint(self, _: str) -> None:
        from .display import finding

        state = self.session.state
        if state.is_terminal:
            raise InputError(GAME_OVER)
        action = self._wait_for(self.helper)
        found = finding(state, self.helper.last_info)
        move = f"{self.helper.spec} would play {state.action_to_text(action)}"
        self._say(f"{move} ({found})" if found else move)

    def _undo(self, _: str) -> None:
        self.session.take_back(self.people)
        self._show()

    def _save(self, name: str) -> None:
        from mancala_ai.record import write_records

        path = _path(name) if name else self.saved
        if path is None:
            raise InputError("save needs the name of a file: save FILE")
        if path != self.saved:
            _check_may_replace(path)
        write_records(self.records(), path)
        self.saved = path
        self._say(f"saved to {path}")

    def _load(self, name: str) -> None:
        from mancala_ai.record import read_record

        if not name:
            raise InputError("load needs the name of a file: load FILE")
        self.session.check_may_take_back()
        path = _path(name)
        loaded = read_record(path)
        self.write_record()
        self.session.load(loaded)
        seats = zip(DEFAULT_PLAYERS, self.seats, strict=True)
        self.session.seat({side: agent.spec for side, agent in seats})
        if self.record is not None:
            self._say(f"the game before is kept in {self.record}, this one where it is saved")
        self.record, self.saved = None, path  # a file is changed by save alone
        for agent in self.seats:
            agent.reset()
        self._show()

    def _quit(self, _: str) -> None:
        self.left = True


def _unquoted(name: str) -> str:
    """A name without the quotation marks in which a shell would want it."""
    match = re.fullmatch(r"""(["'])(.*)\1""", name)
    return match[2].strip() if match else name


def _path(name: str) -> Path:
    return Path(os.path.expanduser(name))


def _check_may_replace(path: Path) -> None:
    """InputError if a file exists that is no record: it would be lost."""
    from mancala_ai.errors import RecordError
    from mancala_ai.record import read_records

    try:
        if path.is_file():
            read_records(path)
    except RecordError:
        raise InputError(f"{path} exists, and is no record of a game") from None
