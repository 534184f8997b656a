"""How long a page takes: what workers read, and what a study is planned with."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, comb
from typing import NamedTuple

from django.db.models import QuerySet

from annotation import page_kinds
from annotation.models import Generation, Item, Study, Survey
from annotation.models.studies import OF_ENGLISH
from annotation.page_kinds import Load

# A careful reader takes in about 210 words a minute, of 5.7 characters with the space.
CHARACTERS_PER_WORD = 5.7
CHARACTERS_PER_SECOND = 20
SECONDS_PER_ANSWER = 4
SECONDS_PER_PAGE = 20  # to read what is asked, and to look it all over
MOST_OF_A_PROMPT = 200  # texts: of more, pages are nearly full
FEW = 0.75  # of the texts that pages would have if all were rated
# Pages are alike: some of them say as much as all, at any size of a study.
SAMPLE = 20


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
    load = page_kinds.get(survey.kind).workload.of_page(survey)
    return seconds(**load._asdict(), language=survey.study.language)


def minutes_per_page(study: Study) -> int | None:
    """What the researcher says, else an estimate; None before surveys are drawn.

    Of the kind whose pages take longest: nobody gets less time than we said. A query
    for each kind.
    """
    if study.minutes_per_page:
        return study.minutes_per_page
    drawn = []
    for kind in page_kinds.of(study):
        pages = study.surveys.filter(kind=kind.key).order_by("number")[:SAMPLE]
        items = Item.objects.filter(survey__in=pages)
        drawn.append(_minutes(study, kind.workload.of_pages(study, items)))
    return _longest(drawn)


def expected_minutes(study: Study) -> int | None:
    """As above; before surveys are drawn, from the texts that they will show.

    None without texts. Two queries at most for each kind.
    """
    if (drawn := minutes_per_page(study)) is not None:
        return drawn
    loads = (kind.workload.expected(study) for kind in page_kinds.of(study))
    return _longest(_minutes(study, load) for load in loads)


def _longest(minutes: Iterable[int | None]) -> int | None:
    return max((n for n in minutes if n is not None), default=None)


def _minutes(study: Study, load: Load | None) -> int | None:
    if load is None:
        return None
    return minutes(**load._asdict(), language=study.language)


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
    n = alone(study).count() if study.rates_part else 0
    if not n:
        return None
    return OnPages(texts_on_page(study, n), _of_all(study, n))


def texts_on_page(study: Study, n: int) -> float:
    """Texts on a page, of a study of n texts."""
    usual = _of_all(study, n)
    if not study.rates_part:
        return usual
    each = max(1, round(n / alone(study).values("prompt").distinct().count()))
    return _rated(each, study.rated_share / 100, usual)


def _of_all(study: Study, n: int) -> float:
    """A page holds one text of each system for a prompt."""
    pages = alone(study).values("prompt", "sample").distinct().count()
    return min(study.texts_per_survey, n / pages)


def alone(study: Study) -> QuerySet[Generation]:
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
