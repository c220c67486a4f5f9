"""Kernels of Monte-Carlo tree search: selection, expansion, rollouts, backup and proofs.

A tree is two arrays of one length: ``nodes``, a record each (:data:`NODE`), and ``rows``, the
stored states. Node 0 is the root. The children of a node lie side by side, somewhere behind
it; all are made when it is expanded, which is at its second visit.

Every *result*, and so every number in a node, is player 0's: 1, 0 or -1, or where seeds are
counted ("by margin") his seeds less the other's at the end. A sign comes from who decides
in a node, never from its depth.

Each node has proven bounds, ``low`` and ``high``, on its result at best play. In a finished
state both are its result; they are passed up as in minimax. Where they meet, the node is
*proven* (Winands, Björnsson and Saito, "Monte-Carlo Tree Search Solver", 2008, and for
bounds Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree Search", 2010).

A visit whose result is not known yet counts as lost for the player who chose it, a *virtual
loss*, which :func:`back_up` takes back. So two rollouts are played at a time, lap by lap
(``playout.py`` says why), and an evaluator is asked about many leaves at once.

Read first: ``mancala_ai/playout.py``. Read next: ``tree.py``, which holds the arrays.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from mancala_ai.cache import entry
from mancala_ai.dispatch import (
    DRAW,
    OVER,
    SOW,
    SOWING,
    apply,
    end_by_repetition,
    fingerprint,
    legal,
    load,
    save,
    second_word,
    seeds_ahead,
    winner,
    with_phase,
)
from mancala_ai.playout import Slot, go_on
from mancala_ai.rng import advance, bit_count, draw_below, nth_set_bit, stream
from mancala_ai.sowing import select

NODE = np.dtype(
    [
        ("total", np.float64),  # sum of the results of its visits
        ("visits", np.int32),
        ("parent", np.int32),  # -1: none
        ("first", np.int32),  # of its children; UNEXPANDED or PENDING
        ("prior", np.float32),  # probability that it is chosen, by the evaluator
        ("low", np.int16),  # proven bounds of its result
        ("high", np.int16),
        ("count", np.uint8),  # of children
        ("action", np.uint8),  # that led here
        ("player", np.uint8),  # who decides
    ],
    align=True,
)
UNEXPANDED, PENDING = 0, -1  # `first` of a node without children; PENDING: being evaluated
MOST_CHILDREN = 126  # the bits of two masks
NONE = -1  # no node

BLOCK = 64  # simulations between moments at which no rollout is under way
MAX_DEPTH = 1000  # of a tree that rollouts grow
MAX_ROLLOUT_PLIES = 1000  # a longer rollout is a draw, or ends with the margin that it has


class Search(NamedTuple):
    """What a search counts, and how it weighs its choices.

    Attributes
    ----------
    seed : int
        Simulation i draws from ``stream(seed, i)``.
    by_margin : bool
        Whether results are seeds.
    most : int
        No result is greater.
    by_prior : bool
        Whether children are chosen by PUCT, else by UCT.
    c : float
        The weight of exploration, in the unit of results.
    loss : float
        What a virtual loss costs, in the unit of results.
    """

    seed: int
    by_margin: bool
    most: int
    by_prior: bool
    c: float
    loss: float


class Progress(NamedTuple):
    """How far a search has come."""

    used: int  # nodes
    next: int  # the number of the next simulation
    deepest: int  # decisions from the root to the deepest leaf visited


def is_dominated(lower: Any, upper: Any, guaranteed: Any, most: Any) -> Any:
    """Whether nothing is lost by leaving an action alone: it loses, or another is as good.

    ``lower`` and ``upper`` bound its value for the player who decides, and ``guaranteed``
    is the greatest lower bound of his actions. In Python they may be arrays.
    """
    return (upper <= guaranteed) & (lower < guaranteed) | (upper == -most)


dominated = njit(forceinline=True)(is_dominated)


@njit(forceinline=True)
def sign_of(nodes, node):
    """1 where player 0 decides, else -1."""
    return 1 - 2 * np.int64(nodes[node]["player"])


@njit(forceinline=True)
def proven(nodes, node):
    return nodes[node]["low"] == nodes[node]["high"]


@njit(forceinline=True)
def is_full(nodes, used):
    return used + MOST_CHILDREN > len(nodes)


@njit(forceinline=True)
def result_of(rules, state, by_margin):
    """The result of a finished game, or of a rollout that was cut off."""
    if by_margin:
        return select(state.player == 0, 1, -1) * seeds_ahead(rules, state)
    if state.phase != OVER:
        return 0
    won_by = winner(rules, state)
    return select(won_by == DRAW, 0, 1 - 2 * won_by)


# Expansion and proofs


@njit
def row_equals(rows, i, others, j):
    at, size = 0, rows.shape[1]
    while at < size and rows[i, at] == others[j, at]:
        at += 1
    return at == size


@njit
def repeats(nodes, rows, node, past):
    """Whether the state of a node is that of one above it or an earlier position of the game."""
    above = nodes[node]["parent"]
    while above != NONE:
        if row_equals(rows, node, rows, above):
            return True
        above = nodes[above]["parent"]
    earlier = 0
    while earlier < len(past) and not row_equals(rows, node, past, earlier):
        earlier += 1
    return earlier < len(past)


@njit
def expand(rules, nodes, rows, past, used, node, numbers, search):
    """Give a live node its children, in random order; returns how many nodes are used then."""
    if is_full(nodes, used):
        return used
    state = load(rules, rows, node)
    first, second = legal(rules, state)
    nodes[node]["first"] = used
    nodes[node]["count"] = bit_count(first) + bit_count(second)
    while (first | second) != 0:
        in_first = bit_count(first)
        r = draw_below(numbers, in_first + bit_count(second))
        numbers = advance(numbers)
        if r < in_first:
            action = nth_set_bit(first, r)
            first ^= 1 << action
        else:
            bit = nth_set_bit(second, r - in_first)
            second ^= 1 << bit
            action = second_word(rules) + bit
        add_child(rules, nodes, rows, past, used, node, action, search)
        used += 1
    tighten(nodes, node)
    return used


@njit
def add_child(rules, nodes, rows, past, node, parent, action, search):
    """Write the node that an action leads to."""
    state = apply(rules, load(rules, rows, parent), action)
    save(rules, rows, node, state)
    new = nodes[node]
    new["parent"] = parent
    if past is not None and state.phase == SOW and repeats(nodes, rows, node, past):
        state = end_by_repetition(rules, state)
        save(rules, rows, node, state)
    finished = state.phase >= OVER
    result = result_of(rules, state, search.by_margin)
    new["total"] = 0.0
    new["visits"] = 0
    new["first"] = UNEXPANDED
    new["prior"] = 0.0
    new["low"] = select(finished, result, -search.most)
    new["high"] = select(finished, result, search.most)
    new["count"] = 0
    new["action"] = action
    new["player"] = state.player


@njit
def tighten(nodes, node):
    """Pass the bounds of a node's children up the tree, as far as they change anything."""
    while node != NONE:
        first = nodes[node]["first"]
        low, high = nodes[first]["low"], nodes[first]["high"]
        for child in range(first + 1, first + nodes[node]["count"]):
            if nodes[node]["player"] == 0:
                low, high = max(low, nodes[child]["low"]), max(high, nodes[child]["high"])
            else:
                low, high = min(low, nodes[child]["low"]), min(high, nodes[child]["high"])
        if low == nodes[node]["low"] and high == nodes[node]["high"]:
            return
        nodes[node]["low"], nodes[node]["high"] = low, high
        node = nodes[node]["parent"]


