from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.utils import timezone

from annotation import human_scores
from annotation.models import Seat, Study
from annotation.simulation.sample import known_truth
from scoring import demo
from scoring.metrics._engine import models
from scoring.models import MetricRun


@pytest.fixture(scope="class")
def made(django_db_setup, django_db_blocker) -> Iterator[int]:
    """The sample study, made once, outside the transactions of the tests."""
    with django_db_blocker.unblock():
        user, _ = demo.researcher()
        study = demo.rated_study(owner=user, now=timezone.now())
    yield study.pk
    with django_db_blocker.unblock():
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture(scope="class")
def made_known(django_db_setup, django_db_blocker) -> Iterator[int]:
    """As `made`, the study whose truth is known."""
    with django_db_blocker.unblock():
        user, _ = demo.researcher()
        study = demo.known_study(owner=user, now=timezone.now())
    yield study.pk
    with django_db_blocker.unblock():
        call_command("flush", interactive=False, verbosity=0)


@pytest.mark.django_db
class TestRated:
    @pytest.fixture
    def rated(self, made) -> Study:
        return Study.objects.get(pk=made)

    def test_the_sample_study_is_complete_and_says_that_it_is_simulated(
        self, rated
    ) -> None:
        scores = human_scores.means(study=rated)
        assert scores.n_ratings.shape == (96, 3)
        assert (scores.n_ratings == demo.RATINGS_PER_TEXT).all()
        assert rated.simulated
        assert rated.state == Study.State.CLOSED

    def test_every_demo_shows_the_same_discards_and_the_same_order_of_systems(
        self, rated
    ) -> None:
        seats = Seat.objects.filter(survey__study=rated)
        discarded = seats.filter(state=Seat.State.DISCARDED)
        careless = discarded.filter(worker__external_id__contains="careless")
        # 21 of the 33 pages of those who do not read, and none of anyone else.
        assert (discarded.count(), careless.count()) == (21, 21)
        scores = human_scores.means(study=rated)
        of = dict(rated.generations.values_list("pk", "system__name"))
        mean = {
            name: scores.values[[of[pk] == name for pk in scores.generations]].mean()
            for name in ("plain", "rambling", "drifting", "broken")
        }
        assert sorted(mean, key=lambda name: -mean[name]) == list(mean)

    def test_nothing_of_it_lies_in_the_future(self, rated) -> None:
        seats = Seat.objects.filter(survey__study=rated)
        assert not seats.filter(submitted_at__gt=timezone.now()).exists()

    def test_a_second_demo_adds_nothing(self, rated) -> None:
        before = Seat.objects.count()
        assert demo.rated_study(owner=rated.owner, now=timezone.now()) == rated
        assert Seat.objects.count() == before

    def test_what_a_bundled_model_scored_is_not_scored_again(
        self, rated, tmp_path, monkeypatch
    ) -> None:
        monkeypatch.setattr(models, "BUNDLED", tmp_path)
        (tmp_path / "causal-small").mkdir()
        (tmp_path / "causal-small" / "config.json").touch()
        options = {"model": "bundled:causal-small", "tokens": "all"}
        MetricRun.objects.create(
            study=rated,
            metric="perplexity",
            state=MetricRun.State.DONE,
            options=options,
        )
        wanted = [metric for metric, _ in demo.missing_runs(rated, "", "")]
        assert "perplexity" not in wanted

    def test_its_gaps_are_filled_by_the_smallest_model(
        self, rated, tmp_path, monkeypatch
    ) -> None:
        monkeypatch.setattr(models, "BUNDLED", tmp_path)
        for name in ("infill-small", "infill-nano"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "config.json").touch()
        found = {o["model"] for _, o in demo.missing_runs(rated, "", "") if o}
        assert found == {"bundled:infill-nano"}

    def test_each_metric_scores_texts_and_then_damaged_ones(
        self, rated, tmp_path, monkeypatch
    ) -> None:
        monkeypatch.setattr(models, "BUNDLED", tmp_path)
        demo.start_runs(study=rated, model="", iwf="")
        found = [(run.metric, run.on) for run in demo.unfinished_runs(rated)]
        assert found == [
            (metric, on)
            for metric in demo.WITHOUT_WEIGHTS
            for on in ("texts", "negatives")
            if (metric, on) != ("corpus_distinct", "negatives")  # it scores systems
        ]

    def test_what_waits_for_a_worker_is_not_queued_twice(
        self, rated, tmp_path, monkeypatch
    ) -> None:
        monkeypatch.setattr(models, "BUNDLED", tmp_path)
        demo.start_runs(study=rated, model="", iwf="")
        before = rated.runs.count()
        demo.start_runs(study=rated, model="", iwf="")
        assert rated.runs.count() == before

    def test_what_failed_is_queued_again(self, rated, tmp_path, monkeypatch) -> None:
        monkeypatch.setattr(models, "BUNDLED", tmp_path)
        MetricRun.objects.create(
            study=rated, metric="length", state=MetricRun.State.FAILED, options={}
        )
        wanted = [metric for metric, _ in demo.missing_runs(rated, "", "")]
        assert "length" in wanted

    def test_what_was_scored_is_not_scored_again(
        self, rated, tmp_path, monkeypatch
    ) -> None:
        monkeypatch.setattr(models, "BUNDLED", tmp_path)
        MetricRun.objects.create(
            study=rated, metric="length", state=MetricRun.State.DONE, options={}
        )
        wanted = [metric for metric, _ in demo.missing_runs(rated, "", "")]
        assert wanted == ["distinct", "repetition", "corpus_distinct"]


