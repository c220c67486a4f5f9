"""What holds for every game, option and position: checked on positions that hypothesis picks."""

from __future__ import annotations

import copy
import itertools
import pickle
import random

import numpy as np
import pytest
from helpers import (
    MOST_SEEDS,
    NAMES,
    RELAY_GAMES,
    choose,
    described,
    enough_sets,
    initial,
    library_state,
    option_sets,
    random_position,
    seeds_of,
    twin_of,
    walk,
)
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import mancala_ai as ma
from mancala_ai import rng as numbers
from mancala_ai.render.text import draw, pit_name

SETTINGS = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],  # the first examples compile
)
by_game = pytest.mark.parametrize("name", NAMES)

GAMES = {
    name: [ma.make(name, **o) for o in option_sets(name, enough_sets(name), 7)] for name in NAMES
}
seeds = st.integers(0, 2**32)
WIN_KINDS = {
    "tsoro": {"no_move": 1},
    "omweso": {"akawumbi": 12, "okutema": 2, "akakyala": 2, "bulijo": 1},
    "katro": {"no_move": 1},
    "gore": {"seeds": 1, "without_glory": 1},
    "hoyito_iii": {"seeds": 1},
    "kalah": {"seeds": 1},
    "oware": {"seeds": 1},
}


def some_state(name, seed):
    """A state of a game with some options: a given position, or one reached by play."""
    rng = random.Random(seed)
    game = rng.choice(GAMES[name])
    if rng.random() < 0.5:
        state = initial(game, rng)
        for reached, action in walk(rng, state, rng.randrange(80)):
            state = reached.apply(action)
        return state
    position = random_position(game, twin_of(game), rng)
    more = {"kind": 4} if position.phase == "over" and name == "omweso" else {}
    return library_state(game, position, **more)


def states(name):
    return seeds.map(lambda seed: some_state(name, f"{name} {seed}"))


def exchanged_game(game):
    """The same game with the players exchanged."""
    if game.name != "hoyito_iii":
        return game
    heirs = {"capturer": "capturer", "player_0": "player_1", "player_1": "player_0"}
    return ma.make(game.name, **{**game.options, "last_four": heirs[game.options["last_four"]]})


def exchanged(state):
    """The state with the players exchanged, its board turned by half a turn."""
    fields = state.fields
    for name in ("moved", "capturers", "directions", "declined", "in_play"):
        if name in fields:
            fields[name] = fields[name][::-1]
    if "owner" in fields:
        turned = fields["owner"][4:] + fields["owner"][:4]
        fields["owner"] = tuple(1 - player for player in turned)
    if "seen" in fields:
        n = state.game.columns
        turned = np.array(fields["seen"], int).reshape(-1, 2 * n + 1)
        turned = np.concatenate([turned[:, n:-1], turned[:, :n], 1 - turned[:, -1:]], axis=1)
        fields["seen"] = tuple(turned.ravel().tolist())
    return exchanged_game(state.game).state(
        state.board[::-1], 1 - state.player, state.captured[::-1], phase=state.phase, **fields
    )


@by_game
def test_seeds_are_conserved(name):
    @SETTINGS
    @given(states(name), seeds)
    def check(state, seed):
        before = seeds_of(state)
        for reached, action in walk(random.Random(seed), state, 60):
            after = reached.apply(action)
            assert seeds_of(after) == before
            assert after.board.min() >= 0
            if name in ("omweso", "katro"):  # captured seeds are sown again
                assert after.captured.tolist() == state.captured.tolist()
            assert after.ply == reached.ply + 1

    check()


@by_game
def test_mask_tells_which_actions_succeed(name):
    @SETTINGS
    @given(states(name))
    def check(state):
        text, mask = state.to_text(), state.action_mask()
        legal = state.legal_actions()
        assert mask.shape == (state.game.num_actions,)
        assert mask.dtype == np.bool_
        assert np.flatnonzero(mask).tolist() == legal
        assert bool(legal) == (not state.is_terminal)
        for action in range(-2, state.game.num_actions + 2):
            if action in legal:
                assert state.apply(action).game is state.game
            else:
                with pytest.raises(ma.IllegalActionError):
                    state.apply(action)
                with pytest.raises(ma.IllegalActionError):
                    state.trace(action)
        assert state.to_text() == text
        assert state.action_mask().tolist() == mask.tolist()

    check()


