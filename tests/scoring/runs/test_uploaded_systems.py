"""Published tables of systems: imported as they are, and correlated as they are."""

import csv
import io
import json

import pytest

from annotation.imports import UploadError
from scoring.models import SystemScore
from scoring.results import study_arrays
from scoring.runs import published, systems, uploaded_systems
from tests.support import shared

SMALL = """system,name,value,direction,metric,low,high
a,human_like,3,,people,2,4
b,human_like,2,,people,,
c,human_like,1,,people,,
a,loss,0.5,lower,theirs,,
b,loss,0.7,lower,theirs,,
c,loss,0.9,lower,theirs,,
"""


@pytest.fixture
def study(make_study):
    return make_study()


def add(study, text):
    return uploaded_systems.add(
        study=study, file=io.BytesIO(text.encode()), file_name="table.csv"
    )


def agreement(run):
    table = systems.of(run).tables["people"]
    return {
        (people, metric): (n, *(cell.value for cell in cells))
        for people, metric, n, *cells in table.rows
    }


def mauve_table():
    """The published MAUVE and Bradley-Terry strengths as one csv file."""
    path = shared.path("data/mauve_human_eval/bt_scores_from_notebook.json")
    found = json.loads(path.read_text())
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["system", "name", "value", "metric"])
    for name, value in found["mauve"].items():
        writer.writerow([name, "mauve", value, "published"])
    for aspect in ("human_like", "sensible", "interesting"):
        for name, value in found[f"bt_{aspect}"].items():
            writer.writerow([name, aspect, value, "people"])
    return out.getvalue(), found["published_spearman"]


def test_mauve_and_people_correlate_as_published(study):
    text, expected = mauve_table()
    runs = {run.metric: run for run in add(study, text)}
    found = {name: row for (name, _), row in agreement(runs["people"]).items()}
    for aspect, rho in expected.items():
        title = aspect.replace("_", " ").capitalize()
        n, spearman, *_ = found[title]
        assert n == 8
        assert spearman == pytest.approx(rho, abs=1e-12)


def test_systems_that_the_study_lacks_are_made(study):
    before = set(study.systems.values_list("name", flat=True))
    add(study, SMALL)
    after = set(study.systems.values_list("name", flat=True))
    assert after == before | {"a", "b", "c"}


def test_where_lower_is_better_agreement_is_positive(study):
    people, metric = add(study, SMALL)
    assert (people.metric, metric.metric) == ("people", "theirs")
    ((n, spearman, kendall, _),) = agreement(people).values()
    assert (n, spearman, kendall) == (3, pytest.approx(1), pytest.approx(1))
    assert "people" not in systems.of(metric).tables


def test_intervals_stand_beside_the_numbers(study):
    people, _ = add(study, SMALL)
    (row,) = published.tables(people)["intervals"].rows
    assert (row[0], row[1], row[2].value, row[3].value) == ("human like", "a", 2, 4)


def test_the_page_of_the_run_shows_the_agreement(study, client, alice):
    client.force_login(alice)
    people, _ = add(study, SMALL)
    shown = client.get(people.get_absolute_url()).content.decode()
    assert "Agreement of metrics with these numbers" in shown
    assert published.FEW_SYSTEMS in shown


def test_a_name_says_which_way_is_better_where_the_file_does_not(study):
    rows = "system,name,value\na,toxicity,1\na,fluency,1\n"
    file = io.BytesIO(rows.encode())
    checked = uploaded_systems.read(study=study, file=file, file_name="t.csv")
    better = {one.output: one.value for one in checked.directions()}
    assert better == {"toxicity": "lower", "fluency": "higher"}


def test_people_are_no_metric_in_the_analyses(study):
    add(study, SMALL)
    found = study_arrays.load(study=study, needs=["systems"])
    assert [output.metric for output in found.system_outputs] == ["theirs"]


def test_a_file_comes_in_once(study):
    add(study, SMALL)
    with pytest.raises(UploadError, match="already has these numbers"):
        add(study, SMALL)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,x,one,,,,", "value must be a number"),
        ("a,x,1,up,,,", "direction must be higher or lower, not"),
        ("a,x,1,,,2,", "low and high must both be there"),
        ("a,x,1,,,3,2", "low and high must both be there"),
        (",x,1,,,,", "name of a system has 1 to 100 characters"),
        ("a,x y,1,,,,", "up to 64 letters"),
        ("a,x,1,,self_bleu,,", "is computed by EvalApp"),
        ("a,x,1,,,,\na,x,2,,,,", "is also on line 2"),
        ("a,x,1,higher,,,\nb,x,2,lower,,,", "is another one than on line 2"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(study, row, message):
    with pytest.raises(UploadError) as error:
        add(study, f"system,name,value,direction,metric,low,high\n{row}\n")
    assert message in "\n".join(error.value.lines)
    assert not SystemScore.objects.exists()
    assert not study.systems.filter(name="x").exists()
