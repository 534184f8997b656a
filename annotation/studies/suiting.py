"""Standard words and questions that fit what a study's texts have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext, gettext_noop, override

from annotation.models import Aspect, PageKind, Study
from annotation.models.kinds import only_ratings
from annotation.studies.standard import (
    ANSWERS_CONSENT,
    ATTRIBUTE_RELEVANCE,
    COHERENCE,
    CONSENT,
    CONSISTENCY,
    DEFAULT_ASPECTS,
    DEFAULT_KEYS,
    DIALOGUE_INSTRUCTIONS,
    EDIT_INSTRUCTIONS,
    INSTRUCTIONS,
    KNOWN_ASPECTS,
    PAIR_INSTRUCTIONS,
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
    "pair_question": gettext_noop("Which text fits its prompt better?"),
    "low": gettext_noop("Not at all: it ignores or contradicts the prompt"),
    "middle": gettext_noop("Partly: it drifts away from the prompt"),
    "high": gettext_noop("Completely: it does what the prompt asks for"),
}


FITS_DIALOGUE = {
    "question": gettext_noop("How well does this turn fit what was said before?"),
    "low": gettext_noop("Not at all: it ignores or contradicts it"),
    "middle": gettext_noop("Partly: it drifts away from it"),
    "high": gettext_noop("Completely: it is a natural answer"),
}
HOLDS_TOGETHER = {
    "question": gettext_noop("Does the conversation hold together as a whole?"),
    "low": gettext_noop("Not at all: the turns have nothing in common"),
    "middle": gettext_noop("Partly: some turns do not fit"),
    "high": gettext_noop("Completely: each turn follows from the last"),
}
REWORDED = (FITS_PROMPT, FITS_DIALOGUE, HOLDS_TOGETHER)
DIALOGUES_ON_A_PAGE = 2


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
            study.instructions = instructions(study.page_kinds, has)
        study.save(update_fields=["instructions"])
    _suit_consent(study)
    known = {one.key for one in aspects} == set(DEFAULT_KEYS)
    if known and are_standard(study, aspects):
        with override(study.language):
            if study.page_kinds == [PageKind.DIALOGUE]:
                _suit_to_dialogues(aspects)
            else:
                _suit_questions(aspects, has)


def _suit_consent(study: Study) -> None:
    with override(study.language):
        standard = {_plain(gettext(one)) for one in (CONSENT, ANSWERS_CONSENT)}
        if _plain(study.consent) in standard:
            study.consent = consent(study.page_kinds)
            study.save(update_fields=["consent"])


def consent(kinds: Sequence[str]) -> str:
    """What workers agree to on pages of these kinds, in the language that is active."""
    rates = {*kinds} <= {PageKind.RATINGS.value, PageKind.DIALOGUE.value}
    return gettext(CONSENT if rates else ANSWERS_CONSENT)


def suit_kinds(*, study: Study) -> None:
    """Dialogues that came with the first file have pages of their own, with few on
    each: they are long. In a transaction."""
    if study.page_kinds != only_ratings() or not study.dialogues.exists():
        return
    alone = study.generations.filter(dialogue=None).exists()
    study.page_kinds = [*(only_ratings() if alone else ()), PageKind.DIALOGUE.value]
    if not alone:
        study.texts_per_survey = min(study.texts_per_survey, DIALOGUES_ON_A_PAGE)
    study.save(update_fields=["page_kinds", "texts_per_survey"])


def instructions(kinds: Sequence[str], has: Has) -> str:
    """What workers do on pages of these kinds, with texts that have this."""
    said = [
        _of_ratings(has) if kind == PageKind.RATINGS else gettext(OF_KIND[kind])
        for kind in kinds
    ]
    # What several kinds say alike is said once, at the end.
    paragraphs = [_plain(one).split("\n\n") for one in said]
    last = {_plain(some[-1]): some[-1] for some in paragraphs}
    first = ["\n\n".join(some[:-1]) for some in paragraphs]
    return "\n\n".join([*first, *list(last.values())[-1:]])


OF_KIND = {
    PageKind.PAIR.value: PAIR_INSTRUCTIONS,
    PageKind.DIALOGUE.value: DIALOGUE_INSTRUCTIONS,
    PageKind.EDIT.value: EDIT_INSTRUCTIONS,
}


def _of_ratings(has: Has) -> str:
    """As a new study has them, but for what each page shows."""
    shows = gettext(PAGES[has.prefix, has.source])
    first = f"{shows} {gettext(LABELS)}" if has.label else shows
    rest = gettext(INSTRUCTIONS).partition("\n\n")[2]
    return f"{first}\n\n{rest}"


def has_standard_instructions(study: Study) -> bool:
    """Whether nobody has written any: every paragraph is a standard one."""
    with override(study.language):
        known = {paragraph for said in _all_instructions() for paragraph in said}
    said = _plain(study.instructions)
    return bool(said) and known.issuperset(said.split("\n\n"))


def _all_instructions() -> list[list[str]]:
    """Paragraphs of all of them, in the language that is active."""
    suited = [Has(*shown, label) for shown in PAGES for label in (True, False)]
    whole = [
        gettext(INSTRUCTIONS),
        *map(_of_ratings, suited),
        *map(gettext, OF_KIND.values()),
    ]
    return [_plain(said).split("\n\n") for said in whole]


def _plain(words: str) -> str:
    """A form ends lines in its own way."""
    return "\n".join(words.strip().splitlines())


def are_standard(study: Study, aspects: list[Aspect]) -> bool:
    """Whether nobody has changed these questions."""
    with override(study.language):
        known = {gettext(one["question"]) for one in (*DEFAULT_ASPECTS, *REWORDED)}
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


def _suit_to_dialogues(aspects: list[Aspect]) -> None:
    """One question about each turn, and one about the whole."""
    for aspect in aspects:
        if aspect.key == CONSISTENCY["key"]:
            _reword(aspect, FITS_DIALOGUE)
        elif aspect.key == COHERENCE["key"]:
            aspect.about = Aspect.About.DIALOGUE
            aspect.save(update_fields=["about"])
            _reword(aspect, HOLDS_TOGETHER)
        else:
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
    aspects = (*KNOWN_ASPECTS.values(), *REWORDED)
    asked = [gettext(one[name]) for one in aspects for name in SAID if name in one]
    paragraphs = [one for said in _all_instructions() for one in said]
    return [*map(gettext, (CONSENT, ANSWERS_CONSENT)), *paragraphs, *asked]


def _say(row: Study | Aspect, fields: Sequence[str], new: Mapping[str, str]) -> None:
    for field in fields:
        said = getattr(row, field)
        setattr(row, field, new.get(_plain(said), said))
    row.save(update_fields=fields)
