from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.forms import BoundField
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import Truncator
from django.views.decorators.http import require_POST, require_safe

from annotation.access import get_study_for, page_of
from annotation.imports import UploadError
from annotation.models import Study
from evalapp.limits.uploads import too_large
from scoring import metrics
from scoring.drawing import tables
from scoring.drawing.tables import Table
from scoring.drawing.words import sentence
from scoring.evaluators import tables as evaluator_tables
from scoring.metrics import (
    OptionError,
    Output,
    SystemMetric,
    TrainedMetric,
    UnknownMetric,
)
from scoring.models import Checkpoint, Corpus, MetricRun
from scoring.runs import catalogue as facts
from scoring.runs import figures, outcomes, starting, uploaded
from scoring.runs.catalogue import Family
from scoring.runs.forms import CORPUS, OptionsForm, ScoresForm
from scoring.runs.starting import RunError
from scoring.runs.views import systems
from scoring.scores import allowed_models
from scoring.scores.options import bundled, shown

RUNS_A_PAGE = 20
LONGEST_SHOWN = 60  # characters of an option in the list of runs
MODEL = "model"  # the option of each metric that is trained
TRAINING = "training"  # which such a metric needs, but no text has


@dataclass(frozen=True, slots=True)
class Alike:
    """Outputs that differ in nothing but their titles."""

    titles: list[str]
    output: Output


@dataclass(frozen=True, slots=True)
class Offer:
    """A metric on the page: its facts, and the form that starts it."""

    name: str
    facts: type
    outputs: list[Alike]
    outputs_vary: bool
    needs: list[str]  # of each text
    lacks: list[str]  # of these, what no text of the study has
    corpus: str  # "needs" one, "uses" one, or takes none: ""
    per_system: bool
    models: list[str] | None  # of a metric that is trained: what it was trained to
    form: OptionsForm

    @property
    def first_fields(self) -> list[BoundField]:
        """A metric that is trained cannot score without a model."""
        return [] if self.models is None else [self.form[MODEL]]

    @property
    def folded_fields(self) -> list[BoundField]:
        first = [field.name for field in self.first_fields]
        return [one for one in self.form.option_fields() if one.name not in first]


@require_safe
def run_list(request: HttpRequest, name: str) -> HttpResponse:
    return _run_list(request, get_study_for(request.user, name))


