"""The stress lab on a study: which texts it takes, what it costs, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from annotation.models import Study
from evalapp import seeds
from evalapp.seeds import OfStudy
from scoring.judging import estimates, pairs, stress_test, text_sample
from scoring.judging.estimates import Estimate
from scoring.judging.stress_test import Setting, StressTest, Subject
from scoring.judging.trial_judge import Sized, TrialJudge
from scoring.judging.trial_report import Report, TrialError
from scoring.metrics import OptionError
from scoring.metrics.judge import variants
from scoring.models import JudgeTrial

FEWEST, USUAL, MOST = 10, 40, 500  # texts


def validate_setup(study: Study, setup: Mapping[str, Any]) -> dict[str, Any]:
    """The setup with its texts, drawn by the study's seed.

    Args:
        study: Whose texts.
        setup: `question`, the key of an aspect; `texts`, how many; `experiments`, some
            of lab.EXPERIMENTS; `family`, names of systems.

    Raises:
        OptionError: Names what will not do.
        TrialError: The study has too few texts.
    """
    question_keys = {row["key"] for row in text_sample.questions(study)}
    question, n = setup.get("question"), setup.get("texts", USUAL)
    if question not in question_keys:
        raise OptionError(
            f"question={question}: expected one of {sorted(question_keys)}"
        )
    if not isinstance(n, int) or not FEWEST <= n <= MOST:
        raise OptionError(f"texts={n}: expected {FEWEST} to {MOST}")
    experiments = list(setup.get("experiments", stress_test.EXPERIMENTS))
    if unknown := sorted(set(experiments) - set(stress_test.EXPERIMENTS)):
        raise OptionError(f"experiments: there is no {unknown[0]!r:.60}")
    family = list(setup.get("family", ()))
    names = set(study.systems.values_list("name", flat=True))
    if unknown := sorted(set(family) - names):
        raise OptionError(f"family: the study has no system {unknown[0]!r:.60}")
    prompts = text_sample.candidates(study, str(question))
    if len(prompts) < FEWEST:
        raise TrialError(
            f"the stress lab needs {FEWEST} texts that the question is about; the study"
            f" has {len(prompts)}"
        )
    rng = seeds.rng(study.seed, OfStudy.STRESS, 0)
    return {
        "question": question,
        "pair_question": pairs.question_text(study, study.aspects.get(key=question)),
        "texts": n,
        "experiments": [
            experiment
            for experiment in stress_test.EXPERIMENTS
            if experiment in experiments
        ],
        "family": family,
        "ids": text_sample.sample(prompts, n, rng),
        "seed": seeds.child(study.seed, OfStudy.STRESS, 0),
    }


def estimate(
    study: Study, options: Mapping[str, Any], setup: Mapping[str, Any]
) -> Estimate:
    """What a lab takes, counted on the very texts that it would send.

    Raises:
        MetricError, OptionError: The judge is not set up.
    """
    sized = Sized(options, setup["pair_question"])
    subjects = _subjects(study, setup)
    _lab(study, subjects, sized, setup, None).run()
    model = str(options["model"])
    return estimates.estimate(
        model=model, size=sized.size, study=study, texts=len(subjects)
    )


def run(trial: JudgeTrial, report: Report) -> dict[str, Any]:
    """One of trials.KINDS.

    Raises:
        MetricError: If the judge cannot be asked.
        TrialError: If the limit is reached, or the texts are gone.
    """
    subjects = _subjects(trial.study, trial.setup)
    if not subjects:
        raise TrialError("the texts of this trial are gone: start another")
    asker = TrialJudge(trial)
    test = _lab(trial.study, subjects, asker, trial.setup, report)
    effects = test.run()
    report.renew(at_once=True, done_items=test.total, total_items=test.total)
    trial.signature, trial.notes = asker.signature, asker.notes()
    return {
        "effects": effects,
        "left_out": test.left_out,
        "texts": len(subjects),
        "prompts": len({subject.unit for subject in subjects}),
        "asked": test.asked,
        "missing": test.missing,
        "question": asker.question,
        "answered": asker.who,
    }


def _subjects(study: Study, setup: Mapping[str, Any]) -> list[Subject]:
    samples = text_sample.read(setup["ids"])
    human = text_sample.means(study, setup["question"], list(samples))
    family = set(setup["family"])
    return [
        Subject(
            example,
            text.prompt_id,
            human.get(pk, np.nan),
            text.system is not None and text.system.name in family,
        )
        for pk, (text, example) in samples.items()
    ]


def _lab(
    study: Study,
    subjects: list[Subject],
    ask: TrialJudge | Sized,
    setup: Mapping[str, Any],
    progress: Callable[[int, int], None] | None,
) -> StressTest:
    options = ask.options
    prompt = options.get("prompt", "")
    ends = variants.ends_exchanged(options["mode"], prompt)
    setting = Setting(
        low=ask.question["low"],
        high=ask.question["high"],
        language=study.language,
        own_prompt=bool(prompt),
        ends=ends is not None,
        family=", ".join(setup["family"]),
        experiments=tuple(setup["experiments"]),
    )
    more = {} if progress is None else {"told": progress}
    return StressTest(
        subjects, setting, ask, seed=setup["seed"], ask_pairs=ask.compare, **more
    )
