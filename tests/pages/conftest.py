"""What tests of pages begin with; many have a `study` of their own."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from annotation.models import Study
from tests.pages.rating import begin, two_pages
from tests.support.messages import catch


@pytest.fixture
def as_alice(client, alice) -> None:
    """`client` is logged in as alice."""
    client.force_login(alice)


@pytest.fixture
def nobody_is_woken(monkeypatch) -> None:
    """Analyses wait until a test computes them."""
    catch(monkeypatch, "analyse", lambda pk: None)


@pytest.fixture
def study(make_study) -> Study:
    return two_pages(make_study)


@pytest.fixture
def worker_page(page, live_server, study) -> Page:
    """At the first rating page."""
    return begin(page, live_server.url, study)
