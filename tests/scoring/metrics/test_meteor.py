"""METEOR: the numbers of NLTK, with WordNet or without."""

from types import SimpleNamespace

import nltk
import pytest
from nltk.tokenize import NLTKWordTokenizer
from nltk.translate.meteor_score import single_meteor_score

from scoring.metrics import Example, OptionError, get, meteor

TEXT = "Dr. Watson was walking in. It wasn't late; nobody spoke."
REFERENCES = (
    "Dr. Watson walks in. It was not late, and nobody spoke.",
    "Nobody spoke when he came.",
)


class Synonyms:
    """A WordNet in which "talk" and "speak" mean the same."""

    def synsets(self, word):
        names = [SimpleNamespace(name=lambda other=o: other) for o in ("talk", "speak")]
        return [SimpleNamespace(lemmas=lambda: names)] if word == "talk" else []

    def get_version(self):
        return "3.0"


@pytest.fixture
def no_wordnet(monkeypatch):
    monkeypatch.setattr(nltk.data, "path", [])


def load(**options):
    return get("meteor")(**options).load()


def score(text, *references, **options):
    scores = load(**options)([Example(text, references=references)])
    return scores.values["meteor"].item()


def expected(text, reference, **options):
    split = NLTKWordTokenizer().tokenize
    return single_meteor_score(
        [word for one in reference for word in split(one)],
        [word for one in text for word in split(one)],
        wordnet=meteor.NoWordNet(),
        **options,
    )


@pytest.mark.parametrize("options", [{}, {"alpha": 0.5}, {"beta": 1.0}, {"gamma": 0.2}])
def test_the_number_is_that_of_nltk(no_wordnet, options):
    text = ["Dr. Watson was walking in.", "It wasn't late; nobody spoke."]
    reference = ["Dr. Watson walks in.", "It was not late, and nobody spoke."]
    found = score(" ".join(text), " ".join(reference), **options)
    assert found == expected(text, reference, **options)


def test_it_is_worked_out_by_hand(no_wordnet):
    # Aligned: he, walked with walks, and the full stop; two chunks of three words.
    found = score("He walked home.", "He walks.")
    fmean = (3 / 4) * 1 / (0.9 * 3 / 4 + 0.1 * 1)
    assert found == pytest.approx((1 - 0.5 * (2 / 3) ** 3) * fmean)


def test_the_best_reference_counts_or_the_mean(no_wordnet):
    each = [score(TEXT, reference) for reference in REFERENCES]
    assert score(TEXT, *REFERENCES) == max(each)
    found = score(TEXT, *REFERENCES, aggregate="mean")
    assert found == pytest.approx(sum(each) / 2)


def test_a_text_without_a_common_word_has_0(no_wordnet):
    assert score("Rain", "Snow falls") == 0


class TestWordNet:
    def test_without_it_the_signature_says_so(self, no_wordnet):
        assert "|wordnet:none|" in load().signature

    def test_with_it_synonyms_are_aligned_and_its_version_signed(self, monkeypatch):
        monkeypatch.setattr(meteor, "_wordnet", Synonyms)
        assert score("we talk", "we speak") == pytest.approx(1 - 0.5 * (1 / 2) ** 3)
        assert "|wordnet:3.0|" in load().signature

    def test_it_can_be_left_out(self, monkeypatch):
        monkeypatch.setattr(meteor, "_wordnet", Synonyms)
        assert score("we talk", "we speak", synonyms=False) == pytest.approx(0.25)
        assert "|wordnet:none|" in load(synonyms=False).signature


@pytest.mark.parametrize("options", [{"alpha": 1.1}, {"gamma": -0.1}, {"beta": -1}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(OptionError, match="expected 0 to 1"):
        load(**options)
