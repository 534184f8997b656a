"""What can go wrong on the way to Prolific, and what is then known."""

from __future__ import annotations

from base64 import b64encode

import pytest

from annotation.crowd import prolific_client
from annotation.crowd.prolific_client import Client, Refused, Unknown
from tests.support.prolific import TOKEN, drips, lost, never_arrived, says

PATH = "/api/v1/studies/"


def test_the_token_goes_along_and_is_printed_nowhere(client_of_prolific, prolific):
    assert client_of_prolific.get(PATH) == {"results": []}
    assert prolific.tokens == {f"Token {TOKEN}"}
    assert TOKEN not in repr(client_of_prolific)


def test_reading_is_tried_again_for_as_long_as_prolific_asks_within_bounds(prolific):
    pauses: list[float] = []
    client = Client(TOKEN, prolific.url, sleep=pauses.append)
    busy = {"error": {"detail": "Slow down."}}
    prolific.next_time(PATH, says(429, busy, Retry_After="2"))
    prolific.next_time(PATH, says(503, busy, Retry_After="9999"))
    assert client.get(PATH) == {"results": []}
    assert pauses == [2.0, prolific_client.LONGEST_PAUSE]


def test_it_gives_up_after_three_tries_with_a_sentence(client_of_prolific, prolific):
    prolific.next_time(PATH, *[says(429, {})] * 9)
    with pytest.raises(Refused, match="too many requests. Try again in a minute"):
        client_of_prolific.get(PATH)
    assert len(prolific.calls) == 3


def test_what_is_not_the_same_twice_is_sent_once(client_of_prolific, prolific):
    for what in (says(500, {}), lost, never_arrived):
        prolific.next_time(PATH, what)
        with pytest.raises(Unknown):
            client_of_prolific.post(PATH, {"reward": 9}, again=False)
    assert len(prolific.calls) == 3


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "Prolific did not accept this. It said: Invalid No such currency."),
        (401, "does not accept this token"),
        (403, "does not allow this for the account"),
        (404, "does not have this any more"),
    ],
)
def test_each_refusal_has_a_sentence(client_of_prolific, prolific, status, said):
    error = {"title": "Invalid", "detail": {"currency": ["No such currency."]}}
    prolific.next_time(PATH, says(status, {"error": error}))
    with pytest.raises(Refused, match=said):
        client_of_prolific.get(PATH)


def test_what_prolific_says_is_bounded_and_never_repeats_the_token(
    client_of_prolific, prolific
):
    prolific.next_time(PATH, says(400, {"detail": f"{TOKEN} is bad. " + "x" * 9999}))
    with pytest.raises(Refused) as caught:
        client_of_prolific.get(PATH)
    assert TOKEN not in str(caught.value) and "[token] is bad" in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "said",
    ["x" * 290 + TOKEN, b64encode(f"Token {TOKEN}".encode()).decode()],
    ids=["at the cut", "base64"],
)
def test_it_repeats_no_part_and_no_spelling_of_the_token(
    client_of_prolific, prolific, said
):
    prolific.next_time(PATH, says(400, {"detail": said}))
    with pytest.raises(Refused, match=r"\[token\]") as caught:
        client_of_prolific.get(PATH)
    assert TOKEN[:6] not in str(caught.value)


def test_a_redirect_is_not_followed_as_it_would_carry_the_token_away(
    client_of_prolific, prolific
):
    elsewhere = f"{prolific.url}/elsewhere/"
    prolific.next_time(PATH, says(302, {}, Location=elsewhere))
    with pytest.raises(Unknown, match="another address"):
        client_of_prolific.get(PATH)
    assert prolific.times("/elsewhere/") == 0


def test_a_server_that_sends_a_byte_at_a_time_is_left(prolific):
    client = Client(TOKEN, prolific.url, seconds=0.2, sleep=lambda _: None)
    prolific.next_time(PATH, drips, drips, drips)
    with pytest.raises(Unknown, match="did not answer in time"):
        client.get(PATH)


def test_too_large_an_answer_is_not_read_to_its_end(
    client_of_prolific, prolific, monkeypatch
):
    monkeypatch.setattr(prolific_client, "LARGEST", 1000)
    prolific.next_time(PATH, *[says(200, b" " * 100_000)] * 3)
    with pytest.raises(Unknown):
        client_of_prolific.get(PATH)


@pytest.mark.parametrize("content", [b"<html>", b"[1]", b"[" * 100_000])
def test_an_answer_in_another_form_is_none(client_of_prolific, prolific, content):
    prolific.next_time(PATH, says(200, content))
    with pytest.raises(Unknown, match="does not know"):
        client_of_prolific.get(PATH)


def test_where_nobody_listens_nothing_was_sent():
    client = Client(TOKEN, "http://127.0.0.1:9", sleep=lambda _: None)
    with pytest.raises(Refused, match="Nothing was sent"):
        client.post(PATH, {}, again=False)


def test_without_tls_only_a_server_on_this_machine_is_called():
    with pytest.raises(Refused, match="https"):
        Client(TOKEN, "http://api.prolific.com")


def test_after_its_time_a_request_calls_no_more(prolific):
    times = iter([0.0, 46.0])
    client = Client(TOKEN, prolific.url, clock=lambda: next(times))
    with pytest.raises(Refused, match="too slow"):
        client.get(PATH)
    assert prolific.calls == []


def test_a_site_without_a_token_says_what_to_set(settings):
    settings.PROLIFIC_TOKEN = ""
    with pytest.raises(prolific_client.NoToken, match="set PROLIFIC_TOKEN"):
        prolific_client.site()
