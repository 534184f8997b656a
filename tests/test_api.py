from __future__ import annotations

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from annotation import exports
from annotation.kept import keeping
from annotation.models import Generation, Study
from annotation.quality import applying
from evalapp.accounts import tokens
from scoring import analyses, metrics, runs
from scoring.models import Chunk, Plan
from scoring.results import analysing
from scoring.runs.work import RUNS
from tests.annotation.seating import hand_in, lay_out, sit
from tests.scoring import analysed
from tests.scoring.working import work
from tests.support.scored import LOSS, score_systems

CSV = (
    "prefix,label,system,text,rating:coherence,mean:fluency\n"
    "The lake,positive,a,The lake shone. We swam.,4;5,4.5\n"
    "The lake,positive,b,The lake. The lake. The lake.,2;1,2\n"
    "The lake,negative,a,The lake smelled. Nobody came.,4;4,4\n"
    "The lake,negative,b,The lake was lake was.,1;2,1.5\n"
)


@pytest.fixture
def api(alice):
    """A client with alice's token."""
    client = APIClient()
    _, key = tokens.make(user=alice, name="tests", now=timezone.now())
    client.credentials(HTTP_AUTHORIZATION=f"Token {key}")
    return client


@pytest.fixture
def stranger(bob):
    client = APIClient()
    client.force_authenticate(bob)
    return client


@pytest.fixture
def lake(api):
    """A study made and filled through the API."""
    made = api.post(
        "/api/studies/",
        {
            "name": "lake",
            "aspects": [{"key": "coherence"}, {"key": "fluency"}],
            "labels": [{"name": "positive"}, {"name": "negative"}],
        },
        format="json",
    )
    assert made.status_code == 201, made.json()
    answer = upload(api, "lake", CSV)
    assert answer.status_code == 201, answer.json()
    return Study.objects.get(name="lake")


def upload(client, study: str, content: str | bytes, **fields):
    data = content.encode() if isinstance(content, str) else content
    file = SimpleUploadedFile("outputs.csv", data)
    return client.post(
        f"/api/studies/{study}/uploads/",
        {"file": file, "format": "csv", **fields},
        format="multipart",
    )


def test_a_name_and_a_password_get_a_token(alice) -> None:
    wanted = {"username": "alice", "password": "alice-password"}
    token = APIClient().post("/api/token/", wanted).json()["token"]
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    assert client.get("/api/studies/").status_code == 200


def test_without_a_token_nothing_is_told(db) -> None:
    for path in ("studies", "metrics", "schema", "studies/ferry/agreement"):
        assert APIClient().get(f"/api/{path}/").status_code in (401, 403), path


def test_a_study_is_made_with_its_aspects_and_labels(api, lake) -> None:
    answer = api.get("/api/studies/lake/").json()
    assert answer["state"] == "draft"
    assert [aspect["key"] for aspect in answer["aspects"]] == ["coherence", "fluency"]
    assert [label["name"] for label in answer["labels"]] == ["negative", "positive"]


def test_a_study_has_the_language_of_its_worker_pages(api, lake) -> None:
    assert api.get("/api/studies/lake/").json()["language"] == "en"
    wanted = {"name": "see", "language": "de"}
    made = api.post("/api/studies/", wanted, format="json").json()
    assert made["language"] == "de" and made["consent"].startswith("Sie lesen")
    assert made["aspects"][0]["question"] == "Passen die Sätze zu einem Text zusammen?"
    copied = api.post("/api/studies/see/copy/", {"name": "meer"}, format="json").json()
    assert copied["language"] == "de" and copied["consent"] == made["consent"]
    other = api.post("/api/studies/", {"name": "x", "language": "xx"}, format="json")
    assert other.status_code == 400


