"""The panel on Setup that says how many ratings a study needs."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from annotation import sizing
from annotation.models import Study
from tests.annotation.seating import NOON
from tests.annotation.sizing.test_planning import SYSTEMS, ratings
from tests.support.scored import rate

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]


def read(client, query: str = "") -> str:
    return client.get(f"/studies/ferry/setup/?{query}").content.decode()


@pytest.fixture
def study(make_study):
    made = make_study(
        prompts=12,
        systems=SYSTEMS,
        aspects=("coherence",),
        pay_per_page=Decimal("0.50"),
        state="open",
    )
    rate(made, "coherence", ratings(12))
    return made


def test_nothing_is_computed_before_it_is_asked(client, study):
    page = read(client)
    assert "Enter the smallest difference between two systems that matters" in page
    assert "Designs that are large enough" not in page


def test_it_answers_from_the_ratings_that_are_there(client, study):
    page = read(client, "difference=.6&like=ferry")
    assert re.search(r'<p class="lead">Add \d+ prompts: more ratings per text', page)
    assert "Based on the ratings of 12 prompts in ferry" in page
    assert "Designs that are large enough" in page
    assert "USD" in page


def test_one_prompt_is_told_that_it_has_no_interval(client, make_study):
    make_study(prompts=1, systems=SYSTEMS, aspects=("coherence",))
    page = read(client, "difference=.6&like=")
    assert f"{sizing.ONE_PROMPT.capitalize()}." in page
    assert "nan" not in page.partition("Designs that are large enough")[2]


def test_it_answers_from_typical_values(client, study):
    assert "typical values of five public studies" in read(
        client, "difference=.6&like="
    )


def test_equivalence_is_asked_in_its_own_words(client, study):
    page = read(client, "difference=.6&like=ferry&equivalence=on")
    assert "of showing that two equal systems differ by less than 0.6" in page


@pytest.mark.parametrize("query", ["difference=0", "difference=x", "difference=nan"])
def test_a_difference_that_cannot_be_is_told_so(client, study, query):
    page = read(client, query)
    assert "errorlist" in page
    assert "Designs that are large enough" not in page


def test_a_study_of_somebody_else_is_not_offered(client, bob, make_study, study):
    other = make_study(name="theirs", prompts=12, systems=SYSTEMS)
    rate(other, "coherence", ratings(12))
    other.members.all().delete()
    page = read(client, "difference=.6&like=theirs")
    assert "Select a valid choice" in page
    assert '<option value="theirs"' not in page


@pytest.mark.parametrize(
    "change",
    [{"state": "closed"}, {"archived_at": NOON}, {"page_kinds": ["pair"]}],
)
def test_there_is_no_panel_where_it_would_not_help(client, study, change):
    Study.objects.update(**change)
    assert "How many ratings the study needs" not in read(client, "difference=.6")


def test_one_system_has_nothing_to_compare(client, make_study):
    make_study(systems=("a",))
    assert "How many ratings the study needs" not in read(client, "difference=.5")


def test_a_random_part_of_the_texts_is_not_planned_for(client, study):
    Study.objects.update(rated_share=50)
    page = read(client, "difference=.6&like=ferry")
    assert "Choose the share of texts by what you can pay for" in page
    assert "Work it out" not in page


def test_a_few_people_are_told_from_a_crowd(client, study):
    page = read(client, "difference=.6&like=ferry&people=2")
    assert "The same 2 people rate the pages of all prompts." in page
    assert "<details open>" in page
    assert "Raters are a crowd" in read(client, "difference=.6&like=ferry")


def test_fewer_people_than_ratings_of_a_text_are_told_so(client, study):
    page = read(client, "difference=.6&people=1")
    assert "Each text gets 2 ratings, each by a different person." in page
