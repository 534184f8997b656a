import dataclasses
import re

import pytest
from django.utils import timezone

from evalapp.work import heartbeats
from scoring import metrics, runs
from scoring.metrics._engine.base import Metric, Output, option
from scoring.models import Chunk, MetricRun
from scoring.runs import starting
from scoring.runs.forms import OptionsForm
from tests.support.messages import catch
from tests.support.scored import COHERENCE, ZIPF, score, score_systems

pytestmark = pytest.mark.usefixtures("as_alice")

URL = "/studies/ferry/metrics/"


@dataclasses.dataclass(frozen=True)
class Options:
    model: str = option("", "folder of the model", path="model")
    weighting: str = option(
        "mean",
        "how to average",
        choices=("mean", "max"),
        label="How to average",
        titles=("mean", "largest"),
    )
    limit: int = option(512, "longest text, in tokens", label="Longest text")
    share: float = option(0.5, "share of texts")
    lower: bool = option(True, "lower the case first")
    aspects: str = option("quality", "what is asked", fill="aspects")


class Judge(Metric):
    """How well it reads."""

    title = "Judge"
    source = "Doe (2020), eq. 1"
    Options = Options
    needs = frozenset({"prefix"})
    outputs = (Output("verdict", "Verdict", "points, [0, 1]", True),)

    @classmethod
    def name(cls):
        return "judge"

    def check(self):
        if self.options.weighting == "max" and self.options.limit == 1:
            raise metrics.OptionError("max needs a limit above 1")

    def load(self, device="cpu"):
        raise NotImplementedError


class Sourced(Judge):
    title = "Sourced"
    needs = frozenset({"source"})

    @classmethod
    def name(cls):
        return "sourced"


@pytest.fixture(autouse=True)
def offered(monkeypatch):
    """Two metrics only, so that no test depends on which files there are."""
    found = {"judge": Judge, "sourced": Sourced}

    def get(name):
        if name not in found:
            raise metrics.UnknownMetric(f"no metric {name!r}")
        return found[name]

    monkeypatch.setattr(metrics, "names", lambda: sorted(found))
    monkeypatch.setattr(metrics, "get", get)
    catch(monkeypatch, "score_chunk", lambda pk: None)
    return found


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def run(study, alice):
    return runs.start(study=study, metric="judge", options={}, user=alice)


def post(client, metric="judge", **fields):
    fields.setdefault(f"{metric}-weighting", "mean")
    return client.post(f"{URL}with/{metric}/", fields)


def finish(run):
    run.chunks.update(state=Chunk.State.DONE, done_items=8)
    run.state, run.finished_at = MetricRun.State.DONE, timezone.now()
    run.save()


CHOSEN = {"judge-weighting": "max"}


class TestOptionsForm:
    def test_it_has_a_field_of_the_right_type_for_each_option(self, db):
        kinds = {
            name: type(f).__name__ for name, f in OptionsForm("judge").fields.items()
        }
        assert kinds == {
            "model": "CharField",
            "weighting": "ChoiceField",
            "limit": "IntegerField",
            "share": "FloatField",
            "lower": "BooleanField",
            "aspects": "LongText",
        }

    def test_it_shows_help_choices_and_defaults(self):
        html = OptionsForm("judge").as_p()
        assert "Longest text, in tokens." in html
        assert "largest</option>" in html
        assert 'value="512"' in html
        assert '<option value="mean" selected>' in html
        assert "checked" in html

    def test_an_empty_field_leaves_the_default(self):
        form = OptionsForm(
            "judge", {**CHOSEN, "judge-limit": "", "judge-share": "0.25"}
        )
        assert form.is_valid()
        assert form.options() == {"weighting": "max", "share": 0.25, "lower": False}

    def test_what_a_study_brings_along_stays_empty_and_says_so(self):
        html = OptionsForm("judge").as_p()
        assert "What is asked. If left empty: what the study asks people." in html
        assert '<textarea name="judge-aspects"' in html
        assert ">quality</textarea>" not in html

    def test_lines_of_a_long_text_end_as_on_the_command_line(self):
        form = OptionsForm("judge", {**CHOSEN, "judge-aspects": "a: b\r\nc: d"})
        assert form.is_valid()
        assert form.options()["aspects"] == "a: b\nc: d"

    def test_a_wrong_choice_is_answered_with_the_right_ones(self):
        form = OptionsForm("judge", {"judge-weighting": "all"})
        assert form.errors["weighting"] == ["Expected one of mean, max."]

    @pytest.mark.parametrize(
        ("error", "field"),
        [
            ("weighting=max needs a limit", "weighting"),
            ("max needs a limit above 1", "__all__"),
            ("limit: expected 1 or more", "limit"),
        ],
    )
    def test_what_the_metric_refuses_stands_beside_the_option_it_names(
        self, error, field
    ):
        form = OptionsForm("judge", CHOSEN)
        form.refuse(error)
        assert form.errors == {field: [error]}

    def test_a_wrong_type_is_an_error_beside_the_field(self):
        form = OptionsForm("judge", {**CHOSEN, "judge-limit": "many"})
        assert list(form.errors) == ["limit"]


