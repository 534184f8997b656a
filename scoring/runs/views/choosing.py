"""One metric with its options: a run, or one for each of several sets of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.access import get_study_for
from annotation.models import Study
from evalapp.limits.once import at_most_once
from scoring.drawing.words import sentence
from scoring.judging import steps, trial_pages
from scoring.judging.ledger import Limit
from scoring.metrics import OptionError, SystemMetric, UnknownMetric
from scoring.models import JudgeTrial, MetricRun
from scoring.runs import battery, catalogue, starting
from scoring.runs.battery import Choice
from scoring.runs.forms import OptionsForm
from scoring.runs.starting import RunError
from scoring.runs.views import agreeing
from scoring.runs.views.agreeing import Wish
from scoring.scores import allowed_models, models_here
from scoring.scores.options import in_words, unusual

MOST_SETS = 20
LONGEST_SET = 200_000  # characters
WRITTEN = "written"  # in an address: whose evaluation steps the form has

Set = dict[str, object]  # options, and the name of a corpus as "corpus"


@dataclass(frozen=True, slots=True)
class ChosenSet:
    """Options that were added before those of the form, as the page carries them."""

    value: str
    words: dict[str, str]


@at_most_once
@require_http_methods(["GET", "HEAD", "POST"])
def run_choose(request: HttpRequest, name: str, metric: str) -> HttpResponse:
    """Choose options; POST starts a run with them, and one for each set before."""
    study = get_study_for(request.user, name)
    choice = choice_of(request, study, metric)
    if request.method != "POST":
        asked, sets = request.GET.dict(), []
        if written := _written(study, asked.pop(WRITTEN, "")):
            asked = {**written.setup["given"], "steps": steps.as_option(written)}
            sets = written.setup["sets"]
        form = form_of(study, choice, asked)
        return page(request, study, choice, form, sets=sets, written=written)
    form = form_of(study, choice, {}, data=request.POST)
    if agreeing.BACK in request.POST:
        return page(request, study, choice, form, sets=sent_sets(request))
    if form.is_valid():
        wishes = [Wish(form.options(), form.corpus()), *_wishes(request, study)]
        try:
            return _agreed(request, study, choice, wishes)
        except OptionError as error:
            form.refuse(str(error))
        except RunError as error:
            form.add_error(None, sentence(error))
    return page(request, study, choice, form, sets=sent_sets(request), status=400)


def _agreed(
    request: HttpRequest, study: Study, choice: Choice, wishes: list[Wish]
) -> HttpResponse:
    """Start all of them, or ask first whether texts may be sent to a judge."""
    asked = agreeing.questions(
        study=study, metric=choice.metric, wishes=wishes, data=request.POST
    )
    limits = agreeing.limits(asked)
    if limits is None:
        return agreeing.page(request, study, choice, asked)
    started = [_start(request, study, choice.metric, wishes[0], limits[0])]
    for wish, limit in zip(wishes[1:], limits[1:], strict=True):
        # One that cannot run any more is reported, and holds up no other.
        try:
            started.append(_start(request, study, choice.metric, wish, limit))
        except (OptionError, RunError) as error:
            messages.error(request, sentence(error))
    return _to_runs(study, started)


@require_http_methods(["GET", "HEAD", "POST"])
def run_add(request: HttpRequest, name: str, metric: str) -> HttpResponse:
    """Keep the options of the form, so that others can be chosen beside them."""
    study = get_study_for(request.user, name)
    if request.method != "POST":
        return redirect("run_choose", study.name, metric)
    choice = choice_of(request, study, metric)
    form, sets = form_of(study, choice, {}, data=request.POST), sent_sets(request)
    if not form.is_valid():
        return page(request, study, choice, form, sets=sets, status=400)
    corpus = form.corpus()
    added: Set = dict(form.options())
    try:
        made = starting.prepared(study=study, metric=metric, options=added)
        models_here.check(type(made).Options, vars(made.options))
    except OptionError as error:
        form.refuse(str(error))
        return page(request, study, choice, form, sets=sets, status=400)
    sets.append(added | ({"corpus": corpus.name} if corpus else {}))
    return page(request, study, choice, form, sets=sets[:MOST_SETS])


def _written(study: Study, pk: str) -> JudgeTrial | None:
    """The trial whose evaluation steps an address names."""
    known = pk.isascii() and pk.isdecimal() and len(pk) < 10
    return steps.of_study(study).filter(pk=int(pk)).first() if known else None


def choice_of(request: HttpRequest, study: Study, metric: str) -> Choice:
    visible = Study.objects.visible_to(request.user)
    try:
        return battery.choice(study=study, visible=visible, metric=metric)
    except UnknownMetric as error:
        raise Http404(str(error)) from error


def form_of(
    study: Study, choice: Choice, asked: Mapping[str, object], data: object = None
) -> OptionsForm:
    """An address may fill it in: ?OPTION=VALUE"""
    return OptionsForm(
        choice.metric,
        data,
        corpora=study.corpora.all(),
        known=[*models_here.here(study), *models_here.over_network()],
        initial={**choice.options, **asked},
    )


def _start(
    request: HttpRequest, study: Study, metric: str, wish: Wish, limit: Limit | None
) -> MetricRun:
    return starting.start_ready(
        study=study,
        metric=metric,
        options=wish.options,
        user=request.user,
        corpus=wish.corpus,
        limit=limit,
    )


def _wishes(request: HttpRequest, study: Study) -> list[Wish]:
    """The sets that were added before."""
    corpora = {one.name: one for one in study.corpora.all()}
    sets = sent_sets(request)
    chosen = [corpora.get(str(one.pop("corpus", ""))) for one in sets]
    return [Wish(one, corpus) for one, corpus in zip(sets, chosen, strict=True)]


def _to_runs(study: Study, started: list[MetricRun]) -> HttpResponse:
    if len(started) == 1:
        return redirect(started[0])
    way = redirect("runs", study.name)
    way["Location"] += "#progress"
    return way


def sent_sets(request: HttpRequest) -> list[Set]:
    """The sets that are still ticked; what is no set of options is passed over."""
    found = []
    for text in request.POST.getlist("set")[:MOST_SETS]:
        try:
            one = json.loads(text) if len(text) <= LONGEST_SET else None
        except (ValueError, RecursionError):
            continue
        if isinstance(one, dict):
            found.append(one)
    return found


def page(
    request: HttpRequest,
    study: Study,
    choice: Choice,
    form: OptionsForm,
    *,
    sets: list[Set] | None = None,
    written: JudgeTrial | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "study": study,
        "tab": "metrics",
        "choice": choice,
        "form": form,
        "sets": [_shown(choice.metric, one) for one in sets or []],
        "measures": catalogue.measures(choice.kind),
        "takes_corpus": catalogue.takes(choice.kind, "corpus"),
        "n": _n(study, choice),
        "per_system": issubclass(choice.kind, SystemMetric),
        "files": allowed_models.names(),
        "written": written,
        "judge": trial_pages.judge(written) if written else "",
        # Options of judges over the network are there where one is set up.
        "can_write": "steps" in form.fields and "mode" in form.fields,
    }
    return render(request, "scoring/runs/choose.html", context, status=status)


def _n(study: Study, choice: Choice) -> int:
    of_systems = issubclass(choice.kind, SystemMetric)
    return study.systems.count() if of_systems else study.generations.count()


def _shown(metric: str, one: Set) -> ChosenSet:
    options = {name: value for name, value in one.items() if name != "corpus"}
    words = in_words(metric, unusual(metric, options))
    if one.get("corpus"):
        words["Corpus"] = str(one["corpus"])
    return ChosenSet(json.dumps(one, sort_keys=True), words)
