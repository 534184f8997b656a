"""The page of one text's scores, and that of two texts side by side."""

from __future__ import annotations

import numpy as np
import pytest
from django.urls import reverse

from annotation import kept
from annotation.kept import keeping
from annotation.models import Summary
from scoring.metrics import Series
from scoring.scores import evaluator_files
from tests.scoring import analysed
from tests.support import explained as given
from tests.support.scored import COHERENCE, LOSS, ZIPF, rate, score

pytestmark = pytest.mark.usefixtures("as_alice")

RATINGS = [[5, 5], [4, 5], [3, 3], [1, 2], [2, 2], [4, 4], [1, 1], [3, 4]]
SCORES = [0.9, 0.8, 0.4, 0.2, 0.1, 0.7, 0.3, None]


@pytest.fixture(autouse=True)
def offered(settings, tmp_path, monkeypatch):
    settings.DATA_DIR = tmp_path
    given.offer(monkeypatch)


@pytest.fixture
def study(make_study):
    study = make_study()
    rate(study, "coherence", RATINGS)
    return study


@pytest.fixture
def run(study):
    return given.judge(study)


def url(run, **query):
    address = reverse("explain", args=[run.study.name, run.signature_id])
    return f"{address}?{'&'.join(f'{k}={v}' for k, v in query.items())}"


def page(client, address):
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


class TestSeries:
    def test_numbers_of_words_are_drawn_above_a_table(self, client, study, monkeypatch):
        series = (Series("m", "Momentum of each word", "nats", ends="m.ends"),)
        monkeypatch.setattr(given.Judge, "series", series)
        monkeypatch.setattr(given.Judge, "explain", lambda self, example: {})
        run = given.judge(study)
        (chunk,) = run.chunks.all()
        texts = list(study.generations.all())
        parts = {
            "m": np.full((len(texts), 2), 0.25),
            "m.ends": np.tile([7.0, 9.0], (len(texts), 1)),
        }
        evaluator_files.keep(chunk=chunk, texts=texts, parts=parts)
        shown = page(client, url(run, key="0-b-1"))
        assert 'data-chart="figure-part-m"' in shown
        assert "vendor/plotly.min.js" in shown
        assert '<th scope="col">Word</th>' in shown
        assert "no evaluators to show" not in shown


class TestExplain:
    def test_it_shows_each_evaluator(self, client, run):
        shown = page(client, url(run, key="0-b-1"))
        for words in (
            "3 evaluators",
            '<mark class="gap">[…]</mark>',
            '<span class="whole" title="The whole text, as it stands above">',
            'class="number" data-label="Score">0.800</td>',
            "50.0",
            "Version 0 b 1.",
        ):
            assert words in shown

    def test_it_shows_the_score_beside_the_human_one(self, client, run):
        shown = page(client, url(run, key="0-b-1"))
        assert "0.575" in shown
        assert (
            '<dt>People</dt><dd>4.50 <span class="soft">n&nbsp;2</span></dd>' in shown
        )
        assert "2 of 8" in shown

    @pytest.mark.parametrize("name", ["explain", "compare"])
    def test_ranks_of_a_large_study_are_those_that_a_worker_found(
        self, client, run, monkeypatch, name
    ):
        monkeypatch.setattr(keeping, "MOST_TEXTS", 1)
        monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
        compare = reverse("compare", args=[run.study.name])
        address = {
            "explain": url(run, key="0-b-1"),
            "compare": f"{compare}?a=0-b-1&b=0-a-1",
        }[name]
        before = page(client, address)
        assert "ranks by people are worked out in the background" in before
        assert "4.50" in before and "2 of 8" not in before
        for row in Summary.objects.all():
            kept.SUMMARY_WORK.perform(pk=row.pk, owner="here/1/a")
        after = page(client, address)
        assert "in the background" not in after and "2 of 8" in after

    def test_it_shows_other_weightings(self, client, run):
        assert "mean 0.500 · max 0.800 · min 0.200" in page(
            client, url(run, key="0-b-1")
        )

    @pytest.mark.parametrize(
        ("sort", "order"), [("score", [2, 3, 1]), ("-score", [1, 3, 2])]
    )
    def test_a_header_sorts_by_a_plain_link(self, client, run, sort, order):
        answer = client.get(url(run, key="0-b-1", sort=sort))
        ((_, rows),) = answer.context["explained"]
        assert [row.order for row in rows] == order
        other = "score" if sort == "-score" else "-score"
        assert f"?key=0-b-1&amp;sort={other}#verdict" in answer.content.decode()

    def test_what_is_missing_is_said_with_what_to_do(self, client, run):
        evaluator_files.path(run.chunks.get()).unlink()
        shown = page(client, url(run, key="0-b-1"))
        assert "start the metric again with the same options" in shown
        assert "none: not on this server" in shown

    def test_a_text_without_a_score_shows_the_reason(self, client, study, monkeypatch):
        monkeypatch.setattr(given.Judge, "explain", lambda self, example: {})
        run = given.judge(study, value=None, reason="there is no prefix")
        shown = page(client, url(run, key="0-b-1"))
        assert "<dt>Reason</dt><dd>there is no prefix</dd>" in shown

    def test_a_metric_without_evaluators_says_so(self, client, run, monkeypatch):
        monkeypatch.setattr(given.Judge, "explain", lambda self, example: {})
        evaluator_files.path(run.chunks.get()).unlink()
        assert "has no evaluators to show" in page(client, url(run, key="0-b-1"))

    def test_a_text_that_came_later_is_not_scored(self, client, run, study):
        study.generations.get(key="0-b-1").scores.all().delete()
        assert "has not scored this text" in page(client, url(run, key="0-b-1"))

    def test_strange_words_do_no_harm(self, client, run):
        shown = page(client, url(run, key="0-b-1"))
        assert "<script>alert" not in shown
        assert "&lt;script&gt;alert(1)" in shown
        assert "&lt;b&gt;good&lt;/b&gt;" in shown

    def test_it_leads_on(self, client, run, study):
        score(study, LOSS, SCORES, metric="lm", signature="lm|v:1")
        shown = page(client, url(run, key="0-b-1"))
        for link in ("?key=0-a-1&amp;sort=order", "?key=0-c-1&amp;sort=order"):
            assert link in shown
        assert f"{reverse('explain', args=['ferry', study_signature(study, 'lm')])}"
        assert '<option value="0-c-1">c, same prompt</option>' in shown

    def test_simulated_ratings_are_named(self, client, run, study):
        study.simulated = True
        study.save()
        assert "These ratings are simulated" in page(client, url(run, key="0-b-1"))


