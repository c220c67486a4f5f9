"""Policies: their files, their judgment, and the agent that plays as they say.

How they are trained is tested in ``test_train.py``.
"""

from __future__ import annotations

import copy
import json
import math
import pickle
import random
import re

import numpy as np
import pytest
from helpers import NAMES, WIDTHS, option_sets, random_policy, walk
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import mancala_ai as ma
from mancala_ai.agents import make_agent
from mancala_ai.agents.network import (
    FILE_NAME,
    KEY,
    Inputs,
    Layer,
    Network,
    Policy,
    read_policy,
    write_policy,
)
from mancala_ai.cli import main
from mancala_ai.errors import AgentError, ArgumentError, OptionError
from mancala_ai.observation import Stored


@pytest.fixture
def saved(tmp_path):
    """The file of a random policy for Kalah."""
    path = tmp_path / FILE_NAME
    write_policy(random_policy(ma.make("kalah")), path)
    return path


def positions(game, seed=0, n=12):
    """Live states of a random game, and of another one if the first is short."""
    rng, found = random.Random(seed), []
    while len(found) < n:
        found += [state for state, _ in walk(rng, game.initial_state(seed), 60)]
    return rng.sample(found, n)


# The slow way -----------------------------------------------------------------


def fed_slowly(state):
    """What a network is fed, number by number."""
    planes = state.observation(normalize=False).reshape(-1, len(state.game.observation_planes))
    plain, signs = [], []
    for k, plane in enumerate(state.game.observation_planes):
        column = planes[:1, k] if isinstance(plane.source, Stored) else planes[:, k]
        for number in column.tolist():
            plain.append(number / max(1, min(plane.most, 16)))
            if plane.most > 1:
                signs += [float(number == sign) for sign in range(16)]
    return plain + signs


def through_slowly(layers, numbers):
    for i, (weight, bias) in enumerate(layers):
        numbers = [
            math.fsum(w * x for w, x in zip(row, numbers, strict=True)) + b
            for row, b in zip(weight.tolist(), bias.tolist(), strict=True)
        ]
        if i < len(layers) - 1:
            numbers = [max(x, 0) for x in numbers]
    return numbers


def judged_slowly(policy, state):
    """The probability of each legal action, and the value."""
    fed = fed_slowly(state)
    numbers = through_slowly(policy.network.policy, fed)
    weights = {action: math.exp(numbers[action]) for action in state.legal_actions()}
    (value,) = through_slowly(policy.network.value, fed)
    total = sum(weights.values())
    return {a: w / total for a, w in weights.items()}, min(max(value, -1), 1)


@pytest.mark.parametrize("name", NAMES)
def test_a_judgment_is_that_of_the_slow_network(name):
    for number, options in enumerate(option_sets(name, 3, seed=8)):
        game = ma.make(name, **options)
        policy, states = random_policy(game, number, 0.2), positions(game, number)
        probabilities, values = policy.judge(states)
        assert probabilities.shape == (len(states), game.num_actions)
        assert values.shape == (len(states),)
        for state, row, value in zip(states, probabilities, values, strict=True):
            shares, expected = judged_slowly(policy, state)
            assert {a: p for a, p in enumerate(row.tolist()) if p > 0}.keys() <= shares.keys()
            assert row[list(shares)] == pytest.approx(list(shares.values()), abs=1e-5)
            assert value == pytest.approx(expected, abs=1e-5)


def test_values_go_up_to_a_sure_win_and_no_further():
    game = ma.make("kalah")
    plain = random_policy(game).network
    for bias, expected in ((30, 1), (-30, -1), (0.25, 0.25)):
        last = Layer(np.zeros_like(plain.value[-1].weight), np.array([bias], np.float32))
        policy = Policy(game, Network(plain.policy, [*plain.value[:-1], last]))
        assert policy.judge([game.initial_state()])[1].tolist() == [expected]


# Files --------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_is_read_as_it_was_written(name, tmp_path):
    for number, options in enumerate(option_sets(name, 4, seed=2)):
        policy = random_policy(ma.make(name, **options), number)
        write_policy(policy, tmp_path / FILE_NAME)
        again = read_policy(tmp_path)  # the folder serves as well as the file
        assert again.game == policy.game
        assert again.training == {"timesteps": 0}
        states = positions(policy.game, number)
        for one, other in zip(policy.judge(states), again.judge(states), strict=True):
            assert (one == other).all()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_the_file_is_of_plain_arrays_and_a_text(saved):
    with safe_open(saved, framework="np") as file:
        described = json.loads(file.metadata()[KEY])
    assert described["game"] == "kalah"
    assert described["network"]["policy"] == [Inputs(ma.make("kalah")).size, *WIDTHS, 6]
    assert described["observation"]["shape"] == [1, 6, 6]
    assert {array.dtype for array in load_file(saved).values()} == {np.dtype(np.float32)}
    assert len(load_file(saved)) == 12