def test_a_study_says_which_texts_are_code(api, lake) -> None:
    assert api.get("/api/studies/lake/").json()["monospaced"] == "automatic"
    wanted = {"name": "loops", "monospaced": "always"}
    made = api.post("/api/studies/", wanted, format="json").json()
    assert made["monospaced"] == "always"
    copied = api.post("/api/studies/loops/copy/", {"name": "more"}, format="json")
    assert copied.json()["monospaced"] == "always"
    other = {"name": "x", "monospaced": "sometimes"}
    assert api.post("/api/studies/", other, format="json").status_code == 400


def test_it_lists_own_studies_only(api, stranger, lake) -> None:
    own = api.get("/api/studies/").json()["results"]
    assert [row["name"] for row in own] == ["lake"]
    assert stranger.get("/api/studies/").json()["results"] == []


@pytest.mark.parametrize(
    "path",
    "/ /generations/ /human-scores/ /runs/ /agreement/ /correlations/".split(),
)
def test_a_stranger_does_not_learn_that_the_study_exists(stranger, lake, path) -> None:
    answer = stranger.get(f"/api/studies/lake{path}")
    assert answer.status_code == 404
    assert "lake" not in str(answer.json())


@pytest.mark.parametrize("path", ["/uploads/", "/runs/", "/state/"])
def test_a_stranger_changes_nothing(stranger, lake, path) -> None:
    wanted = {"metric": "length", "state": "open"}
    assert stranger.post(f"/api/studies/lake{path}", wanted).status_code in (404, 415)
    lake.refresh_from_db()
    assert (lake.state, lake.runs.count(), lake.generations.count()) == ("draft", 0, 4)


def test_a_taken_name_is_refused_in_a_sentence(api, lake) -> None:
    answer = api.post("/api/studies/", {"name": "lake"}, format="json")
    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        'The name "lake" is already used: choose another.'
    ]


def test_a_bad_upload_answers_all_errors_and_changes_nothing(api, lake) -> None:
    bad = (
        "prefix,label,system,text,rating:coherence\n"
        "The sea,positive,,,4\n"
        "The sea,positive,b,The sea.,7\n"
    )
    answer = upload(api, "lake", bad)
    assert answer.status_code == 400
    assert len(answer.json()["errors"]) == 2
    assert [error.split(":")[0] for error in answer.json()["errors"]] == [
        "line 2",
        "line 3",
    ]
    assert Generation.objects.count() == 4


def test_a_file_that_is_too_large_is_called_so(api, lake, settings) -> None:
    settings.UPLOAD_MAX_BYTES = 2**20
    answer = upload(api, "lake", "x" * (2**20 + 1))
    assert answer.status_code == 400
    (line,) = answer.json()["errors"]
    assert line.startswith("The file is larger than 1 MB")


def test_texts_and_human_scores_come_back(api, lake) -> None:
    texts = api.get("/api/studies/lake/generations/").json()
    assert texts["count"] == 4
    assert texts["results"][0]["system"] == "a"
    assert texts["results"][0]["label"] == "positive"
    scores = api.get("/api/studies/lake/human-scores/").json()
    first = texts["results"][0]["key"]
    of_first = {row["aspect"]: row for row in scores if row["generation"] == first}
    assert of_first["coherence"]["mean"] == 4.5
    assert of_first["coherence"]["n_ratings"] == 2
    assert of_first["fluency"] == {
        "generation": first,
        "aspect": "fluency",
        "mean": 4.5,
        "n_ratings": None,
    }


def test_empty_texts_are_told_and_come_back_as_excluded(api, lake) -> None:
    rows = "prefix,label,system,text\nThe sea,positive,a,Wet.\nThe sea,positive,b,\n"
    assert upload(api, "lake", rows).json()["n_no_output"] == 1
    text = api.get("/api/studies/lake/generations/").json()["results"][-1]
    assert (text["system"], text["text"]) == ("b", "")
    assert (text["excluded"], text["excluded_reason"]) == (True, "no output")


