"""Marked errors of a made-up study: people, a good metric and a bad one."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from scoring import analyses
from scoring.analyses.marked_errors import rows
from scoring.analyses.marked_errors.passages import most_marked
from scoring.stats.data import Data, ErrorMarks
from scoring.stats.jackknife import leave_out
from scoring.stats.spans import f_scores, matching
from tests.scoring import made

DATA = made.with_marks(made.data(prompts=20, systems=2))


@pytest.fixture(scope="module")
def result():
    return run(DATA)


def run(data: Data, **chosen):
    return analyses.run(
        "marked_errors",
        data,
        analyses.options("marked_errors", {"guesses": 4, **chosen}),
    )


def with_rows(data: Data, keep: np.ndarray, **columns) -> Data:
    """Some of the rows of the marks, with other columns."""
    table = data.error_marks
    cut = {f.name: getattr(table, f.name)[keep] for f in fields(table)}
    return replace(data, error_marks=ErrorMarks(**{**cut, **columns}))


def test_f_of_a_metric_is_its_mean_with_people(result):
    study = rows.of_data(DATA)
    good = study.metrics["good"]
    fs = []
    for rater in range(3):
        counts = sum(
            f_scores.mpp(good[text], marks)
            for text, of, marks in zip(
                study.pages.text, study.pages.rater, study.pages.marks, strict=True
            )
            if of == rater
        )
        fs.append(matching.scores(counts)[2])
    (row,) = (metric for metric in result["metrics"] if metric["name"] == "good")
    assert row["f"]["value"] == pytest.approx(np.mean(fs))
    assert row["f"]["low"] < row["f"]["value"] < row["f"]["high"]
    assert row["n_texts"] == 40


def test_the_good_metric_stands_first_and_above_both_guesses(result):
    good, bad = result["metrics"]
    assert (good["name"], bad["name"]) == ("good", "bad")
    for floor in good["floors"]:
        assert floor["above"]["difference"]["low"] > 0
        assert floor["above"]["adjusted"] < 0.05
    assert bad["to_ceiling"]["difference"]["high"] < 0
    assert bad["n_texts"] == 39  # one was not read
    assert result["family"] == 6


def test_the_ceiling_is_of_the_texts_that_the_metric_has_read(result):
    good, bad = result["metrics"]
    assert good["ceiling"]["value"] == result["people"]["f"]["value"]
    assert bad["ceiling"]["value"] != result["people"]["f"]["value"]
    assert bad["ceiling"]["n"] == 39


def test_people_agree_as_the_statistics_say(result):
    study = rows.of_data(DATA)
    left = leave_out(study.texts.prompt, rng=np.random.default_rng(1))
    compared = f_scores.between_people(study.pages, 40, f_scores.mpp)
    f = f_scores.mean_scores(compared, left)[2]
    people = result["people"]
    assert people["f"]["value"] == pytest.approx(float(f.value))
    assert people["categories"]["value"] < people["marks"]["value"]
    assert 0 < people["equal"]["value"] <= 1
    assert all(people[key]["n"] == 40 for key in people)


def test_names_are_those_of_people_and_each_has_its_recall(result):
    names = [row["name"] for row in result["categories"]]
    assert names == ["accuracy", "fluency"]  # the most frequent first
    assert {row["name"] for row in result["severities"]} == {"minor", "major"}
    total = sum(row["n_marks"] for row in result["categories"])
    assert total == result["n_marks"]
    for row in result["categories"]:
        good, bad = row["metrics"]
        assert (good["metric"], bad["metric"]) == ("good", "bad")
        assert bad["recall"]["value"] < good["recall"]["value"]
        assert good["f"]["value"] < good["recall"]["value"]


def test_a_metric_without_categories_has_no_f_of_them():
    """0 would say that it confuses categories that it never gave."""
    table = DATA.metric_marks
    marks = replace(table, category=np.full_like(table.category, ""))
    result = run(replace(DATA, metric_marks=marks))
    for row in result["categories"]:
        for metric in row["metrics"]:
            assert metric["f"]["value"] is None and metric["f"]["reason"]
            assert metric["recall"]["value"] > 0
    assert result["severities"][0]["metrics"][0]["f"]["value"] > 0


def test_discarded_and_informed_marks_do_not_count():
    all_rows = np.ones(len(DATA.error_marks), bool)
    one = DATA.error_marks.rater == "w0"
    discarded = with_rows(DATA, all_rows, valid=~one)
    assert run(discarded)["n_people"] == 2
    assert run(discarded, with_discarded=True)["n_people"] == 3
    informed = with_rows(DATA, all_rows, informed=one)
    assert run(informed)["n_people"] == 2


def test_without_marks_there_are_reasons(result):
    nothing = run(made.data())
    assert (nothing["n_texts"], nothing["metrics"], nothing["passages"]) == (0, [], [])
    assert all(cell["reason"] for cell in nothing["people"].values())


def test_people_who_share_few_texts_are_taken_together(result):
    assert result["shared"] == "each"
    table = DATA.error_marks
    crowd = np.char.add(table.rater, (table.text // 4).astype(str))
    spread = with_rows(DATA, np.ones(len(table), bool), rater=crowd)
    assert run(spread)["shared"] == "together"


def test_a_page_without_a_mark_is_read_all_the_same():
    study = rows.of_data(DATA)
    assert len(study.pages) == 3 * 40
    assert () in study.pages.marks
    assert [marks is None for marks in study.metrics["bad"]] == [True] + [False] * 39


def test_passages_are_cut_where_the_judges_change():
    study = rows.of_data(DATA)
    passages = most_marked(study, 3)
    assert len(passages) == 3
    for passage in passages:
        row = study.keys.index(passage["text"])
        words = "".join(part["words"] for part in passage["parts"])
        assert words == study.words[row]["text"]
        marks = [study.pages.marks[k] for k in study.pages.by_text(40)[row]]
        for part in passage["parts"]:
            for place in range(part["start"], part["end"]):
                by = [
                    any(mark.start <= place < mark.end for mark in one) for one in marks
                ]
                assert part["people"] == sum(by)


def test_what_is_left_out_is_left_out_of_the_texts():
    assert {passage["text"] for passage in run(DATA, prompts="1-2")["passages"]} <= {
        f"{p}-{s}-0" for p in (0, 1) for s in (0, 1)
    }