# Selection and backup


@njit
def choose_child(nodes, node, search):
    """The child to visit next: the one of the greatest score, dominated ones left out.

    UCT: ``value + c * sqrt(log(N) / n)`` (Kocsis and Szepesvári, "Bandit Based Monte-Carlo
    Planning", 2006). PUCT: ``value + c * prior * sqrt(N) / (1 + n)`` (Silver et al., "Mastering
    the Game of Go without Human Knowledge", 2017). N and n are the visits of the node and of
    the child; the value is its mean result for the player who decides, or what is proven. An
    unvisited child has the value of the node, in UCT as if it had been visited once.
    """
    parent = nodes[node]
    sign = sign_of(nodes, node)
    visits = max(1, parent["visits"])
    first_value = sign * parent["total"] / visits
    explore = search.c * search.c * math.log(visits)
    if search.by_prior:
        explore = search.c * math.sqrt(visits)
    guaranteed = select(sign > 0, parent["low"], -parent["high"])
    best, best_score = NONE, -np.inf
    for i in range(parent["first"], parent["first"] + parent["count"]):
        child = nodes[np.uint64(i)]
        low, high = np.int64(child["low"]), np.int64(child["high"])
        lower, upper = select(sign > 0, low, -high), select(sign > 0, high, -low)
        if dominated(lower, upper, guaranteed, search.most):
            continue
        n = child["visits"]
        value = sign * child["total"] / n if n > 0 else first_value
        if lower == upper:
            value = float(lower)
        if search.by_prior:
            score = value + explore * child["prior"] / (1 + n)
        else:
            score = value + math.sqrt(explore / max(n, 1))
        if score > best_score:
            best, best_score = i, score
    return best


