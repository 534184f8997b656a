"""What a judge over the network answered about one text, attempt by attempt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation import storable
from annotation.models import Generation
from scoring import metrics
from scoring.endpoints import call_records as records
from scoring.judging import identities
from scoring.judging.identities import UNNAMED, Judge
from scoring.metrics import Example, MetricError, OptionError, UnknownMetric
from scoring.metrics.judge import prompts, stored_answers
from scoring.models import JudgeCall, MetricRun, Signature
from scoring.scores.examples import example_of


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call, and what its answer says."""

    call: JudgeCall
    heard: stored_answers.Heard
    elsewhere: bool  # whether another run made the call, and its answer was used again


class Answers(NamedTuple):
    """To one question about the text, by number of the answer and attempt."""

    title: str
    question: str
    attempts: list[Attempt]

    @property
    def valid(self) -> list[Attempt]:
        return [one for one in self.attempts if not one.call.problem]

    @property
    def reasons(self) -> list[Attempt]:
        """Those in which the judge says why."""
        return [one for one in self.valid if one.heard.said]


def answers(
    *, generation: Generation, signature: Signature, run: MetricRun | None
) -> list[Answers]:
    """By question; none where the signature asked nobody over the network.

    Calls do not name their texts: what would be asked about this one is written again,
    and the calls that asked the same are found by their key. A handful of queries.
    """
    judge = identities.judge_of(signature)
    options = _options(run) if judge and run else None
    if judge is None or options is None:
        return []
    example = example_of(generation)
    asked = stored_answers.asked(options, example)
    own = signature.runs.filter(study=generation.study_id)
    runs = set(own.values_list("pk", flat=True))
    written = _test_questions(runs)
    keys = {
        key: place
        for place, one in enumerate(asked)
        for key in _keys(judge, one, written)
    }
    found: list[list[Attempt]] = [[] for _ in asked]
    calls = JudgeCall.objects.filter(key__in=keys)
    for call in calls.order_by("sample", "pk"):
        # Of other runs only answers were used again, never what went wrong.
        elsewhere = call.run_id not in runs
        if elsewhere and (call.status != 200 or not _may_count(call, judge)):
            continue
        place = keys[call.key]
        heard = _heard(call.answer, asked[place].question, options.mode)
        found[place].append(Attempt(call, heard, elsewhere))
    return [
        Answers(_title(one.question.key), _asked_of(one, example), attempts)
        for one, attempts in zip(asked, found, strict=True)
        if attempts
    ]


def _asked_of(asked: stored_answers.Asked, example: Example) -> str:
    return prompts.of_text(asked.question.question, example)


def _heard(answer: str, question: Any, mode: str) -> stored_answers.Heard:
    """Without half characters, which JSON can write, and no page can be made of."""
    heard = stored_answers.heard(answer, question, mode)
    return heard._replace(
        said=storable.cleaned(heard.said),
        content=storable.cleaned(heard.content),
        thought=storable.cleaned(heard.thought),
    )


def _options(run: MetricRun) -> Any:
    """As the metric takes them now; None where it does not any more."""
    try:
        return metrics.get(run.metric)(**run.options).options
    except (OptionError, MetricError, UnknownMetric):
        return None


def _may_count(call: JudgeCall, judge: Judge) -> bool:
    """Whether an answer is by the model whose scores these are, if it is one alone."""
    name = call.model_answered or UNNAMED
    named = f"{name} ({call.fingerprint})" if call.fingerprint else name
    return judge.answered in ("", named)


def _test_questions(runs: set[int]) -> set[str]:
    """The parameters in which servers took them. They had those of the others."""
    tests = JudgeCall.objects.filter(run__in=runs, sample=0, status=200)
    return set(tests.order_by().values_list("parameters", flat=True))


def _keys(
    judge: Judge, asked: stored_answers.Asked, written: Iterable[str]
) -> list[str]:
    """As EvalApp asks it, and as the servers took it."""
    own = asked.request
    ways = [own.written, *(own.in_the_way_of(one).written for one in written)]
    return [
        records.key(judge.endpoint, judge.model, own.prompt_hash, way, sample)
        for way in dict.fromkeys(ways)
        for sample in asked.samples
    ]


def _title(key: str) -> str:
    return key.replace("-", " ").replace("_", " ").capitalize()