@pytest.mark.parametrize("size", [1, 2, 100])
def test_human_scores_of_a_large_study_come_as_a_stream(
    api, lake, monkeypatch, size
) -> None:
    address = "/api/studies/lake/human-scores/"
    expected = api.get(address).json()
    assert len({row["generation"] for row in expected}) > 1
    monkeypatch.setattr(keeping, "MOST_TEXTS", 1)
    monkeypatch.setattr(exports, "TEXTS_AT_ONCE", size)
    answer = api.get(address)
    assert answer.streaming and answer["Content-Type"] == "application/json"
    assert json.loads(answer.getvalue()) == expected


def test_a_study_may_hide_a_sentence_for_programs(api) -> None:
    made = [
        api.post("/api/v1/studies/", {"name": name, **more}, format="json").json()
        for name, more in (("plain", {}), ("hidden", {"canary": True}))
    ]
    assert [one["canary"] for one in made] == [False, True]
    assert Study.objects.get(name="hidden").canary


def test_human_scores_come_from_a_text_on(api, lake) -> None:
    address = "/api/studies/lake/human-scores/"
    every = api.get(address).json()
    texts = list(dict.fromkeys(row["generation"] for row in every))
    found = api.get(address, {"offset": 2}).json()
    assert found == [row for row in every if row["generation"] in texts[2:]]
    assert api.get(address, {"limit": 2}).json() + found == every


def test_a_run_is_started_watched_and_read(api, lake) -> None:
    made = start_length(api)
    assert made.status_code == 201, made.json()
    run = made.json()["id"]
    score_all(run)
    answer = api.get(f"/api/studies/lake/runs/{run}/").json()
    assert (answer["state"], answer["progress"]["done"]) == ("done", 4)
    assert answer["notes"] == []
    scores = api.get(f"/api/studies/lake/runs/{run}/scores/").json()["results"]
    assert {row["output"] for row in scores} >= {"words", "characters"}
    words = [row["value"] for row in scores if row["output"] == "words"]
    assert words == [5, 6, 5, 5]
    rows = api.get("/api/studies/lake/correlations/").json()
    assert {row["human_aspect"] for row in rows} == {"coherence", "fluency"}
    assert all(row["n"] == 4 for row in rows)


def start_length(client, **more):
    wanted = {"metric": "length", **more}
    return client.post("/api/studies/lake/runs/", wanted, format="json")


def test_a_long_list_of_runs_comes_in_pages_with_as_many_queries(api, lake) -> None:
    url = "/api/studies/lake/runs/"

    def queries() -> int:
        with CaptureQueriesContext(connection) as made:
            assert api.get(url).status_code == 200
        return len(made)

    score_all(start_length(api).json()["id"])
    of_one = queries()
    made = [start_length(api).json()["id"] for _ in range(4)]
    assert queries() == of_one
    page = api.get(f"{url}?limit=2").json()
    assert (page["count"], page["previous"]) == (5, None)
    assert [run["id"] for run in page["results"]] == [made[3], made[2]]
    last = api.get(f"{url}?limit=2&offset=4").json()["results"]
    assert [run["progress"]["done"] for run in page["results"] + last] == [0, 0, 4]


def score_all(run: int) -> None:
    from django.utils import timezone

    for chunk in Chunk.objects.filter(run=run):
        RUNS.perform(pk=chunk.pk, owner="test/1/a", clock=timezone.now)


def test_a_run_can_be_cancelled(api, lake) -> None:
    run = start_length(api).json()
    answer = api.post(f"/api/studies/lake/runs/{run['id']}/cancel/")
    assert answer.json()["state"] == "cancelled"


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"metric": "nonsense"}, "length"),
        ({"metric": "length", "options": {"colour": "red"}}, "colour"),
        ({}, "metric"),
    ],
)
def test_a_run_that_cannot_be_is_refused_in_a_sentence(api, lake, wanted, said) -> None:
    answer = api.post("/api/studies/lake/runs/", wanted, format="json")
    assert answer.status_code == 400
    assert said in answer.json()["errors"][0]
    assert not lake.runs.exists()


