from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from annotation import imports, studies, surveys
from annotation.assistant import recipes as saved_recipes
from annotation.imports import intakes, recipes
from annotation.models import Study
from scoring.archive import restore
from scoring.archive.restore import folder
from scoring.publishing import hub_folders
from scoring.runs import uploaded, uploaded_systems
from scoring.runs.intakes import RESULTS

SCORES, OF_SYSTEMS = uploaded.INTAKE, uploaded_systems.INTAKE
OWN = "columns"
FOLDER = "dataset"
# What a recipe says, too.
IN_RECIPES = ("map", "sheet", "preset", "encoding", "ratings", "decimal", "again")
OPEN_QUESTION = 3  # exit code: a person has to say something


class Command(BaseCommand):
    help = (
        "Create a study from a file: csv, tsv, jsonl, json, xlsx, parquet, or a zip"
        " file with these. Columns are mapped by their names; --map corrects that, for"
        " example --map text=output --map system=model --map rating:fluency=Q1. With"
        " --format scores, add metric scores to a study; with --format systems, numbers"
        " of whole systems by metrics and people, as in a published table (without the"
        " study, it is made); with --format results, scores as inspect_ai, HELM,"
        " lm-evaluation-harness, DeepEval or Every Eval Ever wrote them. With --format"
        " dataset, PATH is the folder of a"
        " data set: one that export_dataset wrote comes back with all that is in it; of"
        " any other, the table that --sheet names, or the first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="of the study: letters, digits, hyphens")
        parser.add_argument("path", type=Path)
        parser.add_argument(
            "--format",
            default=OWN,
            choices=[*imports.FORMATS, FOLDER, SCORES, OF_SYSTEMS, RESULTS],
            help=f"default {OWN}: any table, with columns of its own",
        )
        _add_mapping(parser)
        parser.add_argument(
            "--add", action="store_true", help="add the file to a draft study"
        )
        parser.add_argument(
            "--yes",
            action="store_true",
            help="what is proposed is right: the numbers of answers in words, which"
            " columns are ratings, that unknown systems are new, and for scores the"
            " pairs of text and value",
        )
        parser.add_argument(
            "--owner", help="user who sees the study; without one, staff only"
        )
        parser.add_argument("--title", help="what workers see")
        parser.add_argument(
            "--language",
            choices=[code for code, _ in settings.LANGUAGES],
            help="of the pages that workers see; default en",
        )
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
            self.stdout.write(_of_path(options, owner))
        except OSError as error:
            raise CommandError(f"{options['path']}: {error.strerror}") from error
        except studies.StudyError as error:
            raise CommandError(str(error)) from error
        except imports.Asked as error:
            raise CommandError(
                "\n".join(_asked(error.questions)), returncode=OPEN_QUESTION
            ) from error
        except imports.UploadError as error:
            raise CommandError("\n".join(["nothing was imported", *error.lines])) from (
                error
            )


def _asked(questions: Sequence[imports.Question]) -> Iterator[str]:
    """What nobody has said yet, each with the option that says it."""
    yield "Nothing was stored: the file can be read in more than one way."
    for question in questions:
        yield f"- {question.sentence}"
        yield from (f"  {example}" for example in question.examples)
        yield f"  Answer with {question.option}"
    if all(question.has_proposal for question in questions):
        yield "If all of this is right as it stands, add --yes."


def _of_path(options: Mapping[str, Any], owner: User | None) -> str:
    path: Path = options["path"]
    if options["format"] != FOLDER:
        with path.open("rb") as file:
            return _import(file, options, owner)
    if not path.is_dir():
        raise CommandError(f"There is no folder {path}.")
    if folder.is_meant(path):
        if options["add"]:
            raise CommandError(
                "A data set of EvalApp makes a new study: leave out --add."
            )
        study = restore.restore(
            name=options["name"], path=path, owner=owner, now=timezone.now()
        )
        return f"{study}: {study.generations.count():,} texts with all that {path} has"
    with hub_folders.opened(path, options["sheet"] or "") as file:
        of_folder = {**options, "format": OWN, "sheet": None}
        return _import(file, of_folder, owner)


def _import(file: Any, options: Mapping[str, Any], owner: User | None) -> str:
    name, file_name = options["name"], options["path"].name
    if options["format"] == SCORES:
        return _scores(file, options, owner)
    profile = intakes.Profile(file, file_name)
    if options["format"] == RESULTS:
        return _of_whole_systems(profile, _study(name), options, owner)
    if options["format"] == OF_SYSTEMS:
        with transaction.atomic():
            study = _of_systems(name, owner)
            return _of_whole_systems(profile, study, options, owner)
    upload: dict[str, Any] = {
        "format": options["format"],
        "file": file,
        "file_name": file_name,
        "options": _options(options, owner),
    }
    if options["add"]:
        result = imports.into(study=_study(name), user=owner, **upload)
    else:
        result = imports.run(study_name=name, owner=owner, **upload)
    lines = [str(result), *result.notes, *imports.not_used(result.account)]
    lines.append(imports.total(result.account))
    if undamaged := surveys.what_cannot_be_damaged(study=result.study):
        lines.append(f"{undamaged} Choose on the study's Overview what to do.")
    return "\n".join(lines)


def _of_whole_systems(
    profile: intakes.Profile,
    study: Study,
    options: Mapping[str, Any],
    owner: User | None,
) -> str:
    """Stored, once somebody has said that unknown systems are new."""
    intake = intakes.get(options["format"])
    brought = intake.read(study, profile, intakes.Answers())
    if brought.questions and not options["yes"]:
        raise imports.Asked(brought.questions)
    directions = [way for way in brought.directions if way.is_proposed]
    by_name = ", ".join(f"{way.output}: {way.value}" for way in directions)
    lines = [f"Which way is better, by their names: {by_name}."] if directions else []
    of = "numbers of systems," if options["format"] == OF_SYSTEMS else "scores of"
    signatures = brought.store(owner).signatures
    return "\n".join([*lines, *(f"{study}: {of} {text}" for text in signatures)])


def _scores(file: BinaryIO, options: Mapping[str, Any], owner: User | None) -> str:
    """Three pairs of text and value, and what is stored once someone agrees."""
    name = options["name"]
    checked = uploaded.read(
        study=_study(name), file=file, file_name=options["path"].name
    )
    lines = [checked.doubt] if checked.doubt else []
    lines.append("Do these belong together? Compare them with your file:")
    lines += [f"  {pair}" for pair in checked.pairs()]
    if not options["yes"] and not _agreed("\n".join(lines)):
        advice = "Nothing was stored. If the pairs are right, add --yes."
        raise CommandError("\n".join([*lines, advice]), returncode=OPEN_QUESTION)
    runs = checked.store(user=owner)
    return "\n".join([*lines, *(f"{name}: scores of {r.signature}" for r in runs)])


def _agreed(question: str) -> bool:
    """Asked where someone can answer."""
    if not sys.stdin.isatty():
        return False
    answer = input(f"{question}\nStore the scores? [y/N] ")
    return answer.strip().lower() in ("y", "yes")


def _add_mapping(parser: CommandParser) -> None:
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="ROLE=COLUMN",
        help="what a column is; ROLE is one of "
        + ", ".join(
            f"{role}:NAME" if role in imports.NAMED else role for role in imports.ROLES
        ),
    )
    parser.add_argument(
        "--ratings",
        action="append",
        default=[],
        metavar="'ASPECT: ANSWER=NUMBER,...'",
        help="what answers stand for, such as 'coherence: Agree=4,Disagree=2,99=';"
        " without an aspect, for all of them; nothing after = means no answer",
    )
    parser.add_argument(
        "--decimal",
        choices=["comma", "point"],
        help="what 1,234 is: with comma 1.234, with point 1234",
    )
    parser.add_argument(
        "--again",
        choices=["text", "first"],
        help="what the same words are that one rater has rated twice: another text, or"
        " the same one, of which the first rating counts",
    )
    parser.add_argument(
        "--sheet", help="of a workbook; default the one that holds most"
    )
    parser.add_argument(
        "--encoding",
        choices=list(imports.ENCODINGS),
        metavar="NAME",
        help="of a file of text; default: as recognised; there are "
        + ", ".join(imports.ENCODINGS),
    )
    parser.add_argument(
        "--preset",
        choices=["none", *imports.PRESETS],
        help="a ready mapping; default: as the columns say",
    )
    parser.add_argument(
        "--recipe",
        metavar="FILE|NAME",
        help="all of this out of a JSON file, or as --owner has saved it under a name",
    )
    parser.add_argument(
        "--leave-out",
        action="store_true",
        help="leave out lines that cannot be used, rather than import nothing",
    )