@by_game
def test_apply_leaves_the_state_alone(name):
    @SETTINGS
    @given(states(name), seeds)
    def check(state, seed):
        told, row, key = described(state), state._row.copy(), hash(state)
        rng = random.Random(seed)
        for value in (state.board, state.captured, state.owner, state.action_mask()):
            value += True  # what a state hands out is a copy
        state.fields["pit"] = 3
        for _ in range(3):
            if not state.is_terminal:
                action = choose(rng, state)
                first, second = state.apply(action), state.apply(action)
                state.trace(action)
                assert described(first) == described(second)
                assert first == second
        list(walk(rng, state, 5))
        assert described(state) == told
        assert (state._row == row).all()
        assert hash(state) == key

    check()


@by_game
def test_half_turn_changes_nothing(name):
    @SETTINGS
    @given(states(name), seeds)
    def check(state, seed):
        assume(state.phase != "arrange")  # South arranges his seeds before North
        other = exchanged(state)
        assert described(exchanged(other)) == described(state)
        for reached, action in walk(random.Random(seed), state, 25):
            assert other.legal_actions() == reached.legal_actions()
            assert other.points == (0.0, 0.0)
            laps, other_laps = reached.trace(action), other.trace(action)
            swapped = [{(1 - p, i): k for (p, i), k in lap.captured.items()} for lap in laps]
            assert [lap.captured for lap in other_laps] == swapped
            assert [lap.landing for lap in other_laps] == [lap.landing for lap in laps]
            after, other = reached.apply(action), other.apply(action)
            assert other.board[::-1].tolist() == after.board.tolist()
            assert other.captured[::-1].tolist() == after.captured.tolist()
            assert other.points[::-1] == after.points
            assert other.win_kind == after.win_kind
            if not after.is_terminal:
                assert other.player == 1 - after.player
                assert described(exchanged(after)) == described(other)

    check()


@by_game
def test_texts_round_trip(name):
    @SETTINGS
    @given(states(name), seeds)
    def check(state, seed):
        for reached, action in walk(random.Random(seed), state, 12):
            agree(reached)
            agree(reached.apply(action))
        agree(state)

    def agree(state):
        text = state.to_text()
        again = state.game.state_from_text(text)
        assert "\n" not in text
        assert again == state
        assert hash(again) == hash(state)
        assert described(again) == described(state)
        assert again.to_text() == text
        for action in state.legal_actions():
            written = state.action_to_text(action)
            assert written.split() == [written]
            assert state.text_to_action(written) == action
            assert state.text_to_action(f" {written} ") == action
        drawn = str(state)
        assert len(drawn.splitlines()) > state.game.rows
        assert repr(state) == f"<{state.game.spec} {text}>"

    check()


def name_on_the_board(state, player, pit):
    """What the letters and numbers around a drawn board call a home pit."""
    mark = "#"
    board = draw(state, lambda p, i, text: mark * len(text) if (p, i) == (player, pit) else text)
    divider = next(i for i, line in enumerate(board.splitlines()) if set(line) == {" ", "-"})
    above, below = board.splitlines()[:divider], board.splitlines()[divider + 1 : -1]
    half = above[::-1] if player else below  # from the middle outwards
    rows, labels = half[: state.game.rows], half[state.game.rows :]
    at = next(i for i, line in enumerate(rows) if mark in line)
    cells = slice(rows[at].index(mark), rows[at].rindex(mark) + 1)
    number = state.game.rows - at  # from the outer row
    names = [line[cells].strip() for line in labels]
    if len(names) == state.game.rows:
        return names[number - 1]
    return f"{names[0]}{number}"


@by_game
def test_pits_are_called_as_they_are_drawn(name):
    """For both players, what a move is written as and what its laps are told as."""
    movers = set()
    for number in range(40):
        state = some_state(name, f"{name} drawn {number}")
        pits = state.board.shape[1]
        for pit in range(2 * pits):
            owner, home = state.game._place(state.player, pit)
            told = pit_name(state, pit).split()[-1]
            assert told == name_on_the_board(state, owner, home)
        if state.phase != "sow":
            continue
        movers.add(state.player)
        for action in state.legal_actions():
            for lap in state.trace(action)[:1]:
                owner, home = state.game._place(state.player, lap.start)
                drawn = name_on_the_board(state, owner, home)
                assert state.action_to_text(action).startswith(drawn)
    assert movers == {0, 1}


