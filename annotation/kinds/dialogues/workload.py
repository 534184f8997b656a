"""What pages of dialogues ask of their readers: a usual one stands for all."""

from __future__ import annotations

from collections import Counter

from django.db.models import Avg, Count, QuerySet
from django.db.models.functions import Length

from annotation.models import Item, Study, Survey
from annotation.models.texts import WHOLE
from annotation.page_kinds import Load


class DialogueWorkload:
    def of_page(self, survey: Survey) -> Load:
        return self.expected(survey.study) or Load(0, 0)

    def of_pages(self, study: Study, items: QuerySet[Item]) -> Load | None:
        return self.expected(study) if items.exists() else None

    def expected(self, study: Study) -> Load | None:
        texts = study.generations.filter(excluded_at=None, dialogue__isnull=False)
        totals = texts.aggregate(
            wholes=Count("pk", filter=WHOLE),
            turns=Count("pk", filter=~WHOLE),
            characters=Avg(Length("text"), filter=WHOLE),
        )
        if not totals["wholes"]:
            return None
        about = Counter(study.aspects.values_list("about", flat=True))
        dialogues = min(study.texts_per_survey, totals["wholes"])
        dialogues += study.damaged_texts != Study.DamagedTexts.NONE
        turns = totals["turns"] / totals["wholes"]
        answers = dialogues * (turns * about["text"] + about["dialogue"])
        return Load(round(dialogues * totals["characters"]), round(answers))
