from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Study
from scoring.models import MetricRun, Score
from tests.support import shared

pytestmark = pytest.mark.django_db

TABLE = "prefix,label,system,text,rating:overall\nThe lake,sad,a,It is cold.,4;5\n"


@pytest.fixture
def write(tmp_path):
    def write(content: str, name: str = "texts.csv") -> str:
        path = tmp_path / name
        path.write_text(content)
        return str(path)

    return write


def import_study(*given: str, **options) -> str:
    out = StringIO()
    call_command("import_study", *given, stdout=out, **options)
    return out.getvalue()


def test_it_makes_a_study_and_says_what_came_in(write):
    said = import_study("lake", "--format", "csv", write(TABLE))
    first, cells = said.splitlines()
    assert first == "lake: 1 text of 1 system for 1 prompt, 2 ratings."
    assert cells.endswith("0 not used.")
    assert Study.objects.get().owner is None


def test_the_study_can_have_an_owner_and_options(write, alice):
    import_study(
        *("lake", write(TABLE), "--format", "csv", "--owner", "alice"),
        *("--title", "Lakes", "--ratings-per-text", "2", "--scale", "1-7"),
    )
    study = Study.objects.get()
    assert (study.owner, study.title) == (alice, "Lakes")
    assert (study.ratings_per_text, study.scale_max) == (2, 7)


def test_errors_are_a_list_and_nothing_is_made(write):
    path = write(TABLE + "x,,,,7\n")
    with pytest.raises(CommandError) as error:
        import_study("lake", "--format", "csv", path)
    assert str(error.value).splitlines() == [
        "nothing was imported",
        'line 3: "text" is empty: without a text, a row needs its system and its prompt'
        " or source",
        "line 3: overall: 7 is outside the scale from 1 to 5",
    ]
    assert error.value.returncode == 1
    assert not Study.objects.exists()


def test_a_second_file_is_added_to_a_draft(write):
    import_study("lake", "--format", "csv", write(TABLE))
    more = write(TABLE.replace(",a,", ",b,"))
    with pytest.raises(CommandError, match="already used"):
        import_study("lake", "--format", "csv", more)
    import_study("lake", "--format", "csv", "--add", more)
    assert Study.objects.get().systems.count() == 2


def test_scores_are_added_to_a_study(write, make_study):
    make_study(name="lake")
    path = write("key,output,value,direction\n0-a-1,quality,1,higher\n")
    said = import_study("lake", "--format", "scores", "--yes", path)
    assert "  0-a-1 (a): quality 1: Once upon a time" in said
    assert said.splitlines()[-1].startswith("lake: scores of uploaded|file:sha256:")
    assert Score.objects.get().value == 1


def test_a_published_table_of_systems_makes_its_study(write, alice):
    table = "system,name,value,metric\na,BLEU,1,x\nb,BLEU,2,x\nc,BLEU,3,x\n"
    import_study("bt", write(table), "--format", "systems", "--owner", "alice")
    study = Study.objects.get(name="bt")
    assert study.systems.count() == 3 and study.members.get().user == alice


def test_systems_that_a_study_does_not_know_are_asked_about(write, make_study):
    study = make_study(name="lake")
    path = write("system,name,value\na,loss,1\nbb,loss,2\n")
    with pytest.raises(CommandError, match='does not have: "bb"') as error:
        import_study("lake", path, "--format", "systems")
    assert error.value.returncode == 3
    assert not study.systems.filter(name="bb").exists()
    said = import_study("lake", path, "--format", "systems", "--yes")
    assert said.splitlines()[0] == "Which way is better, by their names: loss: lower."
    assert study.systems.filter(name="bb").exists()


def test_a_table_that_cannot_be_read_makes_no_study(write):
    with pytest.raises(CommandError, match="nothing was imported"):
        import_study("bt", write("system,name\na,b\n"), "--format", "systems")
    assert not Study.objects.filter(name="bt").exists()


def test_without_yes_pairs_are_shown_and_nothing_is_stored(write, make_study):
    make_study(name="lake")
    path = write("key,output,value,direction\n0-a-1,quality,1,higher\n")
    with pytest.raises(CommandError, match=r"\(a\): quality 1: Once") as error:
        import_study("lake", "--format", "scores", path)
    assert error.value.returncode == 3
    assert not Score.objects.exists()


def test_columns_that_are_not_used_are_named(write):
    said = import_study("lake", write("text,system,note\nOne.,a,x\nTwo.,b,y\n"))
    assert said.splitlines()[1:3] == [
        "“note”: 2 filled cells not used, because nothing says what the column is.",
        "6 filled cells: 2 as text, 2 as system, 2 not used.",
    ]
    [record] = Study.objects.get().imports.all()
    kept = {one["column"]: one["not_used"] for one in record.options["account"]}
    assert kept == {"text": 0, "system": 0, "note": 2}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--format", "csv", "--owner", "nobody"), "There is no user nobody"),
        (("--format", "csv", "--add"), "There is no study lake"),
        (("--format", "scores"), "There is no study lake"),
        (("--format", "csv", "--systems", "by-order"), "names the systems itself"),
        (("--format", "csv", "--cut", "-1"), "cut is a whole number"),
    ],
)
def test_what_cannot_be_is_said(write, given, said):
    with pytest.raises(CommandError, match=said):
        import_study("lake", write(TABLE), *given)


@pytest.mark.parametrize(("name", "said"), [("none.csv", "No such file"), ("", "dir")])
def test_a_file_that_is_not_there(tmp_path, name, said):
    with pytest.raises(CommandError, match=said):
        import_study("lake", "--format", "csv", str(tmp_path / name))


def test_the_released_ratings_of_the_paper():
    path = str(shared.path("data/ctrleval/data_senti.txt"))
    said = import_study("senti", "--format", "ctrleval", path)
    assert said.splitlines() == [
        "senti: 360 texts of unknown systems for 30 prompts, 1,080 mean ratings.",
        "2,160 filled cells: 360 as label, 360 as prefix, 360 as text, 1,080 as mean,"
        " 0 not used.",
    ]


OWN = "id,model,prompt,output,BLEU\n1,a,Say it.,It shone.,0.2\n2,b,Say it.,It is.,0.4\n"


def test_columns_of_its_own_are_guessed(write):
    said = import_study("lake", write(OWN))
    assert said.startswith("lake: 2 texts of 2 systems for 1 prompt, 2 metric scores.")


def test_metric_scores_in_a_column_become_a_run(write):
    import_study("lake", write(OWN))
    run = MetricRun.objects.get()
    values = run.signature.scores.order_by("generation__key")
    assert [*values.values_list("output", "value")] == [("BLEU", 0.2), ("BLEU", 0.4)]
    assert run.state == "done"


def test_a_column_can_be_said_by_hand(write):
    import_study("lake", write(OWN), "--map", "label=model", "--map", "ignore=BLEU")
    study = Study.objects.get()
    assert not study.systems.exists() and study.labels.count() == 2
    assert not MetricRun.objects.exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--map", "text"), "write ROLE=COLUMN"),
        (("--map", "text=nothing"), "There is no column"),
        (("--map", "poem=output"), "cannot be"),
        (("--format", "csv", "--map", "text=output"), "need --format columns"),
    ],
)
def test_a_mapping_that_will_not_do_is_refused(write, given, said):
    with pytest.raises(CommandError, match=said):
        import_study("lake", write(OWN), *given)
