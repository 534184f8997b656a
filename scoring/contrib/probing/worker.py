"""Do one probe: read its texts, load its encoders, keep what comes out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np
from django.db.models import QuerySet

from annotation.models import Generation
from evalapp import seeds, storage
from evalapp.seeds import OfStudy
from evalapp.work import leases, retries
from evalapp.work.kinds import Work
from evalapp.work.retries import Clock
from scoring.contrib.probing.protocols import (
    SPLIT,
    VERSION,
    Given,
    Options,
    cut_to_tokens,
    get,
)
from scoring.contrib.probing.protocols.results import Encoder, Result
from scoring.corpora import READ_AT_ONCE
from scoring.metrics import MetricError, OptionError, embeddings, models
from scoring.models import Corpus, Probe
from scoring.runs import loading
from scoring.scores import stored_models
from scoring.scores.options import named

STAGE_CHARACTERS = Probe._meta.get_field("stage").max_length


class Report(retries.Report):
    """Tells the stage, and how much of it is done."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        stage = stage[:STAGE_CHARACTERS]
        self.renew(stage=stage, done_items=done, total_items=total)


class ProbeWork(Work[Probe, Probe]):
    """Probe a corpus."""

    name = "probes"
    model = Probe
    related = ("study", "corpus")
    final = (MetricError, OptionError)
    counted = ("done_items", "total_items")
    reset: ClassVar = {"done_items": 0, "total_items": 0, "stage": ""}

    def columns(self, now: datetime) -> dict[str, Any]:
        return dict(self.reset)

    def report(self, row: Probe, clock: Clock) -> Report:
        return Report(row, clock)

    def run(self, row: Probe, report: Report) -> None:
        start = time.monotonic()
        result = result_of(row, report)
        seconds = time.monotonic() - start
        leases.finish(row, now=report.clock(), result=result, seconds=seconds)

    def end(self, row: Probe, error: Exception | None, clock: Clock) -> None:
        if error and not isinstance(error, (*self.final, storage.Away)):
            loading.forget_all()

    def words(self, job: Probe) -> str:
        return f"Probing {job.corpus.name}: {get(job.protocol).TITLE}"

    def jobs(self, *, study: Any, user: Any) -> QuerySet[Probe]:
        rows = Probe.objects.filter(study=study).select_related("study", "corpus")
        return rows.defer("result")


PROBES = ProbeWork()


def result_of(probe: Probe, report: Report) -> Result:
    """What the probe finds, encoder by encoder, as plain numbers and lists."""
    given = _given(probe)
    names = probe.options["models"]
    found = []
    for place, name in enumerate(names, start=1):
        where = f" (encoder {place} of {len(names)})" if len(names) > 1 else ""
        found.append(_with_encoder(probe, given, name, partial(_told, report, where)))
    return {"version": VERSION, "n_corpus": probe.corpus.n_texts, "encoders": found}


def _told(report: Report, where: str, stage: str, done: int, total: int) -> None:
    report(f"{stage}{where}", done, total)


def _with_encoder(probe: Probe, given: Given, name: str, report: Any) -> Encoder:
    report("loading the encoder", 0, 0)
    loading.know_folders()
    here = stored_models.local(name)
    encoder = embeddings.load(
        here,
        pooling=probe.options["pooling"],
        device=loading.device(),
        max_tokens=probe.options["max_tokens"],
    )
    models.limit_threads()
    folder = models.find(here)
    cut = partial(cut_to_tokens, models.tokenizer(folder), n=encoder.max_tokens)
    options = Options(tuple(probe.options["clusters"]), probe.options["seeds"])
    result = get(probe.protocol).run(
        Given(
            texts=cut(given.texts),
            attributes=given.attributes,
            split=given.split,
            learn_on=cut(given.learn_on),
            generator=cut(given.generator),
            generator_name=given.generator_name,
        ),
        options,
        # The same numbers for every encoder: they differ in nothing else.
        rng=_rng(probe),
        embed=encoder,
        report=report,
    )
    [shown] = named({"model": name}).values()
    about: Encoder = {
        "model": shown,
        "hash": models.content_hash(folder),
        "pooling": encoder.pooling,
        "width": encoder.width,
    }
    return cast(Encoder, {**about, **result})


def _rng(probe: Probe) -> np.random.Generator:
    return seeds.rng(probe.study.seed, OfStudy.PROBES, 0)


# Texts --------------------------------------------------------------------------------


def _given(probe: Probe) -> Given:
    """At most as many texts of each kind as the options say, drawn by the seed."""
    options, rng = probe.options, _rng(probe)
    rows = _of(probe.corpus, options["texts"], rng)
    names = options["attributes"] if probe.protocol == "attributes" else ()
    said = [row[1].get(SPLIT, "") for row in rows]
    generated = _generated(probe) if options["generator"] else []
    others = _of(_learn_on(probe), options["texts"], rng)
    return Given(
        texts=[text for text, _ in rows],
        attributes={name: [row[1].get(name, "") for row in rows] for name in names},
        split=said if {"train", "test"} <= set(said) else (),
        learn_on=[text for text, _ in others],
        generator=_drawn(generated, len(generated), options["texts"], rng),
        generator_name=options["generator"],
    )


def _of(
    corpus: Corpus | None, most: int, rng: np.random.Generator
) -> list[tuple[str, dict[str, str]]]:
    """Texts and their attributes. One query, read in parts: a corpus may be large."""
    if corpus is None:
        return []
    rows = corpus.texts.order_by("position").values_list("text", "attributes")
    read = rows.iterator(chunk_size=READ_AT_ONCE)
    return _drawn(read, corpus.n_texts, most, rng)


def _learn_on(probe: Probe) -> Corpus | None:
    name = probe.options["learn_on"]
    corpus = probe.study.corpora.filter(name=name).first() if name else None
    if name and corpus is None:
        raise MetricError(f"the corpus {name} was deleted: start another probe")
    return corpus


def _generated(probe: Probe) -> list[str]:
    rows = Generation.objects.filter(
        study=probe.study, system__name=probe.options["generator"]
    )
    found = rows.of_one_level().select_related("prompt").order_by("pk")
    texts = [row.full_text for row in found if row.text]  # some have no output
    if not texts:
        raise MetricError(
            f"the system {probe.options['generator']} has no texts: choose another"
        )
    return texts


def _drawn(
    rows: Iterable[Any], n: int, most: int, rng: np.random.Generator
) -> list[Any]:
    """At most so many of n rows, in their order."""
    chosen = set(rng.permutation(n)[:most].tolist())
    return [row for i, row in enumerate(rows) if i in chosen]
