"""A sequential test of two agents on pairs of games: stop as soon as enough is known.

Is A stronger than B by ``elo0`` or less, or by ``elo1`` or more? After each pair the
logarithm of the likelihood ratio (LLR) of the second against the first is compared with two
bounds, ``log(beta / (1 - alpha))`` and ``log((1 - beta) / alpha)`` (Wald 1945). The wrong
answer then has a probability of about alpha where the difference is elo0, and of beta where
it is elo1; less outside these, and in between the test takes longest.

The LLR is that of chess engine tests, the generalised one of the pentanomial distribution:
a pair brings A one of five numbers of points, 0 to 2, nothing is assumed of how probable
they are but the mean, and both hypotheses take the distribution of that mean which fits
best. Points of one opening played from both seats vary less than those of two games, and
the test is shorter for it. Elo is here that of scores, ``1 / (1 + 10^(-elo/400))``.

References
----------
A. Wald (1945), Sequential tests of statistical hypotheses, Ann. Math. Stat. 16, 117-186.
X. Li, J. Liu, Z. Ying (2014), Generalized sequential probability ratio test for separate
families of hypotheses, Sequential Analysis 33, 539-563. M. Van den Bergh,
https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf (the most likely distribution of
a mean), as in ``LLR_logistic`` of ``LLRcalc.py`` of fishtest
(https://github.com/official-stockfish/fishtest). Unlike there, bounds are not moved for the
overshoot, so that the answer depends on the counts alone.

Read next: ``pairs.py``, whose ``PairCounts.pentanomial`` is what is tested here; section
"Ratings" of docs/decisions.md says how often the test errs.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mancala_ai.errors import ArgumentError, OptionError, shown
from mancala_ai.fields import RealOption, check_options, parse_options

_OWNER = "sprt"
_OPTIONS = (
    RealOption("elo0", 0.0, (-1000.0, 1000.0), "Elo difference of the first hypothesis"),
    RealOption("elo1", 20.0, (-1000.0, 1000.0), "Elo difference of the second, above elo0"),
    RealOption("alpha", 0.05, (1e-6, 0.49), "probability to answer elo1 wrongly"),
    RealOption("beta", 0.05, (1e-6, 0.49), "probability to answer elo0 wrongly"),
)
_POINTS = np.linspace(0, 1, 5)  # of a pair, as a share of all
_UNSEEN = 1e-3  # pairs, instead of none: fishtest's; every mean then has a distribution


class SprtResult(NamedTuple):
    """Where a test stands.

    Attributes
    ----------
    llr : float
        The logarithm of the likelihood ratio, for elo1 if positive.
    lower, upper : float
        Its bounds.
    verdict : {"elo0", "elo1", None}
        The hypothesis accepted; None as long as the LLR lies between the bounds.
    """

    llr: float
    lower: float
    upper: float
    verdict: Literal["elo0", "elo1"] | None


@dataclass(frozen=True)
class Sprt:
    """A test, before any game.

    Parameters
    ----------
    elo0, elo1 : float
        The differences told apart, -1000 to 1000; elo0 < elo1.
    alpha, beta : float
        The probabilities of error, to 0.49.

    Raises
    ------
    OptionError
        If a value is out of range, or elo1 is not above elo0.
    """

    elo0: float = _OPTIONS[0].default
    elo1: float = _OPTIONS[1].default
    alpha: float = _OPTIONS[2].default
    beta: float = _OPTIONS[3].default

    def __post_init__(self) -> None:
        check_options(_OWNER, _OPTIONS, asdict(self))
        if not self.elo0 < self.elo1:
            raise OptionError(
                f"option elo1 of {_OWNER} cannot be {self.elo1:g}; "
                f"allowed: above elo0, which is {self.elo0:g}"
            )

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """The test that a text describes.

        Parameters
        ----------
        text : str
            Such as ``"elo0=0,elo1=20,alpha=0.05"``.

        Raises
        ------
        OptionError
            If it describes none.
        """
        return cls(**check_options(_OWNER, _OPTIONS, parse_options(_OWNER, _OPTIONS, text)))

    @property
    def bounds(self) -> tuple[float, float]:
        """The LLR at or below which elo0 is accepted, and that at or above which elo1 is."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def llr(self, pentanomial: ArrayLike) -> NDArray[np.float64]:
        """The logarithms of the likelihood ratios of one or many tests.

        Parameters
        ----------
        pentanomial : array_like of int, shape (..., 5)
            Pairs by the points of the first agent: 0, 1/2, 1, 3/2, 2.

        Returns
        -------
        ndarray of float64, shape (...)
            0 where no pair was played.

        Raises
        ------
        ArgumentError
            If it is not five counts.
        """
        seen = np.asarray(pentanomial)
        if seen.shape[-1:] != (5,) or seen.dtype.kind not in "iu" or (seen < 0).any():
            raise ArgumentError(
                f"a pentanomial cannot be {shown(pentanomial)}; allowed: five counts of pairs"
            )
        counts = np.where(seen == 0, _UNSEEN, seen)
        shares = counts / counts.sum(axis=-1, keepdims=True)
        likelihood = [
            -np.log1p(_tilt(shares, mean)[..., None] * (_POINTS - mean))
            for mean in (_score(self.elo0), _score(self.elo1))
        ]
        return np.asarray((seen * (likelihood[1] - likelihood[0])).sum(axis=-1))

    def test(self, pentanomial: ArrayLike) -> SprtResult:
        """Where the test stands after these pairs.

        Parameters
        ----------
        pentanomial : array_like of int, shape (5,)
            How many there are of each result, as :meth:`.PairCounts.pentanomial` counts them.

        Raises
        ------
        ArgumentError
            If it is none.
        """
        llr = float(self.llr(pentanomial))
        lower, upper = self.bounds
        verdict: Any = "elo0" if llr <= lower else "elo1" if llr >= upper else None
        return SprtResult(llr, lower, upper, verdict)


def _score(elo: float) -> float:
    """The expected score of a difference in Elo, 0 to 1."""
    return 1 / (1 + 10 ** (-elo / 400))


def _tilt(shares: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """What leads from the shares seen to the most likely distribution of a mean.

    That distribution is ``shares / (1 + x * (points - mean))``, where x makes the mean of
    ``points - mean`` 0. No probability may exceed 1, which brackets x.
    """
    from scipy.optimize import elementwise  # slow to import, and few tournaments test

    away = _POINTS - mean
    bracket = ((shares[..., 4] - 1) / away[4], (shares[..., 0] - 1) / away[0])
    columns = tuple(np.moveaxis(shares, -1, 0))

    def excess(x: Any, *columns: Any) -> Any:
        return sum(p * a / (1 + x * a) for p, a in zip(columns, away, strict=True))

    return np.asarray(elementwise.find_root(excess, bracket, args=columns).x)
