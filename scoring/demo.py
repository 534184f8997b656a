"""The sample studies: two rated by simulated workers, one open to be tried out."""

from __future__ import annotations

import io
import json
import secrets
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from django.contrib.auth import get_user_model
from django.db import transaction

from annotation import imports, simulation, studies, surveys
from annotation.models import Study
from annotation.simulation import sample
from annotation.simulation.sample import known_truth
from scoring import analyses, metrics, runs
from scoring.metrics import models
from scoring.models import MetricRun
from scoring.results import analysing
from scoring.runs import negatives
from scoring.scores.option_words import BUNDLED

State = MetricRun.State
USER = "demo"
KNOWN, RATED, UNRATED = "known-truth", "sample", "try-rating"
TITLE = "Short texts about everyday things"
KNOWN_TITLE = "Short stories"
SEED = 2022  # every demo shows the same numbers
WORKERS = 40
KNOWN_WORKERS = 16  # 7 pages each: by then quality control knows who is careless
MIX = {"careful": 0.6, "noisy": 0.2, "careless": 0.2}
RATINGS_PER_TEXT = 5
# Read off the text alone: nothing has to be installed or downloaded for them.
WITHOUT_WEIGHTS = ("length", "distinct", "repetition", "corpus_distinct")
# Small models that come with the app. CTRLEval fills 24 prompts about each text of
# `RATED`: the smaller model does it in a third of the time, and the correlation of each
# output with the aspect that it is meant for differs by less than 0.03.
INFILL, INFILL_OF_RATED = "bundled:infill-small", "bundled:infill-nano"
CAUSAL, AMATEUR = "bundled:causal-small", "bundled:causal-nano"
# Enough to see that what notices the damage stands out.
OF_KNOWN = ("length", "distinct", "perplexity", "ctrleval", "bartscore")


def researcher() -> tuple[Any, str]:
    """The demo's account, each time with a new password: nobody can guess it."""
    user, _ = get_user_model().objects.get_or_create(username=USER)
    password = secrets.token_urlsafe(9)
    user.set_password(password)
    user.save()
    return user, password


# Each step below is left out if it was done before, so an interrupted demo continues.


def open_known_study(*, owner: Any) -> Study:
    """The stories whose truth is known as a study that workers can rate."""
    study = Study.objects.filter(name=KNOWN).first() or _made_of_known(owner)
    _open(study)
    return study


def known_study(*, owner: Any, now: datetime) -> Study:
    """The study whose truth is known, rated by simulated workers who see that truth."""
    study = open_known_study(owner=owner)
    truth = {version.key: version.truth for version in known_truth.versions()}
    keys = study.generations.values_list("pk", "key")
    _rate(
        study,
        now,
        workers=KNOWN_WORKERS,
        truth={pk: truth[key] for pk, key in keys},
    )
    return study


def rated_study(*, owner: Any, now: datetime) -> Study:
    """The sample study, rated by simulated workers through what real ones use."""
    study = open_study(name=RATED, owner=owner)
    _rate(study, now, quality=lambda system, aspect: sample.QUALITY[system][aspect])
    return study


def open_study(*, name: str, owner: Any) -> Study:
    """The sample texts as a study that workers can rate, if it is not there yet."""
    study = Study.objects.filter(name=name).first() or _imported(name, owner)
    _open(study)
    return study


def _open(study: Study) -> None:
    if study.state != Study.State.DRAFT:
        return
    study.seed = SEED
    study.save(update_fields=["seed"])
    for label in study.labels.all():
        label.verbalizers = sample.VERBALIZERS[label.name]
        label.save(update_fields=["verbalizers"])
    surveys.open_study(study=study)


def _rate(
    study: Study, now: datetime, *, workers: int = WORKERS, **quality: Any
) -> None:
    if study.state != Study.State.OPEN:
        return
    simulation.simulate(
        study=study,
        workers=workers,
        mix=MIX,
        rng=np.random.default_rng(study.seed),
        now=now - timedelta(days=1),  # they take hours, which must be over by now
        **quality,
    )
    surveys.close(study=study)


def _made_of_known(owner: Any) -> Study:
    with transaction.atomic():
        study = studies.create(
            name=KNOWN,
            owner=owner,
            aspects=known_truth.ASPECTS,
            title=KNOWN_TITLE,
            ratings_per_text=RATINGS_PER_TEXT,
        )
        imports.into(
            study=study,
            format=known_truth.FORMAT,
            file=io.BytesIO(known_truth.as_jsonl()),
            file_name="stories.jsonl",
            user=owner,
        )
    return study


