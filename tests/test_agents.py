"""What every agent of the registry must do, on every game with every kind of option.

How well those play that search is tested elsewhere; ``test_process.py`` has engines that fail.
"""

from __future__ import annotations

import copy
import math
import pickle
import random
import re
import shlex
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from helpers import NAMES, library_state, option_sets, random_position, twin_of

import mancala_ai as ma
from mancala_ai.agents import Info, agent_names, make_agent
from mancala_ai.agents.registry import agent_options
from mancala_ai.agents.tournament import Plan
from mancala_ai.cli import main
from mancala_ai.envs.single import SingleEnv
from mancala_ai.envs.vector import MancalaVectorEnv
from mancala_ai.errors import ArgumentError, OptionError, UnknownAgentError
from mancala_ai.fields import RealOption, TextOption

# One agent of each name, quick enough to act some thousand times; their actions depend on
# the seed and the states alone.
SPECS = {
    "random": "random",
    "first": "first",
    "greedy": "greedy",
    "alphabeta": "alphabeta:depth=2",
    "mcts": "mcts:num_simulations=20",
    "process": f"process:cmd={shlex.quote(sys.executable)} -m mancala_ai.agents.serve greedy",
}
ELSEWHERE = {"human", "policy"}  # tested in test_play.py and test_policy.py
AGENTS = [name for name in agent_names() if name in SPECS]

INFO_TYPES = {
    "action": int, "seconds": float, "objective": str, "value": float, "proven": bool,
    "depth": int, "nodes": int, "nodes_per_second": float, "principal_variation": list,
    "num_simulations": int, "simulations_per_second": float, "visit_counts": dict, "policy": dict,
    "memory": int,
}  # fmt: skip


@pytest.fixture(scope="module")
def agents():
    """An agent of each name with seed 0, made when it is first asked for."""
    made = {}

    def get(name):
        if name not in made:
            made[name] = make_agent(SPECS[name])
        return made[name]

    yield get
    for agent in made.values():
        agent.close()


@cache
def positions(name, sets=4, n=8):
    """Live states with several sets of options: ``n`` from a game, and ``n`` of any kind."""
    found = []
    for number, options in enumerate(option_sets(name, sets, seed=3)):
        game = ma.make(name, **options)
        twin, rng = twin_of(game), random.Random(f"agents on {name} {number}")
        state = game.initial_state(seed=number)
        for _ in range(n):
            if state.is_terminal:
                break
            found.append(state)
            for _ in range(rng.randrange(1, 8)):
                if not state.is_terminal:
                    state = state.apply(rng.choice(state.legal_actions()))
        anywhere = [random_position(game, twin, rng) for _ in range(n)]
        found += [library_state(game, p) for p in anywhere if not p.finished]
    return found


def test_every_agent_is_tested_here():
    assert set(agent_names()) <= set(SPECS) | ELSEWHERE
    assert set(INFO_TYPES) == set(Info.__annotations__)


# Actions ----------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("agent_name", AGENTS)
def test_actions_are_legal_and_reported(agents, agent_name, name):
    agent = agents(agent_name)
    for state in positions(name):
        action = agent.act(state)
        assert type(action) is int
        legal = state.legal_actions()
        assert action in legal
        info = agent.last_info
        assert info["action"] == action
        for key, value in info.items():
            assert type(value) is INFO_TYPES[key], key
        if "value" in info:
            assert info["objective"] in ("margin", "win")
            assert state.game.COUNTS_SEEDS or info["objective"] == "win"
            assert 0 <= info["value"] <= 1 or info["objective"] == "margin"
        if "principal_variation" in info:
            assert info["principal_variation"][0] == action
            after = state
            for move in info["principal_variation"]:
                after = after.apply(move)
        assert set(info.get("visit_counts", {})) <= set(legal)


@pytest.mark.parametrize("agent_name", AGENTS)
def test_the_same_seed_gives_the_same_actions(agent_name):
    states = [state for name in NAMES for state in positions(name)[::4]]
    played = []
    for _ in range(2):
        agent = make_agent(SPECS[agent_name], seed=2**64 - 5)
        played.append([agent.act(state) for state in states])
        agent.close()
    assert played[0] == played[1]


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_other_seeds_give_other_actions(spec):
    state = ma.make("oware").initial_state()  # where nothing can be captured
    played = set()
    for seed in range(3):
        agent = make_agent(spec, seed)
        actions = [agent.act(state) for _ in range(60)]
        assert set(actions) == set(state.legal_actions())
        played.add(tuple(actions))
    assert len(played) == 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("agent_name", AGENTS)
