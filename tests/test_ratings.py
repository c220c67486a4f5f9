"""Ratings and sequential tests: against other libraries, plain twins, and simulated truth."""

from __future__ import annotations

import math
import random

import choix
import evalica
import numpy as np
import pytest
from scipy import optimize, special

from mancala_ai import ArgumentError, OptionError
from mancala_ai.agents.tournament.pairs import PairCounts
from mancala_ai.agents.tournament.ratings import ELO, Prior, rate
from mancala_ai.agents.tournament.sprt import Sprt

WEAK = Prior(rating=20_000, seat=20_000, draw_mean=0, draw=50)
RESULTS = (-1, 0, 1, None)


def random_counts(seed, agents="abcd", pairs=60):
    """Counts of pairs that mean nothing, some of them torn, and the pairs themselves."""
    rng = random.Random(seed)
    counts, played = PairCounts(agents), []
    for _ in range(pairs):
        pair = (*rng.sample(agents, 2), rng.choice(RESULTS), rng.choice(RESULTS))
        counts.add(*pair)
        played.append(pair)
    return counts, played


def simulated(rng, elo, pairs, correlation=0.0, seat=60.0, nu=0.3):
    """A round robin of agents of known ratings, by the model.

    Each game has exactly the probabilities of the model; the two games of a pair depend on
    each other (a Gaussian copula), as the results of the first agent.
    """
    elo = np.asarray(elo, dtype=float)
    first, second = np.triu_indices(len(elo), 1)
    draws = rng.standard_normal((2, len(first), pairs))
    draws[1] = correlation * draws[0] + math.sqrt(1 - correlation**2) * draws[1]
    seen = []
    for sign, luck in zip((1, -1), special.ndtr(draws), strict=True):
        d = (elo[first] - elo[second] + sign * seat) / ELO
        shares = special.softmax(np.stack([-d / 2, np.full_like(d, np.log(nu)), d / 2]), axis=0)
        loss, draw, _ = shares[:, :, None]
        seen.append((luck > loss).astype(int) + (luck > loss + draw))
    counts = PairCounts([str(place) for place in range(len(elo))])
    couples = np.arange(len(first))[:, None]
    np.add.at(counts.counts, (couples, *seen), 1)
    return counts


# --- counts of pairs ---


def test_counts_are_those_of_the_pairs_added():
    counts, played = random_counts(1)
    for first in "abcd":
        for second in sorted(set("abcd") - {first}):
            table = np.zeros((4, 4), dtype=int)
            for one, other, south, north in played:
                seats = [3 if result is None else result + 1 for result in (south, north)]
                if (one, other) == (first, second):
                    table[seats[0], seats[1]] += 1
                if (other, one) == (first, second):
                    south, north = (3 if seat == 3 else 2 - seat for seat in reversed(seats))
                    table[south, north] += 1
            assert (counts.between(first, second) == table).all()
            assert counts.pentanomial(first, second).sum() == table[:3, :3].sum()
            for k in range(5):
                expected = sum(table[x, k - x] for x in range(3) if 0 <= k - x < 3)
                assert counts.pentanomial(first, second)[k] == expected


def games_of(played, agents="abcd"):
    """The columns of :meth:`PairCounts.from_games`, in a random order."""
    games = []
    for number, (first, second, south, north) in enumerate(played):
        a, b = agents.index(first), agents.index(second)
        if south is not None:
            games.append((a, b, south, number))
        if north is not None:
            games.append((b, a, -north, number))
    random.Random(2).shuffle(games)
    return [list(column) for column in zip(*games, strict=True)]


def test_counts_of_arrays_are_those_of_pairs_one_by_one():
    counts, played = random_counts(3, pairs=300)
    south, north, result, number = games_of(played)
    built = PairCounts.from_games("abcd", south, north, result, number)
    without_games = np.zeros_like(counts.counts)
    without_games[:, 3, 3] = counts.counts[:, 3, 3]
    assert (built.counts == counts.counts - without_games).all()

    table = np.zeros((4, 4, 3), dtype=int)
    np.add.at(table, (south, north, np.add(result, 1)), 1)
    assert (counts.games() == table).all()


