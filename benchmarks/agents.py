"""Agents against each other: who wins how much, in each game.

    python -m mancala_ai.benchmarks.agents [GAME]... [--agents SPEC...] [--games 40] [--seed 0]

Two agents play each opening, a few random decisions, twice, with seats exchanged. Such a
pair of games is one sample: its mean score, a win 1, a draw, an annulled or a truncated
game 1/2. Intervals are those of the mean of the samples, 95 % by the normal approximation;
they tell nothing where all samples are equal. Openings and agents are seeded by the number
of the pair, so that the scores do not depend on the processes that play.

Read next: ``../agents/registry.py``.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from itertools import combinations
from multiprocessing import get_context
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter
from cyclopts.validators import Number

import mancala_ai
from mancala_ai.agents import Agent, make_agent
from mancala_ai.cli import run
from mancala_ai.cli.inputs import JsonTarget, integer
from mancala_ai.cli.output import json_target, new_table, print_table, write_json
from mancala_ai.game import usable_cores

from . import BenchmarkError
from .command import command
from .machine import describe_machine
from .throughput import MAX_PLIES

if TYPE_CHECKING:
    from rich.table import Table

    from mancala_ai.game import Game, State

AGENTS = ("random", "greedy", "alphabeta:depth=4", "mcts:num_simulations=400")
OPENING_PLIES = 4
_NORMAL_95 = 1.959964


class Result(NamedTuple):
    """One game, as the first agent of two sees it."""

    score: float  # 1, 1/2, 0
    ending: str  # the win_kind of the state, or "truncated"


class Pairing(NamedTuple):
    """Two agents in a game, and the games that they played: two an opening."""

    game: str
    agents: tuple[int, int]  # places in the list of agents
    results: list[tuple[Result, Result]]

    def samples(self, agent: int) -> list[float]:
        """The mean scores of an agent, one an opening."""
        scores = [fmean(result.score for result in pair) for pair in self.results]
        return scores if agent == self.agents[0] else [1 - score for score in scores]


def opening(game: Game, seed: int, number: int) -> State:
    """A live state after a few random decisions; the same for the same seed and number."""
    rng = random.Random(f"opening {seed} {number}")
    state = game.initial_state(seed=rng.getrandbits(63))
    for _ in range(OPENING_PLIES):
        after = state.apply(rng.choice(state.legal_actions()))
        if after.is_terminal:
            break
        state = after
    return state


def play_pair(spec: str, agents: tuple[str, str], seed: int, number: int) -> tuple[Result, Result]:
    """Both games of an opening; first the first agent sits South, then North."""
    start = opening(mancala_ai.make(spec), seed, number)
    rng = random.Random(f"agents {seed} {number}")
    results = []
    for south in (0, 1):
        with (
            closing(make_agent(agents[south], rng.getrandbits(63))) as southern,
            closing(make_agent(agents[1 - south], rng.getrandbits(63))) as northern,
        ):
            end = _play(start, (southern, northern))
        results.append(Result((1 + end.returns[south]) / 2, end.win_kind or "truncated"))
    return results[0], results[1]


def _play(state: State, seats: Sequence[Agent]) -> State:
    """The end of the game, or where it was truncated."""
    first = state.ply
    while not state.is_terminal and state.ply - first < MAX_PLIES:
        state = state.apply(seats[state.player].act(state))
    return state


def pairings(
    game: str, agents: Sequence[str], pairs: int, seed: int, processes: ProcessPoolExecutor
) -> list[Pairing]:
    """Every agent against every other."""
    places = list(combinations(range(len(agents)), 2))
    playing = [
        [
            processes.submit(play_pair, game, (agents[i], agents[j]), seed, number)
            for number in range(pairs)
        ]
        for i, j in places
    ]
    return [
        Pairing(game, both, [pair.result() for pair in waited_for])
        for both, waited_for in zip(places, playing, strict=True)
    ]


def mean_and_margin(samples: Sequence[float]) -> tuple[float, float | None]:
    """The mean, and half the width of its interval if there are two samples or more."""
    if len(samples) < 2:
        return fmean(samples), None
    return fmean(samples), _NORMAL_95 * stdev(samples) / math.sqrt(len(samples))


def cross_table(agents: Sequence[str], played: Sequence[Pairing]) -> Table:
    """The scores of the agent of each row against those of the columns, and against all."""
    table = new_table(played[0].game, *agents, "all", numbers=(*agents, "all"))
    for row, agent in enumerate(agents):
        samples: list[list[float]] = [[] for _ in agents]
        for pairing in played:
            if row in pairing.agents:
                samples[sum(pairing.agents) - row] = pairing.samples(row)
        cells = [*samples, [score for column in samples for score in column]]
        table.add_row(agent, *(_cell(cell) for cell in cells))
    return table


def _cell(samples: Sequence[float]) -> str:
    if not samples:
        return "-"
    mean, margin = mean_and_margin(samples)
    return f"{mean:.3f}" + ("" if margin is None else f" ±{margin:.3f}")


def row(agents: Sequence[str], pairing: Pairing) -> dict[str, Any]:
    """The figures of one pairing, ready for JSON; scores are those of the first agent."""
    mean, margin = mean_and_margin(pairing.samples(pairing.agents[0]))
    games = [result for pair in pairing.results for result in pair]
    return {
        "game": pairing.game,
        "agents": [agents[i] for i in pairing.agents],
        "games": len(games),
        "score": mean,
        "interval": None if margin is None else [mean - margin, mean + margin],
        "wins": sum(result.score == 1 for result in games),
        "losses": sum(result.score == 0 for result in games),
        "annulled": sum(result.ending == "annulled" for result in games),
        "truncated": sum(result.ending == "truncated" for result in games),
    }


app = command("agents", __doc__)


@app.default
def agents(
    *games: Annotated[str, Parameter(name="GAME")],
    agents: Annotated[tuple[str, ...], Parameter(consume_multiple=True)] = AGENTS,
    games_each: Annotated[
        int, Parameter(name="--games", converter=integer, validator=Number(gte=2))
    ] = 40,
    seed: Annotated[int, Parameter(converter=integer)] = 0,
    processes: Annotated[int, Parameter(converter=integer, validator=Number(gte=0, lte=1024))] = 0,
    json: JsonTarget = None,
) -> None:
    """Let each agent play each other one.

    Parameters
    ----------
    games
        Games as NAME or NAME:option=value,...; all games if none is given.
    agents
        Two agents or more, as NAME or NAME:option=value,...
    games_each
        Games of any two agents in each game, an even number: each opening is played twice.
    seed
        Of the openings and the agents.
    processes
        Processes to play in; 0 means as many as there are cores.
    json
        Write the figures as JSON to this file; - writes them to stdout, and nothing else.
    """
    _check(agents, games_each)
    rows = []
    with json_target(json) as target:
        for played in _play_all(
            games or mancala_ai.games(), agents, games_each // 2, seed, processes
        ):
            rows += [row(agents, pairing) for pairing in played]
            if json != "-":
                print_table(cross_table(agents, played))
                print(flush=True)
        if target is not None:
            report = {"machine": describe_machine(), "seed": seed, "rows": rows}
            write_json(report, target)


def _check(agents: Sequence[str], games_each: int) -> None:
    if len(agents) < 2:
        raise BenchmarkError("--agents: two or more are needed")
    if games_each % 2:
        raise BenchmarkError(f"--games {games_each}: must be even, as each opening is played twice")
    for agent in agents:
        make_agent(agent).close()


def _play_all(
    games: Sequence[str], agents: Sequence[str], pairs: int, seed: int, processes: int
) -> Iterator[list[Pairing]]:
    """The pairings of each game."""
    specs = [mancala_ai.make(game).spec for game in games]
    with ProcessPoolExecutor(processes or usable_cores(), get_context("spawn")) as pool:
        for spec in specs:
            yield pairings(spec, agents, pairs, seed, pool)


if __name__ == "__main__":
    sys.exit(run(app))
