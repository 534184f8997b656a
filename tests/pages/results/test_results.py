import csv
import io

import pytest
from django.urls import reverse

from annotation.kept import keeping
from annotation.models import Study
from scoring.metrics import Output
from scoring.models import Analysis
from scoring.results import analysing, overview, points
from scoring.stats import correlation, groups
from tests.scoring import analysed
from tests.support.scored import (
    COHERENCE,
    LOSS,
    ZIPF,
    give_means,
    rate,
    score,
    score_systems,
)

pytestmark = pytest.mark.usefixtures("as_alice")

RATINGS = [[5, 5], [4, 5], [3, 3], [1, 2], [2, 2], [4, 4], [1, 1], [3, 4]]
SCORES = [0.9, 0.8, 0.4, 0.2, 0.1, 0.7, 0.3, 0.6]


@pytest.fixture
def study(make_study):
    study = make_study()
    rate(study, "coherence", RATINGS)
    return study


@pytest.fixture
def scored(study):
    score(study, COHERENCE, [None, *SCORES[1:]])
    return study


def scatter_url(study, name="scatter", output="coherence", aspect="coherence"):
    signature = study.generations.last().scores.first().signature_id
    return reverse(name, args=[study.name, signature, aspect, output])


def answer(client, url):
    """As it is once a worker has done its work."""
    Analysis.objects.all().delete()
    client.get(url)
    for study in Study.objects.all():
        analysed.work(study)
    return client.get(url)


def test_a_page_full_of_charts_is_compressed(client, scored):
    found = client.get(f"/studies/{scored.name}/results/", HTTP_ACCEPT_ENCODING="gzip")
    assert found.headers["Content-Encoding"] == "gzip"


def seen(client, url) -> str:
    return answer(client, url).content.decode()


