"""Invite links: made by a researcher, followed by the invited and by others."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation import surveys
from annotation.crowd.forms import pages
from annotation.models import Invite, Seat, Study, Worker
from annotation.page_kinds import questions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("study", "as_alice")]

URL = "/studies/ferry/invites/"


@pytest.fixture
def study(make_study):
    study = make_study(prompts=1, samples=2, invited_only=True)
    surveys.open_study(study=study)
    return study


def make(client: Client, names: str = "Ada") -> tuple[str, list[str]]:
    """The page that shows the links, and the links without their host."""
    page = client.post(f"{URL}make/", {"names": names}).content.decode()
    links = re.findall(r'type="url" value="([^"]+)"', page)
    return page, [link[link.index("/w/") :] for link in links]


def begin(link: str, study: Study) -> Client:
    """Follow the link and agree."""
    worker = Client()
    worker.get(link, follow=True)
    agreed = {"agree": "on", "version": pages.ConsentForm(study).digest}
    worker.post(reverse("worker:start", args=[study.public_id]), agreed)
    return worker


class TestResearcher:
    def test_links_are_shown_once(self, client):
        page, links = make(client, "Ada\nGrace")
        assert "2 links created" in page
        assert len(set(links)) == 2
        assert links[0] not in client.get(URL).content.decode()

    def test_the_page_with_links_is_kept_in_no_cache(self, client):
        answer = client.post(f"{URL}make/", {"names": "Ada"})
        assert "no-store" in answer["Cache-Control"]

    def test_sending_the_form_again_makes_none(self, client):
        make(client)
        answer = client.post(f"{URL}make/", {"names": "Ada"})
        assert answer.status_code == 400
        assert "Invited already" in answer.content.decode()
        assert Invite.objects.count() == 1

    def test_the_file_has_the_links_of_this_study_only(self, client):
        _, (link,) = make(client, "=Ada")
        token = urlsplit(link).query.removeprefix("invite=")
        given = {"token": [token, "foreign"]}
        answer = client.post(f"{URL}download/", given)
        header, row = answer.getvalue().decode().split()
        assert header.endswith("name,link")
        assert row.startswith("'=Ada,http") and row.endswith(link)

    def test_it_shows_who_came_and_revokes(self, client, study):
        _, (link,) = make(client)
        assert "not used yet" in client.get(URL).content.decode()
        begin(link, study)
        assert "<td>used</td>" in client.get(URL).content.decode()
        client.post(f"{URL}{Invite.objects.get().pk}/revoke/")
        assert "<td>revoked</td>" in client.get(URL).content.decode()

    def test_a_new_link_lets_someone_in_anew_as_the_same_worker(self, client, study):
        _, (link,) = make(client)
        assert "New link" not in client.get(URL).content.decode()
        begin(link, study)
        assert "New link" in client.get(URL).content.decode()
        at = f"{URL}{Invite.objects.get().pk}/renew/"
        answer = client.post(at)
        (newer,) = (one for _, one in answer.context["made"])
        assert newer in answer.content.decode() and newer != link
        assert Client().get(link).status_code == 403
        other = begin(newer, study)
        assert other.get(study.get_worker_url()).status_code == 200
        assert Worker.objects.count() == Invite.objects.count() == 1
        assert study.events.filter(verb="renewed-invite").exists()

    def test_a_revoked_link_is_not_renewed(self, client, study):
        make(client)
        Invite.objects.update(revoked_at=timezone.now())
        at = f"{URL}{Invite.objects.get().pk}/renew/"
        assert client.post(at).status_code == 404

    def test_the_overview_of_such_a_study_leads_here(self, client):
        page = client.get("/studies/ferry/").content.decode()
        assert page.count(f'href="{URL}"') == 2
        assert "Link for workers" not in page

    def test_another_platform_is_explained(self, client):
        Study.objects.update(platform="prolific")
        page = client.get(URL).content.decode()
        assert "come from Prolific" in page
        assert "<textarea" not in page


class TestWorker:
    def test_the_token_leaves_the_address_and_nothing_is_written(self, client, study):
        _, (link,) = make(client)
        answer = Client().get(link)
        assert answer["Location"] == study.get_worker_url()
        assert not Worker.objects.exists()

    def test_on_two_devices_it_is_one_worker_with_one_page(self, client, study):
        _, (link,) = make(client)
        begin(link, study)
        second = begin(link, study)
        assert second.get(study.get_worker_url()).status_code == 403
        seat = Seat.objects.get()
        assert Invite.objects.get().worker == seat.worker

    def test_the_plain_link_lets_nobody_in(self, client, study):
        answer = Client().get(study.get_worker_url())
        assert answer.status_code == 403
        assert "Only invited people" in answer.content.decode()

    @pytest.mark.parametrize("claim", ["worker=invite-1", "worker=w1", "invite=x"])
    def test_no_claim_lets_in(self, client, study, claim):
        make(client)
        begin(f"{study.get_worker_url()}?{claim}", study)
        assert not Worker.objects.exists()

    def test_the_id_of_an_invite_cannot_be_claimed_where_all_may_come(
        self, client, study
    ):
        Study.objects.update(invited_only=False)
        _, (link,) = make(client)
        begin(link, study)
        pk = Invite.objects.get().pk
        thief = Client().get(study.get_worker_url(), {"worker": f"invite-{pk}"})
        assert thief.status_code == 400

    def test_a_revoked_link_gives_no_further_page(self, client, study):
        _, (link,) = make(client)
        worker = begin(link, study)
        client.post(f"{URL}{Invite.objects.get().pk}/revoke/")
        seat = Seat.objects.get()
        data = {
            questions.field_name(position, aspect.key): "3"
            for position in range(1, len(seat.order) + 1)
            for aspect in study.aspects.all()
        }
        submit = reverse("worker:submit", args=[seat.public_id])
        worker.post(submit, {**data, "then": "next"})
        assert Seat.objects.count() == 1  # submitted, and no other
        page = worker.get(study.get_worker_url()).content.decode()
        assert "Show my completion code" in page

    def test_leaving_names_no_link_that_would_not_work(self, client, study):
        _, (link,) = make(client)
        worker = begin(link, study)
        page = worker.get(reverse("worker:leave", args=[study.public_id]))
        assert "worker=invite" not in page.content.decode()
