"""What goes into a pattern: the text, its prefix, its source, and controls."""

import pytest

from scoring.metrics import Example
from scoring.metrics._ctrleval import placeholders
from scoring.metrics._ctrleval.placeholders import Attribute, attributes, control_of

TEXT = Example(
    text="The ferry left at two.",
    prefix="The ferry",
    label="positive; Keywords: boat, storm",
    source="Persona: a sailor: old and tired\nIt rains.\nplot: they leave\nplot: no",
)


class TestAttributes:
    def test_parts_of_a_label_stand_between_semicolons(self):
        assert attributes(" positive;; sports ") == [
            Attribute("", "positive"),
            Attribute("", "sports"),
        ]

    def test_a_part_may_have_a_name(self):
        assert attributes("Mood : sad: very") == [Attribute("mood", "sad: very")]

    @pytest.mark.parametrize("label", ["", " ; "])
    def test_an_empty_label_has_none(self, label):
        assert attributes(label) == []

    def test_a_name_without_a_value_is_a_value(self):
        assert attributes("mood:") == [Attribute("", "mood:")]


class TestControls:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("", "positive; Keywords: boat, storm"),
            ("keywords", "boat, storm"),
            (" PERSONA", "a sailor: old and tired"),
            ("plot", "they leave"),
            ("length", ""),
        ],
    )
    def test_they_come_from_the_label_then_the_source(self, name, expected):
        assert control_of(TEXT, name) == expected

    def test_the_label_wins(self):
        both = Example("So.", label="plot: a", source="plot: b")
        assert control_of(both, "plot") == "a"


class TestFilling:
    def test_every_place_gets_its_own(self):
        given = placeholders.values(TEXT, "plot")
        pattern = "<prefix>|<continuation>|<control>|<gen_result>|<mask_token>"
        assert placeholders.filled(pattern, given) == (
            "The ferry|left at two.|they leave|The ferry left at two.|<mask_token>"
        )

    def test_a_text_with_the_name_of_a_place_stays_as_it_is(self):
        given = placeholders.values(Example("<source> <prefix>", source="A", prefix=""))
        assert placeholders.filled("<gen_result>", given) == "<source> <prefix>"

    @pytest.mark.parametrize(
        ("pattern", "expected"),
        [
            ("<gen_result>", "the text is empty"),
            ("<prefix>", "there is no prefix"),
            ("<continuation>", "nothing follows the prefix"),
            ("<source>", "there is no source"),
            ("<control>", "there is no control 'plot'"),
            ("none", None),
        ],
    )
    def test_what_is_not_there_is_named(self, pattern, expected):
        given = placeholders.values(Example(" "), "plot")
        assert placeholders.missing(pattern, given, "plot") == expected

    def test_every_place_has_a_meaning(self):
        given = placeholders.values(TEXT)
        assert {*given, placeholders.MASK} == set(placeholders.MEANINGS)
