"""A game between people and agents, as a widget of Jupyter.

Python plays, draws and finds the words; the page shows them and sends back what is asked
for. The page asks an agent's move too, once it has room to show it: two agents can be
watched, and a person may take a move back at any time.

Read next: ``view.py``, ``board.js``.
"""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path
from typing import Any

from ..agents import Agent, make_agent
from ..agents.human import HumanAgent
from ..cli.display import finding
from ..errors import ArgumentError, MancalaError, shown
from ..fields import as_int
from ..game import Game
from ..record import Record
from ..registry import make
from ..render.scene import PALETTES
from ..render.svg import palette_css
from ..render.text import NAMES
from ..state import State
from .hints import Hint, ask
from .view import film, hint_view, news, position_view, standing, told

try:
    from anywidget import AnyWidget
    from traitlets import Dict
except ImportError:
    raise ImportError('a board needs anywidget: pip install "mancala-ai[notebook]"') from None

FOLDER = Path(__file__).parent
MOST_SEEDS = 2**63  # so that those of agents and further games fit into 64 bits as well


def _styles() -> str:
    """The style sheet, with the colours of the pictures."""
    colours = (
        f'.mancala-board[data-theme="{theme}"], .mancala-board[data-theme="{theme}"] svg.mancala '
        f"{{{palette_css(theme)}}}\n"
        for theme in PALETTES
    )
    return "".join(colours) + (FOLDER / "board.css").read_text("utf-8")


