"""Asks a judge one question about texts, in all ways that a trial wants."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring import metrics
from scoring.judging import ledger, shared_admission
from scoring.judging.stress_test import EXCHANGED, OWN, REWORDED, More, Way
from scoring.judging.text_sample import question_of
from scoring.judging.trial_report import TrialError
from scoring.metrics import Example, output_key
from scoring.metrics.judge import pairwise, variants, workload
from scoring.models import JudgeTrial

if TYPE_CHECKING:
    from scoring.metrics.judge.marking_scorer import MarkingScorer
    from scoring.metrics.judge.scorer import EndpointScorer

METRIC = "llm_judge"
LAST_SAMPLE = 32_767  # that a row of a call can name


class TrialJudge:
    """Answers are those of whoever answers the test question of the trial."""

    def __init__(self, trial: JudgeTrial) -> None:
        self.trial, self.options = trial, trial.options
        self.question = question_of(trial.options)
        self.pair_question = str(trial.setup.get("pair_question", ""))
        self.reasons: dict[str, int] = {}  # why there is no answer, and how often
        self._said: dict[str, None] = {}  # by the clients, each once
        self._scorers: dict[str, EndpointScorer | MarkingScorer] = {}
        self._comparer: pairwise.Comparer | None = None

    @property
    def who(self) -> str:
        """Who answers, once somebody has."""
        clients = [scorer.client for scorer in self._scorers.values()]
        return str(clients[0].identity) if clients else ""

    @property
    def signature(self) -> str:
        """Of the question as it is, once it was asked."""
        return self._scorers[OWN].signature if OWN in self._scorers else ""

    def __call__(self, examples: Sequence[Example], way: Way, more: More) -> np.ndarray:
        """Scores, NaN where there is no answer.

        Raises:
            MetricError: If the judge cannot be asked.
            TrialError: If the limit is reached. What was answered is kept.
        """
        if not examples:
            return np.empty(0)
        scorer = self._scorers.get(way.prompt)
        if scorer is None:
            metric: Any = metrics.get(METRIC)(**options_of(self.options, way))
            scorer = self._scorers[way.prompt] = shared_admission.scorer(
                metric, self.trial
            )
        check_samples(self.options, way.again)
        scorer.again = way.again
        scores = scorer(examples, more)
        stop_at_the_limit(scorer.client, self.trial)
        self._said |= dict.fromkeys(scores.notes)
        key = output_key(self.question["key"])
        self._count(scores.reasons[key])
        return np.asarray(scores.values[key], np.float64)

    def compare(
        self, pairs: Sequence[tuple[Example, Example]], more: More
    ) -> tuple[np.ndarray, np.ndarray]:
        """Verdicts and points in both orders, NaN where there is none.

        Raises:
            As asking about single texts.
        """
        if self._comparer is None:
            client = shared_admission.client(self.options["model"], self.trial)
            mode, samples = self.options["mode"], self.options["samples"]
            self._comparer = pairwise.Comparer(client, mode, samples)
        reported = 0

        def progress(done: int) -> None:
            nonlocal reported
            more(done - reported)
            reported = done

        text_pairs = [pairwise.Pair(*pair, self.pair_question) for pair in pairs]
        comparisons = self._comparer(text_pairs, progress)
        stop_at_the_limit(self._comparer.client, self.trial)
        self._said |= dict.fromkeys(self._comparer.client.notes)
        orders = [(each.as_given, each.turned) for each in comparisons]
        self._count([each.reason for verdicts in orders for each in verdicts])
        winners = [[each.winner for each in verdicts] for verdicts in orders]
        points = [[each.points for each in verdicts] for verdicts in orders]
        # None becomes NaN.
        return _two(winners), _two(points)

    def _count(self, reasons: Sequence[str | None]) -> None:
        for reason in filter(None, reasons):
            self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def notes(self) -> list[str]:
        """What clients say, and why answers are missing: the five most frequent."""
        ordered = sorted(self.reasons.items(), key=lambda entry: -entry[1])[:5]
        why = [
            f"{n} {'answer is' if n == 1 else 'answers are'} missing: {reason}."
            for reason, n in ordered
        ]
        return [*self._said, *why]


class Sized:
    """In place of an Asker: counts what would be asked, and asks nobody."""

    def __init__(self, options: Mapping[str, Any], pair_question: str = "") -> None:
        self.options, self.question = options, question_of(options)
        self.pair_question = pair_question
        self.size = workload.Size(0, 0, 0)

    def __call__(self, examples: Sequence[Example], way: Way, more: More) -> np.ndarray:
        options = metrics.get(METRIC)(**options_of(self.options, way)).options
        more_size = workload.of_texts(options, examples, way.again)
        self.size = workload.together([self.size, more_size])
        return np.full(len(examples), np.nan)

    def compare(
        self, pairs: Sequence[tuple[Example, Example]], more: More
    ) -> tuple[np.ndarray, np.ndarray]:
        mode, samples = self.options["mode"], self.options["samples"]
        text_pairs = [pairwise.Pair(*pair, self.pair_question) for pair in pairs]
        more_size = workload.of_pairs(text_pairs, mode, samples)
        self.size = workload.together([self.size, more_size])
        none = np.full((len(pairs), 2), np.nan)
        return none, none


def _two(values: list[list[Any]]) -> np.ndarray:
    return np.array(values, np.float64).reshape(-1, 2)


def options_of(options: Mapping[str, Any], way: Way) -> dict[str, Any]:
    """The options with the prompt of a way."""
    mode, own_prompt = options["mode"], options.get("prompt", "")
    prompts: dict[str, Callable[[], str | None]] = {
        OWN: lambda: own_prompt,
        REWORDED: lambda: variants.reworded(mode),
        EXCHANGED: lambda: variants.ends_exchanged(mode, own_prompt),
    }
    prompt = prompts[way.prompt]()
    if prompt is None:
        raise TrialError("the prompt names the ends of the scale in its own words")
    return {**options, "prompt": prompt}


def check_samples(options: Mapping[str, Any], again: int) -> None:
    """Each asking has answers of its own, with numbers of their own.

    Raises:
        TrialError: There are no numbers left.
    """
    each = options["samples"] if options["mode"] == "samples" else 1
    if (again + 1) * each > LAST_SAMPLE:
        raise TrialError(
            f"the judge was asked {again} times before, which is as often as EvalApp"
            " can tell apart: use another endpoint name for it"
        )


def stop_at_the_limit(client: Any, trial: JudgeTrial) -> None:
    """End a trial with a question that could not be asked.

    Raises:
        TrialError: The limit was reached. The answers so far are kept.
    """
    if client.limit_reached:
        raise TrialError(ledger.sentence(trial, client.limit_reached))


def with_defaults(**options: Any) -> dict[str, Any]:
    """All options of the judge, with defaults for those left out.

    Raises:
        OptionError: They do not go together.
    """
    metric = metrics.get(METRIC)(**options)
    metric.check()
    return dataclasses.asdict(metric.options)
