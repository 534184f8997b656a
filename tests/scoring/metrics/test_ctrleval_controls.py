"""CTRLEval with evaluators of one's own for any control, on a model made here."""

import json

import numpy as np
import pytest

from scoring.metrics import Example, get
from scoring.metrics._ctrleval.aspects import Relevance, Undefined
from scoring.metrics._ctrleval.tables import SENTIMENT, TOPIC, checked

FERRY = Example(
    text="the ferry left harbour. nobody said a word.",
    prefix="the ferry",
    label="positive; keywords: harbour",
    source="plot: seven left.",
)
KEYWORDS = {
    "control": "keywords",
    "patterns": [
        ["<gen_result> so <mask_token>", "<control>"],
        ["<control> <mask_token>", "<gen_result>"],
    ],
}
PLOT = {"control": "plot", "patterns": [["<control> <mask_token>", "<continuation>"]]}
OWN = json.dumps({"keywords": KEYWORDS, "plot": PLOT})


@pytest.fixture(scope="module")
def scored(pegasus, iwf):
    def score(*examples, **options):
        made = get("ctrleval")(model=str(pegasus), iwf=str(iwf), **options)
        return made.load("cpu")(list(examples))

    return score


@pytest.fixture(scope="module")
def controlled(scored):
    other = Example("seven left.", label="positive")
    return scored(FERRY, other, Example(" "), tables=OWN)


class TestPatternsWithTwoSides:
    def test_each_table_is_an_output_after_those_of_the_paper(self):
        keys = [one.key for one in get("ctrleval")(tables=OWN).outputs]
        assert keys[3:] == ["control_keywords", "control_plot"]
        assert get("ctrleval")(tables=OWN).outputs[4].measures == "plot"

    def test_scores_are_log_probabilities_of_what_fills_the_gap(
        self, controlled, pegasus
    ):
        from scoring.metrics._engine import backbones, likelihood, models

        backbone = backbones.load(pegasus)
        pairs = backbone.plain(
            [
                (f"{FERRY.text} so <mask_1>", "harbour"),
                ("harbour <mask_1>", FERRY.text),
                ("seven left. <mask_1>", "left harbour. nobody said a word."),
            ],
            end=False,
        )
        model = models.seq2seq(pegasus, device="cpu", dtype="float32")
        expected = likelihood.seq2seq(model).mean_logprobs(pairs)
        found = controlled.parts["control_keywords.s"][0]
        np.testing.assert_allclose(found, expected[:2], atol=1e-6)
        assert controlled.values["control_plot"][0] == pytest.approx(expected[2])

    def test_they_are_weighted_as_coherence_is(self, controlled):
        s, w = (controlled.parts[f"control_keywords.{part}"][0] for part in "sw")
        assert w.sum() > 0
        expected = (s * w).sum() / w.sum()
        assert controlled.values["control_keywords"][0] == pytest.approx(expected)

    def test_a_text_without_the_control_has_no_score_and_a_reason(self, controlled):
        assert controlled.reasons["control_keywords"][1:] == [
            "there is no control 'keywords'",
            "the text is empty",
        ]
        assert np.isnan(controlled.values["control_plot"][1:]).all()

    def test_the_scores_of_the_paper_stay(self, controlled, scored):
        plain = scored(FERRY)
        for key in ("coherence", "consistency", "attribute_relevance"):
            assert controlled.values[key][0] == pytest.approx(plain.values[key][0])

    def test_one_table_may_be_chosen_alone(self):
        keys = [
            one.key for one in get("ctrleval")(tables=OWN, evaluators="plot").outputs
        ]
        assert keys[3:] == ["control_plot"]

    def test_they_are_explained_as_they_are_asked(self):
        found = get("ctrleval")(tables=OWN).explain(FERRY)["control_keywords"]
        assert found[0] == (f"{FERRY.text} so […]", "harbour")

    def test_tables_that_are_wrong_give_no_outputs(self):
        assert len(get("ctrleval")(tables="{").outputs) == 3


class TestPrompts:
    TABLE = checked(
        ["negative", "positive"],
        ["<source> <gen_result> So <mask_token>! <prefix>"],
        [["bad", "good"]],
    )

    def test_they_may_take_the_source_and_the_prefix(self):
        blank = Relevance([self.TABLE]).evaluators(FERRY)[0]
        assert blank == (
            f"{FERRY.source} {FERRY.text} So ",
            "! the ferry",
            "good",
        )

    def test_a_text_without_what_they_take_has_no_score(self):
        with pytest.raises(Undefined, match="there is no source"):
            Relevance([self.TABLE]).blanks(Example("It left.", label="positive"))


class TestSeveralAttributes:
    ASPECT = Relevance([SENTIMENT, TOPIC])

    def asked(self, label):
        return self.ASPECT.evaluators(Example("It left.", label=label))

    def test_a_text_has_the_evaluators_of_them_all(self):
        both = self.asked("positive; politics")
        assert both == self.asked("positive") + self.asked("politics")
        assert len(both) == 72 + 32

    def test_each_counts_the_same_in_the_weighted_mean(self, scored):
        values = [
            scored(Example(FERRY.text, label=label)).values["attribute_relevance"][0]
            for label in ("positive", "politics", "positive; topic: politics")
        ]
        assert values[2] == pytest.approx((values[0] + values[1]) / 2, abs=1e-6)

    def test_a_named_control_without_words_is_passed_over(self):
        assert self.asked("positive; keywords: boat") == self.asked("positive")

    def test_an_attribute_without_words_is_named(self):
        with pytest.raises(Undefined, match="label 'blue' has no verbalizers"):
            self.asked("positive; blue")

    def test_a_label_that_a_table_has_as_a_whole_is_one(self):
        table = checked(["a; b", "c"], ["<gen_result> <mask_token>"], [["d", "e"]])
        both = Relevance([table])
        assert len(both.evaluators(Example("So.", label="a; b"))) == 1
