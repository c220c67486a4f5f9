"""This library beside others, in one run and on the same work: ``mancala bench --peers``.

===========  ==========================================================================
``worker``   what each program can play; runs by itself, with any interpreter
``running``  who is installed where; all of them in turns
``report``   the figures as JSON, tables and a plot
===========  ==========================================================================

Read next: ``worker.py``.
"""
