"""Do metrics rank systems as people do? Correlations of means of systems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from scoring.analyses.shared.cells import by_coefficient
from scoring.analyses.shared.result import ByCoefficient
from scoring.analyses.shared.setting import (
    about_output,
    coefficient_name,
    filtered,
    in_order,
)
from scoring.analyses.systems.beyond_chance import SAME, same_for_all
from scoring.analyses.systems.result import LevelRow, OverSeeds, Target
from scoring.analyses.systems.seeds import closeness_of, over_seeds
from scoring.stats import correlation, preference, signature, votes
from scoring.stats.correlation import Coefficient, CoefficientName, fisher
from scoring.stats.counts import DRAWS
from scoring.stats.data import Data, Filters, Output
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.soft import soft_pairwise_accuracy
from scoring.stats.systems import system_level

MEANS = "means of the metric"
PEOPLE = "means of people"
STRENGTHS = "strengths by votes"
ONE_NUMBER = "the metric gives one number for each system, none for texts"
UNDIRECTED = "closeness to human text is what counts"
OF_SYSTEMS = "votes are of systems, not of texts"


@dataclass(frozen=True)
class Levels:
    """What systems are ranked by, and every metric beside it.

    `data` has filters applied and only texts of a system; `places` are the systems
    that have texts.
    """

    data: Data
    options: Filters
    places: list[int]

    def targets(self, rng: np.random.Generator) -> list[Target]:
        """Each aspect, and the votes on each question.

        Args:
            rng: Draws the signs of soft pairwise accuracy.
        """
        signs = int(rng.integers(2**32))  # the same for every metric
        found = [self._by_people(n, signs) for n in range(len(self.data.aspects))]
        for question in dict.fromkeys(self.data.votes.question.tolist()):
            strengths = self._strengths(question)
            if np.isfinite(strengths).any():
                found.append(self._by_votes(question, strengths))
        return found

    # Mean ratings --------------------------------------------------------------------

    def _by_people(self, aspect: int, signs: int) -> Target:
        data, key = self.data, self.data.aspects[aspect].key
        human, scores = data.human_scores()[:, aspect], self._scores()
        means = self._means(human)
        rows = []
        for m in in_order(data.outputs):
            found = by_coefficient(partial(self._of_texts, scores[:, m], human))
            soft = self._soft(m, human, key, signs)
            rows.append(self._row(data.outputs[m], m, found, key, soft))
        rows += self._rows_of_systems(
            means, PEOPLE, key, number(Estimate(None, reason=ONE_NUMBER))
        )
        n = int(np.isfinite(means).sum())
        title = data.aspects[aspect].title
        return {"title": title, "kind": "aspect", "n_systems": n, "rows": rows}

    def _of_texts(
        self, metric: np.ndarray, human: np.ndarray, coefficient: CoefficientName
    ) -> Coefficient:
        """Of the means over texts that have both."""
        systems, names = self.data.texts.system, (MEANS, PEOPLE)
        return system_level(
            metric, human, systems, coefficient=coefficient, names=names
        )

    def _soft(self, output: int, human: np.ndarray, aspect: str, signs: int) -> Number:
        texts, data = self.data.texts, self.data
        found = soft_pairwise_accuracy(
            self._scores()[:, output],
            human,
            texts.prompt,
            texts.system,
            rng=np.random.default_rng(signs),
        )
        signed = signature.text(
            "soft pairwise accuracy",
            aspect=aspect,
            metric=data.outputs[output].id,
            level="systems",
            pairs=found.n_pairs,
            draws=DRAWS,
            unit="signs of prompts",
            seed=self.options.seed,
            **filtered(self.options, data.policy),
        )
        return number(
            Estimate(
                found.value, n=found.n_pairs, reason=found.reason, signature=signed
            )
        )

    # Votes ---------------------------------------------------------------------------

    def _strengths(self, question: str) -> np.ndarray:
        """Of the largest group of systems that votes tie together, NaN for others."""
        cast = self.data.votes
        kept = (cast.question == question) & np.isin(cast.first, self.places)
        kept &= np.isin(cast.second, self.places)
        read = votes.read(
            cast.first[kept],
            cast.second[kept],
            cast.outcome[kept],
            len(self.data.systems),
        )
        fitted = preference.fit(*votes.tally(read))
        found = np.full(len(self.data.systems), np.nan)
        for place in max(fitted.components, key=len, default=()):
            value = fitted.values[place]
            found[place] = np.nan if value is None else value
        return found

    def _by_votes(self, question: str, strengths: np.ndarray) -> Target:
        data, scores = self.data, self._scores()
        target, soft = (
            f"votes {question}".strip(),
            number(Estimate(None, reason=OF_SYSTEMS)),
        )
        rows = []
        alike = data.of_one_level(np.isfinite(data.human_scores()).any(axis=1))
        scores = np.where(alike[:, np.newaxis], scores, np.nan)
        for m in in_order(data.outputs):
            means = self._means(scores[:, m])
            found = self._correlations(means, strengths, STRENGTHS)
            rows.append(self._row(data.outputs[m], m, found, target, soft))
        rows += self._rows_of_systems(strengths, STRENGTHS, target, soft)
        return {
            "title": f"Votes: {question}" if question else "Votes",
            "kind": "votes",
            "n_systems": int(np.isfinite(strengths).sum()),
            "rows": rows,
        }

    # Both ----------------------------------------------------------------------------

    def _scores(self) -> np.ndarray:
        shape = len(self.data.texts), len(self.data.outputs)
        return self.data.metric_scores().reshape(shape)

    def _means(self, scores: np.ndarray) -> np.ndarray:
        """Mean of each system of the study, (systems,), NaN = none."""
        n_systems, known = len(self.data.systems), np.isfinite(scores)
        systems = self.data.texts.system[known]
        n = np.bincount(systems, minlength=n_systems)
        total = np.bincount(systems, scores[known], minlength=n_systems)
        return np.divide(total, n, out=np.full(n_systems, np.nan), where=n > 0)

    def _correlations(
        self, x: np.ndarray, y: np.ndarray, other: str
    ) -> ByCoefficient[Coefficient]:
        return by_coefficient(
            lambda name: getattr(correlation, name)(x, y, (MEANS, other))
        )

    def _row(
        self,
        output: Output,
        place: int,
        found: ByCoefficient[Coefficient],
        target: str,
        soft: Number,
    ) -> LevelRow:
        about = about_output(output, place, self.data.aspects)
        cells = by_coefficient(
            lambda name: self._cell(found[name], name, output, target)
        )
        return {**about, **cells, "soft": soft, "of_system": False}

    def _cell(
        self, found: Coefficient, coefficient: str, output: Output, target: str
    ) -> Number:
        """With Fisher's interval: few systems leave no better way."""
        value, reason, n = found
        signed = signature.text(
            coefficient_name(coefficient),
            aspect=target,
            metric=output.id,
            level="systems",
            n=n,
            interval="fisher",
            **filtered(self.options, self.data.policy),
        )
        if value is None:
            said = output.reason if n == 0 and output.reason else reason or ""
            said = said.replace("pairs of scores", "systems with both")
            return number(Estimate(None, n=n, reason=said, signature=signed))
        ends = fisher(value, n, coefficient)
        if ends:
            return number(Estimate(value, ends[0], ends[1], n=n, signature=signed))
        few = "too few systems for an interval"
        why = "no interval at 1 or -1" if abs(value) >= 1 else few
        return number(Estimate(value, n=n, reason=why, signature=signed))

    # Metrics of whole systems --------------------------------------------------------

    def _rows_of_systems(
        self, y: np.ndarray, other: str, target: str, soft: Number
    ) -> list[LevelRow]:
        """Means over seeds beside the numbers of people, and every seed beside them."""
        outputs, means = self.data.system_outputs, self.data.system_scores
        rows = []
        for k, output in enumerate(outputs):
            if not output.quality:
                continue
            same = same_for_all(means[self.places, k], output)
            x = self._oriented(means[:, k], output)
            seeds = self._oriented(self.data.system_seeds[:, k], output)
            found = self._correlations(x, y, other)
            closeness = closeness_of(output, outputs)
            if closeness:
                found = _without(found, f"{UNDIRECTED}: see {closeness}")
            if same:
                found = _without(found, SAME)
            over_seeds = partial(
                self._of_seeds,
                seeds=seeds,
                y=y,
                other=other,
                output=output,
                target=target,
                same=same,
            )
            row: LevelRow = {
                **self._row(output, k, found, target, soft),
                "signature_id": None,  # it has no points of texts to lead to
                "of_system": True,
                "directed": output.higher_is_better is not None,
                "metric": " ".join(filter(None, [output.metric, output.variant])),
                "seeds": by_coefficient(over_seeds),
            }
            rows.append(row)
        return rows

    def _oriented(self, given: np.ndarray, output: Output) -> np.ndarray:
        """Higher is better; NaN for systems that are left out."""
        found = np.full(given.shape, np.nan)
        found[self.places] = given[self.places] * output.sign
        return found

    def _of_seeds(
        self,
        coefficient: CoefficientName,
        seeds: np.ndarray,
        y: np.ndarray,
        other: str,
        output: Output,
        target: str,
        same: bool,
    ) -> OverSeeds:
        made = over_seeds(coefficient, seeds, y, (MEANS, other))
        if same:
            made = made._replace(mean=None, std=None, n=0, reason=SAME)
        signed = signature.text(
            coefficient_name(coefficient),
            aspect=target,
            metric=output.id,
            level="systems",
            average="seeds",
            **filtered(self.options, self.data.policy),
        )
        why = made.reason and made.reason.replace(
            "pairs of scores", "systems with both"
        )
        mean = number(Estimate(made.mean, reason=why, signature=signed))
        return {**mean, "std": made.std, "seeds": made.n}


def _without(
    found: ByCoefficient[Coefficient], reason: str
) -> ByCoefficient[Coefficient]:
    return by_coefficient(lambda name: Coefficient(None, reason, found[name].n))
