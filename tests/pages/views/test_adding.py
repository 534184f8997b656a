"""One page takes whatever is added to a study, and says what it is."""

from __future__ import annotations

import io
import json

import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation import assistant
from annotation.imports import UploadError
from annotation.imports.intakes import Answers
from annotation.models import Upload
from scoring.models import MetricRun, Score, SystemScore
from tests.annotation.seating import in_threads

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]

ADD = "/studies/ferry/import/"
RUNS = "/studies/ferry/metrics/"
HEAD = "key,output,value,direction,metric\n"
SCORES = f"{HEAD}0-a-1,quality,0.5,higher,comet\n"
SYSTEMS = "system,name,value\na,mauve,0.9\nb,mauve,0.8\n"
VOTES = "pair,first,second,outcome\np,a,b,1\n"
ARENA = (
    "question_id,model_a,model_b,winner,conversation_a,conversation_b\n"
    '1,a,b,model_a,"[{""role"": ""user"", ""content"": ""Hi""}]","[]"\n'
)


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def study(make_study):
    return make_study()


def send(client, content: str | bytes, name: str = "file.csv") -> str:
    """Where the file waits."""
    content = content.encode() if isinstance(content, str) else content
    answer = client.post(ADD, {"file": SimpleUploadedFile(name, content)})
    assert answer.status_code == 302, answer.content.decode()
    return answer.url


def read(client, address: str) -> str:
    return client.get(address).content.decode()


def deepeval(key: str) -> str:
    metric = {"name": "X", "score": 1.0, "threshold": 0.5, "success": True}
    case = {"name": key, "actualOutput": "", "metricsData": [metric]}
    return json.dumps({"testCases": [case]})


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (SCORES, "scores"),
        (SYSTEMS, "systems"),
        (VOTES, "votes"),
        (deepeval("0-a-1"), "results"),
        ("id,text\n1,The sea.\n", None),
        ("key,output,value\n0-a-1,loss,1\n0-b-1,loss,2\n", "scores"),
        ("key,output,value\nx,The sea is calm.,1\ny,A lake.,2\n", None),
        ("key,output,value\nx,Paris,1\ny,London,2\nz,Rome,2\n", None),
    ],
)
def test_a_file_is_recognised_by_what_is_in_it(client, study, content, kind):
    send(client, content)
    assert Upload.objects.get().choices.get("of") == kind


@pytest.mark.parametrize(
    "row",
    [
        {"key": "0-a-1", "output": "q", "value": 0.5, "direction": "lower"},
        {"system": "a", "name": "q", "value": 0.5},
    ],
)
def test_a_workbook_is_taken_as_a_table(client, study, row):
    book = openpyxl.Workbook()
    book.active.append(list(row))
    book.active.append(list(row.values()))
    file = io.BytesIO()
    book.save(file)
    client.post(send(client, file.getvalue(), "x.xlsx"), {"direction-0": "lower"})
    stored = [*Score.objects.all(), *SystemScore.objects.all()]
    assert [one.value for one in stored] == [0.5]


