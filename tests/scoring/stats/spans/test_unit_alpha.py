"""Alpha of marks against the published example, another program, and its equations."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats import agreement
from scoring.stats.inversion import own_degrees
from scoring.stats.jackknife import leave_out
from scoring.stats.spans.marks import SIDES, Mark
from scoring.stats.spans.pages import Pages, Texts
from scoring.stats.spans.unit_alpha import (
    ALL_ALIKE,
    FEW_AGREED,
    LEAST,
    NO_PAIR,
    alpha_interval,
    has_error_interval,
    pieces,
)
from tests.scoring.stats.spans.marked import (
    GOLDEN,
    LENGTH,
    pages,
    people,
    some_marks,
    texts,
)

# Krippendorff (2019), Content Analysis, figure 12.11: three people, 60 characters;
# first and last character and the value of each unit.
BOOK = {
    "Alex": "1-7:1 8-13:2 31-32:5 33-37:6 38-44:6 45-60:7",
    "Paul": "1-7:1 8-13:3 14-21:5 33-44:6",
    "Suzan": "1-7:1 8-13:4 14-21:5 33-37:6 38-41:6 42-44:6",
}


def book():
    people = []
    for units in BOOK.values():
        marks = []
        for unit in units.split():
            place, value = unit.split(":")
            first, last = map(int, place.split("-"))
            marks.append(Mark(first - 1, last, value))
        people.append((0, len(people), tuple(marks)))
    return pages(*people)


def one_text(length):
    return Texts(np.array([length]), np.array([0]), np.array([0]))


def left_out(units, seed=1):
    return leave_out(units, rng=np.random.default_rng(seed))


def alpha(read, of, unit="mark", categories=True):
    left = left_out(of.prompt)
    return alpha_interval(read, of, unit=unit, left=left, categories=categories)


def by_equations(read: Pages, of: Texts, unit: str, categories: bool) -> float:
    """Observed and expected coincidences one by one, NaN where there is no alpha."""
    observed: dict[tuple[object, object], float] = {}
    itself: dict[object, float] = {}
    for text in range(len(of)):
        rows = [k for k in range(len(read)) if read.text[k] == text]
        for side in SIDES if len(rows) > 1 else ():
            people = []
            for k in rows:
                cut = pieces(
                    read.marks[k], side, int(of.length[text]), categories=categories
                )
                labels = []
                for piece in cut:
                    size = piece.end - piece.start
                    labels += [piece.label] * size
                    square = unit == "mark" and piece.label
                    itself[piece.label] = itself.get(piece.label, 0) + (
                        size**2 if square else size
                    )
                people.append(labels)
            for one, other in permutations(people, 2):
                for pair in zip(one, other, strict=True):
                    observed[pair] = observed.get(pair, 0) + 1 / (len(rows) - 1)
    labels = sorted({c for pair in observed for c in pair}, key=sorted)
    o = np.array([[observed.get((c, k), 0.0) for k in labels] for c in labels])
    if len(labels) < 2:
        return np.nan
    n, q = o.sum(axis=1), np.diag([itself[c] for c in labels])
    e = n.sum() * (np.outer(n, n) - q) / (n.sum() ** 2 - q.sum())
    return 1 - (o.sum() - np.trace(o)) / (e.sum() - np.trace(e))


read_texts = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 3), some_marks()),
    max_size=7,
    unique_by=lambda row: row[:2],
)


@settings(max_examples=60)
@given(read_texts, st.sampled_from(["mark", "character"]), st.booleans())
def test_alpha_is_that_of_the_equations(rows, unit, categories):
    read, of = pages(*rows), texts(3)
    value = alpha(read, of, unit, categories).value
    expected = by_equations(read, of, unit, categories)
    if np.isnan(expected):
        assert value is None
    else:
        assert value == pytest.approx(expected, abs=1e-9)


def test_the_book_finds_the_same():
    assert alpha(book(), one_text(60)).value == pytest.approx(0.510, abs=5e-4)
    binary = alpha(book(), one_text(60), categories=False).value
    assert binary == pytest.approx(0.413, abs=1e-3)


def test_another_program_finds_the_same():
    for row in GOLDEN["continua"]:
        read = pages(
            *(
                (0, k, tuple(Mark(*unit) for unit in units))
                for k, units in enumerate(row["people"])
            )
        )
        value = alpha(read, one_text(row["length"])).value
        assert value == pytest.approx(row["alpha"], abs=1e-9)


@settings(max_examples=30)
@given(read_texts)
def test_of_characters_it_is_nominal_alpha(rows):
    read, of = pages(*rows), texts(3)
    counts = np.zeros((3, 2, LENGTH, 2), int)
    for text, _, marks in rows:
        covered = np.zeros((2, LENGTH), int)
        for mark in marks:
            covered[SIDES.index(mark.side), mark.start : mark.end] = 1
        np.add.at(counts, (text, *np.indices(covered.shape), covered), 1)
    expected = agreement.alpha(counts.reshape(-1, 2), np.arange(2), "nominal").value
    value = alpha(read, of, "character", categories=False).value
    assert value == (None if expected is None else pytest.approx(expected, abs=1e-9))


def test_marks_that_touch_are_two_units_and_those_that_overlap_are_cut():
    def cut(*marks, categories=True):
        made = pieces(marks, "text", 10, categories=categories)
        return [(p.start, p.end, "".join(sorted(p.label))) for p in made]

    x, y = Mark(2, 4, "x"), Mark(4, 6, "x")
    assert cut(x, y) == [(0, 2, ""), (2, 4, "x"), (4, 6, "x"), (6, 10, "")]
    assert cut(x, Mark(3, 6, "x"))[1] == (2, 6, "x")
    assert cut(x, Mark(3, 6, "y"))[1:4] == [(2, 3, "x"), (3, 4, "xy"), (4, 6, "y")]
    assert cut(x, Mark(3, 6, "y"), categories=False)[1] == (2, 6, "marked")
    assert cut(Mark(5, 5, "x")) == [(0, 10, "")]


def test_texts_that_nobody_marked_count():
    read = people(8, raters=2)
    more = pages(
        *zip(read.text, read.rater, read.marks, strict=True),
        *((text, rater, ()) for text in range(8, 16) for rater in range(2)),
    )
    few, many = (
        alpha(each, texts(n, length=60), categories=False)
        for each, n in ((read, 8), (more, 16))
    )
    assert (few.n, many.n) == (8, 16)
    assert many.value > few.value


def test_without_two_readers_or_two_labels_there_is_no_alpha():
    single = alpha(pages((0, 0, (Mark(0, 3),))), texts(1))
    assert (single.value, single.reason) == (None, NO_PAIR)
    unmarked = alpha(pages((0, 0, ()), (0, 1, ())), texts(1))
    assert (unmarked.value, unmarked.reason) == (None, ALL_ALIKE)


def test_the_interval_is_the_jackknife_over_prompts():
    read, of = people(40), texts(40, per_prompt=2, length=60)
    interval = alpha(read, of)
    without = [
        alpha(
            pages(
                *(
                    row
                    for row in zip(read.text, read.rater, read.marks, strict=True)
                    if of.prompt[row[0]] != prompt
                )
            ),
            of,
        ).value
        for prompt in range(20)
    ]
    deviation = interval.value - np.array(without)
    error = np.sqrt(19 / 20 * (deviation**2).sum())
    df = min(19.0, own_degrees(deviation))
    apart = interval.high - interval.value, interval.value - interval.low
    assert min(apart) == pytest.approx(stats.t.isf(0.025, df) * error)
    assert max(apart) > min(apart)  # the longer tail is stretched


def test_few_prompts_give_no_interval():
    interval = alpha(people(6), texts(6, length=60))
    assert interval.value is not None
    assert interval.low is None and interval.reason


def test_prompts_without_an_agreed_error_do_not_count():
    """Forty prompts are read, and in too few of them two people mark the same."""
    x = (Mark(0, 4),)

    def with_agreed(n):
        return pages(
            *(
                (k, j, x if k < n or k == n + j else ())
                for k in range(40)
                for j in (0, 1)
            )
        )

    interval = alpha(with_agreed(LEAST - 1), texts(40))
    assert (interval.low, interval.reason) == (None, FEW_AGREED)
    assert alpha(with_agreed(LEAST), texts(40)).low is not None


def test_whether_a_text_has_an_error_is_an_agreement_of_its_own():
    x = (Mark(0, 1),)
    read = pages((0, 0, x), (0, 1, x), (1, 0, ()), (1, 1, ()), (2, 0, x), (2, 1, ()))
    interval, equal = has_error_interval(read, texts(3), left=left_out(np.arange(3)))
    assert interval.value == pytest.approx(4 / 9)
    assert (interval.n, equal) == (3, pytest.approx(2 / 3))


def test_agreement_on_errors_of_texts_is_nominal_alpha():
    read, of = people(30), texts(30, length=60)
    interval, _ = has_error_interval(read, of, left=left_out(of.prompt))
    yes = np.array([len(marks) > 0 for marks in read.marks]).reshape(30, 3).sum(axis=1)
    counts = np.stack([3 - yes, yes], axis=1)
    expected = agreement.alpha(counts, np.arange(2), "nominal").value
    assert interval.value == pytest.approx(expected)
