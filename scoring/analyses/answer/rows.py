"""What the answer shows of one aspect: guesses, one rater, each metric beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from scoring.analyses.answer.result import (
    Against,
    Ceiling,
    Claims,
    Row,
    Sentinel,
    Undirected,
)
from scoring.analyses.shared.chips import Asked, Examined, Judged
from scoring.analyses.shared.setting import about_output, coefficient_name, filtered
from scoring.stats import signature
from scoring.stats.answer import ceiling, floor
from scoring.stats.answer.chips import TITLES, Adjusted
from scoring.stats.answer.contributions import Contrast
from scoring.stats.answer.evidence import CHANCE, targets
from scoring.stats.answer.sentences import GUESSES, Verdict, more_words
from scoring.stats.estimates import Estimate, Number, number

SEVERAL = (2, 3, 5, 10)
NOT_TESTED = "an interval needs 10 prompts that tell good from bad"
# What is shown, though it learns from ratings of the same texts or systems.
FROM_RATINGS = ("prompt", "system")
WITHIN = {"item": "prompt", "system": "system"}


@dataclass(frozen=True, slots=True)
class Shown:
    """One aspect."""

    asked: Asked
    aspect: str
    of: Examined

    def _signed(self, statistic: str, **parts: signature.Part) -> str:
        asked = self.asked
        group = {"group": "system"} if self.of.question.within_systems else {}
        return signature.text(
            f"{coefficient_name(asked.options.coefficient)}{statistic}",
            aspect=self.aspect,
            unit="prompts",
            seed=asked.options.seed,
            **filtered(asked.options, asked.data.policy),
            **{**asked.within.signed(), **group, **parts},
        )

    def _with_people(self, scores: np.ndarray) -> Estimate:
        """A column with the mean of all ratings."""
        sides = targets((), self.of.human, scores[:, np.newaxis])
        if self.of.question.state == "none" or not len(sides[0].text):
            return Estimate(None, n=0, reason="no rated text has a score")
        of = self.of.question.measure.agreement(sides)
        return of.estimate(0, "one side is all the same")

    # Guesses --------------------------------------------------------------------------

    def sentinels(self) -> list[Sentinel]:
        """All of them, those that do not exist here with the reason."""
        texts, y = self.asked.data.texts, self.of.human
        inside = WITHIN.get(self.asked.within.grouping, "")
        if self.of.question.within_systems:
            inside = "system"
        rows = [self._sentinel(one, True) for one in self.of.guesses]
        for key in FROM_RATINGS:
            one = floor.from_ratings(key, texts.prompt, texts.system, y)
            if key == inside:
                why = f"texts of one {key} are compared with each other"
                one = floor.Sentinel(key, one.scores, why)
            rows.append(self._sentinel(one, False))
        chance = Estimate(0.0, n=int(np.isfinite(y).sum()))
        return [*rows, self._of(CHANCE, chance, True, None)]

    def _sentinel(self, one: floor.Sentinel, free: bool) -> Sentinel:
        found = Estimate(None, n=0, reason=one.reason)
        if one.reason is None:
            found = self._with_people(one.scores)
        return self._of(one.key, found, free, one.reason)

    def _of(self, key: str, r: Estimate, free: bool, reason: str | None) -> Sentinel:
        signed = self._signed("", sentinel=key, n=r.n, raters="mean")
        words = GUESSES[key].removesuffix(" does")
        return {
            "key": key,
            "words": words,
            "r": number(r.with_signature(signed)),
            "free": free,
            "reason": reason,
        }

    # One rater ------------------------------------------------------------------------

    def ceiling(self) -> Ceiling:
        """One rater with the mean of the rest, and the mean of several."""
        panel = self.of.panel
        one = self._one_rater()

        def of_raters(found: Estimate, n: int) -> Number:
            signed = self._signed("-of-raters", n=found.n, of=n, raters="rest")
            if self.asked.options.coefficient == "kendall" and n > 1:
                return number(Estimate(None, reason="not defined for Kendall's tau"))
            return number(found.with_signature(signed))

        several = [
            (n, ceiling.of_several(one, panel.n_rest, n) if panel.n else one)
            for n in SEVERAL
        ]
        return {
            "one": of_raters(one, 1),
            "several": [
                {"raters": n, "r": of_raters(found, n)} for n, found in several
            ],
            "method": panel.method,
            "was_sorted": panel.was_sorted,
        }

    def _one_rater(self) -> Estimate:
        empty = np.empty((len(self.of.human), 0))
        picks = self.of.panel.picks
        if not picks:
            return Estimate(None, n=0, reason=ceiling.NO_PAIR)
        of = self.of.question.measure.agreement(targets(picks, self.of.human, empty))
        return of.estimate(0, "one side is all the same")

    # Metrics --------------------------------------------------------------------------

    def row(self, m: int, judged: Judged) -> Row:
        """One metric beside guesses and one rater."""
        asked, (verdict, p, family) = self.asked, judged
        output, evidence = asked.outputs[m], judged.verdict.evidence
        own = self._with_people(asked.x[:, m])
        if own.n == 0 and output.reason:
            own = replace(own, reason=output.reason)

        def against(key: str, gap: Contrast | None, minus: str) -> Against:
            return {
                "key": key,
                "difference": self._gap(gap, output.id, minus, evidence.n_texts),
                "p": None if gap is None else _p(gap.greater),
            }

        signed = self._signed("", metric=output.id, n=own.n, raters="mean")
        return {
            "output": about_output(output, asked.places[m], asked.data.aspects),
            "name": verdict.name,
            "r": number(own.with_signature(signed)),
            "floor": [
                against(key, evidence.beats.get(key), key) for key in evidence.guesses
            ],
            "same": self._same(verdict, output.id),
            "ceiling": against("", evidence.rater_gap, "one-rater"),
            "keeps": against("", evidence.keeps, "share-of-one-rater"),
            "claims": _claims(p),
            "family": family,
            "code": verdict.chip,
            "words": TITLES[verdict.chip],
            "hardest": evidence.hardest,
            "more": verdict.more,
            "more_words": more_words(verdict, unclear=self.of.question.unclear),
            "chosen": output.chosen,
        }

    def _same(self, verdict: Verdict, metric: str) -> Number:
        """The metric with the targets of one rater, where there is one."""
        e = verdict.evidence
        if math.isnan(e.rater):
            return number(Estimate(None, reason=ceiling.NO_PAIR))
        value = None if math.isnan(e.metric) else e.metric
        signed = self._signed("", metric=metric, n=e.n_texts, raters="rest")
        return number(
            Estimate(
                value, n=e.n_texts, reason="no interval of its own", signature=signed
            )
        )

    def _gap(self, gap: Contrast | None, metric: str, minus: str, n: int) -> Number:
        if gap is None:
            return number(Estimate(None, reason="no number to compare with"))
        signed = self._signed("-difference", metric=metric, n=n, minus=minus)
        if math.isnan(gap.low):
            return number(Estimate(gap.value, n=n, reason=NOT_TESTED, signature=signed))
        return number(Estimate(gap.value, gap.low, gap.high, n=n, signature=signed))

    def undirected(self) -> list[Undirected]:
        """How closely metrics without direction go with people, whichever way."""
        found: list[Undirected] = []
        for place, scores in self.asked.others:
            output = self.asked.data.outputs[place]
            r = self._with_people(scores)
            signed = self._signed("-size", metric=output.id, n=r.n, raters="mean")
            size = None if r.value is None else abs(r.value)
            reason = (output.reason if r.n == 0 else "") or (
                r.reason if r.value is None else None
            )
            found.append(
                {
                    "output": about_output(output, place, self.asked.data.aspects),
                    "size": number(
                        Estimate(size, n=r.n, reason=reason, signature=signed)
                    ),
                }
            )
        return sorted(found, key=lambda one: -(one["size"]["value"] or 0.0))


def _claims(p: Adjusted) -> Claims:
    return {
        "worse": _p(p.worse),
        "better": _p(p.better),
        "like": _p(p.like),
        "below": _p(p.below),
        "beats": _p(p.beats),
        "little": _p(p.little),
    }


def _p(value: float) -> float | None:
    return None if math.isnan(value) else value
