"""Files that other tools write, each read by its recipe: right values, by hand.

What is right is worked out of the files by csv, json and pyarrow alone; agreement by
the package krippendorff. Below stand files of the same kinds in other clothes.
"""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import krippendorff
import numpy as np
import pyarrow.parquet as pq
import pytest

from annotation import imports
from annotation.imports.files import Record
from annotation.imports.presets import PRESETS
from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import (
    Said,
    checked,
    path,
    read_of,
    rows_of,
    sheet_of,
    unused,
)
from tests.support import shared

Units = Mapping[Any, Mapping[str, float]]  # ratings by text and rater


def because(sheet: imports.Sheet) -> dict[str, dict[str, int]]:
    """Cells that were not used, by column and words."""
    return {
        e.column: {one.words: one.n for one in e.unused}
        for e in sheet.account
        if e.unused
    }


def texts_of(sheet: imports.Sheet) -> set[str]:
    return {row.text for row in sheet.rows}


def filled_by_column(sheet: imports.Sheet) -> dict[str, int]:
    return {entry.column: entry.filled for entry in sheet.account}


def alpha(units: Units) -> float:
    raters = sorted({rater for by in units.values() for rater in by})
    table = [[by.get(rater, np.nan) for by in units.values()] for rater in raters]
    return float(krippendorff.alpha(table, level_of_measurement="interval"))


def units_of(said: Iterable[tuple[str, str, int]]) -> Units:
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for text, rater, value in said:
        found[text][rater] = value
    return found


def said_about(sheet: imports.Sheet, aspect: str) -> Said:
    return {
        (row.text, one.rater, one.value)
        for row in sheet.rows
        for one in row.ratings
        if one.aspect == aspect
    }


