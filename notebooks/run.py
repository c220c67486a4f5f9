"""Execute the notebooks and keep their outputs.

    python notebooks/run.py                     # all, as they are committed
    python notebooks/run.py 5_endless.ipynb     # one
    MANCALA_NOTEBOOKS_QUICK=1 python ...        # in short mode, as the tests do

Needs ``pip install "mancala-ai[notebook]"``, and ``mancala-ai[train]`` for the training to be
more than shown. Plots and figures differ from run to run only where time is measured.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def execute(path: Path) -> nbformat.NotebookNode:
    """The notebook with what its cells print and show; CellExecutionError if one fails."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=None,  # for a cell
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        record_timing=False,
    ).execute()
    return notebook


def main(names: list[str]) -> None:
    """Execute the notebooks of these names, or all, and write them back."""
    for path in [HERE / name for name in names] or sorted(HERE.glob("*.ipynb")):
        print(path.name, flush=True)
        notebook = execute(path)
        # which Python it was is no business of the reader's
        notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
        nbformat.write(notebook, path)


if __name__ == "__main__":
    main(sys.argv[1:])
