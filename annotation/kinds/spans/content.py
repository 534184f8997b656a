"""Texts whose errors are marked, as workers see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.kinds import _page_texts
from annotation.kinds._page_texts import LetteredTexts
from annotation.kinds.spans import (
    proposals,
    schemes,
    sides,
    stored_marks,
)
from annotation.kinds.spans.answers import MarkAnswers, as_shown, is_answered, marked_by
from annotation.kinds.spans.cards import MarkCard, Marking, terms_of
from annotation.kinds.spans.scheme import Scheme
from annotation.kinds.spans.sides import MarkedUnit
from annotation.kinds.spans.stored_marks import MarkedText
from annotation.kinds.spans.word_lists import Returned, returned_to
from annotation.models import Aspect, Prompt, Seat, Study
from annotation.page_kinds import Position, questions, text_cards
from annotation.page_kinds.content import Page, ReportBox, Return, Term, reports
from annotation.page_kinds.questions import Keys
from annotation.seats import aspects as study_aspects


class MarkContent(LetteredTexts):
    style = "annotation/kinds/spans/marking.css"
    script = "annotation/kinds/spans/marking.js"
    takes_insert = False

    def page(self, seat: Seat, unsaid: str = "") -> Page:
        return _page(
            prompt=seat.survey.prompt,
            units=sides.of_seat(seat),
            scheme=schemes.of_study(seat.survey.study),
            aspects=study_aspects.of_texts(seat.survey.study),
            marked=marked_by(seat, stored_marks.on_page(seat)),
            answers=MarkAnswers().saved(seat),
            boxes=reports(seat, self.letters(seat), unsaid),
            returned=Returned.read(unsaid),
        )

    def back_to(self, seat: Seat, about: str, data: Mapping[str, str]) -> Return:
        """To the list that a mark was added from, or to the marks of a text."""
        units = sides.of_seat(seat)
        scheme = schemes.of_study(seat.survey.study)
        returned = returned_to(about, data, units, scheme)
        if returned is None:
            names = {Marking.name_of(position) for position in units}
            return Return("", about if about in names else "")
        return Return(returned.written(), returned.name)

    def preview(self, study: Study) -> Page:
        prompt, texts = _page_texts.first(study, "spans")
        if prompt is None:
            return Page([])
        scheme, proposed = schemes.of_study(study), proposals.of_prompt(prompt)
        units = {
            position: MarkedUnit(0, sides.of_text(prompt, text, scheme))
            for position, text in enumerate(texts, start=1)
        }
        return _page(
            prompt=prompt,
            units=units,
            scheme=scheme,
            aspects=list(study.aspects.filter(about=Aspect.About.TEXT)),
            marked={
                position: as_shown(MarkedText(proposed.get(text, ())), units[position])
                for position, text in enumerate(texts, start=1)
            },
            answers={},
            add_to="",
        )

    def terms(self, study: Study) -> Sequence[Term]:
        return terms_of(schemes.of_study(study))

    def keys(self, aspects: Sequence[Aspect]) -> Keys:
        return questions.keys(aspects)._replace(own="annotation/kinds/spans/_keys.html")


def _page(
    *,
    prompt: Prompt,
    units: Mapping[int, MarkedUnit],
    scheme: Scheme,
    aspects: Sequence[Aspect],
    marked: Mapping[int, MarkedText],
    answers: Mapping[Position, int | None],
    boxes: Sequence[ReportBox] = (),
    returned: Returned | None = None,
    add_to: str = "report/",
) -> Page:
    """As cards of texts are, with their marks."""
    rated = text_cards.cards(
        prompt=prompt,
        texts=[unit.sides["text"].stored for unit in units.values()],
        aspects=aspects,
        answers=answers,
        boxes=boxes,
    )
    first = aspects[0].key if aspects and scheme.needed_below is not None else ""
    cards = []
    for (position, unit), card in zip(units.items(), rated, strict=True):
        answer = answers.get((position, first))
        marking = Marking(
            position=position,
            letter=card.letter,
            unit=unit,
            scheme=scheme,
            marked=marked[position],
            answered=is_answered(marked[position], answer, scheme.needed_below),
            first=questions.field_name(position, first) if first else "",
            returned=returned,
            add_to=add_to,
        )
        text = unit.sides["text"]
        whole = text.before + text.shown
        cards.append(MarkCard(card.letter, whole, marking, card.questions, card.report))
    return Page(cards, prompt)
