"""How long a page takes: what workers read, and what a study is planned with."""

from __future__ import annotations

from collections import Counter
from math import ceil

from django.db.models import Avg, Case, Count, IntegerField, Sum, When
from django.db.models.functions import Cast, Coalesce, Length

from annotation.models import Item, PageKind, Study, Survey
from annotation.models.studies import OF_ENGLISH
from annotation.models.texts import WHOLE

# A careful reader takes in about 210 words a minute, of 5.7 characters with the space.
CHARACTERS_PER_WORD = 5.7
CHARACTERS_PER_SECOND = 20
SECONDS_PER_ANSWER = 4
ANSWERS_PER_CORRECTION = 8  # to correct a text takes as long as so many answers
SECONDS_PER_PAGE = 20  # to read what is asked, and to look it all over
# Pages are alike: some of them say as much as all, at any size of a study.
SAMPLE = 20

# Of a pair, both texts and their prompt.
_BESIDE = Length(Coalesce("pair__second__text", "negative__text"))
_LENGTH = Length(
    Coalesce("generation__text", "pair__first__text", "negative__text")
) + Case(
    When(pair__isnull=False, then=_BESIDE + Length("pair__prompt__source")), default=0
)


def seconds(*, characters: int, answers: int, language: str = "en") -> float:
    """For one page of so many characters and questions."""
    reading = characters * OF_ENGLISH.get(language, 1) / CHARACTERS_PER_SECOND
    return SECONDS_PER_PAGE + reading + SECONDS_PER_ANSWER * answers


def minutes(*, characters: int, answers: int, language: str = "en") -> int:
    """Whole minutes, rounded up: nobody should be asked for more time than we said."""
    said = seconds(characters=characters, answers=answers, language=language)
    return ceil(said / 60)


def seconds_of(survey: Survey) -> float:
    """For this very page, with its prefix."""
    if survey.kind == PageKind.DIALOGUE:
        found = _of_dialogues(survey.study) or (0, 0)
        return seconds(
            characters=found[0], answers=found[1], language=survey.study.language
        )
    characters = Cast(_LENGTH, IntegerField())
    shown = survey.items.aggregate(texts=Count("pk"), characters=Sum(characters))
    return seconds(
        characters=(shown["characters"] or 0) + _source(survey),
        answers=shown["texts"] * _answers(survey.study, survey.kind),
        language=survey.study.language,
    )


def _answers(study: Study, kind: str) -> int:
    """On one text."""
    if kind == PageKind.EDIT:
        return ANSWERS_PER_CORRECTION
    return study.aspects.count()


def _source(survey: Survey) -> int:
    return 0 if survey.kind == PageKind.PAIR else len(survey.prompt.source)


def minutes_per_page(study: Study) -> int | None:
    """What the researcher says, else an estimate; None before surveys are drawn."""
    if study.minutes_per_page:
        return study.minutes_per_page
    pages = Item.objects.filter(survey__study=study, survey__number__lte=SAMPLE)
    found = pages.aggregate(
        pages=Count("survey", distinct=True),
        texts=Count("pk"),
        characters=Sum(Cast(_LENGTH, IntegerField())),
    )
    if not found["pages"]:
        return None
    if study.page_kinds[0] == PageKind.DIALOGUE:
        return _minutes_of_dialogues(study)
    texts = found["texts"] / found["pages"]
    return minutes(
        characters=round(found["characters"] / found["pages"]),
        answers=round(texts * _answers(study, study.page_kinds[0])),
        language=study.language,
    )


def expected_minutes(study: Study) -> int | None:
    """As above; before surveys are drawn, from the texts that they will show.

    None without texts. Two queries at most.
    """
    if (known := minutes_per_page(study)) is not None:
        return known
    if study.page_kinds[0] == PageKind.DIALOGUE:
        return _minutes_of_dialogues(study)
    texts = study.generations.filter(excluded_at=None).order_by()
    found = texts.aggregate(n=Count("pk"), characters=Avg(Length("text")))
    if not found["n"]:
        return None
    # A page holds one text of each system for a prompt.
    pages = texts.values("prompt", "sample").distinct().count()
    shown = min(study.texts_per_survey, found["n"] / pages)
    shown += study.damaged_texts != Study.DamagedTexts.NONE
    texts_of_one = 2 if study.page_kinds[0] == PageKind.PAIR else 1
    return minutes(
        characters=round(shown * texts_of_one * found["characters"]),
        answers=round(shown * _answers(study, study.page_kinds[0])),
        language=study.language,
    )


def _minutes_of_dialogues(study: Study) -> int | None:
    if (found := _of_dialogues(study)) is None:
        return None
    return minutes(characters=found[0], answers=found[1], language=study.language)


def _of_dialogues(study: Study) -> tuple[int, int] | None:
    """Characters and answers of a usual page of dialogues; None without any."""
    texts = study.generations.filter(excluded_at=None, dialogue__isnull=False)
    found = texts.aggregate(
        wholes=Count("pk", filter=WHOLE),
        turns=Count("pk", filter=~WHOLE),
        characters=Avg(Length("text"), filter=WHOLE),
    )
    if not found["wholes"]:
        return None
    about = Counter(study.aspects.values_list("about", flat=True))
    shown = min(study.texts_per_survey, found["wholes"])
    shown += study.damaged_texts != Study.DamagedTexts.NONE
    turns = found["turns"] / found["wholes"]
    answers = shown * (turns * about["text"] + about["dialogue"])
    return round(shown * found["characters"]), round(answers)
