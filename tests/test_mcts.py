"""Monte-Carlo tree search: what it proves, whom it believes, what it keeps, how strong it is.

``test_tactics.py`` has wins in one and in three decisions in every game.
"""

from __future__ import annotations

import math
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest
from helpers import LAST_MOVE_GAMES, NAMES, walk

import mancala_ai as ma
from mancala_ai.agents import make_agent, mcts, tree
from mancala_ai.agents.mcts import visit_policy
from mancala_ai.agents.tree_kernels import BLOCK, NONE
from mancala_ai.errors import AgentError, ArgumentError


class TooLong(Exception):
    """A game tree is too large, or goes round."""


def exact(state, by_margin=False, known=None, limit=400):
    """The result for player 0 at best play, by plain minimax over ``limit`` states at most."""
    known = {} if known is None else known
    if state.is_terminal:
        return int(state.captured[0] - state.captured[1]) if by_margin else state.returns[0]
    if known.get(state, 0) is None or len(known) > limit:
        raise TooLong
    if state not in known:
        known[state] = None
        results = [exact(state.apply(a), by_margin, known, limit) for a in state.legal_actions()]
        known[state] = max(results) if state.player == 0 else min(results)
    return known[state]


def endings(spec, games, last=4, seed=0):
    """The last live states of random games."""
    game, rng = ma.make(spec), random.Random(f"endings of {spec} {seed}")
    for _ in range(games):
        state = game.initial_state()
        played = [state for state, _ in walk(rng, state, 2000)]
        yield from played[-last:]


def solved(spec, games, by_margin=False):
    """Endings with their results for player 0."""
    for state in endings(spec, games):
        try:
            yield state, exact(state, by_margin)
        except TooLong:
            continue


def uniform(states):
    return np.ones((len(states), states[0].game.num_actions)), np.zeros(len(states))


def sound(grown):
    """Check the numbers in a tree that no simulation is under way in; returns the inner nodes."""
    nodes, used = grown.nodes[: grown.progress.used], grown.progress.used
    inner = np.flatnonzero(nodes["first"] > 0)
    assert nodes[0]["parent"] == NONE
    assert 1 + nodes["count"][inner].sum() == used
    for node in inner:
        children = grown.children(node)
        assert (children["parent"] == node).all()
        assert children["visits"].sum() <= nodes[node]["visits"]
        player = nodes[node]["player"]
        best = np.max if player == 0 else np.min
        assert nodes[node]["low"] == best(children["low"])
        assert nodes[node]["high"] == best(children["high"])
    return inner


# Simulations --------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_searches_the_same(name, threads):
    state = ma.make(name).initial_state()
    told = []
    for seed in (5, 5, 6):
        agent = make_agent(f"mcts:num_simulations=200,threads={threads}", seed)
        agent.act(state)
        info = agent.last_info
        assert sum(info["visit_counts"].values()) == info["num_simulations"] == 200
        assert list(info["visit_counts"]) == state.legal_actions()
        assert info["objective"] == ("margin" if state.game.COUNTS_SEEDS else "win")
        for grown in agent._trees:
            inner = sound(grown)
            for node in inner:
                if grown.nodes[node]["low"] == grown.nodes[node]["high"]:
                    continue
                # its own rollout, and those of its children: no virtual loss is left
                own = grown.nodes[node]["visits"] - grown.children(node)["visits"].sum()
                rest = grown.nodes[node]["total"] - grown.children(node)["total"].sum()
                assert own == (node != 0)
                assert abs(rest) <= own * grown._search.most
        told.append({key: info[key] for key in ("visit_counts", "value", "principal_variation")})
    assert told[0] == told[1] != told[2]


def test_slices_change_nothing(monkeypatch):
    state = ma.make("kalah").initial_state()
    counts = []
    for seconds in (0.0, 10.0):
        monkeypatch.setattr(tree, "SLICE_SECONDS", seconds)
        agent = make_agent("mcts:num_simulations=1000", seed=3)
        agent.act(state)
        counts.append(agent.last_info["visit_counts"])
    assert counts[0] == counts[1]


def test_more_threads_than_simulations():
    state = ma.make("kalah").initial_state()
    agent = make_agent("mcts:num_simulations=2,threads=3")
    agent.act(state)
    assert sum(agent.last_info["visit_counts"].values()) == 2


