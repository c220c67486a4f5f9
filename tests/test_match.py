"""Matches: several games for one result, compared with slow twins and with the rules sheet."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
from reference.match import HoyitoMatch, OmwesoMatch

import mancala_ai as ma
from mancala_ai.match import GameResult, Match, match_options


def beginning(spec, first=0, terms="", **options):
    """A match whose first game is begun by a given player."""
    for seed in range(100):
        match = ma.make_match(spec, terms, seed=seed, **options)
        if match.seats[0] == first:
            return match
    raise AssertionError("always the same player begins")


def won(match, winner, kind="bulijo"):
    """An Omweso match after a game won by a player."""
    game = match.next_game().state.game
    loser = match.seats.index(1 - winner)
    board = [[1] * 16] * 2
    board = [[0] * 16 if kind == "akawumbi" and seat == loser else board[seat] for seat in (0, 1)]
    numbers = {"akawumbi": 1, "okutema": 2, "akakyala": 3, "bulijo": 4}
    return match.after(game.state(board, loser, phase="over", kind=numbers[kind]))


def annulled(match):
    """A match of Omweso or Hoyito III after an annulled game."""
    start = match.next_game().state
    fields = {"in_play": start.fields["in_play"]} if start.game.name == "hoyito_iii" else {}
    captured = start.captured.tolist()
    return match.after(start.game.state(start.board, 0, captured, phase="annulled", **fields))


def shared_out(match, first, second):
    """A match of Hoyito III after a round in which the players got so many seeds."""
    start = match.next_game().state
    captured = (first, second) if match.seats[0] == 0 else (second, first)
    empty = np.zeros_like(start.board)
    fields = {"in_play": start.fields["in_play"]}
    return match.after(start.game.state(empty, 1, captured, phase="over", **fields))


def counted(spec, *points, **options):
    """A match after games that gave these points to players 0 and 1."""
    match = beginning(spec, **options)
    names = {1: "1-0:seeds", 0: "0-1:seeds", 0.5: "0.5-0.5:draw", None: "0-0:annulled"}
    return Match.from_text(" ".join([match.to_text(), *(names[point] for point in points)]))


# Twins ------------------------------------------------------------------------


def test_omweso_is_that_of_the_twin():
    rng = random.Random(1)
    kinds = ["bulijo", "bulijo", "okutema", "akakyala", "akawumbi"]
    seen = set()
    for _ in range(30):
        match = ma.make_match("omweso:akakyala=True", seed=rng.getrandbits(64), max_annulled=50)
        twin = OmwesoMatch(match.seats[0])
        weights = [5, 5, 3, 3, rng.choice([0, 1])]
        while not twin.over:
            assert not match.is_over
            assert match.winner is None
            assert match.seats == (twin.south, 1 - twin.south)
            if rng.random() < 0.2:
                match = annulled(match)
                twin.play(None)
                continue
            (kind,) = rng.choices(kinds, weights)
            winner = rng.randrange(2)
            twin.play(match.seats.index(winner), kind)
            match = won(match, winner, kind)
            assert match.score == tuple(twin.score)
        assert match.is_over
        assert match.winner == twin.winner
        seen.add((match.winner, max(match.score)))
    assert {winner for winner, _ in seen} == {0, 1}
    assert {points for _, points in seen} >= {12, 13}


def test_hoyito_is_that_of_the_twin():
    rng = random.Random(2)
    endings = set()
    for _ in range(100):
        columns, rounds = rng.randint(2, 8), rng.randint(1, 7)
        fill_pits = rng.random() < 0.7
        match = ma.make_match(
            ma.make("hoyito_iii", columns=columns), seed=rng.getrandbits(64), rounds=rounds,
            fill_pits=fill_pits, max_annulled=50,
        )  # fmt: skip
        twin = HoyitoMatch(match.seats[0], rounds, fill_pits, columns)
        heirs = []
        while not twin.over:
            assert not match.is_over
            state, seats = match.next_game()
            assert seats == (twin.south, 1 - twin.south)
            board, captured = twin.start()
            assert state.board.tolist() == board
            assert state.captured.tolist() == captured
            assert state.fields["in_play"] == tuple(row.count(4) for row in board)
            assert state.game.options["last_four"] == twin.last_four
            heirs.append(twin.last_four)
            if rng.random() < 0.2:
                match = annulled(match)
                twin.play(None)
                continue
            half = 4 * columns
            south = half if rng.random() < 0.3 else rng.randint(0, 2 * half)
            by_seat = (south, 2 * half - south)
            twin.play(by_seat)
            match = shared_out(match, by_seat[seats[0]], by_seat[seats[1]])
        assert match.is_over
        assert match.winner == twin.winner
        draws = twin.winners.count(None) / 2
        assert match.score == tuple(rounds_won + draws for rounds_won in twin.won)
        endings.add((match.winner, len(match.results) < rounds))
        endings |= set(heirs)
    assert endings == {
        "capturer", "player_0", "player_1", *((w, short) for w in (0, 1, None) for short in (0, 1)),
    }  # fmt: skip


# The rules sheet, by hand -----------------------------------------------------


def test_omweso_goes_to_12_points_and_the_first_move_alternates():
    match = beginning("omweso:akakyala=True", first=1)
    for winner, kind, score in [
        (0, "okutema", (2, 0)),
        (1, "bulijo", (2, 1)),
        (1, "akakyala", (2, 3)),
        (1, "okutema", (2, 5)),
        (1, "okutema", (2, 7)),
        (1, "okutema", (2, 9)),
        (1, "okutema", (2, 11)),
    ]:
        match = won(match, winner, kind)
        assert match.score == score
        assert (match.is_over, match.winner) == (False, None)
    assert [result.seats[0] for result in match.history] == [1, 0, 1, 0, 1, 0, 1]
    match = won(match, 1, "okutema")
    assert (match.is_over, match.winner, match.score) == (True, 1, (2, 13))
    assert won(beginning("omweso"), 0, "akawumbi").winner == 0


def test_an_annulled_game_is_played_again():
    for spec in ("omweso", "hoyito_iii"):
        match = annulled(beginning(spec))
        assert match.seats == (0, 1)
        assert match.score == (0, 0)
        assert match.history == (GameResult((0, 1), (0, 0), "annulled"),)
        assert match.results == ()


def test_modes_of_omweso():
    for mode, seconds, undo in [
        ("untimed", None, True),
        ("contract", None, False),
        ("blitz", 3, True),
    ]:
        match = ma.make_match("omweso", mode=mode)
        assert (match.seconds_per_turn, match.allows_undo) == (seconds, undo)
    match = ma.make_match("kalah")
    assert (match.seconds_per_turn, match.allows_undo) == (None, True)


def test_last_four_of_hoyito_go_to_the_last_winner_from_round_three_on():
    match = beginning("hoyito_iii", rounds=7)
    last_four = []
    for seeds in [(28, 20), (20, 28), (24, 24), (24, 24), (30, 18), (20, 28), (24, 24)]:
        last_four.append(match.next_game().state.game.options["last_four"])
        match = shared_out(match, *seeds)
    # player 1 wins round two, sits South (player_0) in even rounds; player 0 wins round five
    capturer, south, north = "capturer", "player_0", "player_1"
    assert last_four == [capturer, capturer, north, south, north, north, north]
    assert (match.score, match.winner, match.is_over) == ((3.5, 3.5), None, True)


def test_last_four_of_hoyito_stay_with_the_capturer_while_nobody_won():
    match = beginning("hoyito_iii")
    for _ in range(4):
        match = shared_out(match, 24, 24)
    assert match.next_game().state.game.options["last_four"] == "capturer"


def test_pits_of_hoyito_are_filled_with_captured_seeds():
    match = shared_out(beginning("hoyito_iii", fill_pits=True), 30, 18)
    state, seats = match.next_game()
    assert seats == (1, 0)
    assert state.board.tolist() == [[4, 4, 4, 4, 0, 0], [4] * 6]
    assert state.captured.tolist() == [2, 6]
    assert state.fields["in_play"] == (4, 6)
    assert annulled(match).next_game() == match.next_game()  # played again as it was
    match = shared_out(match, 44, 4)
    assert match.next_game().state.board.tolist() == [[4] * 6, [4, 0, 0, 0, 0, 0]]
    assert not match.is_over
    match = shared_out(match, 45, 3)  # player 1 cannot fill one pit
    assert (match.is_over, match.winner, match.score) == (True, 0, (3, 0))


def test_rounds_of_hoyito_are_all_played_and_without_filling_start_alike():
    match = beginning("hoyito_iii", rounds=5)
    for _ in range(5):
        assert not match.is_over
        assert match.next_game().state.board.tolist() == [[4] * 6] * 2
        match = shared_out(match, 48, 0)
    assert (match.is_over, match.score) == (True, (5, 0))


@pytest.mark.parametrize(
    ("games", "points", "over", "winner"),
    [
        (3, [1], False, None),
        (3, [1, 1], True, 0),
        (3, [1, 0], False, None),
        (3, [1, 0, 0], True, 1),
        (3, [0.5, 1], False, None),
        (3, [0.5, 0.5, 1], True, 0),
        (3, [0.5, 0.5, 0.5], True, None),
        (3, [1, None, 0.5], False, None),
        (3, [1, None, 0.5, None, 0.5], True, 0),
        (4, [1, 1], False, None),
        (4, [1, 1, 0.5], True, 0),
        (4, [1, 1, 0, 0], True, None),
        (1, [0], True, 1),
        (1, [0.5], True, None),
    ],
)
def test_the_best_of_n(games, points, over, winner):
    match = counted("kalah", *points, games=games)
    assert (match.is_over, match.winner) == (over, winner)
    assert match.score[0] == sum(point or 0 for point in points)
    starters = [match.history[0].seats[0]]
    for result in match.history[:-1]:
        starters.append(starters[-1] if result.kind == "annulled" else 1 - starters[-1])
    assert [result.seats[0] for result in match.history] == starters


# What is not decided on the board ---------------------------------------------


def test_a_match_without_results_is_abandoned():
    match = beginning("omweso", max_annulled=3)
    match = annulled(annulled(match))
    assert not match.is_over
    match = annulled(annulled(won(match, 0)))
    assert not match.is_over
    match = annulled(match)
    assert match.is_over
    assert match.abandoned
    assert match.winner is None
    assert match.score == (1, 0)
    assert not ma.make_match("omweso").abandoned
    with pytest.raises(ma.MatchError, match="over after 6 games"):
        match.next_game()


def test_a_game_that_is_too_long_is_played_again():
    match = beginning("kalah", max_plies=3)
    state = match.next_game().state
    for _ in range(2):
        state = state.apply(state.legal_actions()[-1])
        assert not match.ends_with(state)
        with pytest.raises(ma.MatchError, match=r"not finished after \d decisions"):
            match.after(state)
    state = state.apply(state.legal_actions()[0])
    assert match.ends_with(state)
    after = match.after(state)
    assert after.history[0].kind == "truncated"
    assert (after.score, after.seats, after.is_over) == ((0, 0), match.seats, False)


def test_who_forfeits_loses_by_the_least_win():
    for first in (0, 1):
        match = beginning("omweso", first=first)
        state = match.next_game().state
        assert match.after(state, forfeit=0).score == (0, 1)
        assert match.after(state, forfeit=1).score == (1, 0)
        assert match.after(state, forfeit=1).seats == (1 - first, first)
        assert match.after(state, forfeit=np.int64(1)).history[0].kind == "forfeit"
    lost = ma.make("kalah").state([[0] * 6] * 2, captured=(40, 8), phase="over")
    match = beginning("kalah")
    assert match.after(lost).score == (1, 0)
    assert match.after(lost, forfeit=0).score == (0, 1)


@pytest.mark.parametrize("first", [0, 1])
def test_who_forfeits_a_round_keeps_his_row(first):
    match = beginning("hoyito_iii", first=first, fill_pits=True)
    game = match.next_game().state.game
    state = game.state([[4, 4, 4, 4, 4, 1], [4, 4, 3, 0, 0, 0]], 0, (4, 12))
    after = match.after(state, forfeit=first)  # South, with 4 + 21 seeds
    assert after.score == (float(first == 1), float(first == 0))
    assert after.history[0].captured == ((25, 23) if first == 0 else (23, 25))
    assert after.next_game().state.fields["in_play"] == (5, 6)


# Chance -----------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["omweso", "hoyito_iii", "tsoro"])
def test_the_first_move_is_drawn_from_the_seed(spec):
    firsts = [ma.make_match(spec, seed=seed).seats[0] for seed in range(400)]
    assert firsts == [ma.make_match(spec, seed=seed).seats[0] for seed in range(400)]
    assert 160 < sum(firsts) < 240


def test_random_setups_are_drawn_from_the_seed_for_each_game():
    def starts(seed):
        match = ma.make_match("omweso:setup=random", seed=seed)
        return [m.next_game().state.to_text() for m in (match, annulled(match), won(match, 0))]

    assert starts(5) == starts(5)
    first, again, second = starts(5)
    assert first != again
    assert again == second  # each is the second game
    assert not set(starts(5)) & set(starts(6))


# Values and texts -------------------------------------------------------------

SPECS = [
    ("tsoro:columns=5", {}),
    ("omweso:akakyala=True", {"mode": "blitz", "max_annulled": 2}),
    ("omweso:setup=random,max_laps=3", {"max_annulled": 4}),
    ("katro:columns=3", {"games": 4}),
    ("gore:trading=False", {}),
    ("hoyito_iii:columns=4", {"fill_pits": True, "rounds": 9}),
    ("hoyito_iii:max_laps=9", {"rounds": 4, "max_plies": 30}),
    ("kalah:seeds=3", {"games": 5}),
    ("oware", {"games": 2}),
]


@pytest.mark.parametrize(("spec", "options"), SPECS)
def test_matches_are_values(spec, options):
    rng = random.Random(spec)
    match = ma.make_match(spec, seed=rng.getrandbits(64), **options)
    seen = set()
    while not match.is_over:
        state, seats = match.next_game()
        while not match.ends_with(state):
            state = state.apply(rng.choice(state.legal_actions()))
        before, earlier = match.to_text(), hash(match)
        after = match.after(state)
        assert (match.to_text(), hash(match)) == (before, earlier)
        assert after != match
        match = after
        if not state.annulled and state.is_terminal:
            assert (match.history[-1].points[seats[0]], match.history[-1].kind) == (
                state.points[0], state.win_kind,
            )  # fmt: skip
        twins = [
            Match.from_text(match.to_text()),
            pickle.loads(pickle.dumps(match)),
            copy.copy(match),
            copy.deepcopy(match),
        ]
        for other in twins:
            assert other == match
            assert hash(other) == hash(match)
            assert other.history == match.history
            assert other.seats == match.seats
            assert type(other) is type(match)
        seen.add(match)
    assert len(seen) == len(match.history)
    assert match.to_text() in repr(match)
    with pytest.raises(ma.MatchError, match="the match is over after"):
        match.after(state)


def test_matches_differ_by_all_that_decides_them():
    texts = [
        "omweso match seed=0",
        "omweso match seed=1",
        "omweso match:mode=blitz seed=0",
        "omweso match seed=0 1-0:bulijo",
        "omweso match seed=0 1-0:forfeit",
        "omweso:akakyala=True match seed=0",
        "hoyito_iii match seed=0 1-0:seeds:30-18",
        "hoyito_iii match seed=0 1-0:seeds:31-17",
    ]
    assert len({Match.from_text(text) for text in texts}) == len(texts)
    assert [Match.from_text(text).to_text() for text in texts] == texts
    assert ma.make_match("omweso", mode="untimed") == Match.from_text(texts[0])
    assert ma.make_match(ma.make("omweso"), "mode=blitz") == Match.from_text(texts[2])
    assert ma.make_match("omweso", "mode=blitz", mode="untimed") == Match.from_text(texts[0])
    assert ma.make_match("omweso") != "omweso match seed=0"


def test_options_are_listed():
    names = {
        name: [o.name for o in match_options(ma.make(name))]
        for name in ("omweso", "hoyito_iii", "oware")
    }
    assert names == {
        "omweso": ["mode", "max_annulled", "max_plies"],
        "hoyito_iii": ["rounds", "fill_pits", "max_annulled", "max_plies"],
        "oware": ["games", "max_annulled", "max_plies"],
    }


def test_a_match_cannot_be_changed():
    match = ma.make_match("omweso")
    with pytest.raises(AttributeError):
        match.seed = 3
    with pytest.raises(TypeError):
        match.options["mode"] = "blitz"


# Wrong input ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "options", "kind", "complaint"),
    [
        ("chess", {}, ma.UnknownGameError, "unknown game 'chess'"),
        ("omweso", {"mode": "quick"}, ma.OptionError, "option mode of a match of omweso cannot be"),
        ("omweso", {"games": 3}, ma.OptionError, "a match of omweso has no option 'games'"),
        ("omweso", {"terms": "mode"}, ma.OptionError, "option 'mode' of a match of omweso is not"),
        ("kalah", {"mode": "blitz"}, ma.OptionError, "its options are: games, max_annulled"),
        ("kalah", {"games": 0}, ma.OptionError, "allowed: 1 to 9999"),
        ("hoyito_iii", {"rounds": 2.0}, ma.OptionError, "allowed: 1 to 9999"),
        ("hoyito_iii:last_four=player_0", {}, ma.OptionError, "set by the match for each round"),
        ("kalah", {"seed": 2**64}, ma.ArgumentError, "a seed is a 64-bit integer, not"),
        ("kalah", {"seed": True}, ma.ArgumentError, "a seed is a 64-bit integer, not True"),
    ],
)
def test_wrong_terms_are_refused(spec, options, kind, complaint):
    with pytest.raises(ValueError, match=complaint) as caught:
        ma.make_match(spec, **options)
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)


def test_games_that_are_not_the_next_one_are_refused():
    match = beginning("hoyito_iii")
    state = match.next_game().state
    for wrong in (None, "x", ma.make("kalah").initial_state(), np.zeros((9, 9))):
        with pytest.raises(ma.MatchError, match="the next game of the match is hoyito_iii, not"):
            match.after(wrong)
    with pytest.raises(ma.MatchError, match="not finished after 0 decisions"):
        match.after(state)
    for wrong in (2, -1, "south", True, 0.0, [0]):
        with pytest.raises(ma.ArgumentError, match="a player of the match, 0 or 1, not"):
            match.after(state, forfeit=wrong)
    later = shared_out(shared_out(match, 30, 18), 30, 18)
    plain = ma.make("hoyito_iii").state([[0] * 6] * 2, 1, (30, 18), phase="over")
    with pytest.raises(ma.MatchError, match="hoyito_iii:last_four=player_0, not <hoyito_iii 0,0"):
        later.after(plain)
    few = ma.make("hoyito_iii").state([[0] * 6] * 2, 1, (20, 18), phase="over")
    with pytest.raises(ma.MatchError, match="no game of hoyito_iii ends in '1-0:seeds:20-18'"):
        match.after(few)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "None is no match"),
        ("", "'' is no match"),
        ("omweso match", "'omweso match' is no match"),
        ("omweso seed=0 match", "a match has match:OPTIONS and seed=N, not 'seed=0 match'"),
        ("omweso match seed=x", "not 'match seed=x'"),
        ("omweso match seed=" + "9" * 5000, "not 'match seed=999"),
        ("omweso match seed=99999999999999999999", "a seed is a 64-bit integer"),
        ("chess match seed=0", "unknown game 'chess'"),
        ("kalah match:mode=blitz seed=0", "has no option 'mode'"),
        ("kalah match seed=0 1", "game 1, '1': a result is POINTS-POINTS:KIND"),
        ("kalah match seed=0 1-0", "game 1, '1-0': a result is"),
        ("kalah match seed=0 .-0:seeds", "a result is"),
        ("kalah match seed=0 1-0:seeds 2-0:seeds", "game 2, '2-0:seeds': no game of kalah ends"),
        ("kalah match seed=0 1-1:seeds", "no game of kalah ends"),
        ("kalah match seed=0 1-0:draw", "no game of kalah ends"),
        ("kalah match seed=0 1-0:annulled", "no game of kalah ends"),
        ("kalah match seed=0 1-0:seeds:24-24", "no game of kalah ends"),
        ("omweso match seed=0 3-0:okutema", "no game of omweso ends"),
        ("omweso match seed=0 0.5-0.5:draw", "no game of omweso ends"),
        ("hoyito_iii match seed=0 1-0:seeds", "no game of hoyito_iii ends"),
        ("hoyito_iii match seed=0 0-0:annulled:24-24", "no game of hoyito_iii ends"),
        ("kalah match seed=0 1-0:seeds 1-0:seeds 1-0:seeds", "game 3, '1-0:seeds': the match is"),
    ],
)
def test_texts_that_are_no_match_are_refused(text, complaint):
    with pytest.raises(ma.MancalaError) as caught:
        Match.from_text(text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
