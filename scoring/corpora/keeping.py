"""Corpora: collections of human texts that systems are compared with."""

from __future__ import annotations

import datetime
import hashlib
import math
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO

from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import Count
from django.db.models.fields.json import KeyTextTransform
from django.utils import timezone

from annotation import events
from annotation.imports import Problems, UploadError, limits, number, shown
from annotation.models import Study, System
from scoring.corpora import files
from scoring.corpora.files import Contents, Row
from scoring.metrics import LOG_PROBABILITY, MetricError
from scoring.models import Checkpoint, Corpus, CorpusText, MetricRun, Probe

READ_AT_ONCE = 2000
BATCH = 2000
MOST_CORPORA = 20  # of a study: each is a copy of its texts
NAME = re.compile(r"[-A-Za-z0-9_]{1,64}", re.ASCII)
SAMPLE, FREQUENT = 200, 10
DAY = 24 * 60 * 60
GONE = "the corpus of this run was deleted: start another run"
CHANGED = "The texts were changed while they were being read: try again."


class CorpusError(ValueError):
    """This cannot be done with a corpus. The message says why."""


def add(
    *,
    study: Study,
    name: str,
    file: BinaryIO,
    file_name: str,
    user: Any = None,
    now: datetime.datetime | None = None,
) -> Corpus:
    """Make a corpus of a file, which is read twice: checked whole, then written.

    Args:
        study: Whose corpus it is, in whatever state.
        name: Letters, digits, hyphens and underscores.
        file: Of bytes, which can be read again from its start.
        file_name: As people know it; its ending tells the format.
        user: Who adds it.
        now: When.

    Raises:
        UploadError: With everything that is wrong. Nothing was written.
    """
    problems, contents = Problems(), Contents()
    try:
        _check_new(study, name)
    except CorpusError as error:
        problems.add(str(error))
    file.seek(0)
    sha256 = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    for _ in contents.unique(files.read(file, file_name, limits(), problems)):
        pass
    if not contents.n_texts and not problems:
        problems.add("The file has no texts.")
    problems.raise_if_any()
    corpus = Corpus(
        study=study,
        name=name,
        file_name=file_name[-255:],
        sha256=sha256,
        created_by=user,
    )
    again = files.read(file, file_name, limits(), Problems())
    try:
        return _save(corpus, contents, again, now or timezone.now())
    except CorpusError as error:
        raise UploadError([str(error)]) from error


def from_system(
    *,
    study: Study,
    system: System,
    name: str,
    user: Any = None,
    now: datetime.datetime | None = None,
) -> Corpus:
    """Make a corpus of what one system of the study wrote, often people.

    Excluded texts are left out. The label of a text becomes its attribute.

    Raises:
        CorpusError: The name will not do, or the system wrote nothing.
    """
    _check_new(study, name)
    contents = Contents()
    for _ in contents.unique(_rows_of(system)):
        pass
    if not contents.n_texts:
        raise CorpusError(f"The study has no text of the system {system.name}.")
    corpus = Corpus(
        study=study,
        name=name,
        file_name=f"texts of {system.name}",
        created_by=user,
    )
    return _save(corpus, contents, _rows_of(system), now or timezone.now())


def remove(
    *, corpus: Corpus, user: Any = None, now: datetime.datetime | None = None
) -> None:
    """Delete a corpus and its probes. Finished runs keep their scores.

    Raises:
        CorpusError: A run, a probe or a training is still at work with it.
    """
    with transaction.atomic():
        # Who starts a run with it now waits, or makes us wait and is seen below.
        locked = Corpus.objects.select_for_update().filter(pk=corpus.pk).first()
        if locked is None:  # deleted in another window
            return
        if worker := _at_work_with(locked):
            raise CorpusError(
                f"{worker} is using the corpus {locked.name}: cancel it, or wait until"
                " it ends."
            )
        events.log(
            study=corpus.study,
            verb="deleted-corpus",
            now=now or timezone.now(),
            user=user,
            about=locked.name,
            detail=_n(locked.n_texts, "text"),
        )
        # Retrying one of these would run without the corpus, and nothing else would say
        # so.
        stopped = (MetricRun.State.FAILED, MetricRun.State.CANCELLED)
        locked.runs.filter(state__in=stopped).update(error=GONE)
        locked.delete()


def _at_work_with(corpus: Corpus) -> str:
    """What is under way with it, in words; empty: nothing."""
    for what, rows, ended in (
        ("A run", corpus.runs, MetricRun.ENDED),
        ("A probe", corpus.probes, Probe.ENDED),
        ("A training", corpus.checkpoints, Checkpoint.ENDED),
        ("A training", corpus.tested, Checkpoint.ENDED),
    ):
        if rows.exclude(state__in=ended).exists():
            return what
    return ""


def find(*, study: Study, name: str | None) -> Corpus | None:
    """The corpus of that name; None for none.

    Raises:
        CorpusError: There is no such corpus. The message lists what there is.
    """
    if not name:
        return None
    found = {corpus.name: corpus for corpus in study.corpora.all()}
    if name not in found:
        there_are = ", ".join(found) or "none yet"
        raise CorpusError(
            f"the study {study.name} has no corpus {shown(name)}; there are:"
            f" {there_are}"
        )
    return found[name]


def texts(corpus: Corpus) -> Iterator[str]:
    """In the order of the file. One query, read in parts."""
    rows = corpus.texts.order_by("position").values_list("text", flat=True)
    return rows.iterator(chunk_size=READ_AT_ONCE)


