"""Batches: every row is the scalar game of its seed, whatever the threads and the other rows."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mancala_ai as ma
from mancala_ai.agents import make_agent
from mancala_ai.benchmarks.batch import batch as run_benchmark
from mancala_ai.errors import ArgumentError, IllegalActionError
from mancala_ai.rng import GOLDEN, draw_below, stream

MASK64 = 2**64 - 1

# a game of each kind, with what makes its rows differ or end
SPECS = (
    "tsoro:columns=8",
    "omweso:setup=random,max_laps=12",
    "omweso:setup=arrange",
    "katro:direction=kept,columns=4",
    "gore",
    "hoyito_iii:columns=4",
    "kalah:columns=4",
    "oware:repetition=split_rows,columns=4,seeds=2",
)


class Twin:
    """One row of a batch, played by States."""

    def __init__(self, game: ma.Game, seed: int, max_plies: int) -> None:
        self.game, self.max_plies = game, max_plies
        self.begin(seed)

    def begin(self, seed: int) -> None:
        self.state = self.game.initial_state(seed)

    @property
    def is_truncated(self) -> bool:
        return not self.state.is_terminal and self.state.ply >= self.max_plies

    @property
    def has_ended(self) -> bool:
        return self.state.is_terminal or self.is_truncated


def assert_row_shows(batch: ma.Batch, row: int, twin: Twin) -> None:
    state, infos = twin.state, batch.infos
    found = batch.state(row)
    assert (found, found.ply) == (state, state.ply)
    assert found.captured.tolist() == state.captured.tolist()
    assert found.legal_actions() == state.legal_actions()
    np.testing.assert_array_equal(batch.observation[row], state.observation())
    mask = np.ones_like(state.action_mask()) if twin.has_ended else state.action_mask()
    np.testing.assert_array_equal(infos["action_mask"][row], mask)
    assert infos["player"][row] == state.player
    assert tuple(infos["points"][row]) == state.points
    assert infos["annulled"][row] == state.annulled
    assert infos["ply"][row] == state.ply
    assert tuple(batch.rewards[row]) == state.returns
    assert batch.terminations[row] == state.is_terminal
    assert batch.truncations[row] == twin.is_truncated


@pytest.mark.parametrize("spec", SPECS)
def test_rows_are_scalar_games(spec):
    game = ma.make(spec)
    batch = game.batch(7, seed=3, max_plies=45)
    twins = [Twin(game, int(seed), 45) for seed in batch.seeds]
    ends = 0
    for _ in range(100):
        for row, twin in enumerate(twins):
            assert_row_shows(batch, row, twin)
        actions = batch.random_actions().copy()
        batch.step(actions)
        for row, twin in enumerate(twins):
            if twin.has_ended:
                ends += 1
                twin.begin(int(batch.seeds[row]))
            else:
                twin.state = twin.state.apply(int(actions[row]))
    assert ends >= 7


@pytest.mark.parametrize("spec", ["omweso:setup=random", "kalah", "oware:repetition=split_rows"])
def test_random_actions_lead_through_the_games_of_random_games(spec):
    game = ma.make(spec)
    batch = game.batch(20, seed=8)
    first_games = batch.seeds.copy()
    played = [game.random_games(1, seed=seed) for seed in first_games]
    waiting = set(range(20))
    while waiting:
        _, _, terminations, _, infos = batch.step(batch.random_actions())
        for row in sorted(waiting & set(np.flatnonzero(terminations))):
            assert infos["ply"][row] == played[row].plies[0]
            assert tuple(infos["points"][row]) == tuple(played[row].points[0])
            waiting.remove(row)


def after_steps(batch: ma.Batch, steps: int) -> list[np.ndarray]:
    """What a batch shows and remembers after some random steps."""
    for _ in range(steps):
        batch.step(batch.random_actions())
    arrays = [batch.observation, batch.rewards, batch.terminations, batch.truncations, batch.seeds]
    return [array.copy() for array in (*arrays, *batch.infos.values())]


@pytest.fixture
def many_threads(monkeypatch):
    """Let a few rows be enough for another thread."""
    monkeypatch.setattr(ma.batch, "ROWS_OF_A_THREAD", 300)


def test_threads_change_nothing(many_threads):
    game = ma.make("kalah")
    one, two, three = (
        after_steps(game.batch(3100, seed=1, threads=threads, max_plies=30), 70)
        for threads in (1, 2, 3)
    )
    for arrays in zip(one, two, three, strict=True):
        np.testing.assert_array_equal(arrays[0], arrays[1])
        np.testing.assert_array_equal(arrays[0], arrays[2])


FORKED = """
import os, signal, warnings
import mancala_ai as ma
import mancala_ai.batch

warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, from Python 3.12
mancala_ai.batch.ROWS_OF_A_THREAD = 1000
batch = ma.make("kalah").batch(2100, seed=2, threads=2)
batch.step(batch.random_actions())
process = os.fork()
if not process:
    signal.alarm(60)  # what hangs is killed
seen = batch.step(batch.random_actions())[0].tobytes()
with open("seen" + str(bool(process)), "wb") as file:
    file.write(seen)
if process:
    assert os.waitpid(process, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_batch_goes_on_in_a_forked_process(tmp_path):
    subprocess.run([sys.executable, "-c", FORKED], cwd=tmp_path, check=True)
    assert (tmp_path / "seenTrue").read_bytes() == (tmp_path / "seenFalse").read_bytes()


def test_batches_may_be_stepped_from_several_threads_at_once(many_threads):
    game = ma.make("kalah")
    alone = after_steps(game.batch(2100, seed=2), 60)
    with ThreadPoolExecutor(3) as pool:
        batches = [game.batch(2100, seed=2, threads=2) for _ in range(3)]
        for found in pool.map(after_steps, batches, [60] * 3):
            for array, expected in zip(found, alone, strict=True):
                np.testing.assert_array_equal(array, expected)


def test_a_row_is_the_same_in_a_larger_batch():
    game = ma.make("omweso:setup=random")
    few, many = (after_steps(game.batch(n, seed=-5), 90) for n in (3, 11))
    for small, large in zip(few, many, strict=True):
        np.testing.assert_array_equal(small, large[:3])


def test_seeds_follow_the_rule():
    batch = ma.make("omweso:setup=random").batch(3, seed=11)
    for game in range(3):
        assert batch.seeds.tolist() == [stream(stream(11, row), game) for row in range(3)]
        observation, infos = batch.reset()
        assert observation is batch.observation and infos is batch.infos
    batch.reset(seed=11)
    assert batch.seeds.tolist() == [stream(stream(11, row), 0) for row in range(3)]
    assert batch.states() == [batch.game.initial_state(int(seed)) for seed in batch.seeds]


def test_a_step_after_the_end_ignores_its_action_and_begins_the_next_game():
    batch = ma.make("kalah:columns=2,seeds=2").batch(1, seed=4)
    while not batch.terminations[0]:
        seed = batch.seeds[0]
        batch.step(batch.random_actions())
    assert batch.infos["action_mask"].all() and abs(batch.rewards[0]).sum() in (0, 2)
    assert batch.seeds[0] == seed
    batch.step([-77])
    assert batch.seeds[0] != seed and batch.state(0) == batch.game.initial_state()
    assert not batch.terminations[0] and not batch.rewards.any()


@pytest.mark.parametrize("spec", ["kalah:columns=2,seeds=2", "oware:seeds=1,repetition=split_rows"])
def test_rows_that_step_alone(spec):
    whole, parts = (ma.make(spec).batch(6, seed=3, max_plies=9) for _ in range(2))
    rng = np.random.default_rng(2)
    for _ in range(40):
        actions = whole.random_actions().copy()
        actions[whole.terminations] = -1  # which is ignored
        whole.step(actions)
        for rows in np.split(rng.permutation(6), [2, 2, 5]):
            others = np.setdiff1d(np.arange(6), rows)
            before = parts.copy()
            parts.step(actions[rows], rows)
            for name in ("observation", "rewards", "terminations", "truncations", "seeds"):
                array = getattr(parts, name)
                np.testing.assert_array_equal(array[rows], getattr(whole, name)[rows])
                np.testing.assert_array_equal(array[others], getattr(before, name)[others])
        for name, array in parts.infos.items():
            np.testing.assert_array_equal(array, whole.infos[name])
        assert parts.states() == whole.states()


@pytest.mark.parametrize("rows", [[0, 0], [0, 3], [-1], [0.5], [[0]], ["0"], [True], 0])
def test_rows_that_cannot_step_alone(rows):
    batch = ma.make("kalah").batch(3)
    with pytest.raises(ArgumentError, match="rows are integers from 0 to 2, none twice, not"):
        batch.step([0] * np.size(rows), rows)
    with pytest.raises(ArgumentError, match="actions are 2 integers, one for each game"):
        batch.step([0, 0, 0], [0, 1])
    with pytest.raises(IllegalActionError, match="row 2: action 6 of kalah is not"):
        batch.step([0, 6], [1, 2])
    assert batch.infos["ply"].tolist() == [0, 0, 0]


def test_counts_instead_of_fractions():
    game = ma.make("kalah:columns=4")
    batch = game.batch(5, normalize=False)
    for _ in range(30):
        assert batch.observation.dtype == np.uint8
        for row in range(5):
            expected = batch.state(row).observation(normalize=False)
            np.testing.assert_array_equal(batch.observation[row], expected)
        batch.step(batch.random_actions())


def test_rewards_by_points_and_margin():
    omweso = ma.make("omweso").batch(30, reward="points")
    kalah = ma.make("kalah:columns=3").batch(30, reward="margin", max_plies=12)
    seen = {"omweso": set(), "kalah": set()}
    for batch in (omweso, kalah):
        for _ in range(120):
            _, rewards, terminations, truncations, infos = batch.step(batch.random_actions())
            assert not rewards[~terminations].any()
            np.testing.assert_array_equal(rewards[:, 0], -rewards[:, 1])
            for row in np.flatnonzero(terminations):
                captured = batch.state(row).captured
                paid = infos["points"][row] if batch is omweso else captured
                assert rewards[row, 0] == paid[0] - paid[1]
                seen[batch.game.name].add(float(rewards[row, 0]))
    assert {1.0, -1.0, 2.0, -2.0} <= seen["omweso"] and len(seen["kalah"]) > 5


# Opponents --------------------------------------------------------------------


def drawn_action(state: ma.State, seed: int) -> int:
    """The random action of a game of a seed; such a game has nothing random in its set-up."""
    numbers = stream(seed, 0) + GOLDEN * state.ply & MASK64
    legal = state.legal_actions()
    return legal[draw_below(numbers, len(legal))]


def let_play(state: ma.State, seat: int, choose) -> ma.State:
    while not state.is_terminal and state.player != seat:
        state = state.apply(choose(state))
    return state


@pytest.mark.parametrize("spec", ["kalah:columns=4", "tsoro:columns=4"])
@pytest.mark.parametrize(("opponent", "seat"), [("random", 0), ("random", "random"), ("first", 1)])
def test_an_opponent_plays_the_other_seat(spec, opponent, seat):
    game, n = ma.make(spec), 6
    player = opponent if opponent == "random" else make_agent(opponent)
    batch = game.batch(n, seed=9, opponent=player, seat=seat)
    seats, states, ends = batch.infos["seat"], [None] * n, 0
    began = [True] * n
    played_seats = set()
    for _ in range(150):
        for row in range(n):
            seed = int(batch.seeds[row])

            def choose(state, seed=seed):
                return (
                    state.legal_actions()[0] if opponent == "first" else drawn_action(state, seed)
                )

            before = game.initial_state(seed) if began[row] else states[row]
            states[row] = let_play(before, seats[row], choose)
            assert batch.state(row) == states[row]
            expected = states[row].observation(int(seats[row]))
            np.testing.assert_array_equal(batch.observation[row], expected)
            ended = states[row].is_terminal and not began[row]
            assert batch.terminations[row] == ended
            assert tuple(batch.rewards[row]) == (states[row].returns if ended else (0, 0))
            ends += ended
        played_seats |= set(seats.tolist())
        began = batch.terminations.tolist()
        actions = batch.random_actions().copy()
        for row in range(n):
            if not states[row].is_terminal:
                states[row] = states[row].apply(int(actions[row]))
        batch.step(actions)
    assert ends > n
    assert played_seats == ({0, 1} if seat == "random" else {seat})


@pytest.mark.parametrize("opponent", ["random", "first"])
def test_an_opponent_who_ends_the_game_at_once(opponent):
    game = ma.make("kalah:columns=1,seeds=1")  # one seed into the store, and the row is empty
    player = opponent if opponent == "random" else make_agent(opponent)
    batch = game.batch(3, opponent=player, seat=1)
    for _ in range(3):
        assert batch.infos["points"].tolist() == [[0.5, 0.5]] * 3
        assert batch.infos["action_mask"].all() and not batch.terminations.any()
        batch.step([0, 0, 0])  # counts for nothing
        assert batch.terminations.all() and batch.infos["ply"].tolist() == [1, 1, 1]
        batch.step([0, 0, 0])


# Arrays -----------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["kalah", "gore"])
def test_a_step_writes_in_place_and_allocates_nothing(spec):
    batch = ma.make(spec).batch(16384)
    batch.step(batch.random_actions())
    before = (*batch.step(batch.random_actions())[:4], *batch.infos.values())
    places = [array.ctypes.data for array in before]
    tracemalloc.start()
    try:
        for _ in range(5):
            batch.step(batch.random_actions())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    after = (*batch.step(batch.random_actions())[:4], *batch.infos.values())
    assert all(a is b for a, b in zip(before, after, strict=True))
    assert [array.ctypes.data for array in after] == places
    assert peak < 16384  # less than a byte a row


def test_what_shows_the_state_of_the_batch_cannot_be_written_to():
    batch = ma.make("kalah").batch(2)
    for array in (batch.seeds, batch.infos["ply"], batch.infos["seat"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_what_is_shown_may_be_written_to():
    batch, untouched = (ma.make("kalah").batch(3, seed=1) for _ in range(2))
    batch.observation[:] = 7
    batch.infos["action_mask"][:] = True
    batch.terminations[:] = True
    with pytest.raises(IllegalActionError, match="row 0"):
        batch.step([6, 0, 0])
    actions = untouched.random_actions().copy()
    batch.step(actions)
    untouched.step(actions)
    np.testing.assert_array_equal(batch.observation, untouched.observation)
    np.testing.assert_array_equal(batch.infos["action_mask"], untouched.infos["action_mask"])
    assert not batch.terminations.any()


def test_threads_wait_for_the_check_of_the_actions(many_threads):
    batch, untouched = (ma.make("kalah").batch(900, seed=1, threads=t) for t in (3, 1))
    for row in (0, 450, 899):
        actions = batch.random_actions().copy()
        actions[row] = 6
        for _ in range(20):
            with pytest.raises(IllegalActionError, match=f"row {row}: "):
                batch.step(actions)
        for array, expected in zip(after_steps(batch, 5), after_steps(untouched, 5), strict=True):
            np.testing.assert_array_equal(array, expected)


def test_actions_of_other_kinds_are_the_same_actions():
    kinds = {
        "int64": lambda actions: actions,
        "copied": lambda actions: actions.copy(),
        "int8": lambda actions: actions.astype(np.int8),
        "swapped": lambda actions: actions.astype(">i8"),
        "strided": lambda actions: np.repeat(actions, 2)[::2],
        "read-only": lambda actions: np.frombuffer(actions.tobytes(), np.int64),
        "list": lambda actions: actions.tolist(),
    }
    seen = []
    for kind in kinds.values():
        batch = ma.make("kalah").batch(20, seed=4)
        for _ in range(60):
            batch.step(kind(batch.random_actions()))
        seen.append(after_steps(batch, 1))
    for arrays in seen:
        for array, expected in zip(arrays, seen[0], strict=True):
            np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("make_copy", [ma.Batch.copy, copy.copy, copy.deepcopy, "pickle"])
@pytest.mark.parametrize("spec", ["omweso:setup=random", "oware:repetition=split_rows"])
def test_copies_keep_everything(spec, make_copy):
    if make_copy == "pickle":

        def make_copy(batch):
            return pickle.loads(pickle.dumps(batch))

    batch = ma.make(spec).batch(600, seed=6, threads=2)
    after_steps(batch, 30)
    twin = make_copy(batch)
    assert twin.state(5) == batch.state(5)
    expected = after_steps(twin, 60)
    assert not np.array_equal(batch.observation, twin.observation)  # each has its own memory
    for array, other in zip(after_steps(batch, 60), expected, strict=True):
        np.testing.assert_array_equal(array, other)
    assert twin.infos["action_mask"].base is not batch.infos["action_mask"].base


# Bad input --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([1, 6, 1], "row 1: action 6 of kalah is not an integer from 0 to 5"),
        ([1, 1, -1], "row 2: action -1 of kalah is not"),
        (np.array([1, 2**64 - 1, 1], np.uint64), "row 1: action 18446744073709551615 of kalah"),
        (np.array([1, 0, 0], np.uint8), r"row 1: action 0 \(1\) is not legal for south in phase"),
    ],
)
def test_an_illegal_action_changes_nothing(actions, message):
    batch = ma.make("kalah").batch(3, seed=1)
    batch.step([0, 0, 0])  # which empties South's first pit
    batch.step([1, 1, 1])
    before = [state.to_text() for state in batch.states()]
    shown = batch.observation.copy()
    with pytest.raises(IllegalActionError, match=message):
        batch.step(actions)
    assert [state.to_text() for state in batch.states()] == before
    np.testing.assert_array_equal(batch.observation, shown)


@pytest.mark.parametrize(
    "actions",
    [
        [0, 0],
        [[0, 0, 0]],
        [0.0, 0.0, 0.0],
        [True, False, True],
        [0, 0, None],
        [0, 0, 2**70],
        [[0], [0, 0], 0],
        "000",
        3,
        None,
    ],
)
def test_actions_that_are_no_integers(actions):
    batch = ma.make("kalah").batch(3)
    with pytest.raises(ArgumentError, match="actions are 3 integers, one for each game"):
        batch.step(actions)
    assert batch.infos["ply"].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n is an integer from 1 to"),
        ({"n": 2.0}, "n is an integer from 1 to"),
        ({"n": 10**9}, "n is an integer from 1 to"),
        ({"seed": "x"}, "a seed is a 64-bit integer"),
        ({"max_plies": 0}, "max_plies is an integer from 1"),
        ({"threads": -1}, "threads is an integer from 0"),
        ({"reward": "margin"}, "reward of tsoro is outcome, points, not 'margin'"),
        ({"reward": "win"}, "reward of tsoro is outcome, points, not 'win'"),
        ({"opponent": "greedy"}, "opponent is None, 'random' or an agent, not 'greedy'"),
        ({"opponent": "random", "seat": 2}, "seat is 0, 1 or 'random', not 2"),
    ],
)
def test_arguments_out_of_range(options, message):
    with pytest.raises(ArgumentError, match=message):
        ma.make("tsoro").batch(**{"n": 4, **options})