class TestList:
    def test_it_says_what_each_metric_measures_needs_and_takes(self, client, study):
        page = client.get(URL).content.decode()
        for words in (
            "Score with everything that runs here",
            "How well it reads.",
            "Can run now",
            "Score 8 texts with the ticked metrics",
        ):
            assert words in page

    def test_what_can_run_is_ticked_and_says_how_to_change_its_options(
        self, client, study
    ):
        page = client.get(URL).content.decode()
        assert re.search(r'value="judge"[^>]*checked', page)
        assert f'href="{URL}with/judge/"' in page

    def test_what_the_texts_lack_something_for_says_how_to_get_it(self, client, study):
        page = client.get(URL).content.decode()
        assert "Needs sources: what the texts answer" in page
        assert 'href="/studies/ferry/import/">Import texts with sources</a>' in page
        assert 'value="sourced"' not in page

    def test_what_was_scored_with_the_same_options_is_not_ticked(
        self, client, study, alice
    ):
        starts_as_the_page_does(client)
        finish(MetricRun.objects.get())
        page = client.get(URL).content.decode()
        assert "already scored" in page
        assert not re.search(r'value="judge"[^>]*checked', page)
        assert "See the results" in page

    def test_it_lists_the_runs_with_their_state(self, client, run):
        page = client.get(URL).content.decode()
        assert run.get_absolute_url() in page
        assert "Queued" in page

    def test_no_page_tells_where_the_models_are(self, client, run, settings, tmp_path):
        settings.MODELS_DIR = tmp_path
        run.options = {"model": str(tmp_path / "small"), "lower": False}
        run.save()
        for url in (URL, run.get_absolute_url()):
            page = client.get(url).content.decode()
            assert str(tmp_path) not in page
            assert "small" in page
            assert "False" not in page

    def test_a_study_without_texts_gets_the_first_step(self, client, make_study):
        make_study(prompts=0)
        page = client.get(URL).content.decode()
        assert "Add data" in page
        assert "Score 0" not in page

    def test_an_address_that_fills_in_a_form_leads_to_it(self, client, study):
        answer = client.get(f"{URL}?metric=judge&limit=64")
        assert answer.url == f"{URL}with/judge/?limit=64"

    def test_a_filter_is_part_of_the_address(self, client, study):
        page = client.get(f"{URL}?q=judge&kind=systems").content.decode()
        assert 'name="q" value="judge"' in page
        assert '<option value="systems" selected>' in page


def starts_as_the_page_does(client):
    return client.post(f"{URL}start/", {"metric": ["judge"]})


class TestStart:
    def test_one_press_starts_what_is_ticked_and_shows_how_far_it_is(
        self, client, study, alice
    ):
        answer = starts_as_the_page_does(client)
        assert answer.url == f"{URL}#progress"
        run = MetricRun.objects.get()
        assert (run.metric, run.created_by) == ("judge", alice)
        page = client.get(URL).content.decode()
        assert "0 of 1 metric done" in page
        assert "Cancel all" in page

    def test_what_cannot_run_is_passed_over(self, client, study):
        client.post(f"{URL}start/", {"metric": ["judge", "sourced", "nix"]})
        assert [run.metric for run in MetricRun.objects.all()] == ["judge"]

    def test_one_that_fails_is_reported_and_holds_up_no_other(
        self, client, study, offered, monkeypatch
    ):
        class Broken(Judge):
            title = "Broken"

            @classmethod
            def name(cls):
                return "broken"

        offered["broken"] = Broken
        start = starting.start_ready

        def refuse(*, metric, **given):
            if metric == "broken":
                raise starting.RunError("no luck")
            return start(metric=metric, **given)

        monkeypatch.setattr(starting, "start_ready", refuse)
        answer = client.post(
            f"{URL}start/", {"metric": ["judge", "broken"]}, follow=True
        )
        assert "Broken: no luck." in answer.content.decode()
        assert [run.metric for run in MetricRun.objects.all()] == ["judge"]

    def test_nothing_ticked_is_said(self, client, study):
        answer = client.post(f"{URL}start/", follow=True)
        assert "Tick one metric or more" in answer.content.decode()

    def test_opening_its_address_leads_to_the_page(self, client, study):
        assert client.get(f"{URL}start/").url == URL


