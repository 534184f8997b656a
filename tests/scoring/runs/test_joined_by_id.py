"""Scores stand at the texts that are meant, or are asked about, or refused."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation import exports, imports
from annotation.imports import UploadError
from annotation.models import Annotation, Study
from scoring.models import MetricRun, Score
from scoring.runs import doubtful, uploaded
from scoring.runs.intakes import RESULTS

pytestmark = pytest.mark.django_db

PEOPLE = Path(__file__).parents[2] / "annotation/imports/people"
TEXTS, SCORES = (
    PEOPLE / "53a-ids-repeat-over-raters.csv",
    PEOPLE / "53b-scores-by-id.csv",
)
HEADER = "key,output,value,direction"
NAMELESS = "text,system,rater,rating:c\nOne.,a,x,4\nOne.,a,y,5\nTwo.,b,x,3\n"


def made(content: bytes | str, name: str = "lake") -> Study:
    content = content.encode() if isinstance(content, str) else content
    return imports.run(
        study_name=name,
        format="columns",
        file=io.BytesIO(content),
        file_name="texts.csv",
        owner=None,
        options={"scale": "auto"},
    ).study


def read(study: Study, content: str) -> uploaded.Checked:
    file = io.BytesIO(content.encode())
    return uploaded.read(study=study, file=file, file_name="scores.csv")


def aged(study: Study) -> Study:
    """As studies were made before it was recorded who gave the ids: by number."""
    for number, text in enumerate(study.generations.order_by("pk"), start=1):
        text.key = str(number)
        text.save(update_fields=["key"])
    record = study.imports.get(format="columns")
    del record.options[imports.INVENTED]
    record.save()
    return study


@pytest.fixture
def old() -> Study:
    return aged(made(NAMELESS))


def correlation() -> float:
    """Of the stored scores and the means of the ratings of their texts."""
    pairs = [
        (
            score.value,
            np.mean([one.value for one in score.generation.annotations.all()]),
        )
        for score in Score.objects.all()
    ]
    return float(np.corrcoef(np.array(pairs).T)[0, 1])


def test_each_score_stands_on_its_text():
    ratings = defaultdict(list)
    words = {}
    for row in csv.DictReader(TEXTS.open(encoding="utf-8")):
        ratings[row["id"]].append(int(row["coherence"]))
        words[row["id"]] = row["text"]
    right = {
        words[row["key"]]: float(row["value"])
        for row in csv.DictReader(SCORES.open(encoding="utf-8"))
    }
    study = made(TEXTS.read_bytes())
    with SCORES.open("rb") as file:
        uploaded.add(study=study, file=file, file_name="scores.csv")
    scores = Score.objects.select_related("generation")
    assert {score.generation.text: score.value for score in scores} == right
    assert len(right) == 24
    assert correlation() == pytest.approx(1)


def test_three_pairs_of_text_and_value_are_shown():
    study = made(TEXTS.read_bytes())
    pairs = read(study, SCORES.read_text()).pairs()
    rows = list(csv.DictReader(SCORES.open()))
    assert [(p.key, p.value) for p in pairs] == [
        (rows[k]["key"], float(rows[k]["value"])) for k in (0, 12, 23)
    ]
    words = {r["id"]: r["text"] for r in csv.DictReader(TEXTS.open())}
    assert all(p.text == words[p.key] for p in pairs)


def test_ids_that_nobody_gave_are_in_nobodys_file():
    study = made(NAMELESS)
    with pytest.raises(UploadError) as error:
        read(study, f"{HEADER}\n1,q,1,higher\n2,q,2,higher\n")
    assert "ids that EvalApp gave" in error.value.lines[0]
    with pytest.raises(UploadError, match="is an id that EvalApp gave"):
        read(study, f"{HEADER}\nt-0001,q,1,higher\n")


def test_with_the_words_of_an_export_they_can_be_used():
    study = made(NAMELESS)
    rows = list(exports.texts(study=study))
    lines = "".join(f'{r["key"]},q,1,higher,"{r["text"]}"\n' for r in rows)
    checked = read(study, f"{HEADER},text\n{lines}")
    assert len(checked.store()) == 1
    assert Score.objects.count() == 2


def test_other_words_at_an_id_are_refused():
    study = made(TEXTS.read_bytes())
    with pytest.raises(UploadError, match='the text "10" of the study has other words'):
        read(study, f"{HEADER},text\n10,q,1,higher,Something else.\n")


def test_of_an_older_study_it_is_asked(old):
    checked = read(old, f"{HEADER}\n1,q,1,higher\n")
    assert 'such as "1"' in checked.doubt
    with pytest.raises(UploadError, match="1 \\(a\\): q 1: One."):
        uploaded.add(
            study=old,
            file=io.BytesIO(f"{HEADER}\n1,q,1,higher\n".encode()),
            file_name="scores.csv",
        )
    assert not MetricRun.objects.exists()
    checked.store()
    assert doubtful.of(old) is None  # someone has looked


def test_ids_of_the_file_that_look_invented_are_the_files():
    study = made("id,text\nt-0001,One.\nt-0002,Two.\n")
    assert read(study, f"{HEADER}\nt-0001,q,1,higher\n").doubt == ""


def test_a_copy_knows_as_much(alice):
    from django.utils import timezone

    from annotation.studies import copy

    source = made(NAMELESS)
    now = timezone.now()
    study = copy(source=source, name="sea", user=alice, now=now, with_texts=True)
    assert imports.ids_of(study).invented == {"t-0001", "t-0002"}


# manage.py check_scores ---------------------------------------------------------------


def joined_unseen(study: Study) -> None:
    """As it was done before anyone was asked."""
    checked = read(study, f"{HEADER}\n1,q,1,higher\n2,q,2,higher\n")
    checked.store()
    MetricRun.objects.update(options={"file": "scores.csv", "sha256": "0" * 64})


def check_scores() -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("check_scores", stdout=out)
    except CommandError as error:
        return error.returncode, out.getvalue()
    return 0, out.getvalue()


def test_a_study_whose_scores_may_stand_elsewhere_is_named(old):
    joined_unseen(old)
    before = MetricRun.objects.get().options, Score.objects.count()
    code, said = check_scores()
    assert code == 1
    assert said.startswith("lake: the scores of scores.csv may belong to other texts")
    assert said.count("\n") == 1
    assert before == (MetricRun.objects.get().options, Score.objects.count())


def test_results_of_tools_are_in_no_doubt(old):
    """They were joined by words: their record says so, before records their metric."""
    joined_unseen(old)
    run = MetricRun.objects.get()
    run.imported.format = RESULTS
    run.imported.save()
    assert check_scores()[0] == 0
    run.imported, run.metric = None, "deepeval:Fluency"
    run.save()
    assert check_scores()[0] == 0
    run.metric = "others:Fluency"
    run.save()
    assert check_scores()[0] == 1


def test_others_are_not(old):
    made(TEXTS.read_bytes(), "ids")
    assert check_scores()[0] == 0
    joined_unseen(old)
    Annotation.objects.filter(rater="y").delete()  # no row repeats an id
    assert check_scores() == (
        0,
        "No study has scores that may belong to other texts.\n",
    )


def test_scores_that_came_with_their_texts_are_not(old):
    joined_unseen(old)
    sha256 = old.imports.get(format="columns").sha256
    MetricRun.objects.update(options={"file": "texts.csv", "sha256": sha256})
    assert check_scores()[0] == 0


def test_ids_in_another_order_are_the_researchers(old):
    joined_unseen(old)
    old.generations.filter(key="1").update(key="7")
    assert check_scores()[0] == 0


def test_the_metrics_page_says_it(old, client, alice):
    old.members.create(user=alice, role="owner")
    client.force_login(alice)
    assert (
        "Look at the uploaded scores"
        not in client.get("/studies/lake/metrics/").content.decode()
    )
    joined_unseen(old)
    page = client.get("/studies/lake/metrics/").content.decode()
    assert "Look at the uploaded scores" in page


# The API ------------------------------------------------------------------------------

ADDRESS = "/api/studies/lake/runs/scores/"


def send(client, content: str, **more):
    file = SimpleUploadedFile("scores.csv", content.encode())
    return client.post(ADDRESS, {"file": file, **more})


@pytest.fixture
def member(client, alice):
    def of(study: Study):
        study.members.create(user=alice, role="owner")
        client.force_login(alice)
        return client

    return of


def test_the_api_shows_pairs_and_stores(member):
    api = member(made(TEXTS.read_bytes()))
    tried = send(api, SCORES.read_text(), dry_run="true")
    assert (tried.status_code, tried.json()["runs"]) == (200, [])
    assert [pair["key"] for pair in tried.json()["pairs"]] == ["1", "13", "24"]
    assert not Score.objects.exists()
    answer = send(api, SCORES.read_text())
    assert answer.status_code == 201
    assert answer.json()["runs"] == [MetricRun.objects.get().pk]
    assert correlation() == pytest.approx(1)


def test_the_api_asks_where_nobody_knows_whose_ids_they_are(member, old):
    api = member(old)
    answer = send(api, f"{HEADER}\n1,q,1,higher\n")
    assert answer.status_code == 409
    assert 'such as "1"' in answer.json()["question"]
    assert not Score.objects.exists()
    assert send(api, f"{HEADER}\n1,q,1,higher\n", confirmed="true").status_code == 201


def test_the_api_refuses_ids_that_were_invented(member):
    answer = send(member(made(NAMELESS)), f"{HEADER}\nt-0001,q,1,higher\n")
    assert answer.status_code == 400
    assert "is an id that EvalApp gave" in answer.json()["errors"][0]
