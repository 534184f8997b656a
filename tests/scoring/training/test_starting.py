from __future__ import annotations

import os
from datetime import timedelta

import pytest
from kombu.exceptions import OperationalError

from annotation.models import Event, Reference
from evalapp import storage
from scoring import corpora, pulse, runs
from scoring import training as trainings
from scoring.models import Checkpoint, Chunk, Corpus, Probe
from scoring.training import checks, worker
from tests.scoring.trained import begun, rated_study, reviews
from tests.scoring.working import NOON
from tests.support.messages import catch

pytestmark = pytest.mark.usefixtures("trained_here")
State = Checkpoint.State
TrainingError = trainings.TrainingError


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def lake(make_study):
    return rated_study(make_study)


@pytest.fixture
def training(study, tiny):
    return begun(study, tiny)


@pytest.fixture
def done(training):
    """As if it had come to its end."""
    Checkpoint.objects.update(state=State.DONE)
    Chunk.objects.update(state=Chunk.State.DONE)
    training.refresh_from_db()
    (storage.local(training.stored_as) / "model").mkdir(parents=True)
    return training


class TestStart:
    def test_it_makes_the_row_and_its_first_slice(self, study, tiny, alice):
        made = begun(study, tiny, user=alice, epochs="2.5")
        (chunk,) = made.chunks.all()
        assert (chunk.index, chunk.state, chunk.run) == (0, Chunk.State.QUEUED, None)
        assert (made.state, made.created_by) == (State.QUEUED, alice)
        assert made.options["epochs"] == 2.5
        assert made.options.keys() >= {"base", "texts", "seed", "pause"}

    def test_the_message_goes_out_after_the_commit(
        self, study, tiny, sent, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            made = begun(study, tiny)
            assert sent == []
        assert sent == [made.chunks.get().pk]
        assert made.chunks.get().sent_at

    def test_a_broker_that_is_away_costs_time_and_not_the_training(
        self, study, tiny, monkeypatch, sent, django_capture_on_commit_callbacks
    ):
        def away(pk):
            raise OperationalError("nobody there")

        with monkeypatch.context() as patch:
            catch(patch, "score_chunk", away)
            with django_capture_on_commit_callbacks(execute=True):
                made = begun(study, tiny)
        pulse.reap(now=NOON)
        assert sent == [made.chunks.get().pk]

    def test_it_names_the_metrics_that_are_trained(self, study, tiny):
        with pytest.raises(
            trainings.UnknownMetric, match="letters cannot be trained.*pupil"
        ):
            begun(study, tiny, metric="letters")
        with pytest.raises(trainings.UnknownMetric, match="no metric 'pigeon'"):
            begun(study, tiny, metric="pigeon")
        assert "pupil" in [kind.name() for kind in trainings.trained()]
        assert "letters" not in [kind.name() for kind in trainings.trained()]

    def test_it_refuses_options_that_will_not_do(self, study, tiny):
        with pytest.raises(trainings.OptionError, match="unknown option colour"):
            begun(study, tiny, colour="red")
        with pytest.raises(trainings.OptionError, match="batch=1: expected 2 to"):
            begun(study, tiny, batch=1)

    def test_a_page_may_name_no_folder_of_the_server(self, study, tiny):
        options = {"base": str(tiny)}
        with pytest.raises(trainings.OptionError, match="expected hub names"):
            trainings.start(
                study=study,
                metric="pupil",
                name="x",
                options=options,
                corpus=reviews(study),
            )

    @pytest.mark.parametrize("name", ["", "a b", "ä", "x" * 65, "../up", ".hidden"])
    def test_it_refuses_a_name_that_is_none(self, study, tiny, name):
        with pytest.raises(TrainingError, match="up to 64 letters"):
            begun(study, tiny, name=name)

    def test_a_name_is_given_once(self, study, tiny, training, monkeypatch):
        with pytest.raises(TrainingError, match='already has a training "first"'):
            begun(study, tiny)
        # Another process was faster.
        monkeypatch.setattr("scoring.training.starting.check_name", lambda *given: None)
        with pytest.raises(TrainingError, match='already has a training "first"'):
            begun(study, tiny)
        assert Chunk.objects.count() == 1

    def test_a_study_has_room_for_so_many(self, study, tiny, training, monkeypatch):
        monkeypatch.setattr(checks, "MOST_CHECKPOINTS", 1)
        with pytest.raises(
            TrainingError, match="already has 1 trainings, .*: delete one"
        ):
            begun(study, tiny, name="second")

    def test_it_asks_for_a_corpus_where_texts_are_learned(self, study, tiny):
        with pytest.raises(TrainingError, match="learns from human texts: choose a c"):
            begun(study, tiny, corpus=None)

    def test_it_refuses_a_corpus_that_is_of_no_use(self, study, tiny, monkeypatch):
        monkeypatch.setattr(_pupil(), "learns", frozenset({"ratings"}))
        with pytest.raises(TrainingError, match="does not use a corpus"):
            begun(study, tiny)

    def test_it_refuses_the_corpus_of_another_study(self, study, make_study, tiny):
        other = reviews(make_study(name="other"))
        with pytest.raises(TrainingError, match="belongs to another study"):
            begun(study, tiny, corpus=other)

    def test_it_refuses_a_corpus_that_was_just_deleted(self, study, tiny):
        corpus = reviews(study)
        Corpus.objects.all().delete()
        corpus.pk = 1
        with pytest.raises(TrainingError, match="was deleted: choose another"):
            begun(study, tiny, corpus=corpus)
        assert not Checkpoint.objects.exists()

    def test_it_names_the_attributes_that_there_are(self, study, tiny):
        with pytest.raises(TrainingError, match='no attribute "mood"; it has: verdict'):
            begun(study, tiny, attribute="mood")


class TestRatings:
    def test_those_of_another_study_are_learned(self, study, lake, tiny):
        aspect = lake.aspects.get(key="coherence")
        assert begun(study, tiny, aspect=aspect).aspect == aspect

    def test_they_are_enough_for_what_could_learn_texts_too(self, study, lake, tiny):
        aspect = lake.aspects.get(key="coherence")
        assert begun(study, tiny, corpus=None, aspect=aspect).corpus is None

    @pytest.mark.parametrize(
        ("learns", "told"),
        [
            ({"texts"}, "does not use ratings"),
            ({"ratings"}, "learns from ratings: cho"),
        ],
    )
    def test_they_are_asked_for_and_refused_as_the_metric_has_it(
        self, study, lake, tiny, monkeypatch, learns, told
    ):
        monkeypatch.setattr(_pupil(), "learns", frozenset(learns))
        aspect = lake.aspects.get(key="coherence") if learns == {"texts"} else None
        corpus = reviews(study) if learns == {"texts"} else None
        with pytest.raises(TrainingError, match=told):
            begun(study, tiny, corpus=corpus, aspect=aspect)

    def test_a_studys_own_ratings_are_refused(self, study, tiny):
        with pytest.raises(TrainingError, match="that it was trained on"):
            begun(study, tiny, aspect=study.aspects.first())

    def test_somebody_elses_ratings_are_refused(self, study, lake, tiny, bob):
        lake.members.update(user=bob)
        with pytest.raises(TrainingError, match="not every member of .* may see"):
            begun(study, tiny, aspect=lake.aspects.get(key="coherence"))

    def test_an_aspect_without_ratings_is_refused(self, study, lake, tiny):
        with pytest.raises(TrainingError, match="no text of lake has both a rating"):
            begun(study, tiny, aspect=lake.aspects.get(key="relevance"))

    def test_so_are_ratings_without_references(self, study, lake, tiny):
        Reference.objects.all().delete()
        with pytest.raises(TrainingError, match="and a reference"):
            begun(study, tiny, aspect=lake.aspects.get(key="coherence"))

    def test_texts_that_both_studies_have_are_named(
        self, study, lake, tiny, monkeypatch
    ):
        monkeypatch.setattr(checks, "NAMED", 2)
        lake.generations.update(text=study.generations.last().full_text)
        with pytest.raises(TrainingError, match="of 0-x-1, 0-y-1 and 3 more: choose"):
            begun(study, tiny, aspect=lake.aspects.get(key="coherence"))


class TestStartOrGoOn:
    def given(self, study, tiny, **changed):
        wished = {"study": study, "metric": "pupil", "name": "first"}
        wished["corpus"] = study.corpora.first() or reviews(study)
        wished["options"] = {"base": str(tiny), "batch": "3"}
        return trainings.start_or_go_on(any_folder=True, **(wished | changed))

    def test_the_same_words_go_on_with_what_was_cancelled(self, study, tiny):
        begun = self.given(study, tiny)
        trainings.cancel(checkpoint=begun)
        assert self.given(study, tiny) == begun
        begun.refresh_from_db()
        assert begun.state == State.QUEUED

    def test_one_that_is_done_or_under_way_stays_as_it_is(self, study, tiny):
        begun = self.given(study, tiny)
        assert self.given(study, tiny) == begun
        Checkpoint.objects.update(state=State.DONE)
        assert self.given(study, tiny, options={}).state == State.DONE
        assert Chunk.objects.count() == 1

    def test_other_words_are_another_training(self, study, tiny):
        self.given(study, tiny)
        with pytest.raises(TrainingError, match="with the option batch 3, not 4"):
            self.given(study, tiny, options={"batch": 4})
        with pytest.raises(TrainingError, match="with the corpus reviews, not none"):
            self.given(study, tiny, corpus=None)


class TestCancelAndRetry:
    def test_cancelling_ends_its_slice_too(self, training):
        trainings.cancel(checkpoint=training)
        assert training.state == State.CANCELLED
        assert training.chunks.get().state == Chunk.State.CANCELLED
        assert slice_queued(training) is None

    def test_what_has_ended_is_not_cancelled(self, done):
        trainings.cancel(checkpoint=done)
        assert done.state == State.DONE

    def test_trying_again_queues_the_slice_with_all_its_attempts(
        self, training, sent, django_capture_on_commit_callbacks
    ):
        Chunk.objects.update(state=Chunk.State.FAILED, attempt=3, error="ill")
        Checkpoint.objects.update(state=State.FAILED, error="ill")
        with django_capture_on_commit_callbacks(execute=True):
            trainings.retry(checkpoint=training)
        (chunk,) = training.chunks.all()
        assert (training.state, training.error) == (State.QUEUED, "")
        assert (chunk.state, chunk.attempt, chunk.error) == ("queued", 0, "")
        assert sent == [chunk.pk]

    @pytest.mark.parametrize("state", [State.QUEUED, State.RUNNING, State.DONE])
    def test_only_what_has_stopped_is_tried_again(self, training, state):
        Checkpoint.objects.update(state=state)
        with pytest.raises(TrainingError, match="only a training that failed or was"):
            trainings.retry(checkpoint=training)

    def test_nor_is_one_whose_corpus_is_gone(self, training):
        trainings.cancel(checkpoint=training)
        corpora.remove(corpus=training.corpus)
        training.refresh_from_db()
        with pytest.raises(TrainingError, match="the corpus reviews, which was delet"):
            trainings.retry(checkpoint=training)
        training.refresh_from_db()
        assert training.state == State.CANCELLED


class TestRemove:
    def test_row_and_folders_go_and_the_log_tells(
        self, done, alice, django_capture_on_commit_callbacks
    ):
        kept = worker.folder_of(done)
        kept.mkdir(parents=True)
        with django_capture_on_commit_callbacks(execute=True):
            trainings.remove(checkpoint=done, user=alice, now=NOON)
        assert not Checkpoint.objects.exists()
        assert not Chunk.objects.exists()
        assert not storage.local(done.stored_as).exists() and not kept.exists()
        event = Event.objects.get(verb="deleted-checkpoint")
        assert (event.user, event.about, event.detail) == (
            alice,
            "first",
            "pupil, done",
        )

    def test_not_while_it_is_under_way(self, training):
        with pytest.raises(TrainingError, match="is running: cancel it first"):
            trainings.remove(checkpoint=training)

    def test_not_while_a_run_uses_it(self, study, done):
        runs.start(study=study, metric="pupil", options={"model": done.key})
        with pytest.raises(TrainingError, match="a run is using checkpoint:fer"):
            trainings.remove(checkpoint=done)

    def test_not_while_another_training_begins_with_it(self, study, done, tiny):
        begun(study, tiny, name="second", base=done.key)
        with pytest.raises(TrainingError, match="a training is using"):
            trainings.remove(checkpoint=done)

    def test_not_while_a_probe_uses_it(self, study, done):
        Probe.objects.create(
            study=study, corpus=done.corpus, options={"models": ["x", done.key]}
        )
        with pytest.raises(TrainingError, match="a probe is using"):
            trainings.remove(checkpoint=done)

    def test_what_is_gone_already_may_be_deleted_again(self, done):
        Checkpoint.objects.all().delete()
        trainings.remove(checkpoint=done)

    def test_a_corpus_stays_while_a_training_is_at_work_with_it(self, training):
        with pytest.raises(corpora.CorpusError, match="A training is using"):
            corpora.remove(corpus=training.corpus)
        Checkpoint.objects.update(state=State.DONE)
        corpora.remove(corpus=training.corpus)
        training.refresh_from_db()
        assert training.corpus is None


class TestRefresh:
    def test_a_training_ends_with_the_error_of_its_slice(self, training):
        Checkpoint.objects.update(state=State.RUNNING)
        Chunk.objects.update(
            state=Chunk.State.RUNNING, attempt=3, owner="gone/1/x", lease_until=NOON
        )
        pulse.once(owner="here/1/a", now=NOON)
        training.refresh_from_db()
        assert (training.state, training.finished_at) == (State.FAILED, NOON)
        assert "the worker died at this chunk 3 times" in training.error

    def test_the_slice_of_a_dead_worker_is_queued_again(self, training, sent):
        Chunk.objects.update(
            state=Chunk.State.RUNNING, attempt=1, owner="gone/1/x", lease_until=NOON
        )
        pulse.once(owner="here/1/a", now=NOON)
        (chunk,) = training.chunks.all()
        assert (chunk.state, sent) == (Chunk.State.QUEUED, [chunk.pk])

    def test_one_that_is_tried_again_meanwhile_is_left_alone(self, training):
        worker.end(checkpoint_id=training.pk, now=NOON)
        training.refresh_from_db()
        assert training.state == State.QUEUED

    def test_nothing_else_is_touched(self, done):
        trainings.end_all(now=NOON)
        done.refresh_from_db()
        assert (done.state, done.finished_at) == (State.DONE, None)

    @pytest.mark.parametrize("state", [State.DONE, State.CANCELLED])
    def test_folders_that_no_training_needs_are_deleted_a_day_later(self, done, state):
        Checkpoint.objects.update(state=state)
        root, work = storage.local("checkpoints"), worker.folder_of(done)
        orphans = [root / ".unfinished" / "999999", root / "gone" / "first"]
        kept = [storage.local(done.stored_as)]
        (orphans if state == State.DONE else kept).append(work)
        for place in (*orphans, *kept):
            place.mkdir(parents=True, exist_ok=True)
            os.utime(place, (NOON.timestamp(), NOON.timestamp()))
        trainings.tidy(now=NOON + timedelta(hours=23))
        assert all(place.exists() for place in orphans)
        trainings.tidy(now=NOON + timedelta(hours=25))
        assert not any(place.exists() for place in orphans)
        assert all(place.exists() for place in kept)


class TestProgress:
    def test_it_tells_how_far_it_is_and_how_long_it_takes(self, training):
        training.state, training.stage = State.RUNNING, "training"
        training.step, training.steps, training.seconds = 25, 100, 50.0
        found = trainings.progress(training, now=NOON)
        assert (found.share, found.seconds_left, found.workers) == (0.25, 150.0, 0)
        assert not found.ended

    def test_at_the_beginning_nothing_is_known(self, training):
        found = trainings.progress(training)
        assert (found.share, found.seconds_left) == (0.0, None)

    def test_at_the_end_all_is_done(self, done):
        found = trainings.progress(done)
        assert (found.share, found.ended, found.seconds_left) == (1.0, True, None)


def slice_queued(training):
    return training.chunks.filter(state=Chunk.State.QUEUED).first()


def _pupil():
    from scoring import metrics

    return metrics.get("pupil")


class TestATestCorpus:
    def start(self, study, tiny, **more):
        options = {"base": str(tiny), "aspect": "attribute", "attribute": "verdict"}
        return trainings.start(
            study=study,
            metric="disscore",
            name="d",
            options=options,
            any_folder=True,
            corpus=study.corpora.get(name="reviews"),
            **more,
        )

    @pytest.fixture
    def official(self, study):
        reviews(study)
        return reviews(study, name="official")

    def test_it_is_kept_with_the_training(self, study, tiny, official):
        made = self.start(study, tiny, test=official)
        assert made.test == official
        assert made.chunks.get().details["test"] == "the test corpus official"

    def test_nobody_deletes_it_meanwhile(self, study, tiny, official):
        self.start(study, tiny, test=official)
        with pytest.raises(corpora.CorpusError, match="A training is using"):
            corpora.remove(corpus=official)

    def test_it_is_another_than_what_is_learned(self, study, tiny, official):
        with pytest.raises(TrainingError, match="choose another test corpus"):
            self.start(study, tiny, test=study.corpora.get(name="reviews"))

    def test_it_has_the_column_of_the_labels(self, study, tiny, official):
        Corpus.objects.filter(name="official").update(attributes=["mood"])
        official.refresh_from_db()
        with pytest.raises(TrainingError, match="official has no attribute"):
            self.start(study, tiny, test=official)

    def test_a_metric_without_accuracy_takes_none(self, study, tiny, official):
        with pytest.raises(TrainingError, match="does not use a test corpus"):
            begun(study, tiny, test=official)

    def test_a_training_goes_on_with_the_same_one_only(self, study, tiny, official):
        self.start(study, tiny, test=official)
        with pytest.raises(
            TrainingError, match="started with the test corpus official"
        ):
            trainings.start_or_go_on(
                study=study,
                metric="disscore",
                name="d",
                options={},
                corpus=study.corpora.get(name="reviews"),
            )
