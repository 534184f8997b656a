"""What was sent twice, because its answer was lost, is done once."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from evalapp.limits import once
from evalapp.limits.models import Sent
from scoring.models import MetricRun

pytestmark = pytest.mark.django_db

OPTIONS = {"metric": "repetition", "options": {}}


@pytest.fixture
def browser(alice):
    """Of a person, with the checks of tokens that Django's test client leaves out."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    return client


@pytest.fixture
def page(study):
    return f"/studies/{study.name}/metrics/with/repetition/"


@pytest.fixture
def study(make_study):
    from tests.annotation.seating import lay_out

    study = make_study()
    lay_out(study)
    return study


def token_of(browser, page) -> str:
    html = browser.get(page).content.decode()
    return re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', html)[1]


def fields_of(browser, page) -> dict[str, str]:
    return {"csrfmiddlewaretoken": token_of(browser, page), "repetition-window": "32"}


@pytest.fixture
def lost_answer(monkeypatch):
    """The database goes away when the run is stored."""
    from scoring.runs.views import choosing

    starts = choosing._start

    def started(*args):
        starts(*args)
        raise OperationalError("the connection was closed")

    def lose(again: bool = False):
        monkeypatch.setattr(choosing, "_start", starts if again else started)

    return lose


class TestForms:
    def test_a_form_that_is_sent_twice_starts_one_run(self, browser, page):
        fields = fields_of(browser, page)
        first, second = browser.post(page, fields), browser.post(page, fields)
        assert (first.status_code, second.status_code) == (302, 302)
        assert first["Location"] == second["Location"]
        assert MetricRun.objects.count() == 1

    def test_a_page_that_is_loaded_again_has_a_form_of_its_own(self, browser, page):
        for _ in range(2):
            browser.post(page, fields_of(browser, page))
        assert MetricRun.objects.count() == 2

    def test_other_words_in_the_form_are_another(self, browser, page):
        fields = fields_of(browser, page)
        for n in ("32", "16"):
            browser.post(page, {**fields, "repetition-window": n})
        assert MetricRun.objects.count() == 2

    def test_what_was_refused_can_be_sent_again(self, browser, page):
        fields = {**fields_of(browser, page), "repetition-window": "none"}
        answers = [browser.post(page, fields).status_code for _ in range(2)]
        assert answers == [400, 400]
        assert not Sent.objects.exists()

    def test_where_the_answer_was_lost_the_person_looks_first(
        self, browser, page, lost_answer
    ):
        fields = fields_of(browser, page)
        lost_answer()
        browser.raise_request_exception = False
        assert browser.post(page, fields).status_code >= 500
        lost_answer(again=True)
        answer = browser.post(page, fields)
        assert answer.status_code == once.CONFLICT
        assert MetricRun.objects.count() == 1

    def test_nobody_gets_the_answer_of_another_account(self, browser, page, staff):
        fields = fields_of(browser, page)
        browser.post(page, fields)
        browser.force_login(staff)
        fields["csrfmiddlewaretoken"] = token_of(browser, page)
        browser.post(page, fields)
        assert MetricRun.objects.count() == 2


class TestApi:
    @pytest.fixture
    def call(self, study, alice, client):
        client.force_login(alice)
        address = f"/api/v1/studies/{study.name}/runs/"

        def post(key=None, body=OPTIONS):
            headers = {once.HEADER: key} if key else {}
            return client.post(
                address, body, content_type="application/json", headers=headers
            )

        return post

    def test_a_call_with_the_same_key_gets_the_same_answer(self, call):
        first, second = call("k1"), call("k1")
        assert (first.status_code, first.json()) == (201, second.json())
        assert second[once.REPLAYED] == "true" and once.REPLAYED not in first
        assert MetricRun.objects.count() == 1

    def test_without_a_key_each_call_counts(self, call):
        assert [call().status_code for _ in range(2)] == [201, 201]
        assert MetricRun.objects.count() == 2

    def test_the_same_key_with_another_body_is_another_call(self, call):
        call("k1")
        call("k1", {**OPTIONS, "options": {"window": 16}})
        assert MetricRun.objects.count() == 2

    def test_what_was_refused_can_be_called_again(self, call):
        wrong = {**OPTIONS, "metric": "none"}
        assert [call("k1", wrong).status_code for _ in range(2)] == [400, 400]

    def test_a_key_of_an_unknown_outcome_is_a_conflict(self, call):
        call("k1")
        Sent.objects.update(status=None)
        answer = call("k1")
        assert (answer.status_code, list(answer.json())) == (once.CONFLICT, ["errors"])

    def test_who_was_removed_gets_no_answer_of_before(self, call, study):
        call("k1")
        study.members.all().delete()
        assert call("k1").status_code == 404


def test_after_a_day_it_is_forgotten(browser, page):
    browser.post(page, fields_of(browser, page))
    once.tidy(now=timezone.now() + timedelta(hours=23))
    assert Sent.objects.exists()
    once.tidy(now=timezone.now() + timedelta(hours=25))
    assert not Sent.objects.exists()
