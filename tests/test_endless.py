"""Moves that never end: Meyer's question, and how play annuls them.

A relay without captures is endless if and only if it comes back to where it
began. Then every pit of its ring is lifted in the cycle (a pit that is only passed gains seeds
for ever), so the last seed of some lap falls on every pit, occupied. Hence
no move of Tsoro with heads is endless (it comes to a decision), and none of Katro, as long
as the opponent holds a seed: his innermost row with seeds then faces some pit of the
mover's inner row, and is captured from there.
"""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from helpers import twin_of, twin_position

import mancala_ai as ma
from mancala_ai import PositionError

RING_128 = [2, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 2, 1]
BIG_RING = [3, 4, 0, 3, 9, 8, 2, 1, 0, 14, 0, 2, 3, 8, 1, 2]  # period 987,337,152 from pit 1
NO_INNER_ROW = [0, 2, 0, 0, 1, 0, 0, 3] + [0] * 8  # nothing that Omweso could capture

RELAY_GAMES = [
    "tsoro",
    "tsoro:columns=8",
    "tsoro:columns=8,heads=0",
    "tsoro:columns=6,heads=1,bonus=0",
    "omweso",
    "omweso:akakyala=True",
    "katro",
    "katro:direction=either",
    "katro:rows=2,columns=4,direction=kept,lone_seed=True",
    "hoyito_iii",
    "hoyito_iii:columns=3",
]

# Endless moves found by search: game, position, action, laps until it is back, period. Where the
# laps are more than the period, captures came before.
ENDLESS = [
    ("hoyito_iii", "2,1,0,2,6,2/0,2,1,0,1,3 south", 5, 138, 138),
    ("hoyito_iii", "1,0,2,1,0,1/3,9,10,4,8,2 north", 0, 216, 216),
    ("hoyito_iii", "2,4,3,5,4,5/3,2,1,3,4,1 south", 5, 536436, 536436),
    ("hoyito_iii:columns=3", "2,3,2/1,0,1 south", 0, 15, 15),
    (
        "tsoro:columns=8,heads=0",
        "2,1,3,1,0,3,0,2,3,2,1,0,1,3,4,3/0,1,0,4,1,0,3,2,2,1,1,3,1,2,0,0 south",
        2,
        76,
        76,
    ),
    (
        "tsoro:columns=8,heads=0",
        "0,1,0,0,0,1,1,1,0,1,2,1,0,0,0,0/5,6,1,4,3,2,1,2,1,4,0,5,2,3,7,4 north",
        9,
        360,
        360,
    ),
    ("omweso", "2,1,5,1,0,2,1,6,4,3,2,1,0,1,2,1/0,0,0,0,0,0,0,1,0,0,1,0,0,0,1,0 south", 7, 74, 74),
    (
        "omweso",
        "1,1,0,1,0,0,0,0,0,0,0,0,0,1,1,0/0,1,3,2,3,4,2,6,2,1,1,3,4,1,2,3 north",
        5,
        729,
        728,
    ),
    (
        "omweso",
        "1,1,3,0,0,3,0,1,2,0,0,2,0,0,0,0/3,4,3,2,1,3,4,3,2,0,1,3,2,5,1,3 north",
        8,
        3263,
        3260,
    ),
]
each_endless = pytest.mark.parametrize(
    ("spec", "position", "action", "laps", "period"),
    ENDLESS,
    ids=[f"{spec}-{period}" for spec, *_, period in ENDLESS],
)


def twin_answers(game, state, budget):
    """What ``relay_lengths`` is to say, by the slow twin."""
    twin = twin_of(game)
    position = twin_position(twin, state)
    answers = {}
    for action in twin.legal(position):
        try:
            answers[action] = twin.relay(position, action, budget)
        except ValueError:  # the action sows nothing
            assert state.phase in ("bonus", "head")
    return answers


def random_half(chance, pits, seeds):
    half = [0] * pits
    for _ in range(seeds):
        half[chance.randrange(pits)] += 1
    return half


def random_position(game, chance):
    """Any board with one player to sow; sometimes the other has few seeds."""
    while True:
        seeds = chance.randint(4, 4 * game.rows * game.columns)
        first = chance.choice([chance.randint(1, seeds - 1), chance.randint(1, 3)])
        pits = game.rows * game.columns
        halves = [random_half(chance, pits, first), random_half(chance, pits, seeds - first)]
        try:
            state = game.state(halves, chance.randrange(2))
        except PositionError:  # four seeds of Hoyito
            continue
        if not state.is_terminal:
            return state