def test_the_description_says_what_any_operation_may_answer(api) -> None:
    schema = api.get("/api/schema/?format=json").json()
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            wanted = {"400", "401", "403", "404", "429"}
            wanted |= {"415"} if method != "get" else set()
            assert wanted <= set(operation["responses"]), (method, path)
    run = schema["components"]["schemas"]["Run"]["properties"]
    assert run["signature"]["nullable"] and run["signature"]["readOnly"]


@pytest.mark.parametrize(
    "query", ["offset=null", "limit=ten", "offset=-1", "limit=", "limit=" + "9" * 30]
)
def test_a_page_that_cannot_be_is_refused(api, lake, query) -> None:
    answer = api.get(f"/api/studies/lake/generations/?{query}")
    assert answer.status_code == 400
    assert "expected a whole number from 0" in answer.json()["errors"][0]


@pytest.mark.parametrize("path", ["", "lake/runs/", "lake/trainings/"])
def test_lists_and_options_in_a_form_are_refused_not_left_out(api, lake, path) -> None:
    sent = {"name": "pond", "metric": "length", "aspects": '[{"key": "coherence"}]'}
    answer = api.post(f"/api/studies/{path}", sent, format="multipart")
    assert answer.status_code == 415


def test_what_no_database_can_store_is_refused_by_every_parser(api, lake) -> None:
    for given in ({"format": "json"}, {"format": "multipart"}, {}):
        answer = api.post("/api/studies/lake/state/", {"state": "a\x07"}, **given)
        assert answer.status_code == 400
        assert "contains the control character U+0007" in answer.json()["errors"][0]


@pytest.mark.parametrize(
    "window", ["1e999", "1" + "0" * 400, '"bundled:\\ud800"', "[" * 100_000]
)
def test_json_that_could_not_be_stored_is_refused(api, lake, window) -> None:
    answer = api.post(
        "/api/studies/lake/runs/",
        f'{{"metric": "repetition", "options": {{"window": {window}}}}}',
        content_type="application/json",
    )
    assert answer.status_code == 400
    assert answer.json()["errors"]
    assert not lake.runs.exists()


def test_json_without_end_needs_no_account_to_be_refused(client, db) -> None:
    answer = client.post("/api/token/", "[" * 100_000, content_type="application/json")
    assert answer.status_code == 400


def test_a_run_takes_no_file_of_the_server(api, lake, tmp_path) -> None:
    wanted = {"metric": "perplexity", "options": {"model": str(tmp_path)}}
    answer = api.post("/api/studies/lake/runs/", wanted, format="json")
    assert answer.status_code == 400


def test_a_model_is_told_by_its_name_not_where_it_lies(
    api, lake, settings, tmp_path
) -> None:
    settings.MODELS_DIR = tmp_path
    (tmp_path / "tiny").mkdir()
    wanted = {"metric": "perplexity", "options": {"model": "tiny"}}
    answer = api.post("/api/studies/lake/runs/", wanted, format="json")
    assert answer.json()["options"]["model"] == "tiny"
    assert lake.runs.get().options["model"] == str(tmp_path / "tiny")


def upload_corpus(client, content: bytes = b"One.\nTwo.\nOne.\n", name="human"):
    file = SimpleUploadedFile("human.txt", content)
    wanted = {"name": name, "file": file}
    return client.post("/api/studies/lake/corpora/", wanted, format="multipart")


def test_a_corpus_is_uploaded_read_and_deleted(api, lake) -> None:
    made = upload_corpus(api)
    assert made.status_code == 201, made.json()
    told = made.json()
    assert (told["n_texts"], told["n_duplicates"], told["attributes"]) == (2, 1, [])
    assert api.get("/api/studies/lake/corpora/").json() == [told]
    assert api.get("/api/studies/lake/corpora/human/").json() == told
    assert api.delete("/api/studies/lake/corpora/human/").status_code == 204
    assert api.get("/api/studies/lake/corpora/human/").status_code == 404


