"""Marks that a metric proposes: on pages, in answers, and in exports."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation import answering, surveys
from annotation.kinds.spans import damage, proposals, schemes, stored_marks
from annotation.kinds.spans.answers import MARKED, MarkAnswers
from annotation.kinds.spans.carried_marks import carried
from annotation.kinds.spans.content import MarkContent
from annotation.kinds.spans.damage import hit
from annotation.kinds.spans.marks import Placed
from annotation.kinds.spans.matrix import of_negative
from annotation.kinds.spans.models import DroppedProposal, SpanMark, TextProposals
from annotation.kinds.spans.proposals import MarkProposals, fates
from annotation.kinds.spans.scheme import ESA
from annotation.kinds.spans.stored_marks import Sent
from annotation.kinds.spans.tables import MarkTables
from annotation.models import Item, Study
from annotation.page_kinds.proposals import ProposedError
from scoring.stats.spans.marks import Mark
from tests.annotation.seating import NOON, sit

MARK_TABLES = MarkTables()
WORDS = "One two three four five six."
TWO, FOUR = (4, 7, "", "minor", "text", "two"), (14, 18, "", "major", "text", "four")


def placed(row, number: int) -> Placed:
    return Placed(Mark(*row[:5]), row[5], number)


class TestFates:
    proposed = [placed(TWO, 1), placed(FOUR, 2)]

    def test_what_comes_back_as_it_was_is_kept_and_the_rest_deleted(self):
        outcomes, deleted = fates([placed(TWO, 1)], self.proposed)
        assert outcomes == [(1, "kept")] and deleted == [placed(FOUR, 2)]

    def test_another_severity_or_place_is_a_change(self):
        graver = Placed(Mark(4, 7, "", "major"), "two", 1)
        longer = Placed(Mark(14, 23, "", "major"), "four five", 2)
        outcomes, deleted = fates([graver, longer], self.proposed)
        assert outcomes == [(1, "changed"), (2, "changed")] and not deleted

    def test_a_number_that_was_not_proposed_or_comes_twice_is_added(self):
        sent = [placed(TWO, 1), placed(TWO, 1), placed(FOUR, 9)]
        outcomes, _ = fates(sent, self.proposed)
        assert outcomes == [(1, "kept"), (0, "added"), (0, "added")]


class TestCarried:
    def test_a_mark_follows_its_words(self):
        (mark,) = carried([placed(FOUR, 2)], WORDS, "One big two three four five six.")
        assert mark == Placed(Mark(18, 22, "", "major"), "four", 2)

    def test_a_mark_on_words_that_changed_is_gone(self):
        assert carried([placed(FOUR, 2)], WORDS, "One two three gone five six.") == []

    def test_a_mark_beside_a_change_would_point_at_it_and_is_gone(self):
        assert carried([placed(FOUR, 2)], WORDS, "One two four five six.") == []
        assert carried([placed(FOUR, 2)], WORDS, "One two three four six.") == []

    @given(st.data())
    def test_whoever_keeps_what_is_proposed_never_marks_the_damage(self, data):
        words = st.sampled_from(["a", "b", "c", "d"])
        before = " ".join(data.draw(st.lists(words, min_size=1, max_size=12)))
        after = " ".join(data.draw(st.lists(words, min_size=1, max_size=12)))
        every = [
            Placed(Mark(n, n + 1), before[n : n + 1]) for n in range(0, len(before), 2)
        ]
        marks = [mark.mark for mark in carried(every, before, after)]
        hurt = damage.find(before, after)
        assert hit(hurt, marks) <= 0

    def test_a_mark_over_a_change_is_gone(self):
        both = Placed(Mark(4, 13, "", "minor"), "two three")
        assert carried([both], WORDS, "One two big three four five six.") == []


@pytest.fixture
def draft(make_study) -> Study:
    return texts_of(make_study(prompts=2, systems=("a", "b"), page_kinds=["spans"]))


def texts_of(study: Study) -> Study:
    for n, text in enumerate(study.generations.all()):
        text.text = f"{WORDS} The ferry left at {n}. Then it came back."
        text.save()
    schemes.keep(study, ESA, "esa")
    return study


def propose(study: Study, *rows) -> proposals.Proposed:
    texts = dict.fromkeys(study.generations.values_list("pk", flat=True), rows)
    return MarkProposals().propose(study=study, metric="xCOMET", marks=texts)


@pytest.mark.django_db
class TestProposing:
    def test_what_workers_could_not_make_is_left_out_for_a_reason(self, draft):
        critical = (8, 13, "style", "critical", "text", "three")
        elsewhere = (0, 3, "", "minor", "text", "six")
        nameless = (0, 3, "", "", "text", "One")
        result = propose(draft, TWO, critical, elsewhere, nameless)
        assert (result.texts, result.marks) == (4, 8)
        assert sorted(result.left_out.values()) == [4, 4]
        rows = TextProposals.objects.first().marks
        assert [row["severity"] for row in rows] == ["minor", "major"]

    def test_an_open_study_keeps_what_it_has(self, draft):
        propose(draft, TWO)
        surveys.open_study(study=draft)
        with pytest.raises(ProposedError):
            propose(draft, FOUR)
        with pytest.raises(ProposedError):
            MarkProposals().withdraw(study=draft)
        assert TextProposals.objects.count() == 4


@pytest.fixture
def seat(draft):
    propose(draft, TWO, FOUR)
    surveys.open_study(study=draft)
    return sit(draft, "ann")


def real(seat) -> int:
    """The position of a text that is not damaged."""
    items = Item.objects.in_bulk(seat.order)
    return next(n for n, pk in enumerate(seat.order, 1) if items[pk].generation_id)


def send(seat, position: int, *marks: Placed, clean: bool = False) -> None:
    sent = Sent(list(marks), clean)
    answering.save_all(seat=seat, answers={(position, MARKED): sent}, now=NOON)


@pytest.mark.django_db
class TestPages:
    def test_a_text_begins_with_its_proposals_and_nothing_is_answered(self, seat):
        card = MarkContent().page(seat).cards[real(seat) - 1]
        assert [row.is_proposed for row in card.marking.rows] == [True, True]
        assert len(json.loads(card.marking.value)) == 2
        assert (real(seat), MARKED) in MarkAnswers().missing(seat)
        assert not SpanMark.objects.exists()

    def test_what_was_deleted_stays_deleted(self, seat):
        send(seat, real(seat))
        card = MarkContent().page(seat).cards[real(seat) - 1]
        assert card.marking.rows == []
        assert DroppedProposal.objects.count() == 2

    def test_each_fate_is_stored(self, seat):
        added = Placed(Mark(0, 3, "", "minor"), "One")
        send(seat, real(seat), placed(TWO, 1), added)
        rows = SpanMark.objects.order_by("number").values_list("fate", "proposal")
        assert list(rows) == [("kept", 1), ("added", 0)]
        assert DroppedProposal.objects.get().words == "four"
        send(seat, real(seat), placed(TWO, 1), placed(FOUR, 2))
        assert not DroppedProposal.objects.exists()

    def test_a_tick_alone_deletes_nothing(self, seat):
        answering.save_all(
            seat=seat, answers={(real(seat), MARKED): Sent(None, True)}, now=NOON
        )
        assert not DroppedProposal.objects.exists()

    def test_a_damaged_text_has_those_whose_words_still_stand(self, seat):
        items = Item.objects.in_bulk(seat.order)
        hidden = next(item for item in items.values() if item.negative_id)
        marks = proposals.of_seat(seat)[hidden.pk]
        assert all(mark.stands_in({"text": hidden.negative.text}) for mark in marks)
        hurt = of_negative(hidden.negative, seat.survey.prompt)
        assert hit(hurt, [mark.mark for mark in marks]) <= 0

    def test_the_outcome_counts_valid_pages_alone(self, seat):
        send(seat, real(seat), placed(TWO, 1))
        study = seat.survey.study
        assert MarkProposals().outcome(study).proposed == 0
        type(seat).objects.update(state="valid")
        outcome = MarkProposals().outcome(study)
        assert (outcome.texts, outcome.proposed, outcome.kept) == (1, 2, 1)
        assert (outcome.deleted, outcome.added) == (1, 0)

    def test_exports_say_what_became_of_each(self, seat):
        send(seat, real(seat), placed(TWO, 1))
        study = seat.survey.study
        marks, _, dropped = (
            list(table.rows(study=study)) for table in MARK_TABLES.tables
        )
        assert [(row["proposal"], row["fate"]) for row in marks] == [(1, "kept")]
        assert [(row["number"], row["marked"]) for row in dropped] == [(2, "four")]


def test_without_proposals_a_mark_has_no_fate(make_study, db):
    study = texts_of(make_study(prompts=2, systems=("a", "b"), page_kinds=["spans"]))
    surveys.open_study(study=study)
    seat = sit(study, "ann")
    send(seat, real(seat), placed(TWO, 0))
    assert SpanMark.objects.get().fate == ""
    assert stored_marks.on_page(seat) == stored_marks.of_seat(seat)
