"""Each preset on a small file of its shape, and on the real one where it is there."""

from __future__ import annotations

import io
import json

import pytest

from annotation import imports
from annotation.models import Aspect, System
from tests.annotation.imports import given
from tests.support import shared

SUMMEVAL = {
    **{"id": "dm-test-8764fb95bfad8ee849274873a92fb8d6", "decoded": "A summary."},
    **{"model_id": "M11", "references": ["One.", "Two."], "text": "An article."},
    "expert_annotations": [
        {"coherence": 4, "consistency": 5, "fluency": 3, "relevance": 2},
        {"coherence": 2, "consistency": 5, "fluency": 5, "relevance": 1},
    ],
    "turker_annotations": [{"coherence": 1}],
}
NEWSROOM = (
    *("ArticleID", "System", "ArticleText", "SystemSummary", "ArticleTitle"),
    *("CoherenceRating", "FluencyRating", "InformativenessRating", "RelevanceRating"),
)
USR = {
    **{"context": "Hi there.", "fact": "A fact.", "annotators": ["sm", "er"]},
    "responses": [
        {"response": "Yes.", "model": "Original Ground Truth", "Natural": [3, 2]},
        {"response": "No.", "model": "Argmax", "Natural": [1, 1]},
    ],
}
MANS = {
    "125": {
        "prompt": "A girl ran.",
        "gold_response": "She won.",
        "gen": {
            "gpt": {"text": "She fell.", "score": [3, 4, 4, 4, 5]},
            "s2s": {"text": "Ran ran.", "score": [1, 1, 1, 2, 2]},
        },
    },
    "126": {
        "prompt": "A dog ran.",
        "gold_response": "It won.",
        "gen": {"gpt": {"text": "It fell.", "score": [3, 4, 4, 4, 5]}},
    },
}
MQM = [
    ("gpt", "d", 1, 1, "r1", "Quelle.", "A <v>bad</v> text.", "Accuracy", "Major"),
    ("gpt", "d", 1, 1, "r1", "Quelle.", "A bad <v>text</v>.", "Style", "Minor"),
    ("gpt", "d", 1, 1, "r2", "Quelle.", "A bad text.", "No-error", "no-error"),
]
MQM_HEADER = "system doc doc_id seg_id rater source target category severity".split()
STUDIO = [
    {
        "data": {"text": "A text.", "model": "gpt"},
        "annotations": [
            {
                "completed_by": 7,
                "result": [
                    {"from_name": "fluency", "type": "rating", "value": {"rating": 4}},
                    {"from_name": "clear", "value": {"choices": ["2"]}},
                ],
            },
            {"completed_by": {"email": "b@x.org"}, "was_cancelled": True},
        ],
    }
]


def potato(name: str, value: int) -> bytes:
    labels = {"fluency": {f"scale_{value}": str(value)}}
    one = {"id": "1", "displayed_text": "A text.", "label_annotations": labels}
    return json.dumps(one).encode()


def read(content: bytes) -> imports.Sheet:
    options = {"scale": imports.AUTO}
    return imports.read(format="columns", file=io.BytesIO(content), options=options)


def newsroom() -> bytes:
    row = (1, "abs", "An article.", "A summary.", "Title", 4, 5, 3, 2)
    return given.table(NEWSROOM, [row, (*row[:5], 1, 2, 3, 4)])


@pytest.mark.parametrize(
    ("preset", "content", "texts", "ratings"),
    [
        ("hanna", given.hanna(), 4, 72),
        ("summeval", given.jsonl(SUMMEVAL), 1, 8),
        ("newsroom", newsroom(), 1, 8),
        ("usr", json.dumps([USR]).encode(), 2, 4),
        ("mans", json.dumps(MANS).encode(), 3, 15),
        ("mans", json.dumps(MANS, indent=4).encode(), 3, 15),
        ("ctrleval", b"positive\tOnce\tOnce it was.\t4.4\t2.4\t3.2\n", 1, 0),
        ("wmt_mqm", given.table(MQM_HEADER, MQM, "\t"), 1, 0),
        ("wmt_da", b"src,mt,ref,raw,annotators\na,b,c,74.5,2\n", 1, 0),
        ("label_studio", json.dumps(STUDIO).encode(), 1, 2),
        ("potato", potato("ann", 4), 1, 1),
        (
            "potato",
            given.packed(ann___a__jsonl=potato("a", 4), ben___a__jsonl=potato("b", 2)),
            1,
            2,
        ),
    ],
)
def test_a_file_is_recognised_and_its_ratings_are_read(preset, content, texts, ratings):
    sheet = read(content)
    assert sheet.preset == preset
    assert (sheet.counts.texts, sheet.counts.ratings) == (texts, ratings)


def test_every_preset_has_a_description_and_a_title():
    for preset in imports.PRESETS.values():
        assert preset.title and preset.help.strip()


def test_raters_keep_their_names():
    (row,) = read(json.dumps(STUDIO).encode()).rows
    assert {rating.rater for rating in row.ratings} == {"annotator 7"}
    first, _ = read(json.dumps([USR]).encode()).rows
    assert {rating.rater for rating in first.ratings} == {"sm", "er"}


def test_penalties_are_the_mean_over_raters():
    (row,) = read(given.table(MQM_HEADER, MQM, "\t")).rows
    assert row.text == "A bad text."
    assert row.means == [("mqm-penalty", 3.0, 2)]  # (5 + 1) and 0


def test_ctrleval_s_means_are_of_five_ratings():
    (row,) = read(b"positive\tOnce\tOnce it was.\t4.4\t2.4\t3.2\n").rows
    assert row.means[0] == ("coherence", 4.4, 5)
    assert (row.label, row.prefix, row.system) == ("positive", "Once", "")


def made(content: bytes, name: str = "lake") -> imports.ImportResult:
    return imports.run(
        study_name=name,
        format="columns",
        file=io.BytesIO(content),
        file_name="a",
        owner=None,
        options={"scale": imports.AUTO},
    )


@pytest.mark.django_db
def test_a_study_gets_the_scale_the_people_and_the_directions_of_its_preset():
    study = made(given.table(MQM_HEADER, MQM, "\t")).study
    assert study.scale == range(26)
    assert not Aspect.objects.get().higher_is_better
    assert Aspect.objects.get().title == "MQM penalty"
    made(json.dumps([USR]).encode(), "pond")
    human = System.objects.filter(kind=System.Kind.HUMAN)
    assert [system.name for system in human] == ["Original Ground Truth"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "preset", "said"),
    [
        ("newsroom/ratings.json", "judge_bench", "420 texts of unknown systems"),
        ("usr_topicalchat/tc_usr_data.json", "usr", "360 texts of 6 systems"),
        ("openmeva_mans/mans_roc.json", "mans", "1,000 texts of 5 systems"),
        ("ctrleval/data_senti.txt", "ctrleval", "360 texts of unknown systems"),
    ],
)
def test_the_real_file(name, preset, said):
    result = made(shared.path(f"data/{name}").read_bytes())
    assert said in str(result)
    assert result.record.options["preset"] == preset
    assert result.study.is_rated_elsewhere
