"""What a process takes in before anybody has looked at it."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError
from django.urls import resolve
from django.utils import timezone
from waitress.adjustments import Adjustments

from evalapp import request_bodies
from evalapp.accounts import tokens
from evalapp.request_bodies import LEAST_BYTES, SMALL, WINDOW_SECONDS
from tests.pages.test_access import OF_A_STUDY, ROUTES

COOKIE = {"COOKIE": f"a=1; {settings.SESSION_COOKIE_NAME}=x"}
TOKEN = {"AUTHORIZATION": "Token x"}
FILES = "/studies/new/"


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (FILES, {}),
        (FILES, {"COOKIE": "a=1"}),
        ("/login/", COOKIE),
        ("/w/8c8ad25a-8b5c-4b0c-8f3a-1b2c3d4e5f60/start/", COOKIE),
        ("/studies/ferry/quality/", COOKIE),
        ("/nowhere", TOKEN),
        ("/studies/%00/import/", COOKIE),
    ],
)
def test_a_large_body_is_refused_elsewhere_and_without_a_login(path, headers):
    assert request_bodies.most_bytes(path, headers) == SMALL


@pytest.mark.parametrize("headers", [COOKIE, TOKEN])
@pytest.mark.parametrize(
    "path",
    [
        FILES,
        "/studies/ferry/import/",
        "/api/v1/studies/ferry/uploads/",
        "/api/studies/ferry/corpora/",
    ],
)
def test_where_files_are_taken_it_may_be_as_large_as_one(path, headers):
    most = request_bodies.most_bytes(path, headers)
    assert most == 2 * settings.UPLOAD_MAX_BYTES


class TestWhatIsShown:
    """A made-up cookie is no login: strangers would hold as much as members."""

    def most(self, length: str = "Content-Length: 6000000", **headers: str) -> int:
        lines = [f"POST {FILES} HTTP/1.1", "Host: a", length]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        parser = request_bodies.Parser(Adjustments(max_request_body_size=2**40))
        parser.parse_header("\r\n".join(lines).encode())
        return parser.adj.max_request_body_size

    @pytest.mark.django_db(transaction=True)
    def test_a_login_and_a_token_let_large_bodies_in(self, client, alice):
        client.force_login(alice)
        key = client.cookies[settings.SESSION_COOKIE_NAME].value
        cookie = f"a=1; {settings.SESSION_COOKIE_NAME}={key}"
        assert self.most(Cookie=cookie) == 2 * settings.UPLOAD_MAX_BYTES
        _, key = tokens.make(user=alice, name="x", now=timezone.now())
        most = self.most("Transfer-Encoding: chunked", Authorization=f"Token {key}")
        assert most == 2 * settings.UPLOAD_MAX_BYTES

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize(
        "headers",
        [
            {"Cookie": COOKIE["COOKIE"]},
            {"Authorization": TOKEN["AUTHORIZATION"]},
            {"Authorization": "Basic x"},
        ],
    )
    def test_what_nobody_has_got_does_not(self, headers):
        assert self.most(**headers) == SMALL
        assert self.most("Transfer-Encoding: chunked", **headers) == SMALL

    @pytest.mark.django_db(transaction=True)
    def test_a_session_of_nobody_does_not(self, client):
        session = client.session
        session["next"] = "/"
        session.save()
        cookie = f"{settings.SESSION_COOKIE_NAME}={session.session_key}"
        assert self.most(Cookie=cookie) == SMALL

    def test_of_a_small_body_nobody_asks_the_database(self):
        assert self.most("Content-Length: 9", Cookie=COOKIE["COOKIE"]) > SMALL

    @pytest.mark.django_db(transaction=True)
    def test_without_a_database_files_come_in_and_are_asked_about_later(
        self, monkeypatch
    ):
        def away(**_):
            raise OperationalError

        monkeypatch.setattr(tokens, "find", away)
        assert self.most(Authorization="Token x") == 2 * settings.UPLOAD_MAX_BYTES


def reads_files(view: Any) -> bool:
    """Itself, or by a function of its module."""
    words = inspect.getsource(view)
    functions = inspect.getmembers(inspect.getmodule(view), inspect.isfunction)
    helpers = [
        name for name, of in functions if "request.FILES" in inspect.getsource(of)
    ]
    calls = [f"{name}(" for name in helpers if name != view.__name__]
    return any(one in words for one in ("request.FILES", "FileField", *calls))


def test_every_view_that_reads_files_is_marked():
    """A new one would refuse what it is there for."""
    parts = {"<slug:name>": "ferry", "<int:pk>": "1", "<slug:corpus>": "human"}
    unmarked = []
    for route in {*ROUTES, *OF_A_STUDY}:
        for part, value in parts.items():
            route = route.replace(part, value)
        if "<" in route:
            continue
        view = resolve(f"/{route}").func
        view = getattr(view, "cls", view)
        marked = getattr(view, "takes_files", False)
        if reads_files(inspect.unwrap(view)) and not marked:
            unmarked.append(route)
    assert unmarked == []


def channel(began: float = 0.0, n: int = 0, before: int = 0) -> SimpleNamespace:
    """A connection with an unfinished request, of which so much has come."""
    request = request_bodies.Parser(SimpleNamespace())
    request.window_began, request.window_bytes = began, before
    request.body_bytes_received = n
    return SimpleNamespace(request=request)


def dropped(*channels: SimpleNamespace, now: float) -> list[int]:
    gone = request_bodies.to_drop(channels, now)
    return sorted(channels.index(one) for one in gone)


def test_a_request_that_stops_arriving_is_dropped_and_a_slow_one_is_not():
    half = channel(n=30 * 2**20, before=30 * 2**20)
    slow = channel(n=2 * LEAST_BYTES, before=LEAST_BYTES)
    assert dropped(half, slow, now=WINDOW_SECONDS - 1) == []
    assert dropped(half, slow, now=WINDOW_SECONDS) == [0]
    slow.request.body_bytes_received += LEAST_BYTES - 1
    assert dropped(slow, now=2 * WINDOW_SECONDS) == [0]


def test_a_connection_without_a_request_is_left_alone():
    assert request_bodies.to_drop([SimpleNamespace(request=None), object()], 99) == []


def test_beyond_the_budget_those_that_hold_most_go_first():
    third = request_bodies.held_bytes() // 3
    many = [channel(n=third), channel(n=2 * third), channel(n=third), channel(n=9)]
    assert dropped(*many, now=1) == [1]
    assert dropped(*many[:1], *many[2:], now=1) == []
