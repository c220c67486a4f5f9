"""The PettingZoo environments: PettingZoo's own tests, and what these do not look at."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from importlib import import_module
from pathlib import Path

import make_sheets
import numpy as np
import pettingzoo
import pytest
from helpers import LAST_MOVE_GAMES, NAMES
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

import mancala_ai as ma
import mancala_ai.envs
from mancala_ai.benchmarks.environments import app as benchmark
from mancala_ai.cli import run
from mancala_ai.envs.aec import AGENTS, MancalaAEC
from mancala_ai.errors import ArgumentError, IllegalActionError, OptionError, PositionError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # where pygame is installed, they import a deprecated module
    import pettingzoo.test as checks

# PettingZoo says this of every game that is not one of its own: it knows those by name
expects_its_own_games = (
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    # ... and this of a finished game, in which nothing is legal
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros"),
)

CASES = [
    *((name, {}) for name in NAMES),
    ("tsoro", {"columns": 5, "optional_bonus": True, "normalize": False}),
    ("omweso", {"setup": "random", "akakyala": True, "reward": "points"}),
    ("omweso", {"setup": "arrange", "max_laps": 12}),
    ("katro", {"rows": 2, "columns": 4, "direction": "kept", "lone_seed": True}),
    ("gore", {"trading": False, "reward": "margin"}),
    ("hoyito_iii", {"columns": 4, "reward": "margin", "normalize": False}),
    ("kalah", {"columns": 3, "max_plies": 9}),
    ("oware", {"repetition": "split_rows", "columns": 4, "reward": "points"}),
]
SHORT = [case for case in CASES if case not in [("tsoro", {}), ("katro", {}), ("oware", {})]]


def label(value):
    return ",".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else value


every_case = pytest.mark.parametrize(("name", "options"), CASES, ids=label)
every_short_case = pytest.mark.parametrize(("name", "options"), SHORT, ids=label)


def constructor(name, kind="env"):
    return getattr(import_module(f"mancala_ai.envs.{name}_v0"), kind)


def begun(name, seed=0, kind="raw_env", state=None, **options):
    """An environment in its first position, or in a given one."""
    env = constructor(name, kind)(**options)
    env.reset(seed=seed, options={"state": state})
    return env


def choose(rng, env):
    return rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist())


def play(env, rng, steps=10**6):
    """Random decisions until the game ends, or some of them; the actions."""
    actions = []
    while len(actions) < steps and not (any_end(env)):
        actions.append(choose(rng, env))
        env.step(actions[-1])
    return actions


def any_end(env):
    return any(env.terminations.values()) or any(env.truncations.values())


def told(env):
    """All that an environment tells of a game under way, in values that compare."""
    observations = {agent: env.observe(agent) for agent in AGENTS}
    return repr((
        env.agents, env.agent_selection, env.rewards, env.terminations, env.truncations,
        env.infos, env._cumulative_rewards, env.position, env.plies, observations,
    ))  # fmt: skip


# PettingZoo's own tests


@pytest.mark.parametrize("kind", ["env", "raw_env"])
@every_case
def test_api(name, options, kind, capsys):
    checks.api_test(constructor(name, kind)(**options))


for _mark in expects_its_own_games:
    test_api = _mark(test_api)


@every_case
def test_seed(name, options):
    checks.seed_test(lambda: constructor(name)(**options))


@every_short_case
def test_render(name, options, capsys):
    checks.render_test(lambda **more: constructor(name)(**options, **more))
    shown = capsys.readouterr().out
    assert "South" in shown and "North" in shown


@pytest.mark.parametrize("name", NAMES)
def test_save_obs(name, capsys):
    checks.test_save_obs(constructor(name)())  # planes are no picture, as it says


def test_pettingzoos_wrappers_fit():
    env = TerminateIllegalWrapper(begun("kalah"), illegal_reward=-1)
    env = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(env))
    for illegal in (False, True):
        env.reset(seed=0)
        rng, totals = random.Random(1), dict.fromkeys(AGENTS, 0.0)
        for agent in env.agent_iter():
            observation, reward, ended, _, _ = env.last()
            totals[agent] += reward
            legal = np.flatnonzero(observation["action_mask"]).tolist()
            action = None if ended else rng.choice(legal)
            if illegal and not ended and len(legal) < 6:
                action, offender = next(a for a in range(6) if a not in legal), agent
            env.step(action)
        if illegal:
            assert totals == {**dict.fromkeys(AGENTS, 0.0), offender: -1.0}
        else:
            assert tuple(totals.values()) == env.unwrapped.position.returns


# Made by name


@pytest.mark.parametrize("name", NAMES)
def test_made_by_pettingzoo(name):
    env = pettingzoo.make("aec", f"mancala_ai/{name}-v0", max_cycles=3, normalize=False)
    assert isinstance(env, MancalaAEC)
    assert env.metadata["name"] == str(env) == f"{name}_v0"
    assert env.game == ma.make(name)
    env.reset(seed=0)
    assert len(play(env, random.Random(0))) <= 3
    assert all(env.truncations.values()) and not any(env.terminations.values())
    assert env.observe("player_0")["observation"].dtype == np.uint8


def test_max_cycles_is_max_plies():
    for options in ({"max_plies": 4}, {"max_cycles": 4}, {"max_plies": 4, "max_cycles": 4}):
        env = begun("oware", **options)
        assert len(play(env, random.Random(0))) == 4
    with pytest.raises(OptionError, match="5 and 4 cannot both hold"):
        constructor("oware")(max_plies=5, max_cycles=4)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("kalah", {"rows": 2}, "no option 'rows'; its options are: columns, .*illegal"),
        ("kalah", {"columns": 99}, "option columns .* cannot be 99; allowed: 1 to 12"),
        ("kalah", {"max_plies": 0}, "option max_plies"),
        ("kalah", {"reward": "seeds"}, "allowed: outcome, points, margin"),
        ("kalah", {"normalize": 1}, "option normalize"),
        ("kalah", {"illegal": "ignore"}, "allowed: lose, raise"),
        ("kalah", {"render_mode": "svg"}, "allowed: human, ansi, rgb_array"),
        ("omweso", {"reward": "margin"}, "cannot be 'margin'; allowed: outcome, points$"),
    ],
)
def test_bad_options(name, options, message):
    with pytest.raises(OptionError, match=message):
        constructor(name)(**options)


@pytest.mark.parametrize("name", NAMES)
def test_sheets_have_the_tables_of_their_games(name):
    sheet = Path(make_sheets.ENVS, f"{name}_v0.py").read_text(encoding="utf-8")
    assert make_sheets.observation_table(name) in sheet
    assert make_sheets.options_table(name) in sheet
    assert make_sheets.with_tables(sheet, name) == sheet


# Playing


@every_case
def test_what_is_told_while_a_game_is_played(name, options):
    env, rng = constructor(name, "raw_env")(**options), random.Random(f"{name} {options}")
    env.reset(seed=rng.getrandbits(32))
    states = [env.position]
    while not any_end(env):
        position, mover = env.position, env.agent_selection
        assert mover == AGENTS[position.player]
        assert env.agents == list(AGENTS)
        for agent in AGENTS:
            seen, info = env.observe(agent), env.infos[agent]
            assert env.observation_space(agent).contains(seen)
            normalize = options.get("normalize", True)
            expected = position.observation(AGENTS.index(agent), normalize)
            np.testing.assert_array_equal(seen["observation"], expected)
            legal = position.action_mask() if agent == mover else np.zeros(env.game.num_actions)
            np.testing.assert_array_equal(seen["action_mask"], legal)
            np.testing.assert_array_equal(info["action_mask"], legal)
            seen["observation"][:], seen["action_mask"][:] = 0, 1  # it is the user's own
            again = env.observe(agent)
            np.testing.assert_array_equal(again["observation"], expected)
            np.testing.assert_array_equal(again["action_mask"], legal)
            assert seen["action_mask"].dtype == info["action_mask"].dtype == np.int8
            assert (info["ply"], info["points"], info["win_kind"]) == (env.plies, (0, 0), None)
            assert not info["annulled"] and not info["without_glory"]
        assert env.rewards == dict.fromkeys(AGENTS, 0.0)
        env.step(choose(rng, env))
        states.append(env.position)
        assert position.ply + 1 == env.position.ply == env.plies
    final = env.position
    for agent in AGENTS:
        info = env.infos[agent]
        assert not env.observe(agent)["action_mask"].any() and not info["action_mask"].any()
        assert (info["points"], info["win_kind"]) == (final.points, final.win_kind)
        assert info["annulled"] == final.annulled
        assert info["ply"] == len(states) - 1
    assert all(env.terminations.values()) == final.is_terminal
    assert all(env.truncations.values()) == (not final.is_terminal)


@pytest.mark.parametrize(
    ("name", "reward"),
    [
        *((name, reward) for name in NAMES for reward in ("outcome", "points")),
        *((name, "margin") for name in NAMES if name not in LAST_MOVE_GAMES),
    ],
)
def test_each_agent_is_paid_once(name, reward):
    short = {"tsoro": {"columns": 5}, "katro": {"columns": 5}, "gore": {"trading": False}}
    env = constructor(name)(reward=reward, max_plies=150, **short.get(name, {}))
    rng, results = random.Random(f"{name} {reward}"), set()
    for seed in range(12):
        env.reset(seed=seed)
        totals, mover = dict.fromkeys(AGENTS, 0.0), None
        told_of_end = []
        for agent in env.agent_iter():
            observation, paid, terminated, truncated, _ = env.last()
            totals[agent] += paid
            if terminated or truncated:
                told_of_end.append(agent)
                env.step(None)
                continue
            assert paid == 0
            mover = agent
            env.step(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
            assert sum(env.rewards.values()) == 0
        assert told_of_end[0] == mover and sorted(told_of_end) == list(AGENTS)
        assert env.agents == [] == list(env.rewards) == list(env.infos)
        final = env.position
        if not final.is_terminal or final.annulled:
            expected = 0.0
        elif reward == "outcome":
            expected = final.returns[0]
        else:
            held = final.points if reward == "points" else final.captured
            expected = held[0] - held[1]
        assert list(totals.values()) == [expected, -expected]
        results.add(expected)
    assert min(results) < 0 < max(results)


def test_rewards_of_an_annulled_and_a_drawn_game():
    annulled = begun("omweso", max_laps=1)
    rng = random.Random(0)
    while not annulled.position.annulled:
        annulled.reset()
        play(annulled, rng)
    assert set(annulled.rewards.values()) == {0.0} and all(annulled.terminations.values())
    assert annulled.infos["player_0"]["annulled"]
    assert annulled.infos["player_0"]["win_kind"] == "annulled"
    drawn = begun("kalah", columns=1, seeds=1, reward="points")
    drawn.step(0)
    assert set(drawn.rewards.values()) == {0.0}
    assert drawn.infos["player_1"]["points"] == (0.5, 0.5)


def test_a_winner_who_would_move_again_is_told_first():
    # the last seed falls into the store, which would be an extra turn
    env = begun("kalah", state="0,0,0,0,0,1/1,0,0,0,0,0 south captured=24,22")
    env.step(5)
    assert env.agent_selection == "player_0"
    assert env.last()[1:4] == (1.0, True, False)
    env.step(None)
    assert env.agent_selection == "player_1"
    assert env.last()[1:4] == (-1.0, True, False)
    env.step(None)
    assert env.agents == []


def test_without_glory():
    state = "3,0,0,0/0,0,0,0 south captured=20,25 declined=0,1"
    env = begun("gore", state=state)
    env.step(0)
    assert env.position.win_kind == "without_glory"
    assert env.infos["player_1"]["without_glory"] and env.rewards["player_1"] == 1.0


# The same agent again


def test_extra_turn_in_kalah():
    env = begun("kalah")
    env.step(2)  # four seeds from pit 2 end in the store
    assert env.agent_selection == "player_0" and env.plies == 1
    env.step(0)
    assert env.agent_selection == "player_1"


def test_passes_in_hoyito_and_gore():
    hoyito = begun("hoyito_iii", state="6,1,1,0,0,0/0,0,0,0,0,0 south captured=20,20")
    hoyito.step(2)
    assert hoyito.position.board[1].sum() == 0 and hoyito.agent_selection == "player_0"
    # North owns one pit of four, and it is empty
    gore = begun("gore", state="9,1,9,9/9,0,9,0 south captured=1,1 owner=0,0,0,0,0,0,0,1")
    gore.step(1)
    assert gore.agent_selection == "player_0" and gore.plies == 1


@pytest.mark.parametrize(
    ("name", "options", "phases", "repeated"),
    [
        ("tsoro", {"columns": 8}, {"sow", "head", "bonus"}, {"head", "bonus"}),
        ("omweso", {"setup": "arrange"}, {"sow", "lap", "arrange"}, {"lap", "arrange"}),
        ("gore", {}, {"sow", "answer"}, {"sow"}),
    ],
)
def test_turns_of_several_decisions(name, options, phases, repeated):
    env, rng, met, again = constructor(name)(**options), random.Random(name), set(), set()
    for seed in range(8):
        env.reset(seed=seed)
        before = None
        for agent in env.agent_iter():
            if env.terminations[agent] or env.truncations[agent]:
                env.step(None)
                continue
            met.add(env.position.phase)
            if agent == before:
                again.add(env.position.phase)
            before = agent
            env.step(choose(rng, env))
    assert (met, again) == (phases, repeated)


# The end by max_plies


@every_case
def test_max_plies_truncates_and_pays_nothing(name, options):
    env = begun(name, **{**options, "max_plies": 2})
    assert len(play(env, random.Random(0))) == 2
    assert env.truncations == dict.fromkeys(AGENTS, True)
    assert env.terminations == dict.fromkeys(AGENTS, False)
    assert env.rewards == env._cumulative_rewards == dict.fromkeys(AGENTS, 0.0)
    assert env.infos["player_0"]["points"] == (0.0, 0.0)
    assert env.infos["player_0"]["win_kind"] is None
    for _ in AGENTS:
        assert env.last()[1:4] == (0.0, False, True)
        env.step(None)
    assert env.agents == []


def test_a_game_that_ends_with_its_last_ply_has_a_result():
    state = "0,0,0,0,0,1/1,0,0,0,0,0 south captured=24,22"
    env = begun("kalah", max_plies=1, state=state)
    env.step(5)
    assert env.terminations["player_0"] and not env.truncations["player_0"]
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}


# Copies


@pytest.mark.parametrize("make_copy", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@every_short_case
def test_copies_keep_everything(name, options, make_copy):
    rng = random.Random(f"copies of {name} {options}")
    env = constructor(name)(render_mode="ansi", **options)
    env.reset(seed=5)
    play(env, rng, steps=4)
    other = make_copy(env)
    assert other.render_mode == "ansi" and other.render() == env.render()
    for seed in range(2):
        assert told(other) == told(env)
        actions = play(env, random.Random(seed))
        assert told(other) != told(env)
        for action in actions:
            other.step(action)
        for either in (env, other):
            assert told(other) == told(env)
            either.last()
        env.step(None)
        other = make_copy(env)  # while one agent has still to be told
        assert (other.agents, other.agent_selection) == (env.agents, env.agent_selection)
        assert other.last()[1:4] == env.last()[1:4]
        env.step(None)
        other.step(None)
        env.reset()
        other.reset()  # with the random numbers that follow
        assert env.position == other.position


@every_short_case
def test_states_of_an_environment(name, options):
    env, rng = begun(name, seed=2, **options), random.Random(f"states of {name} {options}")
    play(env, rng, steps=3)
    kept, before = pickle.loads(pickle.dumps(env.get_state())), told(env)
    actions = play(env, rng)
    env.step(None)
    after = repr((env.agents, env.rewards, env.infos))
    for target in (env, constructor(name, "raw_env")(**options)):
        target.set_state(kept)
        assert told(target) == before
        for action in [*actions, None]:
            target.step(action)
        assert repr((target.agents, target.rewards, target.infos)) == after


def test_states_that_do_not_fit():
    env, other = begun("kalah"), begun("oware")
    for state in (None, {}, {"position": 3}, env.position):
        with pytest.raises(ArgumentError, match=r"get_state\(\)"):
            env.set_state(state)
    with pytest.raises(ArgumentError, match=r"a state of make\('kalah'\) is needed"):
        env.set_state(other.get_state())


# Wrong actions


ILLEGAL = (6, -1, 99, 2.0, "2", None, True, np.float32(2), [2], np.array([2]))


@pytest.mark.parametrize("kind", ["env", "raw_env"])
@pytest.mark.parametrize("action", ILLEGAL, ids=repr)
def test_actions_that_do_not_exist_raise(action, kind):
    env = begun("kalah", kind=kind)
    env.step(2)
    before = told(env)
    with pytest.raises(IllegalActionError, match="is not an integer from 0 to 5"):
        env.step(action)
    assert told(env) == before


@pytest.mark.parametrize("action", [np.int8(2), np.int64(2), np.array(2), 2])
def test_integers_of_numpy_are_actions(action):
    env = begun("kalah")
    env.step(action)
    assert env.position == ma.make("kalah").initial_state().apply(2)


def test_illegal_actions_raise():
    for env in (begun("kalah"), begun("kalah", kind="env", illegal="raise")):
        env.step(2)
        before = told(env)
        with pytest.raises(IllegalActionError, match="not legal for south in phase 'sow'"):
            env.step(2)
        assert told(env) == before


def test_illegal_actions_lose():
    for env in (begun("kalah", kind="env"), begun("kalah", illegal="lose")):
        env.step(2)
        position = env.position
        env.step(2)
        assert env.position == position and env.plies == 1
        assert env.terminations == dict.fromkeys(AGENTS, True)
        assert env.truncations == dict.fromkeys(AGENTS, False)
        assert env.infos["player_0"]["win_kind"] is None
        told_of_end = []
        for agent in env.agent_iter():
            observation, reward, terminated, _, _ = env.last()
            told_of_end.append((agent, reward, terminated))
            assert not observation["action_mask"].any()
            env.step(None)
        assert told_of_end == [("player_0", -1.0, True), ("player_1", 0.0, True)]


def test_steps_after_the_end():
    env = begun("kalah", columns=1, seeds=1)
    env.step(0)
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)
    env.step(None)
    env.step(None)
    with pytest.raises(ArgumentError, match=r"step\(\) comes after reset\(\)"):
        env.step(None)
    env.reset()
    env.step(0)


def test_before_reset():
    env = constructor("kalah")()
    for use in (
        lambda: env.step(0), lambda: env.observe("player_0"), env.last, env.get_state,
        lambda: next(env.agent_iter()), lambda: env.agents, lambda: env.rewards,
        lambda: env.render(),
    ):  # fmt: skip
        with pytest.raises(AttributeError, match=r"cannot be used before reset\(\)"):
            use()
    with pytest.raises(AttributeError, match="has no attribute 'board'"):
        env.board  # noqa: B018
    assert env.possible_agents == list(AGENTS) and not hasattr(env, "agents")


def test_a_loop_without_steps():
    env = begun("kalah")
    with pytest.raises(ArgumentError, match="has to be called in a loop"):
        for _ in env.agent_iter():
            pass
    assert list(env.agent_iter(max_iter=1)) == ["player_0"]


def test_agents_that_do_not_exist():
    with pytest.raises(ArgumentError, match="player_0, player_1, not 'south'"):
        begun("kalah").observe("south")


# The start


@every_case
def test_seeds_deal_as_the_game_does(name, options):
    env = constructor(name)(**options)
    for seed in (0, np.int64(7), 2**63):
        env.reset(seed=seed)
        assert env.position == env.game.initial_state(int(seed))
    starts = []
    for _ in range(2):
        env.reset(seed=3)
        starts.append([(env.reset(), env.position)[1] for _ in range(4)])
    assert starts[0] == starts[1]
    assert (len(set(starts[0])) > 1) == (options.get("setup") == "random")


def test_unseeded_games_differ():
    positions = set()
    for _ in range(3):
        env = constructor("omweso")(setup="random")
        env.reset()
        positions.add(env.position)
    assert len(positions) == 3


def test_given_starts():
    game = ma.make("hoyito_iii")
    state = game.initial_state().apply(3)
    for given in (state, state.to_text()):
        env = begun("hoyito_iii", state=given, max_plies=2)
        assert env.position == state and env.agent_selection == AGENTS[state.player]
        assert env.infos["player_0"]["ply"] == env.plies == 0
        assert len(play(env, random.Random(0))) == 2
    env.reset(options={"captured": (20, 28), "nonsense": 1})
    assert env.position == game.initial_state(captured=(20, 28))
    env.reset(options={"setup": "random"})  # of another game: ignored
    assert env.position == game.initial_state()
    omweso = constructor("omweso")()
    omweso.reset(seed=4, options={"setup": "random"})
    assert omweso.position == omweso.game.initial_state(4, setup="random")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"state": 3}, ArgumentError, r"a state of make\('kalah'\), not 3"),
        ({"state": ma.make("kalah", seeds=5).initial_state()}, ArgumentError, "a state of"),
        ({"state": "nonsense"}, PositionError, "too short"),
        ({"state": "0,0,0,0,0,0/0,0,0,0,0,0 south"}, ArgumentError, r"finished already \(draw\)"),
        ({"state": "9,9,9,9,9,9/9,9,9,9,9,9 south"}, ArgumentError, "108 seeds, more than the 48"),
    ],
)
def test_starts_that_do_not_fit(options, error, message):
    env = begun("kalah")
    env.step(2)
    before = told(env)
    with pytest.raises(error, match=message):
        env.reset(options=options)
    assert told(env) == before


@pytest.mark.parametrize("seed", [-1, 1.0, "1", 2**64, True])
def test_seeds_that_are_none(seed):
    with pytest.raises(ArgumentError, match="seed is an integer from 0"):
        constructor("kalah")().reset(seed=seed)


# Pictures


def test_pictures(capsys):
    env = begun("omweso", render_mode="ansi")
    assert env.render() == str(env.position)
    env = begun("omweso", render_mode="rgb_array")
    picture = env.render()
    assert picture.shape[1:] == (512, 3) and picture.dtype == np.uint8
    env.step(choose(random.Random(0), env))
    assert (env.render() != picture).any()
    assert capsys.readouterr().out == ""
    env = begun("omweso", render_mode="human")
    assert capsys.readouterr().out == f"{env.position}\n\n"
    env.step(choose(random.Random(0), env))
    assert capsys.readouterr().out == f"{env.position}\n\n"
    assert env.render() is None
    assert capsys.readouterr().out == f"{env.position}\n\n"
    env.close()
    env.close()


def test_no_picture_without_a_render_mode():
    with pytest.warns(UserWarning, match="no render_mode"):
        assert begun("kalah").render() is None


# The benchmark


def test_benchmark(capsys):
    assert run(benchmark, ["kalah", "--steps", "30", "--rounds", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("kalah ") and float(lines[-1].split()[1].replace(",", "")) > 0
