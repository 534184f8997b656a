from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.copying import testing
from scoring.stats.copying.honest import Question
from scoring.stats.copying.testing import Copied, copies
from tests.scoring.stats.copying import crowds


def held(question: Question, n: int = 20, seed: int = 0) -> list[Copied]:
    return copies([question], n, rng=np.random.default_rng(seed))


def found(question: Question, n: int = 20) -> np.ndarray:
    return np.array([one.p <= testing.RATE for one in held(question, n)])


@pytest.mark.parametrize("ordered", [True, False])
def test_about_two_honest_raters_of_100_are_found(ordered):
    rng = np.random.default_rng(11)
    hits = [found(crowds.made(rng, ordered=ordered)) for _ in range(25)]
    rate = np.mean(hits)  # of 500
    assert 0.002 <= rate <= 0.035


@pytest.mark.parametrize("texts", [30, 60])
def test_two_of_100_in_a_large_crowd_whose_raters_differ_much(texts):
    """Not four: as it would be if t were not held against that of the others."""
    rng = np.random.default_rng(23)
    rate = np.mean(found(crowds.made(rng, raters=600, texts=texts), 600))
    assert 0.008 <= rate <= 0.032


@pytest.mark.parametrize("skew", [0.0, 0.3, 1.0, 4.0])
def test_more_surprising_matches_never_say_less(skew):
    t = np.linspace(-4, 9, 500)
    made = [testing._even(float(one), skew) for one in t]
    assert (np.diff(made) > 0).all()


def test_raters_who_copy_are_found_among_honest_ones():
    rng = np.random.default_rng(12)
    hits = np.array([found(crowds.made(rng, copiers=2)) for _ in range(10)])
    assert hits[:, :2].mean() >= 0.9
    assert hits[:, 2:].mean() <= 0.035


def test_many_who_copy_do_not_pass_as_usual():
    rng = np.random.default_rng(13)
    hits = np.array([found(crowds.made(rng, copiers=6)) for _ in range(5)])
    assert hits[:, :6].mean() >= 0.7


def test_names_of_answers_that_are_no_scale_do_not_matter():
    made = crowds.made(np.random.default_rng(14), copiers=1, ordered=False)
    new = np.array([3, 0, 4, 1, 2])
    renamed = made._replace(answer=new[made.answer], judge=new[made.judge])
    t = [one.t for one in held(made)]
    assert [one.t for one in held(renamed)] == pytest.approx(t, abs=1e-4)


def test_a_scale_can_be_turned_round():
    made = crowds.made(np.random.default_rng(15), copiers=1)
    turned = made._replace(answer=4 - made.answer, judge=4 - made.judge)
    t = [one.t for one in held(made)]
    assert [one.t for one in held(turned)] == pytest.approx(t, abs=1e-4)


def test_the_order_of_answers_does_not_matter():
    made = crowds.made(np.random.default_rng(16), copiers=1)
    order = np.random.default_rng(1).permutation(len(made.text))
    mixed = made._replace(
        text=made.text[order], rater=made.rater[order], answer=made.answer[order]
    )
    t = [one.t for one in held(made)]
    assert [one.t for one in held(mixed)] == pytest.approx(t, abs=1e-4)


def test_same_and_expected_are_counts_of_the_compared_answers():
    made = crowds.made(np.random.default_rng(17), copiers=1)
    first, second = held(made)[:2]
    assert (first.n, first.texts, first.same) == (30, 30, 30)
    assert 0 < first.expected < 30
    own = made.rater == 1
    assert second.same == (made.answer[own] == made.judge[made.text[own]]).sum()
    assert second.expected == pytest.approx(second.same, abs=6)


def test_a_rater_with_few_texts_is_not_tested():
    made = crowds.made(np.random.default_rng(18))
    keep = (made.rater != 0) | (np.cumsum(made.rater == 0) <= 9)
    few = made._replace(
        text=made.text[keep], rater=made.rater[keep], answer=made.answer[keep]
    )
    one = held(few)[0]
    assert np.isnan(one.p)
    assert np.isnan(one.expected)
    assert one.reason == testing.TOO_FEW_TEXTS


def test_nobody_is_tested_without_a_crowd():
    made = crowds.made(np.random.default_rng(19), raters=3, texts=12)
    assert {one.reason for one in held(made, 3)} == {testing.TOO_FEW_OTHERS}


def test_nobody_is_tested_where_the_judge_says_nothing():
    made = crowds.made(np.random.default_rng(20))
    silent = made._replace(judge=np.full(len(made.judge), -1))
    assert {one.reason for one in held(silent)} == {testing.TOO_FEW_TEXTS}


def test_raters_who_are_one_person_do_not_stand_for_others():
    made = crowds.made(np.random.default_rng(21), raters=20)
    person = np.repeat([0, 1], 10)
    of = copies([made], 20, rng=np.random.default_rng(0), person=person)
    assert {one.reason for one in of} == {testing.TOO_FEW_OTHERS}


def test_answers_to_several_questions_on_a_text_count_as_what_goes_together():
    made = crowds.made(np.random.default_rng(22), copiers=1)
    once = held(made)[1:]
    twice = copies([made, made], 20, rng=np.random.default_rng(0))[1:]
    # The same answers again are no news.
    apart = [abs(b.t) - abs(a.t) for a, b in zip(once, twice, strict=True)]
    assert np.mean(apart) < 0.15


def test_the_share_is_what_would_have_to_be_copied():
    one = Copied(n=30, texts=30, same=24, expected=10.0, t=5.0, p=0.0)
    assert one.share == pytest.approx(0.7)
    assert Copied(30, 30, 8, 10.0, 0.0, 0.5).share == 0
