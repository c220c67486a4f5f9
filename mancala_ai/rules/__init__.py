"""The rules, one file a game. Read first: ``kalah.py``, the simplest."""
