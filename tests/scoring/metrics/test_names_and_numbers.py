"""Names and numbers that texts share with references: cases worked by hand."""

import math

import pytest

from scoring.metrics import Example, get
from scoring.metrics.names_and_numbers import names, numbers


def score(text, *references, **options):
    scorer = get("names_and_numbers")(**options).load()
    scores = scorer([Example(text, references=references)])
    return (
        {key: values.item() for key, values in scores.values.items()},
        {key: reasons[0] for key, reasons in scores.reasons.items()},
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. Nobody came.", set()),
        ("We met Ann Lee and Jean-Luc O'Brien.", {"ann", "lee", "jean-luc", "o'brien"}),
        ("In Ann’s house and at McDonald's", {"ann", "mcdonald"}),
        ("The U.S. and the US", {"us"}),
        ("Dr. Watson and I came; I'm late.", {"watson"}),
        ("We read The Times at the BBC.", {"times", "bbc"}),
        ('He said: "Nobody came." Then (Nobody else) left', set()),
        ("Ça va, Zoë Ångström?", {"zoë", "ångström"}),
        ("الليل 夜", set()),
    ],
)
def test_a_capital_inside_a_sentence_makes_a_name(text, expected):
    assert names(text, "")[0] == expected


class TestWhereASentenceBegins:
    def test_a_name_is_known_from_elsewhere_in_the_text(self):
        assert names("Rome is old. We saw Rome.", "")[0] == {"rome"}
        assert names("Rome is old.", "")[0] == set()

    def test_a_name_is_known_from_the_other_side(self):
        assert names("Rome is old.", "We saw Rome.") == ({"rome"}, {"rome"})
        assert names("We saw Rome.", "Rome is old.") == ({"rome"}, {"rome"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("none at all, not one", set()),
        ("7 of 1,000 for $2.50 at 007%", {"7", "1000", "2.5"}),
        ("from 9:30 to 12.0", {"9:30", "12"}),
        ("Seven, nineteen, forty and Ninety-nine", {"7", "19", "40", "99"}),
        ("twenty one, thirty-two", {"21", "32"}),
        ("the 1990s and the 2nd, not mp3 or v1.2", {"1990", "2"}),
        ("sixteenth, often, tent", set()),
        ("1,2 and 1.2.3", {"1,2", "1.2.3"}),
    ],
)
def test_numbers_have_one_form(text, expected):
    assert numbers(text) == expected


def test_shares_are_of_different_names_and_numbers():
    found, _ = score(
        "There Ann met Bob, Bob and Eve at 7, for 2 hours.",
        "At seven Bob met Ann, Carl and Dora.",
    )
    assert found == {
        "names_precision": 2 / 3,
        "names_recall": 2 / 4,
        "names_f1": 2 * 2 / 7,
        "numbers_precision": 1 / 2,
        "numbers_recall": 1,
        "numbers_f1": 2 / 3,
    }


class TestNothingToDivideBy:
    def test_no_name_on_either_side(self):
        found, reasons = score("It rained.", "It snowed.")
        assert all(math.isnan(value) for value in found.values())
        assert reasons["names_f1"] == "neither the text nor a reference has names"

    def test_names_that_were_left_out(self):
        found, reasons = score("It rained.", "We saw Rome.")
        assert (found["names_recall"], found["names_f1"]) == (0, 0)
        assert math.isnan(found["names_precision"])
        assert reasons["names_precision"] == "there are no names in the text"

    def test_names_that_were_made_up(self):
        found, reasons = score("We saw Rome.", "It rained.")
        assert (found["names_precision"], found["names_f1"]) == (0, 0)
        assert math.isnan(found["names_recall"])
        assert reasons["names_recall"] == "there are no names in any reference"

    def test_a_reference_without_names_is_passed_over(self):
        found, _ = score("We saw Rome.", "It rained.", "In Rome.", aggregate="mean")
        assert found["names_recall"] == 1
        assert found["names_precision"] == 1 / 2


def test_the_best_reference_counts_by_itself_for_each_output():
    found, _ = score("We saw Rome and Ann.", "We saw Rome.", "Ann, Rome, Bob and Eve.")
    assert found["names_precision"] == 1
    assert found["names_recall"] == 1


def test_the_splitter_is_in_the_signature():
    assert "|splitter:punkt-" in get("names_and_numbers")().load().signature
