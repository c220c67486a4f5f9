"""Compiled kernels on disk: reused, never stale, and not needed; and how often kernels compile.

Each test that needs it runs a copy of the package in processes of their own,
with one small game.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from helpers import NAMES, enough_sets, initial, option_sets
from numba import types
from numba.core.registry import CPUDispatcher

import mancala_ai as ma
from mancala_ai import kernels, perft, playout
from mancala_ai.agents import make_agent

# Play a move, and say what was compiled and what came from the cache
PLAY = """
import json, pathlib, sys
import mancala_ai as ma
import numba
before = numba.config.CACHE_DIR
game = ma.make("kalah")
state = game.initial_state()
state = state.apply(state.legal_actions()[-1])
from mancala_ai import cache, kernels
stats = kernels.act.stats
print(json.dumps({
    "package": str(pathlib.Path(ma.__file__).parent),
    "text": state.to_text(),
    "hits": sum(stats.cache_hits.values()),
    "misses": sum(stats.cache_misses.values()),
    "compiled": len(kernels.act.signatures),
    "config": [before, numba.config.CACHE_DIR],
}))
"""
AFTER_SIX = "4,4,4,4,4,0/5,5,5,4,4,4 north captured=1,0"
AFTER_FIRST = "0,5,5,5,5,4/4,4,4,4,4,4 north"
ONLY_PIT_0 = """

@legal.register(KalahRules)
def _only_pit_0(rules, state):
    return 1, 0
"""


@pytest.fixture
def package(tmp_path):
    """The folder of a copy of the package."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(ma.__file__).parent, tmp_path / "source" / "mancala_ai", ignore=ignored)
    return tmp_path / "source" / "mancala_ai"


def run(package, code=PLAY, **environment):
    """What the code reports in a new process that imports this copy of the package."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "NUMBA_DISABLE_JIT", "PYTHONPATH")
    }
    paths = [str(package.parent), *filter(None, sys.path)]
    out = subprocess.run(
        [sys.executable, "-P", "-B", "-c", code],
        env={**clean, "PYTHONPATH": os.pathsep.join(paths), **environment},
        cwd=package.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    assert out.stderr == ""
    report = json.loads(out.stdout)
    assert report["package"] == str(package)
    assert report["compiled"] == 1
    return report


def test_a_second_process_compiles_nothing_and_an_edited_game_is_not_stale(package, tmp_path):
    folder = str(tmp_path / "cache")
    first = run(package, NUMBA_CACHE_DIR=folder)
    assert (first["hits"], first["misses"]) == (0, 1)
    assert first["text"] == AFTER_SIX
    second = run(package, NUMBA_CACHE_DIR=folder)
    assert (second["hits"], second["misses"]) == (1, 0)
    assert second["text"] == AFTER_SIX

    # a move of kernels.py's cached function `act` plays by rules that lie in another file
    rules = package / "rules" / "kalah.py"
    original = rules.read_text(encoding="utf-8")
    times = rules.stat().st_atime_ns, rules.stat().st_mtime_ns
    rules.write_text(original + ONLY_PIT_0, encoding="utf-8")
    os.utime(rules, ns=times)  # not even the time of the file tells
    edited = run(package, NUMBA_CACHE_DIR=folder)
    assert (edited["hits"], edited["misses"]) == (0, 1)
    assert edited["text"] == AFTER_FIRST

    rules.write_text(original, encoding="utf-8")
    back = run(package, NUMBA_CACHE_DIR=folder)
    assert (back["hits"], back["misses"]) == (1, 0)
    assert back["text"] == AFTER_SIX

    for report in (first, second, edited, back):  # the user's own setting stays as it is
        assert report["config"] == [folder, folder]
    assert not list(package.rglob("*.nb?"))


OWN_GAME = """
from typing import NamedTuple
from mancala_ai.dispatch import begin, lap, legal, register_state, settle, winner
from mancala_ai.rules import counting, kalah


class MyRules(NamedTuple):
    columns: int
    empty_capture: int
    max_laps: int


register_state(MyRules, kalah.KalahState)
for generic, version in {
    legal: kalah._legal, begin: kalah._begin, lap: kalah._lap, settle: kalah._settle,
    winner: counting.more_seeds,
}.items():
    generic.register(MyRules)(version)


class MyGame(kalah.Kalah):
    def _rules(self):
        return MyRules(*super()._rules())