@njit(forceinline=True)
def visit_child(nodes, node, search):
    """Choose a child and count a visit of it, lost so far."""
    child = choose_child(nodes, node, search)
    nodes[child]["visits"] += 1
    nodes[child]["total"] -= search.loss * sign_of(nodes, node)
    return child


@njit
def descend(nodes, search):
    """Visit nodes from the root down to a proven or childless one; returns it and its depth."""
    node, depth = np.int64(0), 0
    nodes[0]["visits"] += 1
    while nodes[node]["first"] > 0 and not proven(nodes, node):
        node = visit_child(nodes, node, search)
        depth += 1
    return node, depth


@njit
def back_up(nodes, node, result, search):
    """Add the result of a visit to a node and all above it; their virtual losses are over."""
    while node != 0:
        parent = nodes[node]["parent"]
        nodes[node]["total"] += result + search.loss * sign_of(nodes, parent)
        node = parent
    nodes[0]["total"] += result


# Search by rollouts


@njit(forceinline=True)
def next_leaf(rules, nodes, rows, past, progress, search):
    """Begin the next simulation; returns the leaf to roll out from, its depth, and progress.

    There is no leaf where the simulation came to a proven node and so is done already.
    """
    used, number, deepest = progress
    numbers = stream(search.seed, number)
    node, depth = descend(nodes, search)
    if nodes[node]["visits"] > 1 and not proven(nodes, node) and depth < MAX_DEPTH:
        used = expand(rules, nodes, rows, past, used, node, numbers, search)
        if nodes[node]["first"] > 0 and not proven(nodes, node):
            node = visit_child(nodes, node, search)
            depth += 1
    if proven(nodes, node):
        back_up(nodes, node, np.int64(nodes[node]["low"]), search)
        node = NONE
    return node, depth, Progress(used, number + 1, max(depth, deepest))


@njit(forceinline=True)
def in_play(slot, limit):
    """Whether a slot's rollout goes on."""
    phase = slot.state.phase
    return phase == SOWING or (phase < OVER and slot.plies < limit)


@njit
def contains(history, row, end, wanted):
    """Whether the number wanted is among the first ``end``: all are compared, several at a time."""
    found = 0
    for i in range(end):
        found |= history[row, i] == wanted
    return found != 0


