"""The answer on top of Results, and in short on Overview."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from django.urls import reverse

from scoring.models import Analysis, Plan
from tests.scoring import analysed
from tests.support.scored import COHERENCE, give_means, rate, score

pytestmark = pytest.mark.usefixtures("as_alice")


@pytest.fixture
def study(make_study):
    """Ratings and scores of 48 texts of twelve prompts."""
    study = make_study(prompts=12, aspects=("coherence",))
    rng = np.random.default_rng(0)
    quality = rng.integers(2, 5, size=48)
    ratings = [[int(q + d) for d in rng.integers(-1, 2, size=2)] for q in quality]
    rate(study, "coherence", ratings)
    score(study, COHERENCE, [float(q) for q in quality])
    return study


def page(client, study, name="results", **query) -> str:
    response = client.get(reverse(name, args=[study.name]), query)
    assert response.status_code == 200
    return response.content.decode()


def test_results_begin_with_the_sentence(client, study):
    page(client, study)
    analysed.work(study)
    found = page(client, study)
    sentence = found.index("on coherence")
    one = analysed.computed(study, "answer")["aspects"][0]
    assert one["notes"] and all(note in found for note in one["notes"])
    assert sentence < found.index("Rater agreement")
    assert 'data-chart="figure-answer-coherence"' in found
    assert "How was this decided?" in found


def test_it_leads_to_what_follows_from_it_and_these_pages_lead_back(client, study):
    page(client, study)
    analysed.work(study)
    found = page(client, study)
    parts = {"replaces": "replaces", "saved": "saved", "raters": "severity"}
    for name, part in parts.items():
        address = reverse("analysis", args=["ferry", name])
        assert f'href="{address}#{part}-coherence"' in found
        other = analysed.page(client, study, name)
        assert f'id="{part}-coherence"' in other
        back = other[other.index(f'id="{part}-coherence"') :]
        assert f'href="{reverse("results", args=["ferry"])}">The answer' in back
        others = parts.keys() - {name}
        assert all(reverse("analysis", args=["ferry", one]) in back for one in others)


def test_means_alone_lead_to_no_page_about_single_raters(client, make_study):
    study = make_study(prompts=12, aspects=("coherence",))
    give_means(study, "coherence", [1.0 + n % 5 for n in range(48)])
    score(study, COHERENCE, [float(n) for n in range(48)])
    page(client, study)
    analysed.work(study)
    found = page(client, study)
    assert "How many ratings does it save?" in found
    assert "May it replace a rater?" not in found


def test_its_tables_can_be_downloaded(client, study):
    page(client, study)
    analysed.work(study)
    for table in ("metrics", "bounds", "differences"):
        address = f"/studies/ferry/results/answer/{table}-coherence.csv"
        assert address in page(client, study)
        assert client.get(address).status_code == 200


def test_while_a_worker_is_at_it_results_wait_calmly(client, study):
    found = page(client, study)
    assert "the server cannot compute the answer now" in found
    assert "manage.py up" in found
    assert reverse("answer_card", args=["ferry"]) in found


def test_a_page_that_waits_reloads_once_there_is_an_answer(client, study):
    page(client, study)
    address = reverse("answer_card", args=["ferry"])
    waits = client.get(address, {"as_of": "0"})
    assert "HX-Refresh" not in waits.headers
    assert "every 3s" in waits.content.decode()
    analysed.work(study)
    assert client.get(address, {"as_of": "0"}).headers["HX-Refresh"] == "true"


def test_an_answer_that_failed_can_be_tried_again(client, study):
    page(client, study)
    Analysis.objects.filter(name="answer").update(state="failed", error="no luck")
    found = page(client, study)
    assert "The answer could not be computed: no luck." in found
    client.post(reverse("analysis_retry", args=["ferry", "answer"]))
    assert Analysis.objects.get(name="answer").state == "queued"


def test_an_old_answer_stays_while_a_new_one_is_made(client, study):
    page(client, study)
    analysed.work(study)
    rate(study, "coherence", [[5, 5]])
    found = page(client, study)
    assert "this answer is being updated" in found
    assert "on coherence" in found


class TestOverview:
    def test_it_loads_the_answer_by_itself(self, client, study):
        found = page(client, study, "study")
        address = reverse("answer_card", args=["ferry"])
        assert f'hx-get="{address}" hx-trigger="load"' in found

    def test_the_card_has_the_sentence_and_leads_to_results(self, client, study):
        page(client, study, "answer_card")
        analysed.work(study)
        found = page(client, study, "answer_card")
        assert "on coherence" in found
        assert f'href="{reverse("results", args=["ferry"])}"' in found
        assert "hx-get" not in found, "nothing is left to wait for"

    def test_the_card_asks_again_while_a_worker_is_at_it(self, client, study):
        found = page(client, study, "answer_card")
        assert 'hx-trigger="every 3s"' in found

    def test_simulated_ratings_are_called_so(self, client, study):
        study.simulated = True
        study.save()
        page(client, study, "answer_card")
        analysed.work(study)
        assert "These ratings are simulated" in page(client, study, "answer_card")

    def test_without_ratings_it_does_not_ask(self, client, make_study):
        found = page(client, make_study(), "study")
        assert "answer/card" not in found


class TestMissing:
    """Nothing is computed where something is missing; the card says what to do."""

    def test_without_ratings_it_leads_to_what_comes_next(self, client, make_study):
        found = page(client, make_study())
        assert "No ratings yet" in found

    def test_without_scores_it_leads_to_the_metrics(self, client, make_study):
        study = make_study()
        rate(study, "coherence", [[1, 2], [3, 4]])
        found = page(client, study)
        assert "No metric scores yet" in found
        card = page(client, study, "answer_card")
        assert f'href="{reverse("runs", args=["ferry"])}"' in card
        assert not Analysis.objects.filter(name="answer").exists()


def test_a_stranger_sees_no_answer(client, study, bob):
    client.force_login(bob)
    assert client.get(reverse("answer_card", args=["ferry"])).status_code == 404


def test_html_in_a_name_stays_words(client, study):
    study.aspects.update(title="<b>Bold</b>")
    page(client, study)
    page(client, study, "answer_card")
    analysed.work(study)
    for name in ("results", "answer_card"):
        assert "<b>Bold</b>" not in page(client, study, name)


class TestPlanned:
    """A locked plan decides the coefficient of the answer."""

    @pytest.fixture
    def plan(self, study):
        return Plan.objects.create(
            study=study,
            policy=study.current_policy(),
            aspect=study.aspects.get(),
            coefficient="kendall",
            grouping="item",
            metrics=[],
            locked_at=datetime(2026, 3, 1, tzinfo=UTC),
        )

    def test_the_answer_has_its_coefficient_and_says_so(self, client, study, plan):
        page(client, study)
        analysed.work(study)
        found = page(client, study)
        assert "As planned: Kendall τ-b within each prompt, then" in found
        assert "The plan was locked on 1 March 2026." in found
        kept = Analysis.objects.get(name="answer")
        assert (kept.result["coefficient"], kept.result["grouping"]) == (
            "kendall",
            "item",
        )
        assert "As planned: Kendall" in page(client, study, "answer_card")

    def test_tables_are_those_of_the_answer_shown(self, client, study, plan):
        page(client, study)
        analysed.work(study)
        query = "?grouping=item&amp;coefficient=kendall"
        address = "/studies/ferry/results/answer/metrics-coherence.csv"
        assert f"{address}{query}" in page(client, study)
        table = client.get(address, {"coefficient": "kendall", "grouping": "item"})
        assert "Kendall τ-b" in table.content.decode()

    def test_a_draft_of_a_plan_decides_nothing(self, client, study, plan):
        Plan.objects.update(locked_at=None)
        assert "As planned" not in page(client, study)
        assert Analysis.objects.get(name="answer").options["coefficient"] == "pearson"