def test_one_legal_action_takes_little_time():
    state = ma.make("kalah").state([[0, 0, 3, 0, 0, 0], [4, 4, 4, 4, 4, 4]])
    agent = make_agent("mcts:num_simulations=100000")
    assert agent.act(state) == 2
    assert 0 < agent.last_info["num_simulations"] <= BLOCK


class Clock:
    """A clock that goes a step at each look."""

    def __init__(self, step):
        self.step, self.time = step, 0.0

    def __call__(self):
        self.time += self.step
        return self.time


@pytest.mark.parametrize("evaluator", [None, uniform])
def test_seconds_are_kept(monkeypatch, evaluator):
    state = ma.make("kalah").initial_state()
    agent = make_agent("mcts", evaluator=evaluator)
    clock = Clock(0.001)
    monkeypatch.setattr(tree, "SLICE_SECONDS", 0.0)  # the shortest slices
    for module in (mcts, tree):
        monkeypatch.setattr(module, "perf_counter", clock)
    for option, given in ((None, 0.1), (0.1, None), (5.0, 0.1), (0.1, 5.0)):
        agent = make_agent("mcts", evaluator=evaluator, seconds=option)
        begin = clock.time
        agent.act(state, given)
        assert 0.09 < clock.time - begin < 0.105
    agent = make_agent("mcts:num_simulations=300,seconds=0.1", evaluator=evaluator)
    agent.act(state)
    assert agent.last_info["num_simulations"] == 300
    agent.act(state, 0.006)
    assert 0 < agent.last_info["num_simulations"] < 300


# Proofs -------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_wins_at_once_are_played(name):
    seats = set()
    for state in endings(name, 30, last=1):
        wins = [a for a in state.legal_actions() if state.apply(a).returns[state.player] == 1]
        if not wins:
            continue
        seats.add(state.player)
        agent = make_agent("mcts:num_simulations=100,temperature=1,objective=win")
        assert agent.act(state) in wins
        info = agent.last_info
        assert info["proven"]
        assert info["value"] == 1
        assert info["principal_variation"] == [info["action"]]
        assert visit_policy(info, state.game.num_actions)[info["action"]] == 1
        # where seeds are sought too, a proven win is not risked for more of them
        agent = make_agent("mcts:num_simulations=100")
        action, grown = agent.act(state), agent._trees[0]
        chosen = grown.nodes[grown.child_by(action)]
        assert (chosen["low"] if state.player == 0 else -chosen["high"]) > 0
    assert seats == {0, 1}


# Games with small trees
SOLVABLE = (
    "tsoro:columns=4",
    "omweso",
    "katro:rows=2,columns=3",
    "gore:trading=False",
    "hoyito_iii:columns=2",
    "kalah:columns=3,seeds=2",
    "oware:columns=3,seeds=2,repetition=split_rows",
)


@pytest.mark.parametrize("by_margin", [False, True])
@pytest.mark.parametrize("spec", SOLVABLE)
def test_proofs_are_right(spec, by_margin):
    if by_margin and spec.partition(":")[0] in LAST_MOVE_GAMES:
        pytest.skip("decided by the last move")
    agent = make_agent("mcts:num_simulations=3000", objective="margin" if by_margin else "win")
    proven = total = 0
    for state, result in solved(spec, 20, by_margin):
        agent.act(state)
        info, sign = agent.last_info, 1 - 2 * state.player
        total += 1
        proven += info["proven"]
        if not info["proven"]:
            continue
        if by_margin:
            so_far = state.captured[0] - state.captured[1]
            assert info["value"] == sign * (result - so_far)
        else:
            assert info["value"] == (1 + sign * result) / 2
        assert exact(state.apply(info["action"]), by_margin) == result
    assert total >= 10
    assert proven >= 0.5 * total


@pytest.mark.parametrize("name", ["kalah", "tsoro"])
def test_lost_actions_are_left_alone(name):
    found = 0
    for state in endings(name, 30, last=8):
        agent = make_agent("mcts:num_simulations=500,objective=win")
        agent.act(state)
        children, proven = agent._trees[0].children(), agent.last_info["proven"]
        lost = children["high" if state.player == 0 else "low"] == 2 * state.player - 1
        visits = children["visits"][lost].copy()
        agent.act(state)  # goes on with the same tree
        assert (children["visits"][lost] == visits).all()
        found += not proven and lost.any()
    assert found >= 10


