"""Anchors: rated texts that are frozen once, and that a judge is asked about again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from django.db.models import QuerySet

from annotation.models import Study
from evalapp import seeds
from evalapp.seeds import OfStudy
from scoring.judging import drift_wording, estimates, text_sample
from scoring.judging.estimates import Estimate
from scoring.judging.stress_test import Way
from scoring.judging.trial_judge import Sized, TrialJudge
from scoring.judging.trial_report import Report, TrialError
from scoring.metrics import OptionError
from scoring.models import AnchorSet, JudgeTrial
from scoring.scores import versions
from scoring.stats import anchors as stats

FEWEST, USUAL, MOST = 20, 200, 1000  # texts
MOST_LOOKS = 200
KIND = JudgeTrial.Kind.ANCHORS
# Answers of runs and of the stress lab have the numbers before.
FIRST_AGAIN = 2


class AnchorRound(NamedTuple):
    """An asking that ended well."""

    trial: JudgeTrial
    mean: float | None  # of the judge's scores
    n: int  # answers
    look: stats.Look | None  # against the first; None: it is the first, or too late


# Choosing -----------------------------------------------------------------------------


def draw_anchors(study: Study, question: str, n: int) -> list[dict[str, Any]]:
    """About n texts to freeze, rated ones first, drawn by the study's seed.

    Raises:
        OptionError: Names what will not do.
        TrialError: The study has too few texts.
    """
    question_keys = {row["key"] for row in text_sample.questions(study)}
    if question not in question_keys:
        raise OptionError(
            f"question={question[:60]}: expected one of {sorted(question_keys)}"
        )
    if not FEWEST <= n <= MOST:
        raise OptionError(f"texts={n}: expected {FEWEST} to {MOST}")
    prompts = text_sample.candidates(study, question)
    if len(prompts) < FEWEST:
        raise TrialError(
            f"anchors need {FEWEST} texts that the question is about; the study has"
            f" {len(prompts)}"
        )
    human = text_sample.means(study, question, list(prompts))
    rng = seeds.rng(study.seed, OfStudy.ANCHORS, study.anchor_sets.count())
    ids = text_sample.sample(prompts, n, rng, first=human.keys())
    samples = text_sample.read(ids)
    return [
        {
            "id": pk,
            "digest": text_sample.digest(example),
            "prompt": text.prompt_id,
            "human": human.get(pk),
        }
        for pk, (text, example) in samples.items()
    ]


def estimate(options: Mapping[str, Any], texts: list[dict[str, Any]]) -> Estimate:
    """What one asking takes.

    Raises:
        MetricError, OptionError: The judge is not set up.
    """
    sized = Sized(options)
    samples = text_sample.read([text["id"] for text in texts])
    sized([example for _, example in samples.values()], Way(), lambda n: None)
    model = str(options["model"])
    size = sized.size._replace(fresh=True)  # each round has answers of its own
    return estimates.estimate(model=model, size=size, texts=len(samples))


# Asking -------------------------------------------------------------------------------


def run(trial: JudgeTrial, report: Report) -> dict[str, Any]:
    """One of trials.KINDS: one asking.

    Raises:
        MetricError: If the judge cannot be asked.
        TrialError: If the limit is reached, or the set is gone.
    """
    held = AnchorSet.objects.filter(pk=trial.setup["anchors"]).first()
    if held is None:
        raise TrialError("these anchors are gone: choose new ones")
    samples = text_sample.read([item["id"] for item in held.texts])
    same = [
        k
        for k, item in enumerate(held.texts)
        if item["id"] in samples
        and text_sample.digest(samples[item["id"]][1]) == item["digest"]
    ]
    asker, scores = TrialJudge(trial), np.full(len(held.texts), np.nan)
    done = 0

    def more(n: int) -> None:
        nonlocal done
        done += n
        report(done, len(same))

    examples = [samples[held.texts[k]["id"]][1] for k in same]
    scores[same] = asker(examples, Way(again=FIRST_AGAIN + _round(trial)), more)
    report.renew(at_once=True, done_items=len(same), total_items=len(same))
    trial.signature, trial.notes = asker.signature, asker.notes()
    _mark(held, scores, report)
    return {
        "scores": [None if np.isnan(item) else item for item in scores.tolist()],
        "gone": len(held.texts) - len(same),
        "answered": asker.who,
    }


def _mark(held: AnchorSet, now: np.ndarray, report: Report) -> None:
    """Keep the sentence for pages with scores, which must not compare all askings."""
    done = _done(askings(held))
    scores = [*(_array(row.result["scores"]) for row in done), now]
    times = [*(row.finished_at for row in done), report.clock()]
    looks = list(zip(times, _looks(held, scores), strict=True))
    AnchorSet.objects.filter(pk=held.pk).update(mark=drift_wording.mark(looks))


def next_round(model: str) -> int:
    """For an asking that is about to be queued: no other of this judge has it.

    Of any anchors and studies, as answers are kept for all of them. Askings from before
    rounds were stored have had those below their number.
    """
    setups = list(_of_judge(model).values_list("setup", flat=True))
    stored = [int(setup["round"]) + 1 for setup in setups if "round" in setup]
    return max([len(setups), *stored])


def _round(trial: JudgeTrial) -> int:
    """Stored, as counting gives a smaller one once another study is deleted."""
    if (stored := trial.setup.get("round")) is not None:
        return int(stored)
    return _of_judge(trial.options["model"]).filter(pk__lt=trial.pk).count()


def _of_judge(model: str) -> QuerySet[JudgeTrial]:
    return JudgeTrial.objects.filter(kind=KIND, options__model=model)


def check_can_go_on(trial: JudgeTrial) -> AnchorSet:
    """The set of an asking that is to be queued again, locked until it is.

    The first asking is what all later ones are compared with, so none is done late.

    Raises:
        TrialError: The set has ended, or was asked about again since.
    """
    sets = AnchorSet.objects.select_for_update()
    held = sets.filter(pk=trial.setup.get("anchors"), ended_at=None).first()
    if held is None:
        raise TrialError("these anchors have ended: choose new ones to continue")
    rows = askings(held)
    check_words(rows)
    if rows[-1].pk != trial.pk:
        raise TrialError(
            "a later round has started: ask again on the page of these anchors"
        )
    return held


def check_words(rows: list[JudgeTrial]) -> None:
    """Answers to other words say nothing about whether the judge has changed.

    Raises:
        TrialError: An earlier version of EvalApp asked about the anchors.
    """
    if any(versions.old(row.signature) for row in rows):
        raise TrialError(
            "EvalApp has asked judges in other words since these anchors were chosen,"
            " so new answers cannot be compared: choose new ones"
        )


# Telling ------------------------------------------------------------------------------


def askings(anchors: AnchorSet) -> list[JudgeTrial]:
    """Of a set, oldest first."""
    rows = JudgeTrial.objects.filter(kind=KIND, study_id=anchors.study_id)
    return list(rows.filter(setup__anchors=anchors.pk).order_by("pk"))


def history(anchors: AnchorSet) -> list[AnchorRound]:
    """Each asking that ended well, and what it says against the first."""
    done = _done(askings(anchors))
    scores = [_array(row.result["scores"]) for row in done]
    rounds = []
    looks = _looks(anchors, scores)
    for row, now, look in zip(done, scores, looks, strict=True):
        differences = now[~np.isnan(now)]
        mean = float(differences.mean()) if len(differences) else None
        rounds.append(AnchorRound(row, mean, len(differences), look))
    return rounds


def _done(rows: list[JudgeTrial]) -> list[JudgeTrial]:
    return [row for row in rows if row.state == row.State.DONE]


def _looks(anchors: AnchorSet, scores: list[np.ndarray]) -> list[stats.Look | None]:
    """Each asking against the first; None for the first, and beyond those planned."""
    human = _array(text["human"] for text in anchors.texts)
    units = np.array([text["prompt"] for text in anchors.texts])
    n = anchors.looks
    return [
        stats.look(scores[0], now, human, units, looks=n) if 0 < k <= n else None
        for k, now in enumerate(scores)
    ]


def drifts_in(study: Study) -> dict[str, str]:
    """What pages say of each judge of a study that has changed, by its model.

    By the newest anchors of the judge, as of their last asking. One query.
    """
    rows = AnchorSet.objects.filter(study=study).order_by("pk")
    newest = dict(rows.values_list("options__model", "mark"))
    return {model: mark for model, mark in newest.items() if mark}


def _array(values: Any) -> np.ndarray:
    return np.array(
        [np.nan if value is None else value for value in values], np.float64
    )
