"""CTRLEval on a model made here; on the authors' numbers see test_ctrleval_golden."""

import dataclasses
import shutil

import numpy as np
import pytest

from scoring.metrics import Example, MetricError, get
from scoring.metrics._ctrleval import word_list
from scoring.metrics._ctrleval.aspects import (
    Coherence,
    Consistency,
    Evaluated,
    Relevance,
    aggregate,
)
from scoring.metrics._ctrleval.tables import SENTIMENT, TABLES, TOPIC
from scoring.metrics._engine import batches
from scoring.metrics._engine.backbones import FAMILIES
from scoring.metrics._engine.likelihood import Seq2Seq
from scoring.metrics.ctrleval import CTRLEvalScorer, read_iwf

FERRY = Example(
    text="the ferry left harbour. nobody said a word. seven left.",
    prefix="the ferry",
    label="positive",
    sentences=("the ferry left harbour.", "nobody said a word.", "seven left."),
)
KEYS = ("coherence", "consistency", "attribute_relevance")


@pytest.fixture(scope="module")
def scorer(pegasus, iwf) -> CTRLEvalScorer:
    return get("ctrleval")(model=str(pegasus), iwf=str(iwf)).load("cpu")


def changed(**fields) -> Example:
    return dataclasses.replace(FERRY, **fields)


class TestBlanks:
    def test_coherence_masks_each_sentence(self):
        assert Coherence().blanks(FERRY)[:2] == [
            (" ", " nobody said a word. seven left.", "the ferry left harbour."),
            ("the ferry left harbour. ", " seven left.", "nobody said a word."),
        ]

    def test_coherence_splits_a_text_without_given_sentences(self):
        example = Example(text="Dr. Watson came in. Nobody spoke.")
        targets = [blank.target for blank in Coherence().blanks(example)]
        assert targets == ["Dr. Watson came in.", "Nobody spoke."]

    def test_consistency_cuts_by_characters_and_keeps_the_space(self):
        example = Example(text="The chickenpox came back", prefix="The chicken")
        assert Consistency().blanks(example) == [
            ("The chicken ", "", "pox came back"),
            ("", " pox came back", "The chicken"),
        ]

    def test_relevance_goes_by_prompt_then_words_then_label(self):
        found = Relevance([SENTIMENT]).blanks(Example("Yes.", label="positive"))
        assert found[:3] == [
            ("Yes. In summary, it was ", ".", "bad"),
            ("Yes. In summary, it was ", ".", "good"),
            ("Yes. In summary, it was ", ".", "negative"),
        ]
        assert found[6] == ("In summary, it was ", ". Yes.", "bad")

    def test_the_text_of_a_placeholder_is_only_text(self):
        example = Example("<mask_token> <gen_result>", label="positive")
        before, _, _ = Relevance([SENTIMENT]).blanks(example)[0]
        assert before == "<mask_token> <gen_result> In summary, it was "

    def test_table_8_is_whole(self):
        sizes = [len(t.prompts) * len(t.words) * len(t.labels) for t in TABLES.values()]
        assert sizes == [24 * 3 * 2, 32 * 1 * 4]
        assert "It was a piece of <mask_token> news. <gen_result>" in TOPIC.prompts


