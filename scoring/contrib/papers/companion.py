"""Files of a data set for search engines, hubs and papers. Pure.

croissant.json  heds.md  heds.json   what it is
every_eval_ever/                     its results, in the format of that project
paper/                               a paragraph, tables and references
"""

from __future__ import annotations

from collections.abc import Mapping

from scoring.contrib.papers import bibtex, croissant, every_eval_ever, heds, methods
from scoring.contrib.papers.heds_questions import QUESTIONS
from scoring.publishing.companions import Companion
from scoring.publishing.facts import Facts


def _files(facts: Facts, digests: Mapping[str, str]) -> dict[str, str]:
    sheet = heds.fill(facts)
    return {
        "croissant.json": croissant.write(facts, digests, bibtex.of_data_set(facts)),
        "heds.md": heds.as_markdown(sheet),
        "heds.json": heds.as_json(sheet),
        "paper/methods.md": methods.paragraph(facts),
        "paper/methods.tex": methods.latex(facts),
        "paper/references.bib": bibtex.write(facts),
        **every_eval_ever.files(facts),
    }


def _report(facts: Facts) -> str:
    sheet = heds.fill(facts)
    return f"HEDS: {sheet.n_answered} of {len(sheet.answers)} questions answered"


def _preview(facts: Facts) -> dict[str, object]:
    sheet = heds.fill(facts)
    return {
        "sheet": sheet,
        "unanswered": [f"{number} {QUESTIONS[number]}" for number in sheet.unanswered],
        "methods": methods.paragraph(facts),
    }


COMPANION = Companion(
    files=_files,
    tags=("croissant",),
    card=(
        "`heds.md` answers the Human Evaluation Datasheet, `croissant.json` is the"
        " metadata that search engines and loaders read, `every_eval_ever/` has the"
        " results in the format of that project, and `paper/` has a paragraph on"
        " methods, tables in LaTeX and references for a paper."
    ),
    cite="See `paper/references.bib`.",
    titles=(
        "Croissant metadata",
        "results for Every Eval Ever",
        "a HEDS datasheet",
        "text and tables for the paper",
    ),
    report=_report,
    contents="scoring/contrib/papers/_contents.html",
    preview="scoring/contrib/papers/_preview.html",
    values=_preview,
)