def rewritten(path, described=(), **arrays):
    """A policy's file with parts of its text and arrays replaced; None takes one out."""
    with safe_open(path, framework="np") as file:
        text = json.loads(file.metadata()[KEY]) | dict(described)
    both = load_file(path) | {name.replace("_", "."): array for name, array in arrays.items()}
    save_file({n: a for n, a in both.items() if a is not None}, path, {KEY: json.dumps(text)})


def refused(path, match):
    with pytest.raises(AgentError, match=match) as caught:
        make_agent(f"policy:path={path}")
    message = str(caught.value)
    assert message.startswith(f"no policy can be read from {path}")
    assert "\n" not in message


OTHERS = {"shape": [1, 6, 6], "planes": []}


@pytest.mark.parametrize(
    ("described", "match"),
    [
        ({"format": 2}, "its format is 2, and 1 can be read"),
        ({"format": None}, "its format is None"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": ["kalah"]}, "unknown game"),
        ({"game": "kalah:seeds=99"}, "option seeds of kalah cannot be 99"),
        ({"game": "hoyito_iii"}, "other observations of hoyito_iii"),
        ({"game": "kalah:columns=5"}, "other observations of kalah"),
        ({"observation": OTHERS}, "other observations of kalah"),
    ],
)
def test_texts_that_are_refused(saved, described, match):
    rewritten(saved, described)
    refused(saved, match)


def numbers(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


@pytest.mark.parametrize(
    ("arrays", "match"),
    [
        ({"value_2_bias": None}, "weights are missing: value.2.weight|there are"),
        ({"policy_1_weight": None, "policy_1_bias": None}, "weights are missing: policy.1.weight"),
        ({f"value_{i}_{k}": None for i in range(3) for k in ("weight", "bias")}, "missing: value"),
        ({"odd": numbers(3)}, "there are 13 arrays, and 12 are expected"),
        ({"policy_0_weight": numbers(9, 3)}, r"policy.0.weight is float32 of shape \(9, 2"),
        ({"policy_2_weight": numbers(7, 5)}, r"policy.2.weight is float32 of shape \(6, 5\)"),
        ({"policy_2_bias": numbers(7)}, r"policy.2.bias is float32 of shape \(6,\)"),
        ({"value_2_bias": numbers(6)}, r"value.2.bias is float32 of shape \(1,\)"),
        ({"value_1_bias": numbers()}, r"value.1.weight is float32 of shape \(1, 9\)"),
        ({"value_1_bias": numbers(5, dtype=np.float64)}, "not float64"),
        ({"value_1_bias": np.full(5, np.nan, np.float32)}, "value.1.bias holds what is no number"),
    ],
)
def test_arrays_that_are_refused(saved, arrays, match):
    rewritten(saved, **arrays)
    refused(saved, match)


def test_files_that_are_no_policies(saved, tmp_path):
    whole = saved.read_bytes()
    refused(tmp_path / "nothing", "there is no such file|No such file")
    (tmp_path / "folder").mkdir()
    with pytest.raises(AgentError, match=f"folder.{FILE_NAME}: "):
        make_agent(f"policy:path={tmp_path / 'folder'}")
    save_file({"a": numbers(2)}, saved)
    refused(saved, "does not say that it is a policy of mancala_ai")
    save_file({"a": numbers(2)}, saved, {KEY: "[" * 100_000})
    refused(saved, "recursion")
    save_file({"a": numbers(2)}, saved, {KEY: "{not JSON"})
    refused(saved, "Expecting property name")
    for length in (0, 7, 8, 100, len(whole) - 1):
        saved.write_bytes(whole[:length])
        refused(saved, "eader|ncomplete|does not say")


def test_a_file_with_damaged_bytes_is_refused_or_plays(saved):
    whole, rng = bytearray(saved.read_bytes()), random.Random(5)
    state, said, played = ma.make("kalah").initial_state(), [], 0
    header = int.from_bytes(whole[:8], "little") + 8
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            damaged[rng.randrange(rng.choice((header, len(whole))))] = rng.randrange(256)
        saved.write_bytes(damaged)
        try:
            action = make_agent(f"policy:path={saved}").act(state)
        except (AgentError, ArgumentError) as error:  # or it is for another game now
            said.append(str(error))
        else:
            assert action in state.legal_actions()
            played += 1
    assert played
    assert said
    assert not any("\n" in message for message in said)


def test_weights_that_lead_to_no_numbers(saved):
    huge = {f"policy_{i}_weight": load_file(saved)[f"policy.{i}.weight"] * 1e38 for i in range(3)}
    rewritten(saved, **{name: np.nan_to_num(array) for name, array in huge.items()})
    agent = make_agent(f"policy:path={saved}")
    with pytest.raises(AgentError, match="it answers no numbers"):
        agent.act(ma.make("kalah").initial_state())


# The agent ------------------------------------------------------------------------


def test_the_likeliest_action_is_played_and_all_is_reported(saved):
    agent, policy = make_agent("policy", path=str(saved)), read_policy(saved)
    assert agent.spec == f"policy:path={saved}"
    for state in positions(policy.game, n=30):
        shares, value = judged_slowly(policy, state)
        action = agent.act(state)
        info = agent.last_info
        assert shares[action] == max(shares.values())
        assert info["policy"] == pytest.approx(shares, abs=1e-5)
        assert info["value"] == pytest.approx((1 + value) / 2, abs=1e-5)
        assert (info["objective"], info["proven"], info["nodes"]) == ("win", False, 1)
        assert info["principal_variation"] == [action]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 100.0])