class TestAggregation:
    FOUND = Evaluated(np.array([-1.0, -3.0]), np.array([3.0, 1.0]))

    @pytest.mark.parametrize(
        ("weighting", "expected"),
        [("nisf", -1.5), ("mean", -2.0), ("max", -1.0), ("min", -3.0)],
    )
    def test_each_way(self, weighting, expected):
        assert aggregate(self.FOUND, weighting) == expected

    def test_weights_of_zero_give_the_plain_mean(self):
        assert aggregate(self.FOUND._replace(w=np.zeros(2)), "nisf") == -2.0

    def test_words_too_improbable_for_a_number_still_compare(self):
        example = Example("x", label="positive")
        found = Relevance([SENTIMENT]).evaluate(
            example, np.array([-2000.0, -2000.0 + np.log(3)]), None
        )
        assert found.s == pytest.approx([0.75]) and found.w == [1.0]

    def test_evaluators_of_improbable_words_keep_their_weights(self):
        """As sums over the tokens of a long text, e to all of them is 0."""
        logs = np.array([-2000.0, -2000.0, -2000.0 + np.log(4), -2000.0 + np.log(4)])
        logs += np.log([1, 3, 3, 1])
        found = Relevance([SENTIMENT]).evaluate(
            Example("x", label="positive"), logs, None
        )
        assert found.s == pytest.approx([0.75, 0.25])
        assert found.w == pytest.approx([0.25, 1.0])
        assert aggregate(found, "nisf") == pytest.approx((0.75 + 4 * 0.25) / 5)

    @pytest.mark.parametrize("label", ["positive", "Positive", " POSITIVE "])
    def test_a_label_is_found_in_any_case(self, label):
        rows = np.log([0.1, 0.3])
        found = Relevance([SENTIMENT]).evaluate(Example("x", label=label), rows, None)
        assert found.s == pytest.approx([0.75])


class TestScores:
    def test_order_duplicates_and_batches_make_no_difference(self, scorer):
        examples = [
            FERRY,
            changed(text="the ferry was good", sentences=(), label="negative"),
            changed(text="the ferry left at seven. so bad!", sentences=()),
            FERRY,
        ]
        expected = scorer(examples).values
        order = [3, 1, 0, 2]
        for budget in (1, 64):
            small = CTRLEvalScorer(
                scorer.signature,
                Seq2Seq(scorer.engine.model, scorer.engine.head, budget),
                scorer.backbone,
                scorer.aspects,
                scorer.iwf,
                scorer.way,
            )
            found = small([examples[k] for k in order]).values
            for key in KEYS:
                np.testing.assert_allclose(found[key], expected[key][order], atol=1e-5)

    def test_company_makes_no_difference(self, scorer):
        others = [changed(text="the ferry " + "word " * n) for n in (1, 9, 20)]
        alone, among = scorer([FERRY]).values, scorer([*others, FERRY]).values
        for key in KEYS:
            assert among[key][-1] == pytest.approx(alone[key][0], abs=1e-5)

    @pytest.mark.parametrize(
        ("example", "reasons"),
        [
            (changed(text=""), ("the text is empty",) * 3),
            (changed(text=" \n"), ("the text is empty",) * 3),
            (changed(prefix=""), (None, "there is no prefix", None)),
            (
                changed(prefix="A ferry"),
                (None, "the text does not start with its prefix", None),
            ),
            (
                changed(text="the ferry", sentences=()),
                (None, "nothing follows the prefix", None),
            ),
            (
                changed(label="angry"),
                (
                    None,
                    None,
                    "label 'angry' has no verbalizers; there are: negative, positive, "
                    "computers, politics, religion, science",
                ),
            ),
            (
                changed(text="the ferry " + "left " * 50, sentences=()),
                (
                    "the text to predict has 53 tokens, the model takes 40",
                    "the text to predict has 50 tokens, the model takes 40",
                    "the input has 60 tokens, the model takes 40",
                ),
            ),
        ],
    )
    def test_what_does_not_exist_is_nan_with_a_reason(self, scorer, example, reasons):
        scores = scorer([FERRY, example])
        for key, reason in zip(KEYS, reasons, strict=True):
            assert scores.reasons[key] == [None, reason]
            assert np.isnan(scores.values[key]).tolist() == [False, reason is not None]

    def test_nothing_to_score_is_no_error(self, scorer):
        assert [len(scorer([]).values[key]) for key in KEYS] == [0, 0, 0]

    def test_the_parts_give_the_score_again(self, scorer):
        scores = scorer([FERRY, changed(text="")])
        for key in KEYS:
            s, w = scores.parts[f"{key}.s"], scores.parts[f"{key}.w"]
            value = (w[0] * s[0]).sum() / w[0].sum()
            assert value == pytest.approx(scores.values[key][0])
            assert np.isnan(s[1]).all()

    def test_progress_moves_within_each_aspect_and_adds_up(self, scorer, monkeypatch):
        monkeypatch.setattr(batches, "SECONDS_BETWEEN_CALLS", 0)
        monkeypatch.setattr(scorer.engine, "budget", 16)
        told = []
        scorer([FERRY, changed(text=""), FERRY, FERRY], told.append)
        assert sum(told) == 4 and len(told) > 3 and max(told) < 4

    def test_the_highest_score_is_that_of_a_part(self, pegasus):
        found = get("ctrleval")(model=str(pegasus), weighting="max").load("cpu")
        scores = found([FERRY])
        assert scores.values["coherence"][0] == scores.parts["coherence.s"].max()
        assert scores.notes == ()  # weights do not matter