def random_walk(game, chance, plies=60):
    state = game.initial_state()
    while not state.is_terminal and state.ply < plies:
        yield state
        state = state.apply(chance.choice(state.legal_actions()))


# Meyer's question


def test_the_ring_of_period_128_in_omweso():
    game = ma.make("omweso")
    state = game.state([RING_128, NO_INNER_ROW])
    assert game.relay_lengths(state)[0] == (128, False, 128)
    assert game.endless_moves(state)[0] == 128
    assert game.relay_lengths(state) == twin_answers(game, state, 10**4)


def test_the_ring_of_period_128_in_tsoro_without_heads():
    game = ma.make("tsoro:columns=8,heads=0")
    state = game.state([RING_128, NO_INNER_ROW])
    assert game.relay_lengths(state)[0] == (128, False, 128)
    assert game.endless_moves(state) == {0: 128}
    with_heads = ma.make("tsoro:columns=8")
    state = with_heads.state([RING_128, NO_INNER_ROW])
    assert with_heads.endless_moves(state) == {}
    assert with_heads.relay_lengths(state) == twin_answers(with_heads, state, 10**4)


@pytest.mark.parametrize("column", range(8))
def test_the_ring_of_period_128_captures_in_katro(column):
    game = ma.make("katro:rows=2,columns=8")
    enemy = [0] * 16
    enemy[8 + column] = 1
    state = game.state([RING_128, enemy])
    laps, ends, period = game.relay_lengths(state)[0]
    assert (ends, period) == (True, 0)
    trace = state.trace(0)
    assert len(trace) == laps < 128
    assert trace[-1].captured == {(1, 8 + column): 1}


def test_every_state_of_a_cycle_is_endless():
    game = ma.make("omweso")
    ring, pit = list(RING_128), 0
    for _ in range(128):
        state = game.state([ring, NO_INNER_ROW])
        if ring[pit] >= 2:
            assert game.relay_lengths(state)[pit] == (128, False, 128)
        hand, ring[pit] = ring[pit], 0
        for _ in range(hand):
            pit = (pit + 1) % 16
            ring[pit] += 1
    assert (ring, pit) == (RING_128, 0)


@pytest.mark.parametrize("budget", [1, 2, 63, 127])
def test_a_budget_below_the_period_decides_nothing(budget):
    game = ma.make("omweso")
    state = game.state([RING_128, NO_INNER_ROW])
    assert game.relay_lengths(state, max_laps=budget)[0] == (budget, None, None)
    assert 0 not in game.endless_moves(state, max_laps=budget)
    assert game.relay_lengths(state, max_laps=128)[0] == (128, False, 128)


def test_the_big_ring_is_undecided_by_a_small_budget():
    game = ma.make("omweso")
    state = game.state([BIG_RING, NO_INNER_ROW])
    for budget in (1, 1000, 10**6):
        assert game.relay_lengths(state, max_laps=budget)[1] == (budget, None, None)
        assert 1 not in game.endless_moves(state, max_laps=budget)


@each_endless
def test_endless_moves(spec, position, action, laps, period):
    game = ma.make(spec)
    state = game.state_from_text(position)
    assert game.relay_lengths(state)[action] == (laps, False, period)
    assert game.endless_moves(state)[action] == period
    assert game.relay_lengths(state, max_laps=laps)[action] == (laps, False, period)
    assert game.relay_lengths(state, max_laps=laps - 1)[action] == (laps - 1, None, None)
    if laps < 10_000:
        assert twin_answers(game, state, laps)[action] == (laps, False, period)
        # laps of play before the stretch that repeats, and then that stretch twice
        trace = ma.make(spec, max_laps=laps + period).state_from_text(position).trace(action)
        sown = [(lap.start, lap.hand, lap.landing) for lap in trace]
        assert len(sown) == laps + period
        assert sown[-period:] == sown[-2 * period : -period]
        assert any(lap.captured for lap in trace) == (laps > period)


@pytest.mark.parametrize("spec", RELAY_GAMES)
def test_relay_lengths_agree_with_the_twin(spec):
    game, chance = ma.make(spec), random.Random(spec)
    positions = [random_position(game, chance) for _ in range(60)]
    positions += [state for _ in range(3) for state in random_walk(game, chance)][::2]
    for state in positions:
        budget = chance.choice([1, 2, 5, 20, 1000])
        assert game.relay_lengths(state, max_laps=budget) == twin_answers(game, state, budget)


