"""One program of ``mancala bench --peers``, in a process of its own.

    PYTHON worker.py openspiel|pgx|pettingzoo ROWS
    PYTHON worker.py mancala_ai ROWS GAME...

It runs by itself, with the interpreter that has the program installed, and imports nothing of
mancala_ai unless that is the program. On stdout it says in one line of JSON what it can play,
or what is missing; then, for each line ``NUMBER SECONDS`` that it reads, ``[games, decisions]``
a second of that way of playing. Games are uniformly random everywhere.

To add a program: a function that lists its ways, and a row in ``PEERS``.

Read next: ``running.py``.
"""

from __future__ import annotations

import json
import os
import platform
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

Speed = tuple[float, float]  # games and decisions a second
Play = Callable[[float], Speed]  # for about so many seconds

MAX_PLIES = 2000  # as everywhere in this library
WARM_UP = 100  # steps, so that the rows are no longer all in the first moves of a game
ROLLOUTS = 200  # of OpenSpiel, in one call
SAMPLE = 2000  # games of OpenSpiel whose decisions are counted


class Way(NamedTuple):
    """A way of playing random games.

    Attributes
    ----------
    kind : str
        ``games``, ``states``, ``batch`` or ``environment``: what it is compared with.
    game : str
        What the program calls the game.
    beside : str
        The game of this library that it is compared with.
    same_rules : bool
        Whether the two have the same rules; else it is the nearest game that there is.
    note : str
        What else is not the same; empty if nothing is.
    prepare : callable
        Makes and compiles what plays it.
    """

    kind: str
    game: str
    beside: str
    same_rules: bool
    note: str
    prepare: Callable[[], Play]


class Peer(NamedTuple):
    """A program: what people call it, its packages, and the ways that it plays."""

    title: str
    packages: tuple[str, ...]
    ways: Callable[[int, list[str]], Iterator[Way]]


def repeated(play_some: Callable[[], tuple[int, int]]) -> Play:
    """Plays again and again; ``play_some`` returns the games that it ended, and its decisions."""

    def play(seconds: float) -> Speed:
        games = decisions = 0
        begin = perf_counter()
        while (elapsed := perf_counter() - begin) < seconds:
            ended, made = play_some()
            games, decisions = games + ended, decisions + made
        return games / elapsed, decisions / elapsed

    return play


def aec_game(env: Any, choose: Callable[[list[int]], int]) -> int:
    """A whole game in the loop that every user of PettingZoo writes; its decisions."""
    decisions = 0
    env.reset()
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        action = None
        if not (terminated or truncated):
            action = choose(np.flatnonzero(observation["action_mask"]).tolist())
            decisions += 1
        env.step(action)
    return decisions


def aec_games(env: Any) -> Play:
    """Games of a PettingZoo environment, one after the other."""
    choose = random.Random(0).choice
    return repeated(lambda: (1, aec_game(env, choose)))


# This library -------------------------------------------------------------------


def ours(rows: int, games: list[str]) -> Iterator[Way]:
    """All ways to play some games."""
    import mancala_ai

    for spec in games:
        game = mancala_ai.make(spec)
        for kind, prepare in (
            ("games", partial(_our_games, game)),
            ("states", partial(_our_states, game)),
            ("batch", partial(our_batch, game, rows)),
            ("environment", partial(_our_environment, game)),
        ):
            yield Way(kind, spec, spec, True, "", prepare)


def _our_games(game: Any) -> Play:
    from mancala_ai.benchmarks.throughput import Meter

    meter = Meter(game)
    meter.warm_up()
    return meter.run


def _our_states(game: Any) -> Play:
    choose = random.Random(0).choice

    def play() -> tuple[int, int]:
        state, decisions = game.initial_state(), 0
        while not state.is_terminal and decisions < MAX_PLIES:  # Oware can go round for ever
            state = state.apply(choose(state.legal_actions()))
            decisions += 1
        return 1, decisions

    return repeated(play)