class TestSignature:
    def test_it_holds_contents_and_no_paths(self, scorer, pegasus, iwf):
        assert str(pegasus) not in scorer.signature and "/" not in scorer.signature
        for part in ("model:sha256:", "iwf:sha256:", "splitter:punkt-", "sentiment:"):
            assert part in scorer.signature

    def test_copies_elsewhere_have_the_same(self, scorer, pegasus, iwf, tmp_path):
        folder = shutil.copytree(pegasus, tmp_path / "model")
        table = shutil.copy(iwf, tmp_path / "table")
        again = get("ctrleval")(model=str(folder), iwf=str(table)).load("cpu")
        assert again.signature == scorer.signature


class TestTheTableOfFrequencies:
    @pytest.fixture
    def folder(self, pegasus, iwf, tmp_path):
        """A model that brings its table."""
        folder = shutil.copytree(pegasus, tmp_path / "own")
        shutil.copy(iwf, folder / "iwf.txt")
        return folder

    def test_the_one_beside_the_model_is_the_default(self, folder, scorer):
        found = get("ctrleval")(model=str(folder)).load("cpu")
        assert found.signature == scorer.signature
        assert (found.iwf == scorer.iwf).all()

    def test_a_given_one_goes_first(self, folder, iwf, tmp_path):
        (tmp_path / "other").write_text(iwf.read_text().replace("1.0", "2.0"))
        other = str(tmp_path / "other")
        found = get("ctrleval")(model=str(folder), iwf=other).load("cpu")
        assert found.iwf[4] == 2.0

    def test_a_model_without_one_gets_that_of_the_word_list(self, pegasus):
        found = get("ctrleval")(model=str(pegasus)).load("cpu")
        assert f"|iwf:{word_list.content()}|" in found.signature
        (note,) = found([FERRY]).notes
        assert note.startswith("The model brings no word frequencies")
        rare, common = (found.backbone.ids([w], end=False)[w] for w in ("ferry", "the"))
        assert found.iwf[rare[0]] > 100 * found.iwf[common[0]] > 0


class TestErrors:
    def test_frequencies_of_another_tokenizer_are_refused(self, tmp_path):
        (tmp_path / "iwf").write_text("1\n2\n")
        with pytest.raises(MetricError, match="has 2 numbers, .* tokenizer has 3 tok"):
            read_iwf(tmp_path / "iwf", 3)

    @pytest.mark.parametrize("content", ["1\nx\n", "1\nnan\n", "1\n-2\n"])
    def test_frequencies_that_are_none_are_refused(self, tmp_path, content):
        (tmp_path / "iwf").write_text(content)
        with pytest.raises(MetricError):
            read_iwf(tmp_path / "iwf", 2)

    def test_a_missing_file_is_named(self, tmp_path):
        with pytest.raises(MetricError, match="missing.txt"):
            read_iwf(tmp_path / "missing.txt", 2)

    def test_families_are_named_by_their_configuration(self):
        assert set(FAMILIES) == {"bart", "pegasus", "t5"}
