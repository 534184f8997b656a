"""Numbers of the authors' released code on its 360 sentiment texts.

Made with torch 2.13.0, transformers 5.23.0 and a PEGASUS of random weights whose
initial standard deviation is 0.25, so that wrong details show.
"""

import json

import numpy as np
import pytest

from scoring.metrics import Example, get
from scoring.metrics._ctrleval.aspects import Coherence, Consistency, Relevance
from scoring.metrics._ctrleval.patterns import written
from scoring.metrics._ctrleval.tables import SENTIMENT
from tests.support import shared

NAMES = {"coherence": "coh", "consistency": "cons", "attribute_relevance": "ar"}
ASPECTS = {a.key: a for a in (Coherence(), Consistency(), Relevance([SENTIMENT]))}
TOLERANCE = 1e-5
# The first 20, whose steps are known too, and every sixth of the others.
SOME = sorted({*range(20), *range(0, 360, 6)})


def golden(name):
    return json.loads(shared.path(f"golden/ctrleval/{name}.json").read_text())


@pytest.fixture(scope="module")
def examples():
    lines = shared.path("data/ctrleval/data_senti.txt").read_text().splitlines()
    splits = golden("senti_sentences_punkt")
    rows = (line.split("\t")[:3] for line in lines)
    return [
        Example(text=text, prefix=prefix, label=label, sentences=tuple(split))
        for (label, prefix, text), split in zip(rows, splits, strict=True)
    ]


@pytest.fixture(scope="module")
def scorer():
    return get("ctrleval")(
        model=str(shared.path("golden/models/pegasus-tiny-sharp")),
        iwf=str(shared.path("data/ctrleval/iwf_full.txt")),
    ).load("cpu")


@pytest.fixture(scope="module")
def scores(scorer, examples):
    return scorer([examples[k] for k in SOME])


@pytest.mark.parametrize("key", NAMES)
def test_scores_are_the_same(scores, key):
    expected = np.array(golden(f"ctrleval_senti_{NAMES[key]}_sharp")["scores"])
    found = scores.values[key]
    np.testing.assert_allclose(found, expected[SOME], atol=TOLERANCE, rtol=0)


@pytest.mark.slow
def test_all_360_scores_are_the_same(scorer, examples):
    found = scorer(examples).values
    for key, name in NAMES.items():
        expected = golden(f"ctrleval_senti_{name}_sharp")["scores"]
        np.testing.assert_allclose(found[key], expected, atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize("key", ["coherence", "consistency"])
def test_sources_targets_ids_scores_and_weights_are_the_same(
    scorer, scores, examples, key
):
    aspect = ASPECTS[key]
    for k, expected in enumerate(golden(f"ctrleval_senti_{NAMES[key]}_intermediate20")):
        blanks = aspect.blanks(examples[k])
        patterns = [written(one, "ctrleval", scorer.backbone.mask) for one in blanks]
        pairs = scorer.pairs(blanks, end=aspect.end)
        found = zip(patterns, pairs, expected["evaluators"], strict=True)
        for (source, target), pair, evaluator in found:
            assert (source, target) == (evaluator["source"], evaluator["target"])
            assert list(pair.source) == evaluator["source_ids"]
            assert list(pair.target) == evaluator["target_ids"]
        for part, name in (("s", "score"), ("w", "beta")):
            row = scores.parts[f"{key}.{part}"][k][: len(patterns)]
            values = [evaluator[name] for evaluator in expected["evaluators"]]
            np.testing.assert_allclose(row, values, atol=TOLERANCE, rtol=0)


def test_words_for_labels_have_the_same_probabilities_and_weights(
    scorer, scores, examples
):
    aspect = ASPECTS["attribute_relevance"]
    expected = golden("ctrleval_senti_ar_intermediate20")
    for k, row in enumerate(expected):
        pairs = scorer.pairs(aspect.blanks(examples[k]), end=aspect.end)
        logs = scorer.engine.mean_logprobs(pairs)
        np.testing.assert_allclose(logs, row["mean_logprob"], atol=TOLERANCE, rtol=0)
        # The golden weights are normalised.
        weights = scores.parts["attribute_relevance.w"][k]
        np.testing.assert_allclose(
            weights / weights.sum(), row["beta"], atol=TOLERANCE, rtol=0
        )


def test_prompts_have_the_same_sources_and_ids(scorer, examples):
    aspect = ASPECTS["attribute_relevance"]
    expected = golden("ctrleval_senti_ar_intermediate20")
    for example, row in zip(examples[:2], expected[:2], strict=True):
        blanks = aspect.blanks(example)
        patterns = [written(one, "ctrleval", scorer.backbone.mask) for one in blanks]
        pairs = scorer.pairs(blanks, end=aspect.end)
        assert [source for source, _ in patterns[::6]] == row["sources"]
        assert [list(pair.source) for pair in pairs[::6]] == row["source_ids"]
        assert [target for _, target in patterns[:6]] == row["targets"]
        assert [list(pair.target) for pair in pairs[:6]] == row["target_ids"]


def test_prompts_and_words_are_those_of_the_authors_files():
    prompts = shared.path("data/ctrleval/prompt_senti.txt").read_text().splitlines()
    words = shared.path("data/ctrleval/verbal_senti.txt").read_text().splitlines()
    assert list(SENTIMENT.prompts) == prompts
    assert ["\t".join(SENTIMENT.labels), *map("\t".join, SENTIMENT.words)] == words