@require_POST
def run_start(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    metric = request.POST.get("metric", "")
    try:
        form = OptionsForm(metric, request.POST, corpora=study.corpora.all())
    except UnknownMetric as error:
        raise Http404(str(error)) from error
    if form.is_valid():
        chosen = {"options": form.options(), "corpus": form.corpus()}
        try:
            started = starting.start(
                study=study, metric=metric, user=request.user, **chosen
            )
            return redirect(started)
        except OptionError as error:
            form.refuse(str(error))
        except RunError as error:
            form.add_error(None, str(error))
    return _run_list(request, study, bound=form, status=400)


@require_POST
def scores_upload(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    form, problems = ScoresForm(request.POST, request.FILES), []
    if getattr(request, "upload_refused", False):  # else it would look forgotten
        form, problems = ScoresForm(), [too_large()]
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            added = uploaded.add(
                study=study, file=file, file_name=file.name, user=request.user
            )
        except UploadError as error:
            problems = error.lines
        else:
            names = ", ".join(sorted({run.metric for run in added}))
            messages.success(request, f"The scores are in: {names}.")
            return redirect("runs", study.name)
    return _run_list(request, study, upload=form, problems=problems, status=400)


@require_safe
def run(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    context = _run_context(study, _run(study, pk))
    return render(request, "scoring/runs/run.html", context)


@require_safe
def run_progress(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    context = _run_context(study, _run(study, pk))
    if (context["systems"] or {}).get("figure"):  # drawn when a page is loaded
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "scoring/runs/_run.html", context)


@require_POST
def run_cancel(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _run(study, pk)
    starting.cancel(run=found)
    return redirect(found)


@require_POST
def run_retry(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _run(study, pk)
    try:
        starting.retry(run=found)
    except RunError as error:
        messages.error(request, sentence(error))
    return redirect(found)


@require_safe
def run_scores(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    found = _run(study, pk)
    header, rows = outcomes.scores(study=study, run=found)
    return HttpResponse(
        tables.as_csv(Table(header, rows)),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": (
                f'attachment; filename="{study.name}-{found.metric}-{pk}.csv"'
            )
        },
    )


def _run(study: Study, pk: int) -> MetricRun:
    found = MetricRun.objects.select_related("study", "signature", "corpus")
    return get_object_or_404(found, study=study, pk=pk)


def _run_list(
    request: HttpRequest,
    study: Study,
    *,
    bound: OptionsForm | None = None,
    upload: ScoresForm | None = None,
    problems: Sequence[str] = (),
    status: int = 200,
) -> HttpResponse:
    page = page_of(request, study.runs.select_related("corpus"), RUNS_A_PAGE)
    corpora = list(study.corpora.all())
    context = {
        "study": study,
        "tab": "metrics",
        "n_texts": study.generations.count(),
        "page": page,
        "runs": [(run, _facts(run.metric), _chosen(run)) for run in page],
        "n_systems": study.systems.count(),
        "families": _families(study, corpora, bound, request.GET.dict()),
        "corpora": corpora,
        "models": allowed_models.suggested(study),
        "own_models": allowed_models.names(),
        "bound": bound,
        "upload": upload or ScoresForm(),
        "problems": problems,
    }
    return render(request, "scoring/runs/runs.html", context, status=status)


def _families(
    study: Study,
    corpora: list[Corpus],
    bound: OptionsForm | None,
    asked: dict[str, str],
) -> list[tuple[Family, list[Offer]]]:
    lacks, trained = starting.lacks(study=study), allowed_models.checkpoints(study)
    kinds = {name: metrics.get(name) for name in metrics.names()}

    def offer(name: str) -> Offer:
        if bound is not None and bound.prefix == name:
            return _offer(study, name, lacks, trained, bound)
        # An address may fill in a metric's form: ?metric=NAME&OPTION=VALUE
        initial = asked if asked.get("metric") == name else {}
        form = OptionsForm(name, corpora=corpora, initial=initial)
        return _offer(study, name, lacks, trained, form)

    return [
        (family, [offer(name) for name in names])
        for family, names in facts.families(kinds)
    ]


def _offer(
    study: Study,
    name: str,
    lacks: dict[str, str],
    trained: list[Checkpoint],
    form: OptionsForm,
) -> Offer:
    kind = metrics.get(name)
    models = None
    if issubclass(kind, TrainedMetric):
        models = [one.key for one in trained if one.metric == name]
        form.fields[MODEL].widget.attrs["list"] = f"models-{name}"
        form.initial = {MODEL: models[0] if models else "", **form.initial}
    return Offer(
        name=name,
        facts=kind,
        outputs=_alike(_outputs(study, kind)),
        outputs_vary=facts.outputs_vary(kind),
        needs=sorted(kind.needs - {CORPUS, TRAINING}),
        lacks=[lacks[need] for need in sorted(kind.needs & lacks.keys())],
        corpus=facts.takes(kind, CORPUS),
        per_system=issubclass(kind, SystemMetric),
        models=models,
        form=form,
    )


def _outputs(study: Study, kind: type) -> Sequence[Output]:
    """What the metric gives with what the study brings along."""
    try:
        options = evaluator_tables.filled(study=study, kind=kind, options={})
        return kind(**options).outputs
    except OptionError:  # said where the run is started
        return kind().outputs


def _alike(outputs: Sequence[Output]) -> list[Alike]:
    found: dict[tuple[str, bool | None], list[Output]] = {}
    for one in outputs:
        found.setdefault((one.unit, one.higher_is_better), []).append(one)
    return [Alike([one.title for one in alike], alike[0]) for alike in found.values()]


def _chosen(run: MetricRun) -> dict[str, object]:
    """The options that are not as they come."""
    kind = _facts(run.metric)
    usual = dataclasses.asdict(kind().options) if kind else {}
    unusual = {k: v for k, v in run.options.items() if k not in usual or usual[k] != v}
    return {
        name: Truncator(value).chars(LONGEST_SHOWN)
        for name, value in _shown(unusual).items()
    }


def _shown(options: Mapping[str, object]) -> dict[str, object]:
    words = {True: "yes", False: "no"}
    return {
        name: words[value] if isinstance(value, bool) else shown(value)
        for name, value in options.items()
    }


def _run_context(study: Study, found: MetricRun) -> dict:
    outputs = outcomes.summary(run=found) if found.ended else []
    of_systems = any(output.per_system for output in outputs)
    return {
        "study": study,
        "tab": "metrics",
        "run": found,
        "facts": _facts(found.metric),
        "options": _shown(found.options),
        "bundled": bundled(found.options),
        "progress": figures.progress(run=found),
        "outputs": outputs,
        "systems": systems.shown(found) if of_systems else None,
        "undefined": outcomes.undefined(run=found) if found.ended else [],
    }


def _facts(metric: str) -> type | None:
    """None for the run of a metric whose file is gone."""
    try:
        return metrics.get(metric)
    except UnknownMetric:
        return None
