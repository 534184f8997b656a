"""What rating in a real browser begins with; other tests have their own `study`."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from annotation.models import Study
from tests.pages.rating import begin, two_pages


@pytest.fixture
def study(make_study) -> Study:
    return two_pages(make_study)


@pytest.fixture
def worker_page(page, live_server, study) -> Page:
    """At the first rating page."""
    return begin(page, live_server.url, study)
