"""The Python of the README runs from its top to its end, and what it says is true."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

from helpers import random_policy

import mancala_ai as ma
from mancala_ai.agents.network import FILE_NAME, write_policy

README = Path(__file__).parents[1] / "README.md"


def test_the_readme_runs(tmp_path, monkeypatch):
    text = README.read_text(encoding="utf-8")
    record = dedent(re.search(r"^    game: .*?^    result: \*\n", text, re.M | re.S)[0])
    monkeypatch.chdir(tmp_path)
    Path("game.txt").write_text(record)
    Path("match.txt").write_text(f"{record}\n{record}")
    Path("runs/hoyito").mkdir(parents=True)
    write_policy(random_policy(ma.make("hoyito_iii")), f"runs/hoyito/{FILE_NAME}")
    names = {"__name__": "readme"}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        exec(compile(block, str(README), "exec"), names)
    claims = re.findall(r"^([^#\n]+)  # \.\.\. which is True$", text, re.M)
    assert len(claims) >= 2
    for claim in claims:
        assert eval(claim, names), claim
    assert names["solver"].last_info["value"] == 6.0
