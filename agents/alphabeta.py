"""The alpha-beta agent: the score of a position by null-window searches, deeper and deeper.

The score of a depth is found by bracketing it: the search (``search.py``) says whether it
is at least so much, first for the score of the depth before, then for others, in growing
steps and at last by halving. What the searches found stays in the transposition table.

The action played is the first one, in an order that depends on nothing but the position,
that reaches the score. So each depth gives the same action whatever the table held before,
and on any number of threads. (What a fuller table can do is prove a score earlier, which
ends the deepening; the value is then exact either way.)

Read first: ``search.py``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mancala_ai.dispatch import UNIT, WIN
from mancala_ai.errors import AgentError
from mancala_ai.fields import Option, RealOption

from . import search as kernel
from .agent import LONGEST_SECONDS, OBJECTIVES, Agent, Info, natural_objective
from .table import AGES, NOTHING, UNLIMITED, new_table

if TYPE_CHECKING:
    from mancala_ai.game import Game
    from mancala_ai.state import State

MOST_DEPTH = UNLIMITED - 1
LEVELS = 1024  # of a search to the end: no game of Kalah is longer
DEFAULT_DEPTH = 6
BEYOND = 2 * WIN - UNIT  # no score is greater

SLICE_SECONDS = 0.004  # between two looks at the clock
FIRST_SLICE, LARGEST_SLICE = 1000, 1 << 17  # nodes
ALONE = 20_000  # nodes before other threads are asked for help
SHARE = 0.98  # of the time; the rest is for what comes after
LINE_NODES = 50_000  # spent at most on a principal variation


class OutOfTime(Exception):
    """The time is over in the middle of a search."""


class Answer(NamedTuple):
    """What a search has found."""

    score: int
    proven: bool
    action: int  # NOTHING if none reached the goal


class Clock:
    """The time that is left, and how many nodes to visit before the next look at it."""

    def __init__(self, seconds: float | None) -> None:
        self.begin = perf_counter()
        self.end = math.inf if seconds is None else self.begin + seconds
        self.slice = FIRST_SLICE
        self._looked = self.begin

    def look(self) -> None:
        """Adapt the next slice to the time that this one took; raises OutOfTime."""
        now = perf_counter()
        if now >= self.end:
            raise OutOfTime
        wanted = min(SLICE_SECONDS, (self.end - now) / 4)
        ratio = min(max(wanted / max(now - self._looked, 1e-6), 0.25), 4.0)
        self.slice = int(min(max(self.slice * ratio, 16), LARGEST_SLICE))
        self._looked = now

    def start(self) -> None:
        """A slice begins now."""
        self._looked = perf_counter()


class Searcher:
    """The memory of searches in one game for one objective: a table, and a stack a thread.

    Parameters
    ----------
    game : Game
    by_win : bool
        Whether scores are results, and not seeds.
    levels : int
        Decisions to look ahead at most.
    mebibytes : float
        Size of the table.
    threads : int
    weights : sequence of four ints, optional
        Of the features; those of the game if left out.
    """

    def __init__(
        self,
        game: Game,
        by_win: bool,
        levels: int,
        mebibytes: float,
        threads: int,
        weights: Sequence[int] | None = None,
    ) -> None:
        self.game, self.by_win, self.levels = game, by_win, levels
        self.weights = np.array(game.WEIGHTS if weights is None else weights, np.int64)
        self.table = new_table(mebibytes)
        self.stacks = [self._new_stack(number) for number in range(threads)]
        self.closed = False  # whoever sets it ends the search under way

    def _new_stack(self, number: int) -> kernel.Stack:
        size = self.game.initial_state()._row.shape[1]
        children = self.levels * self.game.num_actions
        stack = kernel.Stack(
            frames=np.zeros((self.levels, kernel.FRAME_FIELDS), np.int64),
            rows=np.zeros((children, size), np.uint8),
            orders=np.zeros(children, np.int64),
            keys=np.zeros(children, np.int64),
            killers=np.full(self.levels, NOTHING, np.int64),
            credit=np.zeros((2, self.game.num_actions), np.int64),
            path=np.zeros((self.levels + 1, size), np.uint8),
            weights=self.weights,
            control=np.zeros(kernel.CONTROL_FIELDS, np.int64),
        )
        stack.control[kernel.SHAKE] = number
        return stack

    @property
    def nodes(self) -> int:
        """Nodes visited since the searcher was made."""
        return sum(int(stack.control[kernel.NODES]) for stack in self.stacks)

    @property
    def memory(self) -> int:
        """Bytes of the table and the stacks."""
        stacks = sum(int(array.nbytes) for stack in self.stacks for array in stack)
        return self.table.nbytes + stacks

    def next_age(self) -> None:
        """Entries of the table from before now are old."""
        for stack in self.stacks:
            stack.control[kernel.AGE] = (stack.control[kernel.AGE] + 1) % AGES

    def forget(self) -> None:
        """Empty the table and all that orders actions."""
        self.table.fill(0)
        for stack in self.stacks:
            stack.killers.fill(NOTHING)
            stack.credit.fill(0)

    def look_at(self, state: State) -> None:
        """Search this state from now on."""
        rows = state._history_rows()
        self.row = rows[-1:].copy()
        for i, stack in enumerate(self.stacks):
            if len(stack.path) < len(rows) + self.levels:
                path = np.zeros((len(rows) + self.levels, rows.shape[1]), np.uint8)
                self.stacks[i] = stack = stack._replace(path=path)
            stack.path[: len(rows)] = rows
            stack.control[kernel.EARLIER] = len(rows) - 1

    def ask(self, goal: int, depth: int, favourite: int, clock: Clock, most: float) -> Answer:
        """Whether the score is at least ``goal``; raises OutOfTime, also after ``most`` nodes.

        Raises AgentError when ``closed`` is set meanwhile.
        """
        stack, rules = self.stacks[0], self.game.rules
        control = stack.control
        begin = int(control[kernel.NODES])
        self.question(stack, goal, depth, favourite)
        helpers = Helpers(self, goal, depth, favourite)
        found = False
        try:
            while not found:
                nodes = int(control[kernel.NODES])
                clock.start()
                found = kernel.search(
                    rules, stack, self.table, self.by_win, self.row, nodes + clock.slice
                )
                clock.look()
                if self.closed:
                    raise AgentError("alphabeta was closed in the middle of a search")
                visited = int(control[kernel.NODES]) - begin
                if visited > most and not found:
                    raise OutOfTime
                if visited > ALONE:
                    helpers.start()
        finally:
            helpers.stop()
        score, proven, action = control[kernel.SCORE : kernel.BEST_ACTION + 1].tolist()
        return Answer(score, bool(proven), action)

    def question(self, stack: kernel.Stack, goal: int, depth: int, favourite: int) -> None:
        """Put the question of :meth:`ask` to a stack."""
        control = stack.control
        control[kernel.LEVEL] = -1
        control[kernel.ROOT_GOAL], control[kernel.ROOT_DEPTH] = goal, depth
        control[kernel.FAVOURITE] = favourite

    def score(self, depth: int, guess: int, favourite: int, clock: Clock) -> Answer:
        """The score of a depth, and the action that reaches it."""
        grain = self._grain(depth)
        beyond = WIN if self.by_win else BEYOND // grain * grain
        low, high = -beyond, beyond
        low_proven = high_proven = self.by_win
        action, goal, step = NOTHING, guess // grain * grain, grain
        while low < high:
            goal = min(max(goal, low + grain), high)
            answer = self.ask(goal, depth, favourite, clock, math.inf)
            if answer.score >= goal:
                low, low_proven = answer.score, answer.proven
                action = answer.action if low == goal else NOTHING
                goal = low + step
            else:
                high, high_proven = answer.score, answer.proven
                goal = high + grain - step
            if -beyond < low and high < beyond:
                goal = low + ((high - low) // grain + 1) // 2 * grain
            step *= 2
        if action == NOTHING:
            action = self.ask(low, depth, favourite, clock, math.inf).action
        return Answer(low, low_proven and high_proven, action)

    def _grain(self, depth: int) -> int:
        """What scores are multiples of: a search to the end estimates nothing."""
        if depth != UNLIMITED:
            return 1
        return WIN if self.by_win else UNIT

    def line(self, state: State, depth: int, answer: Answer, clock: Clock) -> Iterator[int]:
        """The principal variation from a state with this answer, as far as it is known."""
        action, score = answer.action, answer.score
        most = self.nodes + LINE_NODES
        while True:
            yield action
            before, state = state, state.apply(action)
            depth = depth if depth == UNLIMITED else depth - 1
            if state.is_terminal or depth == 0:
                return
            score -= 0 if self.by_win else _gain(before, state)
            score = score if state.player == before.player else -score
            self.look_at(state)
            try:
                action = self.ask(score, depth, NOTHING, clock, most - self.nodes).action
            except OutOfTime:
                return
            if action == NOTHING:
                return


def _gain(before: State, after: State) -> int:
    """The score that an action brought its player at once."""
    won = after.captured - before.captured
    return UNIT * int(won[before.player] - won[1 - before.player])


class Helpers:
    """Other threads that search the same question in other orders, and so fill the table."""

    def __init__(self, searcher: Searcher, goal: int, depth: int, favourite: int) -> None:
        self.searcher, self.question = searcher, (goal, depth, favourite)
        self._done = Event()
        self._running: list[Future[None]] = []

    def start(self) -> None:
        """Set them to work, if they are not yet."""
        others = self.searcher.stacks[1:]
        if others and not self._running:
            pool = ThreadPoolExecutor(len(others))
            self._running = [pool.submit(self._help, stack) for stack in others]
            pool.shutdown(wait=False)  # its threads end with their work

    def _help(self, stack: kernel.Stack) -> None:
        searcher = self.searcher
        args = searcher.game.rules, stack, searcher.table, searcher.by_win, searcher.row
        searcher.question(stack, *self.question)
        found = False
        while not found and not self._done.is_set():
            found = kernel.search(*args, int(stack.control[kernel.NODES]) + ALONE)

    def stop(self) -> None:
        """Wait until they have stopped."""
        self._done.set()
        for future in self._running:
            future.result()


class AlphaBetaAgent(Agent):
    """Looks ahead a number of decisions, or as many as the time allows, or to the end.

    Without depth, seconds or solve it looks ahead six decisions. It keeps its table from
    one move to the next. With ``solve`` it searches until the value is proven: at once to
    the end where no position can come back (Kalah), else deeper and deeper, which may
    take for ever; a depth is then not looked at.

    Attributes
    ----------
    weights : sequence of four ints, optional
        To be used in place of ``game.WEIGHTS``; set before the first move.
    """

    NAME = "alphabeta"
    OPTIONS = (
        Option("depth", None, range(1, MOST_DEPTH + 1), "decisions to look ahead"),
        RealOption("seconds", None, (0.001, LONGEST_SECONDS), "time for a move"),
        Option("solve", False, (False, True), "search to the end of the game"),
        Option("objective", None, OBJECTIVES, "what counts: seeds or the result"),
        RealOption("memory", 64.0, (0.0, 2.0**20), "MiB of the transposition table"),
        Option("threads", 1, range(1, 257), "threads to search with"),
    )

    def __init__(self, seed: int = 0, **options: Any) -> None:
        super().__init__(seed, **options)
        self.weights: Sequence[int] | None = None
        self._searcher: Searcher | None = None

    def prepare(self, state: State) -> None:
        self._searcher_for(state)

    def check_game(self, game: Game) -> None:
        natural_objective(game, self.options["objective"])

    def choose(self, state: State, seconds: float | None) -> tuple[int, Info]:
        searcher = self._searcher_for(state)
        searcher.next_age()
        limit = min(self.options["seconds"] or math.inf, seconds or math.inf)
        clock = Clock(None if limit == math.inf else SHARE * limit)
        nodes = searcher.nodes
        depth, answer, line = 0, Answer(0, False, NOTHING), []
        try:
            for depth_tried in self._depths(state, limit):
                searcher.look_at(state)
                answer = self._search(searcher, depth_tried, answer, clock)
                depth = depth_tried
                if limit < math.inf:  # now, as the next depth overwrites what it needs
                    line = list(searcher.line(state, depth, answer, clock))
                if answer.proven:
                    break
        except OutOfTime:
            pass
        if limit == math.inf:
            line = list(searcher.line(state, depth, answer, clock))
        seconds_taken = perf_counter() - clock.begin
        nodes = searcher.nodes - nodes
        info = Info(
            objective="win" if searcher.by_win else "margin",
            value=self._value(state, searcher, answer),
            proven=answer.proven,
            nodes=nodes,
            nodes_per_second=nodes / seconds_taken,
            principal_variation=line,
            memory=searcher.memory,
        )
        if depth != UNLIMITED:
            info["depth"] = depth
        return answer.action, info

    def reset(self) -> None:
        if self._searcher is not None:
            self._searcher.forget()

    def _depths(self, state: State, limit: float) -> Iterator[int]:
        """The depths to search, one after the other."""
        if self.options["solve"]:
            yield from range(1, MOST_DEPTH + 1) if state.game.RECURS else [UNLIMITED]
            return
        most = self.options["depth"] or (DEFAULT_DEPTH if limit == math.inf else MOST_DEPTH)
        if len(state.legal_actions()) == 1 and self.options["depth"] is None:
            most = 1
        yield from range(1, most + 1)

    def _search(self, searcher: Searcher, depth: int, before: Answer, clock: Clock) -> Answer:
        # the first depth is searched whatever the time, so that there is an action
        clock = Clock(None) if depth == 1 else clock
        answer = searcher.score(depth, before.score, before.action, clock)
        lost = searcher.by_win and answer.proven and answer.score == -WIN
        if lost and before.action != NOTHING:
            return answer._replace(action=before.action)  # it held out longest
        return answer

    def _value(self, state: State, searcher: Searcher, answer: Answer) -> float:
        """The score in seeds, or as the result that it lets expect."""
        if not searcher.by_win:
            return answer.score / UNIT
        if abs(answer.score) == WIN or answer.proven:
            return (answer.score / WIN + 1) / 2
        return 1 / (1 + math.exp(-answer.score / state.game.WIN_SCALE))

    def _searcher_for(self, state: State) -> Searcher:
        by_win = natural_objective(state.game, self.options["objective"]) == "win"
        known = self._searcher
        if known is None or known.game != state.game or known.by_win != by_win:
            self.close()
            levels = MOST_DEPTH if state.game.RECURS else LEVELS
            memory, threads = self.options["memory"], self.options["threads"]
            known = Searcher(state.game, by_win, levels, memory, threads, self.weights)
            self._searcher = known
            known.look_at(state)
            known.score(2, 0, NOTHING, Clock(None))  # compiles
        return known

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_searcher": None}  # its table changes no action

    def close(self) -> None:
        if self._searcher is not None:
            self._searcher.closed = True
            self._searcher = None
