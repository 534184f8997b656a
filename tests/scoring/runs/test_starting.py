from __future__ import annotations

from datetime import timedelta

import pytest
from kombu.exceptions import OperationalError

from annotation.models import Generation, Study
from evalapp.work import heartbeats
from scoring import pulse, runs
from scoring.judging.ledger import Limit
from scoring.models import Chunk, MetricRun, WorkerBeat
from tests.scoring.working import NOON, work
from tests.support import judges
from tests.support.messages import catch

pytestmark = pytest.mark.usefixtures("extra", "sent")


@pytest.fixture
def study(make_study):
    return make_study()  # eight texts


def start(study, metric="letters", **options):
    return runs.start(study=study, metric=metric, options=options, any_folder=True)


class TestStart:
    def test_it_cuts_all_texts_into_chunks_in_order(self, study, small_chunks):
        run = start(study)
        ids = [pk for chunk in run.chunks.all() for pk in chunk.generations]
        assert ids == list(study.generations.values_list("pk", flat=True))
        assert [chunk.total_items for chunk in run.chunks.all()] == [4, 4]

    @pytest.mark.parametrize(
        ("texts", "size"),
        [(1, 64), (360, 64), (4_000, 100), (20_000, 256), (1_000_000, 1000)],
    )
    def test_chunks_grow_with_the_texts_so_that_a_run_has_enough_of_them(
        self, texts, size
    ):
        assert runs.texts_per_chunk(texts) == size

    def test_it_sends_a_message_for_each_chunk_after_the_commit(
        self, study, small_chunks, sent, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            run = start(study)
            assert sent == []
        assert sent == [chunk.pk for chunk in run.chunks.all()]
        assert not run.chunks.filter(sent_at=None).exists()

    def test_it_keeps_all_options_with_their_types(self, study):
        assert start(study, letter="a").options == {"letter": "a", "model": ""}
        assert start(study, "slow", seconds="0.5").options == {"seconds": 0.5}

    def test_it_makes_a_path_absolute(self, study, tmp_path, monkeypatch):
        (tmp_path / "model").write_text("x")
        monkeypatch.chdir(tmp_path)
        run = start(study, model="./model")
        assert run.options["model"] == str(tmp_path / "model")

    def test_it_refuses_a_path_that_leads_nowhere(self, study):
        with pytest.raises(runs.OptionError, match=r"model=\./gone: there is no such"):
            start(study, model="./gone")

    def test_it_names_the_metrics_that_there_are(self, study):
        with pytest.raises(runs.UnknownMetric, match="letters"):
            start(study, "no_such_metric")

    def test_it_names_the_options_that_there_are(self, study):
        with pytest.raises(runs.OptionError, match="letter, model"):
            start(study, colour="red")

    def test_it_refuses_a_study_without_texts(self, alice):
        empty = Study.objects.create(name="empty")
        for metric in ("letters", "crowd"):
            with pytest.raises(runs.RunError, match="empty has no texts yet"):
                start(empty, metric)

    def test_it_makes_one_chunk_for_each_system(self, study):
        run = start(study, "crowd")
        assert [chunk.system.name for chunk in run.chunks.all()] == list("abcd")
        assert [chunk.total_items for chunk in run.chunks.all()] == [2] * 4

    def test_it_refuses_system_scores_where_no_system_is_known(self, study):
        Generation.objects.update(system=None)
        with pytest.raises(runs.RunError, match="does not say which system"):
            start(study, "crowd")

    def test_it_refuses_a_metric_that_no_text_could_satisfy(
        self, study, extra, monkeypatch
    ):
        monkeypatch.setattr(extra.Letters, "needs", frozenset({"references"}))
        with pytest.raises(runs.RunError, match="needs reference texts.*has none"):
            start(study)

    def test_it_refuses_one_that_needs_probabilities_which_no_text_carries(
        self, study, extra, monkeypatch
    ):
        needs = frozenset({"log-probabilities"})
        monkeypatch.setattr(extra.Letters, "needs", needs)
        with pytest.raises(runs.RunError, match="needs log-probabilities.*has none"):
            start(study)
        study.generations.filter(pk=study.generations.first().pk).update(
            log_probability=-12.5
        )
        assert start(study).pk

    def test_it_leaves_nothing_behind_when_it_refuses(self, study):
        with pytest.raises(runs.OptionError):
            start(study, colour="red")
        assert not MetricRun.objects.exists()

    def test_it_survives_a_broker_that_is_away(
        self, study, monkeypatch, django_capture_on_commit_callbacks
    ):
        def refuse(pk):
            raise OperationalError("connection refused")

        catch(monkeypatch, "score_chunk", refuse)
        with django_capture_on_commit_callbacks(execute=True):
            run = start(study)
        assert run.chunks.get().sent_at is None


class TestFromTheBrowser:
    @pytest.fixture
    def models_dir(self, tmp_path, settings):
        settings.MODELS_DIR = tmp_path / "models"
        (settings.MODELS_DIR / "tiny").mkdir(parents=True)
        (tmp_path / "secret").mkdir()
        return settings.MODELS_DIR

    def start(self, study, model):
        return runs.start(study=study, metric="letters", options={"model": model})

    def test_a_folder_of_the_models_folder_is_found_by_name(self, study, models_dir):
        run = self.start(study, "tiny")
        assert run.options["model"] == str(models_dir / "tiny")

    @pytest.mark.parametrize(
        "name", ["", "bundled:causal-small", "gpt2", "google/pegasus"]
    )
    def test_hub_and_bundled_names_stay_as_they_are(self, study, models_dir, name):
        assert self.start(study, name).options["model"] == name

    def test_an_option_that_names_no_path_may_be_anything(
        self, study, models_dir, monkeypatch
    ):
        monkeypatch.chdir(models_dir)
        for any_folder in (False, True):
            run = runs.start(
                study=study,
                metric="letters",
                options={"letter": "tiny"},
                any_folder=any_folder,
            )
            assert run.options["letter"] == "tiny"

    @pytest.mark.parametrize(
        "name",
        [
            *("../secret", "tiny/../../secret", "/etc", "~/x", "a/b/c", "."),
            *("./", "tiny/..", "a/b@", "a@b/c"),
            *("bundled:../secret", "bundled:", "a" * 5000, "bundled:" + "a" * 5000),
        ],
    )
    def test_no_other_folder_can_be_named(self, study, models_dir, name):
        with pytest.raises(runs.OptionError, match="MODELS_DIR.*there is tiny"):
            self.start(study, name)

    @pytest.mark.parametrize("any_folder", [False, True])
    def test_a_judge_over_the_network_is_asked_only_within_a_limit(
        self, study, any_folder, settings, tmp_path
    ):
        """Somebody was told where the texts go, and how much is spent at most."""
        judges.write(settings, tmp_path)
        with pytest.raises(runs.RunError, match="sends texts to lab, .*set a limit"):
            runs.start(
                study=study,
                metric="llm_judge",
                options={"model": " endpoint:lab/tiny", "mode": "answer"},
                any_folder=any_folder,
            )
        assert not MetricRun.objects.exists()

    def test_what_was_agreed_to_is_kept_with_the_run(self, study, settings, tmp_path):
        prices = {"price_in": 1.0, "price_out": 2.0, "currency": '"EUR"'}
        judges.write(settings, tmp_path, **prices)
        run = runs.start(
            study=study,
            metric="llm_judge",
            options={"model": "endpoint:lab/tiny", "mode": "answer"},
            limit=Limit(30, 0.5, "EUR"),
        )
        assert run.agreed_at is not None
        assert (run.most_calls, run.most_cost, run.currency) == (30, 0.5, "EUR")

    @pytest.mark.parametrize("model", ["endpoint:lab/other", "endpoint:gone/tiny"])
    def test_a_judge_that_nobody_set_up_is_refused_with_a_list(
        self, study, settings, tmp_path, model
    ):
        judges.write(settings, tmp_path)
        with pytest.raises(runs.OptionError, match="there are: endpoint:lab/tiny"):
            runs.start(study=study, metric="llm_judge", options={"model": model})

    @pytest.mark.parametrize(
        ("metric", "option"),
        [
            ("corpus_perplexity", "model"),
            ("corpus_cdm", "expert"),
            ("generative_cdm", "model"),
            ("bertscore", "model"),
        ],
    )
    def test_other_metrics_ask_no_endpoint(
        self, study, settings, tmp_path, metric, option
    ):
        judges.write(settings, tmp_path)
        options = {option: "endpoint:lab/tiny"}
        with pytest.raises(runs.OptionError, match="needs a model on this machine"):
            runs.start(study=study, metric=metric, options=options)

    def test_a_link_that_stands_in_the_models_folder_may_be_chosen(
        self, study, models_dir
    ):
        """Whoever runs the site put it there; its target is told to nobody."""
        (models_dir / "link").symlink_to(models_dir.parent / "secret")
        for name in ("link", "link/", "./link", f"{models_dir}/link"):
            run = self.start(study, name)
            assert run.options["model"] == str(models_dir / "link")

    def test_a_link_further_in_leads_out_of_no_model(self, study, models_dir):
        (models_dir / "tiny" / "link").symlink_to(models_dir.parent / "secret")
        with pytest.raises(runs.OptionError, match="MODELS_DIR"):
            self.start(study, "tiny/link")

    @pytest.mark.parametrize("given", [None, True, 5, ["tiny"], {"a": "tiny"}])
    def test_what_is_no_text_names_no_model(self, study, models_dir, given):
        with pytest.raises(runs.OptionError, match="model=.*: expected a name, as tex"):
            self.start(study, given)

    def test_models_of_the_hub_must_be_switched_on(self, study, models_dir, settings):
        settings.HUB = ""
        said = "model=gpt2: this server downloads no models .*, tiny, or a bund"
        with pytest.raises(runs.OptionError, match=said):
            self.start(study, "gpt2")
        for model in ("tiny", "bundled:causal-small", ""):
            assert self.start(study, model)
        with pytest.raises(
            runs.OptionError, match="gpt2: this server downloads no models"
        ):
            runs.start(study=study, metric="perplexity", options={})
        assert runs.start(
            study=study, metric="letters", options={"model": "gpt2"}, any_folder=True
        )
        settings.HUB = "off"  # of commands, too
        with pytest.raises(runs.OptionError, match="downloads no models"):
            runs.start(
                study=study, metric="letters", options={"model": "a/b"}, any_folder=True
            )

    def test_the_hub_can_be_opened_for_some_models(self, study, models_dir, settings):
        settings.HUB, settings.HUB_MODELS = "list", ["a/b@v1.0", "gpt2"]
        for model in ("a/b@v1.0", "gpt2", "gpt2@main"):
            assert self.start(study, model).options["model"] == model
        for model in ("a/b", "a/b@v2", "other"):
            with pytest.raises(runs.OptionError, match="only these .*: a/b@v1.0, gpt"):
                self.start(study, model)

    def test_a_hub_name_that_is_also_a_local_folder_is_refused(
        self, study, models_dir, monkeypatch
    ):
        monkeypatch.chdir(models_dir.parent)
        with pytest.raises(runs.OptionError):
            self.start(study, "secret")

    def test_checking_twice_changes_nothing(self, models_dir):
        once = runs.check_web_options("letters", {"model": "tiny"})
        assert runs.check_web_options("letters", once) == once


class TestCancelAndRetry:
    def test_cancel_stops_every_unfinished_chunk(self, study, small_chunks):
        run = start(study)
        Chunk.objects.filter(run=run, index=0).update(state=Chunk.State.DONE)
        runs.cancel(run=run)
        assert run.state == MetricRun.State.CANCELLED
        states = list(run.chunks.values_list("state", flat=True))
        assert states == ["done", "cancelled"]

    def test_cancel_leaves_an_ended_run_as_it_is(self, study):
        run = start(study)
        work(run)
        runs.cancel(run=run)
        assert run.state == MetricRun.State.DONE

    def test_retry_gives_failed_chunks_all_attempts_again(
        self, study, small_chunks, sent, django_capture_on_commit_callbacks
    ):
        run = start(study)
        run.chunks.filter(index=0).update(state="done", done_items=4)
        run.chunks.filter(index=1).update(state="failed", attempt=3, error="broken")
        MetricRun.objects.update(state="failed", error="broken")
        with django_capture_on_commit_callbacks(execute=True):
            runs.retry(run=run)
        chunk = run.chunks.get(index=1)
        assert (run.state, run.error) == ("queued", "")
        assert (chunk.state, chunk.attempt, chunk.error) == ("queued", 0, "")
        assert sent == [chunk.pk]

    def test_retry_lets_no_chunk_go_before_others_as_if_it_had_waited(self, study):
        run = start(study)
        run.chunks.update(passed_at=NOON)
        runs.cancel(run=run)
        runs.retry(run=run)
        assert not run.chunks.exclude(passed_at=None).exists()

    def test_retry_refuses_a_run_that_did_not_stop(self, study):
        with pytest.raises(runs.RunError, match="failed or was cancelled"):
            runs.retry(run=start(study))

    def test_a_cancelled_run_can_be_taken_up_again(self, study):
        run = start(study)
        runs.cancel(run=run)
        runs.retry(run=run)
        work(run)
        assert run.state == MetricRun.State.DONE


class TestReap:
    def held(self, run, **fields):
        run.chunks.update(
            state="running", owner="other/1/x", attempt=1, lease_until=NOON, **fields
        )

    def test_an_expired_lease_is_queued_and_sent_again(self, study, sent):
        run = start(study)
        self.held(run)
        pulse.reap(now=NOON)
        chunk = run.chunks.get()
        assert (chunk.state, chunk.owner, chunk.attempt) == ("queued", "", 1)
        assert sent == [chunk.pk]

    def test_a_live_lease_stays(self, study, sent):
        run = start(study)
        self.held(run)
        pulse.reap(now=NOON - timedelta(seconds=1))
        assert (run.chunks.get().state, sent) == ("running", [])

    def test_the_third_death_fails_the_chunk_and_the_run(self, study):
        run = start(study)
        self.held(run)
        run.chunks.update(attempt=3)
        pulse.reap(now=NOON)
        run.refresh_from_db()
        assert run.state == MetricRun.State.FAILED
        assert "the worker died at this chunk 3 times" in run.error

    def test_a_lost_message_is_sent_again_to_an_idle_worker(self, study, sent):
        run = start(study)
        run.chunks.update(sent_at=NOON - timedelta(seconds=61))
        heartbeats.beat(owner="other/1/x", now=NOON)
        pulse.reap(now=NOON)
        assert sent == [run.chunks.get().pk]
        pulse.reap(now=NOON + timedelta(seconds=5))
        assert len(sent) == 1

    def test_nothing_is_sent_again_while_all_workers_are_busy(
        self, study, small_chunks, sent
    ):
        run = start(study)
        run.chunks.update(sent_at=NOON - timedelta(hours=1))
        later = NOON + timedelta(seconds=60)
        run.chunks.filter(index=0).update(state="running", lease_until=later)
        heartbeats.beat(owner="other/1/x", now=NOON)
        pulse.reap(now=NOON)
        assert sent == []

    def test_it_ends_a_run_whose_last_worker_died_too_early_to_do_so(self, study):
        run = start(study)
        run.chunks.update(state="done")
        pulse.reap(now=NOON)
        run.refresh_from_db()
        assert (run.state, run.finished_at) == (MetricRun.State.DONE, NOON)

    def test_it_leaves_an_ended_run_alone(self, study):
        run = start(study)
        work(run)
        pulse.reap(now=NOON + timedelta(hours=1))
        run.refresh_from_db()
        assert run.finished_at == NOON


class TestProgress:
    def test_it_counts_texts_and_guesses_the_time_left(
        self, study, small_chunks, django_assert_num_queries
    ):
        run = start(study)
        MetricRun.objects.update(state="running", started_at=NOON)
        run.chunks.filter(index=0).update(
            state="done", done_items=4, finished_at=NOON + timedelta(seconds=2)
        )
        run.refresh_from_db()
        with django_assert_num_queries(2):
            seen = runs.progress(run=run, now=NOON + timedelta(seconds=2))
        assert (seen.done, seen.total, seen.share) == (4, 8, 0.5)
        assert (seen.rate, seen.seconds_left, seen.workers) == (2.0, 2.0, 0)
        assert not seen.ended

    def test_before_the_first_chunk_there_is_no_rate(self, study):
        seen = runs.progress(run=start(study))
        assert (seen.done, seen.rate, seen.seconds_left) == (0, None, None)

    def test_what_was_done_before_a_retry_does_not_make_it_look_fast(
        self, study, small_chunks
    ):
        run = start(study)
        run.chunks.filter(index=0).update(
            state="done", done_items=4, finished_at=NOON - timedelta(days=1)
        )
        run.chunks.filter(index=1).update(state="running", done_items=1)
        MetricRun.objects.update(state="running", started_at=NOON)
        run.refresh_from_db()
        seen = runs.progress(run=run, now=NOON + timedelta(seconds=1))
        assert (seen.done, seen.rate, seen.seconds_left) == (5, 1.0, 3.0)


def test_counts_tell_what_is_undefined_and_why(study):
    study.generations.filter(system__name__in="ab").update(text="# marked")
    run = start(study, letter="#")
    work(run)
    (count,) = runs.counts(run=run)
    assert (count.output, count.scored) == ("letters", 4)
    assert count.undefined == {"no such letter": 4}


class TestBeats:
    def test_a_worker_counts_as_alive_for_half_a_minute(self, db):
        heartbeats.beat(owner="other/1/x", now=NOON)
        assert heartbeats.alive(now=NOON + timedelta(seconds=29)) == ["other/1/x"]
        assert heartbeats.alive(now=NOON + timedelta(seconds=31)) == []

    def test_a_process_of_this_host_that_is_gone_does_not(self, db):
        gone = f"{heartbeats.owner_of(2**22 + 1)}x"  # above the highest process id
        heartbeats.beat(owner=gone, now=NOON)
        heartbeats.beat(owner=heartbeats.me(), now=NOON)
        assert heartbeats.alive(now=NOON) == [heartbeats.me()]
        assert heartbeats.dead_here() == [gone]

    def test_old_ones_are_forgotten(self, db):
        heartbeats.beat(owner="old/1/x", now=NOON - timedelta(days=2))
        heartbeats.beat(owner="new/1/x", now=NOON)
        assert WorkerBeat.objects.get().owner == "new/1/x"
