"""Agents: players for every game, made by name.

    >>> from mancala_ai.agents import make_agent
    >>> agent = make_agent("alphabeta:depth=8")
    >>> action = agent.act(state)
    >>> agent.last_info["value"]

Read next: ``agent.py`` (what an agent is), ``registry.py`` (their names).
"""

from __future__ import annotations

from .agent import Agent, Info
from .registry import agent_names, make_agent

__all__ = ["Agent", "Info", "agent_names", "make_agent"]
