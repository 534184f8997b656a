"""One run on the negatives for each metric that scored the texts."""

from __future__ import annotations

import io

import pytest

from annotation.models import Seat
from annotation.quality import checked_pages, diagnosing
from scoring import runs
from scoring.metrics.length import lengths
from scoring.models import MetricRun, NegativeScore, Signature
from scoring.results import study_arrays
from scoring.runs import negatives, uploaded
from tests.annotation.seating import NOON, hand_in, lay_out, sit
from tests.scoring import analysed
from tests.scoring.working import work
from tests.support.scored import COHERENCE, score

UPLOAD = b"key,output,value,direction\n0-a-1,quality,0.5,higher\n"


@pytest.fixture
def study(make_study):
    study = make_study()
    lay_out(study)
    return study


def scored(study, metric="length") -> MetricRun:
    run = runs.start(study=study, metric=metric, options={})
    work(run)
    return run


def metric(study) -> negatives.Metric:
    (found,) = negatives.metrics(study=study)
    return found


def start(study) -> list[MetricRun]:
    started, problems = negatives.start_missing(study=study)
    assert not problems
    return started


def test_it_takes_the_options_that_the_texts_were_scored_with(study):
    made = runs.start(study=study, metric="repetition", options={"window": 8})
    work(made)
    (run,) = start(study)
    assert (run.on, run.options) == ("negatives", made.options)
    work(run)
    assert run.signature == made.signature
    assert metric(study).missing == 0 and not metric(study).wanted


def test_each_metric_gets_its_own_run(study):
    scored(study, "length")
    scored(study, "distinct")
    assert {run.metric for run in start(study)} == {"length", "distinct"}


def test_nothing_is_started_twice(study):
    scored(study)
    (run,) = start(study)
    assert metric(study).under_way and not metric(study).wanted
    assert start(study) == []
    work(run)
    assert start(study) == []


def test_new_negatives_are_scored_by_another_run(study):
    scored(study)
    work(start(study)[0])
    NegativeScore.objects.filter(negative__survey__number=2).delete()
    assert metric(study).missing == 1
    work(start(study)[0])
    assert metric(study).missing == 0


def test_a_run_that_failed_may_be_followed_by_another(study):
    scored(study)
    (run,) = start(study)
    runs.cancel(run=run)
    assert metric(study).stopped and metric(study).wanted
    assert len(start(study)) == 1


def test_uploaded_scores_cannot_be_added_to(study):
    uploaded.add(study=study, file=io.BytesIO(UPLOAD), file_name="scores.csv")
    assert metric(study).reason == negatives.NOT_OURS
    assert start(study) == []


def test_scores_without_a_run_say_that_their_options_are_gone(study):
    score(study, COHERENCE, [0.5] * 8, metric="ctrleval", signature="ctrleval|v:0")
    assert metric(study).reason == negatives.NO_RUN


def test_options_that_give_another_signature_are_not_tried_forever(study):
    """As after an update: what scored the texts is not what is there now."""
    made = scored(study)
    older = Signature.objects.create(
        digest="older", text="length|v:0", metric="length", outputs=[]
    )
    made.signature.scores.update(signature=older)
    MetricRun.objects.filter(pk=made.pk).update(signature=older)
    work(start(study)[0])
    assert metric(study).reason == negatives.OTHER
    assert start(study) == []
    scored(study)  # with what is there now, under its own signature
    assert [one.missing for one in negatives.metrics(study=study)] == [0, 2]


def test_without_negatives_no_metric_is_listed(make_study):
    study = make_study()
    scored(study)
    assert negatives.metrics(study=study) == []


def test_one_that_cannot_start_stops_no_other(study, monkeypatch):
    scored(study, "distinct")
    scored(study, "length")
    real = runs.start

    def refuse(*, metric, **given):
        if metric == "distinct":
            raise runs.RunError("no room")
        return real(metric=metric, **given)

    monkeypatch.setattr("scoring.runs.starting.start", refuse)
    started, problems = negatives.start_missing(study=study)
    assert [run.metric for run in started] == ["length"]
    assert problems == ["distinct: no room"]


def test_lengths_of_negatives_need_no_run(study):
    data = study_arrays.load(study=study, needs={"scores", "negatives"})
    expected = lengths("Once upon a time 0 damaged")
    columns = [output.key for output in data.outputs]
    assert columns == list(expected)
    assert data.negative_scores.tolist() == [list(expected.values())] * 2


def test_people_notice_as_much_as_quality_control_says(study):
    """Two independent counts: that of the quality page, and that of the diagnosis."""
    for name, careful in (("w1", True), ("w2", True), ("w3", True), ("w4", False)):
        hand_in(sit(study, name), careful=careful)
    result = analysed.computed(study, "diagnosis")
    found = result["people"]["judged"][-1]["points"]
    seats = Seat.objects.filter(state__in=["valid", "discarded"])
    pages = checked_pages.read(study=study, seats=seats, now=NOON)
    (works,) = diagnosing.perturbations(study=study, pages=pages)
    assert found["value"] == pytest.approx(works.hurt.value) != 0
    assert (works.pages, result["n_pages"], result["n_discarded"]) == (4, 4, 1)