def test_offered_pits_are_called_as_they_are_drawn():
    game = ma.make("gore")
    for player in (0, 1):
        state = game.state([[6] * 4] * 2, player, captured=(30, 30))
        offered = state.apply(state.text_to_action("offer:bd"))
        shown = [name_on_the_board(offered, player, pit) for pit in (1, 3)]
        assert shown == ["f", "h"]
        assert str(offered).endswith(
            f"accept or decline {', '.join(shown)} of the other player, for 6 seeds a pit"
        )


@by_game
def test_actions_have_different_names(name):
    for game in GAMES[name]:
        for player in (0, 1):
            names = game.action_names(player)
            assert len(set(names)) == len(names) == game.num_actions
        state = game.initial_state()
        for action in range(game.num_actions):
            assert state.action_to_text(action) == game.action_names(0)[action]


@by_game
def test_games_copy_compare_and_pickle(name):
    for game in GAMES[name]:
        for again in (
            copy.copy(game),
            copy.deepcopy(game),
            pickle.loads(pickle.dumps(game)),
            ma.make(game.spec),
            ma.make(game.name, **game.options),
        ):
            assert again == game
            assert hash(again) == hash(game)
            assert again.options == game.options
            assert again.rules == game.rules
            assert type(again) is type(game)
            assert again.initial_state() == game.initial_state()
    different = {repr(game) for game in GAMES[name]}
    assert len(set(GAMES[name])) == len(different) > 1
    assert all(game != name for game in GAMES[name])


@by_game
def test_states_copy_compare_and_pickle(name):
    @SETTINGS
    @given(states(name), seeds)
    def check(state, seed):
        for again in (
            copy.copy(state),
            copy.deepcopy(state),
            pickle.loads(pickle.dumps(state)),
            pickle.loads(pickle.dumps(state, protocol=2)),
        ):
            assert again == state
            assert hash(again) == hash(state)
            assert again.ply == state.ply
            assert described(again) == described(state)
            if not state.is_terminal:
                action = choose(random.Random(seed), state)
                assert described(again.apply(action)) == described(state.apply(action))
        assert state != state.to_text()

    check()


@by_game
def test_equal_states_have_equal_futures(name):
    @SETTINGS
    @given(states(name), seeds)
    def check(state, seed):
        for again, action in walk(random.Random(seed), state, 4):
            state = again.apply(action)  # its ply is not 0 now
        again = state.game.state_from_text(state.to_text())
        assert again.ply == 0
        rng = random.Random(seed)
        for reached, action in walk(rng, state, 30):
            assert again == reached
            assert hash(again) == hash(reached)
            assert again.legal_actions() == reached.legal_actions()
            again = again.apply(action)
            assert again == reached.apply(action)
            assert again.points == reached.apply(action).points
            assert again.win_kind == reached.apply(action).win_kind

    check()


@by_game
def test_states_that_differ_are_unequal(name):
    game = ma.make(name)
    state = game.initial_state()
    others = [state.apply(action) for action in state.legal_actions()]
    assert len({state, *others}) == 1 + len(others)
    board = state.board
    assert game.state(board, 0) != game.state(board, 1)
    board[0, 0] += 1
    assert game.state(board) != game.state(state.board)
    other_game = next(game for game in GAMES[name] if game.num_actions == state.game.num_actions)
    if other_game != game:
        assert other_game.initial_state() != state


