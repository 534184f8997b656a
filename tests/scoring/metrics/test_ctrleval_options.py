"""What can be chosen in CTRLEval, on a model made here."""

import json

import numpy as np
import pytest

from scoring.metrics import Example, OptionError, get
from scoring.metrics._ctrleval.patterns import PATTERNS, Blank, written
from scoring.metrics._ctrleval.scorer import ALONE, ONE_SENTENCE
from scoring.metrics._ctrleval.tables import SENTIMENT, tables_from_json
from scoring.metrics._engine import base

FERRY = Example(
    text="the ferry left harbour. nobody said a word. seven left.",
    prefix="the ferry",
    label="positive",
    sentences=("the ferry left harbour.", "nobody said a word.", "seven left."),
)
KEYS = ("coherence", "consistency", "attribute_relevance")
MOOD = {
    "labels": ["calm", "positive"],
    "prompts": ["<gen_result> so <mask_token>!"],
    "words": [["bad", "so good"]],
}


@pytest.fixture(scope="module")
def scored(pegasus, iwf):
    """Scores of the one text, by options."""
    found = {}

    def score(**options):
        key = tuple(sorted(options.items()))
        if key not in found:
            metric = get("ctrleval")(model=str(pegasus), iwf=str(iwf), **options)
            found[key] = metric.load("cpu")([FERRY])
        return found[key]

    return score


class TestPatterns:
    BLANK = Blank("He came. ", " She left.", "Nobody spoke.")

    @pytest.mark.parametrize(
        ("pattern", "expected"),
        [
            ("ctrleval", ("He came. # She left.", "Nobody spoke.")),
            ("bartscore", ("He came. She left.", "Nobody spoke.")),
            (
                "ppl_gpt",
                ("He came. She left.", "He came. She left. Nobody spoke."),
            ),
        ],
    )
    def test_each_of_table_5(self, pattern, expected):
        assert written(self.BLANK, pattern, "#") == expected

    def test_what_follows_the_gap_closely_stays_close(self):
        blank = Blank("Yes. It was ", ".", "good")
        assert written(blank, "bartscore", "#") == ("Yes. It was .", "good")

    def test_a_space_that_opens_the_target_is_not_doubled(self):
        blank = Blank("The ferry ", "", " left.")
        assert written(blank, "ppl_gpt", "#") == ("The ferry", "The ferry left.")

    def test_a_text_of_one_sentence_leaves_nothing_before_it(self):
        assert written(Blank(" ", " ", "So."), "ppl_gpt", "#") == ("", "So.")

    @pytest.mark.parametrize("pattern", ["bartscore", "ppl_gpt"])
    def test_scores_are_those_of_the_pairs(self, scored, pegasus, pattern):
        from scoring.metrics._engine import backbones, likelihood, models

        sources = ["nobody said a word. seven left.", "the ferry left harbour."]
        text = {"bartscore": "{1}", "ppl_gpt": "{0} {1}"}[pattern]
        target = text.format(*sources)
        backbone = backbones.load(pegasus)
        model = models.seq2seq(pegasus, device="cpu", dtype="float32")
        pairs = backbone.plain([(sources[0], target)], end=True)
        expected = likelihood.seq2seq(model).mean_logprobs(pairs)
        parts = scored(pattern=pattern).parts
        assert parts["coherence.s"][0, 0] == pytest.approx(expected[0], abs=1e-6)

    def test_weights_are_those_of_what_fills_the_gap(self, scored):
        expected = scored().parts
        for pattern in PATTERNS:
            for key in KEYS[:2]:
                part = f"{key}.w"
                assert (scored(pattern=pattern).parts[part] == expected[part]).all()

    def test_they_give_three_numbers(self, scored):
        for key in KEYS:
            found = {scored(pattern=name).values[key][0] for name in PATTERNS}
            assert len(found) == 3


class TestAverage:
    def test_the_sum_is_the_mean_times_the_tokens(self, scored):
        tokens = np.array([6, 6, 4])  # words, full stop and end token
        mean, total = (scored(average=name).parts for name in ("mean", "sum"))
        np.testing.assert_allclose(
            total["coherence.s"][0], mean["coherence.s"][0] * tokens, atol=1e-5
        )

    def test_the_unit_says_it(self):
        units = [get("ctrleval")(average=a).outputs[0].unit for a in ("mean", "sum")]
        assert units == ["nats per token, (-inf, 0]", "nats, (-inf, 0]"]


