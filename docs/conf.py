"""How Sphinx builds the site; README.md has the command.

Pages say in words what the code cannot say. Rules, options, pictures and reference are
made from the code (``extensions/boards.py``, numpydoc), and the README is included.
"""

import sys
from pathlib import Path
from typing import Generic, TypeVar

import numpy.typing


# In signatures these stand as they are written there, not as what they are short for.
class NDArray(Generic[TypeVar("dtype")]):
    __module__ = "numpy.typing"


class ArrayLike:
    __module__ = "numpy.typing"


numpy.typing.NDArray, numpy.typing.ArrayLike = NDArray, ArrayLike

import mancala_ai  # noqa: E402  (after that)

sys.path.append(str(Path(__file__).parent / "extensions"))

project = "mancala_ai"
author = "mancala_ai developers"
copyright = f"2026, {author}"
release = version = mancala_ai.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "boards",
]
exclude_patterns = ["benchmarks/*", "made"]
nitpicky = True
nitpick_ignore_regex = [  # what other libraries document; their inventories are not fetched
    (r"py:.*", r"(collections|concurrent|gymnasium|numpy|np|pathlib|pettingzoo|PIL|t|typing)\..*"),
    (r"py:class", r"NDArray|Pair|tuple\[int"),  # names for types
    (r"py:class", r"Box|Disc|Product|Stored|Words|.*\.Checkpoint"),  # parts of what is documented
]

# Markdown
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# Docstrings
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
numpydoc_class_members_toctree = False
numpydoc_show_class_members = False  # autodoc shows them
numpydoc_validation_checks = {
    "GL01", "GL02", "GL03", "GL05", "GL06", "GL07", "GL08", "GL09", "GL10",
    "PR01", "PR02", "PR03", "PR05",
    "SS01", "SS04",
}  # fmt: skip
numpydoc_validation_exclude = {
    r"mancala_ai\.(dispatch|rng|sowing)\.",  # all take rules, state, pits: their modules say what
    r"\.[A-Z]\w*$",  # values: their fields are documented as attributes
}

# The look
html_theme = "furo"
html_title = "mancala_ai"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_sourcelink = html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
copybutton_prompt_text = "$ "


def leave_out_tuple_fields(app, what, name, member, skipped, options):
    """Leave out what ``NamedTuple`` writes about each field."""
    return skipped or type(member).__name__ == "_tuplegetter"


def add_reports(app, page, text):
    """Add the reports that ``mancala bench --peers --out docs/benchmarks`` wrote to their page."""
    if page == "benchmarks":
        for report in sorted(Path(app.srcdir, page).glob("*.md")):
            text[0] += f"\n```{{include}} {page}/{report.name}\n```\n"
        for plot in sorted(Path(app.srcdir, page).glob("*.png")):
            text[0] += f"\n![{plot.stem}]({page}/{plot.name})\n"


def setup(app):
    app.connect("autodoc-skip-member", leave_out_tuple_fields)
    app.connect("source-read", add_reports)
