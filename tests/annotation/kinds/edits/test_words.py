"""Changed words: against a plain implementation, and against the page's script."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.kinds.edits import words

SCRIPT = Path(__file__).parents[4] / "static/annotation/kinds/edits/words.js"
TEXTS = st.text(alphabet="ab \n\t.你好か\u00a0\u2003\ufeff\x85é'", max_size=40)


def plain(one: list[str], other: list[str]) -> int:
    """Levenshtein as in a textbook."""
    rows = [list(range(len(other) + 1))]
    for i, word in enumerate(one, start=1):
        rows.append([i])
        for j, seen in enumerate(other, start=1):
            rows[i].append(
                min(
                    rows[i - 1][j] + 1,
                    rows[i][j - 1] + 1,
                    rows[i - 1][j - 1] + (word != seen),
                )
            )
    return rows[-1][-1]


@pytest.mark.parametrize(
    ("before", "after", "n"),
    [
        ("", "", 0),
        ("a b c", "a b c", 0),
        ("a b c", "a  b\n c ", 0),  # spaces are no words
        ("a b c", "a x c", 1),
        ("a b c", "a c", 1),
        ("a b c", "a b b c", 1),
        ("a b c d", "d a b c", 2),  # a move, without moves
        ("", "a b", 2),
        ("a b", "", 2),
        ("The", "the", 1),
        ("我很好", "我不好", 1),
    ],
)
def test_by_hand(before, after, n):
    assert words.changed(before, after) == n


@given(before=TEXTS, after=TEXTS)
def test_as_in_a_textbook(before, after):
    expected = plain(words.words(before), words.words(after))
    assert words.changed(before, after) == expected
    assert words.changed(after, before) == expected


def test_long_texts_take_a_bounded_time():
    before = " ".join(f"a{n}" for n in range(10_000))
    after = " ".join(f"b{n}" for n in range(10_000))
    start = time.monotonic()
    assert words.changed(before, after) == 10_000  # too much differs to compare
    middle = " ".join(f"b{n}" for n in range(4000))
    assert words.changed(" ".join(before.split()[:4000]), middle) == 4000
    assert time.monotonic() - start < 5


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@settings(max_examples=5, deadline=None)
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=50, max_size=80))
def test_the_script_of_the_page_counts_the_same(pairs):
    program = (
        f"import {{ changed }} from {json.dumps(SCRIPT.as_uri())};"
        f"const pairs = {json.dumps(pairs)};"
        "console.log(JSON.stringify(pairs.map(([a, b]) => changed(a, b))));"
    )
    found = subprocess.run(
        ["node", "--input-type=module", "-e", program],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(found.stdout) == [words.changed(*pair) for pair in pairs]
