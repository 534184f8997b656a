"""Asks a judge one question about texts, in all ways that a trial wants."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring import metrics
from scoring.judging import desks, spending
from scoring.judging.lab import EXCHANGED, OWN, REWORDED, More, Way
from scoring.judging.reporting import TrialError
from scoring.judging.sampling import question_of
from scoring.metrics import Example, judge_pairs, judge_sizing, judge_variants
from scoring.models import JudgeTrial

if TYPE_CHECKING:
    from scoring.metrics._judge.scorer import EndpointScorer

METRIC = "llm_judge"
LAST_SAMPLE = 32_767  # that a row of a call can name


class Asker:
    """Answers are those of whoever answers the test question of the trial."""

    def __init__(self, trial: JudgeTrial) -> None:
        self.trial, self.options = trial, trial.options
        self.question = question_of(trial.options)
        self.pair_question = str(trial.setup.get("pair_question", ""))
        self.reasons: dict[str, int] = {}  # why there is no answer, and how often
        self._scorers: dict[tuple[str, bool], EndpointScorer] = {}
        self._comparer: judge_pairs.Comparer | None = None

    @property
    def who(self) -> str:
        """Who answers, once somebody has."""
        clients = [one.client for one in self._scorers.values()]
        return str(clients[0].identity) if clients else ""

    @property
    def signature(self) -> str:
        """Of the question as it is, once it was asked."""
        for (prompt, _), scorer in self._scorers.items():
            if prompt == OWN:
                return scorer.signature
        return ""

    def __call__(self, examples: Sequence[Example], way: Way, more: More) -> np.ndarray:
        """Scores, NaN where there is no answer.

        Raises:
            MetricError: If the judge cannot be asked.
            TrialError: If the limit is reached. What was answered is kept.
        """
        found = np.full(len(examples), np.nan)
        for source in (False, True):
            rows = [k for k, one in enumerate(examples) if bool(one.source) == source]
            if rows:
                some = [examples[k] for k in rows]
                found[rows] = self._scores(some, way, more, source=source)
        return found

    def _scores(
        self, examples: Sequence[Example], way: Way, more: More, *, source: bool
    ) -> np.ndarray:
        scorer = self._scorers.get((way.prompt, source))
        if scorer is None:
            asked = options_of(self.options, way, source=source)
            metric: Any = metrics.get(METRIC)(**asked)
            scorer = desks.scorer(metric, self.trial)
            self._scorers[way.prompt, source] = scorer
        check_samples(self.options, way.again)
        scorer.again = way.again
        scores = scorer(examples, more)
        stop_at_the_limit(scorer.client, self.trial)
        key = self.question["key"]
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
            client = desks.client(self.options["model"], self.trial)
            mode, samples = self.options["mode"], self.options["samples"]
            self._comparer = judge_pairs.Comparer(client, mode, samples)
        told = 0

        def progress(done: int) -> None:
            nonlocal told
            more(done - told)
            told = done

        shown = [pair_of(*pair, self.pair_question) for pair in pairs]
        found = self._comparer(shown, progress)
        stop_at_the_limit(self._comparer.client, self.trial)
        both = [(one.as_given, one.turned) for one in found]
        self._count([one.reason for verdicts in both for one in verdicts])
        winners = [[one.winner for one in verdicts] for verdicts in both]
        points = [[one.points for one in verdicts] for verdicts in both]
        # None becomes NaN.
        return _two(winners), _two(points)

    def _count(self, reasons: Sequence[str | None]) -> None:
        for reason in filter(None, reasons):
            self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def notes(self) -> list[str]:
        """Why answers are missing, most frequent first; at most five."""
        ordered = sorted(self.reasons.items(), key=lambda one: -one[1])[:5]
        return [
            f"{n} {'answer is' if n == 1 else 'answers are'} missing: {reason}."
            for reason, n in ordered
        ]


class Sized:
    """In place of an Asker: counts what would be asked, and asks nobody."""

    def __init__(self, options: Mapping[str, Any], pair_question: str = "") -> None:
        self.options, self.question = options, question_of(options)
        self.pair_question = pair_question
        self.size = judge_sizing.Size(0, 0, 0)

    def __call__(self, examples: Sequence[Example], way: Way, more: More) -> np.ndarray:
        for source in (False, True):
            some = [one for one in examples if bool(one.source) == source]
            asked = options_of(self.options, way, source=source)
            made = metrics.get(METRIC)(**asked).options
            more_size = judge_sizing.of_texts(made, some, way.again)
            self.size = judge_sizing.together([self.size, more_size])
        return np.full(len(examples), np.nan)

    def compare(
        self, pairs: Sequence[tuple[Example, Example]], more: More
    ) -> tuple[np.ndarray, np.ndarray]:
        mode, samples = self.options["mode"], self.options["samples"]
        shown = [pair_of(*pair, self.pair_question) for pair in pairs]
        more_size = judge_sizing.of_pairs(shown, mode, samples)
        self.size = judge_sizing.together([self.size, more_size])
        none = np.full((len(pairs), 2), np.nan)
        return none, none


def _two(values: list[list[Any]]) -> np.ndarray:
    return np.array(values, np.float64).reshape(-1, 2)


def options_of(options: Mapping[str, Any], way: Way, *, source: bool) -> dict[str, Any]:
    """The options with the prompt of a way."""
    mode, own = options["mode"], options.get("prompt", "")
    prompts: dict[str, Callable[[], str | None]] = {
        OWN: lambda: own,
        REWORDED: lambda: judge_variants.reworded(mode, source=source),
        EXCHANGED: lambda: judge_variants.ends_exchanged(
            mode, source=source, template=own
        ),
    }
    prompt = prompts[way.prompt]()
    if prompt is None:
        raise TrialError("the prompt names the ends of the scale in its own words")
    return {**options, "prompt": prompt}


def pair_of(first: Example, second: Example, question: str) -> judge_pairs.Pair:
    source = first.source if first.source == second.source else ""
    return judge_pairs.Pair(first.text, second.text, question, source)


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
    if client.out_of_budget:
        raise TrialError(spending.sentence(trial))


def usual(**given: Any) -> dict[str, Any]:
    """All options of the judge, with defaults for those left out."""
    return dataclasses.asdict(metrics.get(METRIC)(**given).options)
