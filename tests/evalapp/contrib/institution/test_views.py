"""What the browser is told when it comes back; the protocol itself is a stand-in."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType, SimpleNamespace

import pytest
from django.contrib.sessions.models import Session
from django.urls import path

from evalapp import urls
from evalapp.accounts.models import Identity
from evalapp.contrib.institution import admitting
from tests.evalapp.contrib.institution.test_admitting import NOW, institution, person

pytestmark = pytest.mark.django_db
ROOM = "evalapp.contrib.institution"
ONLY = institution(allowed_groups=frozenset(["people"]))


class Problem(Exception):
    """As the protocol raises it."""


@pytest.fixture
def protocol(monkeypatch, settings) -> SimpleNamespace:
    """Where people log in at an institution; the real one needs its packages."""
    begun: list[str] = []
    fake = ModuleType(f"{ROOM}.protocol")
    fake.LOGIN, fake.LINK, fake.Answer, fake.Problem = "login", "connect", None, Problem
    fake.begin = lambda request, process, next_url: (
        begun.append(next_url) or "https://x"
    )
    fake.begun = begun
    monkeypatch.setitem(sys.modules, fake.__name__, fake)
    monkeypatch.delitem(sys.modules, f"{ROOM}.views", raising=False)
    views = import_module(f"{ROOM}.views")
    monkeypatch.delitem(sys.modules, f"{ROOM}.views")
    settings.INSTITUTION = ONLY
    addresses = ModuleType("addresses")
    addresses.urlpatterns = [
        path("login/institution/", views.begin, name="institution_login"),
        path("login/institution/callback/", views.callback),
        path("link/", views.link, name="institution_link"),
        *urls.urlpatterns,
    ]
    settings.ROOT_URLCONF = addresses
    return fake


def come_back(client, protocol, who, process="login", user=None, next_url=""):
    answer = SimpleNamespace(
        person=who, process=process, user=user, next_url=next_url, log_out=""
    )

    def complete(request):
        request.session["states"] = {}  # as the protocol does, who uses up its own
        return answer

    protocol.complete = complete
    return client.get("/login/institution/callback/")


def test_a_person_comes_in_and_to_the_page_they_wanted(client, protocol):
    answer = come_back(client, protocol, person("people"), next_url="/account/")
    assert answer["Location"] == "/account/"
    assert client.get("/account/").status_code == 200


def test_who_is_refused_is_logged_out_wherever_they_were(client, protocol):
    come_back(client, protocol, person("people"))
    answer = come_back(client, protocol, person())
    assert answer.status_code == 403
    assert "is not in a group that may use" in answer.content.decode()
    assert not Session.objects.exists() and not client.cookies["researcher"].value


def test_a_link_that_is_refused_leaves_its_owner_logged_in(client, protocol, bob):
    admitting.admit(person=person("people"), institution=ONLY, now=NOW)
    client.force_login(bob)
    answer = come_back(client, protocol, person("people"), "connect", bob.pk)
    assert answer["Location"] == "/account/"
    page = client.get("/account/").content.decode()
    assert "is linked to another account of this site" in page


def test_a_link_of_someone_who_has_left_ends_their_session(client, protocol, bob):
    Identity.objects.create(user=bob, issuer="https://x", subject="1", seen_at=NOW)
    client.force_login(bob)
    answer = come_back(client, protocol, person(), "connect", bob.pk)
    assert answer.status_code == 403 and not Session.objects.exists()


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        ("/studies/?a=b", "/studies/?a=b"),
        ("https://evil.example/", ""),
        ("//evil.example/", ""),
        ("nowhere", ""),
        ("/" + "x" * 2000, ""),
    ],
)
def test_only_a_path_of_this_site_is_gone_to_afterwards(client, protocol, wanted, kept):
    client.post("/login/institution/", {"next": wanted})
    assert protocol.begun == [kept]