@pytest.mark.parametrize("name", ma.games())
def test_rows_that_wait_keep_whatever_is_shown_of_them(name):
    """Also what the caller wrote there, were it nonsense; and it decides nothing."""
    batch, other = (ma.make(name).batch(20, seed=6) for _ in range(2))
    rows = [0, 3, 17]
    waiting = [row for row in range(20) if row not in rows]
    batch.observation[waiting], batch.rewards[waiting] = 7, 8
    batch.infos["action_mask"][waiting] = False
    batch.infos["player"][waiting] = -100
    batch.terminations[waiting] = True
    for _ in range(3):
        for each in (batch, other):
            each.step(each.random_actions()[rows], rows=rows)
        assert (batch.observation[waiting] == 7).all()
        assert (batch.rewards[waiting] == 8).all()
        assert not batch.infos["action_mask"][waiting].any()
        assert (batch.infos["player"][waiting] == -100).all()
        assert batch.terminations[waiting].all()
        np.testing.assert_array_equal(batch.observation[rows], other.observation[rows])
    for each in (batch, other):
        each.step(each.random_actions())
    np.testing.assert_array_equal(batch.observation, other.observation)


def test_rows_that_do_not_exist():
    batch = ma.make("kalah").batch(2)
    for row in (-1, 2, "0"):
        with pytest.raises(ArgumentError, match="row is an integer from 0 to 1"):
            batch.state(row)


def test_the_benchmark_prints_figures(capsys):
    run_benchmark("kalah:columns=4", rows=64, seconds=0.09)
    spec, one_thread, two_threads, ratio, *_ = capsys.readouterr().out.splitlines()[2].split()
    assert spec == "kalah:columns=4"
    assert float(one_thread.replace(",", "")) > 0 and float(ratio) > 0
