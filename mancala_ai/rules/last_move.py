"""What the games decided by the last move share."""

from __future__ import annotations


def mover_lost(rules, state):
    """The winner where the player to move of a finished game is the one who lost."""
    return 1 - state.player
