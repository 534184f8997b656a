"""Studies that take no texts, or no ratings, any more."""

from __future__ import annotations

from annotation.imports._problems import UploadError
from annotation.imports._sheet import Sheet
from annotation.models import Opening, Storing, Study


def refuse_unless_open_to_texts(study: Study) -> None:
    if Storing.objects.filter(study=study).exists():
        raise UploadError(
            [f"Another file is being added to {study}: wait until it is in."]
        )
    if Opening.objects.filter(study=study, state__in=Opening.UNFINISHED).exists():
        raise UploadError(
            [f"The pages of {study} are being prepared: texts cannot be added."]
        )
    if study.state == Study.State.PAUSED:
        return
    if study.state != Study.State.DRAFT:
        raise UploadError(
            [
                f"{study} is {study.state}: texts can be added to a draft only, or "
                "while a study is paused."
            ]
        )
    if study.surveys.exists():
        raise UploadError(
            [f"The surveys of {study} have been created, so texts cannot be added."]
        )


def refuse_ratings_unless_draft(study: Study, sheet: Sheet) -> None:
    rated = sheet.counts.ratings or sheet.counts.means
    if study.state != Study.State.DRAFT and rated:
        raise UploadError(
            [
                f"{study} is {study.state}: workers rate its texts, so a file with "
                "ratings cannot be added. Leave its ratings out, or make a new study."
            ]
        )
