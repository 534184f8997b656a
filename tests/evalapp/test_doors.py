"""What CONTRIB says, and what it refuses."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from evalapp import doors


@pytest.fixture(autouse=True)
def apps(monkeypatch):
    """Two: one that anybody has, and one that needs an address."""
    monkeypatch.delenv("CONTRIB", raising=False)
    plain = type("Plain", (doors.Contrib,), {})
    needs = {"variables": ("BOAT_URL",)}
    monkeypatch.setattr(
        doors,
        "known",
        lambda: {"boats": type("Boats", (doors.Contrib,), needs), "plain": plain},
    )


def test_all_are_on_unless_somebody_says_otherwise() -> None:
    assert doors.from_environment() == ["boats", "plain"]


@pytest.mark.parametrize("names", ["", "plain", "plain,boats"])
def test_contrib_says_what_is_on(monkeypatch, names) -> None:
    monkeypatch.setenv("CONTRIB", names)
    assert doors.from_environment() == sorted(filter(None, names.split(",")))


def test_a_name_of_nothing_stops_the_start(monkeypatch) -> None:
    monkeypatch.setenv("CONTRIB", "plain,ferries")
    with pytest.raises(ImproperlyConfigured, match="there is no ferries. Use any of b"):
        doors.from_environment()


@pytest.mark.parametrize("name", ["BOAT_URL", "BOAT_URL_FILE"])
def test_a_setting_of_an_app_that_is_left_out_stops_it_too(monkeypatch, name) -> None:
    monkeypatch.setenv(name, "/boats")
    monkeypatch.setenv("CONTRIB", "plain")
    with pytest.raises(
        ImproperlyConfigured, match=f"{name} is set, but CONTRIB leaves out"
    ):
        doors.from_environment()
