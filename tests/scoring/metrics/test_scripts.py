"""Words of other scripts, in each metric that counts words: worked by hand."""

import re

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, TER

from scoring.metrics import Example, SystemTexts, get
from scoring.metrics._distributions.ngrams import Vocabulary
from scoring.metrics._engine.words import words
from scoring.stats.answer import surface
from tests.support import shared


class Case:
    """Two texts that differ in one word, or character, and what is counted of them."""

    def __init__(self, text, reference, *, words, rouge, ter, tokenize):
        self.text, self.reference = text, reference
        self.words = words  # of the text
        self.rouge = rouge  # words in common, words of text, of reference
        self.ter = ter  # edits, words of the reference, its punctuation apart
        self.tokenize = tokenize  # of sacrebleu


CASES = {
    "Chinese": Case(
        "我喜欢猫。", "我喜欢狗。", words=4, rouge=(3, 4, 4), ter=(1, 5), tokenize="zh"
    ),
    "Japanese": Case(
        "猫が好きだ。",
        "犬が好きだ。",
        words=5,
        rouge=(4, 5, 5),
        ter=(1, 6),
        tokenize="char",
    ),
    "Thai": Case(
        "แมวดำ", "แมวดี", words=4, rouge=(3, 4, 4), ter=(1, 4), tokenize="char"
    ),
    "Lao": Case("ບາຍດີ", "ບາຍມີ", words=4, rouge=(3, 4, 4), ter=(1, 4), tokenize="char"),
    "Khmer": Case(
        "ភាសានេះ។", "ភាសានោះ។", words=3, rouge=(2, 3, 3), ter=(1, 4), tokenize="char"
    ),
    "Hindi": Case(
        "मैं हिन्दी लिखता हूँ",
        "मैं हिन्दी पढ़ता हूँ",
        words=4,
        rouge=(3, 4, 4),
        ter=(1, 4),
        tokenize="13a",
    ),
    "Russian": Case(
        "Кот ещё спит",
        "Кот уже спит",
        words=3,
        rouge=(2, 3, 3),
        ter=(1, 3),
        tokenize="13a",
    ),
    "German": Case(
        "Über Äpfel spräche",
        "Über Öle spräche",
        words=3,
        rouge=(2, 3, 3),
        ter=(1, 3),
        tokenize="13a",
    ),
    "English": Case(
        "It's a well-known song",
        "It's a well-known tune",
        words=4,
        rouge=(5, 6, 6),  # rouge-score cuts at apostrophes and hyphens
        ter=(1, 4),
        tokenize="13a",
    ),
}
SCRIPTS = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def score(name, case, **options):
    example = Example(case.text, references=(case.reference,))
    return {k: v[0] for k, v in get(name)(**options).load()([example]).values.items()}


def of_system(name, *texts, references=()):
    examples = tuple(Example(text, references=references) for text in texts)
    given = SystemTexts(texts, examples=examples)
    found = get(name)().load()(given, np.random.default_rng(0))
    return {key: values[0] for key, values in found.values.items()}


@SCRIPTS
def test_words_are_counted(case):
    assert score("length", case)["words"] == case.words
    counted = surface.features(case.text)
    assert counted[surface.NAMES.index("words")] == case.words
    assert len(Vocabulary([case.text]).rows([case.text])[0]) == case.words + 2


@SCRIPTS
def test_different_words_are_different_and_those_said_twice_repeat(case):
    assert score("distinct", case)["distinct_1"] == 1
    twice = Case(f"{case.text} {case.text}", "x", words=0, rouge=0, ter=0, tokenize="")
    assert score("distinct", twice)["distinct_1"] == 0.5
    assert score("repetition", twice)["rep"] == 0.5
    found = of_system("corpus_distinct", case.text, case.text)
    assert found["distinct_1"] == 0.5
    # Each word is as frequent as any other: the line is flat.
    assert of_system("zipf", case.text, case.text)["zipf"] == pytest.approx(0)


@SCRIPTS
def test_rouge_counts_words_in_common(case):
    both, own, other = case.rouge
    assert score("rouge", case)["rouge_1"] == pytest.approx(2 * both / (own + other))


@SCRIPTS
def test_ter_edits_words(case):
    edits, words = case.ter
    assert score("ter", case)["ter"] == pytest.approx(100 * edits / words)
    found = of_system("corpus_ter", case.text, references=(case.reference,))
    assert found["corpus_ter"] == pytest.approx(100 * edits / words)


@SCRIPTS
def test_bleu_takes_sacrebleus_tokenizer_for_the_script(case):
    library = BLEU(tokenize=case.tokenize, effective_order=True)
    expected = library.sentence_score(case.text, [case.reference]).score
    assert score("bleu", case)["bleu"] == expected > 20
    whole = BLEU(tokenize=case.tokenize).corpus_score([case.text], [[case.reference]])
    found = of_system("corpus_bleu", case.text, references=(case.reference,))
    assert found["corpus_bleu"] == whole.score
    alike = of_system("self_bleu", case.text, case.text)
    assert alike["self_bleu"] == pytest.approx(100)


@SCRIPTS
def test_chrf_counts_words_where_it_is_asked_to(case):
    plain, words = score("chrf", case), score("chrf", case, word_order=1)
    # Some words are the same, so neither is far from the other.
    assert 0.5 < words["chrf"] / plain["chrf"] < 2


def test_meteor_aligns_characters():
    # 4 of 5 (with 。) in 2 chunks: P = R = .8; (1 - .5 (2/4)^3) .8
    assert score("meteor", CASES["Chinese"])["meteor"] == pytest.approx(0.75)


def test_ter_of_chinese_is_sacrebleus_with_its_support_of_asian_scripts():
    case = CASES["Chinese"]
    library = TER(normalized=True, asian_support=True)
    expected = library.sentence_score(case.text, [case.reference]).score
    assert score("ter", case)["ter"] == pytest.approx(expected)


def test_a_text_of_two_scripts_keeps_the_words_of_either():
    text = "The word 猫 (neko) means cat in Japanese."
    example = Example(text, references=("The word 猫が means cat.",))
    found = get("bleu")().load()([example]).values["bleu"]
    library = BLEU(effective_order=True)
    expected = library.sentence_score(text, ["The word 猫 が means cat."]).score
    assert found.tolist() == [expected]


def test_the_signature_says_how_words_are_split():
    for name in ("bleu", "corpus_bleu", "self_bleu"):
        signature = get(name)().load().signature
        assert "|tokenize:auto, char for Japanese|" in signature
        assert "|tokenize:zh|" in get(name)(tokenize="zh").load().signature


def english():
    """Texts of the released data and golden files, whose numbers must stay."""
    lines = shared.path("data/ctrleval/data_senti.txt").read_text().splitlines()
    return [line.split("\t")[2] for line in lines]


def test_words_of_english_texts_stay_as_they_were():
    before = re.compile(r"\w+(?:['’\-]\w+)*")
    for text in english():
        assert words(text) == before.findall(text.lower())
        assert get("length")().load()([Example(text)]).values["words"] == len(
            text.split()
        )