def test_a_bad_corpus_answers_all_errors(api, lake, settings) -> None:
    upload_corpus(api)
    answer = upload_corpus(api, b"Good.\n\xff\n")
    assert answer.status_code == 400
    taken, line = answer.json()["errors"]
    assert "choose another name" in taken and line.startswith("line 2: not")
    settings.UPLOAD_MAX_BYTES = 10
    (large,) = upload_corpus(api).json()["errors"]
    assert large.startswith("The file is larger than")


def test_a_stranger_neither_reads_nor_deletes_a_corpus(api, stranger, lake) -> None:
    upload_corpus(api)
    for path in ("", "human/"):
        assert stranger.get(f"/api/studies/lake/corpora/{path}").status_code == 404
    assert stranger.delete("/api/studies/lake/corpora/human/").status_code == 404
    assert upload_corpus(stranger, name="x").status_code == 404
    assert lake.corpora.count() == 1


def test_a_run_names_the_corpus_that_it_takes(api, lake, monkeypatch) -> None:
    upload_corpus(api)
    monkeypatch.setattr(metrics.get("length"), "uses", frozenset({"corpus"}))
    answer = start_length(api, corpus="human")
    assert (answer.status_code, answer.json()["corpus"]) == (201, "human")
    assert lake.runs.get().corpus.name == "human"
    refused = api.delete("/api/studies/lake/corpora/human/")
    assert (
        refused.status_code == 400 and "A run is using" in refused.json()["errors"][0]
    )
    assert start_length(api, corpus=None).json()["corpus"] is None


@pytest.mark.parametrize(
    ("corpus", "said"),
    [("x", "no corpus"), ("human", "does not use a corpus"), (["human"], "corpus: ")],
)
def test_a_corpus_that_cannot_be_taken_is_refused(api, lake, corpus, said) -> None:
    upload_corpus(api)
    answer = start_length(api, corpus=corpus)
    assert answer.status_code == 400 and said in answer.json()["errors"][0]
    assert not lake.runs.exists()


def test_agreement_has_a_row_for_each_aspect_and_level(api, lake) -> None:
    rows = api.get("/api/studies/lake/agreement/").json()
    assert {row["level"] for row in rows} == {"nominal", "ordinal", "interval"}
    by_aspect = {row["aspect"]: row for row in rows if row["level"] == "interval"}
    assert by_aspect["coherence"]["n_ratings"] == 8
    assert by_aspect["fluency"]["alpha"] is None


@pytest.mark.parametrize("address", ["agreement", "correlations"])
def test_the_numbers_of_a_large_study_are_computed_by_a_worker(
    api, lake, monkeypatch, address
) -> None:
    monkeypatch.setattr("annotation.kept.keeping.MOST_TEXTS", 0)
    answer = api.get(f"/api/studies/lake/{address}/")
    assert answer.status_code == 202
    assert answer.json()["detail"].startswith("A worker is computing this.")
    row = lake.analyses.get(name="overview")
    analysing.ANALYSES.perform(pk=row.pk, owner="test")
    assert api.get(f"/api/studies/lake/{address}/").status_code == 200


def test_a_statistic_is_asked_for_and_read_when_a_worker_has_computed_it(
    api, lake
) -> None:
    names = [row["name"] for row in api.get("/api/studies/lake/analyses/").json()]
    assert names == list(analyses.names())
    address = "/api/studies/lake/analyses/agreement/?level=nominal"
    asked = api.get(address)
    assert (asked.status_code, asked.json()["result"]) == (202, None)
    analysed.work(lake)
    found = api.get(address)
    assert (found.status_code, found.json()["fresh"]) == (200, True)
    assert found.json()["result"]["made_of"]["options"]["level"] == "nominal"


@pytest.mark.parametrize("query", ["level=best", "prompts=first"])
def test_wrong_options_of_a_statistic_are_said(api, lake, query) -> None:
    refused = api.get(f"/api/studies/lake/analyses/agreement/?{query}")
    assert refused.status_code == 400
    assert query.partition("=")[0] in str(refused.json())


