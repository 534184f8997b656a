"""Addresses that researchers paste, and workers follow: the platform's own or none."""

from __future__ import annotations

import pytest

from annotation.platforms import BadAddress, connect, sona

CREDIT = "https://uni.sona-systems.com/webstudy_credit.aspx"
ASKED = "experiment_id=12&credit_token=4e48f9b638a&survey_code="
PROJECT = "https://connect.cloudresearch.com/participant/project"


def test_sona_gets_the_code_of_the_worker_in_place_of_the_sample() -> None:
    found = sona.own_home(f" {CREDIT}?{ASKED}XXXX\n", "77321")
    assert found == f"{CREDIT}?{ASKED}77321"


def test_the_order_of_the_parts_does_not_matter() -> None:
    mixed = f"{CREDIT}?survey_code=&credit_token=4e48f9b638a&experiment_id=12"
    assert sona.own_home(mixed, "1") == f"{CREDIT}?{ASKED}1"


@pytest.mark.parametrize(
    "address",
    [
        f"http://uni.sona-systems.com/webstudy_credit.aspx?{ASKED}",
        f"https://sona-systems.com/webstudy_credit.aspx?{ASKED}",
        f"https://uni.sona-systems.com.evil.org/webstudy_credit.aspx?{ASKED}",
        f"https://evil-sona-systems.com/webstudy_credit.aspx?{ASKED}",
        f"https://me@uni.sona-systems.com/webstudy_credit.aspx?{ASKED}",
        f"https://uni.sona-systems.com:8443/webstudy_credit.aspx?{ASKED}",
        f"https://evil.org\\.sona-systems.com/webstudy_credit.aspx?{ASKED}",
        f"https://a.b.sona-systems.com/webstudy_credit.aspx?{ASKED}",
        f"https://uni.sona-systems.com/elsewhere.aspx?{ASKED}",
        f"{CREDIT}?experiment_id=12&credit_token=4e",
        f"{CREDIT}?{ASKED}1&next=https://evil.org",
        f"{CREDIT}?experiment_id=12&experiment_id=13&survey_code=1",
        f"{CREDIT}?experiment_id=a&credit_token=4e&survey_code=1",
        f"{CREDIT}?experiment_id=1&credit_token=%0d%0aX&survey_code=1",
        "https://[",
        "javascript:alert(1)",
        "",
    ],
)
def test_sona_takes_nobody_anywhere_else(address: str) -> None:
    with pytest.raises(BadAddress, match="Completion URL"):
        sona.own_home(address, "1")


def test_connect_records_who_comes_back_to_the_project() -> None:
    assert connect.own_home(f"{PROJECT}/FF4E356E38/complete", "x") == (
        f"{PROJECT}/FF4E356E38/complete"
    )


@pytest.mark.parametrize(
    "address",
    [
        "http://connect.cloudresearch.com/participant/project/FF4E356E38/complete",
        "https://connect.cloudresearch.com.evil.org/participant/project/FF4E356E38/complete",
        "https://connect.cloudresearch.com/participant/project/../x/complete",
        f"{PROJECT}/FF4E356E38/submit",
        "https://[",
        "",
    ],
)
def test_connect_takes_nobody_anywhere_else(address: str) -> None:
    with pytest.raises(BadAddress, match="Redirect URL"):
        connect.own_home(address, "x")
