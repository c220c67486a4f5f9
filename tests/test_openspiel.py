"""Kalah and Oware move by move against OpenSpiel, another program's rules.

Skipped where OpenSpiel (PyPI ``open-spiel``) is not installed. Compared with 2.0.2;
where it differs from our rules:

**"mancala"** is Kalah 6(4) without ``empty_capture``, and has no options.
Its final board keeps the seeds that our ``captured`` counts for the owner of the row; so a final
``captured[p]`` equals its store and row of player p. Its current player means nothing
once the game is over. Its actions number the board: pit a of player 0 is a + 1, of player 1 a + 8.

**"oware"** is Oware with ``grand_slam="no_capture"`` and ``repetition="split_rows"``; it
has no "illegal_unless_forced". On more than half of the seeds it gives the seeds left to the owners
of the rows, while ours leaves them on the board; so ``captured[p] + board[p].sum()`` is
compared at the end. With ``repetition="none"`` ours goes on where it has ended, and the
comparison stops there. (Its limit of 1000 moves is far away: games with the rule of
repetition are shorter.)
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import mancala_ai as ma

pyspiel = pytest.importorskip("pyspiel")


def mancala_numbers(theirs):
    """Board and stores of OpenSpiel's "mancala", in our order."""
    numbers = np.array(theirs.observation_tensor(0)[:14]).astype(int)
    return np.array([numbers[1:7], numbers[8:14]]), numbers[[7, 0]]


@pytest.mark.parametrize("seed", range(5))
def test_kalah(seed):
    chance = random.Random(seed)
    game = ma.make("kalah")
    for _ in range(100):
        ours, theirs = game.initial_state(), pyspiel.load_game("mancala").new_initial_state()
        while not theirs.is_terminal():
            board, stores = mancala_numbers(theirs)
            assert not ours.is_terminal
            assert theirs.current_player() == ours.player
            assert board.tolist() == ours.board.tolist()
            assert stores.tolist() == ours.captured.tolist()
            first = 1 if ours.player == 0 else 8
            assert theirs.legal_actions() == [first + a for a in ours.legal_actions()]
            action = chance.choice(ours.legal_actions())
            ours = ours.apply(action)
            theirs.apply_action(first + action)
        board, stores = mancala_numbers(theirs)
        assert ours.is_terminal
        assert ours.captured.tolist() == (stores + board.sum(axis=1)).tolist()
        assert list(ours.returns) == theirs.returns()


def oware_numbers(theirs, columns, seeds):
    """Board and scores of OpenSpiel's "oware", in our order."""
    shares = np.array(theirs.observation_tensor(0)) * (2 * columns * seeds)
    numbers = np.rint(shares).astype(int)
    return numbers[: 2 * columns].reshape(2, columns), numbers[2 * columns :]


def play_oware(spec, games, seed):
    """Compare games; returns how many ended there and went on here, and the moves made."""
    chance = random.Random(seed)
    game = ma.make(spec)
    columns, seeds = game.columns, game.options["seeds"]
    options = {"num_houses_per_player": columns, "num_seeds_per_house": seeds}
    opened = pyspiel.load_game("oware", options)
    went_on = moves = 0
    for _ in range(games):
        ours, theirs = game.initial_state(), opened.new_initial_state()
        while not theirs.is_terminal():
            board, scores = oware_numbers(theirs, columns, seeds)
            assert not ours.is_terminal
            assert theirs.current_player() == ours.player
            assert board.tolist() == ours.board.tolist()
            assert scores.tolist() == ours.captured.tolist()
            assert theirs.legal_actions() == ours.legal_actions()
            action = chance.choice(ours.legal_actions())
            ours = ours.apply(action)
            theirs.apply_action(action)
            moves += 1
        if not ours.is_terminal:
            went_on += 1
            continue
        board, scores = oware_numbers(theirs, columns, seeds)
        assert (ours.captured + ours.board.sum(axis=1)).tolist() == scores.tolist()
        assert board.sum() == 0
        assert list(ours.returns) == theirs.returns()
    return went_on, moves


@pytest.mark.parametrize("seed", range(5))
def test_oware(seed):
    went_on, moves = play_oware("oware:repetition=split_rows", 100, seed)
    assert went_on == 0
    assert moves > 100 * 60


def test_oware_without_a_rule_for_repetition():
    went_on, _ = play_oware("oware:columns=3,seeds=2", 300, 5)
    assert 0 < went_on < 300


@pytest.mark.parametrize("size", ["columns=2,seeds=3", "columns=4,seeds=5", "columns=5,seeds=2"])
def test_oware_of_other_sizes(size):
    went_on, _ = play_oware(f"oware:repetition=split_rows,{size}", 60, 6)
    assert went_on == 0
