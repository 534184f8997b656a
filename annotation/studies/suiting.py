"""Standard words and questions that fit what a study's texts have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext, gettext_noop, override

from annotation import page_kinds
from annotation.models import Aspect, Study
from annotation.models.kinds import only_ratings
from annotation.page_kinds import TextFields
from annotation.studies.standard import (
    ANSWERS_CONSENT,
    ATTRIBUTE_RELEVANCE,
    CONSENT,
    CONSISTENCY,
    DEFAULT_ASPECTS,
    DEFAULT_KEYS,
    KNOWN_ASPECTS,
)

FITS_PROMPT = {
    "question": gettext_noop("How well does the text fit its prompt?"),
    "pair_question": gettext_noop("Which text fits its prompt better?"),
    "low": gettext_noop("Not at all: it ignores or contradicts the prompt"),
    "middle": gettext_noop("Partly: it drifts away from the prompt"),
    "high": gettext_noop("Completely: it does what the prompt asks for"),
}


def suit(*, study: Study) -> None:
    """Fit what nobody has written for this study to its texts. In a transaction.

    What someone wrote stays as it is.
    """
    fields = TextFields.of(study)
    aspects = list(study.aspects.all())
    if has_standard_instructions(study):
        with override(study.language):
            study.instructions = instructions(study.page_kinds, fields)
        study.save(update_fields=["instructions"])
    _suit_consent(study)
    known = {one.key for one in aspects} == set(DEFAULT_KEYS)
    if known and are_standard(study, aspects):
        kinds = page_kinds.of(study)
        fit = kinds[0].setup.fit_questions if len(kinds) == 1 else fit_questions
        with override(study.language):
            fit(aspects, fields)


def _suit_consent(study: Study) -> None:
    with override(study.language):
        standard = {_plain(gettext(one)) for one in (CONSENT, ANSWERS_CONSENT)}
        if _plain(study.consent) in standard:
            study.consent = consent(study.page_kinds)
            study.save(update_fields=["consent"])


def consent(kinds: Sequence[str]) -> str:
    """What workers agree to on pages of these kinds, in the language that is active."""
    rates = all(page_kinds.get(key).facts.gives_ratings for key in kinds)
    return gettext(CONSENT if rates else ANSWERS_CONSENT)


def suit_kinds(*, study: Study) -> None:
    """Texts that came with the first file may need pages of a kind of their own, and
    few on each if they are long. In a transaction."""
    if study.page_kinds != only_ratings():
        return
    needed = [kind for kind in page_kinds.every() if kind.setup.is_needed(study)]
    keys = [kind.key for kind in needed]
    if not keys or keys == study.page_kinds:
        return
    study.page_kinds = keys
    if len(needed) == 1 and (size := needed[0].setup.size):
        study.texts_per_survey = min(study.texts_per_survey, size)
    study.save(update_fields=["page_kinds", "texts_per_survey"])


def instructions(kinds: Sequence[str], fields: TextFields) -> str:
    """What workers do on pages of these kinds, with texts that have these fields."""
    texts = [page_kinds.get(key).setup.instructions(fields) for key in kinds]
    # What several kinds say alike is said once, at the end.
    texts_in_paragraphs = [_plain(text).split("\n\n") for text in texts]
    last = {_plain(some[-1]): some[-1] for some in texts_in_paragraphs}
    first = ["\n\n".join(some[:-1]) for some in texts_in_paragraphs]
    return "\n\n".join([*first, *list(last.values())[-1:]])


def has_standard_instructions(study: Study) -> bool:
    """Whether nobody has written any: every paragraph is a standard one."""
    with override(study.language):
        standard = {paragraph for text in _all_instructions() for paragraph in text}
    instructions = _plain(study.instructions)
    return bool(instructions) and standard.issuperset(instructions.split("\n\n"))


def _all_instructions() -> list[list[str]]:
    """Paragraphs of all of them, in the language that is active."""
    return [
        _plain(text).split("\n\n")
        for kind in page_kinds.every()
        for text in kind.setup.all_instructions()
    ]


def _plain(words: str) -> str:
    """A form ends lines in its own way."""
    return "\n".join(words.strip().splitlines())


def are_standard(study: Study, aspects: list[Aspect]) -> bool:
    """Whether nobody has changed these questions."""
    with override(study.language):
        known = {gettext(one["question"]) for one in (*DEFAULT_ASPECTS, *_wordings())}
    return all(aspect.question in known for aspect in aspects)


def _wordings() -> list[Mapping[str, str]]:
    """Other standard words of questions."""
    kinds = page_kinds.every()
    return [FITS_PROMPT, *(words for kind in kinds for words in kind.setup.wordings)]


def fit_questions(aspects: Sequence[Aspect], fields: TextFields) -> None:
    """Fit standard questions to texts that stand by themselves."""
    for aspect in aspects:
        if aspect.key == CONSISTENCY["key"] and not fields.prefix:
            if fields.source:
                reword(aspect, FITS_PROMPT)
            else:
                aspect.delete()
        if aspect.key == ATTRIBUTE_RELEVANCE["key"] and not fields.label:
            aspect.delete()


def reword(aspect: Aspect, words: Mapping[str, str]) -> None:
    """In the language that is active."""
    for name, text in words.items():
        setattr(aspect, name, gettext(text))
    aspect.save(update_fields=list(words))


def translate(*, study: Study, before: str) -> None:
    """Say in the study's language what nobody has changed since it was `before`.

    In a transaction. What someone wrote stays as it is.
    """
    with override(before):
        old = _standard_words()
    with override(study.language):
        new = dict(zip(map(_plain, old), _standard_words(), strict=True))
    paragraphs = _plain(study.instructions).split("\n\n")
    if all(one in new for one in paragraphs):
        study.instructions = "\n\n".join(new[one] for one in paragraphs)
    _say(study, ("consent",), new)
    study.save(update_fields=["instructions"])
    for aspect in study.aspects.all():
        _say(aspect, SAID, new)


SAID = ("title", "question", "pair_question", "low", "middle", "high")


def _standard_words() -> list[str]:
    """All of them, in the language that is active."""
    aspects = (*KNOWN_ASPECTS.values(), *_wordings())
    asked = [gettext(one[name]) for one in aspects for name in SAID if name in one]
    paragraphs = [one for said in _all_instructions() for one in said]
    return [*map(gettext, (CONSENT, ANSWERS_CONSENT)), *paragraphs, *asked]


def _say(row: Study | Aspect, fields: Sequence[str], new: Mapping[str, str]) -> None:
    for field in fields:
        said = getattr(row, field)
        setattr(row, field, new.get(_plain(said), said))
    row.save(update_fields=fields)
