"""The pages of judges: which there are, what they are asked, and what that shows."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.access import get_study_for, page_of
from annotation.models import Study
from evalapp.limits.once import at_most_once
from evalapp.work.views import cancel_view, progress_view, retry_view
from scoring.drawing.files import download_one
from scoring.drawing.sections import with_figures
from scoring.drawing.words import sentence
from scoring.judging import (
    budget,
    estimates,
    pairs,
    steps,
    trial_pages,
    trials,
    usage_report,
)
from scoring.judging.forms.limits import LimitForm, PairsForm, RaiseForm, StepsForm
from scoring.judging.ledger import LimitError
from scoring.judging.trials import TrialError
from scoring.metrics import MetricError, OptionError
from scoring.metrics.judge import prompts
from scoring.models import JudgeTrial

TRIALS_A_PAGE = 20
REFUSED = (LimitError, MetricError, OptionError, TrialError)


@require_safe
def judge_list(request: HttpRequest, name: str) -> HttpResponse:
    study = get_study_for(request.user, name)
    counts = pairs.count_pairs(study=study)
    choices = request.GET if "model" in request.GET else None  # back from the next page
    return _list(request, study, counts, PairsForm(study, counts, choices))


@at_most_once
@require_http_methods(["GET", "HEAD", "POST"])
def pairs_agree(request: HttpRequest, name: str) -> HttpResponse:
    """What would be sent, and who agrees to it. The address carries the choices."""
    study = get_study_for(request.user, name)
    if not request.GET:
        return redirect("judges", name)
    counts = pairs.count_pairs(study=study)
    form = PairsForm(study, counts, request.GET)
    if not form.is_valid():
        return _list(request, study, counts, form, status=400)
    options = form.options()
    try:
        setup = pairs.check(study, form.setup())
        estimate = pairs.estimate(study=study, options=options, setup=setup)
        limit_form = LimitForm(estimate, request.POST or None)
        if limit_form.is_valid():
            chosen = {"options": options, "setup": form.setup(), "user": request.user}
            limit = limit_form.limit()
            return redirect(
                trials.start(study=study, kind="pairs", limit=limit, **chosen)
            )
    except REFUSED as error:
        form.add_error(None, sentence(error))
        return _list(request, study, counts, form, status=400)
    context = {"estimate": estimate, "limit_form": limit_form, "setup": setup}
    context["question"] = prompts.in_general(setup["question"])
    context["choices"] = request.GET.urlencode()
    return render(
        request,
        "scoring/judging/pairs_agree.html",
        {"study": study, "tab": "metrics", "n": len(setup["pairs"]), **context},
        status=400 if limit_form.is_bound else 200,
    )


@require_safe
def trial_page(request: HttpRequest, name: str, trial: int) -> HttpResponse:
    study = get_study_for(request.user, name)
    row = _trial(study, trial)
    context = {
        **_context(row),
        "sections": with_figures(trial_pages.sections(row)),
    }
    return render(request, "scoring/judging/trial.html", context)


@require_POST
def trial_raise(request: HttpRequest, name: str, trial: int) -> HttpResponse:
    """Go on with a trial that stopped at its limit."""
    study = get_study_for(request.user, name)
    row = _trial(study, trial)
    form = RaiseForm(row, request.POST)
    try:
        if form.is_valid():
            budget.raise_trial_limit(trial=row, limit=form.limit(), user=request.user)
        else:
            messages.error(request, form.problems())
    except REFUSED as error:
        messages.error(request, sentence(error))
    return redirect(row)


@require_POST
def trial_steps(request: HttpRequest, name: str, trial: int) -> HttpResponse:
    """Keep steps as somebody edited them, and go on to the options of the judge."""
    study = get_study_for(request.user, name)
    row = get_object_or_404(steps.of_study(study), pk=trial)
    form = StepsForm(row, request.POST)
    if form.is_valid():
        try:
            steps.edit(trial=row, steps=form.steps())
        except OptionError as error:
            form.add_error(None, sentence(error))
        else:
            options = reverse("run_choose", args=[study.name, trials.METRIC])
            return redirect(f"{options}?written={row.pk}")
    context = {**_context(row), "steps_form": form}
    return render(request, "scoring/judging/trial.html", context, status=400)


@require_safe
def trial_table(
    request: HttpRequest, name: str, trial: int, table: str, format: str
) -> HttpResponse:
    study = get_study_for(request.user, name)
    row = _trial(study, trial)
    # Verdicts are a judge's, whether or not people are simulated.
    file_name, tables = f"judge-{row.pk}-{table}", trial_pages.tables(row)
    return download_one(tables, table, study, file_name, format, of_people=True)


def _trial(study: Study, pk: int) -> JudgeTrial:
    trials = JudgeTrial.objects.select_related("study", "created_by")
    return get_object_or_404(trials, study=study, pk=pk)


def _list(
    request: HttpRequest,
    study: Study,
    counts: pairs.Counted,
    form: PairsForm,
    status: int = 200,
) -> HttpResponse:
    rows = study.judge_trials.select_related("study").defer("result", "setup")
    page = page_of(request, rows, TRIALS_A_PAGE)
    configured = estimates.all_endpoints()
    context = {
        "study": study,
        "tab": "metrics",
        "form": form,
        "there": counts,
        "endpoints": configured.known,
        "problems": configured.problems,
        "page": page,
        "rows": [
            (row, trial_pages.KINDS[row.kind].name, trial_pages.judge(row))
            for row in page
        ],
    }
    return render(request, "scoring/judging/judges.html", context, status=status)


def _context(trial: JudgeTrial) -> dict[str, object]:
    is_written = trial.kind == steps.KIND and trial.result
    progress = trials.TRIALS.progress(trial)
    share = progress.done / progress.total if progress.total else 0.0
    spent = usage_report.spent(trial, share=share, now=timezone.now())
    return {
        "study": trial.study,
        "tab": "metrics",
        "trial": trial,
        # The fragment of a run's state shows this, too.
        "run": trial,
        "title": trial_pages.title(trial),
        "judge": trial_pages.judge(trial),
        "spent": spent,
        "raise_form": RaiseForm(trial) if spent.reached else None,
        # The form says what comes of the limit.
        "limit_said": next(
            filter(usage_report.says_so, [trial.error, *trial.notes]), ""
        ),
        "notes": [note for note in trial.notes if not usage_report.says_so(note)],
        "facts": trial_pages.KINDS[trial.kind].facts(trial),
        "progress": progress,
        "votes_as": trial_pages.voter(trial),
        "steps_form": StepsForm(trial) if is_written else None,
        "replaced": steps.replaced(trial) if is_written else [],
        "votes_query": urlencode({"judge": trial_pages.voter(trial)}),
        # Names files that the page saves.
        "analysis": f"judge-{trial.pk}",
    }


def _asked(request: HttpRequest, name: str, trial: int) -> JudgeTrial:
    return _trial(get_study_for(request.user, name), trial)


trial_progress = progress_view(_asked, "scoring/judging/_trial.html", _context)
trial_cancel = cancel_view(trials.TRIALS, _asked)
trial_retry = retry_view(trials.TRIALS, _asked)
