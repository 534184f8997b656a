from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.imports import UploadError
from scoring.analyses.shared.page_words import n_of
from scoring.management.analyses import find_study
from scoring.runs import mark_intake, metric_marks
from scoring.stats.spans.files import sentences

SHOWN = 5  # of each kind of trouble


class Command(BaseCommand):
    help = (
        "Import the errors that a metric has marked in a study's texts, for the page"
        " Marked errors. A text is found by its words."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("path", type=Path)
        parser.add_argument("--metric", help="what tables call it (default: the file)")
        parser.add_argument(
            "--format",
            choices=metric_marks.FORMATS,
            default="xcomet",
            help="xcomet: JSON of comet-score --to_json; esa: JSON lines of WMT24; mqm:"
            " WMT's tables with tags in the texts; sentences: JSON lines with text,"
            " sentences and scores",
        )

        parser.add_argument(
            "--threshold",
            type=float,
            default=sentences.THRESHOLD,
            help="of sentences: scores below it are errors (default %(default)s)",
        )

    def handle(
        self, *args: Any, study: str, path: Path, metric: str, **options: Any
    ) -> None:
        of_study = find_study(study)
        try:
            with path.open("rb") as file:
                below = options["threshold"]
                read = metric_marks.read(file, options["format"], threshold=below)
                placed = metric_marks.placed(study=of_study, read=read)
                about = mark_intake.About(
                    path.name,
                    mark_intake.sha256_of(file),
                    (metric or path.stem)[: metric_marks.LONGEST],
                    options["format"],
                    below,
                )
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        except UploadError as error:
            raise CommandError(f"{path}: {error}") from error
        mark_intake.store(study=of_study, placed=placed, about=about, user=None)
        marks, texts = n_of(placed.n_marks, "mark"), n_of(len(placed.marks), "text")
        self.stdout.write(f"{marks} in {texts}")
        for refusal in placed.refusals[:SHOWN]:
            self.stderr.write(f"row {refusal.row}, {refusal.code}: {refusal.about}")
        if placed.refusals:
            lost = n_of(len(placed.refusals), "mark")
            self.stderr.write(f"not in the words of their text: {lost}")
        for segment in placed.unknown[:SHOWN]:
            self.stderr.write(f"not in the study: {segment.of.text}")
        if placed.again:
            times = n_of(placed.again, "time")
            self.stderr.write(
                f"a text marked otherwise, where the first counts: {times}"
            )
        if placed.unknown:
            lost = n_of(len(placed.unknown), "text")
            self.stderr.write(f"not in the study: {lost}")