class TestScores:
    def test_three_pairs_are_shown_before_anything_is_stored(self, client, study):
        waits_at = send(client, SCORES)
        page = read(client, waits_at)
        assert "Once upon a time" in page and "0.5" in page
        assert not MetricRun.objects.exists()
        assert client.post(waits_at, {"direction-0": "higher"}).url == RUNS
        assert "comet" in read(client, RUNS)
        assert MetricRun.objects.get().state == MetricRun.State.DONE
        assert not Upload.objects.exists()

    def test_the_direction_can_be_corrected(self, client, study):
        client.post(send(client, SCORES), {"direction-0": "lower"})
        signature = MetricRun.objects.get().signature
        assert signature.outputs[0]["higher_is_better"] is False
        assert "direction:quality=lower" in signature.text

    def test_a_name_that_says_otherwise_is_pointed_at(self, client, study):
        page = read(client, send(client, SCORES.replace("quality", "toxicity")))
        assert "Its name says: lower is better." in page
        assert "Its name says" not in read(client, send(client, SCORES))

    def test_the_run_knows_the_file_that_it_came_with(self, client, study):
        client.post(send(client, SCORES), {"direction-0": "higher"})
        record = MetricRun.objects.get().imported
        assert (record.format, record.file_name, record.n_rows) == (
            *("scores", "file.csv"),
            1,
        )

    def test_where_nobody_knows_whose_the_ids_are_it_asks(self, client, study):
        study.generations.filter(key="0-a-1").update(key="1")
        waits_at = send(client, f"{HEAD}1,quality,0.5,higher,comet\n")
        sent = {"direction-0": "higher"}
        answer = client.post(waits_at, sent)
        assert answer.status_code == 400
        assert "Tick this if it is right" in answer.content.decode()
        assert not MetricRun.objects.exists()
        client.post(waits_at, {**sent, "agree-ids": "on"})
        assert MetricRun.objects.get().options["ids_confirmed"] == "yes"

    def test_a_broken_file_gets_all_its_errors(self, client, study):
        rows = "nix,quality,1,higher,x\n0-a-1,quality,a,up,x\n"
        page = read(client, send(client, HEAD + rows))
        for words in ("line 2", "nix", "line 3", "must be a number", "direction"):
            assert words in page

    def test_nobody_else_sees_the_pairs(self, client, study, bob):
        waits_at = send(client, SCORES)
        study.members.create(user=bob, role="editor")
        client.force_login(bob)
        assert client.get(waits_at).status_code == 404

    def test_a_study_that_is_open_takes_them(self, client, study):
        type(study).objects.update(state="open")
        client.post(send(client, SCORES), {"direction-0": "higher"})
        assert Score.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_once_add_a_file_once(transactional_db, client, make_study):
    # Of votes without a rater, no other rule would tell.
    study = make_study()
    send(client, VOTES)
    upload = Upload.objects.get()
    said: list[str] = []

    def click() -> None:
        try:
            said.append(assistant.store(upload, Answers()).sentence)
        except (UploadError, assistant.Busy) as error:
            said.append(str(error))

    in_threads(2, lambda _: click())
    assert study.votes.count() == 1 and len(said) == 2


class TestTools:
    def test_their_results_are_shown_and_stored(self, client, study):
        waits_at = send(client, deepeval("0-a-1"), "run.json")
        page = read(client, waits_at)
        assert "DeepEval" in page and "Once upon a time" in page
        client.post(waits_at, {"direction-0": "higher"})
        assert MetricRun.objects.get().metric == "deepeval:X"
        assert study.imports.get().format == "results"

    def test_what_does_not_match_is_listed(self, client, study):
        page = read(client, send(client, deepeval("<b>nobody"), "run.json"))
        assert "The file has 1 problem" in page and "<b>nobody" not in page


class TestSystems:
    def test_numbers_of_systems_are_stored(self, client, study):
        client.post(send(client, SYSTEMS), {"direction-0": "higher"})
        assert SystemScore.objects.filter(system__study=study).count() == 2

    def test_it_is_asked_whether_an_unknown_system_is_new(self, client, study):
        waits_at = send(client, SYSTEMS.replace("b,", "bb,"))
        assert client.post(waits_at, {"direction-0": "higher"}).status_code == 400
        assert not study.systems.filter(name="bb").exists()
        client.post(waits_at, {"direction-0": "higher", "agree-systems": "on"})
        assert study.systems.filter(name="bb").exists()

    def test_a_study_without_systems_gets_them(self, client, make_study):
        study = make_study(prompts=0, systems=())
        client.post(send(client, SYSTEMS), {"direction-0": "higher"})
        assert study.systems.count() == 2


class TestWhatItIs:
    def test_a_file_with_texts_and_choices_is_asked_about(self, client, study):
        page = read(client, send(client, ARENA))
        assert "can be read in more than one way" in page
        assert page.count('name="kind"') == 2

    def test_a_study_without_texts_takes_the_texts_first(self, client, make_study):
        make_study(prompts=0, systems=())
        send(client, ARENA)
        assert "kinds" not in Upload.objects.get().choices

    def test_one_that_takes_no_texts_now_is_not_asked(self, client, study):
        type(study).objects.update(state="closed")
        send(client, ARENA)
        assert Upload.objects.get().choices == {"of": "votes"}

    def test_it_can_be_said_otherwise(self, client, study):
        waits_at = send(client, SCORES)
        client.post(f"{waits_at}kind/", {"kind": "texts"})
        assert "scores by ID, and no texts to rate" in read(client, waits_at)
        client.post(f"{waits_at}kind/", {"kind": "scores"})
        assert "What will be stored" in read(client, waits_at)

    def test_what_it_cannot_be_is_refused(self, client, study):
        waits_at = send(client, SCORES)
        answer = client.post(f"{waits_at}kind/", {"kind": "<x>"}, follow=True)
        assert "Choose what the file is." in answer.content.decode()

    @pytest.mark.parametrize("state", ["open", "closed"])
    def test_texts_are_refused_where_none_can_come_in(self, client, study, state):
        type(study).objects.update(state=state)
        file = SimpleUploadedFile("x.csv", b"id,text\n1,The sea.\n")
        answer = client.post(ADD, {"file": file})
        assert f"the study is {state}" in answer.content.decode()
        assert not Upload.objects.exists()
        waits_at = send(client, SCORES)
        answer = client.post(f"{waits_at}kind/", {"kind": "texts"}, follow=True)
        assert f"the study is {state}" in answer.content.decode()