def our_batch(game: Any, rows: int, threads: int = 1) -> Play:
    """Steps of ``rows`` games at once; those that only begin the next game count for nothing."""
    batch = game.batch(rows, seed=1, threads=threads)

    def step() -> tuple[int, int]:
        _, _, terminations, truncations, _ = batch.step(batch.random_actions())
        ended = int(np.count_nonzero(terminations) + np.count_nonzero(truncations))
        return ended, rows - ended

    for _ in range(WARM_UP):
        step()
    return repeated(step)


def _our_environment(game: Any) -> Play:
    module = import_module(f"mancala_ai.envs.{game.name}_v0")
    return aec_games(module.env(**game.options))


# OpenSpiel ----------------------------------------------------------------------


def open_spiel(rows: int, _: list[str]) -> Iterator[Way]:
    """Two games of the same rules, played in C++ and from Python."""
    import pyspiel

    for name, beside in (("mancala", "kalah"), ("oware", "oware:repetition=split_rows")):
        game = pyspiel.load_game(name)
        for kind, note, prepare in (
            ("games", "decisions by the mean length", partial(_rollouts, pyspiel, game)),
            ("states", "one state that changes; ours makes new ones", partial(_states, game)),
            ("batch", "lists of Python objects, SyncVectorEnv", partial(_batch, game, rows)),
            ("environment", "lists of both players, rl_environment", partial(_environment, game)),
        ):
            yield Way(kind, name, beside, True, note, prepare)


def _rollouts(pyspiel: Any, game: Any) -> Play:
    """Random games in C++ alone: a tree search that stays at its root, and rolls out from there.

    It is faster than ``pyspiel.evaluate_bots`` with random bots, which does count decisions.
    """
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in (0, 1)]
    decisions = 0
    for number in range(SAMPLE):
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, number)
        decisions += state.move_number()
    evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, 0)
    # exploration, simulations, MiB, solve, seed, verbose
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 10, False, 0, False)
    start = game.new_initial_state()

    def play() -> tuple[int, int]:
        bot.mcts_search(start)
        return ROLLOUTS, round(ROLLOUTS * decisions / SAMPLE)

    return repeated(play)


def _states(game: Any) -> Play:
    choose = random.Random(0).choice

    def play() -> tuple[int, int]:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(choose(state.legal_actions()))
            decisions += 1
        return 1, decisions

    return repeated(play)


def _environment(game: Any) -> Play:
    from open_spiel.python.rl_environment import Environment

    env, choose = Environment(game), random.Random(0).choice

    def play() -> tuple[int, int]:
        shown, decisions = env.reset(), 0
        while not shown.last():
            shown = env.step([_choice(shown, choose)])
            decisions += 1
        return 1, decisions

    return repeated(play)


def _batch(game: Any, rows: int) -> Play:
    from open_spiel.python.rl_agent import StepOutput
    from open_spiel.python.rl_environment import Environment
    from open_spiel.python.vector_env import SyncVectorEnv

    envs, choose = SyncVectorEnv([Environment(game) for _ in range(rows)]), random.Random(0).choice
    shown = envs.reset()

    def step() -> tuple[int, int]:
        nonlocal shown
        outputs = [StepOutput(_choice(one, choose), None) for one in shown]
        shown, _, ended, _ = envs.step(outputs, reset_if_done=True)
        return sum(ended), rows

    return repeated(step)


def _choice(shown: Any, choose: Callable[[list[int]], int]) -> int:
    observations = shown.observations
    return choose(observations["legal_actions"][observations["current_player"]])


# Pgx ----------------------------------------------------------------------------