class Board(AnyWidget):
    """A board on which one plays; the last line of a cell of a notebook shows it.

    Parameters
    ----------
    game : str, Game or State
        As :func:`mancala_ai.make` takes it, or the position to begin with.
    south, north : str or Agent
        Who plays: ``"human"``, or an agent as :func:`mancala_ai.agents.make_agent` takes it.
    hints : str or Agent
        Who gives hints.
    seed : int, optional
        Of the set-up, where it is random, and of the agents; a new one each time by default.

    Attributes
    ----------
    view : dict
        What the page shows (``view.py``); the one synchronized value.

    Raises
    ------
    UnknownGameError, OptionError, UnknownAgentError, ArgumentError
        Naming what was given and what is allowed; the last also if an agent cannot play the
        game, or hints are asked of a person.
    """

    _esm = FOLDER / "board.js"
    _css = _styles()
    view = Dict().tag(sync=True)
    _made: list[Agent] = []  # the agents made here, to be closed
    _comments: dict[int, str]  # of the record

    def __init__(
        self,
        game: str | Game | State,
        south: str | Agent = "human",
        north: str | Agent = "alphabeta:seconds=1",
        *,
        hints: str | Agent = "alphabeta:seconds=1",
        seed: int | None = None,
    ) -> None:
        self._start = game if isinstance(game, State) else None
        self._game = game.game if isinstance(game, State) else _game_of(game)
        self._seed = _checked(seed)
        self._made = []
        *self._seats, self._helper = (
            agent if isinstance(agent, Agent) else self._make(agent, number)
            for number, agent in enumerate((south, north, hints))
        )
        for agent in (*self._seats, self._helper):
            agent.check_game(self._game)
        if isinstance(self._helper, HumanAgent):
            raise ArgumentError("hints are given by an agent, not by human")
        self._people = {p for p, agent in enumerate(self._seats) if isinstance(agent, HumanAgent)}
        self._serial = 0  # of what is shown
        self._position = 0  # counts the positions
        self._said = ""  # of the last move
        self._begin()
        super().__init__(view=self._seen())
        self.on_msg(self._receive)

    @property
    def state(self) -> State:
        """The position now."""
        return self._states[-1]

    @property
    def record(self) -> Record:
        """The game so far."""
        south, north = (agent.spec for agent in self._seats)
        today = date.today().isoformat()
        headers = {"south": south, "north": north, "date": today, "seed": str(self._seed)}
        return Record(self._game, tuple(self._actions), headers, self._comments, self._states[0])

    def play(self, action: int | str) -> None:
        """Make the decision of the person whose turn it is.

        Parameters
        ----------
        action : int or str
            An action, or its notation.

        Raises
        ------
        IllegalActionError
            If it is not legal; nothing changes.
        ArgumentError
            If an agent decides.
        """
        state = self.state
        if not state.is_terminal and state.player not in self._people:
            name, agent = NAMES[state.player], self._seats[state.player].spec
            raise ArgumentError(f"{name} is {agent}, and decides for itself: answer()")
        self._move(state.text_to_action(action) if isinstance(action, str) else action)

    def answer(self) -> None:
        """Let the agent whose turn it is make one decision; nothing if there is none.

        Raises
        ------
        AgentError
            If the agent fails; nothing changes.
        """
        if self._thinker() is not None:
            agent = self._seats[self.state.player]
            action = agent.act(self.state)
            self._move(action, finding(self.state, agent.last_info))

    def hint(self) -> Hint:
        """What the agent that gives hints would play, and thinks of every move.

        Raises
        ------
        ArgumentError
            If the game is finished.
        AgentError
            If the agent fails.
        """
        found = ask(self._helper, self.state)
        self._show(hint=hint_view(self.state, found, self._helper.spec))
        return found

    def undo(self) -> None:
        """Go back to the last decision made by a person.

        Raises
        ------
        ArgumentError
            If there is none.
        """
        at = self._last_by_a_person()
        if at is None:
            raise ArgumentError("there is nothing to take back")
        del self._states[at + 1 :], self._actions[at:]
        self._comments = {n: text for n, text in self._comments.items() if n <= at}
        self._position += 1
        self._said = "Taken back."
        self._show()

    def new_game(self) -> None:
        """Begin again; where the set-up is random, with another one."""
        self._seed += 1
        for agent in self._seats:
            agent.reset()
        self._begin()
        self._position += 1
        self._said = "A new game."
        self._show()

    def close(self) -> None:
        """Take the board away, and close the agents that it made."""
        for agent in self._made:
            agent.close()
        super().close()

    def _make(self, spec: str, number: int) -> Agent:
        agent = make_agent(spec, seed=self._seed + number)
        self._made.append(agent)
        return agent

    def _begin(self) -> None:
        start = self._start or self._game.initial_state(self._seed)
        self._states = [start]
        self._actions: list[int] = []
        self._comments = {}

    def _move(self, action: int, comment: str = "") -> None:
        before = self.state
        after = before.apply(action)
        self._states.append(after)
        self._actions.append(action)
        if comment:
            self._comments[len(self._actions)] = comment
        # the film is sent for once, and not kept in the notebook
        self._position += 1
        self.send({"position": self._position}, buffers=[film(before, action, after)])
        self._said = told(before, action)
        self._show()

    def _thinker(self) -> str | None:
        """The agent whose turn it is, if it is an agent's."""
        state = self.state
        if state.is_terminal or state.player in self._people:
            return None
        return self._seats[state.player].spec

    def _last_by_a_person(self) -> int | None:
        """The number of the last decision that can be taken back."""
        mine = [at for at in range(len(self._actions)) if self._states[at].player in self._people]
        return mine[-1] if mine else None

    def _seen(self, error: str = "", hint: Any = None) -> dict[str, Any]:
        """What the page shows."""
        state, thinks = self.state, self._thinker()
        last = (self._states[-2], self._actions[-1]) if self._actions else None
        return position_view(state, last, thinks is None) | {
            "serial": self._serial,
            "position": self._position,
            "said": self._said,
            "status": standing(state),
            "news": news(state, thinks),
            "error": error,
            "hint": hint,
            "thinking": thinks is not None,
            "over": state.is_terminal,
            "undo": self._last_by_a_person() is not None,
        }

    def _show(self, error: str = "", hint: Any = None) -> None:
        self._serial += 1
        self.view = self._seen(error, hint)

    def _receive(self, widget: Any, content: Any, buffers: Any) -> None:
        """A message from a page: what is wrong with it is shown there."""
        try:
            self._obey(content)
        except MancalaError as error:
            self._show(error=str(error))
        except Exception as error:  # of an agent's own making: its traceback is of use
            self._show(error=f"{type(error).__name__}: {error}")
            raise

    def _obey(self, content: Any) -> None:
        """Do what a message says.

        Two pages may show the board, or a click may come twice: a move that was chosen on an
        older position is not the move that was meant.
        """
        message = content if isinstance(content, dict) else {}
        deeds = {
            "play": lambda: self.play(message.get("action", "")),
            "answer": self.answer,
            "hint": self.hint,
            "undo": self.undo,
            "new game": self.new_game,
        }
        deed = message.get("do")
        if not isinstance(deed, str) or deed not in deeds:
            raise ArgumentError(f"a message does one of {', '.join(deeds)}, not {shown(content)}")
        if deed in ("play", "answer") and message.get("position") != self._position:
            return
        deeds[deed]()


def _checked(seed: int | None) -> int:
    number = random.SystemRandom().getrandbits(32) if seed is None else as_int(seed)
    if number is None or not 0 <= number < MOST_SEEDS:
        raise ArgumentError(f"a seed is an integer from 0 to 2**63 - 1, not {shown(seed)}")
    return number


def _game_of(game: str | Game) -> Game:
    return game if isinstance(game, Game) else make(game)
