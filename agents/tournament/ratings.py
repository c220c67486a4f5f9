"""Ratings: a Davidson model with a seat term and Gaussian priors, fitted to counts of pairs.

Let a and b be the strengths of two agents in natural logarithms, and s what it helps to sit
South. With ``d = a - b + s``, the first of them as South has results of the probabilities ::

    win : draw : loss  =  exp(d/2) : nu : exp(-d/2)

(Davidson 1970, with the order effect of Davidson and Beaver 1977; without draws that is the
model of Bradley and Terry.) Strengths, s and ``log nu`` have independent Gaussian priors:
the posterior has exactly one maximum, and it is finite whatever was played. On the Elo
scale, 400 / log 10 times as large, a difference of 400 means ten wins to a loss; draws do
not count in these odds, so where draws are many it is larger than what the score alone
would give.

*Intervals.* Let J be the information of the games by the model, P that of the priors, B the
sum over pairs of games of the outer products of their scores (the gradients of their
log-likelihoods). The covariance is the sandwich ``(J + P)^-1 (M + P) (J + P)^-1``, where M
of a couple of agents is ``w J + (1 - w) B`` of their games. Alone, J would take the two
games of a pair for independent, and B would call it certain that two agents are equal who
won a game each, or how much better one is who won every game. So w goes from 1 to 0 as
games tell more: ``w = 10 / (10 + e)``, where e counts the games of one of the two agents,
of the one where they tell less, each weighed by its information about a difference, which
is 1 for a game of equal agents without draws.

References
----------
R. R. Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired
comparison experiments, JASA 65, 317-328. R. R. Davidson, R. J. Beaver (1977), On extending
the Bradley-Terry model to incorporate within-pair order effects, Biometrics 33, 693-702.
K.-Y. Liang, S. L. Zeger (1986), Longitudinal data analysis using generalized linear models,
Biometrika 73, 13-22 (the sandwich over clusters). The weight w is ours; section "Ratings"
of docs/decisions.md says how it was chosen and what intervals cover.

Read next: ``pairs.py`` (what is fitted), ``sprt.py`` (when to stop).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize, sparse, special

from mancala_ai.errors import ArgumentError, shown

from .pairs import UNPLAYED, PairCounts

Floats = NDArray[np.float64]

ELO = 400 / np.log(10)  # Elo points in a unit of natural logarithm
_QUANTILE = 1.96  # standard deviations to either end of a 95 % interval
_GAMES_BY_THE_MODEL = 10  # at which J and B weigh the same

# A result adds to the logarithm of its probability these multiples of a - b, s and log nu,
# where a is the strength of the first agent of a couple. Shape (2 seats, 3 results, 3).
_FEATURES = np.array(
    [
        [[-0.5, -0.5, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, 0.0]],  # as South
        [[-0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.5, -0.5, 0.0]],  # as North
    ]
)


class Prior(NamedTuple):
    """What is believed of the parameters before any game: Gaussian, independent.

    Attributes
    ----------
    rating, seat : float
        Standard deviations, in Elo points, of the rating of an agent and of the advantage of
        South, both of mean 0.
    draw_mean, draw : float
        Mean and standard deviation of ``log nu``; by default a tenth of the games of equal
        agents is drawn, or (95 %) 0.03 % to 98 %.
    """

    rating: float = 400.0
    seat: float = 200.0
    draw_mean: float = -1.5
    draw: float = 3.0


DEFAULT_PRIOR = Prior()


class Estimate(NamedTuple):
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Ratings:
    """What :func:`rate` finds.

    Attributes
    ----------
    agents : tuple of str
    elo : ndarray of float64, shape (agents,)
        Ratings in Elo points; their mean, or that of the anchor, is 0.
    covariance : ndarray of float64, shape (agents, agents)
        Of these ratings, in squared Elo points.
    seat_advantage : Estimate
        Elo points that it is worth to sit South.
    draw_rate : Estimate
        The probability of a draw, 0 to 1, where neither side has an advantage.
    """

    agents: tuple[str, ...]
    elo: Floats
    covariance: Floats
    seat_advantage: Estimate
    draw_rate: Estimate

    @property
    def intervals(self) -> Floats:
        """The 95 % interval of each rating: shape (agents, 2)."""
        margin = _QUANTILE * np.sqrt(np.diag(self.covariance))
        return np.stack([self.elo - margin, self.elo + margin], axis=1)

    @property
    def differences(self) -> Floats:
        """The row's rating less the column's: shape (agents, agents, 3).

        The last axis holds the value and the ends of its 95 % interval.
        """
        value, deviation = self._differences()
        margin = _QUANTILE * deviation
        return np.stack([value, value - margin, value + margin], axis=2)

    @property
    def superiority(self) -> Floats:
        """The likelihood of superiority (LOS): shape (agents, agents), each 0 to 1.

        How probable it is, by all games and with pairs as the unit, that the row is
        stronger than the column; 0.5 on the diagonal.
        """
        value, deviation = self._differences()
        score = np.divide(value, deviation, out=np.zeros_like(value), where=deviation > 0)
        return np.asarray(special.ndtr(score))

    def _differences(self) -> tuple[Floats, Floats]:
        """All differences of two ratings, and their standard deviations."""
        variance = np.diag(self.covariance)
        squares = variance[:, None] + variance - 2 * self.covariance
        np.fill_diagonal(squares, 0.0)
        return self.elo[:, None] - self.elo, np.sqrt(squares)


def rate(counts: PairCounts, anchor: str | None = None, prior: Prior = DEFAULT_PRIOR) -> Ratings:
    """The ratings of agents most probable after their games, with 95 % intervals.

    They are finite whatever was played: an agent that never lost, or never played, has a
    wide interval. The same counts give the same ratings.

    Parameters
    ----------
    counts : PairCounts
        Results of one game (its rules and options).
    anchor : str, optional
        The agent that has the rating 0, exactly; by default the mean of all has.
    prior : Prior

    Raises
    ------
    ArgumentError
        If the anchor does not take part, or a standard deviation is not positive.
    """
    if not min(prior.rating, prior.seat, prior.draw) > 0:
        raise ArgumentError(f"the standard deviations of {shown(prior)} must be above 0")
    n = len(counts.agents)
    origin = np.full(n, 1 / n)
    if anchor is not None:
        origin = np.eye(n)[counts.place(anchor)]
    to_elo = ELO * (np.eye(n) - origin)

    posterior = _Posterior(counts, prior)
    mode = posterior.mode()
    covariance = posterior.covariance(mode)
    ends = np.array([0.0, -_QUANTILE, _QUANTILE])
    seat, log_nu = mode[n:, None] + ends * np.sqrt(np.diag(covariance))[n:, None]
    return Ratings(
        agents=counts.agents,
        elo=to_elo @ mode[:n],
        covariance=to_elo @ covariance[:n, :n] @ to_elo.T,
        seat_advantage=Estimate(*(ELO * seat).tolist()),
        draw_rate=Estimate(*special.expit(log_nu - np.log(2)).tolist()),  # nu / (2 + nu)
    )


class _Posterior:
    """What is believed of the parameters: strengths of all agents, s, log nu.

    Games of a couple depend on three numbers only: the difference of its strengths, s and
    log nu. Arrays of shape (couples, ..., 3) refer to these; ``spread`` leads to the
    parameters and back.
    """

    def __init__(self, counts: PairCounts, prior: Prior) -> None:
        n = len(counts.agents)
        first, second = np.triu_indices(n, 1)
        met = counts.counts.any(axis=(1, 2))
        self.first, self.second, self.counts = first[met], second[met], counts.counts[met]
        # games of a couple by the seat and the result of its first agent
        games = np.stack([self.counts.sum(axis=2), self.counts.sum(axis=1)], axis=1)
        self.games = games[:, :, :UNPLAYED]

        deviations = [prior.rating / ELO] * n + [prior.seat / ELO, prior.draw]
        self.precision = np.diag(1 / np.square(deviations))
        self.mean = np.array([0.0] * (n + 1) + [prior.draw_mean])

        couples = np.arange(len(self.first))
        rows = [3 * couples, 3 * couples, 3 * couples + 1, 3 * couples + 2]
        columns = [self.first, self.second, np.full_like(couples, n), np.full_like(couples, n + 1)]
        values = np.repeat([1.0, -1.0, 1.0, 1.0], len(couples))
        places = (np.concatenate(rows), np.concatenate(columns))
        self.spread = sparse.coo_array((values, places), (3 * len(couples), n + 2)).tocsr()

    def mode(self) -> Floats:
        """The parameters most probable: where the gradient is 0, which is at one point."""
        found = optimize.root(self.gradient, self.mean, jac=self.curvature).x
        # its own verdict is about relative errors, and fails where all parameters are near 0
        step = linalg.solve(self.curvature(found), self.gradient(found), assume_a="pos")
        if not np.abs(step).max() < 1e-4:
            raise RuntimeError("the most probable ratings were not found")
        return np.asarray(found - step)

    def covariance(self, parameters: Floats) -> Floats:
        """The sandwich that the module's docstring describes."""
        scores = self.scores(self.probability(parameters))
        seen = _outer(self.counts, scores[:, 0, :, None] + scores[:, 1, None])
        expected = self.information(parameters)

        worth = 4 * expected[:, 0, 0]
        n = len(parameters) - 2
        of_agent = np.bincount(self.first, worth, n) + np.bincount(self.second, worth, n)
        least = np.minimum(of_agent[self.first], of_agent[self.second])
        weight = (_GAMES_BY_THE_MODEL / (_GAMES_BY_THE_MODEL + least))[:, None, None]

        middle = self.collect(weight * expected + (1 - weight) * seen) + self.precision
        inverse = linalg.inv(self.collect(expected) + self.precision)
        return np.asarray(inverse @ middle @ inverse)

    def gradient(self, parameters: Floats) -> Floats:
        """Of the negative logarithm of the density."""
        played = self.games.sum(axis=2, keepdims=True)
        surplus = self.games - played * self.probability(parameters)
        of_games = (surplus.reshape(-1, 6) @ _FEATURES.reshape(6, 3)).ravel()
        return np.asarray(self.precision @ (parameters - self.mean) - self.spread.T @ of_games)

    def curvature(self, parameters: Floats) -> Floats:
        """The matrix of second derivatives of the same."""
        return self.collect(self.information(parameters)) + self.precision

    def information(self, parameters: Floats) -> Floats:
        """What the model expects the games of each couple to tell: shape (couples, 3, 3)."""
        probability = self.probability(parameters)
        expected = self.games.sum(axis=2, keepdims=True) * probability
        return _outer(expected, self.scores(probability)[:, :, :UNPLAYED])

    def probability(self, parameters: Floats) -> Floats:
        """Of each result, by the seat of a couple's first agent: shape (couples, 2, 3)."""
        numbers = (self.spread @ parameters).reshape(-1, 3)
        exponents = (numbers @ _FEATURES.reshape(6, 3).T).reshape(-1, 2, 3)
        return np.asarray(special.softmax(exponents, axis=2))

    def scores(self, probability: Floats) -> Floats:
        """The gradients of the logarithms of probabilities: shape (couples, 2, 4, 3).

        The last result is a game unplayed, which tells nothing.
        """
        scores = np.zeros((len(probability), 2, UNPLAYED + 1, 3))
        mean = np.einsum("csr,srf->csf", probability, _FEATURES)
        scores[:, :, :UNPLAYED] = _FEATURES - mean[:, :, None]
        return scores

    def collect(self, couples: Floats) -> Floats:
        """Information from all couples, (couples, 3, 3), about the parameters."""
        count = np.arange(len(couples) + 1)
        shape = (3 * len(couples), 3 * len(couples))
        blocks = sparse.bsr_array((couples, count[:-1], count), shape=shape)
        return np.asarray((self.spread.T @ blocks @ self.spread).toarray())


def _outer(weights: NDArray[Any], vectors: Floats) -> Floats:
    """Each couple's weighted sum of outer products of its vectors: shape (couples, 3, 3)."""
    rows = vectors.reshape(len(vectors), math.prod(vectors.shape[1:-1]), 3)
    return np.asarray(rows.swapaxes(1, 2) @ (weights.reshape(rows.shape[:2])[:, :, None] * rows))