def test_openings_may_number_the_pairs_of_all_couples():
    built = PairCounts.from_games("abc", [0, 1, 0, 2], [1, 0, 2, 0], [1, 1, 0, 0], [7, 7, 7, 7])
    counts = PairCounts("abc")
    counts.add("a", "b", 1, -1)
    counts.add("c", "a", 0, 0)
    assert built == counts


def test_parts_of_a_tournament_add_up():
    (left, played), (right, more) = random_counts(4), random_counts(5)
    whole = PairCounts("abcd")
    for pair in played + more:
        whole.add(*pair)
    assert left + right == whole
    assert whole != left


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: PairCounts("a"), "two or more of different names"),
        (lambda: PairCounts("aba"), "two or more of different names"),
        (lambda: PairCounts("ab").add("a", "c", 1, 1), "'c' does not take part; these do: a, b"),
        (lambda: PairCounts("ab").add("a", "a", 1, 1), "does not play itself"),
        (lambda: PairCounts("ab").add("a", "b", 1, 2), "-1, 0, 1 or None, not 2"),
        (lambda: PairCounts("ab").add("a", "b", 0.5, 1), "-1, 0, 1 or None, not 0.5"),
        (lambda: PairCounts("ab") + PairCounts("ba"), "cannot be added"),
        (lambda: PairCounts.from_games("ab", [0], [1], [1], [0, 1]), "differ in length"),
        (lambda: PairCounts.from_games("ab", [0], [1], [0.5], [0]), "a row of integers"),
        (lambda: PairCounts.from_games("ab", [0], [1], [2], [0]), "-1, 0 or 1, not 2"),
        (lambda: PairCounts.from_games("ab", [0], [2], [1], [0]), "from 0 to 1"),
        (lambda: PairCounts.from_games("ab", [1], [1], [1], [0]), "two different agents"),
        (lambda: PairCounts.from_games("ab", [0, 0], [1, 1], [1, 1], [4, 4]), "same seats"),
        (lambda: rate(PairCounts("ab"), anchor="c"), "'c' does not take part"),
        (lambda: rate(PairCounts("ab"), prior=Prior(rating=0)), "must be above 0"),
    ],
)
def test_wrong_counts_are_refused(wrong, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        wrong()
    assert "\n" not in str(caught.value)


# --- ratings ---


def test_ratings_are_where_the_posterior_is_greatest():
    """The posterior is written out game by game here, and maximised without derivatives."""
    _, played = random_counts(6, "abc", pairs=40)
    counts = PairCounts("abc")
    for pair in played:
        counts.add(*pair)
    prior = Prior(rating=300, seat=100, draw_mean=-1, draw=0.7)

    def surprise(parameters):
        strength = dict(zip("abc", parameters, strict=False))
        seat, log_nu = parameters[3:]
        total = sum(x * x for x in parameters[:3]) / 2 / (prior.rating / ELO) ** 2
        total += seat**2 / 2 / (prior.seat / ELO) ** 2 + (log_nu + 1) ** 2 / 2 / prior.draw**2
        for first, second, *results in played:
            for sign, result in zip((1, -1), results, strict=True):
                if result is not None:
                    d = strength[first] - strength[second] + sign * seat
                    weights = {1: math.exp(d / 2), 0: math.exp(log_nu), -1: math.exp(-d / 2)}
                    total -= math.log(weights[result] / sum(weights.values()))
        return total

    best = optimize.minimize(surprise, np.zeros(5), tol=1e-9).x
    ratings = rate(counts, prior=prior)
    assert ratings.elo == pytest.approx(ELO * best[:3], abs=1e-2)
    assert ratings.seat_advantage.value == pytest.approx(ELO * best[3], abs=1e-2)
    nu = math.exp(best[4])
    assert ratings.draw_rate.value == pytest.approx(nu / (2 + nu), abs=1e-5)


def test_draws_are_those_of_davidson():
    """His table of six chocolate puddings, and his estimates after seven iterations.

    Both as the R package PlackettLuce repeats them (data set ``pudding``, vignette).
    """
    table = """12 19 22 16, 13 16 19 12, 23 19 19 10, 14 18 23 13, 24 23 19 9,
               34 19 20 15, 15 13 19 18, 25 16 20 12, 35 16 15 17, 45 17 14 16,
               16 18 21 12, 26 22 20 12, 36 13 18 10, 46 14 19 18, 56 11 21 12"""
    counts = PairCounts("123456")
    for row in table.split(","):
        (first, second), *numbers = row.split()
        for result, times in zip((1, -1, 0), numbers, strict=True):
            for _ in range(int(times)):  # as often in either seat, so that these do not matter
                counts.add(first, second, result, result)
    ratings = rate(counts, prior=WEAK)
    worth = np.exp(ratings.elo / ELO)
    expected = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
    assert worth / worth.sum() == pytest.approx(expected, abs=3e-5)
    draw = ratings.draw_rate.value
    assert 2 * draw / (1 - draw) == pytest.approx(0.7468147, abs=3e-5)
    assert ratings.seat_advantage.value == pytest.approx(0, abs=1e-6)


@pytest.fixture(scope="module")
def decisive():
    """Games of five agents without a draw, each also with seats exchanged: (winner, loser)."""
    rng = np.random.default_rng(7)
    strength = np.array([-1.0, -0.5, 0.0, 0.3, 1.2])
    both = [rng.choice(5, 2, replace=False) for _ in range(400)]
    chances = [special.expit(strength[a] - strength[b]) for a, b in both]
    return [
        (int(a), int(b)) if rng.random() < chance else (int(b), int(a))
        for (a, b), chance in zip(both, chances, strict=True)
    ]


def counts_of(decisive):
    counts = PairCounts("01234")
    for winner, loser in decisive:
        counts.add(str(winner), str(loser), 1, None)
        counts.add(str(winner), str(loser), None, 1)
    return counts


def test_ratings_agree_with_choix(decisive):
    """Without draws its model is ours, and so is its prior, of the precision 2 alpha."""
    prior = Prior(rating=250, draw_mean=-40, draw=0.01)
    expected = choix.opt_pairwise(5, decisive * 2, alpha=(ELO / prior.rating) ** 2 / 2, tol=1e-10)
    ratings = rate(counts_of(decisive), prior=prior)
    assert ratings.elo == pytest.approx(ELO * expected, abs=1e-3)


def test_ratings_agree_with_evalica(decisive):
    """Which has no prior."""
    winners, losers = zip(*decisive, strict=True)
    won = [evalica.Winner.X] * len(decisive)
    found = evalica.bradley_terry(winners, losers, won, tolerance=1e-12, limit=10_000)
    expected = ELO * np.log(found.scores.sort_index().to_numpy())
    ratings = rate(counts_of(decisive), prior=WEAK)
    assert ratings.elo == pytest.approx(expected - expected.mean(), abs=0.1)


def test_a_seat_is_worth_its_odds():
    counts = PairCounts("ab")
    for south, north, times in ((1, -1, 30), (-1, 1, 10), (1, 1, 10), (-1, -1, 10)):
        for _ in range(times):
            counts.add("a", "b", south, north)
    ratings = rate(counts, prior=WEAK)
    assert ratings.elo == pytest.approx([0, 0], abs=1e-6)
    assert ratings.seat_advantage.value == pytest.approx(400 * math.log10(80 / 40), abs=0.1)
    assert ratings.seat_advantage.low < ratings.seat_advantage.value < ratings.seat_advantage.high
    low, high = rate(counts).draw_rate[1:]
    assert 0 < low < 1 / 120 < high < 0.1  # not drawn in 120 games


FEW = {
    "no game": [],
    "a single game": [("a", "b", 1, None)],
    "an annulled pair": [("a", "b", None, None)],
    "1-0-1": [("a", "b", 1, -1)],
    "a draw": [("a", "b", None, 0)],
    "all wins": [("a", "b", 1, 1)] * 20,
    "a thousand wins": [("a", "b", 1, 1)] * 1000,
    "a thousand draws": [("a", "b", 0, 0)] * 1000,
    "South always wins": [("a", "b", 1, -1)] * 1000,
    "two islands": [("a", "b", 1, 1)] * 30 + [("c", "d", -1, -1)] * 30,
}


@pytest.mark.parametrize("name", FEW)
def test_ratings_are_finite_and_their_intervals_not_narrow(name):
    counts = PairCounts("abcd")
    for pair in FEW[name]:
        counts.add(*pair)
    ratings = rate(counts)
    assert np.isfinite(ratings.elo).all()
    assert np.isfinite(ratings.differences).all()
    assert np.isfinite([*ratings.seat_advantage, *ratings.draw_rate]).all()
    assert ratings.elo.mean() == pytest.approx(0, abs=1e-6)
    low, high = ratings.intervals.T
    assert (low < ratings.elo).all()
    assert (ratings.elo < high).all()
    _, low, high = ratings.differences[0, 3]  # agents that never met
    assert high - low > 800
    if name in ("no game", "a single game", "an annulled pair", "1-0-1", "a draw"):
        _, low, high = ratings.differences[0, 1]
        assert low < -200 < 200 < high
    elif "wins" in name and "South" not in name:
        value, low, high = ratings.differences[0, 1]
        assert 300 < value < 1500
        assert high - value > 300
        assert ratings.superiority[0, 1] > 0.95


def test_what_is_not_known_is_the_prior():
    ratings = rate(PairCounts("ab"))
    assert ratings.differences[0, 1] == pytest.approx(
        [0, *1.96 * 400 * math.sqrt(2) * np.array([-1, 1])]
    )
    assert ratings.seat_advantage == pytest.approx((0, -1.96 * 200, 1.96 * 200))
    assert ratings.draw_rate == pytest.approx((0.1, 3.1e-4, 0.976), abs=1e-3)
    assert (ratings.superiority == 0.5).all()


def test_ratings_follow_the_names_not_their_order():
    counts, played = random_counts(8)
    turned = PairCounts("dcba")
    for pair in reversed(played):
        turned.add(*pair)
    ratings, other = rate(counts), rate(turned)
    assert other.elo[::-1] == pytest.approx(ratings.elo, abs=1e-6)
    assert other.covariance[::-1, ::-1] == pytest.approx(ratings.covariance, rel=1e-6)
    assert other.seat_advantage == pytest.approx(ratings.seat_advantage)

    exchanged = PairCounts("abcd")
    for first, second, south, north in played:
        exchanged.add(first, second, north, south)
    other = rate(exchanged)
    assert other.elo == pytest.approx(ratings.elo, abs=1e-6)
    assert other.seat_advantage.value == pytest.approx(-ratings.seat_advantage.value)


def test_the_same_counts_give_the_same_bits():
    counts, _ = random_counts(9)
    one, other = rate(counts), rate(counts + PairCounts("abcd"))
    assert (one.elo == other.elo).all()
    assert (one.covariance == other.covariance).all()


def test_an_anchor_moves_ratings_but_no_difference():
    counts, _ = random_counts(10)
    free, anchored = rate(counts), rate(counts, anchor="c")
    assert anchored.elo[2] == 0
    assert anchored.intervals[2].tolist() == [0, 0]
    assert anchored.differences == pytest.approx(free.differences, abs=1e-6)
    assert anchored.superiority == pytest.approx(free.superiority)


def test_superiority_is_that_of_the_difference():
    ratings = rate(random_counts(11)[0])
    assert ratings.superiority + ratings.superiority.T == pytest.approx(np.ones((4, 4)))
    value, low, _ = np.moveaxis(ratings.differences, 2, 0)
    apart = ~np.eye(4, dtype=bool)
    score = 1.96 * value[apart] / (value - low)[apart]
    assert ratings.superiority[apart] == pytest.approx(special.ndtr(score))


def torn(counts):
    """The same games as if no two of them were a pair."""
    apart = PairCounts(counts.agents)
    apart.counts[:, :3, 3] = counts.counts[:, :3, :3].sum(axis=2)
    apart.counts[:, 3, :3] = counts.counts[:, :3, :3].sum(axis=1)
    return apart


def coverage(elo, pairs, correlation, tournaments, change=lambda counts: counts):
    """How often intervals of differences hold the truth, and those of ratings."""
    rng = np.random.default_rng(12)
    elo = np.asarray(elo, dtype=float)
    first, second = np.triu_indices(len(elo), 1)
    of_differences, of_ratings = [], []
    for _ in range(tournaments):
        ratings = rate(change(simulated(rng, elo, pairs, correlation)))
        _, low, high = ratings.differences[first, second].T
        truth = elo[first] - elo[second]
        of_differences.append((low <= truth) & (truth <= high))
        low, high = ratings.intervals.T
        truth = elo - elo.mean()
        of_ratings.append((low <= truth) & (truth <= high))
    return np.mean(of_differences), np.mean(of_ratings)


SPREAD = [-350, -150, -50, 50, 150, 350]


@pytest.mark.parametrize(
    ("elo", "pairs", "correlation", "tournaments"),
    [
        (SPREAD, 30, 0.7, 60),
        (SPREAD, 30, -0.7, 60),
        (SPREAD, 2, 0.5, 60),  # two pairs of each two
        ([-600, -200, 0, 200, 600], 10, 0.3, 60),  # most of some results are wins
        ([-40, 40], 12, 0.5, 200),
        ([-40, 40], 12, -0.5, 200),
        ([-350, 350], 20, 0.5, 200),  # half of them won by one in all games
        ([-40, 40], 1, 0.0, 100),
    ],
)
def test_intervals_hold_the_truth(elo, pairs, correlation, tournaments):
    shares = coverage(elo, pairs, correlation, tournaments)
    most = 0.99 if pairs > 2 else 1.0  # a pair or two tell little beside the prior
    assert all(0.9 <= share <= most for share in shares), shares


def test_intervals_would_not_hold_it_without_pairs():
    """So that the test above can fail: the two games of a pair are not independent."""
    assert max(coverage(SPREAD, 30, 0.9, 60, torn)) < 0.89


def test_pairs_that_even_out_make_intervals_shorter():
    counts = simulated(np.random.default_rng(12), [-40, 40], 100, correlation=-0.7)
    widths = []
    for games in (counts, torn(counts)):
        _, low, high = rate(games).differences[0, 1]
        widths.append(high - low)
    assert widths[0] < 0.75 * widths[1]


def test_a_million_games_of_thirty_agents():
    rng = np.random.default_rng(13)
    elo = rng.normal(0, 300, 30)
    counts = simulated(rng, elo, 1150)
    assert counts.games().sum() > 1_000_000
    ratings = rate(counts)
    deviations = np.sqrt(np.diag(ratings.covariance))
    assert deviations.max() < 6
    assert (np.abs(ratings.elo - (elo - elo.mean())) < 4 * deviations).all()
    low, high = ratings.seat_advantage[1:]
    assert low < 60 < high < low + 3


# --- sequential tests ---


def test_a_test_is_read_from_text():
    assert Sprt.parse("elo0=-5,elo1=10.5,alpha=0.1,beta=0.2") == Sprt(-5, 10.5, 0.1, 0.2)
    assert Sprt.parse("") == Sprt(0, 20, 0.05, 0.05)
    assert Sprt().bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    lower, upper = Sprt(alpha=0.01, beta=0.1).bounds
    assert (lower, upper) == pytest.approx((math.log(0.1 / 0.99), math.log(0.9 / 0.01)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("elo0=5,elo1=5", "elo1 of sprt cannot be 5; allowed: above elo0, which is 5"),
        ("elo0=x", "elo0 of sprt cannot be 'x'; allowed: a number from -1000 to 1000"),
        ("elo1=nan", "elo1 of sprt cannot be"),
        ("alpha=0", "alpha of sprt cannot be"),
        ("beta=0.5", "beta of sprt cannot be"),
        ("elo2=1", "sprt has no option 'elo2'; its options are: elo0, elo1, alpha, beta"),
        ("elo0", "'elo0' of sprt is not of the form name=value"),
    ],
)
def test_wrong_tests_are_refused(text, message):
    with pytest.raises(OptionError, match=message) as caught:
        Sprt.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("wrong", [[1, 2, 3], [0, 0, 1, 0, -1], [0.5] * 5, 3])
def test_wrong_pentanomials_are_refused(wrong):
    with pytest.raises(ArgumentError, match="allowed: five counts of pairs"):
        Sprt().llr(wrong)


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # SciPy 1.15
@pytest.mark.parametrize("counts", [(3, 9, 20, 14, 5), (200, 90, 10, 40, 400), (1, 1, 1, 1, 1)])
def test_the_ratio_is_that_of_the_most_likely_distributions(counts):
    """Those of each mean, found here by minimising over distributions themselves."""
    points, counts = np.linspace(0, 1, 5), np.array(counts)

    def best(mean):
        found = optimize.minimize(
            lambda p: -counts @ np.log(p) / counts.sum(),
            np.full(5, 0.2),
            jac=lambda p: -counts / p / counts.sum(),
            bounds=[(1e-9, 1)] * 5,
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": lambda p: p @ points - mean},
            ],
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 1000},
        )
        return -found.fun * counts.sum()

    test = Sprt(elo0=-10, elo1=30)
    means = [1 / (1 + 10 ** (-elo / 400)) for elo in (test.elo0, test.elo1)]
    assert test.llr(counts) == pytest.approx(best(means[1]) - best(means[0]), abs=1e-3)


