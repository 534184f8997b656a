"""4. Everything of a study, aligned by text: what the analyses are computed from.

The only way from the database into `scoring.analyses`. Queries do not grow with
texts, metrics or ratings.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any
from zlib import crc32

import numpy as np

from annotation import human_scores, page_kinds
from annotation.human_scores import corrections, single_ratings
from annotation.models import Aspect, Generation, Negative, Study, System
from annotation.models.texts import IS_EMPTY, full_text
from annotation.votes import reading
from scoring import metrics
from scoring.judging import judge_votes
from scoring.models import Chunk, NegativeScore, Signature
from scoring.results import (
    mark_arrays,
    measured,
    part_arrays,
    scored_outputs,
    stars,
    vote_arrays,
    vote_lengths,
)
from scoring.results.units import Units
from scoring.runs.uploaded_systems import PEOPLE
from scoring.scores import baselines, evaluator_files, option_sets, present
from scoring.scores import systems as system_scores
from scoring.scores.outputs import outputs_of
from scoring.scores.texts import MetricScores, lengths, metric_scores
from scoring.stats import data as stats
from scoring.stats.answer import surface
from scoring.stats.data import NONE, Data

# In this order: negatives and evaluators refer to the outputs of scores.
NEEDS = (
    *("ratings", "scores", "systems", "negatives", "votes", "surface", "evaluators"),
    "marks",
)

NO_SCORES = np.empty(0)


def load(*, study: Study, needs: Iterable[str] = NEEDS) -> Data:
    """Read what is needed; what is not asked for is empty.

    Args:
        study: Which one.
        needs: "ratings" (and means), "scores" (of texts, and lengths), "systems" (their
            scores), "negatives" (with ratings and scores), "votes", "surface" (counts
            from the texts themselves, which are read for it), "evaluators", "marks" (of
            errors in texts).
    """
    return _Loader(study).load(frozenset(needs))


def stamp(*, study: Study) -> str:
    """Tell whether any of it changed: equal stamps, equal analyses. Small queries."""
    scored = Chunk.objects.filter(run__study=study, state=Chunk.State.DONE)
    ends = scored.order_by("-finished_at", "-pk").values_list("pk", "finished_at")
    last = ends.first() or (0, None)
    texts = study.generations.order_by("-pk").values_list("pk", flat=True)
    people = study.systems.filter(kind=System.Kind.HUMAN).order_by("pk")
    policy = study.policies.order_by("-version").values_list("version", flat=True)
    found = [
        human_scores.stamp(study=study),  # every file counts, so those of votes do
        corrections.stamp(study=study),
        *(texts.first(), texts.count(), scored.count(), last[0]),
        last[1] and last[1].timestamp(),
        crc32(repr(list(people.values_list("pk", flat=True))).encode()),
        policy.first(),
    ]
    if drawn := part_arrays.stamp(study=study):
        found.append(drawn)
    if judges := judge_votes.stamp(study=study):
        found.append(judges)
    if marked := mark_arrays.stamp(study=study):
        found.append(marked)
    if chosen := stars.stamp(study=study):
        found.append(crc32(chosen.encode()))
    return "/".join(str(number or 0) for number in found)


def outputs(*, study: Study) -> list[stats.Output]:
    """What the study's texts have scores of, without the scores. Six small queries."""
    found = list(present.signatures(study=study).order_by("metric", "pk"))
    apart = option_sets.told_apart(study=study, signatures=found)
    options = option_sets.options_of(study)
    made = [
        MetricScores(signature, output, apart[signature.pk], NO_SCORES)
        for signature in found
        for output in outputs_of(signature)
    ]
    if baselines.METRIC not in {signature.metric for signature in found}:
        signed = Signature(text=baselines.signature(), metric=baselines.METRIC)
        made += [
            MetricScores(signed, output, "", NO_SCORES)
            for output in metrics.get(baselines.METRIC)().outputs
        ]
    aspects = list(study.aspects.values_list("key", flat=True))
    return [scored_outputs.describe(one, options, aspects) for one in made]


