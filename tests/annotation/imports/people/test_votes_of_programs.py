"""Choices of other programs as votes; what is right is counted by csv alone."""

from __future__ import annotations

import json
from collections import Counter
from io import BytesIO

from annotation import imports
from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import path, rows_of


def read(content: bytes) -> tuple[list[imports.Ballot], imports.Problems]:
    problems = imports.Problems()
    file = BytesIO(content)
    found = imports.read_votes(file, "programs", imports.Limits(), problems)
    return found.rows, problems


def test_mt_bench_s_choices_are_votes():
    right = Counter(
        (r["question_id"], r["model_a"], r["model_b"], r["winner"], r["judge"])
        for r in rows_of("32")
    )
    rows, problems = read(path("32").read_bytes())
    names = {1: "model_a", 2: "model_b", 0: "tie"}
    got = Counter((r.pair, r.first, r.second, names[r.outcome], r.rater) for r in rows)
    assert not problems
    assert got == right
    assert got.total() == 40


def test_preferences_of_alpaca_eval_are_votes():
    rows = [
        {
            "instruction": f"Say it {n}.",
            "output_1": f"One {n}.",
            "generator_1": "a",
            "output_2": f"Two {n}.",
            "generator_2": "b",
            "annotator": "judge",
            "preference": preference,
        }
        for n, preference in enumerate((1, 2, 1.5, None))
    ]
    votes, problems = read(json.dumps(rows).encode())
    assert not problems
    assert [vote.outcome for vote in votes] == [1, 2, 0]


def test_what_has_no_choices_is_refused_in_a_sentence():
    votes, problems = read(given.table(("text", "coherence"), [("A text.", 4)]))
    assert votes == []
    assert "No choices" in problems.lines()[0]
