"""Recipes: what was chosen about a file, as text, checked like any input."""

from __future__ import annotations

import json

import pytest

from annotation.imports import Options, UploadError, recipes

GOOD = {
    "recipe": 1,
    "columns": ["id", "answer", "Q1"],
    "map": {"id": "key", "answer": "text", "Q1": "rating:coherence"},
    "values": {"coherence": {"Agree": 4, "99": ""}},
    "decimal": "comma",
    "encoding": "cp1252",
    "sheet": "Data",
    "cut": 80,
}


def wrong(**changed: object) -> str:
    with pytest.raises(UploadError) as error:
        recipes.checked({**GOOD, **changed})
    return " ".join(error.value.lines)


def test_a_recipe_is_read_as_it_was_written():
    assert recipes.read(recipes.as_text(GOOD)) == GOOD


def test_an_import_takes_what_it_chooses():
    options = Options.of(recipes.options_of(GOOD))
    assert (options.map["answer"], options.decimal, options.cut) == (
        *("text", "comma"),
        80,
    )
    assert options.values == {"coherence": {"Agree": 4, "99": ""}}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"recipe": 2}, '"recipe" is 1, the version of recipes; not "2"'),
        ({"recipe": True}, "the version of recipes"),
        ({"delimeter": ";"}, 'A recipe has no "delimeter"; there are recipe, columns'),
        ({"map": {"a": "txt"}}, 'Column "a" cannot be "txt"; there are'),
        ({"map": {"a": "rating"}}, 'Column "a" cannot be "rating"'),
        ({"map": {"a": "text:x"}}, 'Column "a" cannot be "text:x"'),
        ({"map": {"a": ["text"]}}, 'Column "a" cannot be'),
        ({"map": ["a"]}, "map says what each column is"),
        ({"values": {"c": {"Agree": 101}}}, "whole numbers from 0 to 100"),
        ({"values": {"c": {"Agree": True}}}, "whole numbers from 0 to 100"),
        ({"decimal": "dot"}, 'decimal is one of comma, point; not "dot"'),
        ({"encoding": "utf-99"}, "encoding is one of utf-8"),
        ({"encoding": []}, "encoding is one of"),
        ({"preset": "nobody"}, "preset is one of"),
        ({"sheet": 1}, "sheet is the name of a sheet"),
        ({"cut": 0}, "cut is a whole number from 1 to 10,000"),
        ({"cut": True}, "cut is a whole number"),
        ({"columns": "id"}, "columns is a list"),
        ({"sheet": "a\0b"}, "The recipe contains a NUL character"),
    ],
)
def test_what_is_wrong_is_said(changed, said):
    assert said in wrong(**changed)


@pytest.mark.parametrize("text", ["", "text=a", "[" * 100_000, "{", "NaN", "[1]", "3"])
def test_what_is_no_recipe_is_refused(text):
    with pytest.raises(UploadError, match="A recipe is"):
        recipes.read(text)


def test_one_without_columns_or_a_preset_says_nothing():
    with pytest.raises(UploadError, match="says with map what the columns are"):
        recipes.checked({"recipe": 1})


def test_one_that_is_too_large_is_not_parsed():
    with pytest.raises(UploadError, match="at most 1,048,576 bytes"):
        recipes.read(b" " * (recipes.LARGEST + 1))


def test_columns_are_the_same_in_any_order_and_case():
    digest = recipes.digest_of
    assert digest(["Id", "text "]) == digest(["text", "id"])
    assert digest(["a,b"]) != digest(["a", "b"])


def test_what_was_not_chosen_is_left_out():
    made = recipes.of_choices(["a"], {"map": {"a": "text"}, "sheet": "", "cut": None})
    assert json.loads(recipes.as_text(made)) == {
        "recipe": 1,
        "columns": ["a"],
        "map": {"a": "text"},
    }
