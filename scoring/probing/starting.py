"""Start, cancel and retry probes; bring back what dead workers left.

As with runs, the row is the truth and a message only a wake-up call.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.models import Study
from scoring import beats, folders, probe_leases, probes, tasks
from scoring.metrics import OptionError
from scoring.metrics._base import option
from scoring.metrics._embeddings import MAX_TOKENS, POOLINGS
from scoring.models import Corpus, Probe
from scoring.waking import wake

State = Probe.State
UNANSWERED = timedelta(seconds=60)
SENT_AGAIN = 4  # for each idle worker and round

ENCODER = "bundled:encoder-small"
MOST_CLUSTERS, MOST_NUMBERS, MOST_SEEDS, MOST_TEXTS, MOST_MODELS = (
    5000,
    12,
    20,
    50_000,
    8,
)
USUAL_TEXTS = 5000  # as in the paper
# Those that compare the corpus with a generator, or learn clusters elsewhere.
WITH_GENERATOR = ("perturbations", "clusters")
WITH_OTHER_CORPUS = ("attributes", "surface")


class ProbeError(Exception):
    """This cannot be done with a probe as it is. The message says why."""


@dataclasses.dataclass(frozen=True)
class _Encoder:
    """What `folders` must know of an option that names a model."""

    models: str = option(ENCODER, "", path="model")


def start(
    *,
    study: Study,
    corpus: Corpus,
    protocol: str,
    options: dict[str, Any] | None = None,
    user: Any = None,
) -> Probe:
    """Queue a probe of a corpus and wake a worker up.

    Args:
        study: Whose systems may be the generator, and whose seed counts.
        corpus: One of the study's.
        protocol: One of probes.NAMES.
        options: models, pooling, max_tokens, clusters, seeds, texts, generator,
            attributes, learn_on; what is left out is as usual.
        user: Who asks.

    Raises:
        OptionError: Names the option and says what would do.
    """
    if protocol not in probes.NAMES:
        known = ", ".join(probes.NAMES)
        raise OptionError(f"protocol={protocol}: expected one of {known}")
    if corpus.study_id != study.pk:
        raise OptionError(f"corpus={corpus.name}: it belongs to another study")
    checked = _checked(study, corpus, protocol, options or {})
    with transaction.atomic():
        _hold(corpus)
        probe = Probe.objects.create(
            study=study,
            corpus=corpus,
            protocol=protocol,
            options=checked,
            created_by=user,
        )
        _wake_on_commit([probe.pk])
    return probe


def _hold(corpus: Corpus) -> None:
    """Whoever deletes the corpus now waits, and then sees the probe."""
    if not Corpus.objects.select_for_update().filter(pk=corpus.pk).first():
        raise OptionError(f"corpus={corpus.name}: it was deleted, choose another")


def start_all(
    *,
    corpus: Corpus,
    protocols: Sequence[str],
    options: dict[str, Any],
    user: Any = None,
) -> list[Probe]:
    """Start a probe for each protocol, or none at all. See `start`."""
    given = {"corpus": corpus, "options": options, "user": user}
    with transaction.atomic():
        return [start(study=corpus.study, protocol=name, **given) for name in protocols]


def cancel(*, probe: Probe) -> None:
    """Its worker notices at its next sign of progress. Of an ended one: nothing."""
    live = Probe.objects.filter(pk=probe.pk, state__in=(State.QUEUED, State.RUNNING))
    live.update(state=State.CANCELLED, lease_until=None, finished_at=timezone.now())
    probe.refresh_from_db()


def retry(*, probe: Probe) -> None:
    """Queue a probe again that failed or was cancelled.

    Raises:
        ProbeError: It is neither.
    """
    stopped = Probe.objects.filter(
        pk=probe.pk, state__in=(State.FAILED, State.CANCELLED)
    )
    begun = {"attempt": 0, "error": "", "finished_at": None}
    progress = {"done_items": 0, "total_items": 0, "stage": ""}
    if not stopped.update(**probe_leases.QUEUED, **begun, **progress):
        raise ProbeError("only a probe that failed or was cancelled can be retried")
    _wake_on_commit([probe.pk])
    probe.refresh_from_db()


def refresh(*, now: datetime) -> None:
    """Bring back what dead workers and lost messages left. Safe to do twice at once."""
    probe_leases.requeue_expired(now=now)
    queued = Probe.objects.filter(state=State.QUEUED).order_by("pk")
    _wake(queued.filter(sent_at=None).values_list("pk", flat=True), now=now)
    lost = queued.filter(sent_at__lte=now - UNANSWERED)
    if lost.exists() and (idle := beats.idle(now=now)):
        # Only while somebody has nothing to do: behind busy workers a message waits.
        _wake(lost.values_list("pk", flat=True)[: SENT_AGAIN * idle], now=now)


def _wake_on_commit(ids: Sequence[int]) -> None:
    transaction.on_commit(partial(_wake, list(ids), now=timezone.now()))


def _wake(ids: Iterable[int], *, now: datetime) -> None:
    sent = wake(tasks.probe, list(ids))
    Probe.objects.filter(pk__in=sent).update(sent_at=now)


# Options ------------------------------------------------------------------------------


def usual(protocol: str) -> dict[str, Any]:
    """The options of a probe of which nothing was chosen."""
    return {
        "models": [ENCODER],
        "pooling": "auto",
        "max_tokens": MAX_TOKENS,
        "clusters": list(probes.get(protocol).CLUSTERS),
        "seeds": 5,
        "texts": USUAL_TEXTS,
        "generator": "",
        "attributes": [],
        "learn_on": "",
    }


def _checked(
    study: Study, corpus: Corpus, protocol: str, options: dict[str, Any]
) -> dict[str, Any]:
    """All options, those left out as usual, and those of other protocols empty."""
    known = usual(protocol)
    if unknown := sorted(set(options) - set(known)):
        raise OptionError(
            f"unknown option {', '.join(unknown)}; there are: {', '.join(known)}"
        )
    given = {k: v for k, v in options.items() if v not in (None, "", [], ())}
    found = {**known, **given}
    found["models"] = _models(study, found["models"])
    found["clusters"] = _clusters(found["clusters"])
    _check_choice("pooling", found["pooling"], POOLINGS)
    found["max_tokens"] = _whole("max_tokens", found["max_tokens"], 1, 100_000)
    found["seeds"] = _whole("seeds", found["seeds"], 1, MOST_SEEDS)
    found["texts"] = _whole("texts", found["texts"], 4, MOST_TEXTS)
    _check_generator(study, protocol, found)
    _check_other_corpus(study, corpus, protocol, found)
    _check_attributes(corpus, protocol, found)
    return found


def _models(study: Study, names: Sequence[str]) -> list[str]:
    if len(names) > MOST_MODELS:
        raise OptionError(f"models: expected at most {MOST_MODELS}, got {len(names)}")
    allowed = [
        folders.resolve_allowed(_Encoder, {"models": name}, study) for name in names
    ]
    return list(dict.fromkeys(one["models"] for one in allowed))


def _clusters(numbers: Sequence[Any]) -> list[int]:
    found = sorted({_whole("clusters", n, 2, MOST_CLUSTERS) for n in numbers})
    if len(found) > MOST_NUMBERS:
        raise OptionError(
            f"clusters: expected at most {MOST_NUMBERS} numbers, got {len(found)}"
        )
    return found


def _whole(name: str, value: Any, low: int, high: int) -> int:
    try:
        found = int(str(value))
    except ValueError:
        found = low - 1
    if not low <= found <= high:
        raise OptionError(
            f"{name}={str(value)[:100]}: expected a whole number from {low} to {high}"
        )
    return found


def _check_choice(name: str, value: str, choices: Iterable[str]) -> None:
    known = list(choices)
    if value not in known:
        there = ", ".join(known) or "there is none"
        raise OptionError(f"{name}={str(value)[:100]}: expected one of: {there}")


def _check_generator(study: Study, protocol: str, found: dict[str, Any]) -> None:
    if protocol not in WITH_GENERATOR:
        found["generator"] = ""
    if found["generator"]:
        names = study.systems.values_list("name", flat=True)
        _check_choice("generator", found["generator"], names)


def _check_other_corpus(
    study: Study, corpus: Corpus, protocol: str, found: dict[str, Any]
) -> None:
    if protocol not in WITH_OTHER_CORPUS:
        found["learn_on"] = ""
    if found["learn_on"]:
        others = study.corpora.exclude(pk=corpus.pk).values_list("name", flat=True)
        _check_choice("learn_on", found["learn_on"], others)


def _check_attributes(corpus: Corpus, protocol: str, found: dict[str, Any]) -> None:
    if protocol != "attributes":
        found["attributes"] = []
        return
    if not corpus.attributes:
        raise OptionError(
            f"attributes: the corpus {corpus.name} has texts only; upload one whose"
            " lines have columns beside the text"
        )
    there = [name for name in corpus.attributes if name != probes.SPLIT]
    found["attributes"] = list(found["attributes"]) or there
    for name in found["attributes"]:
        _check_choice("attributes", name, there)
