"""Self-BLEU against sacrebleu, which compares every text with every other one."""

import gzip
import itertools
import json

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from scoring.metrics import OptionError, SystemTexts, get
from scoring.metrics.self_bleu import bleu_among
from tests.support import shared


def score(*texts, **options):
    """The number, or why there is none."""
    scorer = get("self_bleu")(**options).load()
    found = scorer(SystemTexts(texts), np.random.default_rng(0))
    return found.reasons.get("self_bleu", found.values["self_bleu"][0])


def one_by_one(texts, order=4, tokenizer="13a"):
    """BLEU of each text against the rest, as sacrebleu has it."""
    bleu = BLEU(tokenize=tokenizer, effective_order=True, max_ngram_order=order)
    return [
        bleu.sentence_score(text, [*texts[:k], *texts[k + 1 :]]).score
        for k, text in enumerate(texts)
    ]


@pytest.mark.parametrize("order", [1, 2, 4, 5])
def test_each_text_has_the_bleu_that_sacrebleu_gives(order):
    rng = np.random.default_rng(order)
    for _ in range(50):
        lengths = rng.integers(1, 9, rng.integers(2, 7))
        texts = [" ".join(rng.choice(list("abcd"), n)) for n in lengths]
        found = bleu_among([text.split() for text in texts], order)
        assert found == pytest.approx(one_by_one(texts, order), abs=1e-9)


@pytest.mark.parametrize("tokenizer", ["13a", "intl", "char", "zh", "none"])
def test_tokens_are_those_of_sacrebleu(tokenizer):
    texts = ["It's 3.50 € – “so”, he said.", "It is so, he said!", "So it goes…"]
    expected = np.mean(one_by_one(texts, tokenizer=tokenizer))
    assert score(*texts, tokenize=tokenizer) == pytest.approx(expected)


def test_real_texts_have_the_bleu_that_sacrebleu_gives():
    path = shared.path("data/text_imdb/train_unsup.jsonl.gz")
    with gzip.open(path, "rt") as lines:
        texts = [json.loads(line)["text"] for line in itertools.islice(lines, 12)]
    assert score(*texts) == pytest.approx(np.mean(one_by_one(texts)), abs=1e-9)


@pytest.mark.parametrize("text", ["so", "so it goes", "so " * 20])
def test_texts_that_are_all_the_same_have_100(text):
    assert score(*[text] * 3) == pytest.approx(100)


def test_texts_that_share_nothing_have_0():
    assert score("a b c d", "e f g h") == 0


def test_more_texts_are_more_alike():
    texts = ["a b c", "a b d", "b c d", "c d a"]
    assert score(*texts[:2]) < score(*texts)


def test_texts_without_tokens_are_left_out():
    assert score("a b c d", "", "a b c e", " ") == score("a b c d", "a b c e")
    for texts in [], ["so it goes"], ["so it goes", ""]:
        assert score(*texts) == "fewer than two texts have tokens"


def test_longest_ngrams_of_no_token_are_refused():
    with pytest.raises(OptionError, match="max_ngram_order=0: expected 1 to 20"):
        get("self_bleu")(max_ngram_order=0).load()


def test_the_signature_names_the_version_of_sacrebleu():
    assert "|sacrebleu:2." in get("self_bleu")().load().signature
