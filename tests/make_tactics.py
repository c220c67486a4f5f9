"""Positions in which the player to move can force a win: in one decision, or in three.

    python tests/make_tactics.py

plays random games, looks at their last positions with plain minimax, and writes those
that qualify to ``tests/tactics.json``, which takes minutes; ``test_tactics.py`` checks
them and shows them to the agents. A position qualifies if

- it is won in one decision, or in three of both players and not in one;
- nobody holds more than half of the seeds where seeds decide: he would win anyhow;
- within two decisions more no other action wins, and there are other actions.

``again`` says that after a winning action the same player decides once more, within his
turn or because he moves again.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reference.minimax import winning_actions

import mancala_ai as ma

PATH = Path(__file__).with_name("tactics.json")
OF_A_KIND = 3  # positions of each game, player, length and again
GAMES = 500  # to look for them in
LAST = 12  # decisions of a game that are looked at
MAX_PLIES = 600
MOST_LINES = 10_000  # that plain minimax has to follow


def last_states(game: ma.Game, number: int) -> list[ma.State]:
    """The last states of a random game that decided something; none if it came to no end."""
    rng = random.Random(f"{game.spec} {number}")
    states = [game.initial_state(seed=number)]
    while not states[-1].is_terminal:
        if states[-1].ply == MAX_PLIES:
            return []
        actions = states[-1].legal_actions()
        if game.name == "gore":  # with offers random games hardly ever end
            actions = [action for action in actions if not 8 <= action < 100]
        states.append(states[-1].apply(rng.choice(actions)))
    return states[-1 - LAST : -1]


def decisions_to_win(state: ma.State) -> int | None:
    """1 or 3 if the state qualifies."""
    if (
        state.game.COUNTS_SEEDS
        and 2 * max(state.captured) > state.captured.sum() + state.board.sum()
    ):
        return None
    for decisions in (1, 3):
        if state.game.perft(decisions + 2, state) > MOST_LINES:
            return None
        winning = winning_actions(state, decisions)
        if winning:
            only = winning == winning_actions(state, decisions + 2) != state.legal_actions()
            return decisions if only else None
    return None


def described(state: ma.State, decisions: int) -> dict[str, Any]:
    """What the file says of a position."""
    winning = winning_actions(state, decisions)
    followers = [state.apply(action) for action in winning]
    return {
        "game": state.game.spec,
        "position": state.to_text(),
        "decisions": decisions,
        "winning": winning,
        "again": any(not s.is_terminal and s.player == state.player for s in followers),
    }


def tactics(game: ma.Game) -> Iterator[dict[str, Any]]:
    """Positions of a game, at most one of a kind from each random game."""
    found: Counter[tuple[int, int, bool]] = Counter()
    for number in range(GAMES):
        kinds = set()
        for played in last_states(game, number):
            state = game.state_from_text(played.to_text())
            decisions = decisions_to_win(state)
            if decisions is None:
                continue
            entry = described(state, decisions)
            kind = state.player, decisions, entry["again"]
            if kind not in kinds and found[kind] < OF_A_KIND:
                kinds.add(kind)
                found[kind] += 1
                yield entry
    print(game.spec, dict(found), flush=True)


if __name__ == "__main__":
    entries = [entry for name in ma.games() for entry in tactics(ma.make(name))]
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    PATH.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