def test_of_lost_actions_the_most_visited():
    """Everything loses: what was hardest to refute is played."""
    lost = 0
    for state, result in solved("kalah:columns=3,seeds=2", 30):
        if result == (-1 if state.player == 0 else 1) and len(state.legal_actions()) > 1:
            agent = make_agent("mcts:num_simulations=5000,objective=win")
            action, counts = agent.act(state), agent.last_info["visit_counts"]
            assert agent.last_info["value"] == 0
            assert counts[action] == max(counts.values())
            lost += 1
    assert lost >= 5


def test_rollouts_end_where_a_position_recurs():
    # 1/1, 0/2, 2/0, then 0/2 again: North keeps both seeds; else they would go round for ever
    for rule, result in (("split_rows", -1), ("none", 0)):
        state = ma.make(f"oware:columns=1,seeds=1,repetition={rule}").initial_state()
        for _ in range(2):
            agent = make_agent("mcts:num_simulations=2,objective=win")  # one in either slot
            agent.act(state)
            assert agent._trees[0].nodes[0]["total"] == 2 * result
            state = state.apply(0)


@pytest.mark.parametrize("name", ["tsoro", "kalah"])
def test_children_are_chosen_for_the_player_who_decides(name):
    """Also where he decided just before, what is visited most has been good for him."""
    good = {True: [], False: []}
    agent = make_agent("mcts:num_simulations=30000,objective=win")
    for state in list(endings(name, 8, last=20))[::10]:
        agent.reset()
        agent.act(state)
        grown = agent._trees[0]
        nodes = grown.nodes[: grown.progress.used]
        for node in np.flatnonzero((nodes["first"] > 0) & (nodes["visits"] >= 200))[1:]:
            children = grown.children(node)
            if (children["low"] == children["high"]).any():
                continue  # those are left alone, or known
            means = (1 - 2 * int(nodes[node]["player"])) * children["total"]
            means /= np.maximum(children["visits"], 1)
            if np.ptp(means) >= 0.5:
                most_visited = means[np.argmax(children["visits"])]
                again = nodes[node]["player"] == nodes[nodes[node]["parent"]]["player"]
                good[bool(again)].append(most_visited > (means.max() + means.min()) / 2)
    for choices in good.values():
        assert len(choices) >= 10
        assert np.mean(choices) > 0.9


# What is kept ---------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_second_search_goes_on_with_the_first(name):
    state = ma.make(name).initial_state()
    twice, once = (make_agent("mcts", seed=2, num_simulations=n * BLOCK) for n in (4, 8))
    twice.act(state)
    twice.act(state)
    once.act(state)
    for key in ("visit_counts", "value", "principal_variation", "memory"):
        assert twice.last_info[key] == once.last_info[key]


@pytest.mark.parametrize("spec", [*NAMES, "oware:repetition=split_rows"])
def test_the_tree_below_the_position_reached_is_kept(spec):
    agent, rng = make_agent("mcts:num_simulations=2000"), random.Random(7)
    state = ma.make(spec).initial_state()
    reused = 0
    for _ in range(12):
        if state.is_terminal:
            break
        agent.act(state)
        counts, done = agent.last_info["visit_counts"], agent.last_info["num_simulations"]
        assert sum(counts.values()) >= done
        grown = agent._trees[0]
        sound(grown)
        for node in rng.sample(range(grown.progress.used), min(20, grown.progress.used)):
            there = grown._replay(node)
            assert grown.state_of(node) == there
            assert grown.state_of(node).captured.tolist() == there.captured.tolist()
            assert grown.nodes[node]["player"] == there.player
            if there.is_terminal:
                ahead = there.captured[0] - there.captured[1]
                result = ahead if there.game.COUNTS_SEEDS else there.returns[0]
                assert grown.nodes[node]["low"] == grown.nodes[node]["high"] == result
        node = grown.child_by(agent.last_info["action"])
        state = state.apply(agent.last_info["action"])
        while not state.is_terminal and grown.nodes[node]["first"] > 0:  # the likeliest answers
            children = grown.children(node)
            node = int(grown.nodes[node]["first"] + np.argmax(children["visits"]))
            state = state.apply(int(grown.nodes[node]["action"]))
            if rng.random() < 0.5:
                break
        if grown.nodes[node]["first"] > 0:
            kept = grown.children(node)["visits"].sum()
            agent.act(state)
            info = agent.last_info
            assert sum(info["visit_counts"].values()) >= kept + info["num_simulations"]
            reused += 1
    assert reused >= 3


