import numpy as np
import pytest

from scoring.stats.jackknife import leave_out
from scoring.stats.spans import f_scores, matching
from scoring.stats.spans.f_scores import (
    NO_PAIR,
    NO_PREDICTED,
    between_people,
    by_name,
    estimate,
    mean_scores,
    mpp,
    with_people,
    wmt25,
)
from scoring.stats.spans.marks import Mark
from tests.scoring.stats.spans.marked import pages, people

N = 24
READ = people(N)


def left(n=N):
    return leave_out(np.arange(n), rng=np.random.default_rng(1))


def metric(seed=7):
    """Another person's marks; it has not read each fifth text."""
    marks = people(N, raters=1, seed=seed).marks
    return [None if k % 5 == 4 else marks[k] for k in range(N)]


def by_hand(predicted, read, measure, texts=range(N)):
    """Mean over people of precision, recall and F of the sums over texts."""
    sums = {}
    for text, rater, marks in zip(read.text, read.rater, read.marks, strict=True):
        if predicted[text] is not None and text in texts:
            counts = measure(predicted[text], marks)
            sums[rater] = sums.get(rater, 0) + counts
    return np.mean([matching.scores(total) for total in sums.values()], axis=0)


@pytest.mark.parametrize("measure", [mpp, wmt25])
def test_f_of_a_metric_is_the_mean_over_people(measure):
    compared = with_people(metric(), READ, measure)
    scores = [of.value for of in mean_scores(compared, left())]
    assert np.allclose(scores, by_hand(metric(), READ, measure))


def test_replicates_lack_one_prompt_each():
    compared = with_people(metric(), READ, mpp)
    f = mean_scores(compared, left())[2]
    without = {
        round(by_hand(metric(), READ, mpp, set(range(N)) - {text})[2], 9)
        for text in range(N)
    }
    assert {round(each, 9) for each in (f.value - f.deviation).tolist()} == without


def test_the_ceiling_is_the_mean_over_pairs_of_people():
    compared = between_people(READ, N, mpp)
    sums = np.zeros((3, 4))
    for text in range(N):
        first, second, third = (READ.marks[3 * text + rater] for rater in range(3))
        sums += [mpp(first, second), mpp(first, third), mpp(second, third)]
    assert compared.n_pairs == 3
    expected = matching.scores(sums).mean(axis=0)
    assert np.allclose([of.value for of in mean_scores(compared, left())], expected)


def test_the_better_metric_has_the_higher_f_and_both_have_intervals():
    close = [READ.marks[3 * k] for k in range(N)]
    far = [marks for marks in people(N, raters=1, seed=9).marks]
    intervals = []
    for predicted in (close, far):
        compared = with_people(predicted, READ, mpp)
        f = mean_scores(compared, left())[2]
        intervals.append(estimate(f, compared, NO_PREDICTED))
    good, bad = intervals
    assert 0 <= bad.low < bad.value < bad.high < good.low < good.value <= 1
    assert good.n == N


def test_judges_that_share_no_text_have_no_f():
    nothing = with_people([None] * N, READ, mpp)
    f = estimate(mean_scores(nothing, left())[2], nothing, NO_PREDICTED)
    assert (f.value, f.n, f.reason) == (None, 0, NO_PREDICTED)
    alone = between_people(people(N, raters=1), N, mpp)
    f = estimate(mean_scores(alone, left())[2], alone, NO_PAIR)
    assert (f.value, f.reason) == (None, NO_PAIR)


def test_people_who_share_few_texts_can_be_taken_together():
    """Each text has two readers who share no other: apart, most pairs have F 1."""
    x = (Mark(0, 4),)
    rows = [(k, 2 * k + j, x if k == j == 0 else ()) for k in range(10) for j in (0, 1)]
    compared = between_people(pages(*rows), 10, mpp)
    assert (compared.n_pairs, compared.texts_of_pair) == (10, 1)
    apart, together = (
        mean_scores(each, left(10))[2].value for each in (compared, compared.together())
    )
    assert (apart, together) == (0.9, 0)


def test_credits_are_split_by_the_name_of_the_mark_that_has_them():
    major, minor = Mark(0, 4, severity="major"), Mark(6, 8, severity="minor")
    read = pages((0, 0, (major, minor)), (1, 0, ()))
    predicted = [(major._replace(severity="minor"),), None]
    split = by_name(predicted, read, lambda mark: mark.severity)
    assert split["major"].counts.tolist() == [[0, 0, 1, 1]]
    assert split["minor"].counts.tolist() == [[1, 1, 0, 1]]
    total = sum(each.counts for each in split.values())
    assert total.tolist() == with_people(predicted, read, mpp).counts.tolist()


def test_the_parts_are_those_of_the_scores():
    assert f_scores.PARTS == ("precision", "recall", "f")
