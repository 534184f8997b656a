"""Several references: what is compared, and what becomes of several scores."""

import numpy as np
import pytest

from scoring.metrics import Example, get
from scoring.metrics._references.several import AGGREGATES, compared, over, together


def lengths(texts, references):
    """Words of the text, and by how many letters the two differ."""
    pairs = zip(texts, references, strict=True)
    return {
        "words": np.array([len(text.split()) for text in texts]),
        "gap": np.array([abs(len(text) - len(other)) for text, other in pairs]),
    }


def score(*examples, aggregate="max", **more):
    better = {"words": True, "gap": False}
    return over(
        examples,
        lengths,
        keys=("words", "gap"),
        aggregate=aggregate,
        higher_is_better=better,
        **more,
    )


class TestWhatIsCompared:
    def test_the_whole_text_with_a_reference_that_begins_with_the_prefix(self):
        example = Example("It left.", "It", references=("It stayed.",))
        assert compared(example) == [("It left.", "It stayed.")]

    def test_the_rest_of_the_text_with_any_other_reference(self):
        example = Example("It left.", "It", references=("left at two.",))
        assert compared(example) == [("left.", "left at two.")]

    def test_each_reference_has_its_own_part_of_the_text(self):
        example = Example("It left.", "It", references=("It stayed.", "stayed."))
        assert [text for text, _ in compared(example)] == ["It left.", "left."]

    def test_all_of_a_text_that_does_not_begin_with_its_prefix(self):
        example = Example(" They left.", "It", references=("left.",))
        assert compared(example) == [(" They left.", "left.")]

    def test_an_empty_text_and_nothing_behind_the_prefix_like_any_other(self):
        for text in ("", " \n", "It "):
            example = Example(text, "It", references=("left at two.",))
            assert compared(example) == [("", "left at two.")]
            assert together(example) == ("", ["left at two."])
        example = Example("", "It", references=("It left.", "It did."))
        assert together(example) == ("", ["It left.", "It did."])

    def test_empty_references_are_passed_over(self):
        example = Example("It left.", references=("", " \n", "Left."))
        assert compared(example) == [("It left.", "Left.")]


@pytest.mark.parametrize(
    ("example", "reason"),
    [
        (Example("It left."), "there is no reference"),
        (Example("It left.", references=("", " ")), "there is no reference"),
    ],
)
def test_what_cannot_be_compared_is_nan_with_a_reason(example, reason):
    scores = score(Example("a", references=("b",)), example)
    for key in ("words", "gap"):
        assert scores.reasons[key] == [None, reason]
        assert np.isnan(scores.values[key]).tolist() == [False, True]


class TestAggregates:
    example = Example("It left.", "It", references=("It stayed.", "It left!!", "Left."))

    def test_the_best_reference_may_be_another_one_for_each_output(self):
        scores = score(self.example)
        assert scores.values["words"].tolist() == [2]  # of the first
        assert scores.values["gap"].tolist() == [0]  # of the last

    def test_the_mean_counts_every_reference(self):
        scores = score(self.example, aggregate="mean")
        assert scores.values["words"] == pytest.approx([5 / 3])
        assert scores.values["gap"] == pytest.approx([(2 + 1 + 0) / 3])

    @pytest.mark.parametrize("aggregate", AGGREGATES)
    def test_one_reference_is_its_own_aggregate(self, aggregate):
        example = Example("It left.", references=("It.",))
        assert score(example, aggregate=aggregate).values["gap"].tolist() == [5]


class TestPairsWithoutNumber:
    @staticmethod
    def pairs(texts, references):
        return {"x": np.array([np.nan if "no" in one else 0.0 for one in references])}

    @pytest.mark.parametrize("undefined", ["why", {"x": "why"}])
    def test_they_are_passed_over_while_another_has_a_number(self, undefined):
        both = Example("It left.", references=("no number", "It."))
        neither = Example("It left.", references=("no number",))
        for aggregate in AGGREGATES:
            scores = over(
                [both, neither],
                self.pairs,
                keys=("x",),
                aggregate=aggregate,
                undefined=undefined,
            )
            assert scores.values["x"] == pytest.approx([0, np.nan], nan_ok=True)
            assert scores.reasons["x"] == [None, "why"]