def test_nothing_is_kept_where_the_past_differs():
    game = ma.make("oware:repetition=split_rows")
    state = game.initial_state()
    agent = make_agent("mcts:num_simulations=500")
    agent.act(state)
    after = state.apply(agent.last_info["action"])
    fresh = game.state(after.board, after.player)
    assert fresh != after
    agent.act(fresh)
    assert sum(agent.last_info["visit_counts"].values()) == 500


def test_reset_forgets_but_draws_on():
    state = ma.make("kalah").initial_state()
    agent = make_agent("mcts:num_simulations=300")
    counts = []
    for _ in range(2):
        agent.act(state)
        counts.append(agent.last_info["visit_counts"])
        assert sum(counts[-1].values()) == 300
        agent.reset()
    assert counts[0] != counts[1]


@pytest.mark.parametrize("evaluator", [None, uniform])
def test_memory_is_bounded(evaluator):
    simulations = 40_000 if evaluator is None else 8000
    state = ma.make("omweso").initial_state()
    agent = make_agent(
        "mcts:memory=4,batch_size=256", evaluator=evaluator, num_simulations=simulations
    )
    for _ in range(2):
        agent.act(state)
        info, (grown,) = agent.last_info, agent._trees
        assert 3.5 * 2**20 < info["memory"] < grown.nodes.nbytes + grown.rows.nbytes < 4 * 2**20
        assert info["num_simulations"] == simulations  # they go on
        sound(grown)
        state = state.apply(info["action"])
    agent.close()
    assert len(agent._trees[0].nodes) == 0


def test_trees_without_memory_for_them_are_refused_in_one_line(monkeypatch):
    state = ma.make("kalah").initial_state()
    agent = make_agent("mcts:memory=512,threads=2")
    given = np.empty

    def small(shape, dtype):
        if np.prod(shape) > 10**6:
            raise MemoryError
        return given(shape, dtype)

    with monkeypatch.context() as patch:
        patch.setattr(np, "empty", small)
        with pytest.raises(ArgumentError, match="there is no memory for a tree of 256 MiB"):
            agent.act(state)
    assert agent.act(state) in range(6)


# Evaluators -----------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [1, 8])
def test_an_evaluator_that_knows_all_is_believed(batch_size):
    known = {}
    shown = []

    def result_of(state):
        return exact(state, known=known, limit=5000)

    def wise(states):
        assert 1 <= len(states) <= batch_size
        shown.extend(states)
        return uniform(states)[0], [0.9 * (1 - 2 * s.player) * result_of(s) for s in states]

    state = ma.make("kalah:columns=3,seeds=2").initial_state()
    result = result_of(state)
    assert result != 0
    agent = make_agent("mcts:num_simulations=400", evaluator=wise, batch_size=batch_size)
    while not state.is_terminal:
        shown.clear()
        agent.act(state)
        info = agent.last_info
        assert len(shown) <= info["num_simulations"] + 1
        assert not any(s.is_terminal for s in shown)
        expected = (1 + (1 - 2 * state.player) * result) / 2
        assert info["value"] == (expected if info["proven"] else pytest.approx(expected, abs=0.1))
        sound(agent._trees[0])
        state = state.apply(info["action"])
        assert state.is_terminal or result_of(state) == result
    assert state.returns[0] == result


@pytest.mark.parametrize("spec", ["tsoro", "gore", "oware:repetition=split_rows"])
def test_an_evaluator_is_shown_the_positions_themselves(spec):
    start = ma.make(spec).initial_state()
    shown = []

    def watch(states):
        shown.extend(states)
        return uniform(states)

    make_agent("mcts:num_simulations=200", evaluator=watch).act(start)
    assert shown[0] == start
    nexts = [start.apply(action) for action in start.legal_actions()]
    for state in nexts:
        assert sum(state == other for other in shown) == 1
    assert {state.ply for state in shown} >= {0, 1, 2}


def test_priors_guide_the_search():
    state = ma.make("kalah").initial_state()

    def biased(states):
        priors, values = uniform(states)
        priors[:, 4] = 30
        return priors, values

    agent = make_agent("mcts:num_simulations=200", evaluator=biased)
    agent.act(state)
    counts = agent.last_info["visit_counts"]
    assert sum(counts.values()) == 200
    assert counts[4] > 100
    children = np.sort(agent._trees[0].children(), order="action")
    assert children["prior"] == pytest.approx([1 / 35, 1 / 35, 1 / 35, 1 / 35, 30 / 35, 1 / 35])


