"""Which way scores from elsewhere are better can be said afterwards."""

from __future__ import annotations

import io

import pytest

from annotation.imports import UploadError
from scoring.models import MetricRun, Score, Signature, SystemScore
from scoring.results import study_arrays
from scoring.runs import directions, uploaded, uploaded_systems
from tests.annotation.seating import LATER

pytestmark = pytest.mark.django_db

HEAD = "key,output,value,direction\n"
SCORES = f"{HEAD}0-a-1,loss,1,higher\n0-a-1,quality,2,higher\n"
SYSTEMS = "system,name,value\na,toxicity,1\nb,toxicity,2\n"


@pytest.fixture
def study(make_study):
    return make_study()


def scored(study) -> MetricRun:
    file = io.BytesIO(SCORES.encode())
    (run,) = uploaded.add(study=study, file=file, file_name="scores.csv")
    return run


def change(run, **words: str) -> list[str]:
    return directions.change(run=run, directions=words, now=LATER)


def better(run) -> dict[str, bool | None]:
    run.refresh_from_db()
    return {one["key"]: one["higher_is_better"] for one in run.signature.outputs}


def test_one_output_is_turned_and_the_others_stay(study):
    run = scored(study)
    assert change(run, loss="lower", quality="higher") == ["loss: lower is better"]
    assert better(run) == {"loss": False, "quality": True}
    values = {one.output: one.value for one in Score.objects.all()}
    assert values == {"loss": 1, "quality": 2}
    assert set(Score.objects.values_list("signature", flat=True)) == {run.signature_id}


def test_results_are_computed_anew(study):
    run = scored(study)
    before = study_arrays.stamp(study=study)
    change(run, loss="lower")
    assert study_arrays.stamp(study=study) != before
    outputs = study_arrays.outputs(study=study)
    assert {one.key: one.higher_is_better for one in outputs}["loss"] is False


def test_the_same_file_in_another_study_stays_as_it_is(study, make_study):
    run, other = scored(study), scored(make_study(name="other"))
    assert run.signature == other.signature
    change(run, loss="lower")
    assert better(other) == {"loss": True, "quality": True}
    assert Score.objects.filter(signature=other.signature_id).count() == 2


def test_there_and_back_leads_to_a_signature_that_says_so(study):
    run = scored(study)
    change(run, loss="lower")
    assert "|direction:loss=lower|file:" in run_text(run)
    change(run, loss="higher")
    assert run_text(run).count("direction:loss") == 1
    assert better(run)["loss"] is True


def run_text(run) -> str:
    run.refresh_from_db()
    return run.signature.text


def test_numbers_of_systems_are_turned_too(study):
    file = io.BytesIO(SYSTEMS.encode())
    (run,) = uploaded_systems.add(study=study, file=file, file_name="t.csv")
    assert better(run) == {"toxicity": False}
    change(run, toxicity="higher")
    assert better(run) == {"toxicity": True}
    assert SystemScore.objects.filter(signature=run.signature_id).count() == 2


def test_it_is_noted_in_the_log(study, alice):
    run = scored(study)
    directions.change(run=run, directions={"loss": "lower"}, now=LATER, user=alice)
    event = study.events.get(verb="changed-direction")
    assert (event.user, event.detail) == (alice, "loss: lower is better")
    assert event.about == f"uploaded, run {run.pk}"


def test_nothing_is_written_where_nothing_changes(study):
    run = scored(study)
    assert change(run, loss="higher", nobody="lower", quality="sideways") == []
    assert not study.events.filter(verb="changed-direction").exists()
    assert Signature.objects.count() == 1


def test_scores_that_the_study_has_that_way_already_are_not_doubled(study):
    run = scored(study)
    change(run, loss="lower")
    with pytest.raises(UploadError, match="already has these scores"):
        scored(study)


def test_nor_those_of_another_run_by_a_second_change(study):
    run = scored(study)
    original = run.signature
    change(run, loss="lower")
    other = MetricRun.objects.create(
        study=study, metric="uploaded", signature=original, state="done"
    )
    with pytest.raises(directions.NotChanged, match="already, in another run"):
        change(other, loss="lower")
    assert better(other)["loss"] is True


def test_what_a_metric_of_ours_gives_is_not_changed(study):
    signature = Signature.objects.create(digest="x", text="bleu|v:1", outputs=[])
    run = MetricRun(study=study, metric="bleu", signature=signature, state="done")
    assert directions.changeable(run) == []


class TestThePage:
    @pytest.fixture
    def run(self, study, client, alice):
        client.force_login(alice)
        return scored(study)

    def test_it_has_a_select_for_each_output(self, run, client):
        page = client.get(run.get_absolute_url()).content.decode()
        assert "Change which way is better" in page
        sent = {"direction-0": "lower", "direction-1": "closeness"}
        answer = client.post(f"{run.get_absolute_url()}directions/", sent, follow=True)
        assert "Changed: loss: lower is better" in answer.content.decode()
        assert better(run) == {"loss": False, "quality": None}

    @pytest.mark.parametrize("sent", [{}, {"direction-0": "<x>", "direction-1": ""}])
    def test_what_is_no_direction_is_refused(self, run, client, sent):
        answer = client.post(f"{run.get_absolute_url()}directions/", sent, follow=True)
        assert "Choose a direction for each score." in answer.content.decode()
        assert better(run) == {"loss": True, "quality": True}