def test_the_scores_of_negatives_come_by_survey(api, lake) -> None:
    lay_out(lake)
    run = runs.start(study=lake, metric="length", options={}, on="negatives")
    work(run)
    found = api.get(f"/api/studies/lake/runs/{run.pk}/scores/").json()
    rows = found["results"] if isinstance(found, dict) else found
    assert {row["survey"] for row in rows} == {1, 2}
    assert set(rows[0]) == {"survey", "perturbation", "output", "value", "reason"}


def test_the_scores_of_systems_come_by_seed(api, lake) -> None:
    signature = score_systems(lake, LOSS, {"a": [0.5, None], "b": 2.0}, metric="kl")
    run = lake.runs.create(metric="kl", signature=signature)
    found = api.get(f"/api/studies/lake/runs/{run.pk}/scores/").json()
    rows = found["results"] if isinstance(found, dict) else found
    assert [(row["system"], row["seed"], row["value"]) for row in rows] == [
        ("a", 0, 0.5),
        ("a", 1, None),
        ("b", 0, 2.0),
    ]
    assert rows[1]["reason"] == "too few texts" and rows[1]["output"] == "nll"


def test_a_refused_change_of_state_is_explained(api, lake) -> None:
    answer = api.post("/api/studies/lake/state/", {"state": "paused"}, format="json")
    assert answer.status_code == 400
    assert "draft" in answer.json()["errors"][0]


def test_the_schema_describes_every_path(api) -> None:
    schema = api.get("/api/schema/", HTTP_ACCEPT="application/json")
    assert schema.status_code == 200
    assert b"/api/v1/studies/{name}/uploads/" in schema.content
    assert b"Errors" in schema.content


@pytest.mark.parametrize("of", ["runs", "trainings"])
def test_the_schema_says_that_long_lists_come_in_pages(api, of) -> None:
    schema = api.get("/api/schema/", HTTP_ACCEPT="application/json").json()
    described = schema["paths"][f"/api/v1/studies/{{name}}/{of}/"]["get"]
    assert {"limit", "offset"} <= {one["name"] for one in described["parameters"]}
    answer = described["responses"]["200"]["content"]["application/json"]["schema"]
    assert "Paginated" in answer["$ref"]


def test_the_schema_is_made_without_a_warning(db) -> None:
    from django.core.management import call_command

    said = io.StringIO()
    call_command("spectacular", "--fail-on-warn", stdout=io.StringIO(), stderr=said)
    assert not said.getvalue()


@pytest.mark.parametrize("of", ["workers", "ratings", "votes"])
def test_what_people_gave_comes_in_pages(api, lake, of) -> None:
    page = api.get(f"/api/v1/studies/lake/{of}/?limit=2").json()
    assert set(page) == {"count", "next", "previous", "results"}


def test_single_ratings_say_their_fate(api, lake) -> None:
    page = api.get("/api/v1/studies/lake/ratings/").json()
    assert page["count"] == 8
    row = page["results"][0]
    assert (row["aspect"], row["value"], row["state"]) == ("coherence", 4, "imported")
    assert row["file"] == "outputs.csv"


def test_workers_are_codes(api, make_study) -> None:
    sit_down(make_study())
    (worker,) = api.get("/api/v1/studies/ferry/workers/").json()["results"]
    assert worker["worker"].startswith("w-") and worker["submitted"] == 0
    assert "secret-id" not in str(worker)


def sit_down(study: Study) -> None:
    lay_out(study)
    sit(study, "secret-id")


