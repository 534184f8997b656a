"""The Human Evaluation Datasheet of a study, as far as EvalApp knows it. Pure.

What only people know is marked as unanswered: nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoring.contrib.papers import heds_of_criteria, heds_of_design
from scoring.contrib.papers.heds_questions import OF_CRITERIA, QUESTIONS, SECTIONS
from scoring.publishing.facts import Facts
from scoring.publishing.markdown import plain, quoted

UNANSWERED = "Unanswered: EvalApp does not know this."


@dataclass(frozen=True, slots=True)
class Answer:
    """To one question; `criterion` is empty outside section 4."""

    number: str
    criterion: str
    text: str  # empty: unanswered


@dataclass(frozen=True, slots=True)
class Sheet:
    """A datasheet."""

    study: str
    answers: Sequence[Answer]

    @property
    def n_answered(self) -> int:
        return sum(bool(one.text) for one in self.answers)

    @property
    def share(self) -> float:
        return self.n_answered / len(self.answers) if self.answers else 0.0

    @property
    def unanswered(self) -> list[str]:
        """Numbers of questions, each once."""
        return list(dict.fromkeys(a.number for a in self.answers if not a.text))


def fill(facts: Facts) -> Sheet:
    """Answer each question, those of section 4 for each question of the study."""
    return Sheet(facts.heading, list(_answers(facts)))


def _answers(facts: Facts) -> Iterator[Answer]:
    known: Mapping[str, str] = heds_of_design.answers(facts)
    for section in SECTIONS:
        numbers = [n for n in QUESTIONS if n.partition(".")[0] == section]
        if section != OF_CRITERIA:
            yield from (Answer(n, "", known.get(n, "")) for n in numbers)
            continue
        for aspect in facts.aspects:
            told = heds_of_criteria.answers(facts, aspect)
            yield from (Answer(n, aspect.title, told.get(n, "")) for n in numbers)


def as_json(sheet: Sheet) -> str:
    found = {
        "datasheet": "HEDS 3.0",
        "study": sheet.study,
        "answered": sheet.n_answered,
        "questions": len(sheet.answers),
        "answers": [
            {
                "number": one.number,
                "question": QUESTIONS[one.number],
                "criterion": one.criterion or None,
                "answer": one.text or None,
            }
            for one in sheet.answers
        ],
    }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def as_markdown(sheet: Sheet) -> str:
    return "\n".join(_lines(sheet)) + "\n"


def _lines(sheet: Sheet) -> Iterator[str]:
    yield f"# Human Evaluation Datasheet (HEDS 3.0): {plain(sheet.study)}\n"
    yield (
        f"{sheet.n_answered} of {len(sheet.answers)} questions are answered from what"
        " EvalApp knows. Check them, and answer the others.\n"
    )
    section, criterion = "", ""
    for one in sheet.answers:
        if (now := one.number.partition(".")[0]) != section:
            section = now
            yield f"## {section}. {SECTIONS[section]}\n"
        if one.criterion and one.criterion != criterion:
            criterion = one.criterion
            yield f"### {plain(criterion)}\n"
        yield f"**{one.number} {QUESTIONS[one.number]}**\n"
        yield (quoted(one.text) if one.text else UNANSWERED) + "\n"
