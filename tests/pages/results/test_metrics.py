"""Pages of the metrics themselves: facts, options, cost, agreement with people."""

import dataclasses

import pytest
from django.core.cache import cache
from django.utils import timezone

from scoring import metrics
from scoring.metrics import Metric, Output
from scoring.metrics._engine.base import option
from scoring.models import Chunk, MetricRun
from scoring.results import analysing, records
from scoring.runs import catalogue
from tests.scoring import analysed
from tests.support.scored import COHERENCE, rate, score

pytestmark = pytest.mark.usefixtures("as_alice")

RATINGS = [[5, 5], [4, 5], [3, 3], [1, 2], [2, 2], [4, 4], [1, 1], [3, 4]]
SCORES = [0.9, 0.8, 0.4, 0.2, 0.1, 0.7, 0.3, 0.6]


@dataclasses.dataclass(frozen=True)
class Options:
    model: str = option("big", "folder of `the` model", path="model")
    kind: str = option("one", "which kind", choices=("one", "two"))
    aspects: str = option("quality", "what is asked", fill="aspects")
    strict: bool = option(True, "whether to be <b>strict</b>")


class Judge(Metric):
    """Not the docstring that is shown, as the file has one."""

    title = "The judge"
    source = "Doe (2020), eq. 1"
    link = "https://example.org/doe"
    needs = frozenset({"label"})
    Options = Options

    @classmethod
    def name(cls):
        return "judge"

    @property
    def outputs(self):
        low = Output("verdict", "Verdict", "points, [0, inf)", False, "coherence")
        return (low,) if self.options.kind == "one" else ()

    def load(self, device="cpu"):
        raise NotImplementedError


@pytest.fixture(autouse=True)
def offered(monkeypatch):
    cache.clear()
    found = {"judge": Judge, "length": metrics.get("length")}

    def get(name):
        if name not in found:
            raise metrics.UnknownMetric(f"no metric {name!r}")
        return found[name]

    monkeypatch.setattr(metrics, "names", lambda: sorted(found))
    monkeypatch.setattr(metrics, "get", get)


@pytest.fixture
def study(make_study):
    study = make_study()
    rate(study, "coherence", RATINGS)
    return study


def ran(study, *, seconds=2.0, scored=8, model="big", **fields):
    """A run that is done, with a chunk that took so long."""
    run = MetricRun.objects.create(
        study=study, metric="judge", options={"model": model}, state="done", **fields
    )
    Chunk.objects.create(
        run=run,
        index=0,
        generations=[],
        state=Chunk.State.DONE,
        seconds=seconds,
        scored=scored,
        finished_at=timezone.now(),
    )
    return run


def page(client, url="/metrics/judge/"):
    return client.get(url).content.decode()


class TestList:
    def test_it_has_every_metric_with_its_page(self, client):
        found = page(client, "/metrics/")
        for words in (
            'href="/metrics/judge/"',
            "Doe (2020), eq. 1",
            "Verdict",
            "<td>label</td>",
            "depends on the options",
            "none: no run has scored a text yet",
            'href="/metrics/length/"',
            "<td>texts</td>",
        ):
            assert words in found

    def test_it_shows_what_a_thousand_texts_take(self, client, study):
        ran(study, seconds=0.4, model="small")
        ran(study, seconds=24)
        assert "50 s to 50 min" in page(client, "/metrics/")


class TestFacts:
    def test_it_says_what_the_metric_is(self, client):
        found = page(client)
        assert '<a href="https://example.org/doe" rel="noreferrer">' in found
        assert "<p>Pages of the metrics themselves: facts, options" in found
        assert "points, [0, ∞)" in found
        assert "lower is better" in found
        assert "Scores</dt><dd>each text" in found

    def test_it_describes_the_options(self, client):
        found = page(client)
        assert "folder of <code>the</code> model" in found
        assert "one of <code>one</code>, <code>two</code>" in found
        assert "left empty in a study: what the study asks people" in found
        assert "whether to be &lt;b&gt;strict&lt;/b&gt;" in found

    def test_a_metric_without_options_says_so(self, client):
        assert "This metric has no options" in page(client, "/metrics/length/")

    @pytest.mark.parametrize("name", ["nix", "_base", "__main__"])
    def test_an_unknown_metric_is_404(self, client, name):
        assert client.get(f"/metrics/{name}/").status_code == 404

    def test_outputs_that_depend_on_options_are_found(self):
        assert catalogue.outputs_vary(Judge)
        assert not catalogue.outputs_vary(metrics.get("length"))

    def test_definitions_have_paragraphs_equations_and_lists(self, monkeypatch):
        kind = metrics.get("length")
        text = (
            "First\nline.\n\n    a = b\n      + c\n\nThere are:\n- one\n  more\n- two\n"
        )
        monkeypatch.setattr("scoring.metrics.length.__doc__", text)
        assert catalogue.definition(kind) == [
            catalogue.Block(text="First line."),
            catalogue.Block(verbatim="a = b\n  + c"),
            catalogue.Block(text="There are:", items=("one more", "two")),
        ]


