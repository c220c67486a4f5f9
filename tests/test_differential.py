"""Every game against its slow twin, decision by decision, over its options and positions.

The twins in ``tests/reference`` were written from the rules sheet without
looking at the kernels. Compared are all that a state tells (legal actions,
board, captured seeds, mover, phase, seeds in hand, owners, fields, result), the
laps of every action, and the answers to Meyer's question.
"""

from __future__ import annotations

import random
import re

import pytest
from helpers import (
    NAMES,
    OPTION_VALUES,
    RELAY_GAMES,
    choose,
    described,
    described_laps,
    described_twin,
    enough_sets,
    initial,
    library_state,
    option_sets,
    random_position,
    twin_of,
    twin_position,
)

import mancala_ai as ma

LAPS_TOLD = 200  # of a longer action, play is compared but not each lap


def compared(game, twin, state, position, action):
    """State and twin after an action, compared."""
    where = f"{game!r} {state.to_text()!r} action {action}"
    after, position_after = state.apply(action), twin.apply(position, action)
    told, expected = described(after), described_twin(game, twin, position_after)
    assert told == expected, where
    laps = twin.laps(position, action)
    if len(laps) <= LAPS_TOLD:
        assert described_laps(state.trace(action)) == described_laps(laps), where
    return after, position_after


@pytest.mark.parametrize("name", NAMES)
def test_option_sets_have_every_value(name):
    listed = {option.name: option for option in ma.option_table(name)}
    assert set(listed) == set(OPTION_VALUES[name])
    for option, values in OPTION_VALUES[name].items():
        if option not in ("max_laps", "setup"):
            assert set(values) == set(listed[option].choices)
        tried = [options[option] for options in option_sets(name, enough_sets(name)) if options]
        given = [value for value in tried if isinstance(value, tuple)]
        assert set(values) - {"given"} == set(tried) - set(given)
        assert bool(given) == ("given" in values)


@pytest.mark.parametrize("name", NAMES)
def test_random_games(name):
    finished, kinds = 0, set()
    for number, options in enumerate(option_sets(name, max(40, enough_sets(name)))):
        rng = random.Random(f"{name} game {number}")
        game = ma.make(name, **options)
        twin = twin_of(game)
        state = initial(game, rng)
        if options.get("setup") == "random" or name == "hoyito_iii":
            position = twin_position(twin, state)
        else:
            position = twin.initial()
        assert described(state) == described_twin(game, twin, position), repr(game)
        for _ in range(300):
            if state.is_terminal:
                break
            action = choose(rng, state)
            state, position = compared(game, twin, state, position, action)
        finished += state.is_terminal
        kinds.add(state.win_kind)
    assert finished >= 20
    assert kinds >= EXPECTED_KINDS[name]


# Ends that the games above must have come to, so that nobody makes them toothless
EXPECTED_KINDS = {
    "tsoro": {"no_move", "annulled"},
    "omweso": {"okutema", "bulijo", "annulled"},
    "katro": {"no_move", "annulled"},
    "gore": {"seeds", "without_glory"},
    "hoyito_iii": {"seeds", "draw", "annulled"},
    "kalah": {"seeds", "draw"},
    "oware": {"seeds"},
}


@pytest.mark.parametrize("name", NAMES)
def test_random_positions(name):
    kinds = set()
    for number, options in enumerate(option_sets(name, max(40, enough_sets(name)), seed=1)):
        rng = random.Random(f"{name} position {number}")
        game = ma.make(name, **options)
        twin = twin_of(game)
        for _ in range(POSITIONS[name]):
            position = random_position(game, twin, rng)
            more = {"kind": 4} if position.phase == "over" and name == "omweso" else {}
            state = library_state(game, position, **more)
            assert described(state) == described_twin(game, twin, position), repr(game)
            for _ in range(4):
                if state.is_terminal:
                    break
                action = rng.choice(state.legal_actions())
                state, position = compared(game, twin, state, position, action)
            kinds.add(state.win_kind)
    assert kinds >= EXPECTED_KINDS[name] - {"without_glory"}


POSITIONS = dict.fromkeys(NAMES, 15)


@pytest.mark.parametrize("name", NAMES)
def test_every_action_of_random_positions(name):
    for number, options in enumerate(option_sets(name, enough_sets(name), seed=2)):
        rng = random.Random(f"{name} breadth {number}")
        game = ma.make(name, **options)
        twin = twin_of(game)
        for _ in range(3):
            position = random_position(game, twin, rng)
            if position.finished:
                continue
            state = library_state(game, position)
            for action in state.legal_actions():
                compared(game, twin, state, position, action)


def test_gore_takes_chains_round_the_whole_board():
    game = ma.make("gore")
    twin = twin_of(game)
    rng = random.Random("chains")
    whole_boards = 0
    for _ in range(300):
        start, hand = rng.randrange(8), 16 + rng.randrange(1, 8)
        ring = [0] * 8  # what makes twos and fours of all pits but maybe one
        ring[start] = hand
        for step in range(1, 8):
            ring[(start + step) % 8] = 1 if step <= hand - 16 else rng.choice((0, 2))
        if rng.random() < 0.5:
            ring[(start + rng.randrange(1, 8)) % 8] += 3
        owner = [rng.randrange(2) for _ in range(8)]
        owner[start] = 0
        owner[(start + hand) % 8] = 1
        owner = (tuple(owner[:4]), tuple(owner[4:]))
        position = twin.position([ring[:4], ring[4:]], owner=owner)
        state = library_state(game, position)
        after, _ = compared(game, twin, state, position, start)
        whole_boards += after.captured[0] == sum(ring)
    assert 50 < whole_boards < 250


