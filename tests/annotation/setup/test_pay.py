from __future__ import annotations

from decimal import Decimal

import pytest

from annotation.setup.pay import Pay, pay
from annotation.surveys import estimating, open_study

pytestmark = pytest.mark.django_db


def paid(make_study, **fields) -> Pay:
    fields = {"pay_per_page": Decimal("0.80"), "minutes_per_page": 11, **fields}
    found = pay(study=make_study(**fields))
    assert found is not None
    return found


def test_it_is_told_per_hour(make_study):
    found = paid(make_study)
    assert found.sentence == (
        "0.80 USD per page is about 4.36 USD per hour, at 11 minutes per page"
        " (you expect)."
    )


@pytest.mark.parametrize(
    ("amount", "currency", "too_low", "modest"),
    [
        ("7.99", "USD", True, False),
        ("8.00", "USD", False, True),
        ("11.99", "USD", False, True),
        ("12.00", "USD", False, False),
        ("5.99", "GBP", True, False),
        ("9.00", "GBP", False, False),
        ("1.00", "EUR", False, False),  # no platform states a floor in euros
    ],
)
def test_below_the_floor_it_warns(make_study, amount, currency, too_low, modest):
    found = paid(
        make_study,
        pay_per_page=Decimal(amount),
        currency=currency,
        minutes_per_page=60,
    )
    assert (found.too_low, found.modest) == (too_low, modest)
    assert bool(found.warning) == (too_low or modest)


def test_without_pay_or_without_texts_there_is_none(make_study):
    assert pay(study=make_study()) is None
    empty = make_study(name="empty", prompts=0, pay_per_page=Decimal(1))
    assert pay(study=empty) is None


def test_a_draft_is_estimated_as_its_pages_will_be(make_study):
    """Four systems a prompt and a damaged text: five texts of a page."""
    study = make_study(pay_per_page=Decimal(1))
    before = estimating.expected_minutes(study)
    assert estimating.minutes_per_page(study) is None
    open_study(study=study)
    assert estimating.minutes_per_page(study) == before
