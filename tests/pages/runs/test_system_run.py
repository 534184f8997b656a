"""The page of a run of a metric of systems."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from scoring.models import Chunk, MetricRun
from tests.support.scored import LOSS, score_systems

pytestmark = pytest.mark.usefixtures("as_alice")

CURVE = [[0.0, 1.0], [0.4, 0.5], [1.0, 0.0]]
DETAILS = {"curve": CURVE, "clusters": 500, "seconds": {"embedding": 12.0}}


@pytest.fixture
def run(make_study):
    study = make_study(systems=("a", "<b>b</b>"))
    scores = {"a": [1.0, 2.0, 6.0], "<b>b</b>": [4.0, 5.0, 6.0]}
    signature = score_systems(study, LOSS, scores, metric="kl")
    run = MetricRun.objects.create(
        study=study, metric="kl", signature=signature, state=MetricRun.State.DONE
    )
    for index, system in enumerate(study.systems.all()):
        Chunk.objects.create(
            run=run,
            index=index,
            generations=[],
            system=system,
            state=Chunk.State.DONE,
            total_items=2,
            details=DETAILS,
        )
    return run


def test_each_system_stands_there_once_with_its_seeds(client, run):
    page = client.get(run.get_absolute_url()).content.decode()
    assert "2 systems" in page and "6 systems" not in page
    assert (
        len(re.findall(r'<th scope="row">(?:a|&lt;b&gt;b&lt;/b&gt;)</th>', page)) >= 2
    )
    assert "3.000" in page and "±\u00a02.646, 3\u00a0seeds" in page
    assert "embedding 24 s" in page


def test_curves_are_drawn_with_their_table(client, run):
    page = client.get(run.get_absolute_url()).content.decode()
    assert 'data-chart="figure-curves"' in page and "js/charts.js" in page
    assert "Points of the curves" in page
    assert "<b>b</b>" not in page


def test_without_a_curve_there_is_no_chart(client, run):
    run.chunks.update(details={})
    page = client.get(run.get_absolute_url()).content.decode()
    assert "data-chart" not in page and "js/charts.js" not in page
    assert "Scores of each system" in page


def test_every_table_is_a_file(client, run):
    page = client.get(run.get_absolute_url()).content.decode()
    found = set(re.findall(r'href="([^"]+\.(?:csv|tex|json))"', page))
    assert len(found) == 3 * 3 + 1  # and the scores of single seeds
    assert all(client.get(one).status_code == 200 for one in found)


def test_a_file_has_the_mean_the_spread_and_the_seeds(client, run):
    args = [run.study.name, run.pk, "systems", "csv"]
    csv = client.get(reverse("run_table", args=args)).content.decode()
    head, b, a = csv.splitlines()
    loss = "Negative log-likelihood"
    assert head == f"System,{loss},{loss} SD,{loss} seeds,Clusters"
    assert a.startswith("a,3.0,2.64") and a.endswith(",3,500")
    assert b == "<b>b</b>,5.0,1.0,3,500"


@pytest.mark.parametrize(
    "part", [("none", "csv"), ("systems", "xls")], ids=["table", "format"]
)
def test_what_is_not_there_is_not_found(client, run, part):
    args = [run.study.name, run.pk, *part]
    assert client.get(reverse("run_table", args=args)).status_code == 404


def test_a_page_that_waited_is_loaded_again_to_draw_curves(client, run):
    address = reverse("run_progress", args=[run.study.name, run.pk])
    assert client.get(address)["HX-Refresh"] == "true"
    run.chunks.update(details={})
    assert "HX-Refresh" not in client.get(address)