class TestResults:
    url = "/studies/ferry/results/"

    def test_it_shows_alpha_with_its_level_named(self, client, study):
        page = seen(client, self.url)
        assert "Ordinal" in page
        alpha = overview.now(study=study)["agreement"][0]["alpha"]
        assert f'<td class="number"><strong>{alpha:.3f}</strong></td>' in page
        assert "none: no text has two ratings" in page

    def test_it_shows_coefficients_of_each_aspect(self, client, scored):
        page = seen(client, self.url)
        assert "judge: Coherence" in page
        assert scatter_url(scored) in page
        assert 'class="number heat-up-5"' in page
        assert "meant for it" in page
        assert "judge|v:1" in page

    def test_it_says_why_there_is_no_coefficient(self, client, scored):
        page = seen(client, self.url)
        assert "none: fewer than 3 pairs of scores" in page

    def test_it_flags_what_has_no_direction(self, client, study):
        score(study, ZIPF, SCORES)
        assert "no direction" in seen(client, self.url)

    def test_what_has_no_direction_comes_last(self, client, study):
        score(study, ZIPF, SCORES, metric="a", signature="a|v:1")
        score(study, LOSS, SCORES, metric="b", signature="b|v:1")
        score(study, COHERENCE, SCORES)
        rows = answer(client, self.url).context["by_aspect"][0]["rows"]
        assert [row["metric"] for row in rows[:3]] == ["judge", "b", "a"]
        assert [row["baseline"] for row in rows[3:]] == [True] * 3

    def test_the_lengths_of_the_texts_are_there_without_a_run(self, client, study):
        page = seen(client, self.url)
        assert page.count(">baseline</span>") == 3 * 3  # of each aspect
        assert "No metric has scored these texts yet. The table shows only" in page
        score(study, COHERENCE, SCORES)
        page = seen(client, self.url)
        assert page.count(">baseline</span>") == 3 * 3
        assert "No metric has scored" not in page
        csv = seen(client, f"{self.url}correlations.csv")
        assert "length,words,coherence,8," in csv

    def test_it_shows_system_scores(self, client, study):
        score_systems(study, ZIPF, {"a": 1.234}, metric="zipf")
        page = seen(client, self.url)
        assert ">Zipf exponent</th>" in page
        assert "1.234" in page

    def test_an_empty_study_gets_the_first_step(self, client, make_study):
        make_study()
        page = seen(client, self.url)
        assert "Nobody has rated a text yet" in page
        assert "Choose a metric" in page

    def test_a_study_without_texts_is_asked_for_them(self, client, make_study):
        make_study(prompts=0)
        page = seen(client, self.url)
        assert "Add data" in page
        assert "<table" not in page

    def test_one_rating_a_text_is_a_rating_too(self, client, make_study):
        rate(make_study(), "coherence", [[5], [4]])
        page = seen(client, self.url)
        assert "Nobody has rated" not in page
        assert "none: no text has two ratings" in page

    def test_means_alone_are_said_to_be_too_little_for_agreement(
        self, client, make_study
    ):
        give_means(make_study(aspects=("coherence",)), "coherence", [4.5, 3.0])
        assert "Only mean scores were uploaded" in seen(client, self.url)

    def test_each_signature_leads_to_its_run(self, client, scored, alice):
        signature = scored.generations.last().scores.first().signature
        run = scored.runs.create(metric="judge", signature=signature)
        for url in (self.url, scatter_url(scored)):
            assert f'href="{run.get_absolute_url()}"' in seen(client, url)

    @pytest.mark.parametrize(
        ("model", "said"), [("bundled:infill-small", True), ("/models/large", False)]
    )
    def test_a_small_models_scores_are_named_as_such(self, client, scored, model, said):
        signature = scored.generations.last().scores.first().signature
        scored.runs.create(
            metric="judge", signature=signature, options={"model": model, "top": 3}
        )
        for url in (self.url, scatter_url(scored)):
            page = seen(client, url)
            assert ("Scored by infill-small: a small model that comes" in page) is said

    def test_numbers_have_their_time(self, client, scored):
        assert "As of <time" in seen(client, self.url)

    def test_nothing_is_computed_while_somebody_waits_for_the_page(
        self, client, scored, monkeypatch
    ):
        monkeypatch.setattr(analysing, "result_of", lambda **_: pytest.fail("computed"))
        page = client.get(self.url).content.decode()
        assert "every 2s" in page
        assert "<table" not in page

    def test_trying_again_leads_back_to_this_page(self, client, scored):
        client.get(self.url)
        Analysis.objects.update(state="failed", error="odd")
        assert "Try again" in client.get(self.url).content.decode()
        sent = client.post(f"{self.url}overview/retry/?with_excluded=1")
        assert sent.url == f"{self.url}?with_excluded=1"

    def test_the_overview_has_no_second_page(self, client, scored):
        sent = client.get(f"{self.url}overview/?with_excluded=1")
        assert sent.url == f"{self.url}?with_excluded=1"

    def test_a_file_of_numbers_that_are_not_there_yet_says_so(self, client, scored):
        assert client.get(f"{self.url}correlations.csv").status_code == 409

    def test_simulated_ratings_are_named(self, client, scored):
        assert "simulated" not in seen(client, self.url)
        scored.simulated = True
        scored.save()
        assert "simulated ratings" in seen(client, self.url)

    def test_names_are_escaped(self, client, make_study):
        study = make_study(systems=("<script>x</script>", "b"))
        rate(study, "coherence", RATINGS)
        assert "<script>x" not in seen(client, self.url)


class TestDownloads:
    def get(self, client, table, format):
        return answer(client, f"/studies/ferry/results/{table}.{format}")

    @pytest.mark.parametrize("table", ["agreement", "correlations", "systems"])
    @pytest.mark.parametrize("format", ["csv", "tex"])
    def test_each_table_is_a_file(self, client, scored, table, format):
        answer = self.get(client, table, format)
        assert answer.status_code == 200
        name = f'attachment; filename="ferry-{table}.{format}"'
        assert answer["Content-Disposition"] == name

    def test_csv_has_the_numbers_of_the_page(self, client, scored):
        text = self.get(client, "correlations", "csv").content.decode()
        row = next(csv.DictReader(io.StringIO(text, newline="")))
        assert f"{float(row['pearson']):.3f}" in seen(client, "/studies/ferry/results/")
        assert row["n"] == "7"

    def test_simulated_ratings_are_named_in_the_file(self, client, scored):
        scored.simulated = True
        scored.save()
        for table in ("agreement", "correlations", "systems"):
            assert b"simulated" in self.get(client, table, "csv").content
            assert b"Simulated" in self.get(client, table, "tex").content

    @pytest.mark.parametrize("name", ["agreement.pdf", "nix.csv"])
    def test_an_unknown_file_is_404(self, client, study, name):
        assert client.get(f"/studies/ferry/results/{name}").status_code == 404


