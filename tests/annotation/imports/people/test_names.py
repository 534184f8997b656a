"""What columns are called: metrics, raters and aspects, in the languages people use."""

from __future__ import annotations

import unicodedata

import pytest

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import checked

DECIMALS = (0.123, 0.456, 0.789)
RATINGS = (1, 2, 3, 4, 5)


def sheet_with(names: tuple[str, ...], *cells: tuple[object, ...]) -> imports.Sheet:
    rows = [
        (f"A text with number {n}.", *(some[n % len(some)] for some in cells))
        for n in range(12)
    ]
    return checked(given.table(("text", *names), rows))


@pytest.mark.parametrize(
    "name",
    [
        *("rougeL_f", "rouge1_fmeasure", "rougeLsum", "ROUGE-L", "BERTScore_F1"),
        *("bert_score_f1", "sacrebleu", "SacreBLEU", "self-bleu", "BLEU-4", "comet22"),
        *("wmt22-comet-da", "chrF++", "bart_score", "mover_score", "distinct-2"),
        *("dist_1", "G-Eval", "geval_coherence", "summac_zs", "NIST", "SARI"),
    ],
)
@pytest.mark.parametrize("cells", [DECIMALS, RATINGS])
def test_a_metric_is_known_however_it_is_written(name, cells):
    sheet = sheet_with((name,), cells)
    assert sheet.counts.metrics == {name: 12}
    assert (sheet.counts.ratings, sheet.questions) == (0, [])


@pytest.mark.parametrize(
    "names",
    [
        ("fluency_grammar", "content_quality", "overall_coherence"),
        ("content_quality", "style_quality"),
        ("quality_content", "quality_style", "quality_overall"),
        ("quality of grammar", "quality of content"),
        ("Sprache Qualität", "Inhalt Qualität"),
    ],
)
def test_parts_of_an_aspect_are_no_raters(names):
    sheet = sheet_with(names, *[RATINGS[n:] for n in range(len(names))])
    assert {r.rater for row in sheet.rows for r in row.ratings} == {""}
    assert len(sheet.counts.aspects) == len(names)
    assert sheet.questions == []


@pytest.mark.parametrize(
    "name",
    [
        *("Bewerter", "Bewerterin", "Annotator:in", "Annotator*in", "Kodierer"),
        *("évaluateur", "annotateur", "juge", "anotador", "Evaluadora", "anotador_id"),
        *("avaliador", "valutatore", "оценщик", "评分者", "评委", "标注者", "評価者"),
        *("평가자", "rater_name", "Rater ID"),
    ],
)
def test_who_rates_is_known_in_other_languages(name):
    sheet = sheet_with((name, "coherence"), ("ann", "ben", "cat"), RATINGS)
    raters = {r.rater for row in sheet.rows for r in row.ratings}
    assert raters == {"ann", "ben", "cat"}


@pytest.mark.parametrize("name", ["评委", "Bewerter ", "évaluateur ", "anotador_"])
def test_numbered_raters_in_other_languages_are_raters(name):
    columns = tuple(f"coherence_{name}{n}" for n in (1, 2))
    sheet = sheet_with(columns, RATINGS, RATINGS[::-1])
    assert len({r.rater for row in sheet.rows for r in row.ratings}) == 2
    assert list(sheet.counts.aspects) == ["coherence"]
    assert sheet.questions == []


@pytest.mark.parametrize(
    "name",
    [
        *("Kohärenz", "Flüssigkeit", "Relevanz", "Qualität", "Verständlichkeit"),
        *("cohérence", "fluidité", "pertinence", "coherencia", "fluidez", "calidad"),
        *(
            "coerenza",
            "fluidità",
            "связность",
            "качество",
            "流畅度",
            "连贯性",
            "相关性",
        ),
        *("流暢性", "一貫性", "유창성", "일관성"),
    ],
)
def test_aspects_are_known_in_other_languages(name):
    for written in (name, unicodedata.normalize("NFD", name)):
        sheet = sheet_with((written,), RATINGS)
        assert (sheet.counts.ratings, sheet.questions) == (12, [])


def test_names_that_nobody_knows_are_still_asked_about():
    sheet = sheet_with(("fluency_ann", "fluency_ben"), RATINGS, RATINGS[::-1])
    assert {one.code for one in sheet.questions} == {"ratings"}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Coherence", "coherence"),
        ("x" * 50, "x" * 50),
        ("流畅度", "aspect-e3184a"),
    ],
)
def test_keys_of_aspects_are_letters_of_addresses(name, key):
    rows = [(f"The lake number {n} is deep.", 1 + n % 5) for n in range(6)]
    sheet = checked(given.table(("text", f"rating:{name}"), rows))
    assert list(sheet.counts.aspects.items()) == [(key, name)]


def test_two_long_questions_with_one_beginning_are_two_aspects():
    begin = "Is what the generated summary says about the outcome the same as"
    header = (
        "text",
        f"rating:{begin} in the target?",
        f"rating:{begin} in the source?",
    )
    rows = [(f"The lake number {n} is deep.", 1, 5) for n in range(6)]
    sheet = checked(given.table(header, rows))
    first, second = sheet.counts.aspects
    assert first != second and len(first) == len(second) == 50
    assert {r.aspect: r.value for r in sheet.rows[0].ratings} == {first: 1, second: 5}
