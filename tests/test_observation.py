"""Observations: those of a slow twin, within their ranges, alike only for equal states."""

from __future__ import annotations

import random

import numpy as np
import pytest
from helpers import (
    NAMES,
    enough_sets,
    initial,
    library_state,
    option_sets,
    random_position,
    seeds_of,
    twin_of,
    walk,
)
from reference.observation import observation

import mancala_ai as ma
from mancala_ai.errors import ArgumentError, PositionError
from mancala_ai.observation import Plane, Product, Stored, equal_to, lookup
from mancala_ai.rules.kalah import Kalah


def live_positions(game, rng, n):
    """Up to n random positions that are not finished."""
    twin = twin_of(game)
    for _ in range(n):
        position = random_position(game, twin, rng)
        if not position.finished:
            yield library_state(game, position)


def positions(name, rng, sets):
    """States of random games and random positions, for several options of a game."""
    for options in option_sets(name, sets):
        game = ma.make(name, **options)
        played = list(walk(rng, initial(game, rng), 40))
        yield from (state for state, _ in rng.sample(played, min(6, len(played))))
        if played:
            state, action = played[-1]
            yield state.apply(action)
        yield from live_positions(game, rng, 6)


@pytest.mark.parametrize("name", NAMES)
def test_observations_are_the_twins(name):
    rng = random.Random(f"observations of {name}")
    for state in positions(name, rng, enough_sets(name)):
        for observer in (0, 1):
            expected = np.array(observation(state, observer))
            counts = state.observation(observer, normalize=False)
            assert counts.dtype == np.uint8
            np.testing.assert_array_equal(counts, expected, err_msg=f"{state!r} {observer}")
            most = [plane.most for plane in state.game.observation_planes]
            shares = state.observation(observer)
            assert shares.dtype == np.float32
            np.testing.assert_array_equal(shares, (expected / most).astype(np.float32))
        own = state.observation(normalize=False)
        np.testing.assert_array_equal(own, state.observation(state.player, normalize=False))


@pytest.mark.parametrize("name", NAMES)
def test_observations_keep_within_their_ranges(name):
    rng, tried = random.Random(f"ranges of {name}"), 0
    for state in positions(name, rng, enough_sets(name)):
        if seeds_of(state) <= state.game._seeds:
            tried += 1
            most = [plane.most for plane in state.game.observation_planes]
            assert (state.observation(0, normalize=False) <= most).all(), state
            assert 0 <= state.observation(1).min() <= state.observation(1).max() <= 1
    assert tried > 20


def neighbours(state, others, rng):
    """States that differ from a state in one part, or in none that matters."""
    parts = {
        "board": state.board.tolist(),
        "player": state.player,
        "captured": state.captured.tolist(),
        "phase": state.phase,
        **state.fields,
    }
    changes = [{"player": 1 - state.player}]
    for _ in range(4):
        board, captured = state.board, state.captured
        board[rng.randrange(2), rng.randrange(board.shape[1])] += rng.choice((-1, 1))
        captured[rng.randrange(2)] += rng.choice((-1, 1))
        changes += [{"board": board.tolist()}, {"captured": captured.tolist()}]
    for name, value in state.fields.items():
        changes += [{name: other.fields[name]} for other in others]
        if isinstance(value, int):
            changes += [{name: value - 1}, {name: value + 1}]
    for change in changes:
        try:
            yield state.game.state(**{**parts, **change})
        except PositionError:
            continue


@pytest.mark.parametrize("name", NAMES)
def test_states_look_alike_only_if_they_are_equal(name):
    rng, unequal = random.Random(f"looks of {name}"), 0
    for options in option_sets(name, enough_sets(name)):
        if options.get("repetition") == "split_rows":
            continue  # where earlier positions, which are not seen, matter too
        game = ma.make(name, **options)
        states = list(live_positions(game, rng, 8))
        for state in states:
            for other in neighbours(state, states, rng):
                if other.is_terminal:
                    continue
                unequal += state != other
                for observer in (0, 1):
                    for normalize in (False, True):
                        looks = [s.observation(observer, normalize) for s in (state, other)]
                        assert np.array_equal(*looks) == (state == other), (state, other)
    assert unequal > 150


def test_views_may_look_up_different_numbers():
    """Planes of a game of one's own, of which one view needs more bytes than another."""

    class Watched(Kalah):
        def _further_planes(self, observer, mover):
            empty = [Stored("mine", pit, equal_to(0)) for pit in self._own_pits]
            none = Stored("phase", 0, lookup(lambda phase: 0))
            return [Plane("own empty", 1, "", empty if observer == mover else none)]

    for columns in range(1, 13):
        game = Watched(columns=columns)
        state = game.initial_state().apply(columns - 1)
        mover = state.player
        kalah = ma.make("kalah", columns=columns).state_from_text(state.to_text())
        for observer in (0, 1):
            seen = state.observation(observer, normalize=False)
            known = kalah.observation(observer, normalize=False)
            np.testing.assert_array_equal(seen[..., :-1], known)
            empty = state.board[mover] == 0
            np.testing.assert_array_equal(seen[0, :, -1], empty if observer == mover else 0)


def test_products_of_larger_numbers_are_refused():
    class Multiplied(Kalah):
        def _further_planes(self, observer, mover):
            both = [Product(Stored("mine", pit), Stored("theirs", pit)) for pit in self._own_pits]
            return [Plane("both", 255, "", both)]

    with pytest.raises(ArgumentError, match="0 or 1"):
        Multiplied().initial_state().observation()


def test_observers_that_do_not_exist():
    state = ma.make("kalah").initial_state()
    for player in (2, -1, "south", True, 0.0):
        with pytest.raises(ArgumentError, match="player is 0, 1 or None"):
            state.observation(player)