class TestSlabs:
    examples = [Example("a " * k, references=("b",) * (k % 4)) for k in range(1, 12)]

    def test_their_size_changes_nothing(self):
        whole, small = score(*self.examples), score(*self.examples, size=3)
        for key in ("words", "gap"):
            np.testing.assert_array_equal(whole.values[key], small.values[key])
        assert whole.reasons == small.reasons

    def test_progress_adds_up_to_the_texts(self):
        told = []
        score(*self.examples, size=3, progress=told.append)
        assert sum(told) == 11

    def test_no_text_has_no_score(self):
        assert score().values["words"].shape == (0,)


class TestTable1OfArgent:
    """A right and a wrong translation: the metric decides which one is preferred."""

    references = (
        "He truly is a smart man",
        "He really is a smart guy",
        "He really is an intelligent guy",
        "He truly is a clever man",
    )
    right, wrong = "He truly a smart man", "He truly is a clever dog"

    def both(self, name, key, **options):
        examples = [
            Example(text, references=self.references)
            for text in (self.right, self.wrong)
        ]
        return get(name)(**options).load()(examples).values[key]

    def test_the_best_rouge_l_is_that_of_the_right_one_as_printed(self):
        found = 100 * self.both("rouge", "rouge_l")
        assert found == pytest.approx([90.91, 83.33], abs=0.005)

    def test_the_best_bleu_is_that_of_the_wrong_one(self):
        right, wrong = self.both("bleu", "bleu")
        assert wrong > right  # 82.94 and 82.24 are printed, of a BLEU that is not named


class TestParts:
    """Table 1 of ARGENT has a score for each candidate with each reference."""

    example = Example("It left.", "It", references=("It stayed.", "It left!!", "Left."))

    def test_each_reference_has_its_score(self):
        other = Example("a", references=("b", " "))
        parts = score(self.example, other, Example("a")).parts
        np.testing.assert_array_equal(
            parts["gap.s"], [[2, 1, 0], [0, np.nan, np.nan], [np.nan] * 3]
        )

    def test_with_max_only_the_first_best_one_counts(self):
        parts = score(self.example).parts
        assert parts["gap.w"].tolist() == [[0, 0, 1]]  # the lower the better
        assert parts["words.s"].tolist() == [[2, 2, 1]]
        assert parts["words.w"].tolist() == [[1, 0, 0]]

    def test_with_mean_all_count_the_same(self):
        scores = score(self.example, aggregate="mean")
        assert scores.parts["gap.w"].tolist() == [[1, 1, 1]]
        assert scores.values["gap"].tolist() == [1]

    def test_a_pair_with_nothing_to_compare_has_no_score_and_no_weight(self):
        parts = get("rouge")().load()([Example("a", references=("…", "a"))]).parts
        np.testing.assert_array_equal(parts["rouge_1.s"], [[np.nan, 1]])
        np.testing.assert_array_equal(parts["rouge_1.w"], [[0, 1]])

    @pytest.mark.parametrize("name", ["rouge", "ter", "names_and_numbers"])
    def test_they_are_explained_in_their_order(self, name):
        metric = get(name)()
        found = metric.explain(self.example)
        assert set(found) == {output.key for output in metric.outputs}
        assert found[metric.outputs[0].key] == [
            ("It stayed.", "It left."),
            ("It left!!", "It left."),
            ("Left.", "left."),
        ]

    def test_references_that_are_taken_together_have_no_parts(self):
        metric = get("bleu")(aggregate="joint")
        assert metric.explain(self.example) == {}
        assert metric.load()([self.example]).parts == {}
