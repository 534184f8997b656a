"""ROUGE: the numbers of rouge-score, to the last digit."""

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from scoring.metrics import Example, get
from scoring.metrics.rouge import AUTO, FIELDS, KINDS, OWN, REASONS, lines

TEXTS = (
    "Dr. Watson walked in. Nobody was speaking; it was late.",
    "Nobody!",
    "one",
    "الليل",
)
REFERENCES = (
    "It was late when Dr. Watson walked in. Nobody spoke.",
    "Walking late, he said: 1,000 words. Nobody was there.",
    "one",
)


def score(*examples, **options):
    return get("rouge")(**options).load()(list(examples))


@pytest.mark.parametrize("stem", [False, True])
@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize("reference", REFERENCES)
def test_the_numbers_are_those_of_the_library(reference, kind, stem):
    examples = [Example(text, references=(reference,)) for text in TEXTS]
    found = score(*examples, score=kind, stem=stem).values
    library = RougeScorer(list(KINDS.values()), use_stemmer=stem)
    for key, name in KINDS.items():
        # Only ROUGE-Lsum looks at lines.
        form = lines if key == "rouge_lsum" else str
        expected = [
            getattr(library.score(form(reference), form(text))[name], FIELDS[kind])
            for text in TEXTS
        ]
        assert found[key].tolist() == expected, key


def test_several_references_are_the_librarys_own_maximum():
    found = score(*(Example(text, references=REFERENCES) for text in TEXTS)).values
    library = RougeScorer(["rouge1", "rouge2", "rougeL"])
    for key in ("rouge_1", "rouge_2", "rouge_l"):
        name = KINDS[key]
        expected = [library.score_multi(REFERENCES, t)[name].fmeasure for t in TEXTS]
        assert found[key].tolist() == expected


def test_the_mean_is_over_all_references():
    found = score(Example("a b", references=("a b", "c d")), aggregate="mean")
    assert found.values["rouge_1"].tolist() == [0.5]


def test_stems_are_compared_if_asked_for():
    example = Example("He walked", references=("He walks",))
    assert score(example).values["rouge_1"].tolist() == [0.5]
    assert score(example, stem=True).values["rouge_1"].tolist() == [1.0]


def test_a_sentence_is_a_line():
    text = "Dr. Watson came in. Nobody\nspoke."
    assert lines(text) == "Dr. Watson came in.\nNobody spoke."


class TestAReferenceWithoutWords:
    def test_leaves_no_number_and_says_why(self):
        scores = score(Example("A night.", references=("—", "?!")))
        assert np.isnan([scores.values[key] for key in KINDS]).all()
        assert scores.reasons["rouge_l"] == [REASONS[AUTO]]

    def test_is_passed_over_beside_one_with_words(self):
        example = Example("A night.", references=("?!", "A night"))
        assert score(example, aggregate="mean").values["rouge_l"].tolist() == [1.0]


class TestTextsOfOtherLetters:
    ru = Example("Сегодня в 2020 году", references=("Плохой кот съел 2020 рыб",))
    zh = Example("我喜欢 AI 模型", references=("今天 AI 很贵",))

    @pytest.mark.parametrize("example", [ru, zh])
    def test_have_no_number_with_the_packages_own_words(self, example):
        scores = score(example, tokenize=OWN)
        assert np.isnan(scores.values["rouge_1"]).all()
        assert scores.reasons["rouge_1"] == [REASONS[OWN]]

    def test_have_one_where_half_of_the_letters_are_latin(self):
        half = Example("ab äö", references=("ab",))
        assert score(half, tokenize=OWN).values["rouge_1"].tolist() == [1]

    def test_are_compared_by_their_own_words(self):
        # One of 4 and one of 5; of 5 characters and AI, and of 4 and AI.
        found = score(self.ru, self.zh).values["rouge_1"]
        assert found.tolist() == pytest.approx([2 / 9, 2 / 11])

    def test_accents_cut_no_word(self):
        german = Example("Über Äpfel", references=("Öffne Häpfel",))
        assert score(german).values["rouge_1"].tolist() == [0]
        assert score(german, tokenize=OWN).values["rouge_1"].tolist() == [0.4]


def test_what_makes_the_number_is_in_the_signature():
    signature = get("rouge")().load().signature
    assert "|rouge_score:" in signature and "|splitter:punkt-" in signature
