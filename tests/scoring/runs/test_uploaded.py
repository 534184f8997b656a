from __future__ import annotations

import hashlib
import io

import pytest
from django.db import transaction

from annotation.imports import UploadError
from scoring import runs
from scoring.models import MetricRun, Score, Signature
from scoring.results import overview
from scoring.runs import uploaded
from tests.support.scored import rate

pytestmark = pytest.mark.django_db

HEADER = "key,output,value,direction"


def add(study, content: str, **given) -> list[MetricRun]:
    file = io.BytesIO(content.encode())
    return uploaded.add(study=study, file=file, file_name="scores.csv", **given)


def refused(study, content: str) -> list[str]:
    before = Score.objects.count(), MetricRun.objects.count(), Signature.objects.count()
    with pytest.raises(UploadError) as error:
        add(study, content)
    assert before == (
        *(Score.objects.count(), MetricRun.objects.count()),
        Signature.objects.count(),
    )
    return error.value.lines


def test_two_columns_of_texts_with_one_name_are_told(make_study):
    scores = [("0-a-1", "bleu-1", 0.5), ("0-a-1", "bleu_1", 0.25)]
    given = {"file_name": "x.csv", "sha256": "0" * 64, "piece": transaction.atomic}
    with pytest.raises(UploadError, match='"bleu_1" of "0-a-1" is there twice'):
        uploaded.add_columns(study=make_study(), scores=scores, **given)


def test_scores_stand_under_a_signature_that_names_the_file(make_study):
    study = make_study()
    content = (
        f"{HEADER},metric,signature\n"
        "0-a-1,quality,0.25,higher,comet,model:wmt22\n"
        "0-b-1,quality,,higher,comet,model:wmt22\n"
    )
    (run,) = add(study, content)
    digest = hashlib.sha256(content.encode()).hexdigest()[:16]
    assert run.signature.text == f"uploaded|comet|model:wmt22|file:sha256:{digest}"
    assert run.metric == run.signature.metric == "comet"
    first, second = Score.objects.order_by("generation__key")
    assert (first.generation.key, first.value, first.reason) == ("0-a-1", 0.25, "")
    assert (second.value, second.reason) == (None, "no value in the uploaded file")


def test_the_run_is_done_like_any_other(make_study, alice):
    (run,) = add(
        make_study(), f"{HEADER}\n0-a-1,q,1,higher\n0-b-1,q,2,higher\n", user=alice
    )
    progress = runs.progress(run=run)
    assert (run.ended, run.created_by) == (True, alice)
    assert (progress.done, progress.total, progress.failed) == (2, 2, 0)
    assert run.metric == "uploaded"
    assert run.options["file"] == "scores.csv"


def test_each_metric_and_signature_is_a_run_of_its_own(make_study):
    made = add(
        make_study(),
        f"{HEADER},metric,signature\n0-a-1,q,1,higher,x,\n0-a-1,q,2,higher,x,seed:2\n"
        "0-a-1,q,3,lower,y,\n0-a-1,r,4,closeness,y,\n",
    )
    assert [run.metric for run in made] == ["x", "x", "y"]
    outputs = [
        (output["key"], output["higher_is_better"])
        for run in made
        for output in run.signature.outputs
    ]
    assert outputs == [("q", True), ("q", True), ("q", False), ("r", None)]


def test_they_are_correlated_with_the_aspect_of_the_same_name(make_study):
    study = make_study(prompts=1)
    rate(study, "coherence", [[1], [2], [3], [5]])
    rows = "".join(f"0-{s},coherence,-{i},lower\n" for i, s in enumerate(SYSTEMS))
    add(study, f"{HEADER}\n{rows}")
    row = overview.now(study=study)["correlations"][0]
    assert (row["metric"], row["metric_aspect"], row["human_aspect"]) == (
        *("uploaded", "coherence", "coherence"),
    )
    assert row["spearman"] == pytest.approx(1)


@pytest.mark.parametrize("output", ["attribute-relevance", "attribute_relevance"])
@pytest.mark.parametrize("aspect", ["attribute-relevance", "attribute_relevance"])
def test_words_of_a_key_may_be_joined_either_way(make_study, output, aspect):
    study = make_study(aspects=(aspect,))
    (run,) = add(study, f"{HEADER}\n0-a-1,{output},1,higher\n")
    [found] = run.signature.outputs
    assert (found["key"], found["measures"]) == ("attribute_relevance", aspect)
    assert found["title"] == "Attribute relevance"
    assert Score.objects.get().output == "attribute_relevance"


def test_two_spellings_of_one_output_are_a_duplicate(make_study):
    content = f"{HEADER}\n0-a-1,a-b,1,higher\n0-a-1,a_b,2,higher\n"
    [said] = refused(make_study(), content)
    assert "duplicate" in said


