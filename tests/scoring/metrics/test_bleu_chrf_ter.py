"""BLEU, chrF and TER: the numbers of sacrebleu, to the last digit."""

from importlib.metadata import version

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from scoring.metrics import Example, OptionError, get

TEXTS = (
    "The ferry left the harbour at seven, and nobody spoke.",
    "Nobody!",
    "a well-known song (of 1,000 words) is sung",
    "?",
)
REFERENCES = (
    "At seven the ferry left the harbour; nobody said a word.",
    "The Ferry left.",
    "A well-known song of 1,000 words was sung again.",
)
EXAMPLES = [Example(text, references=REFERENCES) for text in TEXTS]
BETTER = {"bleu": max, "chrf": max, "ter": min}


def score(name, *examples, **options):
    return get(name)(**options).load()(list(examples)).values[name].tolist()


def bleu(**options):
    return BLEU(effective_order=True, **options)


CASES = (
    ("bleu", {}, bleu()),
    ("bleu", {"tokenize": "char"}, bleu(tokenize="char")),
    (
        "bleu",
        {"smooth_method": "add-k", "smooth_value": 2.0},
        bleu(smooth_method="add-k", smooth_value=2.0),
    ),
    ("bleu", {"tokenize": "intl"}, bleu(tokenize="intl")),
    ("bleu", {"tokenize": "zh"}, bleu(tokenize="zh")),
    ("bleu", {"tokenize": "none"}, bleu(tokenize="none")),
    ("bleu", {"lowercase": True}, bleu(lowercase=True)),
    ("bleu", {"max_ngram_order": 2}, bleu(max_ngram_order=2)),
    ("bleu", {"smooth_method": "none"}, bleu(smooth_method="none")),
    ("bleu", {"smooth_method": "floor"}, bleu(smooth_method="floor")),
    (
        "bleu",
        {"smooth_method": "add-k", "smooth_value": 0.5},
        bleu(smooth_method="add-k", smooth_value=0.5),
    ),
    ("chrf", {}, CHRF()),
    ("chrf", {"word_order": 2}, CHRF(word_order=2)),
    ("chrf", {"char_order": 4, "beta": 1}, CHRF(char_order=4, beta=1)),
    ("chrf", {"lowercase": True}, CHRF(lowercase=True)),
    ("ter", {}, TER()),
    ("ter", {"normalized": True}, TER(normalized=True)),
    ("ter", {"no_punct": True}, TER(no_punct=True)),
    ("ter", {"case_sensitive": True}, TER(case_sensitive=True)),
    (
        "ter",
        {"normalized": True, "asian_support": True},
        TER(normalized=True, asian_support=True),
    ),
)


@pytest.mark.parametrize(("name", "options", "library"), CASES)
class TestTheNumbersAreThoseOfTheLibrary:
    def test_the_best_of_several_references(self, name, options, library):
        expected = [
            BETTER[name](library.sentence_score(t, [r]).score for r in REFERENCES)
            for t in TEXTS
        ]
        assert score(name, *EXAMPLES, **options) == expected

    def test_the_mean(self, name, options, library):
        found = score(name, EXAMPLES[0], aggregate="mean", **options)
        each = [library.sentence_score(TEXTS[0], [r]).score for r in REFERENCES]
        assert found == [np.mean(each)]


@pytest.mark.parametrize(("name", "library"), [("bleu", bleu()), ("ter", TER())])
class TestJointly:
    def test_it_is_the_librarys_own_way_with_several_references(self, name, library):
        expected = [library.sentence_score(text, REFERENCES).score for text in TEXTS]
        assert score(name, *EXAMPLES, aggregate="joint") == expected
        assert score(name, *EXAMPLES) != expected

    def test_all_keep_the_prefix_or_none(self, name, library):
        text, kept, rest = "The ferry left at two.", "The ferry left.", "came at two."
        both = Example(text, "The ferry", references=(kept, kept))
        mixed = Example(text, "The ferry", references=(kept, rest))
        found = score(name, both, mixed, aggregate="joint")
        assert found == [
            library.sentence_score(text, [kept, kept]).score,
            library.sentence_score("left at two.", ["left.", rest]).score,
        ]

    def test_what_cannot_be_compared_is_nan_with_a_reason(self, name, library):
        found = get(name)(aggregate="joint").load()([Example("It left.")])
        assert np.isnan(found.values[name]).all()
        assert found.reasons[name] == ["there is no reference"]


def test_several_references_are_chrfs_own_maximum():
    expected = [CHRF().sentence_score(text, REFERENCES).score for text in TEXTS]
    assert score("chrf", *EXAMPLES) == expected


def test_a_text_put_right_by_hand_has_hter():
    corrected = Example("He truly a smart man", references=("He truly is a smart man",))
    assert score("ter", corrected) == [pytest.approx(100 / 6)]


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_the_version_of_the_library_is_in_the_signature(name):
    signature = get(name)().load().signature
    assert f"|sacrebleu:{version('sacrebleu')}|" in signature


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("bleu", {"max_ngram_order": 0}, "max_ngram_order=0: expected 1 to 20"),
        ("bleu", {"smooth_value": -1}, "smooth_value=-1.0: expected 0 to 100"),
        ("bleu", {"smooth_value": 0.1}, "has no effect with smooth_method=exp"),
        ("chrf", {"char_order": 21}, "char_order=21: expected 1 to 20"),
        ("chrf", {"word_order": -1}, "word_order=-1: expected 0 to 20"),
        ("chrf", {"beta": -1}, "beta=-1: expected 0 to 100"),
        ("ter", {"asian_support": True}, "normalized or no_punct"),
    ],
)
def test_options_that_mean_nothing_are_refused(name, options, message):
    with pytest.raises(OptionError, match=message):
        get(name)(**options).load()
