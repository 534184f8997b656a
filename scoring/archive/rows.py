"""The rows of a study for each table of a data set. Queries do not grow with rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation import exports, page_kinds
from annotation.archive.columns import DATASET, Row, Table
from annotation.archive.texts import DIALOGUES, TEXTS
from annotation.exports.ratings import of_study
from annotation.human_scores import corrections
from annotation.models import ImportedMean, Negative, Reference, Study, Vote
from annotation.models.surveys import pseudonym
from annotation.page_kinds.tables import ArchivedAnswers
from annotation.votes import reading
from scoring.archive.pages import Page, pages
from scoring.archive.permission import Permission
from scoring.archive.tables import (
    ASPECTS,
    DAMAGED,
    DAMAGED_SCORES,
    LABELS,
    MEANS,
    METRIC_MARKS,
    METRICS,
    SCORES,
    SYSTEM_SCORES,
    SYSTEMS,
    VOTES,
)
from scoring.metrics import Output
from scoring.models import (
    MetricReading,
    NegativeScore,
    Score,
    Signature,
    SystemScore,
)
from scoring.results import mark_names
from scoring.scores import option_sets
from scoring.scores.options import named
from scoring.scores.outputs import outputs_of
from scoring.stats.data import Aspect, Data

# Of a rating that came in a file.
NO_PAGE: Row = {
    **{"state": "imported", "reason": "", "informed": False},
    **dict.fromkeys(("page", "survey", "position", "seconds")),
}


class _Number(NamedTuple):
    """One that a metric gives."""

    signature: Signature
    output: Output
    of: str
    options: str


@dataclass
class Rows:
    """A study, what may be told of it, and codes of its raters."""

    study: Study
    data: Data
    permission: Permission
    codes: Mapping[str, str]

    def of(self, table: Table) -> Iterator[Row]:
        """With codes in place of all that names a rater."""
        read: Callable[[], Iterator[Row]] = (
            getattr(self, table.name, None) or self._of_kinds[table.name]
        )
        people = [column.name for column in table.at(DATASET) if column.person]
        for row in read():
            yield row | {name: self.codes.get(row[name], "") for name in people}

    @cached_property
    def prompts(self) -> dict[int, int]:
        """Number of each prompt, from 1, by id."""
        ids = self.study.prompts.order_by("position", "pk").values_list("pk", flat=True)
        return {pk: number for number, pk in enumerate(ids, start=1)}

    # What people rated ---------------------------------------------------------------

    def texts(self) -> Iterator[Row]:
        references, corrected = self._references(), self._corrections()
        return TEXTS.rows(
            exports.texts_of(self.study).iterator(chunk_size=1000),
            DATASET,
            prompt=lambda text: self.prompts[text.prompt_id],
            turn=attrgetter("turn"),
            references=lambda text: references.get(text.prompt_id, []),
            corrections=lambda text: list(corrected.get(text.pk, ())),
        )

    def _references(self) -> dict[int | None, list[str]]:
        by_prompt: dict[int | None, list[str]] = {}
        rows = Reference.objects.filter(prompt__study=self.study)
        for prompt, text in rows.values_list("prompt_id", "text"):
            by_prompt.setdefault(prompt, []).append(text)
        return by_prompt

    def _corrections(self) -> Mapping[int, Sequence[str]]:
        """Those that people made here are their work: only where all allowed it."""
        if self.permission.level != "all" and self.study.corrects_texts:
            return {}
        return corrections.of_texts(self.study.generations.all())

    def dialogues(self) -> Iterator[Row]:
        return DIALOGUES.rows(
            exports.turns_of(self.study), DATASET, turn=attrgetter("place")
        )

    def systems(self) -> Iterator[Row]:
        return SYSTEMS.rows(self.study.systems.all(), DATASET)

    def labels(self) -> Iterator[Row]:
        return LABELS.rows(self.study.labels.all(), DATASET)

    def aspects(self) -> Iterator[Row]:
        return ASPECTS.rows(
            self.study.aspects.all(),
            DATASET,
            scale_min=lambda aspect: aspect.ends[0],
            scale_max=lambda aspect: aspect.ends[1],
            words=lambda aspect: json.dumps(
                aspect.words, ensure_ascii=False, sort_keys=True
            ),
        )

    # What people said ----------------------------------------------------------------

    def human_scores(self) -> Iterator[Row]:
        """Of questions."""
        questions = {*self.study.aspects.values_list("key", flat=True)}
        for key, aspect, mean, n in self._human_means():
            if aspect.key in questions:
                yield {"text": key, "aspect": aspect.key, "mean": mean, "n": n}

    def measured_scores(self) -> Iterator[Row]:
        """Means only, so that they are there without the answers that they sum up."""
        questions = {*self.study.aspects.values_list("key", flat=True)}
        for key, aspect, mean, n in self._human_means():
            if aspect.key not in questions:
                about = {
                    "title": aspect.title,
                    "higher_is_better": aspect.higher_is_better,
                }
                yield {"text": key, "measure": aspect.key, "mean": mean, "n": n} | about

    def _human_means(self) -> Iterator[tuple[str, Aspect, float, int]]:
        """Key of the text, what was asked, the mean and how many are behind it."""
        values, n = self.data.human_means()
        keys = self.data.texts.key.tolist()
        for key, means, counts in zip(keys, values.tolist(), n.tolist(), strict=True):
            for aspect, mean, count in zip(
                self.data.aspects, means, counts, strict=True
            ):
                if mean == mean:
                    yield key, aspect, mean, count

    def means(self) -> Iterator[Row]:
        means = ImportedMean.objects.filter(generation__study=self.study)
        return MEANS.select(means.order_by("pk"), DATASET, n=lambda n: n or 0)

    def ratings(self) -> Iterator[Row]:
        if self.permission.level == "none":
            return
        seats = pages(self.study)
        aspects = dict(self.study.aspects.values_list("pk", "key"))
        negatives = Negative.objects.filter(survey__study=self.study)
        numbers = dict(negatives.values_list("pk", "survey__number"))
        keys = dict(self.study.generations.values_list("pk", "key"))
        # An undamaged turn of a damaged dialogue counts nowhere.
        ratings = of_study(self.study).filter(decoy=None).order_by("pk")
        names = ("generation_id", "negative_id", "aspect_id", "value", "rater")
        for text, negative, aspect, value, rater, seat, item in ratings.values_list(
            *names, "seat_id", "item_id"
        ).iterator(chunk_size=5000):
            page = seats.get(seat)
            if self._may_be_published(seat, page):
                yield {
                    "text": keys[text] if text else "",
                    "damaged": numbers[negative] if negative else None,
                    "aspect": aspects[aspect],
                    "value": value,
                    "rater": rater,
                    **(self._of_page(page, item) if page else NO_PAGE),
                }

    def _may_be_published(self, seat: int | None, page: Page | None) -> bool:
        if seat is None:
            return self.permission.files
        return page is not None and self.permission.of_page(page.consent)

    def _of_page(self, page: Page, item: int) -> Row:
        return {
            "rater": pseudonym(self.study, page.worker),
            "state": page.state,
            "reason": page.reason,
            "informed": page.informed,
            "page": page.number,
            "survey": page.survey,
            "position": page.order.index(item) + 1 if item in page.order else None,
            "seconds": page.seconds,
        }

    @cached_property
    def _of_kinds(self) -> Mapping[str, Callable[[], Iterator[Row]]]:
        return {
            archived.table.name: partial(self._archived, archived)
            for kind in page_kinds.every()
            for archived in kind.tables.archived
        }

    def _archived(self, archived: ArchivedAnswers) -> Iterator[Row]:
        """Answers of single people that are no ratings."""
        if self.permission.level == "none":
            return
        seats = pages(self.study)
        for answer in archived.answers(self.study).iterator(chunk_size=1000):
            page, shown_on = seats.get(answer.seat_id), answer.item
            if page is None or not self._may_be_published(answer.seat_id, page):
                continue
            yield {
                "text": shown_on.generation.key if shown_on.generation else "",
                "damaged": shown_on.negative and shown_on.negative.survey.number,
                "rater": pseudonym(self.study, page.worker),
                "page": page.number,
                **archived.read(answer),
            }

    def damaged_texts(self) -> Iterator[Row]:
        negatives = Negative.objects.filter(survey__study=self.study)
        ordered = negatives.order_by("survey__number", "pk")
        return DAMAGED.select(ordered, DATASET, prompt=self.prompts.__getitem__)

    def votes(self) -> Iterator[Row]:
        if self.permission.level != "all":
            return iter(())
        systems = dict(self.study.systems.values_list("pk", "name"))
        votes = reading.rows(study=self.study)
        keys: dict[int, str] = {}
        if any(vote.texts for vote in votes):
            keys = dict(self.study.generations.values_list("pk", "key"))
        return VOTES.rows(
            votes,
            DATASET,
            first=lambda vote: systems[vote.first],
            second=lambda vote: systems[vote.second],
            outcome=lambda vote: Vote.Outcome(vote.outcome).word,
            prompt=lambda vote: self.prompts.get(vote.prompt),
            first_text=lambda vote: keys.get(vote.texts[0], "") if vote.texts else "",
            second_text=lambda vote: keys.get(vote.texts[1], "") if vote.texts else "",
        )

    # What metrics said ---------------------------------------------------------------

    @cached_property
    def signatures(self) -> dict[int, Signature]:
        scores = Score.objects.filter(generation__study=self.study)
        of_systems = SystemScore.objects.filter(system__study=self.study)
        return Signature.objects.in_bulk(_signatures(scores) | _signatures(of_systems))

    def metrics(self) -> Iterator[Row]:
        return METRICS.rows(self._numbers(), DATASET)

    def _numbers(self) -> Iterator[_Number]:
        options = option_sets.options_of(self.study)
        of_texts = _signatures(Score.objects.filter(generation__study=self.study))
        for pk, signature in sorted(
            self.signatures.items(), key=lambda pair: (pair[1].metric, pair[0])
        ):
            chosen = named(options.get(pk, {}))
            text = json.dumps(chosen, sort_keys=True, default=str)
            of = "texts" if pk in of_texts else "systems"
            for output in outputs_of(signature):
                yield _Number(signature, output, of, text)

    def metric_scores(self) -> Iterator[Row]:
        scores = Score.objects.filter(generation__study=self.study)
        return SCORES.select(scores.order_by("pk"), DATASET, signature=self._text)

    def damaged_scores(self) -> Iterator[Row]:
        scores = NegativeScore.objects.filter(negative__survey__study=self.study)
        scores = scores.filter(signature__in=list(self.signatures)).order_by("pk")
        return DAMAGED_SCORES.select(scores, DATASET, signature=self._text)

    def system_scores(self) -> Iterator[Row]:
        scores = SystemScore.objects.filter(system__study=self.study).order_by("pk")
        return SYSTEM_SCORES.select(scores, DATASET, signature=self._text)

    def metric_marks(self) -> Iterator[Row]:
        readings = MetricReading.objects.filter(generation__study=self.study)
        names = mark_names.of_study(self.study)
        return METRIC_MARKS.select(
            readings.order_by("pk"),
            DATASET,
            metric=names.__getitem__,
            marks=partial(json.dumps, ensure_ascii=False),
            unplaced=partial(json.dumps, ensure_ascii=False),
        )

    def _text(self, signature: int) -> str:
        return self.signatures[signature].text


def _signatures(scores: QuerySet[Any]) -> set[int]:
    return set(scores.order_by().values_list("signature", flat=True).distinct())