class TestProgress:
    def test_the_fragment_asks_again_until_all_have_ended(self, client, study):
        starts_as_the_page_does(client)
        page = client.get(f"{URL}progress/").content.decode()
        assert 'hx-trigger="every 2s"' in page
        assert "<html" not in page
        finish(MetricRun.objects.get())
        # The table below has changed as well: the page is read again.
        assert client.get(f"{URL}progress/").headers["HX-Refresh"] == "true"
        page = client.get(URL).content.decode()
        assert 'hx-trigger="every 2s"' not in page
        assert "1 of 1 metric done" in page
        assert page.count(">See the results</a>") == 2
        assert page.count('primary" href="/studies/ferry/results/"') == 1

    def test_what_is_being_scored_is_not_said_to_be_ready(self, client, study):
        starts_as_the_page_does(client)
        page = client.get(URL).content.decode()
        assert "Being scored" in page
        assert "has scored these texts." not in page
        assert "See the results" not in page

    def test_all_can_be_cancelled_at_once(self, client, study):
        starts_as_the_page_does(client)
        client.post(f"{URL}with/judge/", {**CHOSEN, "judge-limit": "64"})
        answer = client.post(f"{URL}cancel/", follow=True)
        assert "2 runs cancelled." in answer.content.decode()
        states = set(MetricRun.objects.values_list("state", flat=True))
        assert states == {MetricRun.State.CANCELLED}


class TestChoose:
    def test_it_starts_a_run_and_leads_to_it(self, client, study, alice):
        answer = post(client, **{"judge-limit": "64", "judge-weighting": "max"})
        run = MetricRun.objects.get()
        assert answer.url == run.get_absolute_url()
        assert (run.metric, run.created_by) == ("judge", alice)
        assert run.options["limit"] == 64
        assert run.options["weighting"] == "max"
        assert run.options["lower"] is False

    def test_an_address_fills_it_in(self, client, study):
        page = client.get(f"{URL}with/judge/?limit=64&weighting=max").content.decode()
        assert 'value="64"' in page
        assert '<option value="max" selected>' in page

    def test_a_wrong_option_stands_beside_its_field(self, client, study):
        answer = post(client, **{"judge-limit": "many"})
        assert answer.status_code == 400
        page = answer.content.decode()
        assert "Enter a whole number" in page
        assert "<details open>" in page
        assert not MetricRun.objects.exists()

    def test_options_that_do_not_go_together_are_told_at_once(self, client, study):
        answer = post(client, **{"judge-weighting": "max", "judge-limit": "1"})
        assert answer.status_code == 400
        assert "max needs a limit above 1" in answer.content.decode()
        assert not MetricRun.objects.exists()

    def test_a_folder_outside_the_models_is_refused(self, client, study, tmp_path):
        answer = post(client, **{"judge-model": str(tmp_path)})
        assert answer.status_code == 400
        assert "MODELS_DIR" in answer.content.decode()
        assert not MetricRun.objects.exists()

    def test_a_study_that_lacks_what_the_metric_needs_is_told(self, client, study):
        answer = post(client, metric="sourced")
        assert answer.status_code == 400
        assert "needs sources" in answer.content.decode()

    def test_an_unknown_metric_is_404(self, client, study):
        assert post(client, metric="nix").status_code == 404

    def test_its_address_leads_back_to_the_form(self, client, study):
        assert client.get(f"{URL}start/").url == URL

    def test_several_sets_of_options_start_a_run_each(self, client, study):
        added = client.post(f"{URL}with/judge/add/", {**CHOSEN, "judge-limit": "64"})
        page = added.content.decode()
        assert "How to average: largest; Longest text: 64" in page
        assert "with all 2 sets of options" in page
        (chosen,) = added.context["sets"]
        fields = {**CHOSEN, "judge-limit": "32", "set": [chosen.value]}
        answer = client.post(f"{URL}with/judge/", fields)
        assert answer.url == f"{URL}#progress"
        limits = {run.options["limit"] for run in MetricRun.objects.all()}
        assert limits == {32, 64}

    @pytest.mark.parametrize("text", ["[", "[1]", "[" * 10_000, "null"])
    def test_what_is_no_set_of_options_is_passed_over(self, client, study, text):
        client.post(f"{URL}with/judge/", {**CHOSEN, "set": [text]})
        assert MetricRun.objects.count() == 1