def test_finished_games_are_refused(agents, agent_name, name):
    agent, rng = agents(agent_name), random.Random(1)
    state = ma.make(name, **({"trading": False} if name == "gore" else {})).initial_state()
    while not state.is_terminal:
        state = state.apply(rng.choice(state.legal_actions()))
    with pytest.raises(ArgumentError, match=rf"finished \({state.win_kind}\)") as caught:
        agent.act(state)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("agent_name", AGENTS)
def test_the_only_legal_action(agents, agent_name, name):
    agent = agents(agent_name)
    forced = [s for s in positions(name, 6, 12) if len(s.legal_actions()) == 1]
    assert forced
    for state in forced:
        assert [agent.act(state)] == state.legal_actions()


@pytest.mark.parametrize("agent_name", AGENTS)
def test_a_game_under_a_clock_and_another_after_reset(agents, agent_name):
    agent = agents(agent_name)
    for spec in ("kalah:columns=3,seeds=2", "tsoro:columns=4"):
        agent.reset()
        state = ma.make(spec).initial_state()
        while not state.is_terminal and state.ply < 12:
            state = state.apply(agent.act(state, seconds=0.02))


@pytest.mark.parametrize("agent_name", AGENTS)
def test_agents_may_be_closed_twice(agent_name):
    agent = make_agent(SPECS[agent_name])
    agent.close()
    agent.close()


