"""What links carry beside an id, and how often one may knock."""

from __future__ import annotations

from html import unescape

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

from annotation import surveys
from annotation.models import Seat, Worker
from evalapp.limits import throttling
from tests.pages.working import agreement, url

pytestmark = pytest.mark.django_db

PID = "5f1d7a2b3c4d5e6f7a8b9c0d"


@pytest.fixture
def prolific(make_study):
    study = make_study(name="crowd", prompts=1, samples=2, platform="prolific")
    surveys.open_study(study=study)
    return study


def arrive(client, study, **more):
    client.get(study.get_worker_url(), {"PROLIFIC_PID": PID, **more})


def start(client, study):
    return client.post(url("start", study), agreement(study))


class TestArrival:
    def test_study_and_session_are_kept_with_the_worker(self, prolific):
        client = Client()
        arrive(client, prolific, STUDY_ID="study1", SESSION_ID="session1")
        assert not Worker.objects.exists()
        start(client, prolific)
        kept = Worker.objects.get().arrival
        assert kept == {"STUDY_ID": "study1", "SESSION_ID": "session1"}

    def test_a_new_session_takes_the_place_of_the_old(self, prolific):
        for session in ("one", "two"):
            client = Client()
            arrive(client, prolific, SESSION_ID=session)
            start(client, prolific)
        assert Worker.objects.get().arrival == {"SESSION_ID": "two"}

    def test_what_the_platform_did_not_fill_in_is_left_out(self, prolific):
        client = Client()
        arrive(client, prolific, STUDY_ID="{{%STUDY_ID%}}", SESSION_ID="x" * 65)
        start(client, prolific)
        assert Worker.objects.get().arrival == {}

    def test_it_is_not_kept_with_a_worker_of_another_study(self, prolific, make_study):
        other = make_study(name="other", prompts=1, samples=2, platform="prolific")
        surveys.open_study(study=other)
        client = Client()
        arrive(client, other)
        arrive(client, prolific, SESSION_ID="one")
        start(client, other)
        assert Worker.objects.get().arrival == {}


class TestLink:
    def overview(self, client, alice, study) -> str:
        client.force_login(alice)
        return unescape(client.get(study.get_absolute_url()).content.decode())

    def test_for_prolific_it_has_the_parts_that_prolific_fills_in(
        self, client, alice, prolific
    ):
        said = self.overview(client, alice, prolific)
        link = f"http://testserver{prolific.get_worker_url()}?PROLIFIC_PID="
        assert said.count(f"{link}{{{{%PROLIFIC_PID%}}}}&STUDY_ID={{{{%") == 3

    def test_a_plain_one_has_none(self, client, alice, make_study):
        study = make_study()
        surveys.open_study(study=study)
        said = self.overview(client, alice, study)
        assert f'value="http://testserver{study.get_worker_url()}"' in said

    def test_ids_that_are_easy_to_guess_are_warned_of(self, client, alice, make_study):
        study = make_study()
        client.force_login(alice)
        settings = client.get(reverse("study_settings", args=[study.name]))
        surveys.open_study(study=study)
        invite_links = f'href="{reverse("study_invites", args=[study.name])}"'
        for said in (
            unescape(settings.content.decode()),
            self.overview(client, alice, study),
        ):
            assert "easy to guess, such as short numbers" in said
            assert invite_links in said

    def test_but_not_where_the_platform_gives_the_ids(self, client, alice, prolific):
        assert "easy to guess" not in self.overview(client, alice, prolific)

    def test_for_mechanical_turk_there_is_a_question_instead(
        self, client, alice, make_study
    ):
        study = make_study(platform="mturk")
        surveys.open_study(study=study)
        said = self.overview(client, alice, study)
        assert reverse("study_mturk", args=[study.name]) in said
        assert study.get_worker_url() not in said


class TestThrottling:
    def test_a_worker_who_starts_without_end_is_asked_to_wait(self, prolific, settings):
        settings.STARTS_PER_MINUTE = 5 * throttling.SHARING
        client = Client()
        arrive(client, prolific)
        for _ in range(5):
            assert start(client, prolific).status_code == 302
        refused = start(client, prolific)
        assert refused.status_code == 429
        assert refused["Retry-After"] == "60"
        assert "Wait a minute" in refused.content.decode()
        assert Seat.objects.count() == 1

    def test_others_behind_the_same_address_go_on(self, prolific, settings):
        settings.STARTS_PER_MINUTE = 5 * throttling.SHARING
        client = Client()
        arrive(client, prolific)
        for _ in range(6):
            last = start(client, prolific)
        assert last.status_code == 429
        other = Client()
        other.get(prolific.get_worker_url(), {"PROLIFIC_PID": "b" * 24})
        assert start(other, prolific).status_code == 302

    def test_an_address_that_enrols_one_worker_after_another_is_stopped(
        self, prolific, settings
    ):
        settings.STARTS_PER_MINUTE = 2
        codes = []
        for letter in "abc":
            client = Client()
            client.get(prolific.get_worker_url(), {"PROLIFIC_PID": letter * 24})
            codes.append(start(client, prolific).status_code)
        assert codes == [302, 302, 429]
        assert Worker.objects.count() == 2

    @pytest.mark.parametrize(
        "behind_proxy, address", [(False, "10.0.0.1"), (True, "2.2.2.2")]
    )
    def test_the_address_is_what_a_proxy_wrote_where_there_is_one(
        self, settings, behind_proxy, address
    ):
        settings.BEHIND_PROXY = behind_proxy
        request = RequestFactory().get(
            "/", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="1.1.1.1, 2.2.2.2"
        )
        assert throttling.address_of(request) == address
