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

from .arrays import CACHE_LINE, prefetch, value_before_adding, value_now
from .cache import entry
from .dispatch import (
    ANNULLED,
    ONE_WORD,
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
from .observation import (
    complete,
    is_picked_at_once,
    note_if_live,
    unpacked,
    write,
    write_at_once,
)
from .playout import judge_repetition, nth_action
from .rng import after_draws, bit_count, draw_below, stream
from .sowing import select

BOTH_SEATS, RANDOM_SEAT = -1, 2  # where the caller sits, beside 0 and 1
CALLER, RANDOM = 0, 1  # who decides for the other seat
OUTCOME, POINTS, MARGIN = 0, 1, 2  # what is paid
GO, STAY = 1, 2  # what threads that have woken up are told
ROWS_AT_ONCE = 256  # that a thread takes
OBSERVED_AT_ONCE = 16  # rows
CACHED = 2**22  # bytes that are surely near the processor
FEW = 64  # numbers of an observation
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
    legal : (1 or 2, n) int64
        The legal actions as masks, the second where there are actions for it; empty where any
        action will do.
    streams : (n,) int64
        Random numbers as of the first decision of the game; each decision takes one.
    plies : (n,) int32
    ended : (n,) bool
        Whether the end of the game was told, so that the next one begins.
    born : (n,) int64
        The number of the step in which the game began.
    seats : (n,) int8
        Which player the caller is.
    begun, seeds : (n,) int64
        How many games the row has begun, and the seed of the present one.
    history, kept : (n, capacity, size) uint8, (n,) int32
        Where repetition counts: the positions that may occur again, the present one last.
    """

    states: Any
    legal: Any
    streams: Any
    plies: Any
    ended: Any
    born: Any
    seats: Any
    begun: Any
    seeds: Any
    history: Any
    kept: Any


class Shown(NamedTuple):
    """What a batch shows of its n games, all in arrays of one dimension.

    Attributes
    ----------
    observation : (n * numbers,) float32 or uint8
    rewards, points : (2 * n,) float32
    terminations, truncations, annulled : (n,) bool
    action_flags : (n * groups,) int64
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
    """The first row whose action is not legal, or -1.

    ``legals`` are one or two masks of each row, ``second_from`` is ``second_word(rules)``.
    """
    first, second, illegal = legals[0], legals[len(legals) - 1], 0
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
    """The state in which the next game of a row begins."""
    seed = stream(stream(batch_seed, row), int(rows.begun[row]))
    rows.begun[row] += 1
    rows.seeds[row] = seed
    rows.seats[row] = draw_below(stream(seed, 1), 2) if seat == RANDOM_SEAT else seat
    rows.kept[row] = 0
    state, rows.streams[row] = deal(rules, load(rules, start, 0), stream(seed, 0))
    if counts_repetition(rules):
        state = looked_back(rules, rows, row, state)
    return state


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
def masks(rules, rows, i):
    """The legal actions of a row, as two masks."""
    return rows.legal[0, i], 0 if second_word(rules) == ONE_WORD else rows.legal[1, i]


@njit(forceinline=True)
def clear(shown, first, end):
    """Let some rows show that nothing ended in them; each loop becomes a ``memset``."""
    for i in range(2 * first, 2 * end):
        shown.rewards[np.uint64(i)] = shown.points[np.uint64(i)] = 0.0
    for i in range(first, end):
        shown.terminations[np.uint64(i)] = False
    for i in range(first, end):
        shown.truncations[np.uint64(i)] = False
    for i in range(first, end):
        shown.annulled[np.uint64(i)] = False


@njit
def show_end(rules, reward, shown, i, state, is_told):
    """Write what is shown of a game that is over, besides what is shown of all."""
    has_result, is_finished = state.phase == OVER, state.phase >= OVER
    payment = paid(rules, state, reward) if is_told & has_result else 0.0
    one, two = 2 * int(i), 2 * int(i) + 1
    shown.rewards[one], shown.rewards[two] = payment, 0.0 - payment
    shown.points[one], shown.points[two] = points(rules, state)
    shown.terminations[i] = is_told & is_finished
    shown.truncations[i] = is_told & (not is_finished)
    shown.annulled[i] = state.phase == ANNULLED


@njit(forceinline=True)
def show_actions(rules, rows, shown, first, end):
    """Write the legal actions of some rows as flags, and draw one for each."""
    flags, actions = shown.action_flags, shown.random_actions
    groups = len(flags) // len(actions)
    for row in range(first, end):  # nothing else, so that several rows are looked at at once
        i = np.uint64(row)
        one, two = masks(rules, rows, i)
        numbers = after_draws(rows.streams[i], rows.plies[i])
        actions[i] = draw_below(numbers, bit_count(one) + bit_count(two))
    for row in range(first, end):
        i = np.uint64(row)
        one, two = masks(rules, rows, i)
        is_any = one | two == 0  # any action will do
        flags[np.uint64(row * groups)] = EIGHT_FLAGS[np.uint64(select(is_any, -1, one) & 255)]
        actions[i] = select(is_any, 0, nth_action(rules, one, two, actions[i]))
    if groups > 1:
        for row in range(first, end):
            one, two = masks(rules, rows, np.uint64(row))
            show_more_actions(rules, flags, row * groups, groups, one, two)


@njit(forceinline=True)
def show_more_actions(rules, flags, to, groups, one, two):
    """Write the flags of all but the first eight actions."""
    second_from = second_word(rules)
    is_any = one | two == 0
    one, two = select(is_any, -1, one), select(is_any, -1, two)
    bits = one | two << second_from
    for group in range(1, groups):
        bits = two >> (64 - second_from) if group == 8 else bits >> 8
        flags[np.uint64(to + group)] = EIGHT_FLAGS[np.uint64(bits & 255)]


@njit(forceinline=True)
def show(tables, seat, rows, shown, first, end):
    """Write the observations of some rows."""
    states, seen = rows.states, shown.observation
    size, numbers = states.shape[1], len(seen) // len(states)
    if tables.looked_up.size + tables.products.size:
        for row in range(first, end):
            i = np.uint64(row)
            complete(tables, states[i], view_of(seat, rows, shown, i))
    records = states.reshape(-1)
    if is_picked_at_once(states, numbers):
        for row in range(first, end):
            view = view_of(seat, rows, shown, np.uint64(row))
            write_at_once(tables, records, row * size, view, seen, row * numbers, numbers)
    else:
        for row in range(first, end):
            view = view_of(seat, rows, shown, np.uint64(row))
            write(tables, records, row * size, view, seen, row * numbers, numbers)
    if numbers <= FEW and seen.size * seen.itemsize > CACHED:
        # have room for the next rows brought nearer; the processor does it for longer ones
        for k in range(end * numbers, (2 * end - first) * numbers, CACHE_LINE // seen.itemsize):
            prefetch(seen, k)


@njit(forceinline=True)
def view_of(seat, rows, shown, i):
    """The number of the view that is shown of a row."""
    player = int(shown.player[i])
    return 3 * player if seat == BOTH_SEATS else 2 * int(rows.seats[i]) + player


@entry
def play(
    rules, start, tables, max_plies, reward, seed, seat, opponent, step, in_part, actions, rows,
    shown, signal, ends, begun, own,
):  # fmt: skip
    """Play the actions of all rows, together with other threads, and show what follows.

    After a game that ended in an earlier step the next one begins instead. If
    ``opponent`` is RANDOM, the decisions of the other seat are drawn, until the caller has
    one to make. ``step`` counts the steps; a step may be played by several calls.
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
    rows, shown = Rows(*rows), Shown(*shown)
    tables = unpacked(tables, shown.observation)
    counts = begun.reshape(-1)
    for k in range(len(ends)):
        part = (own + k) % len(ends)
        first = value_before_adding(counts, part * begun.shape[1], ROWS_AT_ONCE)
        while first < ends[part]:
            play_some(
                rules, start, tables, max_plies, reward, seed, seat, opponent, step, in_part,
                actions, rows, shown, first, min(first + ROWS_AT_ONCE, ends[part]),
            )  # fmt: skip
            first = value_before_adding(counts, part * begun.shape[1], ROWS_AT_ONCE)


@njit(forceinline=True)
def play_some(
    rules, start, tables, max_plies, reward, seed, seat, opponent, step, in_part, actions, rows,
    shown, first, end,
):  # fmt: skip
    """:func:`play` for some rows, or those among them that do not wait, one by one."""
    at_once = 1 if in_part else ROWS_AT_ONCE
    for here in range(first, end, at_once):
        if not in_part or actions[here] != WAIT:
            play_rows(
                rules, start, tables, max_plies, reward, seed, seat, opponent, step, actions, rows,
                shown, here, min(here + at_once, end),
            )  # fmt: skip


@njit(forceinline=True)
def play_rows(
    rules, start, tables, max_plies, reward, seed, seat, opponent, step, actions, rows, shown,
    first, end,
):  # fmt: skip
    """:func:`play` for rows none of which waits.

    One thing is done after the other, as short loops need few registers; but some rows are
    observed after a few were played, since what they show takes its time to memory.
    """
    clear(shown, first, end)
    for here in range(first, end, OBSERVED_AT_ONCE):
        behind = min(here + OBSERVED_AT_ONCE, end)
        for row in range(here, behind):
            play_row(
                rules, start, max_plies, reward, seed, seat, opponent, step, actions, rows, shown,
                row,
            )  # fmt: skip
        show(tables, seat, rows, shown, here, behind)
    show_actions(rules, rows, shown, first, end)


@njit(forceinline=True)
def play_row(
    rules, start, max_plies, reward, seed, seat, opponent, step, actions, rows, shown, row,
):  # fmt: skip
    """:func:`play` for one row, besides what is shown of all."""
    i = np.uint64(row)  # a signed index costs a look whether it is negative
    first, second = masks(rules, rows, i)
    if first | second:
        state = decided(rules, rows, i, load(rules, rows.states, i), actions[i])
        plies = rows.plies[i] + 1
        if (
            state.phase >= OVER
            or plies >= max_plies
            or (opponent != CALLER and state.player != rows.seats[i])
        ):
            play_on(rules, max_plies, reward, opponent, step, rows, shown, i, state, plies)
        else:
            remember(rules, rows, shown, i, state, plies)
    elif rows.ended[i]:
        rows.ended[i], rows.born[i] = False, step
        note_if_live(rows.states[i], True)
        state = next_game(rules, start, rows, row, seed, seat)
        play_on(rules, max_plies, reward, opponent, step, rows, shown, i, state, 0)
    else:
        state, plies = load(rules, rows.states, i), int(rows.plies[i])
        play_on(rules, max_plies, reward, opponent, step, rows, shown, i, state, plies)


@njit
def play_on(rules, max_plies, reward, opponent, step, rows, shown, i, state, plies):
    """Play what the opponent answers; remember where that leads, and show it if it is the end."""
    is_over = (state.phase >= OVER) | (plies >= max_plies)
    while not (is_over | (opponent == CALLER) | (state.player == rows.seats[i])):
        first, second = legal(rules, state)
        numbers = after_draws(rows.streams[i], plies)
        state = decided(rules, rows, i, state, drawn(rules, first, second, numbers))
        plies += 1
        is_over = (state.phase >= OVER) | (plies >= max_plies)
    remember(rules, rows, shown, i, state, plies)
    if is_over:
        is_told = rows.born[i] != step
        note_if_live(rows.states[i], state.phase < OVER)
        rows.ended[i] = is_told
        for word in range(len(rows.legal)):
            rows.legal[word, i] = 0  # any action will do
        show_end(rules, reward, shown, i, state, is_told)


@njit(forceinline=True)
def remember(rules, rows, shown, i, state, plies):
    """Write what a row remembers of its game, and who decides."""
    save(rules, rows.states, i, state)
    rows.plies[i] = plies
    rows.legal[0, i], second = legal(rules, state)
    if second_word(rules) != ONE_WORD:
        rows.legal[1, i] = second
    shown.player[i] = state.player