class TestQuality:
    URL = "/api/v1/studies/ferry/quality/"

    def test_what_is_left_out_stays(self, api, make_study) -> None:
        make_study()
        before = api.get(self.URL).json()
        sent = {"block_after": 3, "same_score": True}
        after = api.patch(self.URL, sent, format="json").json()
        assert after["version"] == before["version"] + 1
        assert (after["block_after"], after["same_score"]) == (3, True)
        assert after["rule"] == before["rule"]
        off = {"block_after": None, "same_score": False}
        after = api.patch(self.URL, off, format="json").json()
        assert (after["block_after"], after["same_score"]) == (None, False)

    def test_no_change_makes_no_version(self, api, make_study) -> None:
        make_study()
        assert api.patch(self.URL, {}, format="json").json()["version"] == 1

    def test_the_rules_of_the_page_hold(self, api, make_study) -> None:
        make_study()
        answer = api.patch(self.URL, {"on": "chosen"}, format="json")
        assert answer.json() == {"errors": ["chosen: Choose at least one aspect."]}
        answer = api.patch(self.URL, {"chosen": ["nothing"], "on": "chosen"}, "json")
        assert answer.status_code == 400

    def test_all_pages_are_checked_again_if_asked(self, api, make_study) -> None:
        study = make_study()
        sit_down(study)
        sent = {"same_score": True, "all_pages": True}
        assert api.patch(self.URL, sent, format="json").status_code == 200
        assert study.events.filter(verb__contains="judged").exists()

    def test_many_pages_are_checked_again_by_a_worker(
        self, api, make_study, monkeypatch
    ) -> None:
        monkeypatch.setattr("annotation.quality.applying.MOST_AT_ONCE", 0)
        monkeypatch.setattr("evalapp.work.dispatch.send", lambda task, pk, queue: None)
        study = make_study()
        lay_out(study)
        hand_in(sit(study, "ann"))
        assert api.get(self.URL).json()["applying"] is None
        sent = {"same_score": True, "all_pages": True}
        answer = api.patch(self.URL, sent, format="json")
        assert (answer.status_code, answer.json()["version"]) == (202, 2)
        assert answer.json()["applying"] == {
            **{"version": 2, "state": "queued", "done": 0, "total": 0, "error": ""}
        }
        refused = api.patch(self.URL, {"same_score": False}, format="json")
        assert refused.status_code == 400
        assert "Version 2 is still being applied" in refused.json()["errors"][0]
        applying.QUALITY.perform(pk=study.rejudging.pk, owner="me")
        done = api.get(self.URL).json()["applying"]
        assert (done["state"], done["done"], done["total"]) == ("done", 1, 1)


class TestMembers:
    URL = "/api/v1/studies/ferry/members/"

    def test_they_are_added_changed_and_removed(self, api, make_study, bob) -> None:
        make_study()
        added = api.post(self.URL, {"who": "bob", "role": "viewer"})
        assert added.status_code == 201, added.json()
        url = f"{self.URL}{added.json()['id']}/"
        assert api.patch(url, {"role": "editor"}).json()["role"] == "editor"
        roles = {one["username"]: one["role"] for one in api.get(self.URL).json()}
        assert roles == {"alice": "owner", "bob": "editor"}
        assert api.delete(url).status_code == 204
        assert len(api.get(self.URL).json()) == 1

    def test_the_only_owner_stays(self, api, make_study) -> None:
        own = make_study().members.get()
        answer = api.delete(f"{self.URL}{own.pk}/")
        assert "only owner" in answer.json()["errors"][0]
        answer = api.patch(f"{self.URL}{own.pk}/", {"role": "viewer"})
        assert answer.status_code == 400

    def test_a_new_study_says_what_you_are_in_it(self, api) -> None:
        made = api.post("/api/v1/studies/", {"name": "new-one"}, format="json")
        assert made.json()["role"] == "owner"


def test_a_plan_is_read_and_missed_where_there_is_none(api, make_study) -> None:
    study = make_study()
    url = "/api/v1/studies/ferry/plan/"
    assert api.get(url).json() == {"errors": ["The study has no analysis plan."]}
    Plan.objects.create(
        study=study,
        policy=study.current_policy(),
        aspect=study.aspects.first(),
        coefficient="pearson",
        grouping="none",
        metrics=[],
    )
    assert api.get(url).json()["aspect"] == "coherence"