class TestTheFile:
    def test_without_one_the_form_says_so(self, client, study):
        answer = client.post(ADD)
        assert answer.status_code == 400
        assert "Choose a file first." in answer.content.decode()

    def test_one_that_is_too_large_is_called_so(self, client, study, settings):
        settings.UPLOAD_MAX_BYTES = 2**20
        file = SimpleUploadedFile("x.csv", b"x" * (2**20 + 1))
        page = client.post(ADD, {"file": file}).content.decode()
        assert "The file is larger than 1 MB" in page

    def test_strangers_get_404(self, client, study, bob):
        client.force_login(bob)
        assert client.post(ADD).status_code == 404

    @pytest.mark.parametrize("at", ["texts/", "metrics/", "results/"])
    def test_one_button_leads_here_from_three_pages(self, client, study, at):
        page = read(client, f"/studies/ferry/{at}")
        assert f'<a class="button" href="{ADD}">Add data</a>' in page


class TestTheApi:
    ADDRESS = "/api/v1/studies/ferry/imports/"

    def post(self, client, content: str, name: str = "file.csv", **more):
        file = SimpleUploadedFile(name, content.encode())
        return client.post(self.ADDRESS, {"file": file, **more})

    def test_scores_are_recognised_and_stored(self, client, study):
        answer = self.post(client, SCORES)
        assert answer.status_code == 201
        assert answer.json()["sentence"] == "Scores added: comet."
        assert answer.json()["examples"][0]["key"] == "0-a-1"
        assert Score.objects.get().value == 0.5

    def test_what_the_file_does_not_say_is_asked(self, client, study):
        answer = self.post(client, SYSTEMS)
        assert answer.status_code == 409
        assert "By their names: mauve: higher." in answer.json()["errors"][0]
        assert not SystemScore.objects.exists()
        said = '{"mauve": "lower"}'
        assert self.post(client, SYSTEMS, directions=said).status_code == 201
        (output,) = MetricRun.objects.get().signature.outputs
        assert output["higher_is_better"] is False

    def test_unknown_systems_are_asked_about_and_agreed_to(self, client, study):
        content = VOTES.replace(",b,", ",new,")
        answer = self.post(client, content)
        assert answer.status_code == 409
        assert not study.votes.exists()
        assert self.post(client, content, yes="true").status_code == 201
        assert study.systems.filter(name="new").exists()

    def test_a_file_that_may_be_two_things_is_asked_about(self, client, study):
        answer = self.post(client, ARENA)
        assert (answer.status_code, answer.json()["kinds"]) == (409, ["texts", "votes"])
        assert self.post(client, ARENA, kind="votes").status_code == 201

    @pytest.mark.parametrize(
        ("content", "more", "said"),
        [
            ("id,text\n1,The sea.\n", {}, "This file has texts: send it to uploads."),
            (
                SCORES,
                {"kind": "x"},
                "kind is one of votes, scores, systems, marks, results.",
            ),
            (SCORES, {"directions": '{"q": "up"}'}, "a table of higher, lower or"),
            (SCORES, {"directions": "[1]"}, "a table of higher, lower or"),
            (SCORES.replace("0-a-1", "nix"), {}, 'the key "nix"'),
        ],
    )
    def test_what_is_wrong_is_said(self, client, study, content, more, said):
        answer = self.post(client, content, **more)
        assert answer.status_code == 400
        assert said in " ".join(answer.json()["errors"])
        assert not MetricRun.objects.exists()
