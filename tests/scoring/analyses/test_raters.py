"""Raters: severity, corrected scores, and the sentence about them."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from scoring import analyses
from scoring.analyses.raters import strictness
from scoring.analyses.raters.numbers import NO_SYSTEM, Options
from scoring.analyses.raters.strictness import NONE_CLEAR
from scoring.stats.data import NONE, Data
from scoring.stats.severity import ordinal, points
from scoring.stats.severity.detecting import Detectable
from tests.scoring import made
from tests.scoring.analyses.shown import everything


def strict(data: Data, rater: str = "w1", by: int = 1) -> Data:
    """The same ratings, where one rater gives fewer points."""
    rated = data.ratings
    value = np.where(rated.rater == rater, np.maximum(rated.value - by, 1), rated.value)
    return replace(data, ratings=replace(rated, value=value))


DATA = strict(made.data(prompts=20, systems=3, seed=3, aspects=("coherence",)))


def run(data: Data = DATA, **chosen) -> dict:
    return analyses.run("raters", data, Options(**chosen))


@pytest.fixture(scope="module")
def found() -> dict:
    return run()["aspects"][0]


def test_it_names_the_strictest_and_what_the_correction_changes(found):
    value = found["raters"][0]["severity"]["value"]
    assert found["raters"][0]["rater"] == "w1"
    ends = [
        (row["severity"]["low"], row["severity"]["high"]) for row in found["raters"]
    ]
    who = sum(low > 0 or high < 0 for low, high in ends)
    assert found["sentence"] == (
        f"Keep all ratings of coherence: {who} of 3 raters are clearly stricter or more"
        f" lenient than the average rater, w1 the most ({value:.1f} points stricter),"
        " but the order of the systems stays the same if you allow for that."
    )


def test_numbers_are_those_of_the_model(found):
    data = Options().apply(DATA)
    rated = data.ratings
    fit = ordinal.fit(
        rated.text, rated.rater, rated.value, data.texts.system[rated.text]
    )
    assert isinstance(fit, ordinal.Fit)
    expected = {
        name: one.value
        for name, one in zip(fit.rater_names, points.severities(fit), strict=True)
    }
    for row in found["raters"]:
        assert row["severity"]["value"] == pytest.approx(expected[row["rater"]])
        assert row["severity"]["low"] < row["severity"]["value"]
    by_place = {row["place"]: row for row in found["systems"]}
    for place, one in enumerate(points.scores(fit)):
        assert by_place[place]["corrected"]["value"] == pytest.approx(one.value)
        change = one.value - by_place[place]["mean"]["value"]
        assert by_place[place]["change"]["value"] == pytest.approx(change)


def test_the_mean_of_a_system_counts_each_text_once(found):
    data = Options().apply(DATA)
    human = data.human_scores()[:, 0]
    for row in found["systems"]:
        mean = np.nanmean(human[data.texts.system == row["place"]])
        assert row["mean"]["value"] == pytest.approx(mean)


def test_where_lower_is_better_the_strict_give_more():
    aspect = replace(DATA.aspects[0], higher_is_better=False)
    turned = run(replace(DATA, aspects=[aspect]))["aspects"][0]
    assert turned["raters"][-1]["rater"] == "w1"
    assert turned["raters"][-1]["severity"]["high"] < 0
    assert "w1 the most" in turned["sentence"]
    assert "points more lenient" in turned["sentence"]
    means = [row["corrected"]["value"] for row in turned["systems"]]
    assert means == sorted(means)


def test_one_aspect_can_be_asked_for():
    data = made.data(prompts=6)
    assert [one["key"] for one in run(data)["aspects"]] == ["coherence", "fluency"]
    chosen = run(data, aspect="fluency")["aspects"]
    assert [one["key"] for one in chosen] == ["fluency"]


def test_discarded_ratings_count_when_asked_for():
    more, fewer = run(with_discarded=True), run()
    assert more["aspects"][0]["n_ratings"] > fewer["aspects"][0]["n_ratings"]


def test_unknown_raters_are_left_out_and_counted():
    rated = DATA.ratings
    rater = np.where(rated.rater == "w0", "", rated.rater)
    some = run(replace(DATA, ratings=replace(rated, rater=rater)))["aspects"][0]
    assert some["n_unknown"] > 0
    assert {row["rater"] for row in some["raters"]} == {"w1", "w2"}
    nobody = replace(rated, rater=np.full(len(rated), "", np.str_))
    none = run(replace(DATA, ratings=nobody))["aspects"][0]
    assert none["reason"] == ordinal.NO_RATING
    assert none["sentence"].startswith(
        "You cannot tell yet whether a rater is too strict on coherence:"
        f" {ordinal.NO_RATING}."
    )
    everything("raters", run(replace(DATA, ratings=nobody)))


def test_texts_without_a_system_are_a_group_of_their_own():
    system = np.where(DATA.texts.system == 0, NONE, DATA.texts.system)
    data = replace(DATA, texts=replace(DATA.texts, system=system))
    names = [row["system"] for row in run(data)["aspects"][0]["systems"]]
    assert sorted(names) == sorted([NO_SYSTEM, "s1", "s2"])


def test_one_system_has_no_rank_to_change():
    said = run(strict(DATA, by=2), systems=("s0",))["aspects"][0]["sentence"]
    assert said.startswith("Keep all ratings of coherence: ")
    assert "and allowing for that would move the mean by 0." in said


def test_without_an_aspect_there_is_nothing():
    assert run(replace(DATA, aspects=[]))["aspects"] == []
    everything("raters", run(replace(DATA, aspects=[])))


def number(value: float | None, low: float | None = None, high: float | None = None):
    shown = {"value": value, "low": low, "high": high}
    return {**shown, "reason": None, "n": None, "signature": ""}


def system(name: str, rank: float, corrected: float = 3.0, half: float = 0.0) -> dict:
    ends = corrected - half, corrected + half
    change = number(0.3 if name == "far" else 0.01)
    return {
        "system": name,
        "rank": rank,
        "corrected": number(corrected, *ends),
        "change": change,
    }


def rater(value: float, low: float, high: float) -> dict:
    return {"rater": "w7", "habit": "", "severity": number(value, low, high)}


STRICT, UNCLEAR = rater(0.61, 0.2, 1.0), rater(0.3, -0.1, 0.7)
IN_ORDER = [system("a", 1), system("b", 2)]
SWAPPED = [system("a", 2, 3.56), system("b", 1, 3.54)]
W7 = "w7 is 0.6 points stricter than the average rater"


@pytest.mark.parametrize(
    ("raters", "systems", "said"),
    [
        (
            [STRICT, UNCLEAR],
            IN_ORDER,
            f"Keep all ratings of coherence: {W7}, but the order of the systems stays"
            " the same if you allow for that.",
        ),
        (
            [rater(-0.04, -0.06, -0.02)],
            SWAPPED,
            "Report the corrected means of coherence: w7 is 0.04 points more lenient"
            " than the average rater, and allowing for that puts a 0.02 points ahead of"
            " b.",
        ),
        (
            [STRICT],
            [system("a", 2, 3.56, 0.1), system("b", 1, 3.54, 0.1)],
            f"Report the corrected means of coherence: {W7}, and allowing for that puts"
            " a 0.02 points ahead of b. Do not call either better: the two are too"
            " close to tell apart.",
        ),
        (
            [STRICT],
            [system("a", 3, 3.2), system("b", 2, 3.1), system("c", 1)],
            f"Report the corrected means of coherence: {W7}, and allowing for that"
            " changes the order of 3 pairs of systems.",
        ),
        (
            [STRICT],
            [system("a", 3, 3.2), system("b", 2, 3.1, 0.2), system("c", 1)],
            f"Report the corrected means of coherence: {W7}, and allowing for that"
            " changes the order of 3 pairs of systems. In 2 of them the two are too"
            " close to call either better.",
        ),
        (
            [STRICT, STRICT, UNCLEAR],
            IN_ORDER,
            "Keep all ratings of coherence: 2 of 3 raters are clearly stricter or more"
            " lenient than the average rater, w7 the most (0.6 points stricter), but"
            " the order of the systems stays the same if you allow for that.",
        ),
        ([UNCLEAR], IN_ORDER, f"Keep all ratings of coherence: {NONE_CLEAR}."),
        (
            [UNCLEAR],
            [system("a", 1.5), system("b", 1.5)],
            f"Keep all ratings of coherence: {NONE_CLEAR}.",
        ),
        (
            [UNCLEAR],
            SWAPPED,
            f"Keep all ratings of coherence: {NONE_CLEAR}. The order of a and b depends"
            " on small differences between raters, so do not call either better.",
        ),
        (
            [UNCLEAR],
            [system("a", 3), system("b", 2), system("c", 1)],
            f"Keep all ratings of coherence: {NONE_CLEAR}. The order within 3 pairs of"
            " systems depends on small differences between raters, so do not call"
            " either system of such a pair better.",
        ),
        (
            [STRICT],
            [system("a", 1)],
            f"Keep all ratings of coherence: {W7}, and allowing for that would move the"
            " mean by 0.01 points only.",
        ),
        (
            [STRICT],
            [system("far", 1)],
            f"Keep all ratings of coherence: {W7}, and allowing for that would move the"
            " mean by 0.3 points, which matters only if you compare it with a mean by"
            " other raters.",
        ),
        (
            [UNCLEAR],
            [system("far", 1)],
            f"Keep all ratings of coherence: {NONE_CLEAR}.",
        ),
    ],
)
def test_the_sentence_follows_from_the_numbers(raters, systems, said):
    assert strictness.sentence("Coherence", None, raters, systems, 0.2) == said


def test_strict_raters_of_all_systems_alike_favour_none_whatever_the_model_says():
    said = strictness.sentence("Coherence", None, [STRICT], SWAPPED, 0.0)
    assert said == f"Keep all ratings of coherence: {W7}, but {strictness.EVEN}."
    nobody = strictness.sentence("Coherence", None, [UNCLEAR], SWAPPED, 0.0)
    assert nobody == f"Keep all ratings of coherence: {NONE_CLEAR}."


@pytest.mark.parametrize("reason", list(strictness.ADVICE))
def test_without_a_model_it_says_what_to_do(reason):
    said = strictness.sentence("Coherence", reason, [], [])
    assert said.endswith(f"on coherence: {reason}. {strictness.ADVICE[reason]}")


def kept(rows: np.ndarray) -> Data:
    """Some of the ratings."""
    rated = DATA.ratings
    parts = {one.name: getattr(rated, one.name)[rows] for one in fields(rated)}
    return replace(DATA, ratings=replace(rated, **parts))


def test_a_strict_rater_of_all_texts_favours_no_system():
    rated = DATA.ratings
    text, n = np.unique(rated.text[rated.valid], return_counts=True)
    every = np.isin(rated.text, text[n == 3]) & rated.valid
    found = run(kept(every))["aspects"][0]
    assert found["sentence"].endswith(f", but {strictness.EVEN}.")
    some = run(kept(every & ((rated.rater != "w1") | (rated.text % 3 != 0))))
    assert strictness.EVEN not in some["aspects"][0]["sentence"]


def answering(data: Data, rater: str, as_given) -> Data:
    """The same ratings, where one rater gives others."""
    rated = data.ratings
    value = np.where(rated.rater == rater, as_given(rated.value), rated.value)
    return replace(data, ratings=replace(rated, value=value))


CROWD = made.data(prompts=40, systems=3, raters=6, seed=5, aspects=("coherence",))


def test_a_rater_of_the_ends_alone_has_the_largest_spread_and_is_named():
    data = answering(CROWD, "w2", lambda value: np.where(value < 3, 1, 5))
    found = run(data)["aspects"][0]
    spread = {row["rater"]: row["spread"] for row in found["raters"]}
    widest = max(spread, key=lambda rater: spread[rater]["value"])
    assert widest == "w2" and spread["w2"]["value"] == points.MOST_SPREAD
    assert spread["w2"]["reason"] == points.NO_MOST
    assert all(one["low"] is not None for who, one in spread.items() if who != "w2")
    assert " w2 gives only the lowest and the highest point" in found["sentence"]
    assert any("half a rating" in one.after for one in everything("raters", run(data)))


def test_a_rater_of_one_answer_is_to_be_discarded_and_moves_no_average():
    data = answering(CROWD, "w2", lambda value: np.full_like(value, 5))
    found = run(data)["aspects"][0]
    n = next(row["n"] for row in found["raters"] if row["rater"] == "w2")
    assert found["sentence"].startswith(
        f"Discard the ratings of coherence by w2: all {n} are 5, whatever the text."
        " Keep all other ratings of coherence: "
    )
    without = data.ratings.rater != "w2"
    parts = {one.name: getattr(data.ratings, one.name) for one in fields(data.ratings)}
    rest = {name: values[without] for name, values in parts.items()}
    alone = run(replace(data, ratings=replace(data.ratings, **rest)))["aspects"][0]
    expected = {row["rater"]: row["severity"]["value"] for row in alone["raters"]}
    for row in found["raters"]:
        if row["rater"] == "w2":
            assert row["severity"]["value"] is None and row["habit"] == "constant"
        else:
            assert row["severity"]["value"] == pytest.approx(expected[row["rater"]])


def test_beside_raters_of_one_answer_one_other_is_too_few_for_a_model():
    data = made.data(prompts=40, raters=2, seed=5, aspects=("coherence",))
    found = run(answering(data, "w1", lambda value: np.full_like(value, 5)))
    one = found["aspects"][0]
    assert one["reason"].endswith(ordinal.ONE_RATER)
    assert one["sentence"].endswith(strictness.ADVICE[ordinal.ONE_RATER])
    everything("raters", found)


def test_ratings_that_would_hide_a_strict_rater_are_too_few_to_keep_all():
    data = made.data(prompts=3, systems=2, seed=5, aspects=("coherence",))
    said = run(data)["aspects"][0]["sentence"]
    assert said.startswith("The ratings are too few to tell whether a rater is")


def test_ratings_enough_depend_on_what_should_be_seen():
    power = strictness.Power(Detectable(2.0, 10), 1.0)
    said = strictness.sentence("Coherence", None, [UNCLEAR], IN_ORDER, 0.2, power)
    assert said == (
        "The ratings are too few to tell whether a rater is too strict on coherence:"
        " they would probably miss one who is 1.0 points stricter. Ask each rater for"
        " about 73 ratings instead of 10."
    )
    enough = power._replace(wanted=2.7)
    said = strictness.sentence("Coherence", None, [UNCLEAR], IN_ORDER, 0.2, enough)
    assert said.startswith("Keep all ratings")
