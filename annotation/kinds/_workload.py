"""What pages of texts ask of their readers."""

from __future__ import annotations

from django.db.models import Avg, Count, IntegerField, QuerySet, Sum
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Length

from annotation.models import Item, Study, Survey
from annotation.page_kinds import Load
from annotation.surveys import estimating


class TextWorkload:
    """A page shows texts that share a prompt; each question is asked about each."""

    length: Combinable = Length(Coalesce("generation__text", "negative__text"))
    texts_of_item = 1

    def of_page(self, survey: Survey) -> Load:
        totals = survey.items.aggregate(
            n=Count("pk"), characters=Sum(Cast(self.length, IntegerField()))
        )
        characters = (totals["characters"] or 0) + self.beside(survey)
        return Load(characters, totals["n"] * self.answers_of_item(survey.study))

    def of_pages(self, study: Study, items: QuerySet[Item]) -> Load | None:
        totals = items.aggregate(
            pages=Count("survey", distinct=True),
            n=Count("pk"),
            characters=Sum(Cast(self.length, IntegerField())),
        )
        if not totals["pages"]:
            return None
        items_of_page = totals["n"] / totals["pages"]
        return Load(
            round(totals["characters"] / totals["pages"]),
            round(items_of_page * self.answers_of_item(study)),
        )

    def expected(self, study: Study) -> Load | None:
        texts = estimating.alone(study).aggregate(
            n=Count("pk"), characters=Avg(Length("text"))
        )
        if not texts["n"]:
            return None
        items = estimating.texts_on_page(study, texts["n"])
        items += study.damaged_texts != Study.DamagedTexts.NONE
        return Load(
            round(items * self.texts_of_item * texts["characters"]),
            round(items * self.answers_of_item(study)),
        )

    def beside(self, survey: Survey) -> int:
        """Characters that the texts of a page share."""
        return len(survey.prompt.source)

    def answers_of_item(self, study: Study) -> int:
        return study.aspects.count()
