"""Sets of texts that were shown together, and the damaged text hidden in each."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotation.models import Item, Negative, Study, Survey
from annotation.models.kinds import DEFAULT_KIND
from scoring.archive.parquet import Mismatch
from scoring.archive.restore.folder import Folder
from scoring.archive.restore.texts import Known

AT_ONCE = 500  # rows
MOST = 1_000_000  # surveys


@dataclass(slots=True)
class Sets:
    """By numbers of the data set."""

    surveys: dict[int, Survey] = field(default_factory=dict)
    negatives: dict[int, Negative] = field(default_factory=dict)
    # By survey, and by the text's id, or None of the damaged text.
    items: dict[tuple[int, int | None], Item] = field(default_factory=dict)


def restore(*, study: Study, folder: Folder, known: Known) -> Sets:
    """Make surveys, damaged texts and what is on each page."""
    found = Sets()
    shown = _shown(folder, known) if folder.has_single_ratings else {}
    rows = list(folder.rows("damaged_texts"))
    of_page = {
        row["survey"]: known.prompt("damaged_texts", row["prompt"]) for row in rows
    }
    for number in sorted({*shown, *of_page}):
        prompt = of_page.get(number) or known.prompt_of[next(iter(shown[number]))]
        found.surveys[number] = _survey(study, number, prompt)
    Survey.objects.bulk_create(found.surveys.values(), batch_size=AT_ONCE)
    for row in rows:
        found.negatives[row["number"]] = Negative(
            survey=found.surveys[row["survey"]],
            source_id=known.text("damaged_texts", row["source"]),
            perturbation=row["perturbation"][:30],
            hurts=row["hurts"],
            text=row["text"],
            seed=0,
        )
    Negative.objects.bulk_create(found.negatives.values(), batch_size=AT_ONCE)
    _add_items(found, shown)
    return found


def _survey(study: Study, number: int, prompt: int) -> Survey:
    if not 1 <= number <= MOST:
        raise Mismatch(f"There is no set of texts {number}.")
    kind = study.page_kinds[0] if study.page_kinds else DEFAULT_KIND
    return Survey(study=study, kind=kind, prompt_id=prompt, number=number, seed=0)


def _shown(folder: Folder, known: Known) -> dict[int, dict[int, None]]:
    """Ids of the texts of each survey, in the order in which they were first rated."""
    found: dict[int, dict[int, None]] = {}
    for row in folder.rows("ratings"):
        if row["survey"] is not None and row["text"]:
            texts = found.setdefault(row["survey"], {})
            texts[known.text("ratings", row["text"])] = None
    return found


def _add_items(found: Sets, shown: dict[int, dict[int, None]]) -> None:
    for number, texts in shown.items():
        for text in texts:
            item = Item(survey=found.surveys[number], generation_id=text)
            found.items[number, text] = item
    for negative in found.negatives.values():
        item = Item(survey=negative.survey, negative=negative)
        found.items[negative.survey.number, None] = item
    Item.objects.bulk_create(found.items.values(), batch_size=AT_ONCE)
