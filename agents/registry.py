"""The agents by name. A new agent is one class and one row here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mancala_ai.errors import UnknownAgentError, shown
from mancala_ai.fields import Option, parse_options

from .agent import Agent

_CLASSES = {
    "random": "simple.RandomAgent",
    "first": "simple.FirstAgent",
    "greedy": "simple.GreedyAgent",
    "alphabeta": "alphabeta.AlphaBetaAgent",
    "mcts": "mcts.MCTSAgent",
    "human": "human.HumanAgent",
    "process": "process.ProcessAgent",
    "policy": "policy.PolicyAgent",
}


def agent_names() -> tuple[str, ...]:
    """The names that :func:`make_agent` knows."""
    return tuple(_CLASSES)


def make_agent(spec: str, seed: int = 0, **options: Any) -> Agent:
    """An agent with its options.

    Parameters
    ----------
    spec : str
        A name of :func:`agent_names`, or a name with options: ``"alphabeta:depth=8"``,
        ``"mcts:num_simulations=800,c=1.4"``.
    seed : int
        Of all that the agent draws.
    **options
        Options as keyword arguments; they win over those in ``spec``.

    Raises
    ------
    UnknownAgentError, OptionError, ArgumentError
        Naming what was given and what is allowed.
    """
    name, _, listed = spec.partition(":") if isinstance(spec, str) else (spec, "", "")
    agent_class = _agent_class(name)
    return agent_class(seed, **{**parse_options(name, agent_class.OPTIONS, listed), **options})


def agent_options(name: str) -> tuple[Option, ...]:
    """The options of an agent: their names, defaults and allowed values."""
    return _agent_class(name).OPTIONS


def _agent_class(name: Any) -> type[Agent]:
    if not isinstance(name, str) or name not in _CLASSES:
        raise UnknownAgentError(
            f"unknown agent {shown(name)}; the agents are: {', '.join(_CLASSES)}"
        )
    module, _, class_name = _CLASSES[name].partition(".")
    found: type[Agent] = getattr(import_module(f".{module}", __package__), class_name)
    return found
