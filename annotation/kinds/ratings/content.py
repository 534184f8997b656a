"""Texts that are rated one by one, as workers see them."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.kinds import _page_texts
from annotation.kinds._page_texts import LetteredTexts, PageText
from annotation.kinds._scored import ScoredAnswers
from annotation.models import Aspect, Seat, Study
from annotation.page_kinds import questions, text_cards
from annotation.page_kinds.content import Page, reports
from annotation.page_kinds.questions import Keys
from annotation.seats import aspects


class TextAnswers(ScoredAnswers[PageText]):
    def units(self, seat: Seat) -> Sequence[PageText]:
        return _page_texts.of_seat(seat)

    def subject(self, unit: PageText) -> dict[str, int | None]:
        return {"generation_id": unit.generation_id, "negative_id": unit.negative_id}


class TextContent(LetteredTexts):
    style = ""
    script = ""
    takes_insert = True

    def page(self, seat: Seat, unsaid: str = "") -> Page:
        prompt = seat.survey.prompt
        cards = text_cards.cards(
            prompt=prompt,
            texts=[one.text for one in _page_texts.of_seat(seat)],
            aspects=aspects.of_texts(seat.survey.study),
            answers=TextAnswers().saved(seat),
            boxes=reports(seat, self.letters(seat), unsaid),
        )
        return Page(cards, prompt)

    def preview(self, study: Study) -> Page:
        prompt, texts = _page_texts.first(study, "ratings")
        if prompt is None:
            return Page([])
        asked = list(study.aspects.filter(about=Aspect.About.TEXT))
        return Page(
            text_cards.cards(prompt=prompt, texts=texts, aspects=asked, answers={}),
            prompt,
        )

    def keys(self, aspects: Sequence[Aspect]) -> Keys:
        return questions.keys(aspects)
