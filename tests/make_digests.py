"""Digests of whole games, which pin the rules where perft does not reach, and the random stream.

    python tests/make_digests.py

plays every game below with the library and with its slow twin and writes
``tests/digests.json``; it refuses if the two disagree anywhere. ``test_digests.py``
plays them again. Run it after a change that is meant to change games or numbers,
and say in the commit why they changed.

The digest of a case is the SHA-256 of its games' records (:func:`record`), one text line a
ply. Who plays is as simple as can be: of the first or the last few legal actions, the one
that the first byte of the SHA-256 of ``"<game number>/<ply>"`` points at. A case lists what
its games *reached*: ``phase: kind of action``, and how they ended.

The digest of random games is the SHA-256 of their plies, points and flags; the
twin replays some of them with the documented random numbers (:func:`replay`).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from helpers import twin_of, twin_position
from reference import Position, Twin

import mancala_ai as ma
from mancala_ai.game import Game, State

PATH = Path(__file__).with_name("digests.json")
MAX_PLIES = 300
SEED, RANDOM_GAMES = 2024, 200

# Whose games are recorded: spec, position ("start": the initial one), which of the legal
# actions are chosen from (0: all; 3: the first three; -3: the last three), number of games.
# The first few prefer sowing forward, relaying a head, accepting; the last few prefer opening
# sowings, clockwise and mirrored laps, stopping, stepping a lone seed, offering, declining.
CASES: list[tuple[str, str, int, int]] = [
    ("tsoro", "start", 0, 4),
    ("tsoro:heads=1,bonus=1", "start", -4, 4),
    ("tsoro:columns=12,max_laps=4", "start", 0, 12),
    ("tsoro:columns=8", "start", 0, 12),
    ("tsoro:columns=8", "start", 2, 12),
    ("tsoro:columns=8,optional_bonus=True", "start", 0, 12),
    ("tsoro:columns=8,bonus=3,optional_bonus=True", "start", -3, 12),
    ("tsoro:columns=8,heads=1", "start", 0, 12),
    ("tsoro:columns=8,heads=0,max_laps=4", "start", 0, 12),
    ("tsoro:columns=8,protected_heads=True", "start", 0, 12),
    ("tsoro:columns=6,bonus=0", "start", 0, 12),
    ("tsoro:columns=4,bonus=3,protected_heads=True,optional_bonus=True", "start", 0, 12),
    ("omweso", "start", 0, 16),
    ("omweso", "start", 3, 12),
    ("omweso", "start", -3, 16),
    ("omweso:akakyala=True", "start", 0, 16),
    ("omweso:akakyala=True", "start", -2, 16),
    ("omweso:max_laps=8", "start", 0, 16),
    ("omweso:setup=arrange", "start", 0, 8),
    ("omweso:setup=arrange,akakyala=True", "start", -4, 8),
    (
        "omweso:setup=0.1.2.3.4.5.1.0.0.2.3.1.4.2.3.1/16.0.0.0.0.0.0.0.0.0.0.0.0.0.0.16",
        "start", 0, 8,
    ),
    ("katro", "start", 0, 8),
    ("katro", "start", 2, 8),
    ("katro:direction=either", "start", 0, 8),
    ("katro:direction=kept", "start", 0, 8),
    ("katro:lone_seed=True", "start", 0, 8),
    ("katro:rows=2,columns=4,lone_seed=True", "start", 0, 16),
    ("katro:rows=2,columns=6,direction=either", "start", 0, 12),
    ("katro:rows=3,columns=3,direction=kept,lone_seed=True", "start", -2, 16),
    ("katro:rows=2,columns=8,direction=kept", "start", 0, 12),
    ("katro:max_laps=30", "start", 0, 8),
    ("gore", "start", 4, 12),
    ("gore", "start", 6, 6),
    ("gore", "start", -3, 2),
    ("gore", "start", 0, 2),
    ("gore:trading=False", "start", 0, 16),
    ("hoyito_iii", "start", 0, 12),
    ("hoyito_iii:last_four=player_0", "start", 2, 12),
    ("hoyito_iii:last_four=player_1", "start", -2, 12),
    ("hoyito_iii:columns=3", "start", 0, 16),
    ("hoyito_iii:columns=12,max_laps=10", "start", 0, 6),
    (
        "hoyito_iii",
        "4,4,4,4,4,4/4,4,4,0,0,0 south captured=10,2 in_play=6,3",
        0, 12,
    ),
    ("hoyito_iii:max_laps=20", "4,0,0,0,0,0/4,4,4,4,4,4 south captured=0,20 in_play=1,6", 0, 12),
    ("kalah", "start", 0, 16),
    ("kalah:empty_capture=True", "start", 0, 16),
    ("kalah:columns=3,seeds=10", "start", -2, 16),
    ("kalah:columns=1,seeds=5,empty_capture=True", "start", 0, 2),
    ("oware", "start", 0, 8),
    ("oware:grand_slam=illegal_unless_forced", "start", 2, 8),
    ("oware", "start", -1, 1),  # goes on for ever ...
    ("oware:repetition=split_rows", "start", -1, 1),  # ... unless repetition ends it
    ("oware:repetition=split_rows", "start", 3, 8),
    ("oware:repetition=split_rows,grand_slam=illegal_unless_forced", "start", -1, 1),
    ("oware:columns=3,seeds=2", "start", 0, 16),
    ("oware:columns=3,seeds=2,repetition=split_rows", "start", 0, 16),
]  # fmt: skip

# Whose random games are pinned.
RANDOM = [
    "tsoro",
    "tsoro:columns=8",
    "tsoro:columns=8,optional_bonus=True,protected_heads=True,bonus=3",
    "tsoro:columns=8,heads=0,max_laps=12",
    "omweso",
    "omweso:akakyala=True",
    "omweso:setup=random",
    "omweso:setup=arrange",
    "omweso:max_laps=8",
    "katro",
    "katro:rows=2,columns=6,direction=kept,lone_seed=True",
    "katro:direction=either",
    "gore",
    "gore:trading=False",
    "hoyito_iii",
    "hoyito_iii:columns=12,max_laps=10",
    "kalah",
    "kalah:empty_capture=True",
    "oware",
    "oware:repetition=split_rows",
    "oware:grand_slam=illegal_unless_forced",
]


def choose(actions: list[int], few: int, game_number: int, ply: int) -> int:
    """One of the first or the last few actions, or of all (``few`` = 0)."""
    among = actions[:few] if few > 0 else actions[few:]
    return among[hashlib.sha256(f"{game_number}/{ply}".encode()).digest()[0] % len(among)]


# A record is a list of lines: for each ply the player, his phase, his action and the position
# after it; at the end how it ended and the points.


def record(state: State, few: int, game_number: int) -> list[str]:
    """The record of one game played by the library."""
    lines = []
    while not state.is_terminal and state.ply < MAX_PLIES:
        action = choose(state.legal_actions(), few, game_number, state.ply)
        decision = f"{state.player} {state.phase} {action}"
        state = state.apply(action)
        lines.append(_line(decision, state.board.tolist(), state.captured.tolist(), state.phase))
    return [*lines, _last_line(state.win_kind, state.points)]


def twin_record(twin: Twin, position: Position, few: int, game_number: int) -> list[str]:
    """The same record, played by the slow twin."""
    lines = []
    while not position.finished and len(lines) < MAX_PLIES:
        action = choose(twin.legal(position), few, game_number, len(lines))
        decision = f"{position.player} {position.phase} {action}"
        position = twin.apply(position, action)
        lines.append(_line(decision, position.board, position.captured, position.phase))
    points = twin.points(position) if position.finished else (0.0, 0.0)
    return [*lines, _last_line(position.win_kind, points)]


def _line(decision: str, board: Any, captured: Any, phase: str) -> str:
    return f"{decision} -> {board} {captured} {phase}"


def _last_line(win_kind: str | None, points: tuple[float, float]) -> str:
    return f"{win_kind or 'truncated'} {float(points[0])} {float(points[1])}"


def first_state(game: Game, position: str) -> State:
    return game.initial_state() if position == "start" else game.state_from_text(position)


def records(case: tuple[str, str, int, int]) -> list[list[str]]:
    """The records of a case, by the library."""
    spec, position, few, games = case
    state = first_state(ma.make(spec), position)
    return [record(state, few, number) for number in range(games)]


def twin_records(case: tuple[str, str, int, int]) -> Iterator[list[str]]:
    """The records of a case, by the slow twin, one after the other."""
    spec, position, few, games = case
    game = ma.make(spec)
    twin = twin_of(game)
    first = (
        twin.initial() if position == "start" else twin_position(twin, first_state(game, position))
    )
    for number in range(games):
        yield twin_record(twin, first, few, number)


def kind_of_action(game: Game, action: int) -> str:
    """What sort of action it is, in a word."""
    n = game.rows * game.columns
    if game.name == "tsoro":
        return ("sow", "sow", "take", "take", "relay", "stop")[
            2 * (action // n) if action < 2 * n else 4 + action - 2 * n
        ]
    if game.name == "omweso":
        return "sow" if action < 16 else "clockwise" if action < 20 else "opening"
    if game.name == "katro":
        return ("sow", "mirrored", "step")[action // n]
    if game.name == "gore" and action >= 8:
        return {100: "accept", 101: "decline"}.get(action, f"offer {_offered(action)}")
    return "sow"


def _offered(action: int) -> int:
    """How many pits an action of Goré offers."""
    return 1 if action < 16 else 2 if action < 44 else 3


def reached(spec: str, played: list[list[str]]) -> list[str]:
    """What the games of a case came to: phases with kinds of action, and ends."""
    game = ma.make(spec)
    words = {lines[-1].split()[0] for lines in played}
    for lines in played:
        for line in lines[:-1]:
            _, phase, action = line.split()[:3]
            words.add(f"{phase}: {kind_of_action(game, int(action))}")
    return sorted(words)


def digest(played: list[list[str]]) -> str:
    text = "\n".join(line for lines in played for line in lines)
    return hashlib.sha256(text.encode()).hexdigest()


# Random games


def random_summary(spec: str, threads: int = 1) -> dict[str, Any]:
    """The digest of random games of a spec, and their sums."""
    games = ma.make(spec).random_games(RANDOM_GAMES, seed=SEED, threads=threads)
    half_points = np.rint(2 * games.points).astype("<i4")
    columns = [games.plies, half_points[:, 0], half_points[:, 1], games.annulled, games.truncated]
    table = np.column_stack(columns).astype("<i4")
    return {
        "game": spec,
        "plies": int(games.plies.sum()),
        "half_points": half_points.sum(axis=0).tolist(),
        "annulled": int(games.annulled.sum()),
        "truncated": int(games.truncated.sum()),
        "sha256": hashlib.sha256(table.tobytes()).hexdigest(),
    }


MASK = (1 << 64) - 1


def mix(x: int) -> int:
    """The output function of splitmix64."""
    x &= MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


class Stream:
    """The random numbers of one game: splitmix64, seeded by the seed and the game's number."""

    def __init__(self, seed: int, number: int) -> None:
        self.state = mix(mix(seed) + number)

    def below(self, n: int) -> int:
        self.state = self.state + 0x9E3779B97F4A7C15 & MASK
        return (mix(self.state) >> 32) * n >> 32


