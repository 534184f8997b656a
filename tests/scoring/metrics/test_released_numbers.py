"""What released programs say of the texts that come with the app.

`tests/golden` holds their numbers, and the scripts that asked for them.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from scoring.metrics import Example, SystemTexts, get, output_key
from scoring.metrics._distributions import divergences
from tests.scoring.metrics import sample

FOLDER = Path(__file__).parents[2] / "golden"
# By file. Those of BERTScore are float32; of the others nine decimals are written.
TOLERANCES = {"sacrebleu": 1e-9, "rouge": 1e-9, "meteor": 1e-9, "bertscore": 1e-6}
STEPS = {"ter": 12}  # every so many texts: TER takes a second for each


def golden(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


CASES = [(name, case) for name in TOLERANCES for case in golden(name)["cases"]]


class TestReferences:
    @pytest.fixture(autouse=True)
    def all_references(self, tmp_path, monkeypatch):
        """The file that idf is counted in."""
        monkeypatch.chdir(tmp_path)
        found = [one for _, references in sample.pairs() for one in references]
        Path("references.txt").write_text("\n".join(found))

    @staticmethod
    @cache
    def scores(metric, options):
        pairs = sample.pairs()[:: STEPS.get(metric, 1)]
        examples = [Example(t, references=tuple(r)) for t, r in pairs]
        return get(metric)(**dict(options)).load("cpu")(examples).values

    @pytest.mark.parametrize(
        ("name", "case"), CASES, ids=lambda one: one if isinstance(one, str) else ""
    )
    def test_each_number_is_the_programs(self, name, case):
        found = self.scores(case["metric"], tuple(case["options"].items()))
        expected = case["scores"][:: STEPS.get(case["metric"], 1)]
        np.testing.assert_allclose(
            found[output_key(case["output"])], expected, atol=TOLERANCES[name], rtol=0
        )


class TestMAUVE:
    """mauve-text clusters with faiss: other random starts may find other clusters."""

    @pytest.mark.parametrize("case", golden("mauve")["cases"])
    @pytest.mark.parametrize(("smoothing", "star"), [(0, ""), (0.5, "_star")])
    def test_the_same_clusters_have_the_same_numbers(self, case, smoothing, star):
        k = case["clusters"]
        p, q = (
            divergences.histogram(
                np.arange(k), k, smoothing=smoothing, weights=case[side]
            )
            for side in ("p_counts", "q_counts")
        )
        area = divergences.area(divergences.curve(p, q, scale=5))
        assert area == pytest.approx(case[f"mauve{star}"], abs=1e-12)
        frontier = divergences.frontier_integral(p, q)
        assert frontier == pytest.approx(case[f"frontier_integral{star}"], abs=1e-12)

    @pytest.mark.parametrize(
        ("p", "q"), [("plain", "drifting"), ("drifting", "broken")]
    )
    def test_where_all_starts_find_the_same_clusters_so_do_we(self, p, q):
        texts = SystemTexts(tuple(sample.of(q)), tuple(sample.of(p)))
        options = {"pooling": "last", "preset": "mauve_text"}
        scorer = get("divergence")(model="bundled:encoder-small", **options).load("cpu")
        found = scorer(texts, np.random.default_rng(0))
        [case] = [
            one
            for one in golden("mauve")["cases"]
            if (one["p"], one["q"], one["clusters"]) == (p, q, 2)
        ]
        assert found.details["clusters"] == 2
        for key in ("mauve", "frontier_integral"):
            assert found.values[key] == pytest.approx(case[key], abs=1e-9)


@pytest.fixture(scope="module")
def scorer():
    return get("ctrleval")(model="bundled:infill-small").load("cpu")


class TestCTRLEval:
    """Some of the texts: all of them take a minute."""

    @pytest.mark.parametrize(
        ("aspect", "given", "step"),
        [
            ("coherence", (), 5),
            ("consistency", ("prefix",), 5),
            ("attribute-relevance", ("label",), 13),
        ],
    )
    def test_each_score_is_that_of_the_released_code(self, scorer, aspect, given, step):
        rows = sample.ROWS[::step]
        found = scorer(
            [Example(row["text"], **{one: row[one] for one in given}) for row in rows]
        )
        released = golden("ctrleval")
        scores = dict(zip(released["keys"], released["scores"][aspect], strict=True))
        expected = [scores[row["key"]] for row in rows]
        values = found.values[output_key(aspect)]
        np.testing.assert_allclose(values, expected, atol=5e-6, rtol=0)
