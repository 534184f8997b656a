"""Every statistic page, also of studies in which numbers cannot exist."""

from __future__ import annotations

import json
import re

import pytest
from django.urls import reverse

from scoring import analyses
from scoring.analyses import pages
from tests.scoring import analysed
from tests.support.scored import COHERENCE, LOSS, rate, score

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("as_alice", "nobody_is_woken", "few_draws"),
]


@pytest.fixture
def drawn_once(monkeypatch) -> None:
    """The charts of a page are not drawn again for each of its files."""
    tables, kept = pages.tables, {}

    def known(name, result):
        key = name, json.dumps(result, sort_keys=True)
        if key not in kept:
            kept[key] = tables(name, result)
        return kept[key]

    monkeypatch.setattr(pages, "tables", known)


def bare(study) -> None:
    """Nobody has rated, nothing is scored."""


def alone(study) -> None:
    """One rater, one system: who wrote the rest is not known."""
    rate(study, "coherence", [[n % 5 + 1] for n in range(8)])
    score(study, COHERENCE, [n / 7 for n in range(8)])
    study.generations.exclude(system__name="a").update(system=None)


def flat(study) -> None:
    """All ratings are equal, and so are all scores."""
    rate(study, "coherence", [[3, 3]] * 8)
    score(study, COHERENCE, [0.5] * 8)


def full(study) -> None:
    """Two aspects and two metrics, with gaps."""
    rate(study, "coherence", [[n % 5 + 1, n % 4 + 1] for n in range(8)])
    rate(study, "relevance", [[5 - n % 4] * 3 for n in range(6)])
    score(study, COHERENCE, [*(n / 7 for n in range(7)), None])
    score(study, LOSS, [n % 3 for n in range(8)], metric="nll", signature="nll|v:1")


# What numbers can be in other studies is asked without pages, in tests/scoring/results.
FILLS = [
    *(bare, full),
    *(pytest.param(fill, marks=pytest.mark.slow) for fill in (alone, flat)),
]


@pytest.mark.usefixtures("drawn_once")
@pytest.mark.parametrize("name", analyses.names())
@pytest.mark.parametrize("fill", FILLS)
def test_it_has_numbers_or_reasons(client, make_study, name, fill):
    study = make_study()
    fill(study)
    page = analysed.page(client, study, name)
    assert (
        "nan" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL).split()
    )
    for address in set(re.findall(r'href="([^"]+\.(?:csv|tex|json))"', page)):
        assert client.get(address).status_code == 200, address


def test_without_a_rating_no_chart_of_agreement_is_drawn(client, make_study):
    assert "data-chart" not in analysed.page(client, make_study(), "agreement")


@pytest.mark.parametrize("name", analyses.names())
def test_without_texts_it_says_what_it_will_show(client, make_study, name):
    study = make_study(prompts=0)
    address = reverse("analysis", args=[study.name, name])
    page = client.get(address, follow=True).content.decode()
    assert "No texts yet" in page


@pytest.mark.parametrize("name", analyses.names())
def test_names_are_shown_letter_by_letter(client, make_study, name):
    study = make_study(systems=("<script>a", "b"))
    full(study)
    assert "<script>a" not in analysed.page(client, study, name)