@pytest.mark.parametrize("name", NAMES)
def test_which_moves_never_end(name):
    answers = set()
    for number, options in enumerate(option_sets(name, enough_sets(name) + 3, seed=3)):
        rng = random.Random(f"{name} relays {number}")
        game = ma.make(name, **options)
        twin = twin_of(game)
        for _ in range(4):
            position = random_position(game, twin, rng)
            if position.finished or position.phase == "arrange":
                continue
            state = library_state(game, position)
            budget = rng.choice((1, 2, 7, 40, 300))
            expected = {}
            for action in state.legal_actions():
                if twin.laps(position, action):
                    expected[action] = twin.relay(position, action, budget)
            assert game.relay_lengths(state, max_laps=budget) == expected, repr(state)
            answers |= {ends for _, ends, _ in expected.values()}
    assert answers >= ({True, None} if name in RELAY_GAMES else {True})


# Positions with a move that never ends: the game, the position, the action, all laps until it
# comes back, and the laps of the cycle (fewer where the relay captured first).
ENDLESS = [
    ("tsoro:columns=4,heads=0", "0,1,1,2,1,1,2,2/3,2,3,2,1,2,1,0 north", 1, 48, 48),
    ("tsoro:columns=4,heads=0", "1,2,2,2,0,1,0,0/0,2,1,6,5,2,2,6 north", 5, 5136, 5136),
    ("tsoro:columns=5,heads=0", "0,2,0,0,1,1,1,2,0,0/0,1,2,1,2,1,0,2,1,2 north", 9, 85, 85),
    ("katro:rows=2,direction=either,columns=4", "8*0/3,1,2,4,3,2,5,2 north", 11, 3008, 3008),
    ("katro:rows=2,direction=either,columns=4", "3,1,0,3,2,3,0,4/8*0 south", 0, 20, 20),
    ("katro:rows=2,columns=8", "RING/16*0 south", 0, 128, 128),
    ("hoyito_iii", "0,2,1,0,1,0/1,4,8,4,6,7 north", 5, 148, 148),
    ("hoyito_iii:columns=2", "1,2/3,0 north", 0, 4, 4),
    ("omweso", "RING/8*4,8*0 south", 0, 128, 128),
    ("omweso", "8*4,8*0/RING north moved=0,0 capturers=0,0", 0, 128, 128),
    (
        "omweso",
        "5,2,1,3,5,3,5,1,4,2,0,0,1,6,4,6/1,0,1,0,0,1,0,1,0,1,0,0,1,1,0,0 south",
        8,
        540,
        532,
    ),
    (
        "omweso",
        "0,1,0,2,1,0,3,1,2,2,3,3,3,3,3,3/2,2,1,0,1,2,2,2,0,2,1,1,0,2,1,2 south",
        12,
        1865,
        1848,
    ),
]
# the ring of 16 whose period rules.md tells
RING = "2,0,1,0,1,0,1,0,1,0,1,0,1,0,2,1"


@pytest.mark.parametrize(("spec", "text", "action", "laps", "period"), ENDLESS)
def test_moves_that_never_end(spec, text, action, laps, period):
    game = ma.make(spec)
    text = text.replace("RING", RING)
    text = re.sub(r"(\d+)\*(\d)", lambda m: ",".join(int(m[1]) * [m[2]]), text)
    state = game.state_from_text(text)
    twin = twin_of(game)
    expected = laps, False, period
    assert twin.relay(twin_position(twin, state), action, laps) == expected
    assert game.relay_lengths(state, max_laps=laps)[action] == expected
    assert game.relay_lengths(state, max_laps=laps - 1)[action] == (laps - 1, None, None)
    assert game.endless_moves(state)[action] == period
    annulled = state.apply(action)
    assert annulled.annulled
    assert described(annulled) == {**described(state), **ANNULLED}
    # the other player's answers do not ask whose turn it is
    if game.name != "omweso":  # where capturing may be forbidden to one of them
        theirs = game.relay_lengths(state, player=1 - state.player, max_laps=50)
        other = game.state(state.board, 1 - state.player)
        assert theirs == game.relay_lengths(other, max_laps=50)


ANNULLED = {
    "phase": "annulled",
    "legal": [],
    "is_terminal": True,
    "annulled": True,
    "win_kind": "annulled",
}


@pytest.mark.parametrize("name", RELAY_GAMES)
def test_annulled_after_max_laps_and_not_before(name):
    """A relay of n laps ends if max_laps is n; if it is less, the game is annulled."""
    rng = random.Random(f"{name} annulment")
    game = ma.make(name)
    twin = twin_of(game)
    tried = 0
    while tried < 6:
        position = random_position(game, twin, rng)
        if position.finished:
            continue
        state = library_state(game, position)
        for action, (laps, ends, _) in game.relay_lengths(state, max_laps=1000).items():
            if ends and laps > 1:
                exact = ma.make(name, max_laps=laps)
                ended = library_state(exact, position).apply(action)
                assert described(ended) == described(state.apply(action))
                strict = ma.make(name, max_laps=laps - 1)
                annulled = library_state(strict, position).apply(action)
                assert described(annulled) == {**described(state), **ANNULLED}
                tried += 1
