"""A study of a data set's folder, with numbers equal to the last digit.

Texts come in as those of any file do, with all their checks; what people and metrics
said follows in the same transaction. Nothing in the folder is trusted: a table that is
not as `fields` describes it, or names what is not there, is refused as a whole.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction

from annotation.imports import UploadError, limits
from annotation.models import Study
from scoring.archive.parquet import Mismatch
from scoring.archive.restore import (
    answers,
    damaged,
    metric_marks,
    pages,
    scores,
    settings,
    texts,
)
from scoring.archive.restore.folder import Folder, opened

__all__ = ["restore"]

TWICE = (
    "A table says something twice that can be said only once, or has a number that is"
    " too large."
)


def restore(*, name: str, path: Path, owner: User | None, now: datetime) -> Study:
    """Make a study of a folder that EvalApp wrote.

    Args:
        name: A new name.
        path: The folder.
        owner: Whose study it is; None: staff's.
        now: When.

    Raises:
        UploadError: With what is wrong. Nothing was written.
    """
    try:
        folder = opened(path, most=_most_rows())
        with transaction.atomic():
            return _restored(name, folder, owner, now)
    except Mismatch as error:
        raise UploadError([str(error)]) from error
    except ValidationError as error:
        raise UploadError([_said(error)]) from error
    except (IntegrityError, DataError, OverflowError) as error:
        raise UploadError([TWICE]) from error


def _restored(name: str, folder: Folder, owner: User | None, now: datetime) -> Study:
    study, record = texts.restore(name=name, folder=folder, owner=owner)
    settings.restore(study=study, folder=folder)
    found = texts.known(study)
    hidden = damaged.restore(study=study, folder=folder, known=found)
    if folder.has_single_ratings:
        seats = pages.restore(
            study=study, folder=folder, known=found, damaged=hidden, now=now
        )
        answers.ratings(folder=folder, known=found, seats=seats, record=record, now=now)
        answers.of_kinds(folder=folder, texts=found, seats=seats, now=now)
        answers.votes(study=study, folder=folder, known=found, record=record)
    answers.means(folder=folder, known=found, record=record)
    scores.restore(
        study=study, folder=folder, known=found, damaged=hidden, user=owner, now=now
    )
    metric_marks.restore(folder=folder, known=found)
    return study


def _most_rows() -> int:
    """Of one table: ratings are many for each text."""
    return limits().rows * 100


def _said(error: ValidationError) -> str:
    """One sentence, whatever was wrong."""
    if hasattr(error, "message_dict"):
        told = [f"{k}: {' '.join(v)}" for k, v in error.message_dict.items()]
        return "; ".join(told)[:1000]
    return " ".join(error.messages)[:1000]
