"""Pairs of texts before a judge: which ones, what it says, and what that shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np
from django.db.models import Count, F, QuerySet, Sum
from django.utils.translation import override

from annotation import storable
from annotation.kinds.pairs import drawing as kind
from annotation.models import Aspect, Generation, Study
from annotation.page_kinds import NewPages
from annotation.page_kinds.tables import VoteRow
from annotation.votes import reading
from evalapp import seeds
from evalapp.seeds import OfStudy
from scoring.judging import estimates, ledger, shared_admission
from scoring.judging.estimates import Estimate as Estimation
from scoring.judging.trial_report import Report, TrialError
from scoring.metrics import OptionError
from scoring.metrics.judge import pairwise, prompts, workload
from scoring.models import JudgeTrial
from scoring.scores.examples import examples_of
from scoring.stats import both_orders
from scoring.stats.estimates import Estimate, number

MOST_PAIRS = 5000
USUAL_PAIRS = 200
BLOCK = 10_000  # ids in one query
VERSION = 1
MODES = {
    "answer": "one answer at temperature 0",
    "form": "one answer with its reason, by a schema",
    "samples": "several answers at temperature 1, of which the most frequent counts",
    "logprobs": "the probabilities of the answers, as the server gives them",
}
DRAWN, INTERVALS = 0, 1  # of the seeds

Duel = tuple[int, int]  # ids of two texts, the smaller first


class Verdict(TypedDict):
    """On one pair. The texts are ids, the systems too; None where there is none."""

    prompt: int
    first: int
    second: int
    first_system: int
    second_system: int
    winner: int | None  # with `first` shown first: 1 first, 2 second, 0 tie, as shown
    winner_turned: int | None  # with `second` shown first, as shown
    points: float | None
    points_turned: float | None
    outcome: int | None  # of the pair: 1 = `first` is better
    reason: str
    reason_turned: str
    said: str
    said_turned: str


class Result(TypedDict):
    version: int
    verdicts: list[Verdict]
    inconsistency: dict[str, Any]
    bias: dict[str, Any]
    n_first: int
    n_second: int
    n_half: int
    reasons: dict[str, int]  # why pairs have no verdict, and how often
    out_of_budget: bool


class Possible(NamedTuple):
    """Pairs that a study has."""

    all: list[Duel]
    voted: list[Duel]  # those that people have voted on


class Counted(NamedTuple):
    """How many pairs a study has."""

    all: int
    voted: int


# Which --------------------------------------------------------------------------------


def possible(*, study: Study) -> Possible:
    """Texts of two systems for one prompt, those in dialogues and excluded aside."""
    texts = list(_usable(study).order_by("pk").defer("text"))
    new = NewPages(texts, {text.pk for text in texts})
    # It draws nothing where all are wanted.
    duels = kind.draw(new=new, per_text=None, rng=np.random.default_rng(0))
    every = [_duel(duel.first.pk, duel.second.pk) for duel in duels]
    voted = set(duels_of_votes(study=study, votes=reading.rows(study=study)))
    return Possible(every, [duel for duel in every if duel in voted])


def count_pairs(*, study: Study) -> Counted:
    """How many `possible` would list, without listing them. Five queries at most."""
    places = _usable(study).order_by().values("prompt", "sample")
    sizes = places.annotate(n=Count("pk"))
    twice = sizes.aggregate(all=Sum(F("n") * (F("n") - 1)))["all"] or 0
    return Counted(twice // 2, _n_voted(study))


def _n_voted(study: Study) -> int:
    """Only texts that a vote is about are read."""
    duels = set(
        filter(None, duels_of_votes(study=study, votes=reading.rows(study=study)))
    )
    text_ids = sorted({pk for duel in duels for pk in duel})
    place: dict[int, tuple[int, int]] = {}
    for at in range(0, len(text_ids), BLOCK):
        texts = _usable(study).filter(pk__in=text_ids[at : at + BLOCK])
        for pk, *where in texts.values_list("pk", "prompt_id", "sample"):
            place[pk] = (where[0], where[1])
    return sum(
        place.get(first) is not None and place.get(first) == place.get(second)
        for first, second in duels
    )


def duels_of_votes(*, study: Study, votes: Sequence[VoteRow]) -> list[Duel | None]:
    """The texts of each vote; None where it is not known which ones they were.

    A vote of a file names a prompt and two systems: where a system has several texts
    for the prompt, it is not known.
    """
    at: dict[tuple[int, int], list[int]] = defaultdict(list)
    prompts = {vote.prompt for vote in votes if not vote.texts and vote.prompt}
    texts = study.generations.exclude(system=None).filter(prompt__in=prompts)
    for pk, prompt, system in texts.order_by("pk").values_list(
        "pk", "prompt_id", "system_id"
    ):
        at[prompt, system].append(pk)
    duels: list[Duel | None] = []
    for vote in votes:
        if vote.texts:
            duels.append(_duel(*vote.texts))
            continue
        candidates = [
            at.get((vote.prompt or 0, key), []) for key in (vote.first, vote.second)
        ]
        unique = len(candidates[0]) == len(candidates[1]) == 1
        duels.append(_duel(candidates[0][0], candidates[1][0]) if unique else None)
    return duels


def draw_pairs(*, study: Study, duels: Sequence[Duel], n: int) -> list[Duel]:
    """At most n of them by the study's seed, each two systems about equally often."""
    if n >= len(duels):
        return list(duels)
    systems = dict(study.generations.values_list("pk", "system_id"))
    rng = seeds.rng(study.seed, OfStudy.JUDGED_PAIRS, DRAWN)
    of: dict[frozenset[int | None], list[Duel]] = defaultdict(list)
    for at in rng.permutation(len(duels)):
        first, second = duels[at]
        of[frozenset((systems[first], systems[second]))].append(duels[at])
    taken: list[Duel] = []
    while len(taken) < n:
        for group in of.values():
            if group and len(taken) < n:
                taken.append(group.pop())
    return sorted(taken)