def test_actions_are_drawn_by_temperature(saved, temperature):
    agent = make_agent(f"policy:temperature={temperature},path={saved}", seed=4)
    state = agent.policy.game.initial_state()
    counts, draws = dict.fromkeys(state.legal_actions(), 0), 3000
    for _ in range(draws):
        counts[agent.act(state)] += 1
    weights = {a: p ** (1 / temperature) for a, p in agent.last_info["policy"].items()}
    for action, weight in weights.items():
        share = weight / sum(weights.values())
        assert abs(counts[action] / draws - share) < 4 * math.sqrt(share * (1 - share) / draws)


def test_the_seed_decides_what_is_drawn(saved):
    state = ma.make("kalah").initial_state()

    def drawn(seed):
        agent = make_agent(f"policy:temperature=1,path={saved}", seed)
        return [agent.act(state) for _ in range(30)]

    assert drawn(-3) == drawn(-3)
    assert drawn(-3) != drawn(3)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
def test_copies_play_on_alike(saved, copied):
    agent = make_agent(f"policy:temperature=1,path={saved}", seed=2)
    state = agent.policy.game.initial_state()
    agent.act(state)
    again = copied(agent)
    saved.unlink()  # it was read once, and is not needed any more
    assert [again.act(state) for _ in range(20)] == [agent.act(state) for _ in range(20)]


def test_options_that_are_refused(saved):
    with pytest.raises(OptionError, match="option path of policy is needed"):
        make_agent("policy")
    with pytest.raises(OptionError, match="option temperature of policy cannot be"):
        make_agent(f"policy:temperature=-1,path={saved}")


@pytest.mark.parametrize("spec", ["oware", "kalah:seeds=3", "kalah:columns=4"])
def test_other_games_are_refused(saved, spec):
    agent = make_agent(f"policy:path={saved}")
    with pytest.raises(ArgumentError, match=f"cannot act: .* for kalah, not for {spec}"):
        agent.act(ma.make(spec).initial_state())


def test_a_policy_guides_a_search(saved):
    policy, state = read_policy(saved), ma.make("kalah").initial_state()
    agent = make_agent("mcts:num_simulations=64", evaluator=policy.judge)
    assert agent.act(state) in state.legal_actions()
    assert sum(agent.last_info["visit_counts"].values()) == 64
    # the shares of what is judged worse go to the likelier actions as c_puct grows
    bound = make_agent("mcts:num_simulations=300,c_puct=100", evaluator=policy.judge)
    bound.act(state)
    visits = bound.last_info["visit_counts"]
    shares = judged_slowly(policy, state)[0]
    assert [visits[a] / 300 for a in shares] == pytest.approx(list(shares.values()), abs=0.02)


# The command ------------------------------------------------------------------------


def test_a_policy_plays_and_analyses(saved, capsys, tmp_path):
    game = tmp_path / "game.txt"
    line = ["play", "kalah", "--south", f"policy:path={saved}", "--north", "random", "--seed", "1"]
    assert main([*line, "--record", str(game)]) == 0
    out = capsys.readouterr().out
    assert f"South is policy:path={saved}, North is random." in out
    record, agent = ma.read_record(game), make_agent(f"policy:path={saved}")
    assert record.final.is_terminal
    for state, action in zip(record.states(), record.actions, strict=False):
        assert state.player == 1 or agent.act(state) == action
    assert main(["analyse", "kalah", "--agent", f"policy:path={saved}", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["objective"] == "win"
    assert all(0 <= move["value"] <= 1 and not move["proven"] for move in report["moves"])


@pytest.mark.parametrize(
    ("spec", "match"),
    [
        ("policy", "option path of policy is needed"),
        ("policy:path=nowhere", "no policy can be read from nowhere: "),
    ],
)
def test_a_policy_that_cannot_be_read_ends_a_command(capsys, spec, match):
    assert main(["play", "kalah", "--south", spec, "--north", "random"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(f"mancala: .*{match}.*\n", captured.err)


def test_a_policy_of_another_game_ends_a_command(saved, capsys):
    line = ["play", "oware", "--south", f"policy:path={saved}", "--north", "random"]
    assert main(line) == 2
    assert "was trained for kalah, not for oware" in capsys.readouterr().err