class TestScatter:
    def test_it_shows_the_texts_with_both_scores(self, client, scored):
        page = seen(client, scatter_url(scored))
        assert 'data-chart="figure"' in page
        assert 'id="plotly.js-style-global"' in page
        for generation in list(scored.generations.all())[1:]:
            assert f'/studies/ferry/text/?key={generation.key}">' in page
        assert page.count('<th scope="row">') == 7

    def test_counts_have_no_decimals(self, client, study):
        score(study, Output("words", "Words", "words", True), [52, *range(7)])
        page = seen(client, scatter_url(study, output="words"))
        assert '<td class="number" data-value="52.0">52</td>' in page

    def test_small_coefficients_look_as_in_the_table(self, client, scored, monkeypatch):
        monkeypatch.setattr(
            groups,
            "named",
            lambda *_: correlation.Coefficient(-0.000765, None, 7),
        )
        assert "<dd>−0.001</dd>" in seen(client, scatter_url(scored))

    def test_the_line_is_a_choice_in_the_address(self, client, scored):
        url = scatter_url(scored)
        assert "least squares" not in str(answer(client, url).context["figure"])
        with_line = client.get(url + "?line=1").context["figure"]
        assert with_line["data"][-1]["name"] == "least squares"

    def test_its_csv_has_every_text(self, client, scored):
        answer = client.get(scatter_url(scored, "scatter_csv"))
        rows = list(csv.reader(io.StringIO(answer.getvalue().decode(), newline="")))
        assert rows[0][2:4] == ["judge coherence", "human coherence"]
        assert rows[1] == ["0-b-1", "b", "0.8", "4.5", "2"]
        assert len(rows) == 8

    def test_of_a_large_study_some_texts_are_drawn(self, client, scored, monkeypatch):
        monkeypatch.setattr(keeping, "MOST_TEXTS", 1)
        monkeypatch.setattr(points, "MOST_DRAWN", 5)
        url = scatter_url(scored)
        shown = answer(client, url).context["points"]
        page = client.get(url).content.decode()
        assert "of texts drawn at random from 8" in page
        assert page.count('<th scope="row">') == len(shown.keys) in (4, 5)
        assert client.get(url).context["points"].keys == shown.keys
        lines = client.get(scatter_url(scored, "scatter_csv")).getvalue().decode()
        rows = {row[0]: row[2:] for row in csv.reader(io.StringIO(lines))}
        assert len(rows) == 8
        drawn = zip(shown.keys, shown.scores, shown.means, strict=True)
        for key, score_, mean in drawn:
            assert rows[key] == [str(score_), str(mean), "2"]

    def test_no_text_with_both_scores_is_a_sentence(self, client, study):
        score(study, LOSS, [None] * 8)
        page = seen(client, scatter_url(study, output="nll"))
        assert "No text has both scores yet" in page
        assert "fewer than 3 pairs of scores" in page

    def test_a_key_with_odd_characters_has_its_page(self, client, study):
        score(study, Output("rouge/l f1.csv", "ROUGE", "", True), SCORES)
        url = scatter_url(study, output="rouge/l f1.csv")
        assert client.get(url).status_code == 200
        assert url in seen(client, "/studies/ferry/results/")

    def test_an_unknown_pair_is_404(self, client, scored):
        assert client.get(scatter_url(scored, output="nix")).status_code == 404
        assert client.get(scatter_url(scored, aspect="nix")).status_code == 404


class TestStrangers:
    def urls(self, study):
        return [
            "/studies/ferry/results/",
            "/studies/ferry/results/agreement.csv",
            scatter_url(study),
            scatter_url(study, "scatter_csv"),
        ]

    def test_they_get_404(self, client, bob, scored):
        client.force_login(bob)
        for url in self.urls(scored):
            assert client.get(url).status_code == 404

    def test_the_anonymous_are_sent_to_the_login(self, client, scored):
        client.logout()
        for url in self.urls(scored):
            assert client.get(url).url.startswith("/login/")

    def test_staff_may_look(self, client, staff, scored):
        client.force_login(staff)
        for url in self.urls(scored):
            assert answer(client, url).status_code == 200
