import json

import numpy as np
import pytest

from scoring.metrics import Example, MetricError, SystemTexts, get
from scoring.metrics import __main__ as command_line
from tests.scoring.metrics.pairs import sibling

TEXTS = ["the ferry left", "nobody said a word on deck", "so", "so"]


@pytest.fixture(scope="module")
def pair(gpt2, tmp_path_factory):
    amateur = sibling(gpt2, tmp_path_factory.mktemp("amateur") / "gpt2")
    return {"expert": str(gpt2), "amateur": str(amateur)}


def made(pair, **options):
    return get("corpus_cdm")(**pair, **options)


def score(scorer, texts):
    """The number, or why there is none."""
    found = scorer(SystemTexts(tuple(texts)), np.random.default_rng(0))
    return found.reasons.get("momentum", found.values["momentum"][0])


def noted(scorer):
    return scorer(SystemTexts(tuple(TEXTS)), np.random.default_rng(0)).notes


def test_it_is_the_mean_of_the_sums_of_cdm(pair, monkeypatch):
    scorer = made(pair).load("cpu")
    alone = get("cdm")(**pair).load("cpu")([Example(text) for text in TEXTS])
    found = score(scorer, TEXTS)
    assert found == pytest.approx(alone.values["sum"].mean(), abs=1e-5)
    monkeypatch.setattr("scoring.metrics.corpus_cdm.SLAB", 3)
    assert score(scorer, TEXTS[::-1]) == pytest.approx(found, abs=1e-5)


def test_a_text_that_cannot_be_scored_is_not_left_out(pair):
    scorer = made(pair).load("cpu")
    reason = "2 of 6 texts cannot be scored: the text is empty"
    assert score(scorer, ["", *TEXTS, "left " * 30]) == reason
    assert score(scorer, []) == "there is no text"


def test_the_signature_has_contents_and_no_paths(pair):
    signature = made(pair).load("cpu").signature
    swapped = made({"expert": pair["amateur"], "amateur": pair["expert"]})
    assert signature.startswith("corpus_cdm|amateur:sha256:")
    assert pair["expert"] not in signature != swapped.load("cpu").signature


def test_held_out_text_tells_who_is_the_expert(pair, tmp_path):
    file = tmp_path / "human.txt"
    file.write_text(TEXTS[1])
    swapped = {"expert": pair["amateur"], "amateur": pair["expert"]}
    notes = [
        noted(made(one, held_out=str(file)).load("cpu")) for one in (pair, swapped)
    ]
    assert sorted(map(len, notes)) == [0, 1]


def test_one_model_twice_is_refused(pair):
    with pytest.raises(MetricError, match="are the same model"):
        made({"expert": pair["expert"], "amateur": pair["expert"]}).load("cpu")


def test_the_command_line_tells_signature_and_reasons(
    pair, tmp_path, monkeypatch, capsys
):
    rows = [{"text": "so", "system": "x"}, {"text": "", "system": "y"}]
    file = tmp_path / "in.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    with file.open() as lines:
        monkeypatch.setattr("sys.stdin", lines)
        options = [f"--{name}={value}" for name, value in pair.items()]
        status = command_line.main(
            ["corpus_cdm", *options, "--device=cpu", "--threads=1"]
        )
    printed = capsys.readouterr()
    x, y = map(json.loads, printed.out.splitlines())
    assert status == 0 and printed.err.startswith("signature: corpus_cdm|amateur:sha25")
    assert np.isfinite(x["momentum"]) and "reasons" not in x
    assert y == {
        "system": "y",
        "texts": 1,
        "momentum": None,
        "reasons": {"momentum": "1 of 1 texts cannot be scored: the text is empty"},
    }
