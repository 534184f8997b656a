"""What the parts of the analysis share: its options, its setting, signatures."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.analyses.marked_errors.rows import MarkedStudy
from scoring.analyses.shared.setting import filtered
from scoring.analyses.variants.result import Difference
from scoring.stats import shares, signature
from scoring.stats.data import Filters
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.jackknife import Jackknifed, LeaveOut
from scoring.stats.option import option
from scoring.stats.spans import f_scores
from scoring.stats.spans.f_scores import Compared

# How intervals are made, in signatures.
SHARE, DIFFERENCE = "jackknife-log-odds", "mover-log-odds"
ALPHA = "jackknife-longer-tail"


@dataclass(frozen=True)
class Options(Filters):
    """How often is guessed, and what is shown."""

    guesses: int = option(
        20, "Guesses", min=1, max=200, help="How often each guess is drawn"
    )
    most_texts: int = option(10, "Texts shown", min=0, max=100)


@dataclass(frozen=True, slots=True)
class Setting:
    """The study that the options leave, and how its numbers are made and signed."""

    study: MarkedStudy
    options: Options
    policy: str
    left: LeaveOut  # of the texts
    # Whether all pairs of judges are taken together, as they share few texts.
    together: bool

    def pairs(self, compared: Compared) -> Compared:
        """As they are averaged."""
        return compared.together() if self.together else compared

    def signed(self, statistic: str, **parts: signature.Part) -> str:
        """The signature of a number without an interval."""
        common: dict[str, signature.Part] = filtered(self.options, self.policy)
        return signature.text(statistic, **{**common, **parts})

    def drawn(self, statistic: str, interval: str, **parts: signature.Part) -> str:
        """The signature of a number with an interval over prompts."""
        common: dict[str, signature.Part] = {
            "interval": interval,
            "unit": "prompts",
            "seed": self.options.seed,
        }
        return self.signed(statistic, **common, **parts)

    def mean(self, statistic: str, **parts: signature.Part) -> str:
        """The signature of a mean over judges."""
        return self.drawn(statistic, SHARE, judges=self.judges, **parts)

    @property
    def judges(self) -> str:
        """Whether each pair of them counts alike, or all their marks."""
        return "together" if self.together else "each"

    def score(
        self,
        of: Jackknifed,
        compared: Compared,
        reason: str,
        statistic: str,
        **parts: signature.Part,
    ) -> Number:
        """One of the mean scores of some judges."""
        estimate = f_scores.estimate(of, compared, reason)
        signed = self.mean(statistic, n=estimate.n, **parts)
        return number(estimate.with_signature(signed))

    def difference(
        self,
        first: Jackknifed,
        second: Jackknifed,
        reason: str,
        n: int,
        **parts: signature.Part,
    ) -> Difference:
        """Of two scores on the same texts; p is not adjusted yet."""
        estimate, p, why = shares.difference(first, second, n=n, reason=reason)
        signed = self.drawn("mpp-f", DIFFERENCE, judges=self.judges, n=n, **parts)
        return {
            "difference": number(estimate.with_signature(signed)),
            "p": p,
            "adjusted": None,
            "reason": why,
        }

    def alpha(self, estimate: Estimate, statistic: str, **parts: str) -> Number:
        """An alpha of people."""
        return self._plain(estimate, statistic, ALPHA, **parts)

    def share(self, estimate: Estimate, statistic: str, **parts: str) -> Number:
        """A share over texts that is no mean over judges."""
        return self._plain(estimate, statistic, SHARE, **parts)

    def _plain(
        self, estimate: Estimate, statistic: str, interval: str, **parts: str
    ) -> Number:
        signed = self.drawn(statistic, interval, n=estimate.n, **parts)
        return number(estimate.with_signature(signed))
