"""One of our agents as an engine that speaks the protocol of ``process.py``.

    python -m mancala_ai.agents.serve SPEC

reads lines from standard input and answers each on standard output. So
``process:cmd=python -m mancala_ai.agents.serve greedy`` plays as ``greedy`` does, in a
process of its own. It is the reference for engines in other languages.

Read first: ``process.py``, which says what the lines mean.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING

from cyclopts import App

from mancala_ai.cli import run
from mancala_ai.errors import ArgumentError, MancalaError, shown
from mancala_ai.registry import make

from .process import VERSION, write_info
from .registry import make_agent

if TYPE_CHECKING:
    from mancala_ai.game import Game
    from mancala_ai.state import State


class Server:
    """An agent that answers lines.

    Parameters
    ----------
    spec : str
        The agent, as :func:`~mancala_ai.agents.make_agent` takes it.
    """

    def __init__(self, spec: str) -> None:
        self.agent = make_agent(spec)
        self._game: Game | None = None
        self._state: State | None = None
        self._commands = {
            "mancala": self._mancala,
            "seed": self._seed,
            "newgame": self._newgame,
            "position": self._position,
            "go": self._go,
        }

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """The answers to lines, up to ``quit``."""
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            if word == "quit":
                return
            try:
                if word not in self._commands:
                    known = ", ".join(self._commands)
                    raise ArgumentError(f"a line begins with {known} or quit, not {shown(word)}")
                yield from self._commands[word](rest)
            except MancalaError as error:
                yield f"error {error}"

    def close(self) -> None:
        """Close the agent."""
        self.agent.close()

    def _mancala(self, version: str) -> list[str]:
        if version != str(VERSION):
            raise ArgumentError(f"the version spoken here is {VERSION}, not {shown(version)}")
        return [f"ready {self.agent.spec}"]

    def _seed(self, text: str) -> list[str]:
        try:
            seed = int(text)
        except ValueError:
            raise ArgumentError(f"a seed is a 64-bit integer, not {shown(text)}") from None
        seeded = make_agent(self.agent.spec, seed)
        self.agent.close()
        self.agent = seeded
        return ["ready"]

    def _newgame(self, spec: str) -> list[str]:
        self._game = self._state = None
        game = make(spec)
        self.agent.reset()
        self.agent.prepare(game.initial_state())
        self._game = game
        return ["ready"]

    def _position(self, text: str) -> list[str]:
        self._state = None
        if self._game is None:
            raise ArgumentError("newgame comes before position")
        self._state = self._game.state_from_text(text)
        return ["ready"]

    def _go(self, text: str) -> list[str]:
        if self._state is None:
            raise ArgumentError("position comes before go")
        action = self.agent.act(self._state, _seconds(text))
        info = write_info(self.agent.last_info)
        return [*([f"info {info}"] if info else []), f"action {action}"]


def _seconds(text: str) -> float | None:
    """The time in ``go [seconds S]``."""
    if not text:
        return None
    word, _, number = text.partition(" ")
    if word == "seconds":
        with suppress(ValueError):
            return float(number)
    raise ArgumentError(f"go is followed by nothing or by seconds S, not {shown(text)}")


app = App(
    name="python -m mancala_ai.agents.serve",
    help=__doc__.partition("\n")[0],
    help_format="plaintext",
    version_flags=(),
)


@app.default
def serve(spec: str, /) -> None:
    """Answer the lines of the engine protocol (docs/engine_protocol.md) with an agent.

    Parameters
    ----------
    spec
        The agent as NAME or NAME:option=value,...
    """
    server = Server(spec)
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    with closing(server):
        for answer in server.answers(sys.stdin):
            print(answer, flush=True)


if __name__ == "__main__":
    sys.exit(run(app))
