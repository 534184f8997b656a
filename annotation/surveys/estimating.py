"""How long a page takes: what workers read, and what a study is planned with."""

from __future__ import annotations

from collections import Counter
from math import ceil, comb
from typing import NamedTuple

from django.db.models import Avg, Case, Count, IntegerField, QuerySet, Sum, When
from django.db.models.functions import Cast, Coalesce, Length

from annotation.models import Generation, Item, PageKind, Study, Survey
from annotation.models.studies import OF_ENGLISH
from annotation.models.texts import WHOLE

# A careful reader takes in about 210 words a minute, of 5.7 characters with the space.
CHARACTERS_PER_WORD = 5.7
CHARACTERS_PER_SECOND = 20
SECONDS_PER_ANSWER = 4
ANSWERS_PER_CORRECTION = 8  # to correct a text takes as long as so many answers
SECONDS_PER_PAGE = 20  # to read what is asked, and to look it all over
MOST_OF_A_PROMPT = 200  # texts: of more, pages are nearly full
FEW = 0.75  # of the texts that pages would have if all were rated
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
    found = _alone(study).aggregate(n=Count("pk"), characters=Avg(Length("text")))
    if not found["n"]:
        return None
    shown = _shown(study, found["n"])
    shown += study.damaged_texts != Study.DamagedTexts.NONE
    texts_of_one = 2 if study.page_kinds[0] == PageKind.PAIR else 1
    return minutes(
        characters=round(shown * texts_of_one * found["characters"]),
        answers=round(shown * _answers(study, study.page_kinds[0])),
        language=study.language,
    )


class OnPages(NamedTuple):
    """How many texts a usual page has, on average."""

    texts: float
    of_all: float  # if all texts were rated

    @property
    def are_few(self) -> bool:
        return self.texts < FEW * self.of_all


def of_part(study: Study) -> OnPages | None:
    """Where a random part of the texts is rated; None elsewhere, or without texts.

    Three queries.
    """
    n = _alone(study).count() if study.rates_part else 0
    if not n:
        return None
    return OnPages(_shown(study, n), _of_all(study, n))


def _shown(study: Study, n: int) -> float:
    """Texts on a page, of a study of n texts."""
    usual = _of_all(study, n)
    if not study.rates_part:
        return usual
    each = max(1, round(n / _alone(study).values("prompt").distinct().count()))
    return _rated(each, study.rated_share / 100, usual)


def _of_all(study: Study, n: int) -> float:
    """A page holds one text of each system for a prompt."""
    pages = _alone(study).values("prompt", "sample").distinct().count()
    return min(study.texts_per_survey, n / pages)


def _alone(study: Study) -> QuerySet[Generation]:
    """Texts that may be on such pages: turns and dialogues have pages of their own."""
    return study.generations.filter(excluded_at=None, dialogue=None).order_by()


def _rated(texts: int, share: float, usual: float) -> float:
    """Texts on a page, where a share of so many texts of a prompt is drawn.

    Those that are drawn are on as few pages of at most `usual` texts as hold them.
    """
    if texts > MOST_OF_A_PROMPT:
        return usual
    chances = [
        comb(texts, n) * share**n * (1 - share) ** (texts - n) for n in range(texts + 1)
    ]
    pages = sum(p * ceil(n / usual - 1e-9) for n, p in enumerate(chances))
    return texts * share / pages


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
