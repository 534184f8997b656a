"""Marks of metrics as a kind of file that a study takes."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import PurePath
from typing import BinaryIO, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.imports import Question, UploadError
from annotation.imports.intakes import (
    Added,
    Answers,
    Brought,
    Intake,
    Profile,
    record_of_intake,
    save_record,
)
from annotation.models import Import, Study
from scoring.models import MetricReading
from scoring.runs import metric_marks
from scoring.runs.metric_marks import Placed
from scoring.stats.spans.files.sentences import THRESHOLD

KEY, METRIC = "marks", "metric"
UNPLACED, UNKNOWN = "unplaced-marks", "unknown-texts"
TWICE, AGAIN = "marked-twice", "marked-again"
SHOWN = 3  # of each kind of trouble
WHY = {
    "absent": "does not stand in its text",
    "ambiguous": "stands in its text more than once",
    "unclosed": "has one tag without the other",
    "outside": "leaves its text",
    "shape": "is no mark",
}


class About(NamedTuple):
    """A file, and what it is."""

    file_name: str
    sha256: str
    metric: str  # what tables call it
    format: str  # of `metric_marks.FORMATS`
    threshold: float = THRESHOLD  # of sentences


def _read(study: Study, profile: Profile, answers: Answers) -> Brought:
    [format] = metric_marks.formats_of(profile.columns)[:1] or [""]
    if not format:
        raise UploadError(["This file has no marks of errors that can be read here."])
    metric = name_of(profile.file_name)
    placed = metric_marks.placed(
        study=study, read=metric_marks.read(profile.file, format)
    )
    if not placed.marks:
        n = len(placed.unknown)
        raise UploadError([f"None of the {n:,} texts of this file is in this study."])
    about = About(profile.file_name, sha256_of(profile.file), metric, format)
    return Brought(
        facts=[
            ("Written as", metric_marks.FORMATS[format].title),
            ("Metric", f"{metric}, after the name of the file"),
            ("Marks", f"{placed.n_marks:,}"),
            ("Texts", f"{len(placed.marks):,} of {study.generations.count():,}"),
        ],
        store=lambda user: store(study=study, placed=placed, about=about, user=user),
        questions=_questions(study, metric, placed),
    )


def sha256_of(file: BinaryIO) -> str:
    """Of all its bytes; leaves the file at its end."""
    file.seek(0)
    digest = hashlib.sha256()
    for block in iter(partial(file.read, 1 << 16), b""):
        digest.update(block)
    return digest.hexdigest()


def name_of(file_name: str) -> str:
    """What tables call the metric: as its file is called."""
    return PurePath(file_name).stem[: metric_marks.LONGEST] or KEY


def store(*, study: Study, placed: Placed, about: About, user: User | None) -> Added:
    """Keep the marks and the note of their file."""
    with transaction.atomic():
        metric_marks.keep(study=study, metric=about.metric, marks=placed.marks)
        options = {"file": about.file_name, "sha256": about.sha256}
        record = record_of_intake(study, KEY, options, placed.n_marks, user)
        record.options = {METRIC: about.metric, "written": about.format}
        if about.format == "sentences":
            record.options["threshold"] = about.threshold
        save_record(record, timezone.now())
    return Added(f"Marks of {about.metric} added.", "analysis", ["marked_errors"])


def remove(record: Import) -> None:
    """Delete the import and its marks, unless a later file has replaced them."""
    same = record.study.imports.filter(format=KEY, options__metric=_metric(record))
    if not same.filter(pk__gt=record.pk).exists():
        metric_marks.forget(study=record.study, metric=_metric(record))
    record.delete()


def _metric(record: Import) -> str:
    return str(record.options.get(METRIC, ""))


def _questions(study: Study, metric: str, placed: Placed) -> list[Question]:
    sentences = {
        UNPLACED: _about_refusals(placed),
        UNKNOWN: _about_unknown(placed),
        TWICE: _about_twice(placed),
        AGAIN: _about_earlier(study, metric),
    }
    return [
        Question(code, "", sentence, option="--yes", is_for_people=True)
        for code, sentence in sentences.items()
        if sentence
    ]


def _about_refusals(placed: Placed) -> str:
    if not placed.refusals:
        return ""
    first = "; ".join(
        f"row {refusal.row}, “{refusal.about[:60]}” {WHY[refusal.code]}"
        for refusal in placed.refusals[:SHOWN]
    )
    n = len(placed.refusals)
    marks = "1 mark has" if n == 1 else f"{n:,} marks have"
    return f"{marks} no place: {first}. Add the others without?"


def _about_unknown(placed: Placed) -> str:
    n = len(placed.unknown)
    if not n:
        return ""
    first = placed.unknown[0].of.text[:60]
    texts = "1 text of the file is" if n == 1 else f"{n:,} texts of the file are"
    return f"{texts} not in this study, such as “{first}”. Add the others?"


def _about_twice(placed: Placed) -> str:
    if not placed.again:
        return ""
    return (
        f"The file marks the same text otherwise {placed.again:,}"
        f" time{'' if placed.again == 1 else 's'}, as several raters do. A metric reads"
        " a text once. Does the first reading of each text count?"
    )


def _about_earlier(study: Study, metric: str) -> str:
    readings = MetricReading.objects.filter(generation__study=study, metric=metric)
    if not readings.exists():
        return ""
    return f"{metric} has marked texts of this study before. Replace those marks?"


INTAKE = Intake(
    key=KEY,
    title="Marked errors of a metric",
    help=(
        "As xCOMET (JSON), ESA and MQM of WMT write them, or JSON lines with text,"
        " sentences and scores. The name of the file is the name of the metric."
    ),
    is_meant=lambda profile: bool(metric_marks.formats_of(profile.columns)),
    read=_read,
    formats=(KEY,),
    remove=remove,
    row="mark",
)
