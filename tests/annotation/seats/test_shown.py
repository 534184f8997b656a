"""What a page shows is fixed from the claim on: it is read once."""

from __future__ import annotations

import pytest

from annotation.models import Item
from annotation.seats import shown
from tests.annotation.seating import lay_out, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    study = make_study(prompts=1)
    lay_out(study)
    return study


def test_texts_come_in_the_order_of_the_page_with_what_they_are(study):
    seat = sit(study, "kim")
    items = Item.objects.in_bulk(seat.order)
    assert [one.item_id for one in shown.texts(seat)] == seat.order
    for one in shown.texts(seat):
        item = items[one.item_id]
        assert one.text == item.text
        assert (one.generation_id, one.negative_id) == (
            item.generation_id,
            item.negative_id,
        )


def test_they_are_read_once(study, django_assert_num_queries):
    seat = sit(study, "kim")
    assert seat.survey.kind == "ratings"  # is read first
    with django_assert_num_queries(1):
        shown.texts(seat)
        shown.texts(seat)


def test_each_seat_has_an_order_of_its_own(study):
    kim, bo = sit(study, "kim"), sit(study, "bo")
    for seat in (kim, bo):
        assert [one.item_id for one in shown.texts(seat)] == seat.order


def test_questions_are_read_once_when_they_can_no_longer_change(
    study, django_assert_num_queries
):
    with django_assert_num_queries(1):
        first, second = shown.aspects(study), shown.aspects(study)
    assert first == second == tuple(study.aspects.all())


def test_those_of_a_draft_are_read_anew(make_study):
    draft = make_study(name="draft")
    shown.aspects(draft)
    draft.aspects.update(question="Is it whole?")
    assert {one.question for one in shown.aspects(draft)} == {"Is it whole?"}
