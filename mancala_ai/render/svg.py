"""Pictures as SVG: for notebooks, pages and print.

Read first: ``scene.py``. Read next: ``rgb.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from ..errors import ArgumentError, shown
from .scene import PALETTES, Box, Disc, Scene, Words, scene

if TYPE_CHECKING:
    from ..state import State

THEMES = (*PALETTES, "auto")
SCALE = 100  # units of the drawing a pit
WIDTH = 640  # pixels


def board_svg(
    state: State,
    last: tuple[State, int] | None = None,
    *,
    width: int = WIDTH,
    theme: str = "light",
) -> str:
    """A position as an SVG document.

    Parameters
    ----------
    state : State
    last : tuple of State and int, optional
        The position before and the action that led here, to be marked.
    width : int
        In pixels; the drawing scales to any.
    theme : str
        ``"light"``, ``"dark"``, or ``"auto"``: as the reader's screen is set.

    Raises
    ------
    ArgumentError
        If there is no such theme.
    """
    return write_svg(scene(state, last), width, theme)


def write_svg(picture: Scene, width: int = WIDTH, theme: str = "light") -> str:
    """A scene as an SVG document."""
    if theme not in THEMES:
        raise ArgumentError(f"theme is one of {', '.join(THEMES)}, not {shown(theme)}")
    height = round(width * picture.height / picture.width)
    view = f"0 0 {_length(picture.width)} {_length(picture.height)}"
    body = "".join(_shape(shape, theme) for shape in picture.shapes)
    style = _adaptive_style() if theme == "auto" else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mancala" viewBox="{view}" '
        f'width="{width}" height="{height}" role="img" aria-label={quoteattr(picture.title)} '
        f'font-family="sans-serif">{style}{body}</svg>'
    )


def _adaptive_style() -> str:
    """The colours as variables, for both kinds of screen."""
    return (
        f"<style>svg.mancala{{{palette_css('light')}}}"
        f"@media (prefers-color-scheme: dark){{svg.mancala{{{palette_css('dark')}}}}}</style>"
    )


def palette_css(theme: str) -> str:
    """The colours of a theme as the CSS variables that a drawing of theme ``"auto"`` uses."""
    return "".join(f"--mancala-{_slug(name)}:{colour};" for name, colour in PALETTES[theme].items())


def _slug(name: str) -> str:
    return name.replace(" ", "-")


def _colour(name: str | None, theme: str) -> str:
    if name is None:
        return "none"
    return f"var(--mancala-{_slug(name)})" if theme == "auto" else PALETTES[theme][name]


def _length(value: float) -> str:
    return f"{SCALE * value:.4g}"


def _shape(shape: Disc | Box | Words, theme: str) -> str:
    fill = f'style="fill:{_colour(shape.fill, theme)}'
    if isinstance(shape, Disc):
        line = ""
        if shape.line is not None:
            line = f";stroke:{_colour(shape.line, theme)};stroke-width:{_length(shape.width)}"
        x, y, radius = map(_length, shape[:3])
        return f'<circle cx="{x}" cy="{y}" r="{radius}" {fill}{line}"/>'
    if isinstance(shape, Box):
        x, y, width, height, radius = map(_length, shape[:5])
        size = f'width="{width}" height="{height}" rx="{radius}"'
        return f'<rect x="{x}" y="{y}" {size} {fill}"/>'
    x, y = _length(shape.x), _length(shape.y)
    size = f'font-size="{_length(shape.size)}" text-anchor="{shape.anchor}"'
    text = escape(shape.text)
    return f'<text x="{x}" y="{y}" dy="0.35em" {size} {fill}">{text}</text>'
