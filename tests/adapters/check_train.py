"""``mancala train``: the learner, the games that it plays, and a training that is killed."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import mancala_ai as ma
from mancala_ai.agents.network import Inputs, Policy, read_policy
from mancala_ai.cli import main
from mancala_ai.training import Settings, train
from mancala_ai.training.ppo import Learner
from mancala_ai.training.selfplay import SelfPlay

TINY = Settings(
    "kalah:columns=3,seeds=2", seed=3, games=8, steps=16, leg=256, batch_size=64, hidden=(16, 8),
    measured_games=4,
)  # fmt: skip


def nobody(timesteps):
    pass


@pytest.mark.parametrize("name", ma.games())
def test_the_network_is_the_models(name):
    game = ma.make(name)
    learner = Learner(game, TINY)
    learner.learn(0, 128, [learner.network()] * 2, nobody)
    state = game.initial_state(1)
    shares, values = Policy(game, learner.network()).judge([state])
    fed = Inputs(game)(state.observation(normalize=False)[None])
    mask = state.action_mask()[None]
    model = learner._model.policy
    with torch.no_grad():
        distribution = model.get_distribution(torch.from_numpy(fed), mask).distribution
        expected = model.predict_values(torch.from_numpy(fed))
    assert shares == pytest.approx(distribution.probs.numpy(), abs=1e-5)
    assert values == pytest.approx(expected.numpy()[0].clip(-1, 1), abs=1e-5)


def test_a_learner_put_down_goes_on_as_if_it_had_not_been():
    game = ma.make(TINY.game)
    first = Learner(game, TINY)
    pool = [first.network()]
    first.learn(0, 256, pool, nobody)
    second = Learner(game, TINY)
    second.restore(first.tensors(), first.timesteps)
    for learner in (first, second):
        learner.learn(1, 256, pool, nobody)
    assert first.timesteps == second.timesteps == 512
    tensors, others = first.tensors(), second.tensors()
    assert tensors.keys() == others.keys()
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(tensor, others[name])


@pytest.mark.parametrize("name", ["kalah", "omweso", "tsoro:columns=4", "gore:trading=False"])
def test_the_learner_decides_and_is_paid(name, monkeypatch):
    game, n = ma.make(name), 16
    env, rng = SelfPlay(game, n), np.random.default_rng(4)
    batch, inputs = env._batch, Inputs(game)
    ended = {}  # row: rewards of the first game that ended in it during the present step
    step = batch.step

    def spied(*args):
        answer = step(*args)
        rows = args[1] if len(args) > 1 else np.arange(n)
        for row in rows[(batch.terminations | batch.truncations)[rows]]:
            ended.setdefault(int(row), (batch.rewards[row].copy(), batch.state(int(row))))
        return answer

    monkeypatch.setattr(batch, "step", spied)
    env.prepare(5, [Learner(game, TINY).network()] * 2)
    seen, finished, seats = env.reset(), 0, set()
    for _ in range(200):
        states, seated = batch.states(), env._seats.copy()
        assert [state.player for state in states] == seated.tolist()
        seats |= set(seated.tolist())
        masks = env.action_masks()
        assert (masks == [state.action_mask() for state in states]).all()
        views = np.array([state.observation(normalize=False) for state in states])
        assert (seen == inputs(views)).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        ended.clear()
        seen, rewards, dones, infos = env.step(actions)
        assert len(infos) == n
        for row in range(n):
            if row in ended:
                paid, end = ended[row]
                assert dones[row]
                assert rewards[row] == paid[seated[row]] == end.returns[seated[row]]
                finished += 1
            else:
                assert not dones[row]
                assert rewards[row] == 0
                assert batch.infos["ply"][row] > states[row].ply
    assert finished > n
    assert seats == {0, 1}


def rows(path):
    with (path / "curve.csv").open(newline="") as file:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in csv.DictReader(file)]


def test_a_killed_training_goes_on_as_if_it_had_not_been(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    train(TINY, whole, 1500)
    command = [sys.executable, __file__, str(killed), "1500"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if int(line) > 512 + 64:  # in the middle of the third leg
                process.kill()
                break
    assert 512 <= int(rows(killed)[-1]["timesteps"]) < 1500
    train(TINY, killed, 1500)
    assert rows(killed) == rows(whole)
    for name in ("policy.safetensors", "curve.png"):
        assert (killed / name).stat().st_size
    assert (killed / "policy.safetensors").read_bytes() == (
        whole / "policy.safetensors"
    ).read_bytes()


def test_the_command_learns(tmp_path, capsys):
    assert main(["train", "kalah", "--timesteps", "65536", "--out", str(tmp_path)]) == 0
    first, last = rows(tmp_path)
    assert float(last["random_low"]) > float(first["random_high"])
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert read_policy(tmp_path).training["timesteps"] == 65536
    agent = f"policy:path={tmp_path}"
    capsys.readouterr()
    assert main(["play", "kalah", "--south", agent, "--north", "random", "--seed", "1"]) == 0
    assert "wins" in capsys.readouterr().out


class Printer:
    """Says on stdout how far a training has come."""

    def learnt(self, timesteps):
        print(timesteps, flush=True)

    def measured(self, point):
        pass


if __name__ == "__main__":
    train(TINY, Path(sys.argv[1]), int(sys.argv[2]), watcher=Printer())
