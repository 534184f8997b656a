from __future__ import annotations

import pytest

from scoring import aligning
from tests.scored import of_two_systems
from tests.scoring import analysed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]


@pytest.fixture
def study(make_study):
    return of_two_systems(make_study)


def test_systems_are_ranked_with_names_letter_by_letter(client, study):
    page = analysed.page(client, study, "systems")
    assert "2 systems on 6 prompts." in page
    assert "&lt;b&gt;b&lt;/b&gt;" in page and "<b>b</b>" not in page
    assert "mean|aspect:coherence|" in page


def test_which_systems_are_people_is_said_there(client, study):
    page = analysed.page(client, study, "systems")
    assert "Which systems are people" in page
    assert 'action="/studies/ferry/systems/kinds/"' in page


def test_a_new_kind_of_a_system_makes_results_old(client, study):
    before = aligning.stamp(study=study)
    client.post("/studies/ferry/systems/kinds/", {"human": ["a"]})
    after = aligning.stamp(study=study)
    assert before != after
    client.post("/studies/ferry/systems/kinds/", {"human": ["<b>b</b>"]})
    assert aligning.stamp(study=study) not in (before, after)


def test_people_can_be_left_out(client, study):
    client.post("/studies/ferry/systems/kinds/", {"human": ["a"]})
    page = analysed.page(client, study, "systems", without_people="on")
    assert "1 system on 6 prompts. With one system there is nothing to rank." in page
