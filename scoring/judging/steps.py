"""Evaluation steps that a judge writes once: asked for, read, edited, given to runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from annotation import storable
from annotation.models import Study
from scoring.judging import estimates, shared_admission
from scoring.judging.estimates import Estimate
from scoring.judging.trial_judge import stop_at_the_limit
from scoring.judging.trial_report import Report
from scoring.metrics.judge import prompts, rubric, workload
from scoring.metrics.judge import steps as judge_steps
from scoring.metrics.judge.questions import parse_questions
from scoring.models import JudgeTrial

KIND = JudgeTrial.Kind.STEPS
LONGEST = rubric.LONGEST_STEPS  # characters, of one question
SENT = "questions"  # no text is


def estimate(options: Mapping[str, Any], study: Study) -> Estimate:
    """What writing them takes.

    Raises:
        MetricError, OptionError: The judge is not set up, or the questions will not do.
    """
    requests = [judge_steps.request(question) for question in questions(options)]
    size = workload.of_requests(requests)
    return estimates.estimate(
        model=str(options["model"]), size=size, study=study, sends=SENT
    )


def run(trial: JudgeTrial, report: Report) -> dict[str, Any]:
    """One of trials.KINDS: steps for each question.

    Raises:
        MetricError: If the judge cannot be asked, or writes no steps for a question.
        TrialError: If the limit is reached.
    """
    all_questions = questions(trial.options)
    client = shared_admission.client(trial.options["model"], trial)
    answers = judge_steps.all_written(
        client, all_questions, lambda done: report(done, len(all_questions))
    )
    stop_at_the_limit(client, trial)
    steps = {
        question.key: storable.cleaned(
            judge_steps.said(question, answers[question.key])
        )[:LONGEST]
        for question in all_questions
    }
    report.renew(
        at_once=True, done_items=len(all_questions), total_items=len(all_questions)
    )
    return {"steps": steps, "answered": str(client.identity)}


def questions(options: Mapping[str, Any]) -> tuple[Any, ...]:
    """What is asked about texts, and needs steps."""
    return parse_questions(str(options["aspects"]))


def of_study(study: Study) -> QuerySet[JudgeTrial]:
    """Trials that wrote steps for a study."""
    done = study.judge_trials.filter(kind=KIND, state=JudgeTrial.State.DONE)
    return done.select_related("study")


def current(trial: JudgeTrial) -> dict[str, str]:
    """By question: as they were edited, or else as the judge wrote them.

    In the order in which the questions are asked: PostgreSQL keeps another.
    """
    texts = trial.result.get("edited") or trial.result["steps"]
    return {question.key: texts[question.key] for question in questions(trial.options)}


def replaced(trial: JudgeTrial) -> list[tuple[str, str]]:
    """Questions whose steps somebody has changed, with those that the judge wrote."""
    texts = current(trial)
    return [
        (prompts.in_general(question.question), trial.result["steps"][question.key])
        for question in questions(trial.options)
        if trial.result["steps"][question.key] != texts[question.key]
    ]


def as_option(trial: JudgeTrial) -> str:
    """As the option `steps` of the judge takes them."""
    return rubric.written(current(trial))


def edit(*, trial: JudgeTrial, steps: Mapping[str, str]) -> None:
    """Keep somebody's own words beside those of the judge.

    Raises:
        OptionError: They will not do as the option; says why.
    """
    rubric.steps(rubric.written(steps), questions(trial.options))
    trial.result = {**trial.result, "edited": dict(steps)}
    trial.save(update_fields=["result"])


def facts(trial: JudgeTrial) -> list[tuple[str, str]]:
    """What was asked."""
    question_words = " ".join(
        prompts.in_general(question.question) for question in questions(trial.options)
    )
    rows = [("Questions", question_words)]
    if trial.result:
        rows.append(("Answered by", trial.result["answered"]))
    return rows