def test_ratios_of_many_tests_are_those_of_each():
    many = np.random.default_rng(14).integers(0, 30, (3, 20, 5)) * (np.arange(5) != 1)
    test = Sprt(0, 30)
    ratios = test.llr(many)
    assert ratios.shape == (3, 20)
    assert ratios[2, 7] == pytest.approx(float(test.llr(many[2, 7])), abs=1e-9)
    # seen from the other agent, hypotheses change their places and signs
    assert Sprt(-30, 0).llr(many[..., ::-1]) == pytest.approx(-ratios, abs=1e-6)


def test_few_pairs_and_equal_pairs_decide_nothing_rash():
    test = Sprt(0, 20)
    assert test.test([0] * 5) == (0, *test.bounds, None)
    for points in range(5):
        one = np.eye(5, dtype=int)[points]
        assert abs(float(test.llr(one))) < 0.15
        assert test.test(one).verdict is None
        # no variance at all, and any number of pairs
        assert test.test(1000 * one).verdict == ("elo1" if points > 2 else "elo0")
    assert test.test([20, 30, 100, 30, 20]).verdict is None
    assert test.test([20, 30, 1000, 130, 90]).verdict == "elo1"


@pytest.mark.parametrize("correlation", [-0.6, 0.6])
@pytest.mark.parametrize("verdict", [0, 1])
def test_errors_are_as_rare_as_asked_for(verdict, correlation):
    """Tests looked at after each pair, where the difference is exactly elo0, or elo1."""
    test = Sprt(elo0=-30, elo1=30, alpha=0.1, beta=0.05)
    rng = np.random.default_rng(15)
    tests, pairs = 400, 300
    score = 1 / (1 + 10 ** (-(test.elo0, test.elo1)[verdict] / 400))
    draws = rng.standard_normal((2, tests, pairs))
    draws[1] = correlation * draws[0] + math.sqrt(1 - correlation**2) * draws[1]
    # a fifth of the games drawn; South scores 0.1 more
    points = np.zeros((tests, pairs), dtype=int)
    for seat, luck in zip((0.1, -0.1), special.ndtr(draws), strict=True):
        win = score + seat - 0.1
        points += (luck > 0.8 - win).astype(int) + (luck > 1 - win)
    seen = np.cumsum(points[:, :, None] == np.arange(5), axis=1)
    ratios = test.llr(seen)
    lower, upper = test.bounds
    ends = (ratios <= lower) | (ratios >= upper)
    assert ends.any(axis=1).mean() > 0.95
    at = np.arange(tests), ends.argmax(axis=1)
    wrong = ratios[at] >= upper if verdict == 0 else ratios[at] <= lower
    asked = (test.alpha, test.beta)[verdict]
    assert asked / 4 < wrong.mean() < 1.3 * asked
