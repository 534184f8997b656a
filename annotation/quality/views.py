from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.contrib import messages
from django.db.models import Avg, Case, F, When
from django.db.models.functions import Length
from django.forms.models import model_to_dict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation import kept, page_kinds, surveys
from annotation.access import get_study_for
from annotation.careless import rules
from annotation.models import Aspect, Policy, Rejudging, Study
from annotation.quality import (
    applying,
    page_shapes,
    power,
    previewing,
    rejudging,
)
from annotation.quality.forms import PolicyForm
from annotation.quality.power import Power, Shape
from annotation.surveys import estimating
from evalapp.work.views import cancel_view, progress_view

RULES = [Policy.Rule(rule).label for rule in rules.RULES]


@require_safe
def study_quality(request: HttpRequest, name: str) -> HttpResponse:
    """What quality control does, or would do with the settings in the address."""
    study = get_study_for(request.user, name)
    data = request.GET if "rule" in request.GET else None
    return _page(request, study, PolicyForm(data, **_of(study)))


@require_POST
def quality_save(request: HttpRequest, name: str) -> HttpResponse:
    """A new version for the pages to come."""

    def save(study: Study, policy: Policy) -> str:
        rejudging.adopt(
            study=study, policy=policy, user=request.user, now=timezone.now()
        )
        return f"Version {policy.version} applies to new pages."

    return _change(request, name, save)


@require_POST
def quality_rejudge(request: HttpRequest, name: str) -> HttpResponse:
    """A new version for all pages."""

    def judge_again(study: Study, policy: Policy) -> str:
        done = applying.start(
            study=study, policy=policy, user=request.user, now=timezone.now()
        )
        if done is None:
            return f"Version {policy.version} applies to new pages from now on."
        pages = "1 page" if done.pages == 1 else f"{done.pages} pages"
        return f"Version {policy.version} was applied to {pages}: {_moves(done)}."

    return _change(request, name, judge_again)


def _rejudging(request: HttpRequest, name: str) -> Rejudging | None:
    return applying.newest(study=get_study_for(request.user, name))


quality_applying = progress_view(
    _rejudging,
    "annotation/quality/_applying.html",
    lambda row: {"study": row.study, **_applying(row.study)},
)
quality_applying_cancel = cancel_view(applying.QUALITY, _rejudging)


def _change(
    request: HttpRequest, name: str, verb: Callable[[Study, Policy], str]
) -> HttpResponse:
    study = get_study_for(request.user, name)
    form = PolicyForm(request.POST, **_of(study))
    if not form.is_valid():
        return _page(request, study, form, status=400)
    try:
        messages.success(request, verb(study, form.policy()))
    except rejudging.Busy as busy:
        messages.error(request, str(busy))
    return redirect("study_quality", study.name)


def _applying(study: Study) -> dict[str, Any]:
    row = applying.newest(study=study)
    if row is None:
        return {"rejudging": None}
    return {
        "rejudging": row,
        "applying": applying.QUALITY.progress(row),
        "moved": _moves(applying.changes(row)),
    }


def _of(study: Study) -> dict[str, Any]:
    return {"study": study, "instance": study.current_policy()}


def _moves(done: rejudging.Changes) -> str:
    moved = [f"{n} {old.lower()} to {new.lower()}" for old, new, n in done.moved]
    moved += [f"{_workers(done.n_blocked)} blocked"] if done.n_blocked else []
    moved += [f"{done.n_unblocked} unblocked"] if done.n_unblocked else []
    return ", ".join(moved) or "nothing changed"


def _workers(n: int) -> str:
    return "1 worker" if n == 1 else f"{n} workers"


# The page -----------------------------------------------------------------------------


def _page(
    request: HttpRequest, study: Study, form: PolicyForm, status: int = 200
) -> HttpResponse:
    current = study.current_policy()
    wanted = form.policy() if form.is_bound and form.is_valid() else current
    context = {
        "study": study,
        "tab": "setup",
        "form": form,
        "current": current,
        "wanted": wanted,
        "previewed": form.is_bound and not form.errors,
        "versions": _versions(study, current),
        "aspects": list(study.aspects.all()),
        **_both_sides(study, wanted),
        **_after(study),
        **_applying(study),
    }
    if context["previewed"]:
        context |= _preview(study, wanted, request)
    return render(request, "annotation/quality/quality.html", context, status=status)


def _rng(study: Study) -> np.random.Generator:
    """The same page shows the same numbers when it is read again."""
    return np.random.default_rng(study.seed)


def _versions(study: Study, current: Policy) -> list[tuple[Policy, str]]:
    """Earlier versions, newest first, each with the address that previews it."""
    names = PolicyForm.Meta.fields
    return [
        (policy, urlencode(_given(model_to_dict(policy, names)), doseq=True))
        for policy in study.policies.exclude(pk=current.pk).order_by("-version")
    ]