def test_noise_is_in_the_priors_of_the_root_alone():
    state = ma.make("kalah").initial_state()
    seen = []

    def watch(states):
        grown = agent._trees[0]
        if grown.expanded:
            inner = np.flatnonzero(grown.nodes["first"][: grown.progress.used] > 0)
            seen.append([grown.children(node)["prior"].copy() for node in inner])
        return uniform(states)

    counts = []
    for alpha in (0, 0.3, 0.3):
        seen.clear()
        agent = make_agent("mcts:num_simulations=200", evaluator=watch, dirichlet_alpha=alpha)
        agent.act(state)
        counts.append(agent.last_info["visit_counts"])
        for root, *others in seen:
            assert root.sum() == pytest.approx(1)
            assert (np.ptp(root) > 0.01) == (alpha > 0)
            assert (root >= 0.75 / 6 - 1e-6).all()
            assert all(np.ptp(priors) == 0 for priors in others)
        assert np.ptp(agent._trees[0].children()["prior"]) == 0  # it is gone after the search
    assert counts[0] != counts[1] == counts[2]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (lambda n: None, "answers with priors and values"),
        (lambda n: np.zeros((3, 2)), "answers with priors and values"),
        (lambda n: (np.ones((n, 5)), np.zeros(n)), "priors of shape"),
        (lambda n: (np.ones((n, 6)), np.zeros(n + 1)), "values of"),
        (lambda n: (-np.ones((n, 6)), np.zeros(n)), "no numbers from 0 up"),
        (lambda n: (np.full((n, 6), np.nan), np.zeros(n)), "no numbers from 0 up"),
        (lambda n: (np.ones((n, 6)), np.full(n, 1.5)), "outside -1"),
        (lambda n: (np.ones((n, 6)), np.full(n, np.nan)), "outside -1"),
    ],
)
def test_bad_evaluators(answer, fault):
    state = ma.make("kalah").initial_state()
    agent = make_agent("mcts", evaluator=lambda states: answer(len(states)))
    with pytest.raises(AgentError, match=fault) as caught:
        agent.act(state)
    assert "\n" not in str(caught.value)


def test_an_evaluator_may_fail_and_be_asked_again():
    state = ma.make("kalah").initial_state()
    calls = count()

    def fails_once(states):
        if next(calls) == 5:
            raise RuntimeError("out of memory")
        return uniform(states)

    agent = make_agent("mcts:num_simulations=100", evaluator=fails_once)
    with pytest.raises(RuntimeError, match="out of memory"):
        agent.act(state)
    agent.act(state)
    assert sum(agent.last_info["visit_counts"].values()) == 100
    sound(agent._trees[0])


def test_an_evaluator_may_do_what_it_likes_with_its_list():
    state = ma.make("kalah").initial_state()

    def takes(states):
        answer = uniform(states)
        states.clear()
        return answer

    def drops(states):
        del states[1:]
        return uniform(states)

    agent = make_agent("mcts:num_simulations=100", evaluator=takes)
    assert agent.act(state) in range(6)
    agent = make_agent("mcts:num_simulations=100", evaluator=drops)
    with pytest.raises(AgentError, match="priors of shape"):
        agent.act(state)


@pytest.mark.parametrize(
    ("meddle", "fault"),
    [
        (lambda agent, states: agent.close(), "closed or reset in the middle"),
        (lambda agent, states: agent.reset(), "closed or reset in the middle"),
        (lambda agent, states: agent.act(states[0]), "one position at a time"),
    ],
)
@pytest.mark.parametrize("when", [0, 3])
def test_an_evaluator_that_meddles_ends_the_search(meddle, fault, when):
    state = ma.make("kalah").initial_state()
    calls = count()

    def evaluate(states):
        if next(calls) == when:
            meddle(agent, states)
        return uniform(states)

    agent = make_agent("mcts:num_simulations=100", evaluator=evaluate)
    with pytest.raises(AgentError, match=fault):
        agent.act(state)
    assert next(calls) == when + 1
    agent.act(state)
    assert sum(agent.last_info["visit_counts"].values()) == 100
    sound(agent._trees[0])