class TestRun:
    def test_it_shows_progress_and_asks_again(self, client, run):
        run.chunks.update(state=Chunk.State.RUNNING, done_items=3)
        page = client.get(run.get_absolute_url()).content.decode()
        assert "3 of 8 texts scored" in page
        assert 'aria-valuenow="3"' in page
        assert f'hx-get="{run.get_absolute_url()}progress/"' in page

    def test_the_fragment_of_an_ended_run_asks_no_more(self, client, run):
        runs.cancel(run=run)
        page = client.get(f"{run.get_absolute_url()}progress/").content.decode()
        assert "hx-trigger" not in page
        assert "<html" not in page
        assert "Try again" in page

    def test_it_says_when_no_worker_runs(self, client, run):
        page = client.get(run.get_absolute_url()).content.decode()
        assert "No worker that can do this is running" in page

    def test_it_can_be_cancelled_and_tried_again(self, client, run):
        client.post(f"{run.get_absolute_url()}cancel/")
        run.refresh_from_db()
        assert run.state == MetricRun.State.CANCELLED
        client.post(f"{run.get_absolute_url()}retry/")
        run.refresh_from_db()
        assert run.state == MetricRun.State.QUEUED

    def test_a_run_that_cannot_be_retried_says_so(self, client, run):
        answer = client.post(f"{run.get_absolute_url()}retry/", follow=True)
        assert "Only a run that failed or was cancelled" in answer.content.decode()

    def test_the_reason_keeps_the_name_of_a_corpus(self, client, run, monkeypatch):
        def refuse(*, run, user):
            raise starting.RunError("the corpus NOVELS was deleted")

        monkeypatch.setattr(starting, "retry", refuse)
        answer = client.post(f"{run.get_absolute_url()}retry/", follow=True)
        assert "The corpus NOVELS was deleted." in answer.content.decode()

    @pytest.mark.parametrize("action", ["cancel", "retry"])
    def test_get_changes_nothing(self, client, run, action):
        before = MetricRun.objects.values().get(pk=run.pk)
        answer = client.get(f"{run.get_absolute_url()}{action}/")
        assert answer.url == run.get_absolute_url()
        assert MetricRun.objects.values().get(pk=run.pk) == before

    def test_a_failed_run_says_why(self, client, run):
        run.state, run.error = (
            MetricRun.State.FAILED,
            "there is no model in that folder",
        )
        run.save()
        page = client.get(run.get_absolute_url()).content.decode()
        assert "there is no model in that folder" in page

    def test_the_run_of_a_metric_that_is_gone_still_shows(self, client, run):
        MetricRun.objects.update(metric="gone")
        assert client.get(run.get_absolute_url()).status_code == 200


