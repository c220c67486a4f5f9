"""How well a policy plays as it learns: its scores against fixed opponents, as CSV and PNG.

A score counts a win 1, and a draw, an annulled or a broken-off game 1/2. Openings are a few
random decisions, each played twice, with seats exchanged, and the same for every checkpoint.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mancala_ai.agents.tournament import Plan, run
from mancala_ai.errors import AgentError
from mancala_ai.files import whole_binary_file, whole_file

OPPONENTS = ("random", "greedy")
_NORMAL_95 = 1.959964


class Score(NamedTuple):
    """A mean score with its 95 % interval."""

    mean: float
    low: float
    high: float


class Point(NamedTuple):
    """What was measured at a checkpoint.

    Attributes
    ----------
    timesteps : int
        Decisions of the learner so far.
    seconds : float
        That the training had taken by then, measurements included.
    games : int
        Played against each opponent.
    scores : tuple of Score
        Against each of ``OPPONENTS``.
    """

    timesteps: int
    seconds: float
    games: int
    scores: tuple[Score, ...]


def measured(game: str, policy: Path, games: int) -> tuple[Score, ...]:
    """The scores of a policy's file against each of ``OPPONENTS``."""
    agents = (f"policy:path={policy}", *OPPONENTS)
    standing = run(Plan((game,), agents, openings=games // 2, gauntlet=True), jobs=1)
    if standing.faults:  # a lost game in a tournament, but a fault of ours here
        raise AgentError("; ".join(standing.messages.values()))
    tallies = [standing.tally(0, number) for number in range(1, len(agents))]
    return tuple(interval(tally.score, tally.games) for tally in tallies)


def interval(score: float, games: int) -> Score:
    """A mean score with the interval of Wilson (1927) for a share of so many games.

    Draws only make a mean surer than a share, so it holds for them too; and it does not
    shrink to nothing where all games were won.
    """
    z = _NORMAL_95
    middle = (score + z * z / (2 * games)) / (1 + z * z / games)
    spread = math.sqrt(score * (1 - score) / games + (z / (2 * games)) ** 2)
    margin = z * spread / (1 + z * z / games)
    return Score(score, max(0.0, middle - margin), min(1.0, middle + margin))


def write_csv(points: Sequence[Point], path: Path) -> None:
    """Write the points as a table, a line each."""
    columns = [f"{name}{end}" for name in OPPONENTS for end in ("", "_low", "_high")]
    with whole_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["timesteps", "seconds", "games", *columns])
        for point in points:
            numbers = [f"{number:.4f}" for score in point.scores for number in score]
            writer.writerow([point.timesteps, f"{point.seconds:.1f}", point.games, *numbers])


def write_png(points: Sequence[Point], title: str, path: Path) -> None:
    """Draw the scores with their intervals."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(6.4, 4.0), dpi=100, layout="constrained")
    axes = figure.subplots()
    timesteps = [point.timesteps for point in points]
    for number, name in enumerate(OPPONENTS):
        scores = [point.scores[number] for point in points]
        (line,) = axes.plot(timesteps, [score.mean for score in scores], label=f"against {name}")
        low, high = ([score[end] for score in scores] for end in (1, 2))
        axes.fill_between(timesteps, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
    last = points[-1]
    axes.set(title=title, ylabel=f"score in {last.games} games, with 95 % interval")
    axes.set(xlabel=f"timesteps ({last.timesteps:,} in {last.seconds / 60:.1f} min)")
    axes.set(ylim=(0, 1.02))
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    with whole_binary_file(path) as file:
        figure.savefig(file, format="png")