def pgx(rows: int, _: list[str]) -> Iterator[Way]:
    """Connect four, as Pgx has no mancala game."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("PGX_QUIET", "1")
    import_module("pgx")
    note = "a smaller game, as Pgx has no mancala"
    yield Way("batch", "connect_four", "kalah", False, note, partial(pgx_batch, rows))
    yield Way("environment", "connect_four", "kalah", False, note, _pgx_environment)


def pgx_batch(rows: int) -> Play:
    """Steps of ``rows`` games, with random actions and automatic resets, each one compiled call."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax, pgx = import_module("jax"), import_module("pgx")
    env = pgx.make("connect_four")
    step_one = import_module("pgx.experimental").auto_reset(env.step, env.init)

    def step_all(state: Any, key: Any) -> tuple[Any, Any]:
        key, draws, resets = jax.random.split(key, 3)
        logits = jax.numpy.log(state.legal_action_mask.astype(np.float32))
        actions = jax.random.categorical(draws, logits, axis=1)
        return jax.vmap(step_one)(state, actions, jax.random.split(resets, rows)), key

    compiled = jax.jit(step_all)
    keys = jax.random.split(jax.random.key(0), rows)
    shown = jax.jit(jax.vmap(env.init))(keys), jax.random.key(1)

    def step() -> tuple[int, int]:
        nonlocal shown
        shown = jax.block_until_ready(compiled(*shown))
        return int(np.count_nonzero(shown[0].terminated)), rows

    for _ in range(WARM_UP):
        step()
    return repeated(step)


def _pgx_environment() -> Play:
    jax, pgx = import_module("jax"), import_module("pgx")
    env, choose = pgx.make("connect_four"), random.Random(0).choice
    begin, step, key = jax.jit(env.init), jax.jit(env.step), jax.random.key(0)

    def play() -> tuple[int, int]:
        state, decisions = begin(key), 0
        while not state.terminated:
            action = choose(np.flatnonzero(state.legal_action_mask).tolist())
            state = step(state, action)
            decisions += 1
        return 1, decisions

    play()
    return repeated(play)


# PettingZoo ---------------------------------------------------------------------


def pettingzoo(_: int, __: list[str]) -> Iterator[Way]:
    """Connect four, as PettingZoo has no mancala game."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    module = import_module("pettingzoo.classic.connect_four.connect_four")
    for name, note in (
        ("env", "its wrappers check what ours checks by itself"),
        ("raw_env", "without the wrappers, nothing is checked"),
    ):
        prepare = partial(_pettingzoo_environment, getattr(module, name))
        yield Way("environment", f"connect_four {name}()", "kalah", False, note, prepare)


def _pettingzoo_environment(make: Callable[[], Any]) -> Play:
    return aec_games(make())


PEERS = {
    "mancala_ai": Peer("mancala_ai", ("mancala-ai", "numba", "numpy"), ours),
    "openspiel": Peer("OpenSpiel", ("open-spiel", "numpy"), open_spiel),
    "pgx": Peer("Pgx", ("pgx", "jax", "jaxlib", "numpy"), pgx),
    "pettingzoo": Peer("PettingZoo", ("pettingzoo", "pygame-ce", "numpy"), pettingzoo),
}


# The process --------------------------------------------------------------------


def main(name: str, rows: int, games: list[str]) -> None:
    """Say what can be played, and play what is asked for."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is not to be read as an answer

    def say(answer: object) -> None:
        print(json.dumps(answer), file=channel, flush=True)

    peer = PEERS[name]
    try:
        ways = list(peer.ways(rows, games))
    except ImportError as error:
        say({"missing": str(error)})
        return
    say(
        {
            "python": platform.python_version(),
            "packages": {package: _version(package) for package in peer.packages},
            "ways": [_described(way) for way in ways],
        }
    )
    plays: dict[int, Play] = {}
    for line in sys.stdin:
        number, seconds = int(line.split()[0]), float(line.split()[1])
        if number not in plays:
            plays[number] = ways[number].prepare()
        say(plays[number](seconds))


def _described(way: Way) -> dict[str, Any]:
    told = way._asdict()
    del told["prepare"]
    return told


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    del sys.path[0]  # this folder: its modules are no libraries
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