class TestOutcome:
    @pytest.fixture
    def done(self, run, study):
        run.signature = score(study, COHERENCE, [None, None, 0.5, 1, 1, 1, 1, 1])
        run.state, run.finished_at = MetricRun.State.DONE, timezone.now()
        run.save()
        return run

    def test_it_sums_up_each_output(self, client, done):
        page = client.get(done.get_absolute_url()).content.decode()
        assert "6 texts" in page
        assert "0.917" in page
        assert "judge|v:1" in page

    def test_counts_have_no_decimals(self, client, study, run):
        run.signature = score(study, Output("words", "Words", "words", True), range(8))
        run.state = MetricRun.State.DONE
        run.save()
        page = client.get(run.get_absolute_url()).content.decode()
        assert '<td class="number">7</td>' in page
        assert '<td class="number">3.500</td>' in page

    def test_it_says_why_some_have_no_score(self, client, done):
        page = client.get(done.get_absolute_url()).content.decode()
        assert "Coherence: too short (2)" in page

    def test_system_scores_are_summed_up_as_well(self, client, done, study):
        done.signature = score_systems(study, ZIPF, {"a": 1, "b": None}, metric="zipf")
        done.save()
        page = client.get(done.get_absolute_url()).content.decode()
        assert "1 system" in page
        assert "Zipf exponent: too few texts (1)" in page

    def test_a_small_models_scores_are_named_as_such(self, client, done):
        assert "small model" not in client.get(done.get_absolute_url()).content.decode()
        done.options = {"model": "bundled:causal-small"}
        done.save()
        page = client.get(done.get_absolute_url()).content.decode()
        assert "Scored by causal-small: a small model that comes" in page

    def test_what_the_metric_noted_is_shown_with_the_scores(self, client, done):
        assert (
            "mind the gap" not in client.get(done.get_absolute_url()).content.decode()
        )
        done.notes = ["mind the gap"]
        done.save()
        for url in (done.get_absolute_url(), "/studies/ferry/results/"):
            page = client.get(url).content.decode()
            assert page.count("mind the gap") == 1

    def test_a_long_option_is_folded(self, client, done):
        done.options = {"aspects": "x" * 500}
        done.save()
        page = client.get(done.get_absolute_url()).content.decode()
        assert "<summary>" + "x" * 59 + "…</summary>" in page
        assert "x" * 500 in page
        assert "x" * 61 not in client.get(URL).content.decode()

    def test_scores_of_another_study_are_not_shown(self, client, done, make_study):
        other = make_study(name="other")
        other_run = MetricRun.objects.create(
            study=other, metric="judge", signature=done.signature, state="done"
        )
        page = client.get(other_run.get_absolute_url()).content.decode()
        assert "6 texts" not in page

    def test_the_scores_are_a_file(self, client, done):
        answer = client.get(f"{done.get_absolute_url()}scores.csv")
        lines = answer.getvalue().decode().splitlines()
        assert lines[0] == "generation,system,output,value,reason"
        assert lines[1] == "0-a-1,a,coherence,,too short"
        assert lines[3] == "0-c-1,c,coherence,0.5,"
        assert len(lines) == 9


class TestStrangers:
    def urls(self, run):
        own = run.get_absolute_url()
        return [URL, own, f"{own}progress/", f"{own}scores.csv"]

    def test_they_get_404(self, client, bob, run):
        client.force_login(bob)
        for url in self.urls(run):
            assert client.get(url).status_code == 404
        for url in ("start/", f"{run.pk}/cancel/", f"{run.pk}/retry/"):
            assert client.post(URL + url, {"metric": "judge"}).status_code == 404
        assert MetricRun.objects.get().state == MetricRun.State.QUEUED

    def test_the_anonymous_are_sent_to_the_login(self, client, run):
        client.logout()
        for url in self.urls(run):
            assert client.get(url).url.startswith("/login/")

    def test_a_run_is_found_only_under_its_own_study(self, client, run, make_study):
        make_study(name="other")
        answer = client.get(f"/studies/other/metrics/{run.pk}/")
        assert answer.status_code == 404


class TestMissingWorkers:
    @pytest.fixture
    def page(self, client, study, offered):
        """One metric for the queue cpu, and one for large models."""
        large = type("Large", (Judge,), {"needs_gpu": True, "title": "Large one"})
        large.name = classmethod(lambda cls: "large")
        offered.update(large=large)
        return lambda: " ".join(client.get(URL).content.decode().split())

    def worker(self, *queues):
        heartbeats.beat(owner="lab/7/x", now=timezone.now(), queues=queues)

    def test_a_worker_of_small_metrics_leaves_only_the_large_ones_waiting(self, page):
        self.worker("cpu")
        said = page()
        assert "queue <code>gpu</code> (large models) is running now" in said
        assert "Large one would wait" in said
        assert "queue <code>cpu</code>" not in said

    @pytest.mark.parametrize("queues", [["gpu"], []])
    def test_a_worker_of_large_models_does_small_metrics_too(self, page, queues):
        self.worker(*queues)
        assert "would wait" not in page()

    def test_only_what_nobody_takes_is_told(self, page):
        self.worker("judges")
        said = page()
        assert "queue <code>gpu</code>" in said and "queue <code>cpu</code>" in said

    def test_runs_that_wait_name_their_queue(self, client, study, page):
        self.worker("cpu")
        small = runs.start(study=study, metric="judge", options={}, user=None)
        progress = f"{URL}progress/"
        assert "No worker takes" not in client.get(progress).content.decode()
        large = runs.start(study=study, metric="large", options={}, user=None)
        said = client.get(progress).content.decode()
        assert "No worker takes the queue <code>gpu</code> now." in said
        told = "No worker that can do this is running"
        assert told not in client.get(small.get_absolute_url()).content.decode()
        assert told in client.get(large.get_absolute_url()).content.decode()
