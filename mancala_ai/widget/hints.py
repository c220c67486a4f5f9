"""What an agent would play, and what it thinks of every move.

Read first: ``../../agents/agent.py``, ``../cli/analyse.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..agents.agent import Agent, Info, natural_objective
from ..cli.analyse import after_forced_moves, exact_value, passed_back
from ..cli.display import finding
from ..state import State

SECONDS = 1.0  # to think of the position, and as long of the positions after all moves


@dataclass(frozen=True)
class Hint:
    """What an agent says of a position.

    Attributes
    ----------
    action : int
        What it would play.
    finding : str
        What it found, in words; empty if it looked at nothing.
    objective : str
        What values count: ``"margin"``, seeds to be won from here to the end, own less the
        opponent's; or ``"win"``, the expected result from 0 to 1.
    values : dict of int to float
        What each legal action is worth to the mover, as the agent judges the positions that
        they lead to; empty if it gives no values.
    shares : dict of int to float
        The part of its visits, or of its policy, that each action had; empty if it has neither.
    """

    action: int
    finding: str
    objective: str
    values: Mapping[int, float]
    shares: Mapping[int, float]


def ask(agent: Agent, state: State) -> Hint:
    """An agent's opinion of a position.

    Raises ArgumentError if the game is finished, AgentError if the agent fails.
    """
    action = agent.act(state, SECONDS)
    info = agent.last_info
    objective = info.get("objective", natural_objective(state.game, None))
    values = _values(agent, state, objective) if "value" in info else {}
    if values:
        values[action] = info["value"]
    return Hint(action, finding(state, info), objective, values, _shares(info))


def _values(agent: Agent, state: State, objective: str) -> dict[int, float]:
    """What the positions after each move are worth; none if the agent says it of some only."""
    actions, values = state.legal_actions(), {}
    for action in actions:
        after, _ = after_forced_moves(state, action)
        if after.is_terminal:
            values[action] = exact_value(state, after, objective)
            continue
        agent.act(after, SECONDS / len(actions))
        if "value" not in agent.last_info:
            return {}
        values[action] = passed_back(state, after, agent.last_info["value"], objective)
    return values


def _shares(info: Info) -> dict[int, float]:
    counts: Mapping[int, float] = info.get("policy") or info.get("visit_counts") or {}
    total = sum(counts.values())
    return {action: count / total for action, count in counts.items()} if total else {}
