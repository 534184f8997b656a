from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.analyses.shared.page_words import n_of
from scoring.management.analyses import find_study
from scoring.runs import metric_marks

SHOWN = 5  # of each kind of trouble


class Command(BaseCommand):
    help = (
        "Import the errors that a metric has marked in a study's texts, for the page"
        " Marked errors. A text is found by its words."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("path", type=Path)
        parser.add_argument("--metric", required=True, help="what tables call it")
        parser.add_argument(
            "--format",
            choices=metric_marks.FORMATS,
            default="xcomet",
            help="xcomet: JSON of comet-score --to_json; esa: JSON lines of WMT24; mqm:"
            " WMT's tables with tags in the texts",
        )

    def handle(
        self, *args: Any, study: str, path: Path, metric: str, **options: Any
    ) -> None:
        of_study = find_study(study)
        try:
            read = metric_marks.FORMATS[options["format"]](path)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        except ValueError as error:
            raise CommandError(f"{path}: {error}") from error
        kept = metric_marks.keep(study=of_study, metric=metric, read=read)
        marks, texts = n_of(kept.n_marks, "mark"), n_of(kept.n_texts, "text")
        self.stdout.write(f"{marks} in {texts}")
        for refusal in kept.refusals[:SHOWN]:
            self.stderr.write(f"row {refusal.row}, {refusal.code}: {refusal.about}")
        if kept.refusals:
            lost = n_of(len(kept.refusals), "mark")
            self.stderr.write(f"not in the words of their text: {lost}")
        for segment in kept.unknown[:SHOWN]:
            self.stderr.write(f"not in the study: {segment.of.text}")
        if kept.unknown:
            lost = n_of(len(kept.unknown), "text")
            self.stderr.write(f"not in the study: {lost}")
