"""Do one probe: read its texts, load its encoders, keep what comes out."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from annotation.models import Generation
from scoring import folders, loading, probe_leases, worker
from scoring.corpora import READ_AT_ONCE
from scoring.metrics import MetricError, OptionError, _embeddings, _models
from scoring.models import Corpus, Probe
from scoring.probes import SPLIT, VERSION, Given, Options, cut_to_tokens, get
from scoring.worker import Clock, Interrupted, Lost

log = logging.getLogger(__name__)

REPORT_SECONDS = 1.0
# The spawn keys of a study's seed that belong to probes start with this.
PROBES = 4


def compute(*, probe_id: int, owner: str, clock: Clock) -> None:
    """Do a probe if it is free. Whatever happens is written in its row.

    What a user can cure ends it at once; anything else is tried three times in all.
    """
    probe = probe_leases.take(probe_id=probe_id, owner=owner, now=clock())
    if probe is None:
        return
    start = time.monotonic()
    try:
        result = result_of(probe, Report(probe, clock))
    except Lost:
        log.info("%s was cancelled or taken over", probe)
    except Interrupted:
        probe_leases.give_back(probe=probe)
    except (MetricError, OptionError) as error:
        text = worker.without_folders(str(error))
        probe_leases.fail(probe=probe, error=text, now=clock())
    except Exception as error:
        log.exception("%s failed", probe)
        loading.forget_all()
        text = worker.without_folders(f"{type(error).__name__}: {error}")[:2000]
        probe_leases.try_again(probe=probe, error=text, now=clock())
    else:
        seconds = time.monotonic() - start
        probe_leases.finish(probe=probe, result=result, seconds=seconds, now=clock())


class Report:
    """Progress, lease and fence in one UPDATE, at most one a second."""

    def __init__(self, probe: Probe, clock: Clock) -> None:
        self.probe, self.clock = probe, clock
        self.last = -math.inf

    def __call__(self, stage: str, done: int, total: int) -> None:
        if worker.is_stopping():
            raise Interrupted
        if time.monotonic() - self.last < REPORT_SECONDS:
            return
        if not probe_leases.renew(
            probe=self.probe, stage=stage, done=done, total=total, now=self.clock()
        ):
            raise Lost
        self.last = time.monotonic()


def result_of(probe: Probe, report: Report) -> dict[str, Any]:
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


def _with_encoder(probe: Probe, given: Given, name: str, report: Any) -> dict[str, Any]:
    report("loading the encoder", 0, 0)
    loading.know_folders()
    encoder = _embeddings.load(
        name,
        pooling=probe.options["pooling"],
        device=loading.device(),
        max_tokens=probe.options["max_tokens"],
    )
    _models.limit_threads()
    folder = _models.find(name)
    cut = partial(cut_to_tokens, _models.tokenizer(folder), n=encoder.max_tokens)
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
    [shown] = folders.named({"model": name}).values()
    facts = {"model": shown, "hash": _models.content_hash(folder)}
    return {**facts, "pooling": encoder.pooling, "width": encoder.width, **result}


def _rng(probe: Probe) -> np.random.Generator:
    key = (PROBES, 0)
    return np.random.default_rng(
        np.random.SeedSequence(probe.study.seed, spawn_key=key)
    )


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
    found = rows.select_related("prompt").order_by("pk")
    texts = [row.full_text for row in found]
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
