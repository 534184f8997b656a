"""What columns are taken for, by hand and by themselves, and the rows they make."""

from __future__ import annotations

import io

import pytest

from annotation import imports
from tests.annotation.imports import given


def checked(content: bytes | str, **options) -> imports.Sheet:
    content = content.encode() if isinstance(content, str) else content
    options = {"scale": imports.AUTO, **options}
    return imports.check(format="columns", file=io.BytesIO(content), options=options)


def guessed(content: str | bytes) -> dict[str, str]:
    content = content.encode() if isinstance(content, str) else content
    source = imports.Source(io.BytesIO(content), imports.limits(), imports.Problems())
    return imports.opened(source).mapping


def causes(sheet: imports.Sheet) -> list[str]:
    return [cause.example for cause in sheet.problems.causes()]


@pytest.mark.parametrize(
    ("header", "cells", "roles"),
    [
        (
            "id,model,prompt,output",
            "1,gpt,Say it.,It is said.",
            ["key", "system", "prompt", "text"],
        ),
        (
            "Model Name,Generated_Text,Fluency,BLEU",
            "gpt,A text.,4,0.31",
            ["system", "text", "rating:Fluency", "score:BLEU"],
        ),
        (
            "article,summary,coherence,annotator",
            "Long.,Short.,4.33,ann",
            ["source", "text", "mean:coherence", "rater"],
        ),
        ("prompt,output", "Once upon,Once upon a time.", ["prefix", "text"]),
        ("comments,n", "What a long text this is.,3", ["text", "ignore"]),
        (
            "text,rating:clear,mean:fun",
            "A.,4,4.5",
            ["text", "rating:clear", "mean:fun"],
        ),
        ("src,mt,ref,lang", "a,b,c,de", ["source", "text", "reference", "ignore"]),
        ("src,mt,pe", "a,b,c", ["source", "text", "edited"]),
    ],
)
def test_columns_are_taken_for_what_they_are_called_and_hold(header, cells, roles):
    assert [*guessed(f"{header}\n{cells}\n").values()] == roles


def test_an_id_that_stands_twice_is_no_id():
    assert guessed("id,text\n1,A.\n1,B.\n")["id"] == "ignore"


def test_a_mapping_by_hand_counts():
    sheet = checked("a,b\nOne.,x\n", map={"a": "text", "b": "system"})
    (row,) = sheet.rows
    assert (row.text, row.system) == ("One.", "x")


def test_prompt_and_source_are_both_shown_beside_the_text():
    sheet = checked("prompt,article,summary\nSum up.,Long.,Short.\n")
    assert sheet.rows[0].source == "Sum up.\n\nLong."


def test_the_order_of_columns_is_that_of_the_file_not_of_what_was_said():
    roles = {"b": "reference", "long": "reference", "t": "text", "story": "source"}
    header, cells = "t,story,a,long,b", "T.,S.,A.,L.,B."
    said = {"a": "prompt", **roles}
    row = checked(f"{header}\n{cells}\n", map=said).rows[0]
    assert row.references == ["L.", "B."]
    assert row.source == "A.\n\nS."  # what was asked for is shown first


def test_rows_of_several_raters_are_put_together():
    rows = [("A.", "ann", 4), ("B.", "ann", 2), ("A.", "ben", 5)]
    sheet = checked(given.table(("text", "rater", "coherence"), rows))
    first, second = sheet.rows
    assert first.ratings == [("coherence", "ann", 4), ("coherence", "ben", 5)]
    assert len(second.ratings) == 1 and sheet.counts.ratings == 3


def test_the_same_rater_twice_is_a_duplicate_under_one_id():
    rows = [("x", "A.", "ann", 4), ("x", "A.", "ann", 5)]
    sheet = checked(given.table(("id", "text", "rater", "coherence"), rows))
    assert "rated again by the same rater" in causes(sheet)[0]


def test_an_id_of_two_texts_is_told():
    rows = [(1, "A.", 4), (1, "B.", 5)]
    mapping = {"id": "key", "text": "text", "q": "rating:q"}
    sheet = checked(given.table(("id", "text", "q"), rows), map=mapping)
    assert "with another text" in causes(sheet)[0]