@pytest.mark.parametrize("moves_before", [0, 3])
@pytest.mark.parametrize("way", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
@pytest.mark.parametrize("agent_name", AGENTS)
def test_a_copy_plays_as_the_agent_would(agent_name, way, moves_before):
    agent = make_agent(SPECS[agent_name], seed=9)
    state = ma.make("oware").initial_state()
    if agent_name == "process":
        moves_before = 0  # what an engine has drawn cannot be copied: another one is started
    for _ in range(moves_before):
        state = state.apply(agent.act(state))
    other = way(agent)
    assert other.last_info == agent.last_info
    assert (other.spec, other.seed) == (agent.spec, agent.seed)
    for _ in range(8):
        action = agent.act(state)
        assert other.act(state) == action
        state = state.apply(action)
    with pytest.raises(TypeError):
        other.options["x"] = 1
    agent.close()
    other.close()


INTERRUPTED = """
import os, signal, sys, threading
import mancala_ai as ma
from mancala_ai.agents import make_agent

def interrupt():
    while visited() < 2000:
        pass
    os.kill(os.getpid(), signal.SIGINT)

def visited():
    if agent.NAME == "alphabeta":
        return agent._searcher.nodes
    tree = agent._trees[0]
    return tree.visits if len(tree.nodes) else 0

signal.signal(signal.SIGINT, signal.default_int_handler)
state = ma.make("kalah").initial_state()
for spec in sys.argv[1:]:
    agent = make_agent(spec)
    agent.prepare(state)
    thread = threading.Thread(target=interrupt)
    try:
        agent.reset()
        thread.start()
        agent.act(state)
    except KeyboardInterrupt:
        thread.join()
        print(spec, agent.act(ma.make("kalah:columns=2").initial_state(), seconds=0.01))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot interrupt itself")
def test_control_c_in_the_middle_of_a_search():
    """In the main thread, where it comes while compiled code runs: nothing may crash."""
    specs = [
        f"{search},threads={threads}"
        for search in ("mcts:num_simulations=100000000", "alphabeta:solve=True,memory=1")
        for threads in (1, 2)
    ]
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", INTERRUPTED, *specs],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [line.split()[0] for line in ended.stdout.splitlines()] == specs


# Specs, options, arguments ------------------------------------------------------


@pytest.mark.parametrize("agent_name", AGENTS)
def test_a_spec_says_all_the_options(agent_name):
    plain = make_agent(SPECS[agent_name])
    for option in agent_options(agent_name):
        for value in values_to_try(option):
            agent = make_agent(agent_name, **{**plain.options, option.name: value})
            again = make_agent(agent.spec)
            assert again.options == agent.options
            assert again.spec == agent.spec
            assert type(again) is type(agent)
    assert repr(plain) == f"make_agent({plain.spec!r}, seed=0)"


def values_to_try(option):
    """Values of an option: all words, the ends of what is real, the first and last integers."""
    if isinstance(option, TextOption):
        return ["a,b=c d"]
    if isinstance(option, RealOption):
        return [*option.choices, sum(option.choices) / math.pi]
    return list(option.choices[:3]) + list(option.choices[-1:])


def test_options_in_words_win_over_those_in_the_spec():
    agent = make_agent("process:timeout=3,cmd=engine", timeout=np.float64(2.5), cmd="other")
    assert agent.spec == "process:timeout=2.5,cmd=other"


@pytest.mark.parametrize("spec", ["nobody", "", "Random", "random ", ":", "random,first", None, 3])
def test_unknown_agents(spec):
    with pytest.raises(UnknownAgentError) as caught:
        make_agent(spec)
    message = str(caught.value)
    assert "\n" not in message
    assert repr(spec.partition(":")[0] if isinstance(spec, str) else spec) in message
    assert all(name in message for name in agent_names())


@pytest.mark.parametrize("agent_name", AGENTS)
@pytest.mark.parametrize("text", ["taste=sweet", "taste", "=", ",", "taste=a,taste=b"])
def test_bad_options(agent_name, text):
    with pytest.raises(OptionError) as caught:
        make_agent(f"{agent_name}:{text}")
    message = str(caught.value)
    assert "\n" not in message
    assert agent_name in message
    if text == "taste=sweet":
        names = [option.name for option in agent_options(agent_name)]
        assert "'taste'" in message
        assert all(name in message for name in names) if names else "it has none" in message


@pytest.mark.parametrize("seed", [1.5, "1", None, True, 2**64, -(2**63) - 1, [1]])
def test_bad_seeds(seed):
    with pytest.raises(ArgumentError, match="a seed is a 64-bit integer, not") as caught:
        make_agent("random", seed)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", [0, -(2**63), 2**64 - 1, np.int32(7), np.uint64(2**63)])
def test_good_seeds(seed):
    assert make_agent("random", seed).seed == int(seed)


@pytest.mark.parametrize("agent_name", AGENTS)
@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf, "1", 1e7, [1]])
def test_bad_seconds(agents, agent_name, seconds):
    state = ma.make("kalah").initial_state()
    with pytest.raises(ArgumentError, match="seconds is a positive number up to 1e") as caught:
        agents(agent_name).act(state, seconds=seconds)
    assert "\n" not in str(caught.value)


# Greedy, the slow way -----------------------------------------------------------


def greedy_actions(game, twin, position):
    """The actions that win at once, else those that take most, by the slow twin."""
    me = position.player

    def held(at):
        count = at.captured if game.COUNTS_SEEDS else [sum(row) for row in at.board]
        return count[me] - count[1 - me]

    worth = {}
    for action in twin.legal(position):
        after = twin.apply(position, action)
        mine, theirs = 0, 0
        if after.finished:
            mine, theirs = twin.points(after)[me], twin.points(after)[1 - me]
        result = (mine > theirs) - (mine < theirs)
        worth[action] = (result, held(after) - held(position))
    best = max(worth.values())
    return {action for action in worth if worth[action] == best}


@pytest.mark.parametrize("name", NAMES)
def test_greedy_is_its_twin(name):
    rng = random.Random(f"greedy {name}")
    for options in option_sets(name, 6, seed=5):
        game = ma.make(name, **options)
        twin = twin_of(game)
        for _ in range(12):
            position = random_position(game, twin, rng)
            if position.finished:
                continue
            state = library_state(game, position)
            best = greedy_actions(game, twin, position)
            agent = make_agent("greedy", seed=rng.getrandbits(64))
            drawn = {agent.act(state) for _ in range(24)}
            assert drawn <= best
            assert drawn == best or len(best) > 3


@pytest.mark.parametrize("state", [None, 3, "kalah", ma.make("kalah")])
def test_only_states_are_acted_on(state):
    with pytest.raises(ma.ArgumentError, match="an agent acts on a state, not on"):
        make_agent("first").act(state)


def test_a_comma_at_the_end_of_a_spec_is_refused():
    with pytest.raises(ma.OptionError, match="an option of alphabeta is missing after 'depth=2,'"):
        make_agent("alphabeta:depth=2,")


@pytest.mark.parametrize(
    ("spec", "game", "match"),
    [
        ("alphabeta:objective=margin", "tsoro", "tsoro is decided by the last move"),
        ("mcts:objective=margin", "katro", "katro is decided by the last move"),
        ("mcts:dirichlet_alpha=1", "kalah", "dirichlet_alpha of mcts needs an evaluator"),
    ],
)
def test_agents_that_cannot_play_a_game_are_refused_before_it(spec, game, match, capsys):
    made = ma.make(game)
    with pytest.raises(ma.ArgumentError, match=match):
        make_agent(spec).check_game(made)
    with pytest.raises(ma.ArgumentError, match=match):
        make_agent(spec).act(made.initial_state())
    with pytest.raises(ma.ArgumentError, match=match):
        Plan((game,), ("random", spec))
    for environment in (SingleEnv, MancalaVectorEnv):
        with pytest.raises(ma.ArgumentError, match=match):
            environment(game, opponent=spec)
    assert main(["play", game, "--north", spec]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(f"mancala: .*{match}.*\n", captured.err)
