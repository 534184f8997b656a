"""Each request has a number."""

import logging

import pytest

from evalapp.system import following


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO, "evalapp.requests")
    return lambda: [one.getMessage() for one in caplog.records if one.name == LOGGER]


LOGGER = "evalapp.requests"


def test_an_answer_carries_the_number_that_the_log_has(client, caplog, db):
    caplog.set_level(logging.INFO, LOGGER)
    answer = client.get("/health/")
    assert len(answer["X-Request-ID"]) == 16
    assert answer["X-Request-ID"] != client.get("/health/")["X-Request-ID"]


def test_the_log_names_the_view_and_not_the_address(client, db, lines):
    client.get("/w/6cf9c6f6-0b06-4b0e-8a3c-25b6a8a2e06e/?PROLIFIC_PID=somebody")
    client.get("/nowhere/secret")
    (worker, nowhere) = lines()
    assert worker.startswith("GET worker:welcome 404 in ")
    assert nowhere.startswith("GET none 404 in ")


@pytest.mark.parametrize(
    ("given", "is_kept"),
    [("9f3a-71", True), ("", False), ("a b", False), ("x" * 65, False), ("é", False)],
)
def test_a_number_is_taken_from_a_proxy_if_it_is_plain(
    client, settings, db, given, is_kept
):
    settings.BEHIND_PROXY = True
    answer = client.get("/health/", headers={"X-Request-ID": given})
    assert (answer["X-Request-ID"] == given) == is_kept


def test_without_a_proxy_visitors_do_not_choose_it(client, settings, db):
    settings.BEHIND_PROXY = False
    answer = client.get("/health/", headers={"X-Request-ID": "mine"})
    assert answer["X-Request-ID"] != "mine"


def test_a_made_up_method_is_no_series_of_its_own(rf):
    assert following.method(rf.generic("FETCH", "/")) == "other"


def test_the_page_of_an_error_shows_the_number(client, monkeypatch, alice):
    client.raise_request_exception = False
    client.force_login(alice)
    monkeypatch.setattr("annotation.views.studies.render", None)
    answer = client.get("/")
    assert answer.status_code == 500
    assert f"<code>{answer['X-Request-ID']}</code>" in answer.content.decode()
