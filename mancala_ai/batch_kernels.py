"""The kernels of a batch: a step of its games, and the check of the actions before it.

All that a batch remembers of a game lies in one row of each array of :class:`Rows`, and
all that it shows in one row of :class:`Shown`. A row needs no other, so any thread can play
any part of the rows.

Read first: ``batch.py`` (what a step is). Read next: ``observation.py``, ``playout.py``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from .arrays import unowned, value_before_adding, value_now
from .cache import entry
from .dispatch import (
    ANNULLED,
    OVER,
    SOW,
    apply,
    counts_repetition,
    deal,
    legal,
    load,
    points,
    save,
    second_word,
    seeds_ahead,
    stake,
)
from .observation import complete, note_if_live, unpacked, write
from .playout import judge_repetition, nth_action
from .rng import advance, bit_count, draw_below, stream
from .sowing import select

BOTH_SEATS, RANDOM_SEAT = -1, 2  # where the caller sits, beside 0 and 1
CALLER, RANDOM = 0, 1  # who decides for the other seat
OUTCOME, POINTS, MARGIN = 0, 1, 2  # what is paid
UNDER_WAY, NEW, ENDED = 0, 1, 2  # stages of a game; NEW: it began in the present step
GO, STAY = 1, 2  # what threads that have woken up are told
ROWS_AT_ONCE = 256  # that a thread takes
SHOWN_AT_ONCE = 16  # rows
WAIT = -1  # the action of a game that stays as it is

# the bits of a byte as the eight bytes of a number
_BYTES = np.arange(256, dtype=np.uint8).reshape(-1, 1)
EIGHT_FLAGS = np.unpackbits(_BYTES, axis=1, bitorder="little").view(np.int64).reshape(-1)


class Rows(NamedTuple):
    """What a batch remembers of its n games.

    Attributes
    ----------
    states : (n, size) uint8
        Stored states, as records (``observation.Tables``).
    legal : (2, n) int64
        The legal actions as two masks; empty where any action will do.
    numbers : (n,) int64
        Streams of random numbers; each decision takes one.
    plies : (n,) int32
    stages : (n,) uint8
    seats : (n,) int8
        Which player the caller is.
    begun, seeds : (n,) int64
        How many games the row has begun, and the seed of the present one.
    history, kept : (n, capacity, size) uint8, (n,) int32
        Where repetition counts: the positions that may occur again, the present one last.
    """

    states: Any
    legal: Any
    numbers: Any
    plies: Any
    stages: Any
    seats: Any
    begun: Any
    seeds: Any
    history: Any
    kept: Any


class Shown(NamedTuple):
    """What a batch shows of its n games.

    Attributes
    ----------
    observation : (n, numbers) float32 or uint8
    rewards, points : (n, 2) float32
    terminations, truncations, annulled : (n,) bool
    action_flags : (n, groups) int64
        Which actions are legal: a byte for each, 0 or 1.
    random_actions : (n,) int64
    player : (n,) int8
    """

    observation: Any
    rewards: Any
    points: Any
    terminations: Any
    truncations: Any
    annulled: Any
    action_flags: Any
    random_actions: Any
    player: Any


@njit(forceinline=True)
def drawn(rules, first, second, numbers):
    """A uniformly random action of two masks that are not both empty."""
    return nth_action(
        rules, first, second, draw_below(numbers, bit_count(first) + bit_count(second))
    )


@entry
def first_illegal(second_from, num_actions, legals, actions):
    """The first row whose action is not legal, or -1; ``second_from`` is ``second_word(rules)``."""
    first, second, illegal = unowned(legals[0]), unowned(legals[1]), 0
    for i in range(len(actions)):  # without a jump, so that several rows are looked at at once
        illegal |= not is_allowed(second_from, num_actions, first[i], second[i], actions[i])
    if illegal:
        for i in range(len(actions)):
            if not is_allowed(second_from, num_actions, first[i], second[i], actions[i]):
                return i
    return -1


@njit(forceinline=True)
def is_allowed(second_from, num_actions, first, second, action):
    """Whether an action is in one of two masks, or both are empty."""
    in_first = action < second_from
    bit = select(in_first, action, action - second_from) & 63
    there = select(in_first, first, second) >> bit & 1
    return ((action >= 0) & (action < num_actions) & (there != 0)) | (first | second == 0)


@njit(forceinline=True)
def next_game(rules, start, rows, row, batch_seed, seat):
    """The state in which the next game of a row begins, and its stream."""
    seed = stream(stream(batch_seed, row), int(rows.begun[row]))
    rows.begun[row] += 1
    rows.seeds[row] = seed
    rows.seats[row] = draw_below(stream(seed, 1), 2) if seat == RANDOM_SEAT else seat
    rows.kept[row] = 0
    state, numbers = deal(rules, load(rules, start, 0), stream(seed, 0))
    if counts_repetition(rules):
        state = looked_back(rules, rows, row, state)
    return state, numbers


@njit(forceinline=True)
def looked_back(rules, rows, i, state):
    """A state, ended if it occurred before in its game; it is kept."""
    if state.phase == SOW:
        assert rows.kept[i] < rows.history.shape[1]  # the caller made room
        state = judge_repetition(rules, state, rows.history[i], rows.kept[i])
        rows.kept[i] += 1
    return state


@njit(forceinline=True)
def decided(rules, rows, i, state, action):
    """The state after a decision."""
    after = apply(rules, state, action)
    if counts_repetition(rules):
        if stake(rules, after) != stake(rules, state):
            rows.kept[i] = 0  # seeds were captured: no position from before can come back
        after = looked_back(rules, rows, i, after)
    return after


@njit(forceinline=True)
def paid(rules, state, reward):
    """What player 0 is paid in a finished game; the other player pays it."""
    if reward == MARGIN:
        ahead = float(seeds_ahead(rules, state))
        return ahead if state.player == 0 else -ahead
    points_0, points_1 = points(rules, state)
    ahead = points_0 - points_1
    return np.sign(ahead) if reward == OUTCOME else ahead


@njit(forceinline=True)
def show_actions(rules, flags, i, first, second):
    """Write two masks of actions as a row of flags."""
    second_from = second_word(rules)
    bits = first | second << second_from
    flags[i, 0] = EIGHT_FLAGS[np.uint64(bits & 255)]  # all of them on most boards
    for group in range(1, flags.shape[1]):
        bits = second >> (64 - second_from) if group == 8 else bits >> 8
        flags[i, group] = EIGHT_FLAGS[np.uint64(bits & 255)]


@njit(forceinline=True)
def clear(shown, first, end):
    """Let some rows show that nothing ended in them."""
    for row in range(first, end):
        i = np.uint64(row)
        shown.rewards[i, 0] = shown.rewards[i, 1] = 0.0
        shown.points[i, 0] = shown.points[i, 1] = 0.0
        shown.terminations[i] = shown.truncations[i] = shown.annulled[i] = False


@njit
def show_end(rules, reward, shown, i, state, is_told):
    """Write what is shown of a game that is over, besides what is shown of all."""
    has_result, is_finished = state.phase == OVER, state.phase >= OVER
    payment = paid(rules, state, reward) if is_told & has_result else 0.0
    shown.rewards[i, 0], shown.rewards[i, 1] = payment, 0.0 - payment
    shown.points[i, 0], shown.points[i, 1] = points(rules, state)
    shown.terminations[i] = is_told & is_finished
    shown.truncations[i] = is_told & (not is_finished)
    shown.annulled[i] = state.phase == ANNULLED


@njit(forceinline=True)
def show(rules, tables, rows, shown, first, end):
    """Write what some rows show besides their ends: actions and observations.

    One after the other for all rows: shorter loops keep more in registers, and bytes that were
    just written one by one cannot be read together before they are in the cache.
    """
    for row in range(first, end):
        i = np.uint64(row)
        one, two = rows.legal[0, i], rows.legal[1, i]
        if one | two:
            show_actions(rules, shown.action_flags, i, one, two)
            shown.random_actions[i] = drawn(rules, one, two, int(rows.numbers[i]))
        else:
            show_actions(rules, shown.action_flags, i, -1, -1)
            shown.random_actions[i] = 0
    if tables.looked_up.size + tables.products.size:
        for row in range(first, end):
            i = np.uint64(row)
            complete(tables, unowned(rows.states[i]), view_of(rows, shown, i))
    for row in range(first, end):
        i = np.uint64(row)
        seen = unowned(shown.observation[i])
        write(tables, unowned(rows.states[i]), view_of(rows, shown, i), seen)


@njit(forceinline=True)
def view_of(rows, shown, i):
    """The number of the view that is shown of a row."""
    seat, player = int(rows.seats[i]), int(shown.player[i])
    return 2 * select(seat == BOTH_SEATS, player, seat) + player


@entry
def play(
    rules, start, tables, max_plies, reward, seed, seat, opponent, goes_on, in_part, actions, rows,
    shown, signal, ends, begun, own,
):  # fmt: skip
    """Play the actions of all rows, together with other threads, and show what follows.

    After a game that ended in an earlier step the next one begins instead. If
    ``opponent`` is RANDOM, the decisions of the other seat are drawn, until the caller has
    one to make. With ``goes_on`` the rest of the present step is played: no game begins.
    ``in_part``: a game whose action is WAIT stays as it is.

    A game that is over before the caller had any decision takes one more step, whose
    action counts for nothing, to be told as ended.

    Nothing is done before another thread writes GO into ``signal``, an array of one 0, and
    nothing at all if that is STAY. Part ``k`` of the rows ends at ``ends[k]``, and is begun up to
    ``begun[k, 0]`` (the other numbers keep those of two parts apart in the caches); a thread
    plays its ``own`` part first, the same in each step, then what others have not begun.

    ``tables`` are packed; ``rows`` and ``shown`` are plain tuples, which Numba unpacks faster.
    """
    told = value_now(signal, 0)
    while told == 0:
        told = value_now(signal, 0)
    if told != GO:
        return
    rows, shown = unowned(Rows(*rows)), unowned(Shown(*shown))
    tables = unpacked(tables, shown.observation)
    counts = begun.reshape(-1)
    for k in range(len(ends)):
        part = (own + k) % len(ends)
        while True:
            first = value_before_adding(counts, part * begun.shape[1], ROWS_AT_ONCE)
            if first >= ends[part]:
                break
            end = min(first + ROWS_AT_ONCE, ends[part])
            here = first
            while here < end:
                behind = min(here + SHOWN_AT_ONCE, end)
                if in_part:  # row by row: to ask in each loop whether a row waits slows all down
                    behind = here + 1
                    if actions[here] == WAIT:
                        here = behind
                        continue
                clear(shown, here, behind)
                for row in range(here, behind):
                    play_row(
                        rules, start, max_plies, reward, seed, seat, opponent, goes_on, actions,
                        rows, shown, row,
                    )  # fmt: skip
                show(rules, tables, rows, shown, here, behind)
                here = behind


@njit(forceinline=True)
def play_row(
    rules, start, max_plies, reward, seed, seat, opponent, goes_on, actions, rows, shown, row,
):  # fmt: skip
    """:func:`play` for one row."""
    i = np.uint64(row)  # a signed index costs a look whether it is negative
    action, stage = actions[i], rows.stages[i]
    begins = stage == ENDED  # which none is where a step goes on
    if not goes_on:
        stage = NEW if begins else UNDER_WAY
    if begins:
        state, numbers = next_game(rules, start, rows, row, seed, seat)
        plies, decides = 0, False
    else:
        state, numbers, plies = load(rules, rows.states, i), int(rows.numbers[i]), rows.plies[i]
        decides = (rows.legal[0, i] | rows.legal[1, i]) != 0
    while True:
        if decides:
            state = decided(rules, rows, i, state, action)
            numbers = advance(numbers)
            plies += 1
        is_over = (state.phase >= OVER) | (plies >= max_plies)
        if is_over | (opponent == CALLER) | (state.player == rows.seats[i]):
            break
        first, second = legal(rules, state)
        action, decides = drawn(rules, first, second, numbers), True
    is_told = is_over & (stage != NEW)
    save(rules, rows.states, i, state)
    note_if_live(unowned(rows.states[i]), state.phase < OVER)
    rows.numbers[i], rows.plies[i] = numbers, plies
    rows.stages[i] = ENDED if is_told else stage
    shown.player[i] = state.player
    first, second = legal(rules, state)
    if is_over:  # any action will do
        first = second = 0
        show_end(rules, reward, shown, i, state, is_told)
    rows.legal[0, i], rows.legal[1, i] = first, second