class TestWeighting:
    @pytest.mark.parametrize("weighting", ["nisf", "mean", "max", "min"])
    def test_all_weightings_follow_from_the_parts_of_any(self, scored, weighting):
        parts = scored(weighting="max").parts
        for key in KEYS:
            s, w = parts[f"{key}.s"][0], parts[f"{key}.w"][0]
            value = {
                "nisf": (s * w).sum() / w.sum(),
                "mean": s.mean(),
                "max": s.max(),
                "min": s.min(),
            }[weighting]
            assert scored(weighting=weighting).values[key][0] == pytest.approx(value)


class TestExplain:
    def metric(self, **options):
        return get("ctrleval")(**options)

    def test_each_sentence_is_asked_for(self):
        found = self.metric().explain(FERRY)["coherence"]
        assert found[1] == (
            f"the ferry left harbour. {base.GAP} seven left.",
            "nobody said a word.",
        )
        assert len(found) == 3

    def test_prefix_and_text_are_asked_for(self):
        gap = base.GAP
        assert self.metric().explain(FERRY)["consistency"] == [
            (f"the ferry {gap}", " left harbour. nobody said a word. seven left."),
            (f"{gap}  left harbour. nobody said a word. seven left.", "the ferry"),
        ]

    def test_the_words_are_those_for_the_texts_own_label(self):
        found = self.metric().explain(FERRY)["attribute_relevance"]
        assert [one.target for one in found[:4]] == [
            "good",
            "positive",
            "great",
            "good",
        ]
        assert found[0].source == f"{FERRY.text} In summary, it was {base.GAP}."
        assert found[3].source == f"In summary, it was {base.GAP}. {FERRY.text}"
        assert len(found) == len(SENTIMENT.prompts) * len(SENTIMENT.words)

    @pytest.mark.parametrize("pattern", PATTERNS)
    def test_there_is_one_for_each_column_of_the_parts(self, scored, pattern):
        parts = scored(pattern=pattern).parts
        for key, found in self.metric(pattern=pattern).explain(FERRY).items():
            assert len(found) == parts[f"{key}.s"].shape[1]
            assert all(
                (base.GAP in one.source) == (pattern == "ctrleval") for one in found
            )

    def test_what_has_no_score_has_no_evaluators(self):
        example = Example("the ferry left.", prefix="a train", label="angry")
        found = self.metric().explain(example)
        assert {key: len(one) for key, one in found.items()} == {
            "coherence": 1,
            "consistency": 0,
            "attribute_relevance": 0,
        }

    def test_signs_like_a_gap_in_the_text_are_only_text(self):
        example = Example(f"so {base.GAP}.", prefix="so", sentences=("so", "so."))
        metric = self.metric(pattern="bartscore")
        assert metric.explain(example)["consistency"][0] == ("so", f" {base.GAP}.")


class TestTablesOfOnesOwn:
    TABLES = json.dumps({"mood": MOOD})

    def test_auto_takes_them_first(self, scored):
        parts = scored(tables=self.TABLES).parts
        assert parts["attribute_relevance.s"].shape == (1, 1)
        assert scored().parts["attribute_relevance.s"].shape == (1, 72)

    def test_the_paper_s_are_still_there(self, pegasus, iwf):
        metric = get("ctrleval")(tables=self.TABLES)
        example = Example("so good.", label="negative")
        assert len(metric.explain(example)["attribute_relevance"]) == 72

    def test_one_is_taken_by_its_name(self):
        metric = get("ctrleval")(tables=self.TABLES, evaluators="mood")
        example = Example("so good.", label="negative")
        assert metric.explain(example)["attribute_relevance"] == []

    def test_the_score_is_by_hand(self, scored, pegasus):
        from scoring.metrics._engine import backbones, likelihood, models

        source = f"{FERRY.text} so <mask_1>!"
        pairs = backbones.load(pegasus).plain(
            [(source, "bad"), (source, "so good")], end=False
        )
        model = models.seq2seq(pegasus, device="cpu", dtype="float32")
        bad, good = np.exp(likelihood.seq2seq(model).mean_logprobs(pairs))
        scores = scored(tables=self.TABLES)
        found = scores.values["attribute_relevance"][0]
        assert found == pytest.approx(good / (bad + good), abs=1e-6)
        assert scores.parts["attribute_relevance.w"][0] == [1.0]  # the only one

    def test_words_in_pieces_are_told(self, scored):
        assert scored().notes == ()
        assert scored(tables=self.TABLES).notes == (
            "Some words for labels are several tokens for this model: 'so good'. A "
            "word's probability is e to the mean of its tokens' log-probabilities.",
        )

    def test_a_name_that_is_none_is_answered_with_those_there_are(self):
        metric = get("ctrleval")(tables=self.TABLES, evaluators="weather")
        with pytest.raises(
            OptionError,
            match="evaluators=weather: expected one of auto, mood, sentiment, topic",
        ):
            metric.check()

    def test_tables_that_will_not_do_are_told_before_a_run(self):
        with pytest.raises(OptionError, match="tables: not JSON"):
            get("ctrleval")(tables="{", weighting="mean").check()


