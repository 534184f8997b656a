from __future__ import annotations

import pytest

from tests.scoring import analysed
from tests.support.scored import of_two_systems

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]


@pytest.fixture
def study(make_study):
    return of_two_systems(make_study)


def test_it_says_how_to_mark_a_system_as_people(client, study):
    page = analysed.page(client, study, "synthetic")
    assert "Nothing to compare yet" in page
    assert 'action="/studies/ferry/systems/kinds/"' in page
    assert '<details class="section options" id="kinds" open>' in page


def test_with_people_there_are_areas(client, study):
    client.post("/studies/ferry/systems/kinds/", {"human": ["<b>b</b>"]})
    page = analysed.page(client, study, "synthetic")
    assert "Real: 6 texts by &lt;b&gt;b&lt;/b&gt;." in page and "<b>b</b>" not in page
    assert "roc area|" in page and 'data-chart="figure-area"' in page


def test_systems_can_be_chosen_in_the_address(client, study):
    page = analysed.page(client, study, "synthetic", real="a", n_real=2)
    assert "Real: 6 texts by a." in page and "2 real and 6 synthetic texts" in page
