"""Whole random games: the loop that benchmarks and statistics share.

:func:`random_games` plays two games at a time and lap by lap: while one waits for the
last seed of its lap to fall, the processor works on the other. Which games are played
together changes nothing: each draws from its own stream.

Read first: ``dispatch.py`` (what ``legal`` and ``lap`` are), ``rng.py``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit

from .cache import entry
from .dispatch import (
    ANNULLED,
    ONE_WORD,
    OVER,
    SOW,
    SOWING,
    begun,
    deal,
    end_by_repetition,
    lapped,
    load,
    points,
    rollout_legal,
    save,
    second_word,
    with_phase,
)
from .rng import advance, bit_count, draw_below, nth_set_bit, stream


@njit(forceinline=True)
def nth_action(rules, first, second, r):
    """The r-th of the actions in the two masks of ``legal``, counting from 0."""
    in_first = bit_count(first)
    if second_word(rules) == ONE_WORD or r < in_first:
        return nth_set_bit(first, r)
    return second_word(rules) + nth_set_bit(second, r - in_first)


@njit(forceinline=True)
def random_action(rules, state, numbers):
    """A uniformly random action of ``rollout_legal``, drawn from the stream's next number."""
    first, second = rollout_legal(rules, state)
    r = draw_below(numbers, bit_count(first) + bit_count(second))
    return nth_action(rules, first, second, r)


@njit
def occurred(rows, first, last):
    """Whether row ``last`` equals one of the rows ``first`` ... ``last - 1``."""
    for i in range(first, last):
        equal = True
        for j in range(rows.shape[1]):
            if rows[i, j] != rows[last, j]:
                equal = False
                break
        if equal:
            return True
    return False


@njit(forceinline=True)
def judge_repetition(rules, state, history, plies):
    """A state at the start of a turn, ended if it occurred before.

    ``history`` holds the game's states by ply.
    """
    save(rules, history, plies, state)
    # a stored state counts the captured seeds, so states from before a capture never match
    if occurred(history, 0, plies):
        return end_by_repetition(rules, state)
    return state


class Slot(NamedTuple):
    """A random game under way."""

    state: Any
    numbers: int  # its stream
    laps: int  # since the last decision
    plies: int
    game: int  # its number among the games to play


@njit(forceinline=True)
def open_slot(rules, start, seed, first, game, history):
    """A slot with a new game in it."""
    state, numbers = deal(rules, load(rules, start, 0), stream(seed, first + game))
    if history is not None:
        save(rules, history, 0, state)
    return Slot(state, numbers, 0, 0, game)


@njit(forceinline=True)
def go_on(rules, slot, history):
    """One lap of a random game, or the next decision if none is pending."""
    state, numbers, laps, plies, game = slot
    if state.phase == SOWING:
        if laps >= rules.max_laps:
            state = with_phase(state, ANNULLED)
        else:
            state = lapped(rules, state)
        laps += 1
    else:
        state = begun(rules, state, random_action(rules, state, numbers))
        numbers = advance(numbers)
        laps, plies = 0, plies + 1
    if history is not None and state.phase == SOW:
        state = judge_repetition(rules, state, history, plies)
    return Slot(state, numbers, laps, plies, game)


@njit(forceinline=True)
def note_result(rules, slot, max_plies, out_plies, out_points, out_flags):
    """Write down a game that is finished or reached ``max_plies``; False while it runs."""
    phase = slot.state.phase
    if phase == SOWING or (phase < OVER and slot.plies < max_plies):
        return False
    out_plies[slot.game] = slot.plies
    out_points[slot.game, 0], out_points[slot.game, 1] = points(rules, slot.state)
    out_flags[slot.game, 0] = phase == ANNULLED
    out_flags[slot.game, 1] = phase < OVER
    return True


@njit(forceinline=True)
def play_slots(rules, start, seed, first, max_plies, history_a, history_b, out):
    """Play games in two slots until ``out`` is full. A history is None where nobody looks back."""
    out_plies, out_points, out_flags = out
    n = len(out_plies)
    a = open_slot(rules, start, seed, first, 0, history_a)
    b = open_slot(rules, start, seed, first, 1, history_b)
    next_game = 2
    while a.game < n or b.game < n:
        if a.game < n:
            a = go_on(rules, a, history_a)
            if note_result(rules, a, max_plies, out_plies, out_points, out_flags):
                a = open_slot(rules, start, seed, first, next_game, history_a)
                next_game += 1
        if b.game < n:
            b = go_on(rules, b, history_b)
            if note_result(rules, b, max_plies, out_plies, out_points, out_flags):
                b = open_slot(rules, start, seed, first, next_game, history_b)
                next_game += 1


@entry
def random_games(rules, start, seed, first, max_plies, out_plies, out_points, out_flags):
    """Play the games ``first``, ``first + 1``, ... of a seed at random, as many as ``out`` holds.

    ``start`` is a (1, size) uint8 array with the stored initial state;
    ``out_plies`` (n,) int32, ``out_points`` (n, 2) float32 and ``out_flags``
    (n, 2) bool (annulled, truncated) receive the results.
    """
    out = (out_plies, out_points, out_flags)
    play_slots(rules, start, seed, first, max_plies, None, None, out)


@entry
def random_games_looking_back(
    rules, start, seed, first, max_plies, out_plies, out_points, out_flags, history
):
    """:func:`random_games` for rules that count repetition.

    ``history`` is a (2, max_plies + 1, size) uint8 array to work in.
    """
    out = (out_plies, out_points, out_flags)
    play_slots(rules, start, seed, first, max_plies, history[0], history[1], out)
