"""The report of a tournament as one HTML page that needs nothing else.

Cross tables, ratings with intervals, how long games were, and games to be stepped through on
a drawn board. Plots are Matplotlib's, as SVG; the page is a Jinja template.

Read first: ``report.py``, ``../../mancala_ai/render/scene.py``.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.resources import files
from itertools import islice
from typing import Any, TextIO

import mancala_ai
from mancala_ai.errors import TournamentError
from mancala_ai.render.scene import centres, empty_scene
from mancala_ai.render.svg import SCALE, write_svg
from mancala_ai.render.text import status

from .playing import Outcome
from .report import ratings_rows
from .standing import LENGTH_CLASS, Standing

MOST_GAMES = 100  # to be stepped through
BLUE, GREY = "#1f6fb2", "#888888"


def write_page(standing: Standing, outcomes: Iterable[Outcome], file: TextIO) -> None:
    """Write the page.

    Parameters
    ----------
    standing : Standing
    outcomes : iterable of Outcome
        Games to be shown; the first ``MOST_GAMES`` are, and any other one is by
        ``mancala replay JOURNAL --game NUMBER``.
    file : TextIO

    Raises
    ------
    TournamentError
        If Jinja or Matplotlib is not installed.
    """
    jinja, pyplot = _needed("jinja2"), _needed("matplotlib.figure")
    environment = jinja.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    plan = standing.plan
    shown = list(islice(outcomes, MOST_GAMES))
    sections = [
        {
            "game": spec,
            "cross": _cross(standing, game),
            "ratings": (rows := ratings_rows(standing, game)),
            "rating_plot": _svg(_plot_ratings(pyplot, rows)),
            "length_plot": _svg(_plot_lengths(pyplot, standing.lengths[game])),
            "endings": dict(standing.endings[game]),
        }
        for game, spec in enumerate(plan.games)
    ]
    page = environment.from_string(_template()).render(
        plan=plan,
        standing=standing,
        sections=sections,
        boards={spec: _board(spec) for spec in plan.games},
        replays=_safe_json(list(map(_replay, shown))),
        geometry=_safe_json({spec: _geometry(spec) for spec in plan.games}),
        games=shown,
    )
    file.write(page)


def check_installed() -> None:
    """TournamentError if a page cannot be written for want of a library."""
    for module in ("jinja2", "matplotlib.figure"):
        _needed(module)


def _needed(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise TournamentError(
            f'an HTML report needs {name}: pip install "mancala-ai[report]"'
        ) from None


def _template() -> str:
    return files(__package__).joinpath("page.html").read_text("utf-8")


def _safe_json(value: object) -> str:
    """JSON that can stand in a script of a page."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _cross(standing: Standing, game: int) -> list[list[str]]:
    agents = range(len(standing.plan.agents))
    rows = []
    for row in agents:
        tallies = [standing.tally(row, other, game) for other in agents]
        cells = [f"{tally.score:.3f}" if tally.games else "" for tally in tallies]
        rows.append([standing.plan.agents[row], *cells])
    return rows


# Boards


def _board(spec: str) -> str:
    """The empty board, on which the page lays seeds."""
    return write_svg(empty_scene(mancala_ai.make(spec)), 640, "auto")


def _geometry(spec: str) -> list[list[float]]:
    """Where the page lays seeds: South's pits, North's, and the stores, in units of the SVG."""
    return [[SCALE * x, SCALE * y] for x, y in centres(mancala_ai.make(spec))]


def _replay(outcome: Outcome) -> dict[str, Any]:
    """The positions of a game, and what is said of each."""
    state = mancala_ai.make(outcome["game"]).state_from_text(outcome["position"])
    steps = [{"seeds": _seeds(state), "said": status(state), "move": ""}]
    for action in outcome["moves"]:
        move = f"{('South', 'North')[state.player]}: {state.action_to_text(action)}"
        state = state.apply(action)
        steps.append({"seeds": _seeds(state), "said": status(state), "move": move})
    if outcome["fault"] is not None:
        steps[-1]["said"] = f"{outcome['fault']['player']} lost: {outcome['fault']['message']}"
    return {"game": outcome["game"], "opening": outcome["opening"], "steps": steps}


def _seeds(state: mancala_ai.State) -> list[int]:
    counted: list[int] = [*state.board.ravel().tolist(), *state.captured.tolist()]
    return counted


# Plots


def _svg(figure: Any) -> str:
    """A figure as SVG, to stand in a page."""
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None})
    return text.getvalue().partition("<svg")[2].join(("<svg", ""))


def _plot_ratings(pyplot: Any, rows: Sequence[dict[str, Any]]) -> Any:
    figure = pyplot.Figure(figsize=(6, 0.6 + 0.35 * len(rows)))
    axes = figure.subplots()
    for place, row in enumerate(reversed(rows)):
        axes.plot([row["low"], row["high"]], [place, place], color=GREY)
        axes.plot(row["elo"], place, "o", color=BLUE)
    axes.set_yticks(range(len(rows)), [row["agent"] for row in reversed(rows)])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel("Elo, with 95 % intervals")
    axes.grid(axis="x", alpha=0.3)
    return figure


def _plot_lengths(pyplot: Any, lengths: dict[int, int]) -> Any:
    figure = pyplot.Figure(figsize=(6, 2.2))
    axes = figure.subplots()
    begins = [LENGTH_CLASS * number for number in lengths]
    axes.bar(begins, list(lengths.values()), LENGTH_CLASS, align="edge", color=BLUE, edgecolor="w")
    axes.set_xlabel("decisions of a game")
    axes.set_ylabel("games")
    axes.yaxis.get_major_locator().set_params(integer=True)
    return figure