class TestSignature:
    @pytest.mark.slow
    def test_tables_are_in_it_by_content(self, pegasus):
        def signature(**options):
            metric = get("ctrleval")(model=str(pegasus), weighting="mean", **options)
            return metric.load("cpu").signature

        content = json.dumps({"mood": MOOD})
        (own,) = tables_from_json(content).values()
        found = signature(tables=content, evaluators="mood")
        assert f"|tables:mood:{own.hash()}|" in found and "so good" not in found
        again = signature(
            tables=json.dumps({"mood": MOOD}, indent=2), evaluators="mood"
        )
        assert again == found
        other = json.dumps({"mood": {**MOOD, "words": [["bad", "good"]]}})
        assert signature(tables=other, evaluators="mood") != found
        # What is not asked does not count.
        assert signature(tables=other, evaluators="topic") == signature(
            evaluators="topic"
        )

    def test_a_form_that_makes_no_difference_is_not_in_it(self, pegasus):
        signatures = {
            get("ctrleval")(model=str(pegasus), weighting="mean", form=form)
            .load("cpu")
            .signature
            for form in ("pretraining", "plain")
        }
        assert len(signatures) == 1 and "|form:none|" in signatures.pop()


@pytest.mark.parametrize("key", KEYS)
def test_a_text_with_the_models_gap_token_has_no_score(pegasus, iwf, key):
    scorer = get("ctrleval")(model=str(pegasus), iwf=str(iwf)).load("cpu")
    example = Example("so <mask_1> it left. so good.", prefix="so", label="positive")
    assert scorer([example]).reasons[key] == [
        "the text holds <mask_1>, which the model takes for a gap"
    ]


class TestBaseline:
    def test_what_the_gap_alone_gives_is_subtracted(self, scored):
        plain, gained = scored().parts, scored(baseline="gap").parts
        for key in ("coherence", "consistency"):
            alone = gained[f"{key}.alone"]
            np.testing.assert_allclose(
                gained[f"{key}.s"] + alone, plain[f"{key}.s"], atol=1e-5
            )
            assert np.isfinite(alone).sum() == np.isfinite(plain[f"{key}.s"]).sum()
            np.testing.assert_array_equal(gained[f"{key}.w"], plain[f"{key}.w"])

    def test_it_is_the_log_probability_behind_the_gap_and_nothing_else(
        self, scored, pegasus
    ):
        from scoring.metrics._engine import backbones, likelihood, models

        backbone = backbones.load(pegasus)
        pairs = backbone.plain([("<mask_1>", FERRY.prefix)], end=False)
        model = models.seq2seq(pegasus, device="cpu", dtype="float32")
        (expected,) = likelihood.seq2seq(model).mean_logprobs(pairs)
        alone = scored(baseline="gap").parts["consistency.alone"][0]
        assert alone[1] == pytest.approx(expected, abs=1e-6)

    def test_attribute_relevance_has_none(self, scored):
        gained = scored(baseline="gap")
        assert "attribute_relevance.alone" not in gained.parts
        key = "attribute_relevance"
        assert gained.values[key] == pytest.approx(scored().values[key])

    def test_a_text_of_one_sentence_gains_nothing_that_could_be_said(
        self, pegasus, iwf
    ):
        options = {"model": str(pegasus), "iwf": str(iwf)}
        one, two = Example("so good."), Example("so good. it left.")
        gained = get("ctrleval")(**options, baseline="gap").load("cpu")
        assert gained([one, two]).reasons["coherence"] == [ONE_SENTENCE, None]
        assert "|baseline:gap.2|" in gained.signature
        assert ALONE not in gained([one]).notes
        plain = get("ctrleval")(**options).load("cpu")
        assert plain([one]).reasons["coherence"] == [None]
        assert ALONE in plain([one]).notes
        assert ALONE not in plain([two]).notes

    def test_without_a_gap_there_is_none(self):
        with pytest.raises(OptionError, match="pattern=bartscore has no gap"):
            get("ctrleval")(baseline="gap", pattern="bartscore").check()

    def test_its_unit_says_that_a_gain_may_be_above_0(self):
        coherence = get("ctrleval")(baseline="gap").outputs[0]
        assert coherence.unit == "nats per token, (-inf, inf)"
