"""Probes in the database: asked for, done by workers, brought back."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from evalapp.work import heartbeats, leases, queues, retries
from evalapp.work.kinds import Refused
from scoring import corpora, pulse
from scoring.contrib.probing import protocols
from scoring.contrib.probing import starting as probing
from scoring.contrib.probing import worker as probe_worker
from scoring.metrics import MetricError, OptionError
from scoring.metrics._distributions import embeddings
from scoring.metrics._engine import models
from scoring.models import Corpus, Probe
from tests.scoring.probed import corpus_of, done, started, work
from tests.scoring.working import NOON
from tests.support.messages import catch

LOAD = embeddings.load
LATER = NOON + timedelta(minutes=10)


class Counting:
    """An encoder that counts letters, so that no test waits for a real one."""

    pooling, width, max_tokens = "mean", 26, 512

    def __call__(self, texts, progress=None):
        if progress:
            progress(len(texts))
        letters = "abcdefghijklmnopqrstuvwxyz"
        return np.array([[text.count(a) for a in letters] for text in texts], float)


@pytest.fixture(autouse=True)
def sent(monkeypatch) -> list[int]:
    """Ids of the probes that workers were woken up for."""
    found: list[int] = []
    catch(monkeypatch, "probe", found.append)
    return found


@pytest.fixture(autouse=True)
def counting(monkeypatch):
    monkeypatch.setattr(
        probe_worker.embeddings, "load", lambda name, **options: Counting()
    )


@pytest.fixture
def study(make_study):
    study = make_study()
    corpus_of(study, topic=["sea", "land"])
    return study


@pytest.fixture
def failing(monkeypatch):
    """Make every probe fail with this."""

    def fail(error):
        def result_of(probe, report):
            raise error

        monkeypatch.setattr(probe_worker, "result_of", result_of)

    return fail


class TestStart:
    def test_it_wakes_a_worker_once_the_row_is_there(
        self, study, sent, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            probe = started(study)
        assert sent == [probe.pk]
        probe.refresh_from_db()
        assert (probe.state, probe.sent_at is None) == ("queued", False)

    def test_what_is_left_out_is_as_usual(self, study):
        probe = probing.start(
            study=study, corpus=study.corpora.get(), protocol="clusters"
        )
        assert probe.options == {
            "models": ["bundled:encoder-small"],
            "pooling": "auto",
            "max_tokens": 512,
            "clusters": [5, 10, 20, 50, 100, 200, 500],
            "seeds": 5,
            "texts": 5000,
            "generator": "",
            "attributes": [],
            "learn_on": "",
        }

    def test_numbers_of_clusters_are_sorted_and_named_once(self, study):
        assert started(study, clusters=["9", 3, 9]).options["clusters"] == [3, 9]

    def test_options_of_other_probes_are_dropped(self, study):
        options = started(study, generator="a", attributes=["topic"]).options
        assert (options["generator"], options["attributes"]) == ("a", [])

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"clusters": [1]}, "clusters=1: expected a whole number from 2"),
            ({"clusters": ["x"]}, "clusters=x: expected a whole number"),
            ({"clusters": list(range(2, 20))}, "clusters: expected at most 12"),
            ({"seeds": 21}, "seeds=21"),
            ({"texts": 3}, "texts=3"),
            ({"pooling": "sum"}, "pooling=sum: expected one of: auto, paper, mean"),
            ({"generator": "z"}, "generator=z: expected one of: a, b, c, d"),
            ({"models": ["/etc"]}, "models=/etc: expected hub names"),
            ({"models": ["a/b"] * 9}, "models: expected at most 8"),
            ({"depth": 1}, "unknown option depth"),
        ],
    )
    def test_a_wrong_option_is_named_with_what_would_do(self, study, options, said):
        with pytest.raises(OptionError, match=said):
            started(study, **options)
        assert not Probe.objects.exists()

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"attributes": ["mood"]}, "attributes=mood: expected one of: topic"),
            ({"attributes": ["topic"], "learn_on": "novels"}, "learn_on=novels"),
        ],
    )
    def test_attributes_are_of_the_corpus(self, study, options, said):
        with pytest.raises(OptionError, match=said):
            started(study, "attributes", **options)

    def test_a_corpus_without_columns_has_no_attributes(self, make_study):
        study = make_study()
        corpus_of(study)
        with pytest.raises(OptionError, match="has texts only"):
            started(study, "attributes", attributes=["topic"])

    def test_a_corpus_of_another_study_is_refused(self, study, make_study):
        corpus = corpus_of(make_study(name="harbour"))
        with pytest.raises(OptionError, match="belongs to another study"):
            probing.start(study=study, corpus=corpus, protocol="surface")

    def test_a_corpus_that_was_deleted_meanwhile_is_refused(self, study):
        made = study.corpora.get()
        corpora.remove(corpus=Corpus.objects.get(pk=made.pk))
        with pytest.raises(OptionError, match="was deleted: choose another"):
            probing.start(study=study, corpus=made, protocol="surface")
        assert not study.probes.exists()

    def test_an_unknown_protocol_is_refused(self, study):
        with pytest.raises(OptionError, match="protocol=depth: expected one of"):
            started(study, "depth")


class TestCompute:
    @pytest.mark.parametrize("protocol", protocols.NAMES)
    def test_every_protocol_ends_with_a_result(self, study, protocol):
        probe = done(study, protocol, attributes=["topic"])
        assert (probe.error, probe.finished_at) == ("", NOON)
        [found] = probe.result["encoders"]
        assert found["model"] == "bundled:encoder-small"
        assert found["hash"].startswith("sha256:")

    def test_a_real_encoder_does_as_well(self, study, monkeypatch, settings, tmp_path):
        settings.DATA_DIR = tmp_path
        monkeypatch.setattr(probe_worker.embeddings, "load", LOAD)
        [found] = done(study, "surface").result["encoders"]
        assert (found["pooling"], found["width"]) == ("mean", 192)
        assert list((tmp_path / "embeddings").rglob("*.npy"))

    def test_each_encoder_is_given_the_same_draw(self, study):
        names = ["bundled:encoder-small", "bundled:causal-nano"]
        first, second = done(study, models=names).result["encoders"]
        assert [first["model"], second["model"]] == names
        assert first["rows"] == second["rows"]

    def test_a_generator_is_a_row(self, study):
        [found] = done(study, generator="b").result["encoders"]
        assert found["rows"][-1]["title"] == "b"

    def test_it_learns_clusters_on_another_corpus(self, study):
        corpus_of(study, n=5, name="zines")
        options = {"attributes": ["topic"], "learn_on": "zines"}
        [found] = done(study, "attributes", **options).result["encoders"]
        assert found["n_learn_on"] == 5

    def test_another_corpus_that_is_gone_is_named(self, study):
        zines = corpus_of(study, n=5, name="zines")
        probe = started(study, "surface", learn_on="zines")
        zines.delete()
        work(probe)
        assert (probe.state, probe.error) == (
            "failed",
            "the corpus zines was deleted: start another probe",
        )

    def test_a_column_may_say_which_texts_train(self, study):
        study.corpora.all().delete()
        corpus_of(study, topic=["sea", "land"], split=["train", "train", "test"])
        [found] = done(study, "attributes", attributes=["topic"]).result["encoders"]
        [one] = found["attributes"]
        assert (one["n_train"], one["n_test"], one["column"]) == (6, 2, True)

    def test_at_most_so_many_texts_are_drawn(self, study):
        found = done(study, texts=6).result
        assert (found["n_corpus"], found["encoders"][0]["n_texts"]) == (8, 6)

    def test_too_few_texts_are_said_in_words(self, make_study):
        study = make_study()
        corpus_of(study, n=3)
        probe = started(study)
        work(probe)
        assert (probe.state, probe.attempt) == ("failed", 1)
        assert probe.error.startswith("expected at least 4 texts")

    def test_one_that_another_worker_has_is_left_alone(self, study):
        probe = started(study)
        leases.take(Probe.objects.all(), pk=probe.pk, owner="b", now=NOON)
        work(probe)
        assert (probe.state, probe.owner, probe.result) == ("running", "b", None)

    def test_what_a_user_can_cure_fails_at_once(self, study, failing):
        failing(MetricError("there is no model x"))
        probe = started(study)
        work(probe)
        assert (probe.state, probe.error) == ("failed", "there is no model x")

    def test_anything_else_is_tried_three_times(self, study, failing):
        failing(RuntimeError("odd"))
        probe = started(study)
        states = []
        for _ in range(3):
            work(probe)
            states.append(probe.state)
        assert states == ["queued", "queued", "failed"]
        assert probe.error == "RuntimeError: odd (3 attempts)"

    def test_a_worker_that_is_told_to_stop_gives_it_back(self, study, monkeypatch):
        monkeypatch.setattr(retries, "is_stopping", lambda: True)
        probe = started(study)
        work(probe)
        assert (probe.state, probe.attempt, probe.sent_at) == ("queued", 0, None)

    def test_one_that_was_cancelled_meanwhile_keeps_no_result(self, study, monkeypatch):
        probe = started(study)
        real = probe_worker.get

        def cancelled(name):
            probe_worker.PROBES.cancel(Probe.objects.get(pk=probe.pk))
            return real(name)

        monkeypatch.setattr(probe_worker, "get", cancelled)
        work(probe)
        assert (probe.state, probe.result) == ("cancelled", None)

    def test_progress_is_written_at_most_once_a_second(
        self, study, django_assert_num_queries
    ):
        probe = started(study)
        taken = leases.take(Probe.objects.all(), pk=probe.pk, owner="a", now=NOON)
        report = probe_worker.Report(taken, lambda: NOON)
        with django_assert_num_queries(1):
            report("embedding", 3, 9)
            report("embedding", 4, 9)
        probe.refresh_from_db()
        assert (probe.stage, probe.done_items, probe.total_items) == ("embedding", 3, 9)

    def test_who_lost_the_lease_notices(self, study):
        probe = started(study)
        taken = leases.take(Probe.objects.all(), pk=probe.pk, owner="a", now=NOON)
        leases.take(Probe.objects.all(), pk=probe.pk, owner="b", now=LATER)
        with pytest.raises(retries.Lost):
            probe_worker.Report(taken, lambda: LATER)("embedding", 0, 1)


class TestAfterwards:
    def test_a_cancelled_probe_can_be_tried_again(
        self, study, sent, django_capture_on_commit_callbacks
    ):
        probe = started(study)
        probe_worker.PROBES.cancel(probe)
        assert probe.state == "cancelled"
        with django_capture_on_commit_callbacks(execute=True):
            probe_worker.PROBES.retry(probe)
        assert (probe.state, sent[-1]) == ("queued", probe.pk)

    def test_one_that_is_done_stays_so(self, study):
        probe = done(study)
        probe_worker.PROBES.cancel(probe)
        assert probe.state == "done"
        with pytest.raises(Refused, match="failed or was cancelled"):
            probe_worker.PROBES.retry(probe)

    def test_a_dead_worker_s_probe_is_queued_again_and_sent(self, study, sent):
        probe = started(study)
        leases.take(Probe.objects.all(), pk=probe.pk, owner="a", now=NOON)
        pulse.reap(now=LATER)
        probe.refresh_from_db()
        assert (probe.state, probe.sent_at, sent) == ("queued", LATER, [probe.pk])

    def test_one_that_kills_three_workers_is_given_up(self, study):
        probe = started(study)
        Probe.objects.update(state="running", attempt=3, lease_until=NOON)
        pulse.reap(now=LATER)
        probe.refresh_from_db()
        assert probe.state == "failed"
        assert probe.error.startswith("the worker died at this probe 3 times")

    def test_a_living_worker_keeps_its_probe(self, study):
        probe = started(study)
        leases.take(Probe.objects.all(), pk=probe.pk, owner="a", now=NOON)
        pulse.once(owner="a", now=LATER)
        probe.refresh_from_db()
        assert probe.state == "running"

    def test_what_a_worker_had_that_is_known_to_be_dead_is_free_at_once(self, study):
        probe = started(study)
        leases.take(Probe.objects.all(), pk=probe.pk, owner="here/1/a", now=NOON)
        leases.release(owner="here/1/", now=NOON)
        assert (
            leases.take(Probe.objects.all(), pk=probe.pk, owner="b", now=NOON) == probe
        )

    def test_a_lost_message_is_sent_again_where_somebody_is_idle(self, study, sent):
        probe = started(study)
        Probe.objects.update(sent_at=NOON)
        pulse.reap(now=LATER)
        assert sent == []
        heartbeats.beat(owner="elsewhere/1/x", now=LATER)
        pulse.reap(now=LATER)
        assert sent == [probe.pk]

    def test_a_worker_at_a_probe_is_not_idle(self, study):
        heartbeats.beat(owner="elsewhere/1/x", now=NOON)
        assert heartbeats.idle(now=NOON, queue=queues.CPU) == 1
        leases.take(Probe.objects.all(), pk=started(study).pk, owner="x", now=NOON)
        assert heartbeats.idle(now=NOON, queue=queues.CPU) == 0


@pytest.fixture(scope="module")
def tokenizer():
    return models.tokenizer(models.find("bundled:encoder-small"))


class TestCut:
    TEXT = "Its  white houses\nstood in the sun, by the sea."

    def test_a_short_text_stays_as_it_is_written(self, tokenizer):
        assert protocols.cut_to_tokens(tokenizer, [self.TEXT], n=64) == [self.TEXT]

    def test_a_long_one_ends_where_the_encoder_stops_reading(self, tokenizer):
        [cut] = protocols.cut_to_tokens(tokenizer, [self.TEXT], n=7)
        assert self.TEXT.startswith(cut) and cut != self.TEXT
        ids = tokenizer([cut, self.TEXT], truncation=True, max_length=7)["input_ids"]
        assert ids[0] == ids[1]

    def test_there_may_be_nothing_to_cut(self, tokenizer):
        assert protocols.cut_to_tokens(tokenizer, [], n=7) == []
        assert protocols.cut_to_tokens(tokenizer, [""], n=7) == [""]
