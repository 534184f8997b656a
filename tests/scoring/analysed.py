"""Analyses as a worker computes them, in the test's own process."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.test import Client
from django.urls import reverse

from annotation.models import Study
from scoring import analyses
from scoring.models import Analysis
from scoring.results import analysing

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def work(study: Study) -> None:
    """Compute what waits."""
    waiting = Analysis.objects.filter(study=study, state=Analysis.State.QUEUED)
    for pk in waiting.values_list("pk", flat=True):
        analysing.ANALYSES.perform(pk=pk, owner="here/1/a", clock=lambda: NOON)


def computed(study: Study, name: str, **chosen: Any) -> dict[str, Any]:
    """The result of an analysis, asked for and computed."""
    options = analyses.options(name, chosen)
    row = analysing.find(study=study, name=name, options=options, now=NOON)
    work(study)
    row.refresh_from_db()
    assert row.state == Analysis.State.DONE, row.error
    return row.result


def page(client: Client, study: Study, name: str, **options: Any) -> str:
    """The page of an analysis with its numbers: it is asked for twice."""
    address = reverse("analysis", args=[study.name, name])
    assert client.get(address, options, follow=True).status_code == 200
    work(study)
    row = Analysis.objects.filter(study=study, name=name).latest("pk")
    assert row.state == Analysis.State.DONE, row.error
    found = client.get(address, options, follow=True)
    assert found.status_code == 200
    return found.content.decode()


def overview_of(study: Study) -> None:
    """What the page of results shows, asked for and computed."""
    for with_excluded in (False, True):
        computed(study, "overview", with_excluded=with_excluded)


def seen(client: Client, address: str) -> str:
    """A page once a worker has done what it asked for."""
    client.get(address)
    for study in Study.objects.all():
        work(study)
    return client.get(address).content.decode()
