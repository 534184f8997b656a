"""The pages of training: make a metric that learns, watch it, use it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.access import get_study_for, page_of
from annotation.models import Study
from evalapp import storage
from evalapp.limits.once import at_most_once
from evalapp.work.views import cancel_view, retry_view
from scoring import metrics
from scoring.drawing import zip_streams
from scoring.drawing.files import download_one
from scoring.drawing.sections import with_figures
from scoring.drawing.words import sentence
from scoring.metrics import (
    MetricError,
    OptionError,
    TrainedMetric,
    UnknownMetric,
    models,
)
from scoring.models import Checkpoint
from scoring.scores import allowed_models, chance, options
from scoring.training import charts, data, starting
from scoring.training.forms import Material, TrainingForm, aspect_key
from scoring.training.starting import TrainingError
from scoring.training.work import TRAININGS

TRAININGS_A_PAGE = 20


@at_most_once
@require_http_methods(["GET", "HEAD", "POST"])
def training_list(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    if request.method != "POST":
        return _list(request, study)
    form = _sent(request, study)
    if form.is_valid():
        try:
            started = starting.start(
                study=study,
                metric=form.kind.name(),
                user=request.user,
                **form.chosen(),
            )
            return redirect(started)
        except (OptionError, TrainingError) as error:
            form.refuse(str(error))
    return _list(request, study, bound=form)


@require_safe
def training(request: HttpRequest, name: str, training: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _training(study, training)
    shown = charts.sections(found.log, found.card)
    context = {
        **_context(found),
        "sections": with_figures(shown),
        "warnings": charts.warnings(found.card),
        "classes": charts.classes(found.card),
        "options": _options(found),
        "bundled": options.bundled(found.options | _options(found)),
        "data": found.card.get("data", {}),
        "begun_with": data.begun_with(found),
        "compares": getattr(_kind(found.metric), "compares_rated", True),
        "runs": study.runs.filter(options__model=found.key)[:10],
        "is_here": storage.holds_files(_model(found)),
    }
    return render(request, "scoring/training/training.html", context)


@require_safe
def training_progress(request: HttpRequest, name: str, training: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _training(study, training)
    context, seen = _context(found), request.GET.get("seen", "")
    curves, points = (seen.split("-") + [""])[:2]
    if found.ended or curves != str(context["n_curves"]):
        return HttpResponse(headers={"HX-Refresh": "true"})
    if points != str(context["n_points"]):  # the rest of the page stays as it is
        context["redrawn"] = with_figures(charts.curves(found.log))
    return render(request, "scoring/training/_training.html", context)


@require_POST
def training_delete(request: HttpRequest, name: str, training: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _training(study, training)
    try:
        starting.remove(checkpoint=found, user=request.user)
    except TrainingError as error:
        messages.error(request, sentence(error))
        return redirect(found)
    messages.success(request, f"Training {training} deleted.")
    return redirect("trainings", study.name)


@require_safe
def training_download(
    request: HttpRequest, name: str, training: str
) -> StreamingHttpResponse:
    """The finished checkpoint, a Hugging Face folder, from the disk piece by piece."""
    study = get_study_for(request.user, name)
    found = _training(study, training)
    is_here = storage.holds_files(_model(found))
    if found.state != Checkpoint.State.DONE or not is_here:
        raise Http404("there is no finished model of this training on this machine")
    file_name = f"{study.name}-{found.name}.zip"
    pieces = _zipped(_model(found), found.name)
    next(pieces)  # an error is still a page here, and no half file
    return StreamingHttpResponse(
        pieces,
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{file_name}"'},
    )


def _zipped(model: str, name: str) -> Iterator[bytes]:
    """Begins with nothing, when the files are here."""
    with storage.lent(model) as folder:
        yield b""
        yield from zip_streams.pieces(folder, name)


@require_safe
def training_table(
    request: HttpRequest, name: str, training: str, table: str, format: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _training(study, training)
    # No rating is part of it, whether or not the study is simulated.
    file_name, tables = f"{found.name}-{table}", charts.tables(found.log, found.card)
    return download_one(tables, table, study, file_name, format, of_people=True)


def _training(study: Study, name: str) -> Checkpoint:
    found = Checkpoint.objects.select_related(
        "study", "corpus__study", "test__study", "aspect__study", "created_by"
    )
    return get_object_or_404(found, study=study, name=name)


def _asked(request: HttpRequest, name: str, training: str) -> Checkpoint:
    return _training(get_study_for(request.user, name), training)


training_cancel = cancel_view(TRAININGS, _asked)
training_retry = retry_view(TRAININGS, _asked)


def _model(found: Checkpoint) -> str:
    """The name under which it is stored."""
    return f"{found.stored_as}/{models.TRAINED}"


# The list -----------------------------------------------------------------------------


def _sent(request: HttpRequest, study: Study) -> TrainingForm:
    kinds = {kind.name(): kind for kind in starting.trained()}
    metric = request.POST.get("metric", "")
    if metric not in kinds:
        raise Http404(f"no metric {metric!r} that can be trained")
    return TrainingForm(kinds[metric], Material.of(study), request.POST)


def _list(
    request: HttpRequest, study: Study, *, bound: TrainingForm | None = None
) -> HttpResponse:
    rows = study.checkpoints.select_related("study", "corpus", "aspect__study")
    page = page_of(request, rows.defer("log"), TRAININGS_A_PAGE)
    material, asked = Material.of(study), request.GET.dict()
    context = {
        "study": study,
        "tab": "metrics",
        "page": page,
        "rows": [_row(one) for one in page],
        "bound": bound,
        "offers": [_offer(kind, material, bound, asked) for kind in starting.trained()],
        "material": material,
        "models": allowed_models.suggested(study),
    }
    status = 400 if bound else 200
    return render(request, "scoring/training/trainings.html", context, status=status)


def _offer(
    kind: type[TrainedMetric],
    material: Material,
    bound: TrainingForm | None,
    asked: dict[str, str],
) -> dict[str, object]:
    """With its name apart: in a template, a field of the form would go first."""
    if bound is not None and bound.kind is kind:
        return {"name": kind.name(), "kind": kind, "form": bound}
    # An address may fill in a metric's form: ?metric=NAME&OPTION=VALUE
    initial = asked if asked.get("metric") == kind.name() else {}
    form = TrainingForm(kind, material, initial=initial)
    return {"name": kind.name(), "kind": kind, "form": form}


def _row(found: Checkpoint) -> dict[str, object]:
    return {
        "run": found,
        "title": _title(found.metric),
        "progress": None if found.ended else starting.progress(found),
        "headline": charts.headline(found.card),
        "at_chance": chance.no_better(found.card.get("figures", {})),
    }


# One training -------------------------------------------------------------------------


def _title(metric: str) -> str:
    kind = _kind(metric)
    return kind.title if kind else metric


def _kind(metric: str) -> type | None:
    """None where the metric's file is gone."""
    try:
        return metrics.get(metric)
    except UnknownMetric:
        return None


