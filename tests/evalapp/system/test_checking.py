"""A running site is tested from outside and inside, and says what to do."""

from __future__ import annotations

import json
from datetime import timedelta
from email.message import Message
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from evalapp.system import checking
from evalapp.system.checking import Level
from evalapp.work import heartbeats


def levels(found):
    return {(one.part, one.level) for one in found}


def said(found, part):
    return " ".join(one.said for one in found if one.part == part)


@pytest.fixture
def answers(monkeypatch):
    """Answer `fetch` by address; an exception is raised."""

    def use(**by_end):
        def fetch(url, headers=None, body=None):
            assert not body or checking.is_signed(url.partition("?token=")[2])
            end = "upload" if body else url.partition("?")[0].rstrip("/").split("/")[-1]
            found = by_end[end]
            if isinstance(found, Exception):
                raise found
            status, sent, content = found
            message = Message()
            for name, value in sent.items():
                message[name] = value
            return status, message, json.dumps(content).encode()

        monkeypatch.setattr(checking, "fetch", fetch)

    return use


SEEN = {"address": "10.0.0.9", "secure": True, "at": "now"}
WELL = {
    "healthz": (200, {}, "ok"),
    "login": (301, {"Location": "https://x.org/login/"}, ""),
    "seen": (200, {}, SEEN),
    "upload": (200, {}, {**SEEN, "bytes": 64 * 2**20}),
}


@pytest.fixture
def https(settings):
    settings.PUBLIC_URL, settings.HTTPS = "https://x.org", True


@pytest.mark.usefixtures("https")
class TestSite:
    def test_all_is_well_behind_a_good_proxy(self, answers):
        answers(**WELL)
        assert {one.level for one in checking.site()} == {Level.WELL}

    @pytest.mark.parametrize(
        ("answer", "part", "told"),
        [
            ({"healthz": OSError("no route")}, "site", "does not answer: no route."),
            ({"healthz": (404, {}, "")}, "site", "Is another site at this address?"),
            ({"login": (200, {}, "")}, "https", "instead of redirecting to https"),
            ({"seen": (404, {}, "")}, "proxy", "the same SECRET_KEY"),
            ({"seen": (200, {}, {**SEEN, "secure": False})}, "proxy", "-Proto"),
            (
                {"seen": (200, {}, {**SEEN, "address": checking.CLAIMED})},
                "proxy",
                "replace X-Forwarded-For",
            ),
            ({"upload": (413, {}, "")}, "uploads", "to 128 MB"),
            ({"upload": (404, {}, "")}, "uploads", "It answered 404."),
            ({"upload": (200, {}, "<html>")}, "uploads", "It answered 200."),
            ({"upload": (502, {}, WELL["upload"][2])}, "uploads", "answered 502."),
            ({"upload": (200, {}, {"bytes": 9})}, "uploads", "reported 9 bytes."),
            ({"login": (302, {}, "")}, "https", "instead of redirecting to https"),
            ({"upload": OSError("reset")}, "uploads", "did not get through: reset."),
        ],
    )
    def test_what_is_wrong_says_what_to_do(self, answers, answer, part, told):
        answers(**{**WELL, **answer})
        found = list(checking.site())
        assert (part, Level.WRONG) in levels(found)
        assert told in said(found, part)

    def test_a_clock_that_is_wrong_is_told(self, answers):
        answers(
            **{**WELL, "healthz": (200, {"Date": "Mon, 01 Jan 2024 00:00:00 GMT"}, "")}
        )
        assert ("clock", Level.WRONG) in levels(checking.site())


@pytest.fixture
def patient(monkeypatch):
    """The first request of a process imports much code, and the machine may be busy."""
    monkeypatch.setattr(checking, "TIMEOUT", 120)


@pytest.mark.usefixtures("patient")
@pytest.mark.django_db(transaction=True)
def test_a_site_without_a_proxy_does_not_believe_visitors(live_server, settings):
    settings.PUBLIC_URL, settings.BEHIND_PROXY = live_server.url, False
    found = list(checking.site())
    assert ("proxy", Level.WELL) in levels(found)
    assert "as 127.0.0.1" in said(found, "proxy")
    assert ("uploads", Level.WELL) in levels(found)


@pytest.mark.usefixtures("patient")
@pytest.mark.django_db(transaction=True)
def test_one_that_believes_a_proxy_that_is_not_there_is_found(live_server, settings):
    settings.PUBLIC_URL, settings.BEHIND_PROXY = live_server.url, True
    assert ("proxy", Level.WRONG) in levels(checking.site())


@pytest.mark.parametrize(
    ("apart", "level"), [(4, Level.WELL), (-4, Level.WELL), (6, Level.WRONG)]
)
def test_clocks_may_differ_a_little(apart, level):
    assert checking._compared("site", timedelta(seconds=apart)).level == level


@pytest.mark.django_db
class TestInside:
    def test_each_queue_needs_a_worker(self):
        heartbeats.beat(owner="lab/7/x", now=timezone.now(), queues=["gpu"])
        found = levels(checking.queues())
        assert ("workers of gpu", Level.WELL) in found
        assert ("workers of judges", Level.DOUBT) in found

    def test_somebody_must_be_able_to_administrate(self, settings, django_user_model):
        assert ("accounts", Level.DOUBT) in levels(checking.secrets())
        django_user_model.objects.create_superuser("root")
        assert levels(checking.secrets()) == {("secrets", Level.WELL)}

    def test_debugging_is_for_nobody_else(self, settings):
        settings.DEBUG = True
        assert ("secrets", Level.WRONG) in levels(checking.secrets())

    def test_all_tables_are_there(self):
        assert Level.WRONG not in {one.level for one in checking.tables()}

    def test_a_disk_that_is_almost_full_is_told(self, monkeypatch):
        monkeypatch.setattr(checking, "FREE_BYTES", 2**60)
        assert levels(checking.disk()) == {("disk", Level.DOUBT)}


def test_a_check_that_breaks_does_not_hide_the_others():
    def broken():
        raise ZeroDivisionError("none")

    def fine():
        yield checking.Found("b", Level.WELL, "")

    found = list(checking.run((broken, fine)))
    assert levels(found) == {("broken", Level.WRONG), ("b", Level.WELL)}


@pytest.mark.django_db
def test_the_command_ends_with_an_error_if_anything_is_wrong(answers):
    answers(healthz=OSError("refused"))
    told = StringIO()
    with pytest.raises(CommandError, match="found: see above"):
        call_command("check_site", "--json", stdout=told)
    parts = {one["part"] for one in json.loads(told.getvalue())}
    assert {"database", "site", "gpu", "models", "judges", "disk"} <= parts