def test_flags_that_still_matter_tell_states_apart():
    omweso = ma.make("omweso")
    board = omweso.initial_state().board
    later, first = omweso.state(board), omweso.state(board, moved=(0, 1))
    assert later != first
    assert omweso.state(board, capturers=(0, 0)) != later
    assert omweso.state(board, capturers=(0, 1)) == later  # who it was matters for akakyala only
    agreed = ma.make("omweso", akakyala=True)
    assert agreed.state(board, capturers=(0, 1)) != agreed.state(board)
    kept = ma.make("katro", direction="kept")
    board = kept.initial_state().board
    assert kept.state(board, directions=(1, 0)) != kept.state(board)
    either = ma.make("katro", direction="either")
    assert either.state(board, directions=(1, 0)) == either.state(board)
    gore = ma.make("gore")
    board = gore.initial_state().board
    assert gore.state(board, declined=(1, 0)) != gore.state(board)
    assert gore.state(board, owner=(0, 0, 0, 1, 1, 1, 1, 1)) != gore.state(board)
    assert gore.state(board, captured=(6, 0)) != gore.state(board)
    oware = ma.make("oware", repetition="split_rows")
    state = oware.initial_state().apply(0)
    assert state != oware.state(state.board, 1)
    seen = state.fields["seen"]
    assert state == oware.state(state.board, 1, seen=seen)


@by_game
def test_all_seeds_in_one_pit(name):
    rng = random.Random(name)
    for game in GAMES[name]:
        pits = game.rows * game.columns
        for pit in rng.sample(range(pits), min(pits, 3)):
            for player in (0, 1):
                for hand in (1, 2, pits, 2 * pits, 128, MOST_SEEDS - 1, MOST_SEEDS):
                    if name == "hoyito_iii" and hand <= 4:
                        continue
                    board = np.zeros((2, pits), int)
                    board[player, pit] = hand
                    state = game.state(board, player)
                    assert seeds_of(state) == hand
                    for action in state.legal_actions():
                        after = state.apply(action)
                        assert seeds_of(after) == hand
                        laps = state.trace(action)
                        assert all(1 <= lap.hand <= hand for lap in laps)
                        assert (name, hand) == ("omweso", 3) or laps[:1] != [] or action > pits


@by_game
def test_points_and_returns(name):
    kinds = set()

    @settings(SETTINGS, max_examples=120)
    @given(states(name), seeds)
    def check(state, seed):
        for reached, action in walk(random.Random(seed), state, 200):
            assert reached.points == reached.returns == (0.0, 0.0)
            assert reached.win_kind is None
            assert not reached.annulled
            state = reached.apply(action)
        points, returns = state.points, state.returns
        assert all(type(value) is float for value in (*points, *returns))
        kinds.add(state.win_kind)
        if state.win_kind in (None, "annulled"):
            assert points == returns == (0.0, 0.0)
            assert state.annulled == (state.phase == "annulled") == (state.win_kind is not None)
        elif state.win_kind == "draw":
            assert points == (0.5, 0.5)
            assert returns == (0.0, 0.0)
            assert state.captured[0] == state.captured[1]
        else:
            assert sorted(points) == [0.0, WIN_KINDS[name][state.win_kind]]
            assert returns == ((1.0, -1.0) if points[0] > points[1] else (-1.0, 1.0))
            if name not in ("tsoro", "omweso", "katro"):
                assert (state.captured[0] > state.captured[1]) == (points[0] > 0)
        assert state.is_terminal == (state.phase in ("over", "annulled"))
        assert str(returns[0]) != "-0.0"
        assert str(returns[1]) != "-0.0"

    check()
    assert len(kinds) > 1


# Random games -----------------------------------------------------------------


def lists(results):
    return [column.tolist() for column in results]


@by_game
def test_random_games_are_the_same_on_any_threads_and_in_pieces(name):
    differ = 0
    for game in GAMES[name][:5]:
        whole = game.random_games(50, seed=11, max_plies=120)
        assert [len(column) for column in whole] == [50] * 4
        assert whole.points.shape == (50, 2)
        for threads in (1, 2, 3, 0):
            again = game.random_games(50, seed=11, threads=threads, max_plies=120)
            assert lists(again) == lists(whole)
        pieces = [
            game.random_games(n, seed=11, start=start, max_plies=120)
            for start, n in ((0, 1), (1, 30), (31, 0), (31, 19))
        ]
        joined = [np.concatenate(columns).tolist() for columns in zip(*pieces, strict=True)]
        assert joined == lists(whole)
        differ += lists(game.random_games(50, seed=12, max_plies=120)) != lists(whole)
    assert differ