SYSTEMS = ("a-1", "b-1", "c-1", "d-1")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("nobody,q,1,higher", 'line 2: no text of the study has the key "nobody"'),
        (",q,1,higher", 'line 2: "key" is empty'),
        ("0-a-1,,1,higher", 'line 2: output "" must be up to 64 letters'),
        ("0-a-1,q/../r,1,higher", 'line 2: output "q/../r" must be'),
        ("0-a-1,q,good,higher", 'line 2: value must be a number or empty, not "good"'),
        ("0-a-1,q,inf,higher", "line 2: value must be a number"),
        ("0-a-1,q,1,up", "line 2: direction must be higher, lower, closeness, not"),
        (
            "0-a-1,q,1,higher\n0-a-1,q,2,higher",
            'line 3: duplicate: "q" of "0-a-1" is also on line 2',
        ),
        (
            "0-a-1,q,1,higher\n0-b-1,q,2,lower",
            'line 3: direction of "q" is "lower" here, but "higher" on line 2',
        ),
        ("", "The file has no scores."),
    ],
)
def test_what_cannot_be_is_refused(make_study, rows, said):
    assert refused(make_study(), f"{HEADER}\n{rows}\n")[0].startswith(said)


def test_all_errors_are_told_at_once(make_study):
    lines = refused(make_study(), f"{HEADER}\nx,q,1,up\n0-a-1,q,y,up\n")
    assert [line[:7] for line in lines] == ["line 2:"] * 2 + ["line 3:"] * 2


def test_a_missing_column_is_named(make_study):
    assert refused(make_study(), "key,value\n0-a-1,1\n") == [
        'line 1: column "output" is missing',
    ]


def test_the_name_of_a_metric_of_ours_is_refused(make_study, monkeypatch):
    monkeypatch.setattr("scoring.metrics.names", lambda: ["length"])
    (line,) = refused(make_study(), f"{HEADER},metric\n0-a-1,q,1,higher,length\n")
    assert line == 'line 2: metric "length" is computed by EvalApp: use another name'


def test_the_same_file_is_taken_once_for_a_study(make_study):
    study, content = make_study(), f"{HEADER}\n0-a-1,q,1,higher\n"
    add(study, content)
    assert refused(study, content)[0].startswith("The study already has these scores")
    MetricRun.objects.all().delete()
    add(study, content)
    assert Score.objects.count() == 1


def test_two_studies_may_share_a_file(make_study):
    content = f"{HEADER}\n0-a-1,q,1,higher\n"
    made = [add(make_study(name=name), content)[0] for name in ("one", "two")]
    assert made[0].signature == made[1].signature
    assert Score.objects.count() == 2


def test_a_file_with_an_output_for_each_row_is_refused(make_study):
    rows = (f"0-a-1,q{number},1,higher" for number in range(101))
    (line,) = refused(make_study(), "\n".join([HEADER, *rows]))
    assert line.startswith("The file has 101 outputs. The most it may have is 100")


def test_numbers_that_no_database_can_add_up_are_refused(make_study):
    (line,) = refused(make_study(), f"{HEADER}\n0-a-1,quality,-1e308,higher\n")
    assert line == "line 2: value -1e+308 is larger than 1e+100"


def test_a_long_row_of_digits_is_refused_and_freezes_nobody(make_study):
    (said,) = refused(make_study(), f"{HEADER}\n0-a-1,q,{'1' * 100_000}!,higher\n")
    assert said.startswith('line 2: value must be a number or empty, not "111')


def test_it_is_noted_in_the_log(make_study, alice):
    study = make_study()
    add(study, f"{HEADER}\n0-a-1,q,1,higher\n", user=alice)
    event = study.events.get(verb="added-scores")
    assert (event.user, event.about, event.detail) == (alice, "scores.csv", "1 score")


class TestWithoutDirections:
    """The file does not say which way is better: it is proposed, and asked."""

    TABLE = "key,output,value\n0-a-1,loss,1\n0-a-1,quality,2\n"

    def read(self, study) -> uploaded.Checked:
        file = io.BytesIO(self.TABLE.encode())
        return uploaded.read(study=study, file=file, file_name="scores.csv")

    def test_it_is_proposed_by_the_name(self, make_study):
        checked = self.read(make_study())
        found = {one.output: one.value for one in checked.directions()}
        assert found == {"loss": "lower", "quality": "higher"}
        assert "By their names: loss: lower, quality: higher." in checked.doubt

    def test_where_nobody_can_be_asked_nothing_is_stored(self, make_study):
        with pytest.raises(UploadError, match="does not say which way"):
            add(make_study(), self.TABLE)

    def test_nobody_has_confirmed_ids_by_it(self, make_study):
        (run,) = self.read(make_study()).store()
        assert uploaded.CONFIRMED not in run.options

    def test_an_output_with_and_without_one_is_told(self, make_study):
        rows = "0-a-1,q,1,lower\n0-b-1,q,2,\n"
        with pytest.raises(UploadError, match='direction of "q" is "higher" here'):
            add(make_study(), f"key,output,value,direction\n{rows}")
