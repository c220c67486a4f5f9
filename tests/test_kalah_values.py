"""Kalah's published values: the first player's margin at perfect play, on small boards.

Solved here by the plainest exhaustive search over the library's states; larger
boards need a real search. The numbers are those of Irving, Donkers and Uiterwijk,
"Solving Kalah" (2000), for ``empty_capture=True``, and of the rules sheet for False.
"""

import pytest

import mancala_ai as ma

VALUES = {  # (empty_capture, columns): the margins for 1, 2, ... seeds a pit
    (True, 1): (0, -2, 6, -2, 2, 0),
    (True, 2): (2, -2, -2, -12, 6, 8),
    (True, 3): (0, 4),
    (True, 4): (2,),
    (True, 5): (0,),
    (False, 2): (2, -2, -2, -10, 6, 8),
    (False, 3): (0, 4),
    (False, 4): (2,),
}


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


@pytest.mark.parametrize(
    ("empty_capture", "columns", "seeds", "margin"),
    [(*rules, n, margin) for rules, row in VALUES.items() for n, margin in enumerate(row, 1)],
)
def test_margin_at_perfect_play(empty_capture, columns, seeds, margin):
    game = ma.make("kalah", columns=columns, seeds=seeds, empty_capture=empty_capture)
    assert margin_to_come(game.initial_state(), {}) == margin
