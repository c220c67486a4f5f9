"""What TAB completes besides commands and options: games, agents, and the options of both.

The shell asks by running ``mancala __complete ...`` (see cyclopts), so nothing is imported
here before it is needed.

Read next: ``inputs.py``, where arguments are given these completers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

if TYPE_CHECKING:
    from mancala_ai.fields import Option

Shell = Literal["bash", "zsh", "fish", "powershell"]


def games(context: Any) -> list[str]:
    """Names of games; after ``NAME:`` its options."""
    from mancala_ai import games as names
    from mancala_ai import option_table

    return _specs(context.incomplete, names(), option_table)


def agents(context: Any) -> list[str]:
    """Names of agents; after ``NAME:`` its options."""
    from mancala_ai.agents import agent_names
    from mancala_ai.agents.registry import agent_options

    return _specs(context.incomplete, agent_names(), agent_options)


def _specs(
    incomplete: str, names: Iterable[str], options: Callable[[str], Iterable[Option]]
) -> list[str]:
    """What ``NAME:option=value,...`` may be completed to."""
    name, colon, _ = incomplete.partition(":")
    if not colon:
        return list(names)
    if name not in names:
        return []
    stem = incomplete[: max(incomplete.rfind(":"), incomplete.rfind(",")) + 1]
    return [f"{stem}{option.name}=" for option in options(name)]


def install_completion(
    *,
    shell: Shell | None = None,
    show: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
) -> None:
    """Let TAB complete commands, options, games and agents in your shell.

    A script is written to where the shell looks for it, and a line that loads it to the
    file that the shell reads when it starts.

    Parameters
    ----------
    shell
        The shell; the one that this is run from if left out.
    show
        Print the script instead, and write nothing.
    """
    from cyclopts.completion import ShellDetectionError, detect_shell

    from . import app
    from .inputs import InputError

    try:
        shell = shell or detect_shell()
    except ShellDetectionError:
        raise InputError("no shell that is known here: say --shell bash, zsh, ...") from None
    if show:
        print(app.generate_completion(shell=shell))
    else:
        print(f"{app.install_completion(shell=shell)} written; a new {shell} will use it")