def parquet_of(start: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(path(start)).to_pylist()
    return rows


# The files ---------------------------------------------------------------------------


def test_potato_names_users_and_instances():
    right = {
        (
            row["displayed_text"],
            row["user_id"],
            int(next(iter(row["label_annotations"]["coherence"])).split("_")[1]),
        )
        for row in rows_of("12b")
    }
    sheet = sheet_of("12b")
    assert read_of(sheet) == right
    assert sheet.counts.ratings == len(rows_of("12b")) == 30
    assert {row.key for row in sheet.rows} == {r["instance_id"] for r in rows_of("12b")}


def test_argilla_s_answers_count_unless_they_are_discarded():
    right, gone = set(), Counter()
    for row in parquet_of("13b"):
        lists = (row[f"quality.responses{end}"] for end in ("", ".users", ".status"))
        for value, user, status in zip(*lists, strict=True):
            if status == "submitted":
                right.add((row["response"], user, value))
            else:
                gone[f"quality ({user})"] += 1
    sheet = sheet_of("13b")
    assert sheet.preset == "argilla"
    assert read_of(sheet) == right
    assert (sheet.counts.ratings, sum(gone.values())) == (len(right), 7)
    assert {c: n for c, n in unused(sheet).items() if "quality" in c} == gone
    assert set(sheet.counts.aspects.values()) == {"quality"}
    assert alpha(units_of(read_of(sheet))) == pytest.approx(alpha(units_of(right)))
    assert alpha(units_of(right)) == pytest.approx(-0.11442349846558542)


def test_argilla_s_suggestions_are_scores():
    rows = parquet_of("13c")
    right = {
        (row["response"], one["user_id"], one["value"])
        for row in rows
        for one in row["quality"]
        if one["status"] == "submitted"
    }
    sheet = sheet_of("13c")
    assert sheet.preset == "argilla_structs"
    assert read_of(sheet) == right
    scores = {row.text: row.scores for row in sheet.rows}
    assert scores == {
        row["response"]: {"quality_suggestion": row["quality-suggestion"]}
        for row in rows
    }
    assert {row.key for row in sheet.rows} == {row["external_id"] for row in rows}


def test_rejected_work_of_mechanical_turk_is_not_used():
    rows = rows_of("09")
    paid = [row for row in rows if row["AssignmentStatus"] != "Rejected"]
    assert len(rows) - len(paid) == 6
    sheet = sheet_of("09")
    for aspect in ("coherence", "fluency"):
        right = {
            (r["Input.output"], r["WorkerId"], int(r[f"Answer.{aspect}"])) for r in paid
        }
        assert said_about(sheet, aspect) == right
        assert alpha(units_of(said_about(sheet, aspect))) == pytest.approx(
            alpha(units_of(right))
        )
    assert sheet.counts.ratings == 2 * len(paid)
    assert sheet.counts.systems == {row["Input.model"] for row in rows}
    assert {row.source for row in sheet.rows} == {row["Input.prompt"] for row in rows}
    assert {row.key for row in sheet.rows} == {row["Input.item_id"] for row in paid}
    assert because(sheet)["rating:fluency"] == {"the assignment was rejected": 6}


def test_qualtrics_has_three_rows_of_header():
    rows = rows_of("08")[2:]
    sheet = sheet_of("08")
    for aspect in ("coherence", "fluency"):
        right = {(r["text_shown"], r["ResponseId"], int(r[aspect])) for r in rows}
        assert said_about(sheet, aspect) == right
    assert (sheet.counts.ratings, len(rows)) == (80, 40)
    assert "coherence" not in unused(sheet)
    assert sheet.notes == ["Lines 2 and 3 are headings of Qualtrics and were not read."]


def test_lists_of_an_article_are_texts_with_means():
    right = {
        (text, aspect, value)
        for row in parquet_of("13")
        for aspect in ("coherence", "relevance")
        for text, value in zip(row["machine_summaries"], row[aspect], strict=True)
    }
    sheet = sheet_of("13")
    found = {(r.text, m.aspect, m.mean) for r in sheet.rows for m in r.means}
    assert found == right
    assert (sheet.counts.texts, sheet.counts.means) == (48, 96)
    first, article = next(iter(sheet.rows)), parquet_of("13")[0]
    assert (first.source, first.references) == (
        article["text"],
        article["human_summaries"],
    )
    assert first.key == f"{article['id']}-1"


def test_messages_may_say_more_than_their_words():
    rows = rows_of("26")
    sheet = sheet_of("26")
    wholes = [row for row in sheet.rows if row.messages]
    assert {row.key: row.ratings[0].value for row in wholes} == {
        row["id"]: row["rating"] for row in rows
    }
    turns = {row.text for row in sheet.rows if row.turn is not None}
    assert turns == {row["messages"][1]["content"] for row in rows}


def test_votes_without_texts_are_said_and_ready_for_the_next_step():
    [sentence] = sheet_of("32").problems.lines()
    assert "votes" in sentence
    ready = PRESETS["pairs_without_texts"].votes
    assert ready is not None
    records = (Record(n, row) for n, row in enumerate(rows_of("32"), start=2))
    found = list(ready(records))
    file = io.BytesIO(given.jsonl(*found))
    problems = imports.Problems()
    votes = imports.read_votes(file, "votes", imports.limits(), problems)
    assert not problems
    right = Counter(row["winner"] for row in rows_of("32"))
    assert Counter(ballot.outcome for ballot in votes.rows) == {
        1: right["model_a"],
        2: right["model_b"],
        0: right["tie"],
    }


# Public files, where they are ---------------------------------------------------------


@pytest.mark.parametrize("pair", ["ende", "zhen"])
def test_public_mqm_files_give_the_published_segments(pair):
    """Of google/wmt-mqm-human-evaluation, TED talks: to the last digit."""
    content = shared.path(f"data/wmt_mqm/mqm_ted_{pair}.tsv").read_bytes()
    scores = shared.path(f"data/wmt_mqm/mqm_ted_{pair}.avg_seg_scores.tsv").read_text()
    right: dict[str, list[float]] = defaultdict(list)
    for line in scores.splitlines()[1:]:
        system, score, _ = line.split()
        if score != "None":
            right[system].append(-float(score))
    ours: dict[str, list[float]] = defaultdict(list)
    for row in checked(content).rows:
        ours[row.system].append(row.means[0].mean)
    shown = right.keys() & ours.keys()
    assert len(shown) == 13
    for system in shown:
        assert sorted(ours[system]) == pytest.approx(sorted(right[system]), abs=1e-4)
        assert np.mean(ours[system]) == pytest.approx(np.mean(right[system]), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "n"), [("cola", 1043), ("dices_350_expert", 350), ("roscoe-esnli", 151)]
)
def test_public_answers_in_words_go_on_as_words(name, n):
    sheet = checked(shared.path(f"data/judge_bench/{name}.json").read_bytes())
    assert sheet.preset == "judge_bench"
    filled = {e.column: e.filled for e in sheet.account}
    assert n in {filled[c] for c in filled if c.startswith("rating:")}
