"""Standard words and questions that fit what a study's texts have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext, gettext_noop, override

from annotation.models import Aspect, Study
from annotation.studies.standard import (
    ATTRIBUTE_RELEVANCE,
    CONSENT,
    CONSISTENCY,
    DEFAULT_ASPECTS,
    DEFAULT_KEYS,
    INSTRUCTIONS,
    KNOWN_ASPECTS,
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
    aspects = list(study.aspects.all())
    if has_standard_instructions(study):
        with override(study.language):
            study.instructions = instructions(has)
        study.save(update_fields=["instructions"])
    known = {one.key for one in aspects} == set(DEFAULT_KEYS)
    if known and are_standard(study, aspects):
        with override(study.language):
            _suit_questions(aspects, has)


def instructions(has: Has) -> str:
    """As a new study has them, but for what each page shows."""
    shows = gettext(PAGES[has.prefix, has.source])
    first = f"{shows} {gettext(LABELS)}" if has.label else shows
    rest = gettext(INSTRUCTIONS).partition("\n\n")[2]
    return f"{first}\n\n{rest}"


def has_standard_instructions(study: Study) -> bool:
    """Whether nobody has written any."""
    with override(study.language):
        return _plain(study.instructions) in map(_plain, _all_instructions())


def _all_instructions() -> list[str]:
    suited = [Has(*shown, label) for shown in PAGES for label in (True, False)]
    return [gettext(INSTRUCTIONS), *map(instructions, suited)]


def _plain(words: str) -> str:
    """A form ends lines in its own way."""
    return "\n".join(words.strip().splitlines())


def are_standard(study: Study, aspects: list[Aspect]) -> bool:
    """Whether nobody has changed these questions."""
    with override(study.language):
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


def translate(*, study: Study, before: str) -> None:
    """Say in the study's language what nobody has changed since it was `before`.

    In a transaction. What someone wrote stays as it is.
    """
    with override(before):
        old = _standard_words()
    with override(study.language):
        new = dict(zip(map(_plain, old), _standard_words(), strict=True))
    _say(study, ("instructions", "consent"), new)
    for aspect in study.aspects.all():
        _say(aspect, SAID, new)


SAID = ("title", "question", "low", "middle", "high")


def _standard_words() -> list[str]:
    """All of them, in the language that is active."""
    aspects = (*KNOWN_ASPECTS.values(), FITS_PROMPT)
    asked = [gettext(one[name]) for one in aspects for name in SAID if name in one]
    return [gettext(CONSENT), *_all_instructions(), *asked]


def _say(row: Study | Aspect, fields: Sequence[str], new: Mapping[str, str]) -> None:
    for field in fields:
        said = getattr(row, field)
        setattr(row, field, new.get(_plain(said), said))
    row.save(update_fields=fields)