def check(study: Study, setup: Mapping[str, Any]) -> dict[str, Any]:
    """The setup with its pairs: what is sent is what somebody agreed to.

    Args:
        study: Whose texts.
        setup: aspect, the key of a question; n, the most pairs; voted, to take only
            pairs that people have voted on.

    Raises:
        OptionError: Names what is wrong, and what would do.
        TrialError: There is no such pair.
    """
    aspects = {aspect.key: aspect for aspect in study.aspects.all()}
    key = setup.get("aspect")
    if key not in aspects:
        raise OptionError(
            f"aspect={str(key)[:60]}: expected one of: {', '.join(aspects) or 'none'}"
        )
    n = setup.get("n", USUAL_PAIRS)
    if type(n) is not int or not 1 <= n <= MOST_PAIRS:
        raise OptionError(f"n={str(n)[:60]}: expected a number from 1 to {MOST_PAIRS}")
    question = question_text(study, aspects[key])
    if problems := prompts.problems(question):
        raise OptionError(f"aspect={key}: {'; '.join(problems)}")
    possible_pairs = possible(study=study)
    duels = possible_pairs.voted if setup.get("voted") else possible_pairs.all
    if not duels:
        raise TrialError(_why_none(study, possible_pairs))
    return {
        "aspect": key,
        "title": aspects[key].title,
        "question": question,
        "voted": bool(setup.get("voted")),
        "n_possible": len(duels),
        "pairs": [list(duel) for duel in draw_pairs(study=study, duels=duels, n=n)],
    }


def question_text(study: Study, aspect: Aspect) -> str:
    """The question on two texts, as people are asked it; {label} is theirs."""
    with override(study.language):
        return aspect.asked_of_pair("{label}")


def _why_none(study: Study, possible_pairs: Possible) -> str:
    if possible_pairs.all:
        return (
            "people have voted on no pair whose two texts are known: compare all pairs"
            " instead"
        )
    return (
        f"the study {study.name} has no pairs: no two systems have texts for the same"
        " prompt"
    )


def _usable(study: Study) -> QuerySet[Generation]:
    return study.generations.filter(
        dialogue=None, excluded_at=None, system__isnull=False
    )


def _duel(first: int, second: int) -> Duel:
    return min(first, second), max(first, second)


# Asking -------------------------------------------------------------------------------


def build_pairs(
    *, study: Study, setup: Mapping[str, Any]
) -> tuple[list[tuple[Generation, Generation]], list[pairwise.Pair]]:
    """The texts of the pairs, and what the judge sees of them. Five queries.

    Texts that were deleted or excluded meanwhile are left out, with their pairs.
    """
    text_ids = {pk for duel in setup["pairs"] for pk in duel}
    rows = _usable(study).select_related("prompt__label")
    rows = rows.prefetch_related("prompt__references").filter(pk__in=text_ids)
    texts = {text.pk: text for text in rows}
    examples = dict(zip(texts, examples_of(list(texts.values())), strict=True))
    aspect = study.aspects.filter(key=setup["aspect"]).first()
    if aspect is None:
        raise TrialError(f"the question {setup['title']} was deleted: start another")
    question = question_text(study, aspect)
    generations = [
        (texts[first], texts[second])
        for first, second in setup["pairs"]
        if first in texts and second in texts
    ]
    pairs = [
        pairwise.Pair(examples[first.pk], examples[second.pk], question)
        for first, second in generations
    ]
    return generations, pairs


