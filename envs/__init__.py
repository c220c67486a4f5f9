"""Environments of other libraries that play the games.

Read next: ``openspiel.py``.
"""