@pytest.mark.parametrize("end", ["close", "reset"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_is_ended_from_another_thread(monkeypatch, threads, end):
    at_work = threading.Barrier(2)
    clock = mcts.perf_counter

    def look():
        if agent._stop is not None and agent._trees[0].visits > 1000 and not told:
            told.append(at_work.wait(60))
        return clock()

    told = []
    state = ma.make("kalah").initial_state()
    agent = make_agent("mcts", num_simulations=10**7, threads=threads)
    agent.prepare(state)
    monkeypatch.setattr(tree, "perf_counter", look)
    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(agent.act, state)
        at_work.wait(60)
        getattr(agent, end)()
        with pytest.raises(AgentError, match="closed or reset in the middle"):
            acting.result()
    assert all(len(grown.nodes) == 0 for grown in agent._trees)


def test_options_that_do_not_fit():
    state = ma.make("tsoro").initial_state()
    for options in ({"threads": 2}, {"objective": "margin"}):
        with pytest.raises(ArgumentError, match="mcts asks an evaluator"):
            make_agent("mcts", evaluator=uniform, **options)
    for wrong in (5, "uniform", [uniform]):
        with pytest.raises(ArgumentError, match="an evaluator of mcts is a function, not"):
            make_agent("mcts", evaluator=wrong)
    with pytest.raises(ArgumentError, match="needs an evaluator"):
        make_agent("mcts:dirichlet_alpha=0.3").act(state)
    with pytest.raises(ArgumentError, match="objective is win"):
        make_agent("mcts:objective=margin").act(state)


# Visits as a policy -----------------------------------------------------------------


def test_policies():
    info = {"proven": False, "action": 3, "visit_counts": {0: 10, 2: 0, 3: 30}}
    assert visit_policy(info, 5).tolist() == [0.25, 0, 0, 0.75, 0]
    assert visit_policy(info, 5, 0.5).tolist() == pytest.approx([0.1, 0, 0, 0.9, 0])
    assert visit_policy({**info, "proven": True}, 5).tolist() == [0, 0, 0, 1, 0]


def test_policies_of_what_makes_no_sense():
    info = {"proven": False, "action": 3, "visit_counts": {0: 10, 2: 0, 3: 30}}
    for wrong in (0, -1, math.nan, math.inf, None, "1", True):
        with pytest.raises(ArgumentError, match="temperature is a number above 0, not"):
            visit_policy(info, 5, wrong)
    for wrong in (3, -1, 5.0, None):
        with pytest.raises(ArgumentError, match="num_actions is an integer above 3, not"):
            visit_policy(info, wrong)
    for wrong in ({}, {"action": 3, "value": 0.5}):
        with pytest.raises(ArgumentError, match="an agent that counts visits is needed"):
            visit_policy(wrong, 5)


@pytest.mark.parametrize("temperature", [0.0, 0.01, 1.0])
def test_temperature(temperature):
    state = ma.make("kalah").initial_state()
    agent = make_agent("mcts:num_simulations=100", temperature=temperature)
    played, expected = np.zeros(6), np.zeros(6)
    for _ in range(300):
        agent.reset()
        played[agent.act(state)] += 1
        policy = visit_policy(agent.last_info, 6)
        expected += policy if temperature == 1 else policy == policy.max()
    if temperature == 1:
        assert played == pytest.approx(expected, abs=30)
        assert played.min() > 10
    else:
        assert (played <= expected).all()  # of several with equal visits one is played


# Strength ---------------------------------------------------------------------------


def score(spec, opponent, game, pairs, plies=300):
    """The mean result of an agent against another, a win 1 and a draw 1/2."""
    results = []
    for seed in range(pairs):
        opening = ma.make(game).initial_state()
        for state, action in walk(random.Random(seed), opening, 2):
            opening = state.apply(action)
        for seat in (0, 1):
            players = [make_agent(spec, seed), make_agent(opponent, seed + 1000)]
            state = opening
            while not state.is_terminal and state.ply < plies:
                state = state.apply(players[state.player ^ seat].act(state))
            results.append((1 + state.returns[seat]) / 2)
    return sum(results) / len(results)


@pytest.mark.parametrize("name", NAMES)
def test_it_beats_random(name):
    assert score("mcts:num_simulations=200", "random", name, 4) >= 0.85


def test_more_simulations_are_stronger():
    scores = [
        score(f"mcts:num_simulations={n}", "mcts:num_simulations=100", "kalah", 20)
        for n in (10, 100, 1000)
    ]
    assert scores[0] < 0.35 < 0.65 < scores[2]
    assert scores[0] < scores[1] < scores[2]
