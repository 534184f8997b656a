"""A system that writes nothing must not gain by it: what its empty texts count as."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from scoring.metrics import Example, SystemTexts, get
from scoring.metrics._references.of_systems import EMPTY, LEFT_OUT

REFERENCE = "The ferry left the old harbour at 7 with Ann."
# What an empty text has with that reference: nothing in common, or all to be inserted.
# Without a name in the text, nothing can be said of how many of its names are right.
NOTHING = {
    "bleu": {"bleu": 0},
    "chrf": {"chrf": 0},
    "ter": {"ter": 100},
    "rouge": {"rouge_1": 0, "rouge_2": 0, "rouge_l": 0, "rouge_lsum": 0},
    "meteor": {"meteor": 0},
    "names_and_numbers": {
        **{"names_precision": np.nan, "names_recall": 0, "names_f1": 0},
        **{"numbers_precision": np.nan, "numbers_recall": 0, "numbers_f1": 0},
    },
    "bertscore": {"precision": 0, "recall": 0, "f1": 0},
    "moverscore": {"moverscore": 0},
}
MODELS = {"bertscore": {"layer": 1}, "moverscore": {}}
EMPTIES = [
    Example("", references=(REFERENCE,)),
    Example(" \n", references=(REFERENCE,)),
    Example("On deck ", "On deck", references=(REFERENCE,)),
]
TEXTS = ("The ferry left the harbour.", "", "It was a long day at sea.", "")
REFERENCES = (
    "The ferry left the old harbour at seven.",
    "Nobody said a single word.",
    "It was a very long day.",
    "She slept.",
)


@pytest.mark.parametrize("name", NOTHING)
def test_each_reference_metric_gives_it_what_nothing_in_common_means(name):
    options = (
        {"model": "bundled:encoder-small", **MODELS[name]} if name in MODELS else {}
    )
    scores = get(name)(**options).load()(EMPTIES)
    for key, expected in NOTHING[name].items():
        np.testing.assert_array_equal(scores.values[key], [expected] * len(EMPTIES))
        assert all((why is None) != np.isnan(expected) for why in scores.reasons[key])


@pytest.mark.parametrize(("name", "expected"), [("bleu", 0), ("ter", 100), ("chrf", 0)])
def test_with_all_references_together_too(name, expected):
    options = {} if name == "chrf" else {"aggregate": "joint"}
    scores = get(name)(**options).load()(EMPTIES)
    assert scores.values[name].tolist() == [expected] * len(EMPTIES)


def corpus(name, texts):
    examples = tuple(
        Example(text, references=(reference,))
        for text, reference in zip(texts, REFERENCES, strict=True)
    )
    given = SystemTexts(tuple(texts), examples=examples)
    return get(name)().load()(given, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("name", "library"), [("bleu", BLEU), ("chrf", CHRF), ("ter", TER)]
)
@pytest.mark.parametrize("texts", [TEXTS, ("", "", "", "")])
def test_corpus_forms_count_it_as_sacrebleu_does(name, library, texts):
    found = corpus(f"corpus_{name}", texts)
    expected = library().corpus_score(list(texts), [list(REFERENCES)]).score
    assert found.values[f"corpus_{name}"] == pytest.approx([expected], abs=1e-12)
    assert found.notes == (EMPTY,)
    assert found.details == {"compared": 4, "empty": texts.count("")}


@pytest.mark.parametrize("name", ["corpus_bleu", "corpus_chrf"])
def test_a_system_that_fails_does_not_gain(name):
    failing, whole = corpus(name, TEXTS), corpus(name, (TEXTS[0], "A.", TEXTS[2], "B."))
    assert failing.values[name] < whole.values[name]
    assert LEFT_OUT not in failing.notes


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("distinct", {}),
        ("repetition", {}),
        ("perplexity", {"model": "bundled:causal-nano"}),
        ("bartscore", {"model": "bundled:infill-nano"}),
        ("ctrleval", {"model": "bundled:infill-nano"}),
    ],
)
def test_metrics_without_references_give_it_no_number_but_a_reason(name, options):
    scores = get(name)(**options).load("cpu")([Example(""), Example("", "On deck")])
    for key, values in scores.values.items():
        assert np.isnan(values).all()
        assert all(scores.reasons[key])
