"""Evaluation steps, written by the judge that is being set up."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.access import get_study_for
from annotation.models import Study
from evalapp.limits.once import at_most_once
from scoring.drawing.words import sentence
from scoring.judging import estimates, steps, trials
from scoring.judging.forms.limits import LimitForm
from scoring.judging.ledger import LimitError
from scoring.judging.trials import TrialError
from scoring.metrics import MetricError, OptionError
from scoring.runs import starting
from scoring.runs.battery import Choice
from scoring.runs.forms import OptionsForm
from scoring.runs.views import agreeing, choosing

PREFIX = f"{agreeing.LIMIT}{steps.KIND}"


@at_most_once
@require_http_methods(["GET", "HEAD", "POST"])
def run_steps(request: HttpRequest, name: str, metric: str) -> HttpResponse:
    """Ask first what may be sent; then a worker has the judge write the steps."""
    study = get_study_for(request.user, name)
    if request.method != "POST":
        return redirect("run_choose", study.name, metric)
    if metric != trials.METRIC:
        raise Http404(f"the metric {metric} has no evaluation steps")
    choice = choosing.choice_of(request, study, metric)
    form = choosing.form_of(study, choice, {}, data=request.POST)
    if form.is_valid() and agreeing.BACK not in request.POST:
        try:
            return _agreed(request, study, choice, form)
        except OptionError as error:
            form.refuse(str(error))
        except (LimitError, MetricError, TrialError) as error:
            form.add_error(None, sentence(error))
    status = 400 if form.errors else 200
    sets = choosing.sent_sets(request)
    return choosing.page(request, study, choice, form, sets=sets, status=status)


def _agreed(
    request: HttpRequest, study: Study, choice: Choice, form: OptionsForm
) -> HttpResponse:
    options = _options(study, form)
    estimate = steps.estimate(options, study)
    answers = request.POST if agreeing.AGREE in request.POST else None
    limit_form = LimitForm(estimate, answers, prefix=PREFIX)
    if limit_form.is_valid():
        setup = {"given": form.options(), "sets": choosing.sent_sets(request)}
        return redirect(
            trials.start(
                study=study,
                kind=steps.KIND,
                options=options,
                setup=setup,
                limit=limit_form.limit(),
                user=request.user,
            )
        )
    context = {
        "study": study,
        "tab": "metrics",
        "choice": choice,
        "asked": steps.questions(options),
        "estimate": estimate,
        "limit_form": limit_form,
        "carried": agreeing.carried(request.POST),
    }
    status = 400 if limit_form.is_bound else 200
    return render(request, "scoring/runs/steps_agree.html", context, status=status)


def _options(study: Study, form: OptionsForm) -> dict[str, Any]:
    """The judge and its questions: the rest has nothing to do with their steps.

    Raises:
        OptionError: No judge over the network is chosen, or something is wrong.
    """
    chosen = {"model", "aspects"}
    given = {k: value for k, value in form.options().items() if k in chosen}
    made: Any = starting.prepared(study=study, metric=trials.METRIC, options=given)
    if not estimates.is_endpoint(made.options):
        raise OptionError(
            "model: only a model over the network can write steps: choose one, or write"
            " the steps yourself"
        )
    return {"model": made.options.model, "aspects": made.options.aspects}
