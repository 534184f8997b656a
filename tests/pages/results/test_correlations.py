"""Correlations and Compare two metrics, as a browser gets them."""

from __future__ import annotations

import html
import re

import pytest
import scipy.stats
from django.urls import reverse

from scoring.models import Analysis
from tests.scoring import analysed
from tests.support.scored import COHERENCE, LOSS, rate, score

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("as_alice", "nobody_is_woken"),
]

RATINGS = [[5, 5], [4, 5], [3, 3], [1, 2], [2, 2], [4, 4], [1, 1], [3, 4]]
SCORES = [0.9, 0.8, 0.4, 0.2, 0.1, 0.7, 0.3, 0.6]


@pytest.fixture
def study(make_study):
    study = make_study()
    rate(study, "coherence", RATINGS)
    score(study, COHERENCE, SCORES)
    score(study, LOSS, [n % 3 for n in range(8)], metric="nll", signature="nll|v:1")
    return study


def test_a_metric_has_the_number_of_scipy_and_a_link_to_its_points(client, study):
    page = analysed.page(client, study, "correlations")
    means = [sum(pair) / 2 for pair in RATINGS]
    r = scipy.stats.pearsonr(SCORES, means).statistic
    assert f">{r:.3f}<" in page
    signature = study.generations.first().scores.get(output="coherence").signature_id
    address = reverse("scatter", args=[study.name, signature, "coherence", "coherence"])
    assert f'href="{address}"' in page


def test_each_number_says_how_it_was_computed(client, study):
    page = analysed.page(client, study, "correlations", coefficients="kendall")
    assert "kendall-b|aspect:coherence|level:texts|group:none|n:8" in page
    assert "spearman|" not in page


def test_options_in_the_address_are_what_is_computed(client, study):
    analysed.page(client, study, "correlations", grouping="system", resample="samples")
    row = Analysis.objects.get(study=study, name="correlations")
    assert (row.options["grouping"], row.options["resample"]) == ("system", "samples")
    assert row.result["resample"] == "samples"


def test_two_metrics_are_compared_and_their_texts_are_linked(client, study):
    page = analysed.page(client, study, "comparison")
    assert "First metric: judge: Coherence." in html.unescape(page)
    links = re.findall(r'href="(/studies/ferry/text/\?key=[^"]+)"', page)
    assert links
    assert client.get(html.unescape(links[0])).status_code == 200
    beside = re.findall(r'href="(/studies/ferry/results/compare/\?a=[^"]+)"', page)
    assert beside
    assert client.get(html.unescape(beside[0])).status_code == 200


def test_a_metric_of_another_study_is_refused(client, study):
    address = reverse("analysis", args=[study.name, "comparison"])
    page = client.get(address, {"first": "0000:gone"}).content.decode()
    assert "is not one of the available choices" in page


def test_the_two_metrics_are_chosen_above_the_other_options(client, study):
    page = analysed.page(client, study, "comparison")
    before, _, after = page.partition('<details class="options"')
    assert 'name="first"' in before and 'name="second"' in before
    assert 'name="first"' not in after and 'name="design"' in after