@njit(forceinline=True)
def judge_repetition(rules, slot, history, row):
    """A slot whose rollout has ended if its position occurred before.

    Fingerprints serve here: a mistake in 2**64 comparisons does not matter to a rollout.
    """
    state, numbers, laps, plies, game = slot
    if state.phase == SOW:
        now = fingerprint(state)
        if contains(history, row, plies, now):
            state = end_by_repetition(rules, state)
        history[row, plies] = now
    return Slot(state, numbers, laps, plies, game)


@njit
def next_rollout(rules, nodes, rows, past, history, row, slot, progress, end, search):
    """Back up the result of a slot's rollout, and begin the next simulation there.

    Returns the slot, idle where nothing is left to be rolled out, progress, and the number
    of the simulation before which to end: none follows once the root is proven.
    """
    if slot.game != NONE:
        back_up(nodes, slot.game, result_of(rules, slot.state, search.by_margin), search)
    idle = Slot(with_phase(slot.state, OVER), 0, 0, 0, NONE)
    if proven(nodes, 0):
        end = progress.next
    if progress.next == end:
        return idle, progress, end
    numbers = stream(~search.seed, progress.next)  # not those of the expansion
    leaf, depth, progress = next_leaf(rules, nodes, rows, past, progress, search)
    if leaf == NONE:
        return idle, progress, end
    plies = 0
    if past is not None:
        plies = len(past) - 1 + depth
        node = leaf
        for i in range(depth):
            history[row, plies - i] = fingerprint(load(rules, rows, node))
            node = nodes[node]["parent"]
    return Slot(load(rules, rows, leaf), numbers, 0, plies, leaf), progress, end


@entry
def simulate(rules, nodes, rows, past, history, progress, end, search):
    """Run simulations up to number ``end``, or until the root is proven.

    Returns the fields of the progress, as all kernels for Python here.

    Where repetition counts, ``past`` holds the (n, size) stored positions that must not recur,
    the root last, and ``history`` is an int64 array for fingerprints of two games, of shape
    ``(2, n + MAX_DEPTH + MAX_ROLLOUT_PLIES)``; elsewhere both are None. A call for a multiple
    of ``BLOCK`` simulations and a further call do what one call would have done.
    """
    limit = MAX_ROLLOUT_PLIES
    if past is not None:
        limit = history.shape[1] - 1
        for i in range(len(past)):
            history[0, i] = history[1, i] = fingerprint(load(rules, past, i))
    used = progress.used
    if nodes[0]["first"] == UNEXPANDED:
        numbers = stream(search.seed, NONE)
        used = expand(rules, nodes, rows, past, used, np.int64(0), numbers, search)
    progress = Progress(used, progress.next, progress.deepest)
    idle = Slot(with_phase(load(rules, rows, 0), OVER), 0, 0, 0, NONE)
    while progress.next < end and not proven(nodes, 0):
        stop = min(end, progress.next + BLOCK)
        a = idle
        b = idle
        while progress.next < stop or a.game != NONE or b.game != NONE:
            if in_play(a, limit):
                a = go_on(rules, a, None)
                if past is not None:
                    a = judge_repetition(rules, a, history, 0)
            else:
                a, progress, stop = next_rollout(
                    rules, nodes, rows, past, history, 0, a, progress, stop, search
                )
            if in_play(b, limit):
                b = go_on(rules, b, None)
                if past is not None:
                    b = judge_repetition(rules, b, history, 1)
            else:
                b, progress, stop = next_rollout(
                    rules, nodes, rows, past, history, 1, b, progress, stop, search
                )
    return progress.used, progress.next, progress.deepest


# Search by an evaluator


