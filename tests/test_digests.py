"""Whole games, played again: they have the digests of ``digests.json``.

``tests/make_digests.py`` says what is recorded and writes the file anew.
"""

from __future__ import annotations

import json

import pytest
from make_digests import (
    CASES,
    PATH,
    RANDOM,
    SEED,
    digest,
    random_summary,
    reached,
    records,
    replay,
    twin_records,
)

import mancala_ai as ma

COMMITTED = json.loads(PATH.read_text(encoding="utf-8"))
EXPECTED = [
    ((entry["game"], entry["position"], entry["few"], entry["games"]), entry)
    for entry in COMMITTED["cases"]
]
IDS = [f"{spec}-{few}" for (spec, _, few, _), _ in EXPECTED]

# what the recorded games of each game must have come to, all cases together
MUST_REACH = {
    "tsoro": {
        "sow: sow", "head: relay", "head: stop", "bonus: take", "bonus: stop",
        "no_move", "annulled", "truncated",
    },
    "omweso": {
        "arrange: sow", "sow: sow", "sow: clockwise", "sow: opening", "lap: sow",
        "lap: clockwise", "akawumbi", "okutema", "akakyala", "bulijo", "annulled",
    },
    "katro": {"sow: sow", "sow: mirrored", "sow: step", "no_move", "annulled", "truncated"},
    "gore": {
        "sow: sow", "sow: offer 1", "sow: offer 2", "sow: offer 3", "answer: accept",
        "answer: decline", "seeds", "without_glory", "truncated",
    },
    "hoyito_iii": {"sow: sow", "seeds", "draw", "annulled"},
    "kalah": {"sow: sow", "seeds", "draw"},
    "oware": {"sow: sow", "seeds", "draw", "truncated"},
}  # fmt: skip


def test_the_file_holds_the_cases_of_the_script():
    assert [case for case, _ in EXPECTED] == CASES
    assert [entry["game"] for entry in COMMITTED["random_games"]] == RANDOM


def test_the_games_come_to_everything_that_can_happen():
    assert set(MUST_REACH) == set(ma.games())
    for name, words in MUST_REACH.items():
        entries = [e for _, e in EXPECTED if e["game"].partition(":")[0] == name]
        came_to = set().union(*(entry["reached"] for entry in entries))
        assert came_to >= words, name


@pytest.mark.parametrize(("case", "expected"), EXPECTED, ids=IDS)
def test_games_of_the_library(case, expected):
    played = records(case)
    assert sum(len(lines) - 1 for lines in played) == expected["plies"]
    assert reached(case[0], played) == expected["reached"]
    assert digest(played) == expected["sha256"]


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        pytest.param(case, expected, id=name)
        for (case, expected), name in zip(EXPECTED, IDS, strict=True)
        if expected["plies"] <= 800  # the twins are slow
    ],
)
def test_games_of_the_twin(case, expected):
    assert digest(list(twin_records(case))) == expected["sha256"]


def test_a_repeated_position_ends_a_game_of_oware_if_agreed():
    plies = {entry["game"]: entry["plies"] for case, entry in EXPECTED if case[2] == -1}
    assert plies["oware"] == 300  # as long as games are recorded
    assert plies["oware:repetition=split_rows"] < 300


@pytest.mark.parametrize("expected", COMMITTED["random_games"], ids=lambda entry: entry["game"])
def test_random_games(expected):
    assert random_summary(expected["game"]) == expected


@pytest.mark.parametrize("expected", COMMITTED["random_games"][::4], ids=lambda e: e["game"])
def test_random_games_are_the_same_on_three_threads(expected):
    assert random_summary(expected["game"], threads=3) == expected


@pytest.mark.parametrize("spec", RANDOM)
@pytest.mark.parametrize("number", [3, 137])
def test_random_games_replayed_by_the_twin(spec, number):
    plies, points_0, points_1, annulled, truncated = replay(spec, number, max_plies=250)
    alone = ma.make(spec).random_games(1, seed=SEED, start=number, max_plies=250)
    assert alone.plies.tolist() == [plies]
    assert alone.points.tolist() == [[points_0, points_1]]
    assert (alone.annulled[0], alone.truncated[0]) == (annulled, truncated)
    # two games are under way at once: the game is also the same among others
    several = ma.make(spec).random_games(7, seed=SEED, start=number - 3, max_plies=250)
    assert several.plies[3] == plies
    assert several.points[3].tolist() == [points_0, points_1]