def _context(found: Checkpoint) -> dict[str, object]:
    return {
        "study": found.study,
        "tab": "metrics",
        "training": found,
        "run": found,  # whose state a fragment shows
        "title": _title(found.metric),
        "way_to_scoring": _way_to_scoring(found),
        "at_chance": chance.no_better(found.card.get("figures", {})),
        "way_to_another": _way_to_another(found),
        "progress": starting.progress(found),
        "n_curves": len(charts.curves(found.log)),
        "n_points": len(found.log),
        # Names files that the page saves.
        "analysis": found.name,
    }


def _way_to_scoring(found: Checkpoint) -> str:
    """The metric's form, filled in with its model and options the training had, too."""
    kind: Any = _kind(found.metric)
    if kind is None:
        return ""
    known = {option.name for option in metrics.option_fields(kind.Options)}
    same = {
        name: "" if value is False else value  # an empty box is not ticked
        for name, value in found.options.items()
        if name in known
    }
    address = reverse("run_choose", args=[found.study.name, found.metric])
    return f"{address}?{urlencode({**same, 'model': found.key})}"


def _way_to_another(found: Checkpoint) -> str:
    """What an address says to fill in the form once more, to change something."""
    if _kind(found.metric) is None:
        return ""
    # An empty box is not ticked. Folders are named as a form takes them.
    chosen = {
        name: "" if value is False else value
        for name, value in options.named(found.options).items()
    }
    if found.corpus:
        chosen["corpus"] = found.corpus.name
    if found.test:
        chosen["test"] = found.test.name
    if found.aspect:
        chosen["ratings"] = aspect_key(found.aspect)
    return urlencode({"metric": found.metric, **chosen})


def _options(found: Checkpoint) -> dict[str, object]:
    """All of them, also those that were not chosen, as pages show them."""
    kind: Any = _kind(found.metric)
    chosen = found.options
    # Where the metric has changed since, or is gone: what is known.
    with suppress(AttributeError, MetricError, OptionError):
        chosen = {**dataclasses.asdict(kind.training(**chosen)), **chosen}
    known = kind.TrainingOptions if kind else None
    return options.in_words_of(known, chosen)