def _imported(name: str, owner: Any) -> Study:
    with sample.PATH.open("rb") as file:
        return imports.run(
            study_name=name,
            format=sample.FORMAT,
            file=file,
            file_name=sample.PATH.name,
            owner=owner,
            options={"title": TITLE, "ratings_per_text": RATINGS_PER_TEXT},
        ).study


def ask_for_pages(*, study: Study, now: datetime) -> None:
    """Queue all statistic pages of the study, with their usual options."""
    for name in analyses.names():
        options = analyses.get(name).Options()
        analysing.find(study=study, name=name, options=options, now=now)


def start_runs(*, study: Study, model: str, iwf: str) -> None:
    """Queue what no earlier demo has: each metric on the texts, then on the negatives.

    One after the other, so that a worker loads a metric once for both.

    Raises:
        OptionError, RunError: `model` or `iwf` cannot be used.
    """
    for metric, options in missing_runs(study, model, iwf):
        given: dict[str, Any] = {
            "study": study,
            "metric": metric,
            "options": options,
        }
        runs.start(**given, any_folder=True)
        if issubclass(metrics.get(metric), metrics.Metric):
            runs.start(**given, any_folder=True, on=MetricRun.On.NEGATIVES)
    negatives.start_missing(study=study)  # whose texts an earlier demo scored


def unfinished_runs(study: Study) -> list[MetricRun]:
    """In the order in which a worker comes to them."""
    found = study.runs.exclude(state__in=MetricRun.ENDED)
    return list(found.select_related("study").order_by("pk"))


def wanted_runs(
    model: str, iwf: str, *, infill: str = INFILL
) -> list[tuple[str, dict[str, str]]]:
    """Metrics and their options.

    With a model folder also what that model can give, without one what the bundled
    models can, `infill` among them.
    """
    wanted: list[tuple[str, dict[str, str]]] = [
        (name, {}) for name in WITHOUT_WEIGHTS if name in metrics.names()
    ]
    if not model:
        return [*wanted, *_bundled(infill)]
    if not _is_encoder_decoder(Path(model)):
        return [*wanted, ("perplexity", {"model": model})]
    weights = {"iwf": iwf} if iwf else {"weighting": "mean"}
    return [*wanted, ("ctrleval", {"model": model, **weights})]


def _bundled(infill: str) -> list[tuple[str, dict[str, str]]]:
    """What the models that come with the app can give, where they are here."""
    wanted = (
        ("ctrleval", {"model": infill}),
        ("bartscore", {"model": infill, "directions": "source"}),
        ("perplexity", {"model": CAUSAL}),
        ("cdm", {"expert": CAUSAL, "amateur": AMATEUR}),
    )
    return [
        (metric, options)
        for metric, options in wanted
        if all(map(models.local, _named(options)))
    ]


def _named(options: dict[str, str]) -> list[str]:
    """The bundled models among some options."""
    return [value for value in options.values() if value.startswith(BUNDLED)]


def missing_runs(
    study: Study, model: str, iwf: str
) -> list[tuple[str, dict[str, str]]]:
    """Those that no earlier demo has finished, or left for a worker to do."""
    there = MetricRun.objects.filter(study=study, on=MetricRun.On.TEXTS)
    there = there.exclude(state__in=(State.FAILED, State.CANCELLED))
    have = [(run.metric, run.options.get("model", "")) for run in there]
    infill = INFILL_OF_RATED if study.name == RATED else INFILL
    return [
        (metric, options)
        for metric, options in wanted_runs(model, iwf, infill=infill)
        if (metric, _absolute(options.get("model", ""))) not in have
        and (study.name != KNOWN or metric in OF_KNOWN)
    ]


def _absolute(model: str) -> str:
    """As a run stores it."""
    if not model or model.startswith(BUNDLED):
        return model
    return str(Path(model).resolve())


def _is_encoder_decoder(folder: Path) -> bool:
    """As the model's own configuration says; a missing one is the run's to report."""
    try:
        config = json.loads((folder / "config.json").read_text())
    except OSError:
        return True
    return bool(config.get("is_encoder_decoder"))
