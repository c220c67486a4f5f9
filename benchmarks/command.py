"""The command line that all benchmarks have: one line of help, the parameters, no more."""

from __future__ import annotations

from cyclopts import App


def command(name: str, doc: str) -> App:
    """The app of a benchmark; ``doc`` is the docstring of its module."""
    return App(
        name=f"python -m mancala_ai.benchmarks.{name}",
        help=doc.partition("\n")[0],
        help_format="plaintext",
        version_flags=(),
    )
