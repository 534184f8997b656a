"""Standard words and questions that fit what a study's texts have."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.utils.translation import gettext, gettext_noop

from annotation.models import Aspect, Study
from annotation.studies.creating import (
    ATTRIBUTE_RELEVANCE,
    CONSISTENCY,
    DEFAULT_ASPECTS,
    DEFAULT_KEYS,
    INSTRUCTIONS,
)

# What a page shows, by whether texts have an opening, and a prompt beside them.
PAGES = {
    (True, False): gettext_noop(
        "Each page shows the opening of a text and several ways it could continue."
    ),
    (True, True): gettext_noop(
        "Each page shows a prompt, the opening of a text and several ways it could"
        " continue."
    ),
    (False, True): gettext_noop(
        "Each page shows a prompt and several texts that were written for it."
    ),
    (False, False): gettext_noop("Each page shows several texts."),
}
LABELS = gettext_noop(
    "Some pages also say which feeling or topic the texts should express."
)
FITS_PROMPT = {
    "question": gettext_noop("How well does the text fit its prompt?"),
    "low": gettext_noop("Not at all: it ignores or contradicts the prompt"),
    "middle": gettext_noop("Partly: it drifts away from the prompt"),
    "high": gettext_noop("Completely: it does what the prompt asks for"),
}


class Has(NamedTuple):
    """What any text of a study has."""

    prefix: bool
    source: bool
    label: bool

    @classmethod
    def of(cls, study: Study) -> Has:
        """Three small queries."""
        prompts = study.prompts.all()
        return cls(
            prompts.exclude(prefix="").exists(),
            prompts.exclude(source="").exists(),
            prompts.exclude(label=None).exists(),
        )


def suit(*, study: Study) -> None:
    """Fit what nobody has written for this study to its texts. In a transaction.

    What someone wrote stays as it is.
    """
    has = Has.of(study)
    if has_standard_instructions(study):
        study.instructions = instructions(has)
        study.save(update_fields=["instructions"])
    aspects = list(study.aspects.all())
    if {one.key for one in aspects} == set(DEFAULT_KEYS) and are_standard(aspects):
        _suit_questions(aspects, has)


def instructions(has: Has) -> str:
    """As a new study has them, but for what each page shows."""
    shows = gettext(PAGES[has.prefix, has.source])
    first = f"{shows} {gettext(LABELS)}" if has.label else shows
    rest = gettext(INSTRUCTIONS).partition("\n\n")[2]
    return f"{first}\n\n{rest}"


def has_standard_instructions(study: Study) -> bool:
    """Whether nobody has written any."""
    standard = {gettext(INSTRUCTIONS)} | {
        instructions(Has(*shown, label)) for shown in PAGES for label in (True, False)
    }
    # A form ends lines in its own way.
    said = "\n".join(study.instructions.strip().splitlines())
    return said in {one.strip() for one in standard}


def are_standard(aspects: list[Aspect]) -> bool:
    """Whether nobody has changed these questions."""
    known = {gettext(one["question"]) for one in (*DEFAULT_ASPECTS, FITS_PROMPT)}
    return all(aspect.question in known for aspect in aspects)


def _suit_questions(aspects: list[Aspect], has: Has) -> None:
    for aspect in aspects:
        if aspect.key == CONSISTENCY["key"] and not has.prefix:
            if has.source:
                _reword(aspect, FITS_PROMPT)
            else:
                aspect.delete()
        if aspect.key == ATTRIBUTE_RELEVANCE["key"] and not has.label:
            aspect.delete()


def _reword(aspect: Aspect, words: dict[str, Any]) -> None:
    for name, said in words.items():
        setattr(aspect, name, gettext(said))
    aspect.save(update_fields=list(words))
