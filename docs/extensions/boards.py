"""Directives that describe and draw the games, so that no page repeats what the code says.

In Markdown, with a game as :func:`mancala_ai.make` reads it:

``{sheet} kalah``     a part of the rules sheet (``:part: rules``, ``options``, ``actions``,
                      ``sources`` or ``readings``), as it stands in ``mancala_ai/rules``
``{options} kalah``   the table of options
``{pits} kalah``      the numbers of South's pits, as they lie on the board
``{board} kalah``     a picture (``:position:``, and ``:moves:`` made from there)
``{laps} kalah``      the last of these moves, lap by lap
``{film} kalah``      all of these moves, as a film

Colours follow the reader's choice of a light or a dark page.
"""

from __future__ import annotations

from hashlib import sha256
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import mancala_ai as ma
from mancala_ai.render.animation import game_scenes, write_gif
from mancala_ai.render.scene import PALETTES, Scene, lap_scenes, scene
from mancala_ai.render.svg import write_svg
from mancala_ai.render.text import pit_at

NARROW = 12  # columns that can be read at half the width of a page
MADE = "made"  # the folder, beside conf.py, of films
PAGE_WIDTH, BOARD_HEIGHT, FILM_WIDTH = 736, 460, 480  # pixels, at most
PARTS = {  # of a rules sheet, by the word that the first paragraph of each begins with
    "Rules": "rules",
    "Option": "options",
    "Pits": "actions",
    "Actions": "actions",
    "Sources": "sources",
    "Readings": "readings",
}


def sheet_parts(game: str) -> dict[str, list[str]]:
    """The paragraphs of a game's rules sheet by part; what stands before all is its title."""
    parts: dict[str, list[str]] = {}
    part = "title"
    for paragraph in str(getdoc(import_module(f"mancala_ai.rules.{game}"))).split("\n\n"):
        part = next((name for word, name in PARTS.items() if paragraph.startswith(word)), part)
        parts.setdefault(part, []).append(paragraph.removeprefix("Rules\n-----\n"))
    return parts


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


class Described(SphinxDirective):
    """A directive about a game that is written as Markdown."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(self.text())

    def text(self) -> str:
        raise NotImplementedError


class Sheet(Described):
    option_spec = {"part": directives.unchanged_required}

    def text(self) -> str:
        paragraphs = sheet_parts(self.arguments[0])[self.options["part"]]
        return "\n".join(["```{eval-rst}", "\n\n".join(paragraphs), "```"])


class Options(Described):
    def text(self) -> str:
        rows = [
            [f"`{option.name}`", f"`{option.default!r}`", option.allowed, option.meaning]
            for option in ma.option_table(self.arguments[0])
        ]
        return table(["option", "default", "allowed", "meaning"], rows)


class Pits(Described):
    def text(self) -> str:
        game = ma.make(self.arguments[0])
        names = game.action_names(0)
        rows = []
        for row in reversed(range(game.rows)):
            pits = [pit_at(row, column, game.columns) for column in range(game.columns)]
            rows.append([f"{pit} `{names[pit]}`" for pit in pits])
        return table([""] * game.columns, rows)


class Drawn(SphinxDirective):
    """A directive that draws a game; its content is the caption."""

    required_arguments = 1
    has_content = True
    option_spec = {
        "position": directives.unchanged_required,
        "moves": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        game = ma.make(self.arguments[0])
        given = self.options.get("position")
        state = game.state_from_text(given) if given else game.initial_state()
        self.states, self.actions = [state], []
        for name in self.options.get("moves", "").split():
            self.actions.append(self.states[-1].text_to_action(name))
            self.states.append(self.states[-1].apply(self.actions[-1]))
        width = ["wide"] if game.columns > NARROW else []
        figure = nodes.container(classes=["board", type(self).__name__.lower(), *width])
        figure += self.drawn()
        figure += self.parse_content_to_nodes()
        return [figure]

    def drawn(self) -> list[nodes.Node]:
        raise NotImplementedError

    @property
    def last(self) -> tuple[ma.State, int] | None:
        """The position before the last move, and the move."""
        return (self.states[-2], self.actions[-1]) if self.actions else None


def inline(picture: Scene) -> nodes.Node:
    """A picture in the page itself, which scales with it."""
    width = round(min(PAGE_WIDTH, BOARD_HEIGHT * picture.width / picture.height))
    return nodes.raw("", write_svg(picture, width, theme="auto"), format="html")


class Board(Drawn):
    def drawn(self) -> list[nodes.Node]:
        return [inline(scene(self.states[-1], self.last))]


class Laps(Drawn):
    def drawn(self) -> list[nodes.Node]:
        before, action = self.states[-2], self.actions[-1]
        pictures = [scene(before), *lap_scenes(before, action), scene(self.states[-1], self.last)]
        return [inline(picture) for picture in pictures]


class Film(Drawn):
    def drawn(self) -> list[nodes.Node]:
        moves = f"{self.arguments[0]} {self.states[0].to_text()} {self.actions}"
        name = f"{self.states[0].game.name}-{sha256(moves.encode()).hexdigest()[:8]}"
        folder = Path(self.env.srcdir, MADE)
        folder.mkdir(exist_ok=True)
        summary = nodes.raw("", "<details><summary>Watch it</summary>", format="html")
        pictures: list[nodes.Node] = []
        for theme in ("light", "dark"):
            path = folder / f"{name}-{theme}.gif"
            write_gif(path, game_scenes(self.states, self.actions), FILM_WIDTH, theme)
            picture = nodes.image(uri=f"/{MADE}/{path.name}", alt=moves)
            picture["classes"] = [f"only-{theme}"]
            pictures.append(picture)
        return [summary, *pictures, nodes.raw("", "</details>", format="html")]


def colours() -> str:
    """The colours of boards by the reader's choice, where he has made one."""
    return "".join(
        f"body[data-theme={theme}] svg.mancala{{"
        + "".join(f"--mancala-{name.replace(' ', '-')}:{value};" for name, value in names.items())
        + "}\n"
        for theme, names in PALETTES.items()
    )


def add_colours(app: Sphinx, *_: Any) -> None:
    Path(app.outdir, "_static").mkdir(exist_ok=True)
    Path(app.outdir, "_static", "boards.css").write_text(colours())


def setup(app: Sphinx) -> dict[str, Any]:
    for directive in (Sheet, Options, Pits, Board, Laps, Film):
        app.add_directive(directive.__name__.lower(), directive)
    app.add_css_file("boards.css")
    app.connect("builder-inited", add_colours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
