"""Ratings of texts that a study has, by id: what to look at before they are stored.

An id in a file and the same id in a study need not mean the same text.
"""

from __future__ import annotations

from itertools import islice

from annotation.imports._asking import IDS, Question
from annotation.imports._problems import shown
from annotation.imports._rows import Options, Row
from annotation.imports._sheet import Sheet
from annotation.models import Annotation, Generation, ImportedMean, Study

SHOWN = 3
LONGEST = 200  # characters of a text


def ask_about_ids(sheet: Sheet, study: Study | None, options: Options) -> None:
    """Note the question whether texts and ratings belong together, if it is one."""
    if study is None or not sheet.counts.by_id or sheet.problems.of_the_file:
        return
    question = Question(
        IDS,
        "",
        f"{sheet.counts.by_id:,} texts of this study have values in the file, by their"
        " IDs. Do these texts and values belong together?",
        examples=_pairs(sheet, study),
        option="--yes",
    )
    sheet.asked = [*sheet.asked, question]
    if not options.yes:
        sheet.questions = [*sheet.questions, question]


def _pairs(sheet: Sheet, study: Study) -> list[str]:
    """The first text of the file, one in the middle, and its last."""
    last = sheet.n_kept - 1
    places = sorted({0, last // 2, last})
    rows = [row for n, row in enumerate(islice(sheet, last + 1)) if n in places]
    texts = study.generations.filter(key__in=[row.key for row in rows])
    words = dict(texts.values_list("key", "text"))
    return [_pair(row, words.get(row.key, "")) for row in rows][:SHOWN]


def _pair(row: Row, text: str) -> str:
    one = " ".join(text[: 2 * LONGEST].split())
    short = f"{one[:LONGEST]}…" if len(one) > LONGEST else one
    values = [f"{r.aspect} {r.value}{_by(r.rater)}" for r in row.ratings]
    values += [f"{mean.aspect} {mean.mean:g}" for mean in row.means]
    values += [f"{name} {value:g}" for name, value in row.scores.items()]
    return f"{shown(row.key)}: {', '.join(values)}: “{short}”"


def _by(rater: str) -> str:
    return f" by {rater}" if rater else ""


def rated(study: Study) -> set[int]:
    """Hashes of id, aspect and rater (None: a mean) of what came in with files."""
    ratings = Annotation.objects.filter(generation__study=study).exclude(rater="")
    means = ImportedMean.objects.filter(generation__study=study)
    columns = ("generation__key", "aspect__key")
    values = ratings.values_list(*columns, "rater").iterator()
    hashes = {hash((key, aspect, rater)) for key, aspect, rater in values}
    for key, aspect in means.values_list(*columns).iterator():
        hashes.add(hash((key, aspect, None)))
    return hashes


def texts_by_id(study: Study) -> dict[str, int]:
    return dict(Generation.objects.filter(study=study).values_list("key", "pk"))