def _given(values: Mapping[str, object]) -> dict[str, object]:
    """As a form would send them: nothing for what is empty or not ticked."""
    return {
        name: "on" if value is True else value
        for name, value in values.items()
        if value not in (None, False, [])
    }


def _both_sides(study: Study, policy: Policy) -> dict[str, object]:
    kinds = page_kinds.of(study)
    hidden = [kind.checks.power(study, policy) for kind in kinds]
    found = page_shapes.shapes(study=study)
    told: Power | None = None
    if found:
        told = power.of_policy(study=study, policy=policy, found=found, rng=_rng(study))
    return {
        "power": told,
        "rows": [
            (side.label, side.chosen, _percent(side.random, side.same, *_honest(side)))
            for side in (told.sides if told else [])
        ],
        "hidden_checks": [check for check in hidden if check],
        "failing": [kind.checks.failing for kind in kinds if kind.checks.failing],
        "rule_labels": RULES,
        "tables": [
            (words, [(t, _percent(*row)) for t, row in power.table(steps=steps)])
            for words, steps in _compared_on(study)
        ],
        "too_large": not found and study.generations.count() > page_shapes.MAX_PLANNED,
        "without": _without(study),
        "reading": _reading(study, policy, found),
        "worker_cells": _worker_cells(told),
        "odds_rows": _odds_rows(told),
    }


def _compared_on(study: Study) -> list[tuple[str, list[int]]]:
    """Of what a rule may compare: words, and points of the scale of each aspect."""
    asked = study.aspects.filter(about=Aspect.About.TEXT)
    steps = [len(aspect.scale) for aspect in asked]
    mixed = len(set(steps)) > 1
    found = [
        (f"one aspect with {n} points" if mixed else "one aspect", [n])
        for n in sorted(set(steps))
    ]
    if len(steps) > 1:
        found.append((f"the mean of {len(steps)} aspects", steps))
    return found


def _without(study: Study) -> str:
    """Which pages have no damaged text to compare; empty where all have one."""
    if not study.generations.filter(excluded_at=None).exists():
        return ""
    if study.damaged_texts == Study.DamagedTexts.NONE:
        return "This study hides no damaged text on any page, as its settings say."
    if study.state == Study.State.DRAFT:
        return surveys.damageable(study=study).sentence
    n = study.surveys.filter(negative=None).count()
    return f"{n} of {study.surveys.count()} pages have no damaged text." if n else ""


def _honest(side: power.Side | power.WorkerSide) -> list[float]:
    return [side.honest[kind] for kind in power.HONEST]


def _worker_cells(told: Power | None) -> list[float]:
    if told is None or told.worker is None:
        return []
    careless = told.worker.careless
    return _percent(careless["random"], careless["same"], *_honest(told.worker))


def _odds_rows(told: Power | None) -> list[tuple[int, list[float]]]:
    if told is None or told.odds is None:
        return []
    columns = [told.odds.shares[kind] for kind in ("random", *power.HONEST)]
    rows = zip(*columns, strict=True)
    return [
        (page, _percent(*row))
        for page, row in zip(told.odds.by_page, rows, strict=True)
    ]


def _percent(*shares: float) -> list[float]:
    return [100 * share for share in shares]


def _reading(
    study: Study, policy: Policy, found: Counter[Shape]
) -> dict[str, float] | None:
    """How long a page of the study takes at the policy's speed."""
    fastest = policy.characters_per_second
    if fastest is None or not found:
        return None
    prefix = Length("prompt__prefix")
    begun = When(text__startswith=F("prompt__prefix"), then=prefix)
    mean = study.generations.filter(excluded_at=None).aggregate(
        prefix=Avg(prefix),  # read once
        text=Avg(Length("text") - Case(begun, default=0)),
    )
    texts = sum((shape.texts + 1) * n for shape, n in found.items()) / found.total()
    characters = mean["prefix"] + texts * mean["text"]
    return {
        "characters": characters,
        "seconds": characters / fastest,
        "usual": characters / estimating.CHARACTERS_PER_SECOND,
    }


def _after(study: Study) -> dict[str, object]:
    """What quality control has done so far."""
    found = kept.read(study=study, name="quality")
    return {"done": found.value, "kept": found}


def _preview(study: Study, policy: Policy, request: HttpRequest) -> dict[str, object]:
    found = previewing.read(study=study, policy=policy)
    told = found.value
    return {
        "preview": found,
        "n_pages": told.n_pages if told else rejudging.finished(study).count(),
        "changes": told and told.changes,
        "would_shift": told and told.shifts,
        # Its ids would stand twice on the page.
        "hidden": PolicyForm(request.GET, auto_id=False, **_of(study)),
    }
