"""Games a second: what ``mancala bench`` measures.

A :class:`Meter` plays uniformly random games of one game in chunks of about a
tenth of a second, keeps a :class:`Tally` and reports after each chunk. Only the
playing is timed; compiling is done before, in :meth:`Meter.warm_up`.

Beside a C program (``yardstick.py``) the two take turns in short rounds, so that
a machine that slows down slows both, and the ratio is the median over rounds.

Read next: ``yardstick.py``, and ``mancala_ai/playout.py`` for the loop measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

from . import BenchmarkError
from .yardstick import Speed, Yardstick

MAX_PLIES = 2000
ROUNDS = 9  # of a comparison: odd, so that the median is a measured value

_CHUNK_SECONDS = 0.1
_FIRST_CHUNK, _LARGEST_CHUNK = 64, 1 << 17
_NORMAL_95 = 1.959964


@dataclass(slots=True)
class Tally:
    """Counts over the games of one row; grows as they are played."""

    games: int = 0
    seconds: float = 0.0
    decisions: int = 0
    annulled: int = 0
    truncated: int = 0
    wins: int = 0  # of the first player
    draws: int = 0

    def add(self, played: Any, seconds: float) -> None:
        """Count a result of ``game.random_games`` that took so many seconds."""
        finished = ~(played.annulled | played.truncated)
        first, second = played.points[:, 0], played.points[:, 1]
        self.games += len(played.plies)
        self.seconds += seconds
        self.decisions += int(played.plies.sum())
        self.annulled += int(played.annulled.sum())
        self.truncated += int(played.truncated.sum())
        self.wins += int((finished & (first > second)).sum())
        self.draws += int((finished & (first == second)).sum())

    @property
    def speed(self) -> Speed:
        """Games and decisions a second."""
        return Speed(self.games / self.seconds, self.decisions / self.seconds)

    @property
    def finished(self) -> int:
        """Games neither annulled nor truncated."""
        return self.games - self.annulled - self.truncated

    @property
    def score(self) -> float | None:
        """The first player's mean score, a win 1 and a draw 1/2, over finished games."""
        return (self.wins + self.draws / 2) / self.finished if self.finished else None

    @property
    def margin(self) -> float | None:
        """Half the width of the score's 95 % interval, by the normal approximation of a mean."""
        if self.score is None or self.finished < 2:
            return None
        squares = self.wins + self.draws / 4
        variance = (squares - self.finished * self.score**2) / (self.finished - 1)
        return _NORMAL_95 * math.sqrt(max(variance, 0.0) / self.finished)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Medians over the rounds of a comparison with the C program."""

    name: str  # of the game in the C program
    rounds: int
    speed: Speed  # of the C program
    games_ratio: float  # ours / the C program's
    decisions_ratio: float


Report = Callable[[Tally], object]


class Meter:
    """Plays and times random games of one game.

    Parameters
    ----------
    game
        What ``mancala_ai.make`` returned.
    threads
        Threads to play on.
    seed
        Game i played is game i of this seed, whatever the threads and chunks.
    max_plies
        Decisions after which a game is truncated.
    report
        Called with the tally after each chunk.
    """

    def __init__(
        self,
        game: Any,
        *,
        threads: int = 1,
        seed: int = 0,
        max_plies: int = MAX_PLIES,
        report: Report = lambda tally: None,
    ) -> None:
        self.game, self.threads, self.seed, self.max_plies = game, threads, seed, max_plies
        self.report = report
        self.tally = Tally()
        self._chunk = _FIRST_CHUNK

    def warm_up(self) -> None:
        """Compile what will be timed."""
        self._play(0, _FIRST_CHUNK)

    def run(self, seconds: float) -> Speed:
        """Play for about so many seconds; the speed of this stretch alone."""
        stretch = Tally()
        while stretch.seconds < seconds:
            begin = perf_counter()
            played = self._play(self.tally.games, self._chunk)
            elapsed = perf_counter() - begin
            stretch.add(played, elapsed)
            self.tally.add(played, elapsed)
            self.report(self.tally)
            wanted = round(stretch.speed.games * min(_CHUNK_SECONDS, seconds / 4))
            self._chunk = min(max(wanted, _FIRST_CHUNK), _LARGEST_CHUNK)
        return stretch.speed

    def compare(self, yardstick: Yardstick, name: str, seconds: float) -> Comparison:
        """Play for so many seconds, and let the C program play its game ``name`` in between."""
        share = seconds / ROUNDS
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(self.run(share))
            theirs.append(yardstick.run(name, share))
        pairs = list(zip(ours, theirs, strict=True))
        return Comparison(
            name=name,
            rounds=ROUNDS,
            speed=Speed(median(c.games for c in theirs), median(c.decisions for c in theirs)),
            games_ratio=median(our.games / c.games for our, c in pairs),
            decisions_ratio=median(our.decisions / c.decisions for our, c in pairs),
        )

    def _play(self, start: int, count: int) -> Any:
        return self.game.random_games(
            count, seed=self.seed, threads=self.threads, max_plies=self.max_plies, start=start
        )


def row(meter: Meter, comparison: Comparison | None = None) -> dict[str, Any]:
    """The figures of one game, ready for JSON."""
    tally = meter.tally
    figures = {
        "game": meter.game.name,
        "options": dict(meter.game.options),
        "threads": meter.threads,
        "seed": meter.seed,
        "max_plies": meter.max_plies,
        "games": tally.games,
        "seconds": tally.seconds,
        "games_per_second": tally.speed.games,
        "decisions_per_second": tally.speed.decisions,
        "decisions_per_game": tally.decisions / tally.games,
        "annulled": tally.annulled / tally.games,
        "truncated": tally.truncated / tally.games,
        "first_player_score": tally.score,
        "first_player_interval": interval(tally),
    }
    if comparison is not None:
        figures["yardstick"] = {
            "name": comparison.name,
            "rounds": comparison.rounds,
            "games_per_second": comparison.speed.games,
            "decisions_per_second": comparison.speed.decisions,
            "games_ratio": comparison.games_ratio,
            "decisions_ratio": comparison.decisions_ratio,
        }
    return figures


def interval(tally: Tally) -> list[float] | None:
    """The 95 % interval of the first player's score."""
    if tally.score is None or tally.margin is None:
        return None
    return [tally.score - tally.margin, tally.score + tally.margin]


def check_seconds(seconds: float) -> None:
    """Raise a :class:`BenchmarkError` unless the time is positive and finite."""
    if not (math.isfinite(seconds) and seconds > 0):
        raise BenchmarkError(f"--seconds {seconds:g}: must be a positive number")