@pytest.mark.parametrize("cell", ["4;5;3", "[4, 5, 3]"])
def test_one_cell_may_hold_the_ratings_of_several(cell):
    sheet = checked(f'text,q\nA.,"{cell}"\n', map={"text": "text", "q": "rating:q"})
    assert [rating.value for rating in sheet.rows[0].ratings] == [4, 5, 3]


def test_each_cause_is_told_once_with_its_lines():
    rows = [(n, "" if n % 2 else "Text.", n) for n in range(20)]
    sheet = checked(
        given.table(("id", "text", "x"), rows), map={"text": "text", "id": "key"}
    )
    (cause,) = sheet.problems.causes()
    assert cause.example == (
        "Column “text” is empty: without a text, a row needs its system and its prompt"
        " or source"
    )
    assert (cause.n, cause.lines, cause.more) == (10, [3, 5, 7, 9, 11], 5)


@pytest.mark.parametrize(
    ("header", "cells", "said"),
    [
        ("text,coherence", "A.,4\nB.,3\nC.,good", "must be a whole number, but is"),
        ("text,log prob", "A.,x", "Column “log prob” must be a number"),
        ("text,system", f"A.,{'x' * 101}", "has 101 characters. A system may"),
        ("text,sample", "A.,1\nB.,x", "must be 1, 2, 3"),
        ("text,coherence", "A.,4\nB.,400", "outside the scale from 0 to 100"),
    ],
)
def test_a_wrong_cell_is_told_with_its_column_and_what_to_do(header, cells, said):
    names = dict.fromkeys(header.split(","), "")
    mapping = {
        **{"text": "text", "system": "system", "sample": "sample"},
        **{"coherence": "rating:coherence", "log prob": "log_probability"},
    }
    chosen = {name: mapping[name] for name in names}
    assert said in causes(checked(f"{header}\n{cells}\n", map=chosen))[0]


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({"a": "system"}, "Choose the column that has the texts"),
        ({"a": "text", "b": "text"}, "Choose one column as"),
        ({"a": "text", "b": "rating:"}, "Say what column"),
        ({"a": "text", "z": "system"}, "There is no column"),
        ({"a": "text", "b": "poem"}, "cannot be"),
    ],
)
def test_a_mapping_that_will_not_do_is_told(mapping, said):
    assert said in " ".join(causes(checked("a,b\nx,y\n", map=mapping)))


@pytest.mark.parametrize(
    ("values", "scale"),
    [((1, 5), (1, 5)), ((1, 7), (1, 7)), ((0, 1), (0, 1)), ((0, 100), (0, 100))],
)
def test_the_usual_scale_that_all_ratings_fit(values, scale):
    rows = [(f"Text {value}.", value) for value in values]
    sheet = checked(
        given.table(("text", "q"), rows), map={"text": "text", "q": "rating:q"}
    )
    found = sheet.scale(imports.Options.of({"scale": "auto"}))
    assert (found[0], found[-1]) == scale


def test_bad_lines_are_left_out_on_request_only(db):
    content = b'{"text": "A."}\n{"text": \n{"text": "B."}\n'
    made = {"format": "columns", "file_name": "a.jsonl", "owner": None}
    with pytest.raises(imports.UploadError):
        imports.run(study_name="lake", file=io.BytesIO(content), **made)
    result = imports.run(
        study_name="lake",
        file=io.BytesIO(content),
        options={"leave_out": True},
        **made,
    )
    assert (result.n_texts, result.n_left_out) == (2, 1)
    assert "1 line left out." in str(result)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_texts():
    import tracemalloc

    def peak(n: int) -> int:
        line = "id,text\n" + "".join(f"{i},{i} {'word ' * 400}\n" for i in range(n))
        content = line.encode()
        tracemalloc.start()
        try:
            checked(content)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    # 16 MB of texts more, of which some hashes are kept.
    assert peak(10_000) - peak(2_000) < 8 * 2**20
