"""Errors that a judge marks, from a run to rows beside the texts and to the page."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from annotation.kinds.spans import schemes
from annotation.kinds.spans.scheme import MQM
from scoring import runs
from scoring.judging.ledger import Limit
from scoring.metrics import Example, Marked, MarkedError
from scoring.models import MetricReading, MetricRun, Score, Signature
from scoring.results import mark_names, study_arrays
from scoring.runs import marked_texts
from scoring.scores.examples import example_of
from tests.scoring.endpoints.servers import completion, message_of
from tests.scoring.working import work
from tests.support import judges
from tests.support.messages import catch

pytestmark = pytest.mark.django_db(transaction=True)
TEST = '{"reason": "So.", "score": 1}'


@pytest.fixture(autouse=True)
def nobody_is_woken(monkeypatch):
    catch(monkeypatch, "score_chunk", lambda pk: None)
    monkeypatch.setattr("scoring.endpoints.client.FIRST_PAUSE", 0.001)


@pytest.fixture
def study(make_study):
    return make_study(prompts=2)


@pytest.fixture
def serve(settings, tmp_path, monkeypatch):
    return partial(judges.serving, settings, tmp_path, monkeypatch)


def start(study, limit=1000, **options: Any) -> MetricRun:
    given = {"model": "endpoint:lab/tiny", "mode": "spans", **options}
    return runs.start(
        study=study, metric="llm_judge", options=given, limit=Limit(limit)
    )


def last_word(text: str) -> dict[str, Any]:
    word = text.split()[-1]
    return {"quote": word, "context": " ".join(text.split()[-3:]), "severity": "major"}


def judge(study, *more: dict[str, Any], bad: str = ""):
    """Marks the last word of each text; the text `bad` gets no readable answer."""
    texts = {example_of(text).text: text for text in study.generations.all()}

    def reply(body: Any, n: int) -> Any:
        message = message_of(body)
        if "nothing else" in message:
            return completion(TEST)
        full = next(full for full in texts if f"Text:\n{full}\n" in message)
        if texts[full].text == bad:
            return completion('{"errors": [', finish="length")
        error = last_word(texts[full].text)
        return completion(json.dumps({"errors": [error, *more]}))

    return reply


def test_marks_stand_on_the_words_of_the_stored_text(study, serve):
    with serve(judge(study)):
        run = start(study)
        work(run)
    assert (run.state, run.error) == ("done", "")
    readings = MetricReading.objects.filter(signature=run.signature)
    assert readings.count() == study.generations.count()
    for reading in readings.select_related("generation"):
        ((start_at, end, _, severity, side, words),) = reading.marks
        assert reading.generation.text[start_at:end] == words
        assert (end, severity, side) == (len(reading.generation.text), "major", "text")
    penalties = Score.objects.filter(signature=run.signature, output="errors")
    assert set(penalties.values_list("value", flat=True)) == {5.0}


def test_a_text_without_a_readable_answer_is_missing(study, serve):
    text = study.generations.first()
    with serve(judge(study, bad=text.text)):
        run = start(study)
        work(run)
    assert not text.metric_readings.exists()
    score = Score.objects.get(generation=text, output="errors")
    assert score.value is None and score.reason


def test_errors_without_a_place_are_kept_with_their_words(study, serve):
    lost = {"quote": "no such words", "severity": "minor"}
    with serve(judge(study, lost)):
        work(start(study))
    for reading in MetricReading.objects.all():
        assert reading.unplaced == [["absent", "no such words"]]


def test_the_judge_is_asked_for_what_people_mark(study, serve):
    study.page_kinds = ["spans"]
    study.save()
    schemes.keep(study, MQM, "mqm")
    error = {"category": "style", "quote": "nowhere", "severity": "neutral"}

    def reply(body: Any, n: int) -> Any:
        is_test = "nothing else" in message_of(body)
        return completion(TEST if is_test else json.dumps({"errors": [error]}))

    with serve(reply) as server:
        run = start(study)
        work(run)
    asked = message_of(server.asked[-1])
    assert "- locale-convention" in asked and "- neutral" in asked
    assert json.loads(run.options["scheme"])["most"] == MQM.most
    assert MetricReading.objects.exists()


def test_a_second_run_asks_nobody_and_marks_nothing_twice(study, serve):
    with serve(judge(study)) as server:
        work(start(study))
        n, before = len(server.asked), list(MetricReading.objects.values_list("pk"))
        again = start(study)
        work(again)
        assert len(server.asked) <= n + 1  # the test question
    assert list(MetricReading.objects.values_list("pk")) == before


def test_two_judges_have_two_names(study, serve):
    with serve(judge(study)):
        work(start(study))
        work(start(study, prompt="Text:\n{text}\n\n{question}"))
    names = mark_names.of_study(study)
    assert len({*names.values()}) == len(names) == 2
    data = study_arrays.load(study=study, needs={"marks"})
    assert set(data.metric_marks.metric.tolist()) <= set(names.values())


def test_a_name_that_a_file_has_taken_gets_an_addition(study):
    text = study.generations.first()
    signature = Signature.objects.create(
        digest="d" * 64, text="llm_judge|v:4", metric="llm_judge", outputs=[]
    )
    for metric, signed in (("LLM judge", None), ("d" * 64, signature)):
        MetricReading.objects.create(
            generation=text, metric=metric, signature=signed, marks=[]
        )
    assert len({*mark_names.of_study(study).values()}) == 2


@pytest.mark.parametrize("prefix", ["", "An opening"])
def test_places_are_moved_where_a_text_is_stored_without_its_opening(study, prefix):
    text = study.generations.first()
    shown = f"{prefix} {text.text}" if prefix else text.text
    n = len(shown) - len(text.text)
    good = MarkedError(n, n + 1, "", "", "text", text.text[0])
    in_opening = MarkedError(n - 2, n, "", "", "text", "g ")
    example = Example(shown, prefix=prefix)
    [reading] = marked_texts.rows(
        Signature(digest="d"), [text], [example], [Marked((good, in_opening))]
    )
    assert reading.marks == [[0, 1, "", "", "text", text.text[0]]]
    assert reading.unplaced == [["absent", "g "]]


def test_the_page_of_a_text_shows_what_the_judge_was_asked_and_answered(
    study, serve, client, alice
):
    with serve(judge(study)):
        run = start(study)
        work(run)
    client.force_login(alice)
    text = study.generations.first()
    address = f"/studies/ferry/results/explain/{run.signature_id}/?key={text.key}"
    answer = client.get(address)
    assert answer.status_code == 200
    page = answer.content.decode()
    assert text.text.split()[-1] in page and "&quot;errors&quot;" in page


def test_people_choose_the_mode_and_agree_before_any_text_is_sent(
    study, serve, client, alice
):
    client.force_login(alice)
    fields = {
        "llm_judge-model": "endpoint:lab/tiny",
        "llm_judge-mode": "spans",
        "llm_judge-dtype": "float32",
        "llm_judge-chat": "on",
    }
    with serve(judge(study)) as server:
        page = client.post("/studies/ferry/metrics/with/llm_judge/", fields)
        assert page.status_code == 200 and server.asked == []
    html = page.content.decode()
    assert "endpoint:lab/tiny" in html or "tiny on lab" in html
    assert f"{study.generations.count() + 1}" in html  # calls, with the test question
