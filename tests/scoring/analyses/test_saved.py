"""Ratings that a metric saves, of a part that was drawn or of parts that are tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring import analyses
from scoring.analyses.saved.numbers import Options
from scoring.stats.data import NONE, Aspect, Data, Drawn
from scoring.stats.saving import draws, refusing
from tests.scoring import made


def run(data: Data, **chosen) -> dict:
    return analyses.run("saved", data, Options(**chosen))


def rated_in_part(data: Data, share: float = 0.5, of: str = "system") -> Data:
    """The same, but people rated a random part only."""
    n = len(data.texts)
    stratum = data.texts.system if of == "system" else draws.one_stratum(n)
    made = draws.draw(stratum, share, np.random.default_rng(0))
    found = Drawn(made.drawn, made.stratum, made.chance)
    return replace(keep(data, made.drawn), drawn=found)


def keep(data: Data, rated: np.ndarray) -> Data:
    use = rated[data.ratings.text]
    columns = {
        name: getattr(data.ratings, name)[use]
        for name in data.ratings.__dataclass_fields__
    }
    return replace(data, ratings=replace(data.ratings, **columns))


DATA = made.data(prompts=100, systems=3, aspects=("coherence",), discarded=0, seed=3)
PART = rated_in_part(DATA)
NO_DRAW = DATA.drawn


def one(data: Data, **chosen) -> dict:
    return run(data, **chosen)["aspects"][0]


def test_where_all_is_rated_parts_are_tried_and_named_so():
    found = one(DATA)
    assert found["kind"] == "tried" and found["refused"] == ""
    assert "ask people to rate only 20 % of them" in found["sentence"]
    assert (found["n_texts"], found["n_rated"], found["n_ratings"]) == (300, 60, 180)


def test_the_metric_that_follows_people_most_closely_saves_most():
    found = one(DATA, share=30)
    names = [row["name"] for row in found["metrics"]]
    assert names[0] == "judge: q0"
    saved = [row["saved"]["value"] for row in found["metrics"]]
    assert saved == sorted(saved, reverse=True) and saved[0] > 0.2
    first = found["metrics"][0]
    assert first["saved"]["low"] < first["saved"]["value"] < first["saved"]["high"]
    assert first["like"] == pytest.approx(found["n_ratings"] / (1 - saved[0]))


def test_a_part_that_was_drawn_is_corrected():
    assert run(PART)["drawn"] == "system"
    found = one(PART)
    assert found["kind"] == "drawn" and found["n_rated"] == 150
    assert found["refused"] == ""
    assert "drawn:system" in found["systems"][0]["people"]["signature"]
    assert " then give means as precise as " in found["sentence"]
    human = PART.human_scores()[:, 0]
    for s, row in enumerate(found["systems"]):
        mine = PART.texts.system == s
        assert row["people"]["value"] == pytest.approx(np.nanmean(human[mine]))
        alone, helped = (
            row[who]["high"] - row[who]["low"] for who in ("people", "corrected")
        )
        assert helped < alone
        assert row["saved"] > 0


def test_corrected_means_are_closer_to_those_of_all_ratings():
    human, apart = DATA.human_scores()[:, 0], []
    for found in (one(PART), one(rated_in_part(DATA, of="texts"))):
        truth = [human[DATA.texts.system == s].mean() for s in range(3)]
        apart += [
            [abs(row[who]["value"] - true) for who in ("people", "corrected")]
            for row, true in zip(found["systems"], truth, strict=True)
        ]
    alone, helped = np.mean(apart, axis=0)
    assert helped < alone


def test_a_part_that_nobody_drew_is_refused_with_the_reason():
    found = one(replace(PART, drawn=NO_DRAW))
    assert found["refused"] == refusing.NOT_DRAWN
    assert found["sentence"].startswith(f"{refusing.NOT_DRAWN}. To see what you can")
    assert found["kind"] == "tried" and found["n_texts"] == 150


def test_a_draw_from_all_texts_is_named_so():
    part = rated_in_part(DATA, of="texts")
    assert run(part)["drawn"] == "simple"
    found = one(part)
    assert (found["kind"], found["n_rated"], found["n_texts"]) == ("drawn", 150, 300)


def test_a_draw_that_lacks_a_rating_is_not_corrected_yet():
    first = int(np.flatnonzero(PART.drawn.asked)[0])
    found = one(keep(PART, np.arange(len(PART.texts)) != first))
    assert found["refused"] == refusing.lacking(1, 150)
    assert found["kind"] == "tried" and found["n_texts"] == 149
    assert found["sentence"].startswith("Wait until all 150 texts that were chosen")
    assert "drawn:tried-20%25" in found["systems"][0]["people"]["signature"]


def test_ratings_of_texts_outside_the_draw_change_nothing():
    """As those from a file, which nobody drew."""
    others = np.flatnonzero(~PART.drawn.asked)[:5]
    more = keep(DATA, PART.drawn.asked | np.isin(np.arange(300), others))
    assert one(replace(more, drawn=PART.drawn)) == one(PART)


def test_texts_that_came_after_the_draw_do_not_count():
    late = np.arange(300) >= 270  # nobody has rated them
    stratum = np.where(late, NONE, 0)
    asked = ~late & (np.arange(300) % 2 == 0)
    chance = np.where(late, np.nan, 0.5)
    data = replace(keep(DATA, asked), drawn=Drawn(asked, stratum, chance))
    found = one(data)
    assert (found["kind"], found["n_rated"], found["n_texts"]) == ("drawn", 135, 270)


def test_strata_of_different_shares_are_weighted():
    """The second half of the texts was drawn later, and less of it."""
    stratum = (np.arange(300) >= 150).astype(np.int64)
    rng = np.random.default_rng(1)
    dense = draws.draw(stratum, 0.8, rng).drawn
    asked = np.where(stratum == 0, dense, draws.draw(stratum, 0.3, rng).drawn)
    chance = np.where(stratum == 0, 0.8, 0.3)
    data = replace(keep(DATA, asked), drawn=Drawn(asked, stratum, chance))
    human = DATA.human_scores()[:, 0]
    for s, row in enumerate(one(data)["systems"]):
        mine = asked & (DATA.texts.system == s)
        weighted = np.average(human[mine], weights=1 / chance[mine])
        assert row["people"]["value"] == pytest.approx(weighted)


def test_few_rated_prompts_are_told_so():
    found = one(made.data(prompts=40, systems=3, aspects=("coherence",)))
    assert "the rated texts are from only 40 prompts, and a" in found["sentence"]
    assert all(row["weight"] == 0 for row in found["systems"])


def test_these_texts_only_have_narrower_intervals_than_new_prompts():
    widths = []
    for target in ("texts", "prompts"):
        rows = one(PART, target=target)["systems"]
        widths.append([row["people"]["high"] - row["people"]["low"] for row in rows])
    assert (np.array(widths[0]) < np.array(widths[1])).all()


def test_a_metric_may_be_chosen():
    found = one(DATA, metric="judge:q1")
    assert found["lead"] == "judge:q1"
    assert "judge: q1" in found["sentence"]


def test_where_lower_is_better_the_lowest_mean_has_the_first_rank():
    aspect = Aspect("coherence", "Errors", higher_is_better=False)
    found = one(replace(PART, aspects=[aspect]))
    rows = found["systems"]
    lowest = min(rows, key=lambda row: row["people"]["value"])
    assert lowest["rank"][0] == 1


def test_without_names_of_systems_all_texts_are_one():
    nameless = replace(DATA.texts, system=np.full(len(DATA.texts), NONE))
    found = run(replace(DATA, texts=nameless, systems=[]))
    assert found["systems"] == []
    assert len(found["aspects"][0]["systems"]) == 1
    assert found["aspects"][0]["differences"] == []


def test_nearly_constant_ratings_are_refused():
    n = len(DATA.ratings)
    value = np.full(n, 5)
    value[0] = 4
    found = one(replace(DATA, ratings=replace(DATA.ratings, value=value)), share=50)
    assert "it is not known how many ratings a metric saves" in found["sentence"]
    assert found["metrics"][0]["saved"]["reason"] in (
        refusing.CONSTANT,
        refusing.NEARLY,
    )


def test_nobody_rated():
    found = one(keep(DATA, np.zeros(len(DATA.texts), bool)))
    assert found["kind"] == "nothing" and found["systems"] == []