@by_game
def test_random_games_are_games(name):
    """Random games, played again decision by decision through states from the same numbers."""
    ends = {"decided": 0, "annulled": 0, "truncated": 0}
    rng = random.Random(name)
    for game, max_plies in itertools.product(GAMES[name], (1, 7, 400)):
        seed, start = rng.choice((0, -1, 2**63, rng.getrandbits(64))), rng.choice((0, 7, 10**6))
        played = game.random_games(3, seed=seed, start=start, max_plies=max_plies)
        for i in range(3):
            state, plies = replayed(game, seed, start + i, max_plies)
            assert plies == played.plies[i]
            assert list(state.points) == played.points[i].tolist()
            assert state.annulled == played.annulled[i]
            assert (not state.is_terminal) == played.truncated[i]
            if played.truncated[i]:
                assert plies == max_plies
            kind = "annulled" if state.annulled else "decided" if state.is_terminal else "truncated"
            ends[kind] += 1
    assert ends["decided"] > 4
    assert ends["truncated"] > 4
    assert (ends["annulled"] > 0) == (name in RELAY_GAMES)


def replayed(game, seed, number, max_plies):
    """Game ``number`` of a seed, by the definitions in ``rng.py`` run as Python."""
    python = getattr(numbers.stream, "py_func", numbers.stream)
    stream = python(seed - 2**64 if seed >= 2**63 else seed, number)
    state = game.initial_state()
    if game.options.get("setup") == "random":
        arranging = ma.make("omweso", setup="arrange").initial_state()
        while arranging.phase == "arrange":
            stream, arranging = drawn(stream, arranging)
        state = game.state(arranging.board, moved=(0, 0), capturers=(0, 0))
    plies = 0
    while not state.is_terminal and plies < max_plies:
        stream, state = drawn(stream, state)
        plies += 1
    return state, plies


def drawn(stream, state):
    actions = state.legal_actions()
    if state.game.name == "gore" and state.phase == "sow":
        actions = [action for action in actions if action < 8]  # rollouts never offer
    action = actions[numbers.draw_below(stream, len(actions))]
    return numbers.advance(stream), state.apply(action)


def test_random_setups_are_drawn_from_the_seed():
    game = ma.make("omweso", setup="random")
    boards = [game.initial_state(seed=seed).board for seed in range(40)]
    for board in boards:
        assert board.sum(axis=1).tolist() == [32, 32]
        assert board.max() <= 10
    assert len({str(board) for board in boards}) == 40
    assert (game.initial_state(seed=3).board == boards[3]).all()
    assert (game.initial_state().board == boards[0]).all()
    state = game.initial_state(seed=5)
    assert state.fields["moved"] == state.fields["capturers"] == (0, 0)
    assert state.phase == "sow"


def test_given_setups():
    halves = [[32] + [0] * 15, [2] * 16]
    by_option = ma.make("omweso", setup=halves)
    state = by_option.initial_state()
    assert state.board.tolist() == halves
    assert state.fields["moved"] == state.fields["capturers"] == (0, 0)
    plain = ma.make("omweso")
    by_argument = plain.initial_state(setup=np.array(halves))
    assert by_argument.board.tolist() == halves
    assert by_argument.game == plain
    assert described(by_argument) == described(state)
    arranged = ma.make("omweso", setup="arrange").initial_state()
    assert arranged.phase == "arrange"
    assert arranged.in_hand == 64
    for row in halves:
        for pit, count in enumerate(row[::-1]):
            for _ in range(min(count, 10)):
                arranged = arranged.apply(15 - pit)
        while arranged.player == 0 and row is halves[0]:  # a pit takes at most ten
            arranged = arranged.apply(arranged.legal_actions()[-1])
    assert arranged.phase == "sow"
    assert arranged.board.tolist() == [[10] + [0] * 12 + [2, 10, 10], halves[1]]
    assert arranged.player == 0


def test_filled_rounds_of_hoyito():
    game = ma.make("hoyito_iii")
    state = game.initial_state(captured=(39, 9))
    assert state.board.tolist() == [[4] * 6, [4, 4, 0, 0, 0, 0]]
    assert state.captured.tolist() == [15, 1]
    assert state.fields["in_play"] == (6, 2)
    for reached, action in walk(random.Random(1), state, 200):
        state = reached.apply(action)
        assert not state.board[1, 2:].any()
    assert state.is_terminal
    assert state.captured.sum() == 48
    assert game.initial_state(captured=(24, 24)) == game.initial_state()
