"""The notebooks: each runs from its top to its end, and is committed with what it shows."""

from __future__ import annotations

import runpy
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("[1-9]_*.ipynb"))
MOST_BYTES = 3_000_000  # of all notebooks together

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])


def test_there_are_six():
    assert [path.name[0] for path in NOTEBOOKS] == list("123456")


@each_notebook
def test_a_notebook_runs(path, monkeypatch):
    """In short mode; a cell that raises fails the test."""
    monkeypatch.setenv("MANCALA_NOTEBOOKS_QUICK", "1")
    before = path.read_bytes()
    executed = runpy.run_path(str(FOLDER / "run.py"))["execute"](path)
    assert shown(executed) >= 1
    assert path.read_bytes() == before


@each_notebook
def test_a_notebook_is_committed_with_its_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [out for cell in code for out in cell.outputs if out.output_type == "error"]
    assert not [out for cell in code for out in cell.outputs if out.get("name") == "stderr"]
    assert shown(notebook) >= 1


def test_they_are_small():
    assert sum(path.stat().st_size for path in NOTEBOOKS) < MOST_BYTES


def shown(notebook):
    """How many pictures a notebook shows."""
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    return sum("image/png" in out.get("data", ()) for out in outputs)
