from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation import imports, surveys
from annotation.models import Study
from scoring.runs import uploaded

SCORES = "scores"


class Command(BaseCommand):
    help = "Make a study of a file. With --format scores, add metric scores to a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="of the study: letters, digits, hyphens")
        parser.add_argument("path", type=Path)
        parser.add_argument(
            "--format", required=True, choices=[*imports.FORMATS, SCORES]
        )
        parser.add_argument(
            "--add", action="store_true", help="add the file to a draft study"
        )
        parser.add_argument(
            "--owner", help="user who sees the study; without one, staff only"
        )
        parser.add_argument("--title", help="what workers see")
        parser.add_argument("--scale", metavar="LOW-HIGH", help="default 1-5")
        parser.add_argument("--ratings-per-text", type=int, metavar="N")
        parser.add_argument(
            "--systems",
            choices=["by-order"],
            help="name the systems by the order of rows, where the file does not",
        )
        parser.add_argument(
            "--cut",
            type=int,
            metavar="WORDS",
            help="keep so many words and drop an incomplete last sentence; "
            "the CTRLEval paper kept 80",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        owner = _user(options["owner"])
        try:
            with options["path"].open("rb") as file:
                self.stdout.write(_import(file, options, owner))
        except OSError as error:
            raise CommandError(f"{options['path']}: {error.strerror}") from error
        except imports.UploadError as error:
            raise CommandError("\n".join(["nothing was imported", *error.lines])) from (
                error
            )


def _import(file: Any, options: Mapping[str, Any], owner: User | None) -> str:
    name, file_name = options["name"], options["path"].name
    if options["format"] == SCORES:
        runs = uploaded.add(
            study=_study(name), file=file, file_name=file_name, user=owner
        )
        return "\n".join(f"{name}: scores of {run.signature}" for run in runs)
    chosen = ("title", "scale", "ratings_per_text", "systems", "cut")
    given: dict[str, Any] = {
        "format": options["format"],
        "file": file,
        "file_name": file_name,
        "options": {key: options[key] for key in chosen},
    }
    if options["add"]:
        result = imports.into(study=_study(name), user=owner, **given)
    else:
        result = imports.run(study_name=name, owner=owner, **given)
    lines = [str(result)]
    if said := surveys.what_cannot_be_damaged(study=result.study):
        lines.append(f"{said} Choose on the study's Overview what to do.")
    return "\n".join(lines)


def _study(name: str) -> Study:
    try:
        return Study.objects.get(name=name)
    except Study.DoesNotExist:
        raise CommandError(f"There is no study {name}.") from None


def _user(name: str | None) -> User | None:
    if not name:
        return None
    users = get_user_model().objects
    try:
        return users.get(username=name)
    except users.model.DoesNotExist:
        raise CommandError(f"There is no user {name}.") from None
