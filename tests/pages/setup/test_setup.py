"""The checklist, and the page that asks before a study opens."""

from __future__ import annotations

import pytest

from annotation.models import Study
from tests.support.scored import rate

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

AT = "/studies/ferry/"


def read(client, path: str) -> str:
    return client.get(f"{AT}{path}").content.decode()


@pytest.fixture
def study(make_study) -> Study:
    return make_study()


class TestChecklist:
    def test_it_says_what_is_missing_and_leads_there(self, client, study):
        page = read(client, "setup/")
        assert "The study can open. 4 points still need your attention." in page
        assert f'href="{AT}settings/#words">Add a contact' in page
        assert f'href="{AT}open/">Open study…' in page

    def test_without_texts_it_offers_no_opening(self, client, make_study):
        make_study(prompts=0)
        page = read(client, "setup/")
        assert "1 point must be solved before the study can open" in page
        assert f'href="{AT}open/"' not in page.split("<main")[1]

    def test_a_preview_and_a_simulation_count_as_tried(self, client, study):
        for verb, path in (("previewed", "preview/"), ("simulated", "simulate/?")):
            assert not study.events.filter(verb=verb).exists()
            options = "workers=5&careful=5&noisy=0&random=0&same=0&seed=1"
            client.get(f"{AT}{path}{options if '?' in path else ''}")
        assert study.events.filter(verb="previewed").count() == 1

    def test_ratings_from_a_file_need_no_opening(self, client, study):
        rate(study, "coherence", [[4, 5]])
        assert "you don’t need to open this study" in read(client, "setup/")

    def test_once_open_it_says_what_is_fixed(self, client, study):
        client.post(f"{AT}open/")
        page = read(client, "setup/")
        assert "The study is open." in page
        assert "Open study" not in page


class TestOpening:
    def test_it_names_what_becomes_fixed_and_what_is_missing(self, client, study):
        page = read(client, "open/")
        assert "There is no contact address for workers." in page
        assert "You have not written a consent text." in page
        assert "<dt>Scale</dt><dd>from 1 to 5</dd>" in page
        study.refresh_from_db()
        assert study.state == Study.State.DRAFT

    def test_the_button_opens_the_study(self, client, study):
        answer = client.post(f"{AT}open/", follow=True)
        assert "The study ferry is open" in answer.content.decode()
        study.refresh_from_db()
        assert study.state == Study.State.OPEN

    def test_what_cannot_open_has_no_button(self, client, make_study):
        make_study(prompts=0)
        page = read(client, "open/")
        assert "The study cannot open yet" in page
        assert ">Open study</button>" not in page

    def test_asked_all_the_same_it_leads_back_to_the_checklist(
        self, client, make_study
    ):
        make_study(prompts=0)
        assert client.post(f"{AT}open/").url == f"{AT}setup/"

    def test_a_study_that_is_open_is_not_asked_again(self, client, study):
        client.post(f"{AT}open/")
        assert client.get(f"{AT}open/").url == AT


def test_pay_stands_per_hour_on_the_settings_page(client, make_study):
    make_study(pay_per_page="0.80", minutes_per_page=11)
    page = read(client, "settings/")
    assert "0.80 USD per page is about 4.36 USD per hour" in page
    assert "This is below 8 USD per hour, the least that Prolific allows." in page


@pytest.mark.parametrize("stage", ["empty", "draft", "open", "closed"])
def test_the_overview_always_names_a_next_step(client, make_study, stage):
    make_study(prompts=0 if stage == "empty" else 2)
    if stage in ("open", "closed"):
        client.post(f"{AT}open/")
    if stage == "closed":
        client.post(f"{AT}close/")
    wanted = {
        "empty": f'href="{AT}import/">Import texts',
        "draft": f'href="{AT}setup/">Set up study',
        "open": "Copy link for workers",
        "closed": f'href="{AT}results/">See results',
    }
    assert wanted[stage] in read(client, "")
