"""Start probes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict, cast

from django.db import transaction

from annotation.models import Study
from evalapp.work import queues
from evalapp.work.dispatch import wake_on_commit
from scoring import corpora
from scoring.contrib.probing import protocols as probes
from scoring.metrics import OptionError, embeddings, option
from scoring.models import Corpus, Probe
from scoring.scores import allowed_models

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


class Chosen(TypedDict):
    """The options of a probe, as they are kept."""

    models: list[str]
    pooling: str
    max_tokens: int
    clusters: list[int]
    seeds: int
    texts: int
    generator: str
    attributes: list[str]
    learn_on: str


@dataclasses.dataclass(frozen=True)
class _Encoder:
    """What `folders` must know of an option that names a model."""

    models: str = option(ENCODER, "", path="model")


def start(
    *,
    study: Study,
    corpus: Corpus,
    protocol: str,
    options: Mapping[str, Any] | None = None,
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
        corpora.hold(corpus, OptionError)
        probe = Probe.objects.create(
            study=study,
            corpus=corpus,
            protocol=protocol,
            options=checked,
            queue=_queue(checked["models"]),
            created_by=user,
        )
        wake_on_commit(Probe, [probe.pk])
    return probe


def _queue(named: Sequence[str]) -> str:
    """Encoders that come with EvalApp are small enough for a processor."""
    small = all(name.startswith("bundled:") for name in named)
    return queues.CPU if small else queues.GPU


def start_all(
    *,
    corpus: Corpus,
    protocols: Sequence[str],
    options: Mapping[str, Any],
    user: Any = None,
) -> list[Probe]:
    """Start a probe for each protocol, or none at all. See `start`."""
    given = {"corpus": corpus, "options": options, "user": user}
    with transaction.atomic():
        return [start(study=corpus.study, protocol=name, **given) for name in protocols]


# Options ------------------------------------------------------------------------------


def usual(protocol: str) -> Chosen:
    """The options of a probe of which nothing was chosen."""
    return {
        "models": [ENCODER],
        "pooling": "auto",
        "max_tokens": embeddings.MAX_TOKENS,
        "clusters": list(probes.get(protocol).CLUSTERS),
        "seeds": 5,
        "texts": USUAL_TEXTS,
        "generator": "",
        "attributes": [],
        "learn_on": "",
    }


def _checked(
    study: Study, corpus: Corpus, protocol: str, options: Mapping[str, Any]
) -> Chosen:
    """All options: defaults for those left out, empty for other protocols."""
    known = usual(protocol)
    if unknown := sorted(set(options) - set(known)):
        raise OptionError(
            f"unknown option {', '.join(unknown)}; there are: {', '.join(known)}"
        )
    given = {k: v for k, v in options.items() if v not in (None, "", [], ())}
    found = cast(Chosen, {**known, **given})
    found["models"] = _models(study, found["models"])
    found["clusters"] = _clusters(found["clusters"])
    _check_choice("pooling", found["pooling"], embeddings.POOLINGS)
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
        allowed_models.resolve_allowed(_Encoder, {"models": name}, study)
        for name in names
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


def _check_generator(study: Study, protocol: str, found: Chosen) -> None:
    if protocol not in WITH_GENERATOR:
        found["generator"] = ""
    if found["generator"]:
        names = study.systems.values_list("name", flat=True)
        _check_choice("generator", found["generator"], names)


def _check_other_corpus(
    study: Study, corpus: Corpus, protocol: str, found: Chosen
) -> None:
    if protocol not in WITH_OTHER_CORPUS:
        found["learn_on"] = ""
    if found["learn_on"]:
        others = study.corpora.exclude(pk=corpus.pk).values_list("name", flat=True)
        _check_choice("learn_on", found["learn_on"], others)


def _check_attributes(corpus: Corpus, protocol: str, found: Chosen) -> None:
    if protocol != "attributes":
        found["attributes"] = []
        return
    if not corpus.attributes:
        raise OptionError(
            f"attributes: the corpus {corpus.name} has texts only; upload one whose"
            " lines have columns beside the text"
        )
    there = [name for name in corpora.categories(corpus) if name != probes.SPLIT]
    found["attributes"] = list(found["attributes"]) or there
    for name in found["attributes"]:
        _check_choice("attributes", name, there)
