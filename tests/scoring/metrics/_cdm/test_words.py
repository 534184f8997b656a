"""Where in a text the tokens end that CDM scores."""

import pytest

from scoring.metrics import Example, get
from scoring.results import charted_parts
from tests.scoring.metrics.pairs import sibling


@pytest.fixture(scope="module", params=["gpt2", "pegasus"])
def scorer(request, tmp_path_factory):
    amateur = request.getfixturevalue(request.param)
    expert = sibling(amateur, tmp_path_factory.mktemp("expert") / "model")
    return get("cdm")(amateur=str(amateur), expert=str(expert)).load()


@pytest.mark.parametrize(
    "example",
    [
        Example("the ferry left harbour"),
        Example("the ferry left harbour", prefix="the ferry"),
        Example("the ferry left harbour", source="nobody said a word"),
    ],
    ids=["alone", "prefix", "source"],
)
def test_the_words_of_cdm_add_up_to_its_sum(scorer, example):
    found = scorer([example, Example("good")])
    rows = {key: part[0] for key, part in found.parts.items()}
    (series,) = get("cdm")(amateur="a", expert="b").series
    words = charted_parts.bars(series, rows["m"], rows["m.ends"], example.text)
    expected = example.text.removeprefix(example.prefix).split()
    assert [bar.name for bar in words] == expected
    total = sum(bar.value for bar in words)
    assert total == pytest.approx(found.values["sum"][0], rel=1e-9)
