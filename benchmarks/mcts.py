"""Simulations a second: our Monte-Carlo tree search beside OpenSpiel's.

    python -m mancala_ai.benchmarks.mcts [--threads 2] [--simulations 20000] [--seconds 0.3]

Kalah and Oware, from the beginning of a game and from positions some random moves later.
OpenSpiel's ``MCTSBot`` (C++, one thread) searches the same positions of the same rules with
the same weight of exploration, one rollout a simulation, and its own proofs (``solve``).
One thread and several are compared by what they do in the same time: searches of 20,000
simulations take 20 ms, in which a virtual machine may not have its second processor
awake. All take turns, so that a machine that slows down slows all; figures are medians over
rounds. OpenSpiel is PyPI's ``open-spiel``; without it, ours is measured alone. Run it on a
quiet machine with enough cores.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

import mancala_ai
from mancala_ai.agents import make_agent
from mancala_ai.cli import run

from .command import command

GAMES = {"kalah": "mancala", "oware:repetition=split_rows": "oware"}  # ours, and OpenSpiel's
PLIES = (0, 8, 16, 24)  # of the random openings
EXPLORATION = 1.4  # for results from -1 to 1, as OpenSpiel counts; ours are from 0 to 1
MEMORY = 1000  # MiB, more than is needed

app = command("mcts", __doc__)


@app.default
def mcts(
    *,
    threads: Annotated[int, Parameter(validator=Number(gte=2, lte=64))] = 2,
    simulations: Annotated[int, Parameter(validator=Number(gte=1, lte=10**6))] = 20_000,
    seconds: Annotated[float, Parameter(validator=Number(gte=0.01, lte=60))] = 0.3,
    rounds: Annotated[int, Parameter(validator=Number(gte=1))] = 9,
) -> None:
    """Compare our search, on one thread and on several, with OpenSpiel's.

    Parameters
    ----------
    threads
        Threads to compare with one.
    simulations
        Simulations of each position, ours and OpenSpiel's.
    seconds
        Time of each position, of one thread and of several.
    rounds
        Times that each position is searched.
    """
    pyspiel = _pyspiel()
    print(f"simulations/s, medians of {rounds} rounds, and ratios; {simulations:,} beside")
    print(f"OpenSpiel's, those of {seconds:g} s beside those of several threads")
    several = f"{threads} threads"
    print(f"{'game':28} {'OpenSpiel':>10} {'ours':>16} {'1 thread':>10} {several:>16}")
    for name, theirs in GAMES.items():
        openings = [_opening(name, plies) for plies in PLIES]
        one, more = (_ours(name, openings, seconds=seconds, threads=n) for n in (1, threads))
        beside = f"{'-':>10} {'-':>10} {'-':>5}"
        if pyspiel is not None:
            bot = _open_spiel(pyspiel, theirs, openings, simulations)
            beside = _compared(bot, _ours(name, openings, num_simulations=simulations), rounds)
        print(f"{name:28} {beside} {_compared(one, more, rounds)}", flush=True)


def _compared(one: Callable[[], float], other: Callable[[], float], rounds: int) -> str:
    """The medians of what two searches return in turns, and that of their ratios."""
    one(), other()  # compile, and fill the caches
    pairs = [(one(), other()) for _ in range(rounds)]
    first, second = (median(column) for column in zip(*pairs, strict=True))
    return f"{first:10,.0f} {second:10,.0f} {median(b / a for a, b in pairs):5.2f}"


def _pyspiel() -> Any:
    """OpenSpiel's module, or None, said to the user, where it is not installed."""
    try:
        return import_module("pyspiel")
    except ImportError:
        print("OpenSpiel is left out, as it is not installed: pip install open-spiel")
        return None


def _opening(name: str, plies: int) -> list[int]:
    """Random decisions from the beginning of a game."""
    rng, state, actions = random.Random(plies), mancala_ai.make(name).initial_state(), []
    for _ in range(plies):
        actions.append(rng.choice(state.legal_actions()))
        state = state.apply(actions[-1])
    return actions


def _ours(name: str, openings: list[list[int]], **options: Any) -> Callable[[], float]:
    """A search of all openings, afresh; it returns its simulations a second."""
    states = []
    for actions in openings:
        state = mancala_ai.make(name).initial_state()
        for action in actions:
            state = state.apply(action)
        states.append(state)
    agent = make_agent("mcts:objective=win", memory=MEMORY, c=EXPLORATION / 2, **options)

    def search() -> float:
        done, begin = 0, perf_counter()
        for state in states:
            agent.reset()
            agent.act(state)
            done += agent.last_info["num_simulations"]
        return done / (perf_counter() - begin)

    return search


def _open_spiel(
    pyspiel: Any, name: str, openings: list[list[int]], simulations: int
) -> Callable[[], float]:
    """The same by OpenSpiel's bot."""
    game, states = pyspiel.load_game(name), []
    for actions in openings:
        state = game.new_initial_state()
        for action in actions:
            # the numbers of its Kalah are those of the board
            first = (1, 8)[state.current_player()] if name == "mancala" else 0
            state.apply_action(first + action)
        states.append(state)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    # solve, seed, verbose
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, simulations, MEMORY, True, 0, False)

    def search() -> float:
        done, begin = 0, perf_counter()
        for state in states:
            done += bot.mcts_search(state).explore_count
        return done / (perf_counter() - begin)

    return search


if __name__ == "__main__":
    sys.exit(run(app))