class _Loader:
    """One study; ids become positions."""

    def __init__(self, study: Study) -> None:
        self.study = study
        # First: texts that come in later have no row, and what these refer to is there.
        self.text_rows = list(
            Generation.objects.filter(study=study)
            .order_by("pk")
            .values_list(
                *("pk", "key", "prompt_id", "prompt__label__name", "system_id"),
                *("sample", "pair", "excluded_at", "dialogue_id", "turn"),
                *(*part_arrays.FIELDS, IS_EMPTY),
            )
        )
        self.aspects = {a.pk: n for n, a in enumerate(study.aspects.all())}
        self.measures = page_kinds.measures(study)  # behind them
        self.system_rows = list(study.systems.all())
        self.systems = {system.pk: n for n, system in enumerate(self.system_rows)}
        self.units = Units(study)
        self.ids = np.empty(0, np.int64)  # of the texts, ascending
        self.whole = np.empty(0, np.bool_)  # of each text, where there are dialogues

    def load(self, needs: frozenset[str]) -> Data:
        study, policy = self.study, self.study.policies.order_by("-version").first()
        data = Data(
            study=study.name,
            scale=(study.scale_min, study.scale_max),
            aspects=[
                *map(self._aspect, study.aspects.all()),
                *map(measured.aspect, self.measures),
            ],
            systems=[stats.System(s.name, s.kind) for s in self.system_rows],
            texts=self._texts(),
            whole=self.whole,
            no_output=self.no_output,
            drawn=self.drawn,
            simulated=study.simulated,
            policy=f"v{policy.version}" if policy else "",
        )
        for need in NEEDS:
            if need in needs:
                data = getattr(self, f"_with_{need}")(data)
        return data

    def _aspect(self, aspect: Aspect) -> stats.Aspect:
        """Its title says what it is about, where that could be two things."""
        title = aspect.title
        if self.units.has_dialogues:
            title += " (whole dialogue)" if aspect.is_of_dialogue else " (turn)"
        return stats.Aspect(
            key=aspect.key,
            title=title,
            higher_is_better=aspect.higher_is_better,
            level="interval" if aspect.level == Aspect.Level.INTERVAL else "ordinal",
            scale=aspect.ends if aspect.has_own_scale else None,
        )

    def _texts(self) -> stats.Texts:
        columns = list(zip(*self.text_rows, strict=True)) or [()] * 14
        self.drawn = part_arrays.of_texts(*columns[10:-1])
        self.no_output = np.array(columns[-1] if any(columns[-1]) else (), np.bool_)
        self.ids = np.array(columns[0], np.int64)
        if self.units.has_dialogues:
            is_whole = [row[8] is not None and row[9] is None for row in self.text_rows]
            self.whole = np.array(is_whole, np.bool_)
        return stats.Texts.of(map(self._text, self.text_rows))

    def _text(self, row: tuple[Any, ...]) -> tuple[object, ...]:
        _, key, prompt, label, system, sample, pair, excluded, dialogue, *_ = row
        return (
            *(key, self.units.unit(prompt, dialogue), self.units.prefix(prompt)),
            *(label or "", self.systems.get(system, NONE), sample, pair),
            excluded is not None,
        )

    def _rows(self, ids: np.ndarray) -> np.ndarray:
        """Positions of texts that are there."""
        return np.searchsorted(self.ids, ids).astype(np.int64)

    def _columns(self, aspects: np.ndarray) -> np.ndarray:
        return np.array([self.aspects[pk] for pk in aspects.tolist()], np.int64)

    # What may be needed --------------------------------------------------------------

    def _with_ratings(self, data: Data) -> Data:
        found = single_ratings.of_texts(study=self.study)
        unsaid = single_ratings.unsaid(study=self.study)
        means = human_scores.imported_means(study=self.study, with_excluded=True)
        rows = list(
            means.order_by("pk").values_list("generation_id", "aspect_id", "mean", "n")
        )
        columns = list(zip(*rows, strict=True)) or [()] * 4
        return dataclasses.replace(
            data,
            ratings=measured.behind(
                stats.Ratings(
                    self._rows(found.of), self._columns(found.aspect), *found[2:]
                ),
                *(self.study, self.measures, len(self.aspects), self._rows),
            ),
            unsaid=stats.Unsaid(
                self._rows(unsaid.of),
                self._columns(unsaid.aspect),
                *(unsaid.rater, unsaid.valid, unsaid.page, unsaid.informed),
            ),
            means=stats.Means(
                self._rows(np.array(columns[0], np.int64)),
                self._columns(np.array(columns[1], np.int64)),
                np.array(columns[2], np.float64),
                np.array([n or 0 for n in columns[3]], np.int64),
            ),
        )

    def _with_scores(self, data: Data) -> Data:
        scored = metric_scores(study=self.study, generations=self.ids)
        have = {one.signature.metric for one in scored}
        scored += lengths(study=self.study, generations=self.ids, scored=have)
        options = option_sets.options_of(self.study)
        aspects = [one.key for one in data.aspects]
        outputs = [scored_outputs.describe(one, options, aspects) for one in scored]
        columns = [one.values for one in scored]
        scores = np.stack(columns, axis=1) if columns else np.empty((len(self.ids), 0))
        known = stars.of(study=self.study, outputs=outputs)
        outputs = [
            dataclasses.replace(output, chosen=known.chosen[output.id])
            for output in outputs
        ]
        return dataclasses.replace(
            data, outputs=outputs, scores=scores, tried=known.tried
        )

    def _with_systems(self, data: Data) -> Data:
        found = system_scores.read(study=self.study)
        apart = option_sets.told_apart(
            study=self.study, signatures=found.signatures.values()
        )
        options = option_sets.options_of(self.study)
        aspects = [one.key for one in data.aspects]
        scored = [
            MetricScores(signature, output, apart[pk], NO_SCORES)
            for pk, signature in found.signatures.items()
            if signature.metric != PEOPLE  # shown with their run, beside no metric
            for output in outputs_of(signature)
            if (pk, output.key) in found.given
        ]
        shape = len(self.systems), len(scored)
        seeds = np.full((*shape, found.n_seeds), np.nan)
        beside = np.full((*shape, len(stats.BESIDE)), np.nan)
        pairs = np.full((shape[0], *shape), np.nan)
        names = {row.name: self.systems[row.pk] for row in self.system_rows}
        for column, one in enumerate(scored):
            given = found.given[one.signature.pk, one.output.key]
            for system, numbers in given.items():
                place = self.systems[system], column
                seeds[place][: len(numbers.values)] = numbers.values
                beside[place] = [getattr(numbers, fact) for fact in stats.BESIDE]
                for name, p in numbers.pairs.items():
                    if name in names:  # it was not renamed since
                        both = place[0], names[name]
                        pairs[both][column] = pairs[both[::-1]][column] = p
        none = np.empty((0, 0, 0))
        return dataclasses.replace(
            data,
            system_outputs=[
                scored_outputs.describe(one, options, aspects) for one in scored
            ],
            system_seeds=seeds,
            system_beside=beside if np.isfinite(beside).any() else none,
            system_pairs=pairs if np.isfinite(pairs).any() else none,
        )

    def _with_surface(self, data: Data) -> Data:
        """Of the full texts, prefix included, as lengths are."""
        rows = Generation.objects.filter(study=self.study).order_by("pk")
        texts = rows.values_list("prompt__prefix", "text").iterator(chunk_size=2000)
        found = surface.table(full_text(prefix, text) for prefix, text in texts)
        return dataclasses.replace(data, surface=found)

    def _with_marks(self, data: Data) -> Data:
        arrays = mark_arrays.of_study(study=self.study, ids=self.ids)
        return dataclasses.replace(data, **arrays._asdict())

    def _with_votes(self, data: Data) -> Data:
        rows = reading.rows(study=self.study)
        return dataclasses.replace(
            data,
            votes=vote_arrays.of_people(rows, self.systems),
            vote_lengths=vote_lengths.words(study=self.study, cast=rows),
            judge_votes=vote_arrays.of_judges(self.study, rows, self.systems),
        )

    def _with_negatives(self, data: Data) -> Data:
        rows = list(
            Negative.objects.filter(survey__study=self.study)
            .order_by("survey__number", "pk")
            .values_list(
                *("pk", "survey__number", "source_id", "perturbation", "hurts"),
                *("survey__prompt_id", "source__dialogue_id"),
            )
        )
        at = {row[0]: place for place, row in enumerate(rows)}
        negatives = stats.Negatives(
            name=np.array([f"survey {row[1]}" for row in rows], np.str_),
            source=self._rows(np.array([row[2] for row in rows], np.int64)),
            perturbation=np.array([row[3] for row in rows], np.str_),
            hurts=np.array([" ".join(row[4]) for row in rows], np.str_),
            prompt=np.array([self.units.unit(*row[5:]) for row in rows], np.int64),
        )
        found = single_ratings.of_negatives(study=self.study)
        rated = stats.NegativeRatings(
            np.array([at[pk] for pk in found.of.tolist()], np.int64),
            self._columns(found.aspect),
            *(found.rater, found.value, found.valid, found.page, found.informed),
        )
        scores = self._negative_scores(data, at)
        return dataclasses.replace(
            data, negatives=negatives, negative_ratings=rated, negative_scores=scores
        )

    def _negative_scores(self, data: Data, at: dict[int, int]) -> np.ndarray:
        """(negatives, outputs): call it once the outputs of texts are there."""
        columns = {(o.signature_id, o.key): n for n, o in enumerate(data.outputs)}
        values = np.full((len(at), len(columns)), np.nan)
        found = NegativeScore.objects.filter(negative__survey__study=self.study)
        for signature, output, negative, value in found.order_by().values_list(
            "signature_id", "output", "negative_id", "value"
        ):
            column = columns.get((signature, output))
            if column is not None and value is not None:
                values[at[negative], column] = value
        return self._with_lengths(columns, values, at)

    def _with_lengths(
        self,
        columns: dict[tuple[int | None, str], int],
        values: np.ndarray,
        at: dict[int, int],
    ) -> np.ndarray:
        """Lengths that were counted without a run, as those of the texts are."""
        counted = {key: n for (signature, key), n in columns.items() if not signature}
        if counted and at:
            found = baselines.of_negatives(study=self.study)
            for key, column in counted.items():
                for negative, number in found[key].items():
                    values[at[negative], column] = number
        return values

    def _with_evaluators(self, data: Data) -> Data:
        found = evaluator_files.evaluators(study=self.study, ids=self.ids)
        known = {(o.signature_id, o.key): o.id for o in data.outputs}
        metric = {output.signature_id: output.metric for output in data.outputs}
        kept = [
            _as_scored(
                data, stats.Evaluators(known[key] + _parts_of(metric[key[0]]), s, w)
            )
            for key, (s, w) in sorted(found.items())
            if key in known
        ]
        return dataclasses.replace(data, evaluators=kept)


def _as_scored(data: Data, parts: stats.Evaluators) -> stats.Evaluators:
    """Without scores with references that are others by now: see `scores.references`.

    The text's score was removed, but the file still has what it was made of.
    """
    output = parts.output.removesuffix(stats.BY_REFERENCE)
    if output == parts.output:
        return parts
    gone = np.isnan(data.scores[:, data.output(output)])[:, np.newaxis]
    nothing = (np.where(gone, np.nan, part) for part in (parts.s, parts.w))
    return stats.Evaluators(parts.output, *nothing)


def _parts_of(metric: str) -> str:
    """What marks the parts of this metric as scores with single references."""
    try:
        made_of = metrics.get(metric).parts_are
    except metrics.UnknownMetric:
        return ""
    return stats.BY_REFERENCE if made_of == "references" else ""
