"""Kalah's published values: the first player's margin at perfect play, on small boards.

The smallest are solved twice: by the plainest exhaustive search over the library's
states, and by alpha-beta. The numbers are those of Irving, Donkers and Uiterwijk,
"Solving Kalah" (2000), for ``empty_capture=True``, and of the rules sheet for False;
``benchmarks/kalah.py`` has the larger ones.
"""

import pytest

import mancala_ai as ma
from mancala_ai.agents import make_agent
from mancala_ai.benchmarks.kalah import VALUES

SMALL = [board for board in VALUES if board[1] <= 4 and board[2] <= 4]
SMALLEST = [board for board in SMALL if board[1] <= 2 or board[1] * board[2] <= 6]


def margin_to_come(state, known):
    """What the mover still gains on his opponent, both playing their best."""
    gained = state.captured[state.player] - state.captured[1 - state.player]
    key = state.board.tobytes(), state.player
    if key not in known:
        best = -1000
        for action in state.legal_actions():
            after = state.apply(action)
            mine, theirs = after.captured[state.player], after.captured[1 - state.player]
            value = mine - theirs - gained
            if not after.is_terminal:
                # the sign follows the player: he may move again
                again = after.player == state.player
                value += (1 if again else -1) * margin_to_come(after, known)
            best = max(best, value)
        known[key] = best
    return known[key]


@pytest.mark.parametrize("board", SMALLEST)
def test_exhaustive_search(board):
    empty_capture, columns, seeds = board
    game = ma.make("kalah", columns=columns, seeds=seeds, empty_capture=empty_capture)
    assert margin_to_come(game.initial_state(), {}) == VALUES[board]


@pytest.mark.parametrize("board", SMALL)
def test_alpha_beta(board):
    empty_capture, columns, seeds = board
    game = ma.make("kalah", columns=columns, seeds=seeds, empty_capture=empty_capture)
    agent = make_agent("alphabeta:solve=True")
    agent.act(game.initial_state())
    assert agent.last_info["proven"]
    assert agent.last_info["value"] == VALUES[board]
