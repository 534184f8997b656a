"""Corpus BLEU, chrF and TER: the library's own numbers, of all texts together."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from scoring.metrics import Example, OptionError, SystemTexts, get
from scoring.metrics._references.of_systems import LEFT_OUT

TEXTS = (
    "The ferry left the old harbour at seven.",
    "Nobody on deck said a single word about it.",
    "It was a good and very long day.",
)
FIRST = (
    "The ferry left the harbour at seven in the morning.",
    "On deck nobody said a word about it.",
    "It was a good, long day.",
)
SECOND = (
    "At seven the ferry left.",
    "Nobody said a single word about it.",
    "The day was long and good.",
)
LIBRARY = {"corpus_bleu": BLEU, "corpus_chrf": CHRF, "corpus_ter": TER}
NAMES = pytest.mark.parametrize("name", LIBRARY)


def score(name, examples, **options):
    given = SystemTexts(tuple(one.text for one in examples), examples=tuple(examples))
    return get(name)(**options).load()(given, np.random.default_rng(0))


def examples(*references):
    return [
        Example(text, references=tuple(own))
        for text, *own in zip(TEXTS, *references, strict=True)
    ]


@NAMES
@pytest.mark.parametrize("references", [[FIRST], [FIRST, SECOND]])
def test_it_is_the_librarys_corpus_score(name, references):
    expected = LIBRARY[name]().corpus_score(TEXTS, list(map(list, references))).score
    found = score(name, examples(*references))
    assert found.values[name] == pytest.approx([expected], abs=1e-12)
    assert found.details == {"compared": 3} and found.notes == ()


@NAMES
def test_texts_may_have_different_numbers_of_references(name):
    given = examples(FIRST, SECOND)
    given[1] = Example(TEXTS[1], references=FIRST[1:2])
    streams = [list(FIRST), [SECOND[0], None, SECOND[2]]]
    expected = LIBRARY[name]().corpus_score(TEXTS, streams).score
    assert score(name, given).values[name] == pytest.approx([expected], abs=1e-12)


@NAMES
def test_it_is_not_the_mean_over_texts(name):
    given = examples(SECOND)
    alone = [score(name, [one]).values[name][0] for one in given]
    assert score(name, given).values[name][0] != pytest.approx(np.mean(alone), abs=0.1)


@NAMES
def test_texts_without_a_reference_are_left_out_with_a_note(name):
    given = examples(FIRST)
    found = score(name, [*given, Example("No reference.")])
    assert found.values[name] == score(name, given).values[name]
    assert found.notes == (LEFT_OUT,) and found.details == {"compared": 3}


@NAMES
def test_a_system_without_references_has_a_reason(name):
    found = score(name, [Example("No reference."), Example("None here either.")])
    assert np.isnan(found.values[name]).all()
    assert found.reasons == {name: "there is no reference"}
    assert score(name, []).reasons == {name: "there is no text"}


@NAMES
def test_the_prefix_does_not_count_where_references_lack_it(name):
    prefixed = [
        Example(f"Then {one.text}", prefix="Then", references=one.references)
        for one in examples(FIRST)
    ]
    expected = score(name, examples(FIRST)).values[name]
    assert score(name, prefixed).values[name] == expected


def test_options_are_those_of_the_metrics_of_texts():
    with pytest.raises(OptionError, match="max_ngram_order=0"):
        get("corpus_bleu")(max_ngram_order=0).check()
    found = score("corpus_chrf", examples(FIRST), word_order=2)
    expected = CHRF(word_order=2).corpus_score(TEXTS, [list(FIRST)]).score
    assert found.values["corpus_chrf"] == pytest.approx([expected])