@pytest.mark.parametrize("spec", RELAY_GAMES)
def test_moves_of_the_other_player(spec):
    game, chance = ma.make(spec), random.Random(spec)
    for _ in range(30):
        state = random_position(game, chance)
        assert game.relay_lengths(state, player=state.player) == game.relay_lengths(state)
        other = game.state(state.board, 1 - state.player)
        found = game.relay_lengths(state, player=1 - state.player, max_laps=1000)
        assert found == twin_answers(game, other, 1000)
        assert game.endless_moves(state, 1 - state.player, 1000) == {
            action: period for action, (_, ends, period) in found.items() if ends is False
        }


def test_moves_of_the_other_player_of_a_finished_position():
    text = "4,4,1,3,1,2,2,0,9,2,10,1,7,7,5,0/1,1,0,0,0,0,0,1,1,0,0,0,0,0,1,1 south"
    game = ma.make("omweso")
    state = game.state_from_text(text).apply(0)
    assert state.is_terminal
    assert game.relay_lengths(state) == {}
    expected = twin_answers(game, game.state(state.board, 0), 1000)
    assert len(expected) > 5
    assert game.relay_lengths(state, player=0) == expected


def test_there_is_no_other_player_inside_a_turn():
    chance = random.Random(1)
    for spec, phase in (("tsoro", "head"), ("tsoro", "bonus"), ("omweso", "lap")):
        game = ma.make(spec)
        walks = (state for _ in range(100) for state in random_walk(game, chance))
        state = next(state for state in walks if state.phase == phase)
        game.relay_lengths(state, player=state.player)
        with pytest.raises(ValueError, match=phase):
            game.relay_lengths(state, player=1 - state.player)


@pytest.mark.parametrize("player", [2, -1, "south", True])
def test_a_player_is_0_or_1(player):
    game = ma.make("omweso")
    with pytest.raises(ValueError, match="player"):
        game.relay_lengths(game.initial_state(), player=player)


@pytest.mark.parametrize("budget", [0, -1, 1.5, "9"])
def test_a_budget_is_an_integer_from_1_on(budget):
    game = ma.make("omweso")
    with pytest.raises(ValueError, match="max_laps"):
        game.endless_moves(game.initial_state(), max_laps=budget)


def test_actions_that_sow_nothing_have_no_length():
    chance = random.Random(2)
    game = ma.make("tsoro:columns=8,optional_bonus=True")
    walks = [state for _ in range(20) for state in random_walk(game, chance)]
    bonus = next(state for state in walks if state.phase == "bonus")
    assert game.relay_lengths(bonus) == {}
    head = next(state for state in walks if state.phase == "head")
    assert list(game.relay_lengths(head)) == [32]  # to relay, not to stop
    arranging = ma.make("omweso:setup=arrange")
    assert arranging.relay_lengths(arranging.initial_state()) == {}


@pytest.mark.parametrize("spec", ["kalah", "oware", "gore"])
def test_games_without_relays_end_each_move_after_one_lap(spec):
    game = ma.make(spec)
    state = game.initial_state()
    assert game.relay_lengths(state) == dict.fromkeys(state.legal_actions(), (1, True, 0))
    assert game.endless_moves(state) == {}


@pytest.mark.parametrize("spec", ["katro", "katro:rows=2,columns=4", "tsoro:columns=8"])
def test_no_move_is_endless_where_it_must_capture_or_come_to_a_head(spec):
    game, chance = ma.make(spec), random.Random(3)
    for _ in range(2000):
        state = random_position(game, chance)
        assert all(ends for _, ends, _ in game.relay_lengths(state).values())


# Play


@each_endless
def test_an_endless_move_annuls_the_game(spec, position, action, laps, period):
    game = ma.make(spec)
    state = game.state_from_text(position)
    after = state.apply(action)
    assert after.annulled
    assert after.is_terminal
    assert (after.phase, after.win_kind) == ("annulled", "annulled")
    assert after.points == (0.0, 0.0)
    assert after.returns == (0.0, 0.0)
    assert after.legal_actions() == []
    # the position is left as it stood
    assert after.board.tolist() == state.board.tolist()
    assert after.captured.tolist() == state.captured.tolist()
    assert (after.player, after.fields, after.in_hand) == (state.player, state.fields, 0)
    twin = twin_of(game)
    slow = twin.apply(twin_position(twin, state), action)
    assert slow.annulled
    assert (slow.board, slow.player) == (after.board.tolist(), after.player)


