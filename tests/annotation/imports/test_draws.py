"""Which texts a study drew at random goes out with its texts, and comes in again."""

from __future__ import annotations

import io

import pytest

from annotation import exports, imports, surveys
from annotation.imports import Asked, UploadError
from annotation.models import Study
from scoring.results import part_arrays

pytestmark = pytest.mark.django_db
HEADER = "prefix,label,system,text,asked,probability,stratum"


@pytest.fixture
def drawn(make_study) -> Study:
    study = make_study(prompts=10, rated_share=30)
    surveys.open_study(study=study)
    return study


def draws(study: Study) -> dict[str, tuple]:
    rows = study.generations.values_list("key", "asked", "probability", "stratum")
    return {key: tuple(rest) for key, *rest in rows}


def bring(content: str, **given) -> Study:
    file = io.BytesIO(content.encode())
    if "study" not in given:
        given = {"study_name": "again", "owner": None, **given}
    read = imports.into if "study" in given else imports.run
    return read(file=file, **given).study


def as_arrays(study: Study):
    texts = study.generations.order_by("pk").values_list(*part_arrays.FIELDS)
    return part_arrays.of_texts(*zip(*texts, strict=True))


@pytest.mark.parametrize(("kind", "suffix"), [("csv", "csv"), ("jsonl", "jsonl")])
def test_an_export_that_is_imported_has_the_same_draw(drawn, kind, suffix):
    content = "".join(exports.WRITERS[kind](exports.texts(study=drawn)))
    other = bring(content, format="columns", file_name=f"texts.{suffix}")
    assert draws(other) == draws(drawn)
    assert {row[0] for row in draws(other).values()} == {True, False}
    before, after = map(as_arrays, (drawn, other))
    assert before.asked.tolist() == after.asked.tolist()
    assert before.probability.tolist() == after.probability.tolist()


def test_a_study_that_asks_about_all_texts_exports_none(make_study):
    rows = list(exports.texts(study=make_study()))
    assert {(r["asked"], r["probability"], r["stratum"]) for r in rows} == {
        (None, None, None)
    }


def test_where_people_rate_an_imported_draft_it_draws_for_itself(drawn):
    content = "".join(exports.as_csv(exports.texts(study=drawn)))
    other = bring(content, format="columns", file_name="texts.csv")
    assert surveys.drawing.needs_drawing(other)
    other.damaged_texts = "none"
    other.save()
    surveys.draw(study=other)
    assert set(draws(other).values()) == {(None, None, None)}


@pytest.mark.parametrize("line", ['"asked": true, "probability": 0.5, "stratum": 0'])
def test_lines_of_json_have_fields_for_it(line):
    text = '{"prefix": "", "label": null, "system": "a", "text": "It rained.", %s}'
    study = bring(text % line, format="jsonl", file_name="t.jsonl")
    assert draws(study) == {"t-0001": (True, 0.5, 0)}


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("maybe,.5,0", "asked must be true or false, not "),
        ("true,0,0", "probability must be above 0 and up to 1, not "),
        ("true,1.1,0", "probability must be above 0 and up to 1, not "),
        ("true,.5,", "stratum must be a whole number from 0, not "),
        ("true,.5,x", "stratum must be a whole number from 0, not "),
        (",.5,0", "asked must be true or false, not "),
    ],
)
def test_half_a_draw_is_refused(cells, said):
    content = f"{HEADER}\nx,,a,It rained.,{cells}\n"
    with pytest.raises(UploadError) as error:
        bring(content, format="csv", file_name="t.csv")
    assert error.value.lines[0].startswith(f"line 2: {said}")


def test_a_stratum_has_one_probability():
    content = f"{HEADER}\nx,,a,One.,true,.5,0\ny,,a,Two.,false,.4,0\n"
    with pytest.raises(UploadError, match="0.4, but 0.5 on line 2"):
        bring(content, format="csv", file_name="t.csv")


def test_a_study_with_texts_draws_for_itself(drawn):
    surveys.pause(study=drawn)
    content = f"{HEADER}\nx,positive,a,One.,true,.5,9\n"
    with pytest.raises(UploadError, match="so it draws from these itself"):
        bring(content, study=drawn, format="csv", file_name="t.csv")


def test_a_column_called_probability_alone_is_no_draw():
    content = "text,system,probability\nIt rained.,a,0.3\nIt snowed.,b,0.4\n"
    with pytest.raises(Asked, match="probability"):
        bring(content, format="columns", file_name="t.csv")
    study = bring(content, format="columns", file_name="t.csv", options={"yes": True})
    assert set(draws(study).values()) == {(None, None, None)}
