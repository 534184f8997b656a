"""What a training learns from: rows of the database, the same ones in every slice."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Max

from annotation import human_scores
from annotation.models import Aspect, Generation, Prompt, Study, System
from scoring import metrics
from scoring.corpora import READ_AT_ONCE
from scoring.metrics import (
    MetricError,
    Rated,
    TrainingData,
    hygiene,
    pairing,
    sources,
    training,
)
from scoring.models import Checkpoint, Corpus

MOST_TEXTS = 200_000  # of a corpus; how many of them are drawn is an option
FROZEN = "given.json"
# In the details of a training's first slice: what it was begun with, in words.
BEGUN_WITH = ("corpus", "test", "aspect")
GONE = (
    "this training needs {}, which was deleted: delete the training too, and"
    " start another one"
)


class Pair(NamedTuple):
    """A rated text beside its reference, and the key by which people know it."""

    key: str
    rated: Rated


def read(checkpoint: Checkpoint, folder: Path) -> TrainingData:
    """All that the training may learn from, and what it must not.

    Ratings and texts that come in later would change what is learned between two
    slices: those that were there first are kept in the training's folder.

    Raises:
        MetricError: Its corpus, or the study with its ratings, was deleted.
    """
    if missing := gone(checkpoint):
        raise MetricError(missing)
    frozen = _frozen(checkpoint, folder)
    texts, labels, answered = _of_corpus(checkpoint.corpus, checkpoint.options)
    tests, test_labels, _ = _of_corpus(checkpoint.test, checkpoint.options)
    return TrainingData(
        texts=texts,
        labels=labels,
        sources=answered,
        tests=tests,
        test_labels=test_labels,
        rated=[Rated(*row) for row in frozen["rated"]],
        evaluated=evaluated(checkpoint.study, last=frozen["last"]),
        seed=checkpoint.study.seed,
        cross_fitted=_is_crossed(checkpoint),
    )


def _is_crossed(checkpoint: Checkpoint) -> bool:
    aspect = checkpoint.aspect
    return aspect is not None and aspect.study_id == checkpoint.study_id


def evaluated(study: Study, last: int | None = None) -> list[str]:
    """All texts of the study, excluded ones too. One query, read in parts."""
    rows = study.generations.order_by("pk").select_related("prompt")
    if last is not None:
        rows = rows.filter(pk__lte=last)
    return [row.full_text for row in rows.iterator(chunk_size=READ_AT_ONCE)]


def columns_of(options: Mapping[str, object]) -> tuple[str, str]:
    """The columns of the corpus that are learned and read as sources; empty: none."""
    reads_source = options.get("reads") == sources.SOURCE
    return str(options.get("attribute", "")), sources.COLUMN if reads_source else ""


def pair_of(metric: type, options: Mapping[str, object]) -> str:
    """What stands beside each rated text."""
    if not getattr(metric, "compares_rated", True):
        return pairing.ALONE
    return str(options.get("pair", pairing.REFERENCE))


def pairs(
    aspect: Aspect, pair: str = pairing.REFERENCE, *, crossed: bool = False
) -> list[Pair]:
    """Each rated text beside each reference of its prompt, by the text's number.

    Where the prompt has none, another text that people wrote for it is used instead; a
    text without either is left out. Where `pair` says so, the prefix, or label and
    prefix, take the place of references; alone, a text stands beside nothing.
    `crossed`: what texts share decides the fold.
    """
    ratings = _ratings(aspect)
    found = Generation.objects.filter(study=aspect.study_id).order_by("pk")
    found = found.select_related("prompt__label", "system")
    rows = list(found.prefetch_related("prompt__references"))
    if pair == pairing.REFERENCE:
        by_people = _by_people(rows)
        beside = {row.pk: list(_references(row, by_people)) for row in rows}
    else:
        beside = {row.pk: _stand_in(row.prompt, pair) for row in rows}
    document = _fold_document if crossed else _prompt_document
    return [
        Pair(row.key, _rated(row, other, ratings[row.pk], document(row)))
        for row in rows
        if row.pk in ratings
        for other in beside[row.pk]
    ]


def _rated(row: Generation, other: str, rating: float, document: str) -> Rated:
    prompt = row.prompt
    text = row.full_text
    return Rated(text, other, rating, document, prompt.prefix, prompt.source)


def _stand_in(prompt: Prompt, pair: str) -> list[str]:
    if pair == pairing.ALONE:
        return [""]
    label = prompt.label.name if prompt.label else ""
    found = pairing.stand_in(pair, prefix=prompt.prefix, label=label)
    return [found] if found else []


def _prompt_document(row: Generation) -> str:
    return row.prompt.digest


def _fold_document(row: Generation) -> str:
    return pairing.document(prefix=row.prompt.prefix, source=row.prompt.source)


def overlapping(found: list[Pair], study: Study) -> list[str]:
    """Keys of the rated texts that share a run of words with a text of the study."""
    known = hygiene.all_grams(evaluated(study))
    # Each once, all together: one by one would keep the browser waiting.
    both = (text for pair in found for text in (pair.rated.text, pair.rated.reference))
    texts = list(dict.fromkeys(both))
    is_shared = dict(zip(texts, hygiene.touching(texts, known).tolist(), strict=True))
    touching = (
        pair.key
        for pair in found
        if is_shared[pair.rated.text] or is_shared[pair.rated.reference]
    )
    return list(dict.fromkeys(touching))


def _ratings(aspect: Aspect) -> dict[int, float]:
    """Mean rating of each text, 0 to 1, higher is better."""
    low, high = aspect.ends
    found = human_scores.means(study=aspect.study)
    means = found.values[:, found.aspects.index(aspect.key)]
    shares = (means - low) / (high - low)
    if not aspect.higher_is_better:
        shares = 1 - shares
    given = zip(found.generations.tolist(), shares.tolist(), strict=True)
    return {pk: share for pk, share in given if not np.isnan(share)}


def _by_people(rows: list[Generation]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for row in rows:
        if row.system and row.system.kind == System.Kind.HUMAN:
            found.setdefault(row.prompt_id, []).append(row.full_text)
    return found


def _references(row: Generation, by_people: dict[int, list[str]]) -> Iterator[str]:
    text = row.full_text
    given = [reference.text for reference in row.prompt.references.all()]
    for reference in given or by_people.get(row.prompt_id, []):
        if reference != text:
            yield reference


def _of_corpus(
    corpus: Corpus | None, options: Mapping[str, object]
) -> tuple[list[str], list[str], list[str]]:
    """Texts, and their labels or sources where these are learned or read.

    A text without what is asked for is left out. One query, read in parts.
    """
    if corpus is None:
        return [], [], []
    rows = corpus.texts.order_by("position")[:MOST_TEXTS]
    read = rows.values_list("text", "attributes").iterator(chunk_size=READ_AT_ONCE)
    label, source = columns_of(options)
    found = [
        (text, said.get(label, ""), said.get(source, ""))
        for text, said in read
        if all(said.get(name, "").strip() for name in (label, source) if name)
    ]
    return (
        [text for text, _, _ in found],
        [value for _, value, _ in found] if label else [],
        [value for _, _, value in found] if source else [],
    )


def begun_with(checkpoint: Checkpoint) -> dict[str, Any]:
    """Its corpora and its ratings in words, which outlive them."""
    first = checkpoint.chunks.filter(index=0)
    return first.values_list("details", flat=True).first() or {}


def gone(checkpoint: Checkpoint) -> str:
    """What it was begun with and was deleted, in a sentence; empty: all is there."""
    begun = begun_with(checkpoint)
    for what in BEGUN_WITH:
        if what in begun and getattr(checkpoint, what) is None:
            return GONE.format(begun[what])
    return ""


def _frozen(checkpoint: Checkpoint, folder: Path) -> dict[str, Any]:
    path = folder / FROZEN
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        crossed, aspect = _is_crossed(checkpoint), checkpoint.aspect
        rated = []
        if aspect:
            pair = pair_of(metrics.get(checkpoint.metric), checkpoint.options)
            rated = pairs(aspect, pair, crossed=crossed)
        last = checkpoint.study.generations.aggregate(last=Max("pk"))["last"] or 0
        content = {"last": last, "rated": [one.rated for one in rated]}
        file = training.waiting(path)
        file.write_text(json.dumps(content))
        os.replace(file, path)
    found: dict[str, Any] = json.loads(path.read_text())
    return found
