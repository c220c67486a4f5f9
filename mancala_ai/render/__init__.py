"""Boards for people. Read next: ``text.py``."""
