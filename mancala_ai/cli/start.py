"""``mancala`` alone: what can be done next, in a few lines.

Read next: ``__init__.py``.
"""

from __future__ import annotations

STEPS = {
    "mancala play kalah": "a game against the computer",
    "mancala games": "the games and their options",
    "mancala analyse oware": "what each move does and is worth",
    "mancala tournament kalah --agents greedy mcts": "agents, rated",
    "mancala train kalah --out FOLDER": "an agent that learns by itself",
    "mancala bench": "how fast this machine is at it",
}


def start() -> None:
    """Say what can be done next."""
    import mancala_ai

    print("Mancala games, with exact rules and played fast:")
    print(" ", ", ".join(mancala_ai.games()))
    print()
    for command, meaning in STEPS.items():
        if len(command) < 26:
            print(f"  {command:26}{meaning}")
        else:
            print(f"  {command}\n  {'':26}{meaning}")
    print()
    print("mancala COMMAND --help says more of each; mancala --help")
    print("lists them all, --install-completion lets TAB complete.")
    print("In Python: import mancala_ai; help(mancala_ai)")
