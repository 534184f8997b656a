"""Metrics read the turns before as the source, without a word of dialogues."""

from __future__ import annotations

import io
import json
import math

import pytest

from annotation import imports
from scoring.metrics import Example, get
from scoring.metrics._learning.training import MODEL, TrainingData
from scoring.metrics.union import UNION
from scoring.scores.examples import example_of
from tests.scoring.metrics.human_texts import stories
from tests.scoring.metrics.tiny_encoder import tiny_encoder

SAME = "Yes, the food was very good and I liked it."
ASKED = ("Did you like the restaurant?", "What is the name of your brother?")
SMALL, NANO = "bundled:causal-small", "bundled:causal-nano"


@pytest.fixture
def turns(alice) -> list[Example]:
    """The same answer to two questions, and no dialogue around them."""
    told = [
        {
            "key": f"d{n}",
            "system": "bot",
            "messages": [
                {"role": "user", "content": "Hi!"},
                {"role": "bot", "content": "Hello.", "marked": False},
                {"role": "user", "content": asked},
                {"role": "bot", "content": SAME, "marked": True},
            ],
        }
        for n, asked in enumerate(ASKED)
    ]
    study = imports.run(
        study_name="talks",
        format="jsonl",
        file=io.BytesIO("\n".join(map(json.dumps, told)).encode()),
        file_name="talks.jsonl",
        owner=alice,
    ).study
    rows = study.generations.exclude(turn=None).order_by("pk")
    return [example_of(row) for row in rows]


def test_the_source_of_a_turn_is_what_was_said_before(turns):
    assert [one.source for one in turns] == [
        f"User: Hi!\nBot: Hello.\nUser: {asked}" for asked in ASKED
    ]
    assert {(one.text, one.prefix) for one in turns} == {(SAME, "")}


@pytest.mark.parametrize(
    ("metric", "output", "options"),
    [
        ("cdm", "mean", {"expert": SMALL, "amateur": NANO}),
        ("bartscore", "faithfulness", {"model": "bundled:infill-small"}),
        ("llm_judge", "quality", {"model": SMALL}),
    ],
)
def test_one_answer_to_two_questions_has_two_scores(turns, metric, output, options):
    scorer = get(metric)(**options).load("cpu")
    one, other = scorer(turns).values[output].tolist()
    assert math.isfinite(one) and math.isfinite(other)
    assert one != other
    alone = scorer([Example(SAME), Example(SAME)]).values[output]
    assert alone.tolist() != [one, other]


def test_union_reads_them_where_its_checkpoint_does(turns, tmp_path):
    base = str(tiny_encoder(tmp_path / "encoder"))
    data = TrainingData(stories(60), sources=[f"User: {n}?" for n in range(60)])
    told = {"epochs": 1, "held_out": 0.2, "base": base, "reads": "source"}
    assert UNION.train(data, tmp_path / "trained", lambda step: None, **told)
    scorer = get("union")(model=str(tmp_path / "trained" / MODEL)).load("cpu")
    found = scorer(turns)
    assert len(set(found.values["union"].tolist())) == 2
    assert found.notes == ()