@pytest.mark.parametrize("name", metrics.names())
def test_every_metric_of_the_project_has_its_page(client, name, monkeypatch):
    monkeypatch.undo()
    found = page(client, f"/metrics/{name}/")
    assert metrics.get(name).title in found
    assert f"<code>{metrics.get(name)().outputs[0].key}" in found.replace(
        '<code class="soft small">', "<code>"
    )


class TestCost:
    def test_it_is_seconds_for_a_thousand_texts_by_model(self, client, study):
        ran(study, seconds=2, scored=8)
        ran(study, seconds=4, scored=4)
        ran(study, seconds=1, scored=1000, model="small")
        found = client.get("/metrics/judge/").context["costs"]
        small, big = found
        assert (small.models, small.per_thousand) == ("small", 1.0)
        assert (big.models, big.per_thousand, big.runs) == ("big", 500.0, 2)
        assert "8.3 min" in page(client)

    def test_chunks_that_scored_nothing_do_not_count(self, client, study):
        ran(study, seconds=None, scored=0)
        assert "no run has scored texts" in page(client)

    def test_runs_of_studies_that_one_may_not_see_do_not_count(
        self, client, study, bob
    ):
        ran(study)
        client.force_login(bob)
        assert "no run has scored texts" in page(client)

    def test_it_does_not_show_where_models_are(self, client, study, settings, tmp_path):
        settings.MODELS_DIR = tmp_path
        ran(study, model=str(tmp_path / "tiny"))
        assert str(tmp_path) not in page(client)
        assert ">tiny</th>" in page(client)


class TestPeople:
    @pytest.fixture
    def scored(self, study):
        ran(study, signature=score(study, COHERENCE, SCORES))
        return study

    def test_it_shows_the_pair_that_is_meant_in_each_study(self, client, scored):
        found = analysed.seen(client, "/metrics/judge/")
        assert f'href="{scored.get_absolute_url()}results/"' in found
        assert "Coherence</a> and Coherence" in found
        assert "and Consistency" not in found
        (record,) = client.get("/metrics/judge/").context["records"]
        assert record.rows[0]["pearson"] > 0.9

    def test_a_metric_meant_for_nothing_is_compared_with_all_that_was_rated(
        self, client, study
    ):
        found = analysed.seen(client, "/metrics/length/")
        for words in ("Words and Coherence", "Sentences and Coherence"):
            assert words in found
        assert "and Consistency" not in found  # nobody rated it

    def test_studies_of_others_are_not_shown(self, client, scored, bob, staff):
        client.force_login(bob)
        assert "none of your studies has both" in page(client)
        client.force_login(staff)
        assert scored.name in page(client)

    def test_simulated_ratings_are_named(self, client, scored):
        scored.simulated = True
        scored.save()
        assert "simulated ratings" in page(client)

    def test_nothing_is_computed_while_somebody_waits_for_the_page(
        self, client, scored, monkeypatch
    ):
        monkeypatch.setattr(analysing, "result_of", lambda **_: pytest.fail("computed"))
        assert "being computed: reload the page in a moment" in page(client)

    def test_too_many_rows_are_left_to_the_results(self, client, scored, monkeypatch):
        monkeypatch.setattr(records, "ROWS_SHOWN", 0)
        found = analysed.seen(client, "/metrics/judge/")
        assert "and 1 more in the study's results" in found


def test_it_is_linked_from_where_metrics_are(client, study):
    score(study, COHERENCE, SCORES)
    for url in ("/studies/ferry/metrics/", "/studies/ferry/results/"):
        assert 'href="/metrics/judge/' in analysed.seen(client, url)
    assert 'href="/metrics/"' in page(client, "/")


def test_scores_from_elsewhere_have_no_page_to_lead_to(client, study):
    score(study, COHERENCE, SCORES, metric="comet", signature="comet|v:1")
    found = analysed.seen(client, "/studies/ferry/results/")
    assert "comet|v:1" in found
    assert "/metrics/comet/" not in found


@pytest.mark.parametrize("url", ["/metrics/", "/metrics/judge/"])
def test_the_anonymous_are_sent_to_the_login(client, url, db):
    client.logout()
    assert client.get(url).url.startswith("/login/")
    assert client.post(url).status_code in (302, 405)