def _options(given: Mapping[str, Any], owner: User | None) -> dict[str, Any]:
    chosen = ("title", "language", "scale", "ratings_per_text", "systems", "cut")
    found: dict[str, Any] = {key: given[key] for key in chosen}
    if given["leave_out"]:
        found["leave_out"] = True
    said = [key for key in IN_RECIPES if given[key]]
    if given["format"] != OWN:
        if said or given["recipe"]:
            told = "--map, --sheet, --preset, --encoding, --ratings, --decimal, --again"
            raise CommandError(f"{told} and --recipe need --format {OWN}.")
        return found
    found["scale"] = given["scale"] or imports.AUTO
    if given["recipe"]:
        if said:
            named = ", ".join(f"--{key}" for key in said)
            raise CommandError(f"--recipe says all of that: leave out {named}.")
        recipe = recipes.options_of(_recipe(given["recipe"], owner))
        cut = {"cut": found["cut"]} if found["cut"] else {}
        return {**found, **recipe, **cut, "yes": given["yes"]}
    found["sheet"], found["encoding"] = given["sheet"], given["encoding"]
    if given["preset"]:
        found["preset"] = "" if given["preset"] == "none" else given["preset"]
    if given["map"]:
        found |= {"map": _pairs(given["map"]), "guess": True}
    found["values"] = _values(given["ratings"])
    found |= {key: given[key] for key in ("decimal", "again", "yes")}
    return found


