"""One game of a tournament, played to an outcome whatever the agents do.

An agent that raises, answers what is not legal, or takes too long loses the game; the
outcome says so. Without a clock, agents play in this process. Under a clock each runs in a
process of its own (``process.py``), which is killed if it hangs, and kept for the next game.

Read next: ``journal.py``, ``running.py``.
"""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TypedDict

from mancala_ai.agents import Agent, make_agent
from mancala_ai.agents.process import ProcessAgent
from mancala_ai.state import PLAYERS, State

from .opening import opening
from .plan import Plan

MOST_ENGINES = 4  # kept for games to come, by each thread that plays
LONGEST_MESSAGE = 300  # characters of what an agent did wrong


class Fault(TypedDict):
    """What an agent lost a game by.

    Attributes
    ----------
    player : str
        ``"south"`` or ``"north"``.
    kind : str
        ``"time"`` or ``"error"``.
    message : str
    """

    player: str
    kind: str
    message: str


class Outcome(TypedDict):
    """A finished game; a line of the journal.

    Attributes
    ----------
    number : int
        In the plan.
    game, south, north : str
        Specs of the game and the agents.
    seeds : list of int
        Of South's agent and North's.
    position : str
        The initial state as text; the moves begin there.
    opening : int
        How many of the moves are the opening.
    moves : list of int
        Actions.
    result : int or None
        1: South won, -1: North won, 0: drawn; None if the game was annulled or truncated.
    points : list of float
        South's and North's, by the game's own scoring; zeros if a fault decided.
    ending : str
        The ``win_kind`` of the last state, ``"truncated"`` or ``"fault"``.
    fault : Fault or None
    seconds : list of float
        That South and North took for all their moves, by the wall clock.
    late : float
        Seconds by which the latest turn that was still accepted was late; 0 without a clock.
    """

    number: int
    game: str
    south: str
    north: str
    seeds: list[int]
    position: str
    opening: int
    moves: list[int]
    result: int | None
    points: list[float]
    ending: str
    fault: Fault | None
    seconds: list[float]
    late: float


class _Lost(Exception):
    """The player who decides loses: kind of fault, and what happened."""


class _Clock:
    """The time that each player takes; the bounds of a turn, if it has any."""

    def __init__(self, limit: float | None, grace: float) -> None:
        self._limit, self._grace = limit, grace
        self._in_turn, self._mover = 0.0, -1
        self.seconds = [0.0, 0.0]
        self.late = 0.0

    def act(self, agent: Agent, state: State) -> int:
        """The agent's action; raises _Lost if it comes too late."""
        if state.player != self._mover or state.phase == "sow":  # else the turn goes on
            self._mover, self._in_turn = state.player, 0.0
        left = None if self._limit is None else max(self._limit - self._in_turn, 0.001)
        begin = perf_counter()
        try:
            return agent.act(state, left)
        finally:
            self._note(perf_counter() - begin)

    def _note(self, taken: float) -> None:
        self.seconds[self._mover] += taken
        self._in_turn += taken
        if self._limit is None:
            return
        late = self._in_turn - self._limit
        if late > self._grace:
            raise _Lost("time", f"took {self._in_turn:.3f} s of {self._limit:g} s for a turn")
        self.late = max(self.late, late)


def play(plan: Plan, number: int) -> Outcome:
    """Play one game of a plan."""
    fixture = plan.fixture(number)
    begun = opening(fixture.game, plan.seed, fixture.opening, plan.opening_plies, plan.fair)
    specs = plan.agents[fixture.south], plan.agents[fixture.north]
    seeds = plan.agent_seeds(number)
    clock = _Clock(plan.seconds_per_turn, plan.grace)
    state, moves, fault = begun.start, list(begun.actions), None
    with (
        _seated(specs[0], seeds[0], plan, state, 0) as southern,
        _seated(specs[1], seeds[1], plan, state, 1) as northern,
    ):
        while not state.is_terminal and state.ply < plan.max_plies and fault is None:
            mover = state.player
            try:
                action = clock.act((southern, northern)[mover], state)
                state = state.apply(action)
                moves.append(action)
            except _Lost as lost:
                fault = _fault(mover, *lost.args)
            except Exception as error:  # an agent may fail in any way
                fault = _fault(mover, "error", f"{type(error).__name__}: {error}")
    return Outcome(
        number=number,
        game=fixture.game,
        south=specs[0],
        north=specs[1],
        seeds=list(seeds),
        position=begun.initial.to_text(),
        opening=len(begun.actions),
        moves=moves,
        result=_result(state, fault),
        points=list(state.points),
        ending="fault" if fault else state.win_kind or "truncated",
        fault=fault,
        seconds=[round(seconds, 6) for seconds in clock.seconds],
        late=round(clock.late, 6),
    )


def _fault(player: int, kind: str, message: str) -> Fault:
    said = " ".join(message.split())[:LONGEST_MESSAGE]
    return Fault(player=PLAYERS[player], kind=kind, message=said)


def _result(state: State, fault: Fault | None) -> int | None:
    """Of a game that ends here, as South sees it."""
    if fault is not None:
        return -1 if fault["player"] == PLAYERS[0] else 1
    if state.annulled or not state.is_terminal:
        return None
    return int(state.returns[0])


class _Absent(Agent):
    """In the place of an agent that could not even begin."""

    NAME = "absent"

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def act(self, state: State, seconds: float | None = None) -> int:
        raise self._error


@contextmanager
def _seated(spec: str, seed: int, plan: Plan, state: State, seat: int) -> Iterator[Agent]:
    """An agent ready to play; one that fails before its first move fails at it."""
    clocked = plan.seconds_per_turn is not None
    try:
        agent = _engine(spec, seed, seat) if clocked else make_agent(spec, seed)
        if clocked or (spec, state.game.spec) not in _compiled:
            agent.prepare(state)
            _compiled.add((spec, state.game.spec))
    except Exception as error:
        yield _Absent(error)
        return
    try:
        yield agent
    finally:
        if not clocked:
            agent.close()


class _Engines(threading.local):
    """The engines of a thread, by spec and seat; those used last come last."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, int], ProcessAgent] = {}


_engines = _Engines()
_compiled: set[tuple[str, str]] = set()  # agents and games that this process has prepared


def _engine(spec: str, seed: int, seat: int) -> ProcessAgent:
    """An agent in a process of its own; an agent that is one already needs no other."""
    kept = _engines.kept
    engine = kept.pop((spec, seat), None)
    if engine is None:
        made = make_agent(spec)
        if isinstance(made, ProcessAgent):
            engine = made
        else:
            made.close()
            command = [sys.executable, "-m", "mancala_ai.agents.serve", spec]
            engine = ProcessAgent(cmd=shlex.join(command))
    kept[spec, seat] = engine
    while len(kept) > MOST_ENGINES:
        kept.pop(next(iter(kept))).close()
    engine.reseed(seed)
    return engine
