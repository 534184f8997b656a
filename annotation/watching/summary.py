"""A study at a glance. Reads only; as many queries for a thousand texts as for ten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery, Sum

from annotation import human_scores, page_kinds, platforms, quality
from annotation.models import (
    Aspect,
    ImportedMean,
    Pair,
    Policy,
    Seat,
    Study,
    Verdict,
)
from annotation.models.texts import WHOLE, full_text
from annotation.votes import reading
from annotation.watching.progress import Coverage, asked
from scoring.stats.agreement import Alpha, Level, alpha

LEVELS: tuple[Level, ...] = ("ordinal", "interval", "nominal")
PACE_HOURS = 24  # what the expected end is computed from
PACE_PAGES = 5  # valid in that time: fewer are no pace


class Reason(NamedTuple):
    reason: str
    pages: int


class AspectAlpha(NamedTuple):
    """Krippendorff's alpha of one aspect at each level of measurement."""

    aspect: Aspect
    levels: list[tuple[Level, Alpha]]
    level: str  # that the answers have
    label: str = ""  # what they are about, if not texts

    @property
    def n_texts(self) -> int:
        return self.levels[0][1].n_units

    @property
    def n_ratings(self) -> int:
        return self.levels[0][1].n_ratings


class TableOne(NamedTuple):
    """The evaluation set in one row, as in Table 1 of the paper."""

    prefixes: int
    labels: int
    systems: int
    texts: int
    samples: int  # the most texts that one system has for one prompt
    ratings: float | None  # valid ratings behind a text, on average; None = no rating
    words: float | None  # mean length of the full text
    prompts: int = 0  # an opening, a label and what is shown beside the text
    pairs: int = 0  # that are compared
    comparisons: float | None = None  # valid ones of a pair, on average


class NextStep(NamedTuple):
    """The one action that matters now, in a sentence with a button."""

    sentence: str
    verb: str
    url_name: str  # empty: the button copies the workers' link
    post: bool = False


def seats(*, study: Study) -> list[tuple[str, int]]:
    """How many seats are in each state, in the order of a seat's life. One query."""
    rows = _seats(study).order_by().values_list("state").annotate(Count("pk"))
    found = dict(rows)
    return [(state.label, found.get(state.value, 0)) for state in Seat.State]


def discards(*, study: Study) -> list[Reason]:
    """Why pages were discarded, most frequent first. Two queries."""
    newest = Verdict.objects.filter(seat=OuterRef("pk"), valid=False).order_by("-pk")
    discarded = _seats(study).filter(state=Seat.State.DISCARDED)
    rows = discarded.annotate(
        reason=Subquery(newest.values("reason")[:1]),
        numbers=Subquery(newest.values("numbers")[:1]),
    ).values_list("reason", "numbers")
    titles = dict(study.aspects.values_list("key", "title"))
    found = Counter(_in_general(reason, numbers, titles) for reason, numbers in rows)
    return [Reason(*pair) for pair in found.most_common()]


def _in_general(
    reason: str | None, numbers: Mapping[str, Any] | None, titles: dict[str, str]
) -> str:
    """A verdict's reason without the numbers of its page, so that pages add up."""
    numbers = numbers or {}
    failed = numbers.get("failed", ["rule"])[0]  # the first one is the reason
    if failed != "rule" and (title := quality.titles().get(failed)):
        return title
    rule = numbers.get("rule")
    if rule not in Policy.Rule.values:
        return reason or "no reason kept"
    aspects = [titles.get(key, key) for key in numbers.get("aspects", [])]
    said = Policy.Rule(rule).label.replace("text", "text rated", 1)
    return f"{said}, on {' and '.join(aspects).lower()}" if aspects else said


def agreement(*, study: Study) -> list[AspectAlpha]:
    """Krippendorff's alpha per aspect on valid answers. A few queries per aspect.

    Of ratings, and apart from them of answers on pairs.
    """
    return [
        AspectAlpha(
            aspect,
            _levels(*scores.counts(study=study, aspect=aspect)),
            scores.level(aspect),
            scores.label,
        )
        for aspect in study.aspects.all()
        for scores in page_kinds.scores_of(study)
    ]


def _levels(counts: np.ndarray, values: np.ndarray) -> list[tuple[Level, Alpha]]:
    return [(level, alpha(counts, values, level)) for level in LEVELS]


def only_means(*, study: Study, agreement: list[AspectAlpha]) -> bool:
    """Whether there is nothing but uploaded means. One query at most."""
    if any(row.n_ratings for row in agreement):
        return False
    return ImportedMean.objects.filter(generation__study=study).exists()