def _recipe(said: str, owner: User | None) -> dict[str, Any]:
    """Out of a file, or saved by the owner; never one where both could be meant."""
    path = Path(said)
    saved = owner is not None and owner.recipes.filter(name=said).exists()
    if path.is_file() and saved:
        raise CommandError(
            f"There are a file {said} and a saved recipe {said}. Write ./{said} for the"
            " file, or rename it."
        )
    if path.is_file():
        with path.open("rb") as file:
            return recipes.read(file.read(recipes.LARGEST + 1))
    if owner is None:
        raise CommandError(
            f"There is no file {said}. For a recipe that somebody has saved, say whose"
            " with --owner."
        )
    return saved_recipes.named(user=owner, name=said)


def _values(given: Sequence[str]) -> dict[str, dict[str, int | str]]:
    """Numbers by answer and aspect: "coherence: Agree=4,Disagree=2,99="."""
    values: dict[str, dict[str, int | str]] = {}
    for one in given:
        before, colon, after = one.rpartition(": ")
        about, pairs = (before.strip(), after) if colon else ("", one)
        for pair in csv.reader([pairs], skipinitialspace=True):
            for answered in pair:
                word, equals, number = answered.rpartition("=")
                if not equals or not (number.strip().isdecimal() or not number.strip()):
                    raise CommandError(
                        f"--ratings {one}: write ANSWER=NUMBER, such as"
                        " 'coherence: Agree=4,Disagree=2', and ANSWER= for no answer."
                    )
                number = number.strip()
                stands = int(number) if number else ""
                values.setdefault(about, {})[word.strip()] = stands
    return values


def _pairs(said: Sequence[str]) -> dict[str, str]:
    """Roles by column, as they were said: text=output."""
    found = {}
    for one in said:
        role, equals, column = one.partition("=")
        if not equals or not column:
            raise CommandError(f"--map {one}: write ROLE=COLUMN, such as text=output.")
        found[column] = role
    return found


def _study(name: str) -> Study:
    try:
        return Study.objects.whole().get(name=name)
    except Study.DoesNotExist:
        raise CommandError(
            f"There is no study {name}. Make it first, from a file with its texts:"
            f" manage.py import_study {name} FILE"
        ) from None


def _of_systems(name: str, owner: User | None) -> Study:
    """A published table needs no texts, so no other command can have made its study."""
    study = Study.objects.whole().filter(name=name).first()
    return study or studies.create(name=name, owner=owner)


def _user(name: str | None) -> User | None:
    if not name:
        return None
    users = get_user_model().objects
    try:
        return users.get(username=name)
    except users.model.DoesNotExist:
        raise CommandError(f"There is no user {name}.") from None
