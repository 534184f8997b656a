"""Metrics and people on damaged texts: numbers that can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scoring import analyses
from scoring.stats.data import NONE, Aspect, Data, NegativeRatings, Ratings
from tests.scoring import made


def study(**options: Any) -> Data:
    """Twelve prompts with a negative each, shuffled and dropped by turns."""
    return made.data(prompts=12, systems=2, raters=3, **options)


def ratings(rows: list[tuple[int, int, str, int, bool, int]], kind: type) -> Any:
    """Text or negative, aspect, rater, value, valid, page."""
    of, aspect, rater, value, valid, page = map(np.array, zip(*rows, strict=True))
    more = {"informed": page < 0}
    if kind is Ratings:
        more |= {"position": page * 0 + 1, "seconds": page * 1.0}
    key = "text" if kind is Ratings else "negative"
    common = {"aspect": aspect, "rater": rater, "value": value, "valid": valid}
    return kind(**{key: of, "page": page, **common, **more})


def rated(data: Data, texts: list[tuple], negatives: list[tuple]) -> Data:
    return replace(
        data,
        ratings=ratings(texts, Ratings),
        negative_ratings=ratings(negatives, NegativeRatings),
    )


def scored(data: Data, column: int, shift: np.ndarray) -> Data:
    """A metric gives each negative what it gave its source, and a shift."""
    scores = data.negative_scores.copy()
    scores[:, column] = data.scores[data.negatives.source, column] + shift
    return replace(data, negative_scores=scores)


def run(data: Data, **chosen: Any) -> dict[str, Any]:
    return analyses.run("diagnosis", data, analyses.options("diagnosis", chosen))


def of_metric(result: dict[str, Any], column: int, kind: str = "all") -> dict[str, Any]:
    parts = result["rows"][column]["parts"]
    return next(part for part in parts if part["name"] == kind)


def of_people(
    result: dict[str, Any], kind: str = "all", which: str = "judged"
) -> dict[str, Any]:
    return next(row for row in result["people"][which] if row["name"] == kind)


# Metrics ------------------------------------------------------------------------------


def test_a_metric_that_notices_all_damage_has_a_share_of_1() -> None:
    data = study()
    sd = data.scores[:, 0].std(ddof=1)
    found = of_metric(run(scored(data, 0, np.full(12, -2 * sd))), 0)
    assert found["share"]["value"] == 1 and found["share"]["low"] < 0.8
    assert found["sds"]["value"] == pytest.approx(-2)


def test_a_metric_that_sees_no_difference_has_half() -> None:
    """Rounding of single precision is no difference."""
    rounding = np.random.default_rng(0).normal(size=12) * 1e-7
    found = of_metric(run(scored(study(), 0, rounding)), 0)
    assert found["share"]["value"] == 0.5


def test_each_perturbation_has_its_own_number() -> None:
    data = study()
    dropped = data.negatives.perturbation == "drop"
    result = run(scored(data, 0, np.where(dropped, -1.0, 1.0)))
    shares = [of_metric(result, 0, kind)["share"] for kind in ("drop", "shuffle")]
    assert [one["value"] for one in shares] == [1, 0]
    assert [one["n"] for one in shares] == [6, 6]


def test_where_lower_is_better_a_rise_is_what_is_noticed() -> None:
    data = scored(study(), 0, np.ones(12))
    loss = replace(data.outputs[0], higher_is_better=False)
    result = run(replace(data, outputs=[loss, *data.outputs[1:]]))
    assert of_metric(result, 0)["share"]["value"] == 1
    assert of_metric(result, 0)["sds"]["value"] < 0


def test_negatives_that_were_not_scored_say_so() -> None:
    data = study()
    result = run(replace(data, negative_scores=np.full((12, 3), np.nan)))
    row = result["rows"][0]
    reason = "the negatives have no scores of this metric yet"
    assert row["auc"]["reason"] == reason
    assert of_metric(result, 0)["share"]["reason"] == reason
    assert not row["scored"]


def test_a_constant_metric_ties_all_and_has_no_unit_of_difference() -> None:
    data = study()
    data = replace(data, scores=data.scores * 0, negative_scores=data.scores[:12] * 0)
    found = of_metric(run(data), 0)
    assert found["share"]["value"] == 0.5
    assert found["sds"]["reason"] == "scores of the texts: all the same"


def test_the_area_is_that_of_all_texts_against_all_negatives() -> None:
    from sklearn.metrics import roc_auc_score

    data = study()
    found = run(data)["rows"][1]["auc"]
    scores = np.concatenate([data.scores[:, 1], data.negative_scores[:, 1]])
    real = np.arange(len(scores)) < len(data.texts)
    assert found["value"] == pytest.approx(roc_auc_score(real, scores), abs=1e-12)
    assert found["low"] < found["value"] < found["high"]


def test_negatives_of_texts_that_are_filtered_out_do_not_count() -> None:
    result = run(study(), prompts="1-4")
    assert (result["n"], result["n_negatives"]) == (4, 12)
    assert of_metric(result, 0)["share"]["n"] == 4


def test_only_the_metrics_asked_for_are_shown() -> None:
    result = run(study(), outputs=("judge:q1",))
    assert [output["id"] for output in result["outputs"]] == ["judge:q1"]
    assert result["outputs"][0]["place"] == 1


# People -------------------------------------------------------------------------------


def test_people_are_compared_with_what_others_gave_the_source() -> None:
    """The first negative's source is text 0. Ann's own rating of it does not count."""
    data = study()
    texts = [
        (0, 0, "ann", 1, True, 1),
        (0, 0, "ben", 5, True, 2),
        (0, 0, "cy", 4, True, 3),
    ]
    hidden = [(0, 0, "ann", 3, True, 4), (0, 0, "dan", 2, True, 5)]
    found = of_people(run(rated(data, texts, hidden)))
    ann, dan = 3 - 4.5, 2 - 10 / 3
    assert found["points"]["value"] == pytest.approx((ann + dan) / 2)
    assert (found["points"]["n"], found["single"]["n"]) == (1, 2)
    assert found["share"]["value"] == found["single"]["value"] == 1


def test_only_aspects_that_the_damage_should_lower_count() -> None:
    data = study()  # hurts coherence, which is aspect 0
    texts = [(0, 0, "ben", 3, True, 1), (0, 1, "ben", 5, True, 1)]
    hidden = [(0, 0, "ann", 2, True, 2), (0, 1, "ann", 1, True, 2)]
    assert of_people(run(rated(data, texts, hidden)))["points"]["value"] == -1


def test_where_low_is_good_people_notice_by_rating_higher() -> None:
    data = study()
    low = [Aspect("coherence", "Errors", higher_is_better=False), data.aspects[1]]
    texts, hidden = [(0, 0, "ben", 2, True, 1)], [(0, 0, "ann", 4, True, 2)]
    result = run(rated(replace(data, aspects=low), texts, hidden))
    assert of_people(result)["points"]["value"] == -2


def test_discarded_pages_count_unless_valid_ones_are_asked_for() -> None:
    """Pages are discarded for a negative above a text: of those left none is."""
    data = study()
    texts = [(0, 0, "ben", 3, True, 1)]
    hidden = [(0, 0, "ann", 5, False, 2), (0, 0, "dan", 2, True, 3)]
    result = run(rated(data, texts, hidden))
    assert of_people(result)["points"]["value"] == 0.5
    assert of_people(result, which="valid")["points"]["value"] == -1
    assert (result["n_pages"], result["n_discarded"]) == (2, 1)
    assert "qc:none" in of_people(result)["points"]["signature"]
    assert "qc:v1" in of_people(result, which="valid")["points"]["signature"]


def test_differences_of_people_are_in_sds_of_the_texts_means() -> None:
    data = study()
    result = run(data)
    sd = data.human_scores(with_discarded=True)[:, 0].std(ddof=1)
    found = of_people(result, "drop")
    assert found["sds"]["value"] == pytest.approx(found["points"]["value"] / sd)


def test_a_source_that_nobody_else_rated_gives_no_number() -> None:
    texts, hidden = [(0, 0, "ann", 3, True, 1)], [(0, 0, "ann", 1, True, 2)]
    found = of_people(run(rated(study(), texts, hidden)))["points"]
    assert found["value"] is None
    assert found["reason"].startswith("no rating of a negative whose undamaged text")


# Who notices what ---------------------------------------------------------------------


def noticed(shift: float, human: int, **facts: Any) -> dict[str, list[str]]:
    """People give all negatives `human` and all sources 3 to 5, the metric `shift`."""
    data = study()
    sources = data.negatives.source
    texts = [(s, 0, "ben", 3 + k % 3, True, k) for k, s in enumerate(sources)]
    hidden = [(k, 0, "ann", human, True, 99 + k) for k in range(12)]
    wiggle = np.arange(12) % 3 * 0.01
    data = scored(rated(data, texts, hidden), 0, shift + wiggle)
    one = replace(data.outputs[0], **facts)
    return run(replace(data, outputs=[one, *data.outputs[1:]]))["seen"][0]


BOTH_KINDS = ["drop", "shuffle"]
NONE_OF = {"both": [], "people": [], "metric": [], "raised": []}


@pytest.mark.parametrize(
    ("shift", "human", "facts", "expected"),
    [
        (-1, 1, {}, {"both": BOTH_KINDS}),
        (1, 1, {}, {"people": BOTH_KINDS, "raised": BOTH_KINDS}),
        (-1, 4, {}, {"metric": BOTH_KINDS}),
        (-0.01, 4, {}, {}),
        (1, 1, {"higher_is_better": None}, {"both": BOTH_KINDS}),
    ],
)
def test_it_says_who_notices_which_damage(shift, human, facts, expected) -> None:
    assert noticed(shift, human, **facts) == {**NONE_OF, **expected}


def test_without_negatives_there_is_nothing_to_compare() -> None:
    result = run(made.data(negatives=False))
    assert (result["n"], result["kinds"]) == (0, [])


def test_sources_that_are_not_among_the_texts_are_left_out() -> None:
    data = study()
    none = replace(data.negatives, source=np.full(12, NONE))
    assert run(replace(data, negatives=none))["n"] == 0
