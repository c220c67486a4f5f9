"""A board in a notebook, on which one plays.

    >>> from mancala_ai.widget import Board
    >>> Board("omweso", south="human", north="mcts:num_simulations=400")

It needs anywidget: ``pip install "mancala-ai[notebook]"``.

Read next: ``board.py`` (the game under way), ``view.py`` (what a page is told), ``board.js``
(which shows it, and knows no rules).
"""

from __future__ import annotations

from .board import Board
from .hints import Hint

__all__ = ["Board", "Hint"]
