"""Before a judge over the network is asked: what that takes, and who agrees to it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from annotation.models import Study
from scoring.judging import estimates
from scoring.judging.estimates import Estimate
from scoring.judging.forms.limits import LimitForm
from scoring.judging.ledger import Limit
from scoring.metrics import OptionError, UnknownMetric
from scoring.models import Corpus, MetricRun
from scoring.runs import negatives, starting
from scoring.runs.battery import Choice
from scoring.runs.starting import RunError
from scoring.scores import models_here
from scoring.scores.options import in_words, unusual, used

AGREE, BACK, LIMIT = "agree", "back", "limit-"  # names of fields of the page


@dataclass(frozen=True, slots=True)
class Wish:
    """One run that is to start."""

    options: dict[str, object]
    corpus: Corpus | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What people are asked about a run that sends texts to a judge."""

    words: dict[str, str]  # its options
    estimate: Estimate
    limit_form: LimitForm


def questions(
    *, study: Study, metric: str, wishes: Sequence[Wish], data: QueryDict
) -> list[Question | None]:
    """One for each wish that asks a judge over the network, None for the others.

    Raises:
        OptionError, RunError: Of the first wish. The others tell theirs when they are
            started.
    """
    found = []
    for number, wish in enumerate(wishes):
        try:
            found.append(_question(study, metric, wish, number, data))
        except (OptionError, RunError):
            if not number:
                raise
            found.append(None)
    return found


def limits(asked: Sequence[Question | None]) -> list[Limit | None] | None:
    """What was agreed to, in the order of the wishes; None while something is open."""
    if not all(one.limit_form.is_valid() for one in asked if one):
        return None
    return [one.limit_form.limit() if one else None for one in asked]


def page(
    request: HttpRequest,
    study: Study,
    choice: Choice | None,
    asked: Sequence[Question | None],
) -> HttpResponse:
    """The page that asks. It carries the whole form with it; of no choice, negatives
    are scored."""
    shown = [one for one in asked if one]
    answered = any(one.limit_form.is_bound for one in shown)
    context = {
        "study": study,
        "tab": "metrics",
        "choice": choice,
        "questions": shown,
        "n": len(asked),
        "carried": carried(request.POST),
    }
    status = 400 if answered else 200
    return render(request, "scoring/runs/agree.html", context, status=status)


def of_negatives(*, study: Study, data: QueryDict) -> tuple[list[Question], list[int]]:
    """Of the judges over the network that have scored texts, and lack negatives.

    Returns:
        What is asked, and the keys of the signatures. One that cannot be asked any
        more is left out: it tells why when it is started.
    """
    found, keys = [], []
    for number, metric in enumerate(negatives.metrics(study=study)):
        wish = Wish(metric.options)
        on = MetricRun.On.NEGATIVES
        if not metric.wanted:
            continue
        with suppress(OptionError, RunError, UnknownMetric):
            name = metric.signature.metric
            if one := _question(study, name, wish, number, data, on=on):
                found.append(one)
                keys.append(metric.signature.pk)
    return found, keys


def _question(
    study: Study,
    metric: str,
    wish: Wish,
    number: int,
    data: QueryDict,
    on: str = MetricRun.On.TEXTS,
) -> Question | None:
    made = starting.prepared(study=study, metric=metric, options=wish.options)
    if not estimates.is_endpoint(made.options):
        return None
    models_here.check(type(made).Options, vars(made.options))
    words = in_words(metric, used(metric, unusual(metric, vars(made.options))))
    estimate = starting.estimated(study=study, metric=made, on=on)
    answers = data if AGREE in data else None
    return Question(
        words, estimate, LimitForm(estimate, answers, prefix=f"{LIMIT}{number}")
    )


def carried(data: QueryDict) -> list[tuple[str, str]]:
    own = ("csrfmiddlewaretoken", AGREE, BACK)
    return [
        (name, value)
        for name, values in data.lists()
        if name not in own and not name.startswith(LIMIT)
        for value in values
    ]
