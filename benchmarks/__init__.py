"""Measurements that print their figures, installed as ``mancala_ai.benchmarks``.

===================  ======================================================
``throughput``       games a second: what ``mancala bench`` measures
``yardstick``        the same games played by a C program, run in between
``peers``            other libraries beside this one: ``mancala bench --peers``
``agents``           agents against each other, a cross table a game
``threads``          two threads against one
``batch``            many games at once, beside a C program and Pgx
``startup``          import, first game, cached start, read-only installation
``omweso_ring``      an Omweso sowing that repeats after 987,337,152 laps
``machine``          what the figures are measured on
===================  ======================================================

The ones with a command are run as ``python -m mancala_ai.benchmarks.NAME``
(``--help`` says what it takes). Read next: ``throughput.py``.
"""


class BenchmarkError(ValueError):
    """A measurement that cannot be made; its text is one line for the user."""
