"""What a tournament consists of: who plays whom, in which game, from which opening.

A :class:`Plan` numbers its games, so that any process can play any of them from the plan and a
number alone; everything random follows from its seed. Two agents play each opening twice,
with seats exchanged. Games are numbered opening by opening, so that a plan with more openings
begins with the games of one with fewer.

Read next: ``opening.py``, ``playing.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from hashlib import blake2b
from itertools import combinations
from typing import Any, NamedTuple

import mancala_ai
from mancala_ai.agents import make_agent
from mancala_ai.errors import TournamentError, shown
from mancala_ai.game import Game

MAX_PLIES = 2000  # of a game, if nothing else is said
GRACE = 0.1  # seconds by which a turn may be late, if nothing else is said


class Fixture(NamedTuple):
    """One game to be played.

    Attributes
    ----------
    number : int
        In the plan.
    game : str
        A spec, as :func:`mancala_ai.make` takes it.
    south, north : int
        Places of the two agents in ``Plan.agents``.
    opening : int
        The number of the opening; it is the same for all agents.
    """

    number: int
    game: str
    south: int
    north: int
    opening: int


@dataclass(frozen=True)
class Plan:
    """A tournament.

    Attributes
    ----------
    games, agents : tuple of str
        Specs, each in its shortest form, none twice; one game or more, two agents or more.
    openings : int
        How many each couple of agents plays in each game; each is two games.
    seed : int
        Of openings and agents.
    gauntlet : bool
        Whether the first agent plays all others, and these not each other.
    opening_plies : int
        Random decisions of an opening.
    fair : float, optional
        How far from 1/2 the expected result of an opening may be (``opening.py``).
    seconds_per_turn : float, optional
        For all decisions of a turn together. Agents then run in processes of their own.
    grace : float
        Seconds by which a turn may be late before it loses.
    max_plies : int
        Decisions after which a game is broken off, without a result.

    Raises
    ------
    TournamentError
        If it cannot be played so; games and agents raise errors of their own.
    """

    games: tuple[str, ...]
    agents: tuple[str, ...]
    openings: int = 50
    seed: int = 0
    gauntlet: bool = False
    opening_plies: int = 4
    fair: float | None = None
    seconds_per_turn: float | None = None
    grace: float = GRACE
    max_plies: int = MAX_PLIES

    def __post_init__(self) -> None:
        games = [mancala_ai.make(game) for game in self.games]
        agents = tuple(_agent_spec(agent, games) for agent in self.agents)
        object.__setattr__(self, "games", tuple(game.spec for game in games))
        object.__setattr__(self, "agents", agents)
        _check_distinct("game", self.games, 1)
        _check_distinct("agent", agents, 2)
        _check_range("openings", self.openings, 1, 10**9)
        _check_range("opening_plies", self.opening_plies, 0, 1000)
        _check_range("max_plies", self.max_plies, 1, 10**6)
        _check_range("fair", self.fair, 0.01, 0.5)
        _check_range("seconds_per_turn", self.seconds_per_turn, 0.001, 10**6)
        _check_range("grace", self.grace, 0, 10**6)

    @cached_property
    def couples(self) -> list[tuple[int, int]]:
        """Who plays whom: places in ``agents``."""
        if self.gauntlet:
            return [(0, other) for other in range(1, len(self.agents))]
        return list(combinations(range(len(self.agents)), 2))

    @cached_property
    def shape(self) -> tuple[int, int, int, int]:
        """Openings, games, couples and seats: game ``number`` is at that place in C order."""
        return self.openings, len(self.games), len(self.couples), 2

    @property
    def total(self) -> int:
        """Games to be played in all."""
        openings, games, couples, seats = self.shape
        return openings * games * couples * seats

    def fixture(self, number: int) -> Fixture:
        """The game of a number from 0 to ``total - 1``."""
        _, games, couples, _ = self.shape
        rest, seat = divmod(number, 2)
        rest, couple = divmod(rest, couples)
        opening, game = divmod(rest, games)
        first, second = self.couples[couple]
        south, north = (first, second) if seat == 0 else (second, first)
        return Fixture(number, self.games[game], south, north, opening)

    def agent_seeds(self, number: int) -> tuple[int, int]:
        """The seeds of the agents who sit South and North in a game."""
        digest = blake2b(f"{self.seed} agents {number}".encode(), digest_size=16).digest()
        return int.from_bytes(digest[:8]) >> 1, int.from_bytes(digest[8:]) >> 1

    # As the journal keeps it

    def settings(self) -> dict[str, Any]:
        """What decides the games, but for how many there are."""
        kept = asdict(self)
        del kept["openings"]
        return {name: list(v) if isinstance(v, tuple) else v for name, v in kept.items()}

    def check_same(self, settings: Mapping[str, Any]) -> None:
        """Raise TournamentError if games played with these settings belong elsewhere."""
        for name, value in self.settings().items():
            if settings.get(name) != value:
                raise TournamentError(
                    f"it was begun with {name} {shown(settings.get(name))}, not {shown(value)}"
                )


def _agent_spec(spec: str, games: Sequence[Game]) -> str:
    """An agent in its shortest form; ArgumentError if it cannot play one of the games."""
    with closing(make_agent(spec)) as agent:
        if agent.NAME == "human":
            raise TournamentError("people do not play in tournaments: mancala play asks for moves")
        for game in games:
            agent.check_game(game)
        return agent.spec


def _check_distinct(what: str, specs: Sequence[str], least: int) -> None:
    if len(specs) < least:
        raise TournamentError(f"a tournament has {least} {what}{'s' * (least > 1)} or more")
    for spec in specs:
        if specs.count(spec) > 1:
            raise TournamentError(f"{what} {shown(spec)} is given twice")


def _check_range(name: str, value: float | None, least: float, most: float) -> None:
    if value is None:
        assert name in {field.name for field in fields(Plan) if field.default is None}
        return
    if not least <= value <= most:
        raise TournamentError(f"{name} is a number from {least:g} to {most:g}, not {shown(value)}")