@pytest.mark.django_db
class TestKnownTruth:
    @pytest.fixture
    def known(self, made_known) -> Study:
        return Study.objects.get(pk=made_known)

    def test_raters_see_the_truth_through_noise(self, known) -> None:
        scores = human_scores.means(study=known)
        assert (scores.n_ratings == demo.RATINGS_PER_TEXT).all()
        truth = {v.key: v.truth for v in known_truth.versions()}
        keys = dict(known.generations.values_list("pk", "key"))
        known_values = np.array([truth[keys[pk]] for pk in scores.generations])
        for column, aspect in enumerate(("fluency", "consistency")):
            found = scores.values[:, scores.aspects.index(aspect)]
            r = np.corrcoef(known_values[:, column], found)[0, 1]
            assert 0.9 < r < 0.999

    def test_all_that_careless_workers_do_is_discarded_and_nothing_else(
        self, known
    ) -> None:
        seats = Seat.objects.filter(survey__study=known)
        careless = seats.filter(worker__external_id__contains="careless")
        discarded = seats.filter(state=Seat.State.DISCARDED)
        assert careless.count() == 16
        assert set(discarded) == set(careless)

    def test_only_metrics_that_tell_something_about_it_are_wanted(self, known) -> None:
        wanted = [metric for metric, _ in demo.missing_runs(known, "", "")]
        assert wanted == ["length", "distinct", "ctrleval", "bartscore", "perplexity"]

    def test_a_second_demo_adds_nothing(self, known) -> None:
        before = Seat.objects.count()
        assert demo.known_study(owner=known.owner, now=timezone.now()) == known
        assert Seat.objects.count() == before


@pytest.mark.slow
def test_an_interrupted_demo_goes_on(db) -> None:
    user, _ = demo.researcher()
    demo.open_study(name=demo.RATED, owner=user)
    study = demo.rated_study(owner=user, now=timezone.now())
    assert study.state == Study.State.CLOSED
    assert human_scores.means(study=study).generations.size == 96


def test_the_study_to_try_is_open_and_unrated(db) -> None:
    user, _ = demo.researcher()
    study = demo.open_study(name=demo.UNRATED, owner=user)
    assert (study.state, study.simulated) == (Study.State.OPEN, False)
    assert not Seat.objects.exists()
    assert all(label.verbalizers for label in study.labels.all())


def test_each_demo_has_its_own_password_and_no_rights_of_staff(db) -> None:
    user, old = demo.researcher()
    user, new = demo.researcher()
    assert old != new
    assert authenticate(username=demo.USER, password=old) is None
    assert authenticate(username=demo.USER, password=new) == user
    assert not (user.is_staff or user.is_superuser)


@pytest.mark.parametrize(
    ("encoder_decoder", "metric", "options"),
    [
        (True, "ctrleval", {"weighting": "mean"}),
        (False, "perplexity", {}),
    ],
)
def test_a_model_is_used_for_what_it_can_do(
    tmp_path, encoder_decoder, metric, options
) -> None:
    config = {"is_encoder_decoder": encoder_decoder}
    (tmp_path / "config.json").write_text(json.dumps(config))
    model = str(tmp_path)
    assert demo.wanted_runs(model, "")[-1] == (metric, {"model": model, **options})


def test_bundled_models_are_used_once_they_are_there(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(models, "BUNDLED", tmp_path)
    assert [metric for metric, _ in demo.wanted_runs("", "")] == [*demo.WITHOUT_WEIGHTS]
    for name in ("infill-small", "causal-small"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").touch()
    assert demo.wanted_runs("", "")[-3:] == [
        ("ctrleval", {"model": "bundled:infill-small"}),
        ("bartscore", {"model": "bundled:infill-small", "directions": "source"}),
        ("perplexity", {"model": "bundled:causal-small"}),
    ]


def test_a_pair_of_models_is_used_once_both_are_there(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(models, "BUNDLED", tmp_path)
    for name in ("causal-small", "causal-nano"):
        assert "cdm" not in [metric for metric, _ in demo.wanted_runs("", "")]
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").touch()
    options = {"expert": "bundled:causal-small", "amateur": "bundled:causal-nano"}
    assert demo.wanted_runs("", "")[-1] == ("cdm", options)