class TestChoose:
    def test_without_a_key_it_lists_the_texts_with_their_scores(self, client, run):
        shown = page(client, url(run))
        assert "8 texts" in shown
        assert "?key=0-b-1" in shown
        assert shown.count('<td class="number">0.575</td>') == 8

    def test_part_of_a_key_is_enough(self, client, run):
        shown = page(client, url(run, key="-b-"))
        assert "2 texts with “-b-” in the key" in shown

    def test_an_unknown_key_is_a_sentence(self, client, run):
        assert "No scored text has “nix” in its key" in page(
            client, url(run, key="nix")
        )

    def test_a_key_with_odd_characters_has_its_page(self, client, run, study):
        study.generations.filter(key="0-b-1").update(key="a b/&?#ü")
        assert "?key=a%20b%2F%26%3F%23%C3%BC" in page(client, url(run))
        address = reverse("explain", args=["ferry", run.signature_id])
        answer = client.get(address, {"key": "a b/&?#ü"})
        assert "3 evaluators" in answer.content.decode()

    def test_scores_of_another_study_are_404(self, client, run, make_study):
        make_study(name="other")
        answer = client.get(reverse("explain", args=["other", run.signature_id]))
        assert answer.status_code == 404

    def test_the_number_of_queries_does_not_grow(
        self, client, make_study, django_assert_max_num_queries
    ):
        run = given.judge(make_study(name="large", prompts=20))
        with django_assert_max_num_queries(16):
            client.get(url(run))


class TestCompare:
    def compare(self, client, a="0-a-1", b="0-d-1"):
        return page(client, f"/studies/ferry/results/compare/?a={a}&b={b}")

    def test_it_shows_both_texts_with_means_and_ranks(self, client, study):
        shown = self.compare(client)
        assert "Version 0 a 1." in shown
        assert "Version 0 d 1." in shown
        assert "5.00" in shown
        assert "1 of 8" in shown
        assert "1.50" in shown
        assert "7 of 8" in shown

    def test_it_says_whom_a_metric_agrees_with(self, client, study):
        score(study, COHERENCE, SCORES)
        score(study, LOSS, SCORES, metric="lm", signature="lm|v:1")
        shown = self.compare(client)
        assert '<span class="badge good">agree</span>' in shown
        assert '<span class="badge bad">disagree</span>' in shown

    def test_a_score_leads_to_what_it_is_made_of(self, client, study):
        score(study, COHERENCE, SCORES)
        found = reverse("explain", args=["ferry", study_signature(study, "judge")])
        assert f'{found}?key=0-a-1#coherence">0.900</a>' in self.compare(client)

    def test_scores_of_small_models_are_told_to_be_theirs(self, client, run):
        small = "Scored by causal-small: a small model"
        assert small not in self.compare(client)
        run.options = {"model": "bundled:causal-small"}
        run.save()
        assert small in self.compare(client)

    def test_what_has_no_rank_says_why(self, client, study):
        score(study, ZIPF, SCORES)
        assert "one text has no rank" in self.compare(client)

    def test_without_keys_it_says_what_it_would_show(self, client, study):
        shown = page(client, "/studies/ferry/results/compare/")
        assert "Choose two texts" in shown
        assert '<option value="0-a-1">0-a-1 · a · ' in shown

    def test_an_unknown_key_is_named(self, client, study):
        shown = self.compare(client, b="<nix>")
        assert "no text with the key “&lt;nix&gt;”" in shown
        assert "Version 0 a 1." in shown

    def test_a_text_is_not_compared_with_itself(self, client, study):
        assert "A and B are the same text" in self.compare(client, b="0-a-1")

    def test_without_metrics_it_leads_to_them(self, client, study):
        assert "No metric has scored these texts yet" in self.compare(client)


class TestLinks:
    """Where people come from."""

    def test_each_row_of_the_scatter_plot_leads_here(self, client, run):
        address = reverse(
            "scatter", args=["ferry", run.signature_id, "coherence", "verdict"]
        )
        shown = page(client, address)
        assert f'{url(run, key="0-b-1")}#verdict">Explain' in shown
        assert f'data-open="/studies/{run.study.name}/text/?key="' in shown

    def test_results_and_the_run_lead_here(self, client, run):
        for address in ("/studies/ferry/results/", run.get_absolute_url()):
            found = analysed.seen(client, address)
            assert f'href="{url(run)[:-1]}">Explain single texts' in found

    def test_results_lead_to_the_comparison(self, client, run):
        assert "/results/compare/" in analysed.seen(client, "/studies/ferry/results/")


class TestStrangers:
    def test_they_get_404(self, client, bob, run):
        client.force_login(bob)
        for address in (url(run), "/studies/ferry/results/compare/"):
            assert client.get(address).status_code == 404


def study_signature(study, metric):
    return study.generations.first().scores.get(signature__metric=metric).signature_id
