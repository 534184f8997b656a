"""What is said of a study that is published, from its rows and its results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

import numpy as np
from django.conf import settings

from annotation.models import Aspect as AspectRow
from annotation.models import Seat, Study, Worker
from annotation.models.surveys import digest_of
from annotation.studies import KNOWN_ASPECTS
from scoring import metrics
from scoring.analyses.shared.page_basis import basis
from scoring.analyses.shared.page_metrics import COEFFICIENTS
from scoring.analyses.shared.result import Basis
from scoring.archive.permission import JUDGED
from scoring.models import Publication
from scoring.publishing import facts, protocol
from scoring.scores.outputs import metric_title
from scoring.stats import data as stats
from scoring.stats.correlation import CoefficientName
from scoring.stats.data import Data
from scoring.stats.estimates import Estimate

Results = Mapping[str, Mapping[str, Any]]  # of analyses, with their usual options
OF_MEANS = "t over prompts (CR2)"
OF_CORRELATIONS = "t over prompts"


def gather(
    *, study: Study, data: Data, level: facts.Level, results: Results, now: datetime
) -> facts.Facts:
    """Put together what is said of a study.

    Args:
        study: Which one.
        data: All of it, single ratings too, to count.
        level: Of single ratings that are published.
        results: What pages show.
        now: When.
    """
    return facts.Facts(
        name=study.name,
        title=study.title,
        language=study.language,
        simulated=study.simulated,
        made_at=now.isoformat(timespec="seconds"),
        version=settings.VERSION,
        instructions=study.instructions,
        consent=_consent(study),
        debrief=study.debrief,
        warning=study.content_warning,
        contact=study.contact,
        level=level,
        aspects=_aspects(study, data, results),
        systems=_systems(study, data, results),
        outputs=_outputs(study, data, results),
        counts=_counts(study, data),
        has=_has(study),
        protocol=protocol.of(study=study),
        published=_published(study),
        coefficient=_coefficient(results),
    )


def _coefficient(results: Results) -> str:
    found = results.get("correlations")
    if not found:
        return "correlation"
    name = COEFFICIENTS[cast(CoefficientName, found["primary"])]
    return f"{name} {basis(cast(Basis, found))}"


def _consent(study: Study) -> tuple[str, ...]:
    """Wordings that someone agreed to whose page was judged."""
    seats = Seat.objects.filter(survey__study=study, state__in=JUDGED).order_by()
    used = set(seats.values_list("consent", flat=True).distinct())
    words = Worker.objects.filter(study=study).exclude(consent="").order_by()
    told = words.values_list("consent", flat=True).distinct()
    return tuple(sorted(one for one in told if digest_of(one) in used))


def _published(study: Study) -> facts.Published:
    row = Publication.objects.filter(study=study).first()
    if row is None:
        return facts.Published()
    return facts.Published(
        row.licence, tuple(row.people), row.affiliation, row.paper, row.ethics
    )


def _has(study: Study) -> facts.Has:
    prompts = study.prompts.all()
    return facts.Has(
        prefix=prompts.exclude(prefix="").exists(),
        source=prompts.exclude(source="").exists(),
        label=prompts.exclude(label=None).exists(),
        references=prompts.filter(references__isnull=False).exists(),
        dialogues=study.dialogues.exists(),
    )


def _counts(study: Study, data: Data) -> facts.Counts:
    rated, counted = data.ratings, _counted(data)
    raters = set(rated.rater[counted].tolist()) - {""}
    told = set(rated.rater.tolist()) - {""}
    pages = Seat.objects.filter(survey__study=study)
    return facts.Counts(
        texts=len(data.texts),
        prompts=len(np.unique(data.texts.prompt)),
        ratings=int(counted.sum()),
        raters=len(raters),
        raters_excluded=len(told - raters),
        pages=pages.filter(state=Seat.State.VALID).count(),
        pages_discarded=pages.filter(state=Seat.State.DISCARDED).count(),
        votes=len(data.votes),
        damaged=len(data.negatives),
        excluded=int(data.texts.excluded.sum()),
    )


def _counted(data: Data) -> np.ndarray:
    """Which ratings count."""
    rated = data.ratings
    counted = rated.valid & ~rated.informed & ~data.texts.excluded[rated.text]
    return np.asarray(counted)


# Questions ----------------------------------------------------------------------------


def _aspects(study: Study, data: Data, results: Results) -> list[facts.Aspect]:
    rows = results.get("agreement", {}).get("rows", ())
    alphas = {row["key"]: row["alpha"] for row in rows if not row["pooled"]}
    found = []
    for number, aspect in enumerate(study.aspects.all()):
        low, high = aspect.ends
        found.append(
            facts.Aspect(
                key=aspect.key,
                title=aspect.title,
                question=aspect.question_in_general,
                low=low,
                high=high,
                labels=aspect.labels,
                kind=aspect.kind,
                level=aspect.level,
                about=aspect.about,
                higher_is_better=aspect.higher_is_better,
                cannot_say=aspect.cannot_say,
                standard=_is_standard(aspect),
                n_ratings=int((data.ratings.aspect[_counted(data)] == number).sum()),
                alpha=estimate(alphas.get(aspect.key), "jackknife over prompts"),
            )
        )
    return found


def _is_standard(aspect: AspectRow) -> bool:
    known = KNOWN_ASPECTS.get(aspect.key)
    return known is not None and known["question"] == aspect.question


def estimate(number: Mapping[str, Any] | None, method: str = "") -> Estimate:
    """A number of a result with what stands beside it."""
    if number is None:
        return Estimate(None, reason="not computed")
    value, low, high = (number.get(name) for name in ("value", "low", "high"))
    known = value is not None and low is not None and high is not None
    return Estimate(
        value=value,
        low=low if known else None,
        high=high if known else None,
        n=number.get("n"),
        reason=number.get("reason") or None,
        signature=method if known else "",
    )


# Systems and metrics ------------------------------------------------------------------


def _systems(study: Study, data: Data, results: Results) -> list[facts.System]:
    found = results.get("systems", {})
    places = {row["system"]: at for at, row in enumerate(found.get("systems", ()))}
    made = []
    for number, system in enumerate(study.systems.all()):
        at = places.get(system.name)
        made.append(
            facts.System(
                name=system.name,
                kind=system.kind,
                model=system.model,
                top_p=system.top_p,
                top_k=system.top_k,
                n_texts=int((data.texts.system == number).sum()),
                means=_means(study, found, at),
                scores=_scores(data, found, at),
            )
        )
    return made


def _means(study: Study, found: Mapping[str, Any], at: int | None) -> list[Estimate]:
    by_aspect = {one["key"]: one["rows"] for one in found.get("aspects", ())}
    return [
        estimate(by_aspect[aspect.key][at]["mean"], OF_MEANS)
        if at is not None and aspect.key in by_aspect
        else Estimate(None, reason="no ratings")
        for aspect in study.aspects.all()
    ]


def _scores(data: Data, found: Mapping[str, Any], at: int | None) -> list[Estimate]:
    """In the order of `told_outputs`."""
    by_output = {one["id"]: one["means"] for one in found.get("metrics", ())}
    return [
        estimate(by_output[output.id][at], OF_MEANS)
        if at is not None and output.id in by_output
        else Estimate(None, reason="not scored")
        for output in told_outputs(data)
    ]


def told_outputs(data: Data) -> Sequence[stats.Output]:
    """Those of texts, then those of systems alone."""
    return [*data.outputs, *data.system_outputs]


def _outputs(study: Study, data: Data, results: Results) -> list[facts.Output]:
    agreement = _agreement(study, results)
    return [_output(one, agreement.get(one.id, ())) for one in told_outputs(data)]


def _agreement(study: Study, results: Results) -> dict[str, list[Estimate]]:
    """Correlation of each output with each question, by its id."""
    found = results.get("correlations", {})
    place = {one["key"]: at for at, one in enumerate(found.get("aspects", ()))}
    made: dict[str, list[Estimate]] = {}
    for at, output in enumerate(found.get("outputs", ())):
        made[output["id"]] = [
            estimate(found["main"][place[aspect.key]][at], OF_CORRELATIONS)
            if aspect.key in place
            else Estimate(None, reason="no ratings")
            for aspect in study.aspects.all()
        ]
    return made


def _output(one: stats.Output, agreement: Sequence[Estimate]) -> facts.Output:
    options = json.loads(one.options or "{}")
    try:
        kind = metrics.get(one.metric)
        source, link = kind.source, getattr(kind, "link", "")
    except metrics.UnknownMetric:
        source, link = "", ""
    return facts.Output(
        id=one.id,
        metric=one.metric,
        title=metric_title(one.metric),
        key=one.key,
        label=one.name,
        signature=one.signature,
        higher_is_better=one.higher_is_better,
        unit=one.unit,
        source=source,
        link=link,
        judge=str(options.get("model", "")) if one.metric == "llm_judge" else "",
        options=options,
        agreement=agreement,
    )
