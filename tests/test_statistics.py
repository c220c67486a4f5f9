"""Random games are as long, and as often annulled, as those of an independent program.

The reference is the project's C yardstick, a plain program for the default
rules that shares no code with this package; ``mancala bench --yardstick yardstick.c``
runs it side by side. Of its 1,000,000 games each, with random numbers of its
own, were taken: decisions per game (mean and standard deviation), and how many games
were annulled and how many reached 2000 decisions. (Its ``main`` was changed for that, to
sum up the squares too; its games were not.)

The means of 20,000 games here must lie within five standard errors of both together.
The seed is fixed, so a failure is no accident.
"""

from __future__ import annotations

from math import sqrt

import pytest

import mancala_ai as ma

GAMES, OF_REFERENCE = 20_000, 1_000_000
REFERENCE = {  # mean, standard deviation, annulled, truncated
    "tsoro": (179.8102, 49.885, 0, 0),
    "tsoro:columns=8": (45.1422, 20.144, 0, 36),
    "omweso": (36.9841, 24.907, 744, 0),
    "katro": (194.4223, 149.298, 0, 2),
    "gore": (73.1214, 25.391, 0, 0),
    "hoyito_iii": (111.3157, 74.639, 3826, 0),
    "kalah": (43.9937, 10.743, 0, 0),
    "oware": (130.6052, 198.759, 0, 9919),
}


@pytest.mark.parametrize("spec", REFERENCE)
def test_lengths_of_random_games(spec):
    mean, deviation, annulled, truncated = REFERENCE[spec]
    played = ma.make(spec).random_games(GAMES, seed=20)
    standard_error = deviation * sqrt(1 / GAMES + 1 / OF_REFERENCE)
    assert played.plies.mean() == pytest.approx(mean, abs=5 * standard_error)
    for flags, count in ((played.annulled, annulled), (played.truncated, truncated)):
        expected = count * GAMES / OF_REFERENCE
        variance = expected + 0.1  # one game too many is no wonder where hardly any is expected
        assert flags.sum() == pytest.approx(expected, abs=5 * sqrt(variance))


@pytest.mark.parametrize("spec", REFERENCE)
def test_points_and_flags_fit_together(spec):
    played = ma.make(spec).random_games(GAMES, seed=21)
    assert not (played.annulled & played.truncated).any()
    assert (played.plies[played.truncated] == 2000).all()
    decided = ~(played.annulled | played.truncated)
    assert (played.points[decided].sum(axis=1) > 0).all()
    assert (played.points[~decided] == 0).all()
    # the games of even and of odd number are alike
    even, odd = played.points[::2], played.points[1::2]
    standard_error = sqrt(2 * even.var(axis=0).max() / len(even))
    assert even.mean(axis=0) == pytest.approx(odd.mean(axis=0), abs=5 * standard_error)