@entry
def gather(nodes, leaves, progress, end, search):
    """Begin simulations up to number ``end``, but no more than ``leaves`` holds.

    Returns how many of ``leaves``, an int32 array, were filled in: leaves to be evaluated and
    given to :func:`absorb`; and the progress. Simulations that come to proven nodes are
    done, and a batch ends where it comes to one of its own leaves again.
    """
    used, number, deepest = progress
    full = is_full(nodes, used)
    found = 0
    while number < end and found < len(leaves) and not proven(nodes, 0):
        node, depth = descend(nodes, search)
        if nodes[node]["first"] == PENDING:
            forget_visit(nodes, node, search)
            break
        deepest = max(deepest, depth)
        number += 1
        if proven(nodes, node):
            back_up(nodes, node, np.int64(nodes[node]["low"]), search)
        elif full and nodes[node]["visits"] > 1:
            back_up(nodes, node, mean_before(nodes, node, search), search)
        else:
            nodes[node]["first"] = PENDING
            leaves[found] = node
            found += 1
    return found, (used, number, deepest)


@njit
def mean_before(nodes, node, search):
    """The mean result of a node before the visit under way."""
    lost = 0.0 if node == 0 else search.loss * sign_of(nodes, nodes[node]["parent"])
    return (nodes[node]["total"] + lost) / (nodes[node]["visits"] - 1)


@njit
def forget_visit(nodes, node, search):
    back_up(nodes, node, 0.0, search)
    while node != NONE:
        nodes[node]["visits"] -= 1
        node = nodes[node]["parent"]


@entry
def absorb(rules, nodes, rows, past, leaves, priors, values, progress, search):
    """Finish the simulations of leaves: ``priors`` (n, num_actions) and ``values`` (n,) float64.

    A value is that of the player who decides in the leaf. Returns the progress.
    """
    used, number, deepest = progress
    for k in range(len(leaves)):
        node = leaves[k]
        nodes[node]["first"] = UNEXPANDED
        used = expand(rules, nodes, rows, past, used, node, stream(search.seed, used), search)
        lay_priors(nodes, node, priors[k])
        result = nodes[node]["low"] if proven(nodes, node) else values[k] * sign_of(nodes, node)
        back_up(nodes, node, result, search)
    return used, number, deepest


@njit
def lay_priors(nodes, node, priors):
    """Share the probabilities of the legal actions among a node's children."""
    first = nodes[node]["first"]
    children = range(first, first + nodes[node]["count"])
    whole = 0.0
    for child in children:
        whole += priors[nodes[child]["action"]]
    for child in children:
        share = priors[nodes[child]["action"]] / whole if whole > 0.0 else 1.0 / len(children)
        nodes[child]["prior"] = share


# A tree that is used again


@entry
def find(nodes, rows, used, row):
    """The most visited node with the state ``row``, a (1, size) array; or ``NONE``."""
    best, most_visits = NONE, 0
    for node in range(used):
        visits = nodes[node]["visits"]
        if visits > most_visits and row_equals(rows, node, row, 0):
            best, most_visits = node, visits
    return best


@njit(forceinline=True)
def copy_row(rows, source, target):
    """Copy a row of an array, which as an assignment would count references."""
    for i in range(rows.shape[1]):
        rows[target, i] = rows[source, i]


@entry
def promote(nodes, rows, used, root, moved):
    """Make a node the root: what lies below it moves to the front, the rest is given up.

    ``moved`` is a (used,) int32 array for where the nodes go. Returns how many are used then.
    """
    moved[:] = NONE
    moved[root] = 0
    nodes[0] = nodes[root]
    copy_row(rows, root, 0)
    nodes[0]["parent"] = NONE
    kept = 1
    for node in range(root + 1, used):
        parent = moved[nodes[node]["parent"]]
        if parent == NONE:
            continue
        moved[node] = kept
        nodes[kept] = nodes[node]
        copy_row(rows, node, kept)
        nodes[kept]["parent"] = parent
        if nodes[parent]["first"] == node:
            nodes[parent]["first"] = kept
        kept += 1
    return kept