def table_1(*, study: Study) -> TableOne:
    """The figures of Table 1, without excluded texts. Seven queries at most."""
    counts = Q(excluded_at=None)
    texts = study.generations.aggregate(
        n=Count("pk", filter=counts),
        to_rate=Count("pk", filter=counts & ~Q(asked=False)),
        wholes=Count("pk", filter=counts & WHOLE),
        last=Max("pk"),
        excluded=Max("excluded_at"),
        prompts=Count("prompt", filter=counts, distinct=True),
        prefixes=Count(
            "prompt__prefix", filter=counts & ~Q(prompt__prefix=""), distinct=True
        ),
        labels=Count("prompt__label", filter=counts, distinct=True),
        systems=Count("system", filter=counts, distinct=True),
        samples=Max("sample", filter=counts & ~WHOLE),
    )
    return TableOne(
        prefixes=texts["prefixes"],
        labels=texts["labels"],
        systems=texts["systems"],
        texts=texts["n"],
        samples=texts["samples"] or 0,
        ratings=_ratings_per_text(study, texts),
        words=_mean_words(study, texts),
        prompts=texts["prompts"],
        **_of_pairs(study),
    )


def _of_pairs(study: Study) -> dict[str, Any]:
    if not study.compares_texts:
        return {}
    pairs = Pair.objects.filter(
        survey__study=study,
        second__isnull=False,
        first__excluded_at=None,
        second__excluded_at=None,
    ).count()
    n = reading.counted(study=study).count()
    asked = pairs * study.aspects.count()
    return {"pairs": pairs, "comparisons": n / asked if n and asked else None}


def hours_left(*, study: Study, left: int, now: datetime) -> float | None:
    """Hours to the last rating at the pace of the last day; None without a pace.

    A few pages are no pace: one that was quick would promise too much.
    """
    since = now - timedelta(hours=PACE_HOURS)
    recent = _seats(study).filter(state=Seat.State.VALID, submitted_at__gt=since)
    figures = recent.aggregate(
        pages=Count("pk", distinct=True),
        n=Count("survey__items", filter=asked("survey__items__")),
    )
    done = figures["n"] if figures["pages"] >= PACE_PAGES else 0
    first = recent.order_by("submitted_at").values_list("claimed_at", flat=True).first()
    if not done or not left or first is None:
        return None
    hours = max((now - max(first, since)).total_seconds() / 3600, 1 / 60)
    return float(left * hours / done)


def next_step(*, study: Study, covered: Coverage) -> NextStep | None:
    """Say the one thing to do now. No query.

    None where the ratings came with a file: what is left to do is with the answer,
    which says it itself.
    """
    state = study.state
    left = f"{covered.left:,} of {covered.wanted:,} {covered.answers}"
    if not covered.texts:
        sentence = "The study has no texts yet. Import what your systems wrote."
        return NextStep(sentence, "Import texts", "study_import")
    if state == Study.State.DRAFT and covered.imported:
        return None
    if state == Study.State.DRAFT:
        n = covered.texts + covered.left_out
        verb = "text is" if n == 1 else "texts are"
        sentence = (
            f"{n:,} {verb} imported. Set up the study: the checklist says what is"
            " missing before workers can rate."
        )
        return NextStep(sentence, "Set up study", "study_setup")
    if state == Study.State.PAUSED:
        sentence = f"The study is paused: nobody can start a page. {left} are missing."
        return NextStep(sentence, "Resume study", "study_open", post=True)
    if state == Study.State.OPEN and covered.complete:
        all_of = f"Every {covered.unit} has all its {covered.answers}."
        sentence = f"{all_of} Close the study to finish it."
        return NextStep(sentence, "Close study", "study_close", post=True)
    if state == Study.State.OPEN and study.invited_only:
        sentence = f"{left} are missing. Invite people: each gets their own link."
        return NextStep(sentence, "Invite people", "study_invites")
    if state == Study.State.OPEN:
        how = (
            "Publish the question on Mechanical Turk"
            if study.platform == platforms.MTURK
            else "Send the link for workers to people"
        )
        sentence = f"{left} are missing. {how}."
        return NextStep(sentence, "Copy link for workers", "")
    sentence = "The study is closed. See which metric agrees with people."
    return NextStep(sentence, "See results", "results")


def _seats(study: Study) -> QuerySet[Seat]:
    return Seat.objects.filter(survey__study=study)


def _ratings_per_text(study: Study, texts: Mapping[str, int]) -> float | None:
    """Mean number of valid or imported ratings of a text on an aspect about it."""
    about = study.aspects.values_list("about", flat=True)
    alone = texts["to_rate"] - texts["wholes"]
    cells = sum(texts["wholes"] if one == "dialogue" else alone for one in about)
    rated = human_scores.ratings(study=study)
    means = human_scores.imported_means(study=study)
    behind = means.aggregate(n=Sum("n"))["n"] or 0
    total = rated.count() + behind
    return total / cells if total and cells else None


def _mean_words(study: Study, texts: Mapping[str, Any]) -> float | None:
    """Mean words of the full texts. Texts never change: counted once per upload."""
    if not texts["n"]:
        return None
    # These three tell which texts count, as in human_scores.stamp.
    which = f"{texts['n']}:{texts['last']}:{texts['excluded'] or ''}".replace(" ", "T")
    key = f"mean-words:{study.public_id}:{which}"
    mean: float | None = cache.get(key)
    if mean is None:
        counted = study.generations.filter(excluded_at=None).order_by()
        pairs = counted.values_list("prompt__prefix", "text")
        words = sum(len(full_text(*pair).split()) for pair in pairs.iterator())
        cache.set(key, mean := words / texts["n"], timeout=60 * 60 * 24)
    return mean
