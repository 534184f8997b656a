"""What a page shows is fixed from the claim on: it is read once."""

from __future__ import annotations

import pytest

from annotation.kinds import _page_texts
from annotation.models import Item
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
    assert [one.item_id for one in _page_texts.of_seat(seat)] == seat.order
    for one in _page_texts.of_seat(seat):
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
        _page_texts.of_seat(seat)
        _page_texts.of_seat(seat)


def test_each_seat_has_an_order_of_its_own(study):
    kim, bo = sit(study, "kim"), sit(study, "bo")
    for seat in (kim, bo):
        assert [one.item_id for one in _page_texts.of_seat(seat)] == seat.order
