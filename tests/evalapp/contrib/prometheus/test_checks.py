"""What is missing is said before the site serves."""

from __future__ import annotations

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from evalapp.contrib.prometheus import figures


@pytest.fixture
def without_package(monkeypatch):
    monkeypatch.setattr(figures, "find_spec", lambda name: None)


def found() -> list[str]:
    return [one.id for one in run_checks() if one.id == "evalapp.E001"]


@pytest.mark.usefixtures("without_package")
class TestMetrics:
    def test_a_token_without_the_package_is_an_error(self, settings):
        settings.METRICS_TOKEN = "open-sesame"
        assert found() == ["evalapp.E001"]

    def test_it_stops_the_start_before_the_database_is_touched(self, settings):
        settings.METRICS_TOKEN = "open-sesame"
        with pytest.raises(SystemCheckError, match="pip install"):
            call_command("up", "--no-worker", skip_checks=False)

    def test_without_a_token_nothing_is_needed(self, settings):
        settings.METRICS_TOKEN = ""
        assert found() == []
