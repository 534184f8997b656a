from __future__ import annotations

import json
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Seat
from tests.annotation.seating import lay_out


@pytest.fixture
def study(make_study):
    study = make_study(prompts=2, pay_per_page=Decimal("0.50"))
    lay_out(study)
    return study


def simulate(*args: str) -> str:
    out = StringIO()
    call_command("simulate", "ferry", "--workers", "6", *args, stdout=out)
    return out.getvalue()


def test_it_prints_what_to_expect_and_leaves_nothing(study):
    said = simulate("--mix", "careful=.5,random=.5")
    for words in ("careful", "random", "100%", "Coherence", "with QC"):
        assert words in said
    assert "Covered after " in said
    assert "Cost: 2." in said
    assert not Seat.objects.exists()


def test_it_says_when_nobody_is_left(study):
    study.ratings_per_text = 9
    study.save()
    said = simulate()
    assert "Not covered: 12 of 18 pages" in said


def test_json_has_every_number(study):
    found = json.loads(simulate("--json", "--mix", "careful=1"))
    assert (found["pages"], found["valid"], found["cost"]) == (4, 4, "2.00")
    (kind,) = found["kinds"]
    assert kind["kind"] == "careful"
    assert (kind["pages"], kind["rate"]) == (4, 0)
    assert len(found["aspects"]) == 3


def test_of_a_large_study_it_rates_some(study):
    assert "The simulation rated 1 of 2 surveys" in simulate("--max-pages", "2")


@pytest.mark.parametrize(
    "mix, said",
    [("careful", "expected shares as"), ("careful=.4,sleepy=.6", "Expected shares of")],
)
def test_it_says_what_shares_look_like(study, mix, said):
    with pytest.raises(CommandError, match=said):
        simulate("--mix", mix)


def test_it_says_so_where_there_is_no_such_study(db):
    with pytest.raises(CommandError, match="no study named 'ferry'"):
        simulate()
