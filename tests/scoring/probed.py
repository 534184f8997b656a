"""Corpora to probe, and probes as a worker does them."""

from __future__ import annotations

from typing import Any

from annotation.models import Study
from scoring.contrib.probing import starting as probing
from scoring.contrib.probing import worker
from scoring.models import Corpus, CorpusText, Probe
from tests.conftest import SENTENCES
from tests.scoring.working import NOON


def corpus_of(study: Study, *, n: int = 8, name: str = "novels", **values: Any):
    """A corpus of n texts; values by attribute, one of them for each text in turn."""
    corpus = Corpus.objects.create(
        study=study, name=name, n_texts=n, attributes=list(values), digest=name
    )
    CorpusText.objects.bulk_create(
        CorpusText(
            corpus=corpus,
            position=i,
            text=f"{SENTENCES[i % 5]} {SENTENCES[(i + 1) % 5]} Page {i}.",
            attributes={key: given[i % len(given)] for key, given in values.items()},
        )
        for i in range(n)
    )
    return corpus


def started(study: Study, protocol: str = "perturbations", **options: Any) -> Probe:
    """A probe of the study's first corpus: few clusters, two seeds."""
    usual = {"clusters": [2, 3], "seeds": 2}
    return probing.start(
        study=study,
        corpus=study.corpora.first(),
        protocol=protocol,
        options={**usual, **options},
    )


def work(probe: Probe, *, owner: str = "here/1/a", now=NOON) -> None:
    worker.PROBES.perform(pk=probe.pk, owner=owner, clock=lambda: now)
    probe.refresh_from_db()


def done(study: Study, protocol: str = "perturbations", **options: Any) -> Probe:
    probe = started(study, protocol, **options)
    work(probe)
    assert probe.state == Probe.State.DONE, probe.error
    return probe