def estimate(
    *, study: Study, options: Mapping[str, Any], setup: Mapping[str, Any]
) -> Estimation:
    """What the trial would take.

    Args:
        study: Whose texts.
        options: Of the judge: model, mode, samples.
        setup: As `check` gives it.

    Raises:
        MetricError, OptionError: As `estimating.estimate`.
    """
    generations, pairs = build_pairs(study=study, setup=setup)
    size = workload.of_pairs(pairs, options["mode"], options["samples"])
    n_texts = len({text.pk for duel in generations for text in duel})
    return estimates.estimate(
        model=options["model"], size=size, study=study, texts=n_texts
    )


def run(trial: JudgeTrial, report: Report) -> dict[str, Any]:
    """Show every pair to the judge in both orders.

    Raises:
        MetricError: The judge cannot be asked.
        TrialError: Nothing is left to be asked about.
    """
    generations, pairs = build_pairs(study=trial.study, setup=trial.setup)
    if not pairs:
        raise TrialError("the texts of all pairs were deleted or excluded")
    options = trial.options
    client = shared_admission.client(options["model"], trial)
    comparer = pairwise.Comparer(client, options["mode"], options["samples"])
    report(0, len(pairs))
    comparisons = comparer(pairs, lambda done: report(done, len(pairs)))
    trial.signature = pairwise.signature(
        client,
        mode=options["mode"],
        samples=options["samples"],
        question=trial.setup["question"],
    )
    report.renew(at_once=True, done_items=len(pairs), total_items=len(pairs))
    verdicts = [_verdict(*each) for each in zip(generations, comparisons, strict=True)]
    trial.notes = _notes(trial, client, len(pairs), verdicts)
    return dict(
        summary(trial.study, verdicts, out_of_budget=bool(client.limit_reached))
    )


def _verdict(
    generations: tuple[Generation, Generation], comparison: pairwise.Compared
) -> Verdict:
    first, second = generations
    here, turned = comparison.as_given, comparison.turned
    assert first.system_id and second.system_id  # as `possible` takes them
    return {
        "prompt": first.prompt_id,
        "first": first.pk,
        "second": second.pk,
        "first_system": first.system_id,
        "second_system": second.system_id,
        "winner": here.winner,
        "winner_turned": turned.winner,
        "points": _number(here.points),
        "points_turned": _number(turned.points),
        "outcome": comparison.outcome,
        "reason": here.reason,
        "reason_turned": turned.reason,
        "said": storable.cleaned(here.said),
        "said_turned": storable.cleaned(turned.said),
    }


def _number(value: float) -> float | None:
    """JSON has no NaN."""
    return None if np.isnan(value) else value


def summary(
    study: Study, verdicts: Sequence[Verdict], *, out_of_budget: bool = False
) -> Result:
    """What the verdicts show."""
    winners = [(verdict["winner"], verdict["winner_turned"]) for verdict in verdicts]
    points = [(verdict["points"], verdict["points_turned"]) for verdict in verdicts]
    compared = both_orders.compare(
        np.array(winners, np.float64).reshape(-1, 2),  # None becomes NaN
        np.array(points, np.float64).reshape(-1, 2),
        np.array([verdict["prompt"] for verdict in verdicts]),
    )
    reasons: dict[str, int] = defaultdict(int)
    for verdict in verdicts:
        if why := verdict["reason"] or verdict["reason_turned"]:
            reasons[why] += 1
    return {
        "version": VERSION,
        "verdicts": list(verdicts),
        "inconsistency": _plain(compared.inconsistency),
        "bias": _plain(compared.bias),
        "n_first": compared.n_first,
        "n_second": compared.n_second,
        "n_half": compared.n_half,
        "reasons": dict(reasons),
        "out_of_budget": out_of_budget,
    }


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {k: v for k, v in number(estimate).items() if k != "signature"}


def _notes(
    trial: JudgeTrial, client: Any, n: int, verdicts: Sequence[Verdict]
) -> list[str]:
    notes = list(client.notes)
    if gone := len(trial.setup["pairs"]) - n:
        notes.append(
            f"{gone} {'pair was' if gone == 1 else 'pairs were'} left out: a text was"
            " deleted or excluded after you agreed."
        )
    if client.limit_reached:
        left = sum(verdict["outcome"] is None for verdict in verdicts)
        have = "has" if left == 1 else "have"
        note = f"{left} of {n} pairs {have} no verdict"
        notes.append(ledger.sentence(trial, client.limit_reached, note))
    return notes
