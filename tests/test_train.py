"""Trainings: legs, checkpoints, curves, what is refused; learning itself is left out.

A learner stands in that changes its weights at random, so that no more packages are needed.
The real one learns in ``adapters/check_train.py``.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from io import StringIO
from operator import sub
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from helpers import random_policy
from safetensors.numpy import save_file

import mancala_ai as ma
from mancala_ai.agents import make_agent
from mancala_ai.agents.network import FILE_NAME, network_of, read_policy, tensors_of
from mancala_ai.agents.tournament import Plan, run
from mancala_ai.cli import main
from mancala_ai.errors import AgentError, OptionError, TrainingError, UnknownGameError
from mancala_ai.training import Settings, folder, running, train
from mancala_ai.training.curve import OPPONENTS, Point, Score, interval, measured, write_csv
from mancala_ai.training.folder import CHECKPOINT, KEY, Checkpoint, Folder
from mancala_ai.training.running import MOST_VERSIONS, opponents_of, thinned

ROLLOUT = 10
SETTINGS = Settings("kalah:columns=2,seeds=2", seed=7, leg=30, measured_games=4)


class Learner:
    """Its weights follow from the seed, the legs and the opponents."""

    def __init__(self, game, settings, threads=1):
        self._seed, self.timesteps = settings.seed, 0
        self._tensors = tensors_of(random_policy(game, settings.seed).network)

    def learn(self, leg, timesteps, opponents, watch):
        rng = np.random.default_rng([self._seed, leg])
        for name, tensor in sorted(self._tensors.items()):
            others = sum(tensors_of(network)[name] for network in opponents) / len(opponents)
            noise = rng.normal(size=tensor.shape)
            self._tensors[name] = (0.5 * tensor + 0.5 * others + noise).astype(np.float32)
        self.timesteps += -(-timesteps // ROLLOUT) * ROLLOUT
        watch(self.timesteps)

    def network(self):
        return network_of({name: tensor.copy() for name, tensor in self._tensors.items()})

    def tensors(self):
        return dict(self._tensors)

    def restore(self, tensors, timesteps):
        self._tensors, self.timesteps = dict(tensors), timesteps


def stand_in():
    """Let the learner above learn, and draw no curve."""
    running._learner_maker = lambda: Learner
    folder.write_png = lambda points, title, path: path.write_bytes(title.encode())


class Printer:
    """Says each point on stdout."""

    def learnt(self, timesteps):
        pass

    def measured(self, point):
        print(point.timesteps, flush=True)


@pytest.fixture
def learner(monkeypatch):
    for module, name in ((running, "_learner_maker"), (folder, "write_png")):
        monkeypatch.setattr(module, name, getattr(module, name))  # to be put back in the end
    stand_in()


def rows(path):
    """The lines of a curve, without the seconds."""
    with (path / "curve.csv").open(newline="") as file:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in csv.DictReader(file)]


# Going on -------------------------------------------------------------------------


def test_a_training_leaves_a_policy_a_curve_and_a_checkpoint(learner, tmp_path):
    out = tmp_path / "new" / "folder"
    last = train(SETTINGS, out, 75)
    assert {path.name for path in out.iterdir()} - {".lock"} == {
        CHECKPOINT, FILE_NAME, "curve.csv", "curve.png",
    }  # fmt: skip
    assert [int(row["timesteps"]) for row in rows(out)] == [0, 30, 60, 80]  # whole rollouts
    assert last.timesteps == 80
    assert sorted(last.versions) == [0, 1, 2, 3]
    policy = read_policy(out)
    assert policy.game == ma.make(SETTINGS.game)
    assert policy.training == {**SETTINGS.as_json(), "timesteps": 80}
    for name, tensor in tensors_of(last.versions[3]).items():
        assert (tensors_of(policy.network)[name] == tensor).all()
    state = policy.game.initial_state()
    assert make_agent(f"policy:path={out}").act(state) in state.legal_actions()
    assert "kalah:columns=2,seeds=2, maskable-ppo, seed 7" in (out / "curve.png").read_text()
    seconds = [point.seconds for point in last.points]
    assert seconds == sorted(seconds)
    assert seconds[0] > 0


def test_a_killed_training_goes_on_as_if_it_had_not_been(learner, tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train(SETTINGS, whole, 200)
    command = [sys.executable, __file__, str(killed), "200"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= 90:
                process.kill()
                break
    assert process.returncode == -signal.SIGKILL if os.name == "posix" else process.returncode
    reached = int(rows(killed)[-1]["timesteps"])
    assert 90 <= reached < 200
    (killed / FILE_NAME).write_bytes(b"half")  # as if killed a little later
    (killed / "curve.csv").unlink()
    train(SETTINGS, killed, 200)
    assert rows(killed) == rows(whole)
    assert (killed / FILE_NAME).read_bytes() == (whole / FILE_NAME).read_bytes()


def test_a_finished_training_is_left_alone_and_can_be_prolonged(learner, tmp_path):
    train(SETTINGS, tmp_path, 60)
    checkpoint = (tmp_path / CHECKPOINT).read_bytes()
    for timesteps in (60, 1):
        assert train(SETTINGS, tmp_path, timesteps).timesteps == 60
        assert (tmp_path / CHECKPOINT).read_bytes() == checkpoint
    assert train(SETTINGS, tmp_path, 90).timesteps == 90
    again = tmp_path / "at once"
    train(SETTINGS, again, 90)
    assert (again / FILE_NAME).read_bytes() == (tmp_path / FILE_NAME).read_bytes()


def test_no_leg_begins_when_the_time_is_over(learner, tmp_path):
    assert train(SETTINGS, tmp_path, 10**9, seconds=1e-9).timesteps == 0


def test_the_watcher_hears_of_all_points(learner, tmp_path, capsys):
    train(SETTINGS, tmp_path, 60, watcher=Printer())
    train(SETTINGS, tmp_path, 90, watcher=Printer())
    assert capsys.readouterr().out.split() == ["0", "30", "60", "0", "30", "60", "90"]


# The pool -------------------------------------------------------------------------


def test_versions_are_spread_over_the_training():
    kept = {}
    for number in range(1000):
        kept = thinned({**kept, number: None})
        numbers = sorted(kept)
        assert len(numbers) <= MOST_VERSIONS
        assert (numbers[0], numbers[-1]) == (0, number)
        assert max(map(sub, numbers[1:], numbers), default=1) <= 1 + 4 * number // MOST_VERSIONS


def test_opponents_are_the_last_version_and_earlier_ones():
    versions = {number: f"version {number}" for number in (0, 4, 8, 9)}
    drawn = [opponents_of(versions, 3, leg) for leg in range(100)]
    assert drawn == [opponents_of(versions, 3, leg) for leg in range(100)]
    assert all(opponents[:2] == ["version 9"] * 2 for opponents in drawn)
    assert {other for opponents in drawn for other in opponents[2:]} == set(versions.values())


# Measuring ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "games", "low", "high"),
    [
        (0.5, 100, 0.4038, 0.5962),  # of R's binom::binom.wilson
        (0.9, 10, 0.5958, 0.9821),
        (1.0, 100, 0.9630, 1.0),
        (0.0, 100, 0.0, 0.0370),
    ],
)
def test_intervals_of_scores(score, games, low, high):
    assert interval(score, games) == pytest.approx((score, low, high), abs=1e-4)


def test_scores_are_those_of_a_tournament(tmp_path):
    Folder(tmp_path).write_policy(SETTINGS, random_policy(ma.make(SETTINGS.game)).network, 0)
    path = tmp_path / FILE_NAME
    scores = measured(SETTINGS.game, path, 12)
    for opponent, score in zip(OPPONENTS, scores, strict=True):
        standing = run(Plan((SETTINGS.game,), (f"policy:path={path}", opponent), 6), jobs=1)
        assert standing.tally(0, 1).games == 12
        assert 0 <= score.low <= score.mean <= score.high <= 1


def test_a_policy_that_fails_has_no_score(tmp_path):
    network = random_policy(ma.make(SETTINGS.game), scale=1e30).network
    Folder(tmp_path).write_policy(SETTINGS, network, 0)
    with pytest.raises(AgentError, match="weights of the policy are so large"):
        measured(SETTINGS.game, tmp_path / FILE_NAME, 2)


def test_a_curve_is_a_table(tmp_path):
    points = [Point(0, 1.25, 4, (Score(0.5, 0.25, 0.75), Score(0, 0, 0.125)))]
    write_csv(points, tmp_path / "curve.csv")
    assert (tmp_path / "curve.csv").read_text() == (
        "timesteps,seconds,games,random,random_low,random_high,greedy,greedy_low,greedy_high\n"
        "0,1.2,4,0.5000,0.2500,0.7500,0.0000,0.0000,0.1250\n"
    )


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"seed": 8}, "there is a training with seed 7, not 8; choose another folder"),
        ({"game": "kalah"}, "with game 'kalah:columns=2,seeds=2', not 'kalah'"),
        ({"hidden": (3,)}, r"with hidden \[128, 128\], not \[3\]"),
    ],
)
def test_other_settings_are_refused(learner, tmp_path, changed, match):
    train(SETTINGS, tmp_path, 30)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(TrainingError, match=match) as caught:
        train(Settings(**{**SETTINGS.as_json(), **changed}), tmp_path, 60)
    assert str(tmp_path) in str(caught.value)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_settings_that_make_no_sense():
    with pytest.raises(UnknownGameError, match="unknown game 'chess'"):
        Settings("chess")
    with pytest.raises(OptionError, match="option seeds of kalah"):
        Settings("kalah:seeds=0")
    with pytest.raises(TrainingError, match="algo is one of maskable-ppo, not 'dqn'"):
        Settings("kalah", "dqn")
    for seed in (-1, 2**32):
        with pytest.raises(TrainingError, match="seed is an integer from 0"):
            Settings("kalah", seed=seed)


def test_arguments_that_make_no_sense(learner, tmp_path):
    for timesteps in (0, -1, 1.5, "9", 10**13):
        with pytest.raises(TrainingError, match="timesteps is an integer from 1"):
            train(SETTINGS, tmp_path / "none", timesteps)
    for seconds in (0, -1, float("nan")):
        with pytest.raises(TrainingError, match="the time for a training is positive"):
            train(SETTINGS, tmp_path / "none", 30, seconds=seconds)
    assert not (tmp_path / "none").exists()


def test_two_trainings_in_one_folder(learner, tmp_path):
    with (
        FileLock(tmp_path / ".lock"),
        pytest.raises(TrainingError, match="another training is writing there"),
    ):
        train(SETTINGS, tmp_path, 30)
    train(SETTINGS, tmp_path, 30)


def test_a_policy_without_its_checkpoint_is_not_overwritten(learner, tmp_path):
    train(SETTINGS, tmp_path, 30)
    (tmp_path / CHECKPOINT).unlink()
    policy = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(TrainingError, match=f"{FILE_NAME} exists and is of no training here"):
        train(SETTINGS, tmp_path, 60)
    assert (tmp_path / FILE_NAME).read_bytes() == policy


def test_checkpoints_that_are_damaged(learner, tmp_path):
    train(SETTINGS, tmp_path, 30)
    path = tmp_path / CHECKPOINT
    whole = path.read_bytes()

    def refused(match):
        with pytest.raises(TrainingError, match=match) as caught:
            train(SETTINGS, tmp_path, 60)
        assert "cannot be gone on with" in str(caught.value)
        assert "\n" not in str(caught.value)

    for length in (0, 20, len(whole) - 1):
        path.write_bytes(whole[:length])
        refused("eader|ncomplete")
    path.write_bytes(whole.replace(b"version.0.policy.1.bias", b"version.0.policy.9.bias"))
    refused("weights are missing: policy.1.bias")
    texts = {"null": "no checkpoint", '{"format": 9}': "of format 1", '{"format": 1}': "points"}
    for text, match in texts.items():
        save_file({"learner.a": np.zeros(1)}, path, {KEY: text})
        refused(match)
    save_file({"odd.a": np.zeros(1)}, path, {KEY: json.dumps({"format": 1})})
    refused("an array is named 'odd.a'")


def test_a_checkpoint_is_read_as_it_was_written(tmp_path):
    points = (Point(0, 0.1, 4, (Score(0.1, 0, 0.2), Score(1 / 3, 0, 1))),)
    network = random_policy(ma.make("kalah")).network
    arrays = {"model.a.b": np.arange(6.0).reshape(2, 3), "optimizer.0.step": np.float32(3)}
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    written = Checkpoint(SETTINGS.as_json(), 3, 90, points, arrays, {2: network, 10: network})
    Folder(tmp_path).write(written)
    read = Folder(tmp_path).read()
    assert read is not None
    assert (read.settings, read.leg, read.timesteps) == (SETTINGS.as_json(), 3, 90)
    assert read.points == points
    assert list(read.versions) == [2, 10]
    assert read.learner.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(read.learner[name], array)
        assert read.learner[name].dtype == array.dtype
    for kept in read.versions.values():
        for name, tensor in tensors_of(kept).items():
            np.testing.assert_array_equal(tensor, tensors_of(network)[name])


# The command ----------------------------------------------------------------------


def test_the_command(learner, tmp_path, capsys):
    line = ["train", "kalah:columns=2,seeds=2", "--out", str(tmp_path), "--seed", "3"]
    assert main([*line, "--timesteps", "100", "--minutes", "1e-9"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["timesteps", "seconds", "random", "greedy"]
    assert len(out) == 4
    assert out[2] == "0 of 100 timesteps; the same command goes on"
    assert main([*line, "--timesteps", "100"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in out[1:3]] == ["0", "100"]
    assert out[3] == f"mancala play kalah:columns=2,seeds=2 --north policy:path={tmp_path}"
    assert read_policy(tmp_path).training["seed"] == 3


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["chess"], "unknown game 'chess'"),
        (["kalah", "--timesteps", "0"], "timesteps"),
        (["kalah", "--timesteps", "1.5"], "'1.5' is not an integer"),
        (["kalah", "--algo", "dqn"], "dqn"),
        (["kalah", "--seed", "-1"], "seed"),
        (["kalah", "--minutes", "-1"], "the time for a training is positive"),
    ],
)
def test_commands_that_are_refused(learner, tmp_path, capsys, words, match):
    out = tmp_path / "none"
    assert main(["train", *words, "--out", str(out)]) == 2
    captured = capsys.readouterr()
    assert match in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert not out.exists()


@pytest.mark.parametrize(("limit", "unknown"), [([], True), (["--minutes", "9"], False)])
def test_time_that_timesteps_would_take_is_shown_without_a_limit(
    learner, tmp_path, monkeypatch, limit, unknown
):
    class Terminal(StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    words = ["kalah:columns=2,seeds=2", "--timesteps", "100", *limit]
    assert main(["train", *words, "--out", str(tmp_path)]) == 0
    assert "0/100" in terminal.getvalue()
    assert ("-:--:--" in terminal.getvalue()) == unknown


def test_a_folder_without_a_name_is_refused(learner, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["train", "kalah", "--out", ""]) == 2
    assert capsys.readouterr().err == (
        "mancala: Invalid value for --out: the name of the folder is empty\n"
    )
    assert not list(tmp_path.iterdir())


def test_without_the_packages_that_training_needs(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = tmp_path / "none"
    assert main(["train", "kalah", "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert error == (
        'mancala: training needs more packages (matplotlib): pip install "mancala-ai[train]"\n'
    )
    assert not out.exists()


def test_a_folder_that_cannot_be_made(learner, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["train", "kalah", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err == f"mancala: {tmp_path / 'file'}: Not a directory\n"


if __name__ == "__main__":
    stand_in()
    train(SETTINGS, Path(sys.argv[1]), int(sys.argv[2]), watcher=Printer())
