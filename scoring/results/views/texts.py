"""Pages about single texts: what a score is made of, and two texts side by side."""

from __future__ import annotations

import json

from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import get_study_for, page_of
from annotation.models import Generation, Study
from scoring import metrics
from scoring.models import MetricRun, Score, Signature
from scoring.results import judged, score_parts, two_texts
from scoring.scores import option_sets
from scoring.scores.options import bundled
from scoring.scores.outputs import outputs_of

TEXTS_A_PAGE = 50
SUGGESTED = 50
MOST_OFFERED, WORDS_SHOWN = 500, 40  # texts, and characters of each


@require_safe
def explain_list(request: HttpRequest, name: str) -> HttpResponse:
    """The runs whose scores can be explained, the newest of each signature."""
    study = get_study_for(request.user, name)
    runs = study.runs.filter(on=MetricRun.On.TEXTS, signature__isnull=False)
    newest = {run.signature_id: run for run in runs.order_by("pk")}
    signatures = list(Signature.objects.filter(pk__in=newest))
    apart = option_sets.told_apart(study=study, signatures=signatures)
    rows = sorted((_title(one), apart[one.pk], one.pk) for one in signatures)
    context = {"study": study, "tab": "results", "rows": rows}
    return render(request, "scoring/results/explain_list.html", context)


@require_safe
def explain(request: HttpRequest, name: str, signature: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    signed = _signature(study, signature)
    key = _key(request, "key")
    generation = _text(study, key)
    if generation is None:
        return _choose(request, study, signed, key)
    sort = request.GET.get("sort", "order")
    explained = score_parts.explain(generation=generation, signature=signed)
    among = two_texts.standings(study=study)
    people = two_texts.people(
        study=study, a=generation, b=generation, among=among.value or ()
    )
    frame = _frame(study, signed)
    context = {
        **frame,
        "key": key,
        "generation": generation,
        "people": people,
        "among": among,
        "explained": [
            (one, score_parts.by(one.rows, sort)) for one in explained.outputs
        ],
        "notice": explained.notice,
        "sections": [
            (one, json.loads(one.chart.to_json()) if one.chart else None)
            for one in explained.sections
        ],
        "judged": judged.answers(
            generation=generation, signature=signed, run=frame["run"]
        ),
        "sort": sort,
        "others": _others(generation, signed),
        "same_prompt": _same_prompt(generation),
        **_neighbours(study, signed, generation),
    }
    return render(request, "scoring/results/explain.html", context)


@require_safe
def compare(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    keys = [_key(request, side) for side in "ab"]
    a, b = (_text(study, key) for key in keys)
    context = {
        "study": study,
        "tab": "results",
        "keys": keys,
        "unknown": [
            key for key, text in zip(keys, (a, b), strict=True) if key and not text
        ],
        "same": bool(a) and a == b,
        "texts": [("A", a), ("B", b)],
        "same_prompt": _same_prompt(a or b) if a or b else [],
        "offered": _offered(study),
    }
    if a and b and a != b:
        among = two_texts.standings(study=study)
        people = two_texts.people(study=study, a=a, b=b, among=among.value or ())
        rows = two_texts.measured(study=study, a=a, b=b, people=people)
        scored = study.runs.exclude(signature=None).values_list("options", flat=True)
        context.update(people=people, rows=rows, among=among, bundled=bundled(*scored))
    return render(request, "scoring/results/compare.html", context)


def _choose(
    request: HttpRequest, study: Study, signed: Signature, key: str
) -> HttpResponse:
    """The texts that the signature scored, all or those whose key has these letters."""
    found = _scored(study, signed).select_related("prompt", "system")
    page = page_of(request, found.filter(key__icontains=key), TEXTS_A_PAGE)
    scores = Score.objects.filter(signature=signed, generation__in=list(page))
    by_text: dict[tuple[int, str], Score] = {
        (score.generation_id, score.output): score for score in scores
    }
    outputs = outputs_of(signed)
    context = {
        **_frame(study, signed),
        "key": key,
        "page": page,
        "outputs": outputs,
        "rows": [
            (text, [by_text.get((text.pk, output.key)) for output in outputs])
            for text in page
        ],
    }
    return render(request, "scoring/results/explain_choose.html", context)


def _frame(study: Study, signed: Signature) -> dict:
    of_texts = signed.runs.filter(study=study, on=MetricRun.On.TEXTS)
    run = of_texts.order_by("-pk").first()
    return {
        "study": study,
        "tab": "results",
        "signature": signed,
        "title": _title(signed),
        "run": run,
        "bundled": bundled(run.options) if run else [],
    }


def _title(signed: Signature) -> str:
    """The metric's own; its name where its file is not here."""
    try:
        return metrics.get(signed.metric).title
    except metrics.UnknownMetric:
        return signed.metric


def _signature(study: Study, pk: int) -> Signature:
    """One that scored texts of the study, else 404."""
    scored = Score.objects.filter(generation__study=study, signature=pk)
    return get_object_or_404(Signature, pk=pk if scored.exists() else None)


def _key(request: HttpRequest, name: str) -> str:
    """PostgreSQL takes no null character, not even to look for it."""
    return request.GET.get(name, "").strip()


def _text(study: Study, key: str) -> Generation | None:
    texts = study.generations.select_related("prompt__label", "system", "dialogue")
    return texts.filter(key=key).first() if key else None


def _scored(study: Study, signed: Signature) -> QuerySet[Generation]:
    scored = Score.objects.filter(signature=signed).values("generation")
    return study.generations.filter(pk__in=scored)


def _neighbours(study: Study, signed: Signature, text: Generation) -> dict:
    """Keys of the scored texts before and after this one."""
    keys = _scored(study, signed).values_list("key", flat=True)
    return {
        "before": keys.filter(pk__lt=text.pk).order_by("-pk").first(),
        "after": keys.filter(pk__gt=text.pk).order_by("pk").first(),
    }


def _others(text: Generation, signed: Signature) -> list[tuple[Signature, str]]:
    """The other signatures that scored the text, with what tells them apart."""
    found = list(Signature.objects.filter(scores__generation=text).distinct())
    apart = option_sets.told_apart(study=text.study, signatures=found)
    return [(one, apart[one.pk]) for one in found if one != signed]


def _offered(study: Study) -> list[tuple[str, str]]:
    """Keys to pick from, with the system and the first words; none of a large study."""
    texts = study.generations.order_by("key")
    rows = list(
        texts.annotate(words=Left("text", WORDS_SHOWN)).values_list(
            "key", "system__name", "words"
        )[: MOST_OFFERED + 1]
    )
    if len(rows) > MOST_OFFERED:
        return []
    return [(key, f"{key} · {system or '?'} · {words}…") for key, system, words in rows]


def _same_prompt(text: Generation) -> list[Generation]:
    """Those it is fair to compare it with, for a field to suggest."""
    others = text.prompt.generations.exclude(pk=text.pk).select_related("system")
    return list(others[:SUGGESTED])