"""


def test_a_game_from_elsewhere_leaves_nothing_behind(package, tmp_path):
    """Its kernels would be stale once it is edited, and could not be read without its module."""
    folder = str(tmp_path / "cache")
    (package.parent / "elsewhere.py").write_text(OWN_GAME, encoding="utf-8")
    play_own = PLAY.replace('ma.make("kalah")', "__import__('elsewhere').MyGame()")
    for _ in range(2):
        own = run(package, play_own, NUMBA_CACHE_DIR=folder)
        assert (own["text"], own["hits"], own["misses"]) == (AFTER_SIX, 0, 1)
        assert not list((tmp_path / "cache").rglob("*.nb?"))
    (package.parent / "elsewhere.py").unlink()
    assert run(package, NUMBA_CACHE_DIR=folder)["misses"] == 1
    assert run(package, NUMBA_CACHE_DIR=folder)["hits"] == 1


def test_the_cache_lies_in_the_users_cache_folder(package, tmp_path):
    report = run(package, HOME=str(tmp_path / "home"))
    assert report["misses"] == 1
    assert report["config"] == ["", ""]
    cached = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.nbi")]
    assert cached
    assert all(path.parts[:3] == ("home", ".cache", "mancala_ai") for path in cached)
    moved = run(package, HOME=str(tmp_path / "home"), XDG_CACHE_HOME=str(tmp_path / "xdg"))
    assert moved["misses"] == 1
    assert list((tmp_path / "xdg" / "mancala_ai").rglob("*.nbi"))


@pytest.mark.parametrize("setting", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"])
def test_nothing_can_be_written(package, tmp_path, setting):
    """Below a regular file nobody can write, not even root."""
    blocked = tmp_path / "file"
    blocked.touch()
    before = sorted(tmp_path.rglob("*"))
    report = run(package, **{"HOME": str(blocked), setting: f"{blocked}/folder"})
    assert report["text"] == AFTER_SIX
    assert (report["hits"], report["misses"]) == (0, 1)
    assert report["config"][0] == report["config"][1]
    assert sorted(tmp_path.rglob("*")) == before


def test_old_versions_are_removed(package, tmp_path):
    home = tmp_path / "cache" / "mancala_ai"
    for name in ("old", "recent"):
        (home / name).mkdir(parents=True)
        (home / name / "kernel.nbi").touch()
    month_ago = (home / "recent").stat().st_mtime - 31 * 24 * 3600
    os.utime(home / "old", (month_ago, month_ago))
    run(package, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert not (home / "old").exists()
    assert (home / "recent" / "kernel.nbi").exists()
    assert len(list(home.iterdir())) == 2


def test_decorating_leaves_the_users_setting(monkeypatch):
    from mancala_ai import cache

    monkeypatch.setattr(numba.config, "CACHE_DIR", "/somewhere/else")

    @cache.entry
    def successor(number):
        return number + 1

    assert numba.config.CACHE_DIR == "/somewhere/else"
    assert successor(1) == 2


COMPILED = {
    "act": kernels.act,
    "random_games": playout.random_games,
    "random_games_looking_back": playout.random_games_looking_back,
    "count_leaves": perft.count_leaves,
}


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_no_kernel_returns_a_named_tuple():
    """Numba crashes if Ctrl-C comes before it makes one: its class runs as Python code."""
    game = ma.make("oware", columns=3, seeds=2)
    state = game.initial_state()
    make_agent("alphabeta:depth=2").act(state)
    make_agent("mcts:num_simulations=70").act(state)
    judge = np.ones((1, game.num_actions)), np.zeros(1)
    make_agent("mcts:num_simulations=2,batch_size=1", evaluator=lambda states: judge).act(state)
    game.random_games(1), game.perft(2), game.relay_lengths(state), state.apply(0)
    game.batch(1).step([0])
    returned = {
        f"{module}.{name}": compiled.signature.return_type
        for module, content in list(sys.modules.items())
        if module.startswith("mancala_ai.")
        for name, kernel in vars(content).items()
        if isinstance(kernel, CPUDispatcher) and kernel.targetoptions.get("nogil")
        for compiled in kernel.overloads.values()
    }
    assert {name.rpartition(".")[2] for name in returned} >= {"simulate", "search", "play"}
    for kernel, result in returned.items():
        for part in (result, *getattr(result, "types", ())):
            assert not isinstance(part, types.BaseNamedTuple), kernel


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
@pytest.mark.parametrize("name", NAMES)
def test_option_values_and_number_types_compile_nothing_again(name):
    def use(game, number=int):
        state = initial(game, random.Random(1))
        state = state.apply(number(state.legal_actions()[0]))
        if not state.is_terminal:
            state.trace(number(state.legal_actions()[0]))
        game.state(state.board.astype(np.uint8), number(1))
        game.random_games(number(2), seed=number(3), max_plies=number(4), threads=number(2))
        game.perft(number(2))

    sets = list(option_sets(name, enough_sets(name), seed=4))
    use(ma.make(name))
    if name == "oware":  # whether positions are looked back at is the one choice of kernel
        use(ma.make(name, repetition="split_rows"))
    before = {kernel: len(function.signatures) for kernel, function in COMPILED.items()}
    for options in sets:
        use(ma.make(name, **options))
    for number in (np.int8, np.int32, np.uint64):
        use(ma.make(name, **sets[-1]), number)
    after = {kernel: len(function.signatures) for kernel, function in COMPILED.items()}
    assert after == before
    assert before["act"] > 0
    assert before["act"] <= len(NAMES)
