"""Alpha-beta on any game: is the score of a position at least so much?

:func:`search` answers this one question, a *null-window* search, and nothing else; the
score itself is found by asking several times (``alphabeta.py``), with the answers kept in
the transposition table (Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth
minimax algorithms", Artificial Intelligence 87, 1996).

A score is what the player to move wins from here on, less what his opponent wins, in
sixteenths of a seed; where the result alone counts, ``WIN``, 0 or ``-WIN``. The sign of
a child's score comes from who moves there: a player may move twice. A score is *proven*
if no estimate had a part in it. A search of a given depth, in decisions, gives the score
of plain minimax of that depth, whatever the table holds.

The search keeps its own stack in arrays. So it can stop after any number of nodes, and
go on from there: whoever called it looks at the clock, or at Ctrl-C, in between.

Read first: ``table.py``. Read next: ``alphabeta.py``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit

from mancala_ai.arrays import prefetch
from mancala_ai.cache import entry
from mancala_ai.dispatch import (
    DRAW,
    OVER,
    SOW,
    UNIT,
    WIN,
    apply,
    counts_repetition,
    end_by_repetition,
    features,
    fingerprint,
    future,
    legal,
    load,
    save,
    second_word,
    seeds_ahead,
    stake,
    winner,
)
from mancala_ai.playout import occurred
from mancala_ai.rng import lowest_set_bit, mix
from mancala_ai.sowing import select

from .table import NOTHING, UNLIMITED, high_holds, line_of, lookup, low_holds, store

# Fields of a frame: a position whose actions are being searched
GOAL = 0  # is its score at least this?
BEST = 1  # the best score found of an action
PROVEN = 2  # whether no estimate had a part in it
FIRST, END = 3, 4  # where its children lie
LEFT = 5  # children not yet searched
DEPTH = 6
KEY = 7
ENTERED = 8  # nodes visited before it
AHEAD = 9  # captured seeds of its mover, less the opponent's
PAST = 10  # hash of the earlier positions that must not recur
GAIN, SIGN, ACTION = 11, 12, 13  # of the child being searched
PLAYER = 14
TRACE = 15  # its hash among the earlier positions of those below
FRAME_FIELDS = 16

# Fields of `control`
LEVEL = 0  # of the frame being searched; -1 before the root
NODES = 1  # visited so far
ROOT_GOAL, ROOT_DEPTH = 2, 3  # the question
SCORE, SCORE_PROVEN, BEST_ACTION = 4, 5, 6  # the answer
FAVOURITE = 7  # the action to try first at the root
AGE = 8  # of new entries of the table
EARLIER = 9  # rows of `path` before the root
SHAKE = 10  # changes the order of like actions, for threads that help
CONTROL_FIELDS = 11

# Priorities among children, below which gains count
SEARCHED = -(1 << 60)  # the order of a child that was searched
TABLE = 1 << 20  # the action that the table knows
AGAIN = 1 << 16  # the same player decides
KILLER = 16  # it was the last to refute a position of the same level
MOST_CREDIT = 1 << 12  # its 256th part counts


class Stack(NamedTuple):
    """Memory of one search; children of all positions on the way lie one behind another."""

    frames: Any  # (levels, FRAME_FIELDS) int64
    rows: Any  # (children, size) uint8: stored states
    orders: Any  # (children,) int64: priority, gain, sign and action, see `packed`
    keys: Any  # (children,) int64
    killers: Any  # (levels,) int64: actions
    credit: Any  # (2, actions) int64: how often an action of each player refuted
    path: Any  # (earlier + levels, size) uint8: positions that must not recur
    weights: Any  # (4,) int64: of the features
    control: Any  # (CONTROL_FIELDS,) int64


@njit(forceinline=True)
def packed(priority, gain, sign, action):
    """What the search keeps of a child, in one word of which the greatest comes first."""
    return priority << 32 | (gain + 2 * WIN) << 16 | select(sign > 0, 1 << 8, 0) | action


@njit(forceinline=True)
def gain_sign_action(order):
    return (order >> 16 & 0xFFFF) - 2 * WIN, select(order >> 8 & 1, 1, -1), order & 0xFF


@njit(forceinline=True)
def score_at_end(rules, state, by_win):
    """The score of a finished state; the seeds that its end brought are in the gain."""
    if by_win and state.phase == OVER:
        won_by = winner(rules, state)
        return select(won_by == DRAW, 0, select(won_by == state.player, WIN, -WIN))
    return 0


@njit(forceinline=True)
def bounds(rules, state, by_win):
    """The least and the greatest score that a live state can have."""
    most = stake(rules, state)
    if by_win:
        ahead = UNIT * seeds_ahead(rules, state)
        return select(ahead > most, WIN, -WIN), select(ahead < -most, -WIN, WIN)
    return -most, most


@njit(forceinline=True)
def estimate(rules, state, weights, by_win):
    """The score of a live state at the horizon, and whether it is proven."""
    low, high = bounds(rules, state, by_win)
    a, b, c, d = features(rules, state)
    score = weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d
    if by_win:
        score = min(max(score + UNIT * seeds_ahead(rules, state), 1 - WIN), WIN - 1)
    return min(max(score, low), high), select(low == high, 1, 0)


@njit(forceinline=True)
def key_of(rules, state, by_win):
    return fingerprint(state) if by_win else fingerprint(future(rules, state))


@entry
def value_rows(rules, rows, weights, by_win, out_features, out_scores):
    """The features of live stored states, and their scores at the horizon.

    ``rows`` is (n, size) uint8; ``out_features`` (n, 4) and ``out_scores`` (n,) are int64.
    """
    for i in range(len(rows)):
        state = load(rules, rows, i)
        out_features[i, 0], out_features[i, 1], out_features[i, 2], out_features[i, 3] = features(
            rules, state
        )
        out_scores[i], _ = estimate(rules, state, weights, by_win)


@entry
def search(rules, stack, table, by_win, root, limit):
    """Search until ``limit`` nodes were visited; whether the answer is there.

    ``root`` is a (1, size) uint8 array with a live state, the question lies in ``control``
    (:func:`put_question`). The answer, there too: a score that is at least the goal, and
    then a lower bound with the action that proves it, or a lesser one, and then an upper
    bound.
    """
    frames, rows = stack.frames, stack.rows
    orders, keys = stack.orders, stack.keys
    killers, credit = stack.killers, stack.credit
    path, weights = stack.path, stack.weights
    control = stack.control
    level = control[LEVEL]
    while control[NODES] < limit:
        if level < 0:
            state, past = load(rules, root, 0), past_of_root(rules, path, control[EARLIER])
            key, first = key_of(rules, state, by_win) ^ past, 0
            goal, depth = control[ROOT_GOAL], control[ROOT_DEPTH]
        else:
            best, proven = frames[level, BEST], frames[level, PROVEN]
            enough = best >= frames[level, GOAL]
            if enough | (frames[level, LEFT] == 0):
                action = select(enough, frames[level, ACTION], NOTHING)
                note(table, frames, killers, credit, control, level, best, proven, action)
                if level == 0:
                    return answer(control, best, proven, action)
                level -= 1
                receive(frames, level, best, proven)
                continue
            control[NODES] += 1
            child = pick(orders, frames[level, FIRST], frames[level, END])
            gain, sign, action = gain_sign_action(orders[child])
            orders[child] = SEARCHED
            frames[level, GAIN], frames[level, SIGN] = gain, sign
            frames[level, ACTION] = action
            frames[level, LEFT] -= 1
            goal = frames[level, GOAL]
            goal = select(sign > 0, goal - gain, gain - goal + 1)
            depth = frames[level, DEPTH]
            depth = select(depth == UNLIMITED, UNLIMITED, depth - 1)
            state = load(rules, rows, child)
            low, high = bounds(rules, state, by_win)
            if (low >= goal) | (high < goal):
                receive(frames, level, select(low >= goal, low, high), 1)
                continue
            past = 0
            if counts_repetition(rules):
                if sign * seeds_ahead(rules, state) == frames[level, AHEAD]:
                    past = frames[level, PAST] ^ frames[level, TRACE]
            key, first = keys[child] ^ past, frames[level, END]
        score, proven, action, known = expand(
            rules, frames, rows, orders, keys, killers, credit, path, weights, control, table,
            by_win, level + 1, state, key, goal, depth, first, past,
        )  # fmt: skip
        if not known:
            level += 1
        elif level < 0:
            return answer(control, score, proven, action)
        else:
            receive(frames, level, score, proven)
    control[LEVEL] = level
    return False


@njit(forceinline=True)
def past_of_root(rules, path, earlier):
    """The hash of the positions before the root that must not recur."""
    past = 0
    if counts_repetition(rules):
        for i in range(earlier):
            past ^= mix(fingerprint(load(rules, path, i)))
    return past


@njit(forceinline=True)
def answer(control, score, proven, action):
    control[LEVEL] = -1
    control[SCORE], control[SCORE_PROVEN], control[BEST_ACTION] = score, proven, action
    return True


@njit(forceinline=True)
def receive(frames, level, score, proven):
    """Take the score of the child that a frame waits for."""
    score = frames[level, GAIN] + frames[level, SIGN] * score
    best, so_far = frames[level, BEST], frames[level, PROVEN]
    enough = score >= frames[level, GOAL]
    frames[level, BEST] = select(enough, score, max(best, score))
    frames[level, PROVEN] = select(enough, proven, so_far & proven)


@njit(forceinline=True)
def pick(orders, first, end):
    """The child of the greatest order."""
    best, greatest = first, orders[first]
    for child in range(first + 1, end):
        order = orders[child]
        best = select(order > greatest, child, best)
        greatest = max(order, greatest)
    return best


@njit(forceinline=True)
def note(table, frames, killers, credit, control, level, best, proven, action):
    """Remember what a finished frame has shown."""
    depth = frames[level, DEPTH]
    store(
        table, frames[level, KEY], depth, best, action != NOTHING, proven, action,
        control[NODES] - frames[level, ENTERED], control[AGE],
    )  # fmt: skip
    if action != NOTHING and depth != UNLIMITED:
        killers[level] = action
        player = frames[level, PLAYER]
        credit[player, action] += 1
        if credit[player, action] >= MOST_CREDIT:
            for i in range(credit.shape[1]):
                credit[player, i] >>= 1


@njit(forceinline=True)
def expand(
    rules, frames, rows, orders, keys, killers, credit, path, weights, control, table,
    by_win, level, state, key, goal, depth, first, past,
):  # fmt: skip
    """Look a live position up, or make a frame for it with its children, from ``first`` on.

    Returns a score, whether it is proven, the action that proves it, and whether there is
    a score: if not, the frame is to be searched.
    """
    at_root, at_horizon = level == 0, (depth == 1) | (level + 1 == len(frames))
    known = lookup(table, key)
    if not at_root:
        if low_holds(known, depth) and known.low >= goal:
            return known.low, known.proven_low, NOTHING, True
        if high_holds(known, depth) and known.high < goal:
            return known.high, known.proven_high, NOTHING, True
    favourite = control[FAVOURITE] if at_root else known.action
    killer = NOTHING if at_root else killers[level]
    trace = 0
    if counts_repetition(rules):
        save(rules, path, control[EARLIER] + level, state)
        trace = mix(fingerprint(state))

    ahead = seeds_ahead(rules, state)
    end, best, all_proven = first, -4 * WIN, 1
    mask, second = legal(rules, state)
    offset = 0
    while mask | second:
        if mask == 0:
            mask, second, offset = second, 0, second_word(rules)
        action = offset + lowest_set_bit(mask)
        mask &= mask - 1
        after = apply(rules, state, action)
        if counts_repetition(rules) and after.phase == SOW:
            at = control[EARLIER] + level + 1
            save(rules, path, at, after)
            if occurred(path, 0, at):
                after = end_by_repetition(rules, after)
        sign = select(after.player == state.player, 1, -1)
        gain = select(by_win, 0, UNIT * (sign * seeds_ahead(rules, after) - ahead))
        over = after.phase >= OVER
        if over | at_horizon:
            control[NODES] += 1
            if over:
                score, proven = score_at_end(rules, after, by_win), 1
            else:
                score, proven = estimate(rules, after, weights, by_win)
            score = gain + sign * score
            if score >= goal:
                return score, proven, action, True
            best = max(best, score)
            all_proven &= proven
            continue
        child_key = key_of(rules, after, by_win)
        prefetch(table, line_of(table, child_key))
        save(rules, rows, end, after)
        keys[end] = child_key
        priority = gain + select(sign > 0, AGAIN, 0)
        if depth != UNLIMITED:  # where the static order alone is better
            guess, _ = estimate(rules, after, weights, by_win)
            priority += sign * guess
            if not at_root:
                priority += select(action == killer, KILLER, 0)
                priority += credit[state.player, action] >> 8
        if control[SHAKE] != 0:
            priority += mix(child_key ^ control[SHAKE]) & 63
        priority += select(action == favourite, TABLE, 0)
        orders[end] = packed(priority, gain, sign, action)
        end += 1
    if end == first:
        return best, all_proven, NOTHING, True
    frames[level, GOAL], frames[level, BEST], frames[level, PROVEN] = goal, best, all_proven
    frames[level, FIRST], frames[level, END], frames[level, LEFT] = first, end, end - first
    frames[level, DEPTH], frames[level, KEY] = depth, key
    frames[level, ENTERED], frames[level, PLAYER] = control[NODES], state.player
    frames[level, AHEAD], frames[level, PAST], frames[level, TRACE] = ahead, past, trace
    return 0, 0, NOTHING, False
