"""Perft files: read them, and count again by the library and by the slow twins.

    python tests/make_perft.py [--deeper] [GAME ...]

counts every perft of ``tests/perft/GAME.txt`` anew and rewrites the files; it
refuses where library and twin disagree, or where a number of the file would
change (delete the number first if it is meant to). With ``--deeper`` it also goes
deeper than the file, as far as takes a second or two. Lines of the files:

    # a remark
    game SPEC              the game with its options, as mancala_ai.make reads them
    position TEXT          a position of it, as State.to_text writes it; "start" is the initial one
    perft 6 35 | 185 942   its perft from depth 1 on; those before the bar are also the slow twin's

A new position needs no perft line: the script adds it.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from helpers import twin_of, twin_position

import mancala_ai as ma
from mancala_ai.game import State

FOLDER = Path(__file__).with_name("perft")
ENOUGH, DEEPEST = 2_000_000, 20  # --deeper goes one deeper from a smaller perft
TWIN_NODES = 5_000  # positions that a twin expands for one perft


@dataclass
class Perft:
    """The committed perft of one position."""

    spec: str
    position: str
    counts: list[int] = field(default_factory=list)
    by_twin: int = 0  # how many of the counts are confirmed

    def state(self) -> State:
        game = ma.make(self.spec)
        if self.position == "start":
            return game.initial_state()
        return game.state_from_text(self.position)

    def line(self) -> str:
        words = [str(count) for count in self.counts]
        return " ".join(["perft", *words[: self.by_twin], "|", *words[self.by_twin :]]).rstrip("| ")


def read(path: Path) -> list[Perft | str]:
    """The perfts of a file in order; other lines (remarks, game lines) stay text."""
    found: list[Perft | str] = []
    spec = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        word, _, rest = line.partition(" ")
        if word == "game":
            spec = rest
        if word == "position":
            found.append(Perft(spec, rest))
        elif word == "perft" and isinstance(found[-1], Perft) and not found[-1].counts:
            confirmed, _, others = rest.partition("|")
            found[-1].counts = [int(count) for count in (confirmed + others).split()]
            found[-1].by_twin = len(confirmed.split())
        elif word in ("game", "#", ""):
            found.append(line)
        else:
            raise ValueError(f"{path}, line {number}: {line!r}")
    return found


def perfts() -> list[Perft]:
    """All committed perfts."""
    return [
        item
        for path in sorted(FOLDER.glob("*.txt"))
        for item in read(path)
        if isinstance(item, Perft)
    ]


def count_again(item: Perft, deeper: bool) -> None:
    """Count by library and twin; SystemExit if something does not agree."""
    state = item.state()
    game, twin = state.game, twin_of(state.game)
    position = twin.initial() if item.position == "start" else twin_position(twin, state)
    known, item.counts, item.by_twin = item.counts, [], 0
    while len(item.counts) < len(known) or deeper or not known:
        depth = len(item.counts) + 1
        further = depth <= DEEPEST and (not item.counts or 0 < item.counts[-1] < ENOUGH)
        if depth > len(known) and not further:
            break
        item.counts.append(game.perft(depth, state))
        if item.counts[-1:] != known[depth - 1 : depth] and depth <= len(known):
            sys.exit(f"{item}: {known[depth - 1]} in the file at depth {depth}; nothing written")
    for depth, count in enumerate(item.counts, 1):
        if depth > 1 and item.counts[depth - 2] > TWIN_NODES:
            break
        by_twin = twin.perft(position, depth)
        if by_twin != count:
            sys.exit(f"{item}: the twin counts {by_twin} at depth {depth}; nothing written")
        item.by_twin = depth


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", default=ma.games(), metavar="GAME")
    parser.add_argument("--deeper", action="store_true")
    arguments = parser.parse_args()
    for name in arguments.games:
        path = FOLDER / f"{name}.txt"
        lines = []
        for item in read(path):
            if isinstance(item, Perft):
                began = time.perf_counter()
                count_again(item, arguments.deeper)
                print(f"{time.perf_counter() - began:6.1f} s", item.spec, item.line(), flush=True)
                lines += [f"position {item.position}", item.line()]
            else:
                lines.append(item)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
