"""Corpora: collections of human texts that systems are held against."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.metrics import MetricError
from scoring.models import Corpus, MetricRun

READ_AT_ONCE = 2000


def texts(corpus: Corpus) -> Iterator[str]:
    """In the order of the file. One query, read in parts."""
    rows = corpus.texts.order_by("position").values_list("text", flat=True)
    return rows.iterator(chunk_size=READ_AT_ONCE)


def signed(corpus: Corpus | None) -> str:
    """What a corpus adds to the signature of what is computed from it."""
    return f"|corpus:sha256:{corpus.digest[:16]}" if corpus else ""


def check_there(run: MetricRun) -> None:
    """Raise MetricError where the run's corpus was deleted after it had begun."""
    begun = run.signature.text if run.signature else ""
    if "|corpus:" in begun and run.corpus is None:
        raise MetricError("the corpus of this run was deleted: start another run")