def replay(spec: str, number: int, max_plies: int = 2000) -> tuple[int, float, float, bool, bool]:
    """A random game by the slow twin: plies, points of both, annulled, truncated."""
    game = ma.make(spec)
    stream = Stream(SEED, number)
    drawn = game.options.get("setup") == "random"  # both arrangements, which are no plies
    twin = twin_of(ma.make(spec.replace("random", "arrange")) if drawn else game)
    position = twin.initial()
    while drawn and position.phase == "arrange":
        legal = twin.legal(position)
        position = twin.apply(position, legal[stream.below(len(legal))])
    plies = 0
    while not position.finished and plies < max_plies:
        legal = twin.legal(position)
        if game.name == "gore":  # random playouts never offer
            legal = [action for action in legal if not 8 <= action < 100]
        position = twin.apply(position, legal[stream.below(len(legal))])
        plies += 1
    points = twin.points(position) if position.finished else (0.0, 0.0)
    return plies, float(points[0]), float(points[1]), position.annulled, not position.finished


def random_game(spec: str, number: int) -> tuple[int, float, float, bool, bool]:
    """The same game by the library, alone."""
    games = ma.make(spec).random_games(1, seed=SEED, start=number)
    points = games.points[0].tolist()
    return int(games.plies[0]), *points, bool(games.annulled[0]), bool(games.truncated[0])


def compute() -> dict[str, Any]:
    """Everything in the file; raises SystemExit where library and twin disagree."""
    cases = []
    for case in CASES:
        played = records(case)
        for number, expected in enumerate(twin_records(case)):
            if played[number] != expected:
                pairs = zip(played[number], expected, strict=False)
                at = next((i for i, (a, b) in enumerate(pairs) if a != b), "end")
                sys.exit(f"{case}: game {number} is not its twin's at ply {at}; nothing written")
        spec, position, few, games = case
        cases.append(
            {
                "game": spec,
                "position": position,
                "few": few,
                "games": games,
                "plies": sum(len(lines) - 1 for lines in played),
                "reached": reached(spec, played),
                "sha256": digest(played),
            }
        )
        print(spec, few, cases[-1]["plies"], ", ".join(cases[-1]["reached"]), flush=True)
    for spec in RANDOM:
        for number in range(10):
            if random_game(spec, number) != replay(spec, number):
                sys.exit(f"{spec}: random game {number} differs from its twin; nothing written")
    return {"cases": cases, "random_games": [random_summary(spec) for spec in RANDOM]}


if __name__ == "__main__":
    PATH.write_text(json.dumps(compute(), indent=1) + "\n", encoding="utf-8")