@pytest.mark.parametrize("spec", [spec for spec in RELAY_GAMES if "akakyala" not in spec])
def test_exactly_max_laps_laps_are_allowed(spec):
    game, chance = ma.make(spec), random.Random(spec)
    longest = 0
    for _ in range(40):
        state = random_position(game, chance)
        action = chance.choice(state.legal_actions())
        laps = len(state.trace(action))
        if not 2 <= laps < 10_000:
            continue
        longest = max(longest, laps)
        text, after = state.to_text(), state.apply(action)
        enough = ma.make(spec, max_laps=laps).state_from_text(text)
        assert enough.apply(action).to_text() == after.to_text()
        assert len(enough.trace(action)) == laps
        short = ma.make(spec, max_laps=laps - 1).state_from_text(text)
        annulled = short.apply(action)
        assert annulled.annulled
        assert annulled.board.tolist() == state.board.tolist()
        assert len(short.trace(action)) == laps - 1
    assert longest >= 5


@pytest.mark.parametrize("spec", ["omweso", "katro"])
def test_captures_do_not_restart_the_count_of_laps(spec):
    game, chance = ma.make(spec), random.Random(spec)
    looked_at = 0
    while looked_at < 20:
        state = random_position(game, chance)
        for action in state.legal_actions():
            trace = state.trace(action)
            at = [number for number, lap in enumerate(trace, 1) if lap.captured]
            if at and at[0] > 1 and at[-1] < len(trace) - 1:
                longest = max(at[0], len(trace) - at[-1])
                short = ma.make(spec, max_laps=len(trace) - 1).state_from_text(state.to_text())
                assert longest <= len(trace) - 1
                assert short.apply(action).annulled
                looked_at += 1


@pytest.mark.parametrize(("spec", "phase"), [("omweso", "lap"), ("tsoro:columns=8", "head")])
def test_laps_are_counted_from_the_last_decision(spec, phase):
    game, chance = ma.make(spec), random.Random(4)
    looked_at = 0
    while looked_at < 10:
        walk = list(random_walk(game, chance))
        for before, choice in pairwise(walk):
            first = len(before.trace(choice_made(before, choice))) if choice.phase == phase else 0
            onward = choice.legal_actions()[0]
            second = len(choice.trace(onward))
            if first < 2 or second < 2 or before.phase == phase:
                continue
            looked_at += 1
            limited = ma.make(spec, max_laps=max(first, second))
            state = limited.state_from_text(before.to_text()).apply(choice_made(before, choice))
            assert state.to_text() == choice.to_text()
            after = state.apply(onward)
            assert after.to_text() == choice.apply(onward).to_text()
            assert not after.annulled
            tight = ma.make(spec, max_laps=second - 1).state_from_text(choice.to_text())
            annulled = tight.apply(onward)
            assert annulled.annulled
            # the board as it stood at the choice, not at the start of the turn
            assert annulled.board.tolist() == choice.board.tolist()
            assert annulled.in_hand == choice.in_hand


def choice_made(before, after):
    """The action that led from one state to the next."""
    return next(action for action in before.legal_actions() if before.apply(action) == after)


def test_random_games_annul_too_long_moves():
    """In games of one ply: annulled as often as the twin says, at no points."""
    half = [1, 2, 3, 2, 1, 3, 2, 2, 1, 2, 3, 2, 2, 1, 3, 2]
    game = ma.make("omweso", setup=(half, half), max_laps=4)
    twin = twin_of(game)
    start = twin.initial()
    annulling = [a for a in twin.legal(start) if twin.apply(start, a).annulled]
    share = len(annulling) / len(twin.legal(start))
    assert 0.2 < share < 0.8
    played = game.random_games(2000, seed=1, max_plies=1)
    assert played.annulled.mean() == pytest.approx(share, abs=0.06)
    assert (played.points == 0).all()
    assert (played.truncated == ~played.annulled).all()


@pytest.mark.parametrize(
    ("spec", "row"), [("hoyito_iii", [1, 2, 3, 4, 5, 1]), ("gore", [1, 2, 3, 4])]
)
def test_a_player_who_would_have_to_pass_has_no_moves(spec, row):
    game = ma.make(spec)
    state = game.state([row, [0] * len(row)], 0)
    assert set(game.relay_lengths(state, player=0)) == set(range(len(row)))
    assert game.relay_lengths(state, player=1) == {}
