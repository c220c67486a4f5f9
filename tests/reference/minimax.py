"""Plain minimax, for tests: no table, no order, no cut, and the sign follows who decides.

It walks over the library's states, which other tests compare with the slow twins. A
*score* is what the player to move wins from here on, less what his opponent wins, in
sixteenths of a seed (``UNIT``); by result alone, ``WIN``, 0 or ``-WIN``.
"""

from __future__ import annotations

from collections.abc import Callable

import mancala_ai as ma
from mancala_ai.dispatch import UNIT, WIN

Evaluate = Callable[[ma.State], int]


def minimax(state: ma.State, depth: int, evaluate: Evaluate, by_win: bool) -> int:
    """The score of a state, for the player to move in it.

    Parameters
    ----------
    state : State
        Any position, finished or not.
    depth : int
        Decisions to look ahead; a player who decides twice has made two.
    evaluate : callable
        The score of a live state at the horizon.
    by_win : bool
        Whether the result alone counts; an annulled game or a draw is 0. Else the captured
        seeds count, and the end of a game, however it came, brings no more of them.
    """
    if state.is_terminal:
        return int(WIN * state.returns[state.player]) if by_win else 0
    if depth == 0:
        return evaluate(state)
    return max(action_scores(state, depth, evaluate, by_win).values())


def action_scores(state: ma.State, depth: int, evaluate: Evaluate, by_win: bool) -> dict[int, int]:
    """The score of each legal action of a live state, for the player to move; depth from 1."""
    scores = {}
    for action in state.legal_actions():
        after = state.apply(action)
        score = minimax(after, depth - 1, evaluate, by_win)
        if after.player != state.player:
            score = -score
        if not by_win:
            score += UNIT * (_ahead(after, state.player) - _ahead(state, state.player))
        scores[action] = score
    return scores


def winning_actions(state: ma.State, decisions: int) -> list[int]:
    """The actions that force a win within so many decisions of both players, this one included."""
    scores = action_scores(state, decisions, lambda _: 0, by_win=True)
    return [action for action, score in scores.items() if score == WIN]


def _ahead(state: ma.State, player: int) -> int:
    """Captured seeds of a player, less the opponent's."""
    captured = state.captured.tolist()
    return captured[player] - captured[1 - player]
