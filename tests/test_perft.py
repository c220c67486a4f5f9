"""Perft of every game and its main options, as committed in ``perft/GAME.txt``.

Here to a shallow depth; ``mancala perft GAME DEPTH`` and ``tests/make_perft.py``, which
describes the files, count deeper.
"""

from __future__ import annotations

import pytest
from helpers import twin_of, twin_position
from make_perft import FOLDER, Perft, perfts, read

import mancala_ai as ma

LEAVES, TWIN_LEAVES = 700_000, 500  # the largest perft counted here by library and twin
COMMITTED = perfts()
every_perft = pytest.mark.parametrize(
    "item", COMMITTED, ids=lambda item: f"{item.spec} {item.position[:40]}"
)

PUBLISHED = {
    "kalah": [6, 35, 185, 942, 4690, 23233, 114430, 563055, 2763490],
    "kalah:empty_capture=True": [6, 35, 185, 942, 4685, 23169, 113959, 559885, 2743126],
    "oware": [6, 36, 190, 1014, 5219, 27332, 139157, 711414, 3592872],
    "oware:grand_slam=illegal_unless_forced":
        [6, 36, 190, 1014, 5219, 27332, 139157, 711414, 3592872],
}  # fmt: skip


def last_within(counts: list[int], limit: int) -> int:
    """The greatest depth whose count, and all before it, are within a limit."""
    depth = 1
    while depth < len(counts) and counts[depth] <= limit:
        depth += 1
    return depth


@every_perft
def test_perft(item):
    state = item.state()
    for depth in range(1, last_within(item.counts, LEAVES) + 1):
        assert state.game.perft(depth, state) == item.counts[depth - 1]
    assert state.game.perft(0, state) == 1


@every_perft
def test_perft_of_the_twin(item):
    state = item.state()
    twin = twin_of(state.game)
    position = twin_position(twin, state)
    assert item.by_twin >= 2
    depth = min(last_within(item.counts, TWIN_LEAVES), item.by_twin, 6)
    assert twin.perft(position, depth) == item.counts[depth - 1]


@every_perft
def test_divided_perft(item):
    state = item.state()
    depth = last_within(item.counts, 20_000)
    divided = state.game.perft_divide(depth, state)
    assert list(divided) == state.legal_actions()
    assert sum(divided.values()) == item.counts[depth - 1]
    after = {action: state.apply(action) for action in divided}
    assert divided == {a: state.game.perft(depth - 1, then) for a, then in after.items()}


@pytest.mark.parametrize("spec", PUBLISHED)
def test_the_published_numbers(spec):
    (item,) = (item for item in COMMITTED if (item.spec, item.position) == (spec, "start"))
    assert item.counts == PUBLISHED[spec]
    assert ma.make(spec).perft(8) == PUBLISHED[spec][7]


def test_every_game_has_a_file_with_its_initial_position():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(ma.games())
    for name in ma.games():
        first = next(item for item in read(FOLDER / f"{name}.txt") if isinstance(item, Perft))
        assert (first.spec, first.position) == (name, "start")
        assert len(first.counts) >= 6
    assert all(item.counts for item in COMMITTED)


def test_positions_are_written_as_the_library_writes_them():
    for item in COMMITTED:
        if item.position != "start":
            assert item.state().to_text() == item.position


def test_every_phase_is_among_the_positions():
    for name in ma.games():
        phases = {i.state().phase for i in COMMITTED if i.spec.partition(":")[0] == name}
        assert phases == set(ma.make(name).PHASES.values())


def test_no_perft_of_a_finished_game():
    game = ma.make("kalah:columns=1,seeds=6")
    state = game.initial_state()
    while not state.is_terminal:
        state = state.apply(0)
    assert [game.perft(depth, state) for depth in range(3)] == [1, 0, 0]
    assert game.perft_divide(1, state) == {}


@pytest.mark.parametrize("depth", [-1, 1.0, "2", None, True])
def test_a_depth_is_an_integer_from_0_on(depth):
    game = ma.make("kalah")
    with pytest.raises(ValueError, match="depth"):
        game.perft(depth)
    with pytest.raises(ValueError, match="depth"):
        game.perft_divide(depth)


def test_a_divided_perft_has_a_first_action():
    with pytest.raises(ValueError, match="from 1 to"):
        ma.make("kalah").perft_divide(0)


def test_a_state_of_other_rules_is_refused():
    with pytest.raises(ValueError, match="kalah"):
        ma.make("kalah").perft(1, ma.make("oware").initial_state())
