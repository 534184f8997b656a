"""How long a page takes: what workers read, and what a study is planned with."""

from __future__ import annotations

from math import ceil

from django.db.models import Avg, Count, IntegerField, Sum
from django.db.models.functions import Cast, Coalesce, Length

from annotation.models import Item, Study, Survey
from annotation.models.studies import OF_ENGLISH

# A careful reader takes in about 210 words a minute, of 5.7 characters with the space.
CHARACTERS_PER_WORD = 5.7
CHARACTERS_PER_SECOND = 20
SECONDS_PER_ANSWER = 4
SECONDS_PER_PAGE = 20  # to read what is asked, and to look it all over
# Pages are alike: some of them say as much as all, at any size of a study.
SAMPLE = 20

_LENGTH = Length(Coalesce("generation__text", "negative__text"))


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
    characters = Cast(_LENGTH, IntegerField())
    shown = survey.items.aggregate(texts=Count("pk"), characters=Sum(characters))
    return seconds(
        characters=(shown["characters"] or 0) + len(survey.prompt.source),
        answers=shown["texts"] * survey.study.aspects.count(),
        language=survey.study.language,
    )


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
    texts = found["texts"] / found["pages"]
    return minutes(
        characters=round(found["characters"] / found["pages"]),
        answers=round(texts * study.aspects.count()),
        language=study.language,
    )


def expected_minutes(study: Study) -> int | None:
    """As above; before surveys are drawn, from the texts that they will show.

    None without texts. Two queries at most.
    """
    if (known := minutes_per_page(study)) is not None:
        return known
    texts = study.generations.filter(excluded_at=None).order_by()
    found = texts.aggregate(n=Count("pk"), characters=Avg(Length("text")))
    if not found["n"]:
        return None
    # A page holds one text of each system for a prompt.
    pages = texts.values("prompt", "sample").distinct().count()
    shown = min(study.texts_per_survey, found["n"] / pages)
    shown += study.damaged_texts != Study.DamagedTexts.NONE
    return minutes(
        characters=round(shown * found["characters"]),
        answers=round(shown * study.aspects.count()),
        language=study.language,
    )
