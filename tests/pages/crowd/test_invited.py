"""A link lets in the browser that begins with it, and no other."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from annotation import surveys
from annotation.crowd import invites
from annotation.models import Annotation, Study, Worker
from tests.pages.crowd.test_proving import a_seat_of, asks, give, hand_in
from tests.pages.working import agreement, full_form, url

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def counters():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def study(make_study) -> Study:
    """Two pages for each worker."""
    study = make_study(prompts=1, samples=2, contact="lab@example.org")
    surveys.open_study(study=study)
    return study


def said(answer) -> str:
    return answer.content.decode()


class TestInvites:
    @pytest.fixture
    def link(self, study) -> dict[str, str]:
        (made,) = invites.create(study=study, names=["Ann"], now=timezone.now())
        return {"invite": made.token}

    def come(self, study, link: dict[str, str]) -> Client:
        client = Client()
        client.get(study.get_worker_url(), link, follow=True)
        return client

    def begin(self, study, link: dict[str, str]) -> tuple[Client, object]:
        client = self.come(study, link)
        return client, client.post(url("start", study), agreement(study))

    def test_the_first_browser_works_and_a_second_is_asked_at_once(self, study, link):
        own, answer = self.begin(study, link)
        assert "/seat/" in answer["Location"]  # no page is submitted yet
        other = self.come(study, link)
        page = other.get(study.get_worker_url())
        assert asks(page) and "with your link in another browser" in said(page)
        assert asks(other.post(url("start", study), agreement(study)))
        assert asks(other.get(a_seat_of(study).get_absolute_url()))
        seat = a_seat_of(study)
        assert asks(other.post(url("answer", seat), full_form(seat)))
        assert not Annotation.objects.exists()
        hand_in(own, a_seat_of(study))
        assert asks(other.post(url("withdraw", study)))
        assert own.get(study.get_worker_url()).status_code == 200

    def test_who_only_looked_is_not_bound(self, study, link):
        """Mail servers open links to look for harm."""
        self.come(study, link)
        _, answer = self.begin(study, link)
        assert "/seat/" in answer["Location"]

    def test_of_two_at_the_words_to_agree_to_the_first_goes_on(self, study, link):
        early, late = self.come(study, link), self.come(study, link)
        assert "/seat/" in late.post(url("start", study), agreement(study))["Location"]
        assert asks(early.post(url("start", study), agreement(study)))

    def test_another_device_goes_on_with_the_code(self, study, link):
        own, _ = self.begin(study, link)
        seat = a_seat_of(study)
        own.post(url("answer", seat), full_form(seat))
        answers = Annotation.objects.count()
        code = Worker.objects.get().personal_code
        assert code in said(own.get(url("leave", study)))
        other = self.come(study, link)
        assert give(other, study, "0" * 10).status_code == 403
        assert give(other, study, code)["Location"] == study.get_worker_url()
        assert "/seat/" in hand_in(other, seat)["Location"]
        assert Annotation.objects.count() == answers
        assert Worker.objects.count() == 1

    def test_who_has_neither_gets_a_new_link_and_keeps_the_work(
        self, study, link, alice
    ):
        own, _ = self.begin(study, link)
        hand_in(own, a_seat_of(study))
        made = invites.renew(invite=study.invites.get(), now=timezone.now(), user=alice)
        assert Client().get(study.get_worker_url(), link).status_code == 403
        new = {"invite": made.token}
        other = self.come(study, new)
        assert other.get(study.get_worker_url()).status_code == 200
        seat = a_seat_of(study)
        assert other.post(url("answer", seat), full_form(seat)).status_code == 204
        assert asks(self.come(study, new).get(study.get_worker_url()))
        assert own.get(seat.get_absolute_url()).status_code == 200
        assert Worker.objects.count() == 1

    def test_a_browser_that_saw_the_older_link_is_not_let_in_by_the_newer(
        self, study, link, alice
    ):
        early = self.come(study, link)
        self.begin(study, link)
        invites.renew(invite=study.invites.get(), now=timezone.now(), user=alice)
        assert asks(early.get(study.get_worker_url()))

    def test_a_newer_link_that_the_same_browser_begins_with_lets_in_no_other(
        self, study, link, alice
    ):
        own, _ = self.begin(study, link)
        made = invites.renew(invite=study.invites.get(), now=timezone.now(), user=alice)
        new = {"invite": made.token}
        own.get(study.get_worker_url(), new, follow=True)
        own.post(url("start", study), agreement(study))
        assert asks(self.come(study, new).get(study.get_worker_url()))

    def test_a_revoked_link_proves_nothing(self, study, link, alice):
        own, _ = self.begin(study, link)
        hand_in(own, a_seat_of(study))
        other = self.come(study, link)
        invites.revoke(invite=study.invites.get(), now=timezone.now(), user=alice)
        assert asks(other.get(url("withdraw", study)))
        assert own.get(url("withdraw", study)).status_code == 200

    def test_who_began_before_links_were_bound_goes_on(self, study, link):
        own, _ = self.begin(study, link)
        Worker.objects.update(proofs=[])
        study.invites.update(taken=False)
        seat = a_seat_of(study)
        assert own.post(url("answer", seat), full_form(seat)).status_code == 204
        assert asks(self.come(study, link).get(study.get_worker_url()))