def described(corpus: Corpus) -> str:
    """What came in, in words."""
    left_out = ""
    if corpus.n_duplicates:
        left_out = f" ({_n(corpus.n_duplicates, 'duplicate')} left out)"
    return _n(corpus.n_texts, "text") + left_out


def about_words(corpus: Corpus) -> float:
    """Words of a text on average, counted in the first texts and scaled to all."""
    first = corpus.texts.values_list("text", flat=True)[:SAMPLE]
    found = list(first)
    share = sum(len(text.split()) for text in found) / sum(map(len, found))
    return share * corpus.n_characters / corpus.n_texts


def frequent_values(corpus: Corpus) -> list[tuple[str, list[tuple[str, int]]]]:
    """Of each attribute, the values that most texts have, and how many have them.

    A fifth of a second for each attribute of 100,000 texts, the first time.
    """
    # Its texts never change, but another database may give its number to another one.
    key = f"corpus-values:{corpus.pk}:{corpus.created_at.timestamp()}"
    found = cache.get_or_set(
        key,
        # Sources are texts: hardly two are the same.
        lambda: [
            (n, _frequent(corpus, n)) for n in categories(corpus) if n != files.SOURCE
        ],
        DAY,
    )
    return found or []


def categories(*found: Corpus) -> list[str]:
    """Attributes that can sort texts: all but log-probabilities."""
    names = dict.fromkeys(name for one in found for name in one.attributes)
    return [name for name in names if not name.startswith(LOG_PROBABILITY)]


def log_probabilities(corpus: Corpus, system: System) -> tuple[float, ...]:
    """Of each text under the system, NaN where there is none; empty without column."""
    name = f"{LOG_PROBABILITY}{system.name}"
    if name not in corpus.attributes:
        return ()
    told = corpus.texts.order_by("position").values_list("attributes", flat=True)
    values = (number(one.get(name, "")) for one in told.iterator(READ_AT_ONCE))
    return tuple(math.nan if value is None else value for value in values)


def signed(corpus: Corpus | None) -> str:
    """What a corpus adds to the signature of what is computed from it."""
    return f"|corpus:sha256:{corpus.digest[:16]}" if corpus else ""


def check_there(run: MetricRun, needs: Collection[str]) -> None:
    """Raise MetricError where the run's corpus was deleted after it had been chosen."""
    begun = run.signature.text if run.signature else ""
    if run.corpus is None and ("|corpus:" in begun or "corpus" in needs):
        raise MetricError(GONE)


def _frequent(corpus: Corpus, name: str) -> list[tuple[str, int]]:
    rows = corpus.texts.order_by().annotate(value=KeyTextTransform(name, "attributes"))
    counted = rows.values_list("value").annotate(n=Count("pk"))
    return list(counted.order_by("-n", "value")[:FREQUENT])


def _check_new(study: Study, name: str) -> None:
    if not NAME.fullmatch(name):
        raise CorpusError(
            "The name of a corpus is up to 64 letters, digits, hyphens and"
            f" underscores, not {shown(name)}."
        )
    names = set(study.corpora.values_list("name", flat=True))
    if name in names:
        raise CorpusError(_taken(name))
    if len(names) >= MOST_CORPORA:
        raise CorpusError(
            f"The study already has {MOST_CORPORA} corpora, the most it can have:"
            " delete one."
        )


def _taken(name: str) -> str:
    return f"The study already has a corpus {shown(name)}: choose another name."


def _rows_of(system: System) -> Iterator[Row]:
    found = system.generations.filter(excluded_at=None).of_one_level()
    found = found.order_by("pk")
    rows = found.select_related("prompt__label").iterator(chunk_size=READ_AT_ONCE)
    for line, row in enumerate(rows, 1):
        label, source = row.prompt.label, row.prompt.source
        told = {"label": label.name if label else "", files.SOURCE: source}
        yield Row(line, row.full_text, {k: v for k, v in told.items() if v.strip()})


def _save(
    corpus: Corpus, contents: Contents, rows: Iterable[Row], now: datetime.datetime
) -> Corpus:
    """Write what `contents` has counted, in one transaction."""
    corpus.digest, corpus.attributes = contents.digest, contents.attributes
    corpus.n_texts, corpus.n_duplicates = contents.n_texts, contents.n_duplicates
    corpus.n_characters = contents.n_characters
    try:
        with transaction.atomic():
            corpus.save()
            written = _write(corpus, rows)
            if written.digest != contents.digest:
                raise CorpusError(CHANGED)
            events.log(
                study=corpus.study,
                verb="added-corpus",
                now=now,
                user=corpus.created_by,
                about=corpus.name,
                detail=f"{described(corpus)}, of {corpus.file_name}",
            )
    except IntegrityError as error:  # another process was faster
        raise CorpusError(_taken(corpus.name)) from error
    return corpus


def _write(corpus: Corpus, rows: Iterable[Row]) -> Contents:
    """Write rows in batches, and count again what is written."""
    contents = Contents()
    made = (
        CorpusText(
            corpus=corpus,
            position=position,
            text=row.text,
            attributes={n: row.attributes.get(n, "") for n in corpus.attributes},
        )
        for position, row in enumerate(contents.unique(rows))
    )
    while batch := list(islice(made, BATCH)):
        CorpusText.objects.bulk_create(batch)
    return contents


def _n(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def hold(corpus: Corpus | None, refusal: type[Exception]) -> None:
    """Deleting the corpus now waits, and then sees what was started with it.

    Raises:
        refusal: It was deleted.
    """
    if corpus and not Corpus.objects.select_for_update().filter(pk=corpus.pk).first():
        raise refusal(f"the corpus {corpus.name} was deleted: choose another")
