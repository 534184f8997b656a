"""The page of a run shows the steps and the rated texts that its judge was told."""

from __future__ import annotations

import pytest

from scoring import runs
from scoring.judging import judge_prompt
from scoring.metrics import get
from scoring.metrics.judge import questions, rubric
from scoring.models import MetricRun
from tests.support.messages import catch
from tests.support.scored import rate

pytestmark = pytest.mark.django_db
STEPS = "1. Read the <b>text</b>."


@pytest.fixture
def study(make_study, monkeypatch):
    """Ten texts of five beginnings, rated 1 to 5."""
    catch(monkeypatch, "score_chunk", lambda pk: None)
    made = make_study(prompts=10, systems=("a",), aspects=("coherence",))
    rate(made, "coherence", [[k % 5 + 1] for k in range(10)])
    return made


def started(study, **options) -> MetricRun:
    given = {"model": "bundled:causal-small", **options}
    return runs.start(study=study, metric="llm_judge", options=given)


def test_the_examples_are_those_of_the_signature(study):
    run = started(study, examples=2, examples_seed=1)
    (told,) = judge_prompt.of(run)
    judge = get("llm_judge")(**run.options)
    beside = judge._rubric()
    rows = beside.rated["coherence"]
    assert [one.key for one in told.examples] == [row.id for row in rows]
    assert [one.spare for one in told.examples][:3] == [False, False, True]
    (asked,) = judge._questions()
    digest = [
        [
            *("coherence", one.number, one.text, row.example.prefix),
            *(row.example.label, row.example.source, *row.example.references),
        ]
        for one, row in zip(told.examples, rows, strict=True)
    ]
    assert beside.contents((asked,))["rated"] == questions.digest(digest)


def test_a_text_has_the_number_that_people_gave_it(study):
    (told,) = judge_prompt.of(started(study, examples=2))
    texts = dict(study.generations.values_list("key", "text"))
    keys = list(study.generations.order_by("pk").values_list("key", flat=True))
    for one in told.examples:
        assert one.number == keys.index(one.key) % 5 + 1
        assert texts[one.key] in one.text


def test_each_question_has_its_own_steps(study):
    steps = rubric.written({"a": "Look.", "b": "Think."})
    run = started(study, aspects="a: Good?\nb: Fair?", steps=steps)
    assert [one.steps for one in judge_prompt.of(run)] == ["Look.", "Think."]


@pytest.mark.parametrize(
    "fields", [{}, {"metric": "length"}, {"options": {"gone": 1}}, {"metric": "gone"}]
)
def test_where_nothing_was_told_there_is_nothing(study, fields):
    run = started(study)
    for name, value in fields.items():
        setattr(run, name, value)
    assert judge_prompt.of(run) == []


def test_the_page_has_them_once_and_escaped(study, client, alice):
    client.force_login(alice)
    run = started(study, examples=2, steps=STEPS)
    page = client.get(run.get_absolute_url()).content.decode()
    assert "What the judge was told" in page
    assert page.count("1. Read the &lt;b&gt;text&lt;/b&gt;.") == 1
    for one in judge_prompt.of(run)[0].examples:
        assert one.key in page
