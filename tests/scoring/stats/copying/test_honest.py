from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

from scoring.stats.copying import honest
from scoring.stats.copying.honest import Question
from tests.scoring.stats.copying import crowds


def question(**changes: object) -> Question:
    """Two texts, three raters; the third rates only the first."""
    given = {
        "text": np.array([0, 0, 0, 1, 1]),
        "rater": np.array([0, 1, 2, 0, 1]),
        "answer": np.array([2, 2, 0, 1, 1]),
        "judge": np.array([2, 1]),
        "points": 3,
        "ordered": False,
    }
    return Question(**{**given, **changes})  # type: ignore[arg-type]


def test_what_a_rater_said_is_not_among_what_others_say():
    rows = honest.rows_of(question())
    shares = np.array([2, 3, 3]) / 8
    expected = np.log((np.array([1, 0, 1]) + shares) / 3)  # of the first answer
    assert rows.others[0, :, 0] == pytest.approx(expected)


def test_texts_without_a_judges_answer_or_another_rater_are_left_out():
    assert len(honest.rows_of(question(judge=np.array([2, -1]))).answer) == 3
    alone = question(text=np.array([0, 0, 0, 1, 2]), judge=np.array([2, 1, 1]))
    assert len(honest.rows_of(alone).answer) == 3


def test_the_coefficients_are_those_that_a_general_optimiser_finds():
    rows = honest.rows_of(crowds.made(np.random.default_rng(1)))
    design, each = rows.design, np.arange(len(rows.answer))

    def minus_likelihood(found: np.ndarray) -> float:
        utility = design @ found
        total = np.log(np.exp(utility).sum(1))
        likely = (utility[each, rows.answer] - total).sum()
        return float(honest.RIDGE * found @ found / 2 - likely)

    best = scipy.optimize.minimize(minus_likelihood, np.zeros(design.shape[2]))
    crowd = honest.crowd(rows)
    found = np.concatenate([crowd.likes, crowd.others, crowd.copied])
    assert found == pytest.approx(best.x, abs=1e-3)


def test_a_rater_who_likes_an_answer_is_expected_to_give_it():
    made = crowds.made(np.random.default_rng(2))
    rows = honest.rows_of(made)
    crowd = honest.crowd(rows.only(rows.rater > 0))
    mine = rows.only(rows.rater == 0)
    strict = honest.Rows(
        mine.text, mine.rater, np.zeros_like(mine.answer), mine.judge,
        mine.others, mine.copied,
    )  # fmt: skip
    usual, own = honest.own(mine, crowd), honest.own(strict, crowd)
    assert own.chance[:, 0].mean() > usual.chance[:, 0].mean() + 0.3


def test_chances_add_up_to_1_and_leave_room_for_slips():
    rows = honest.rows_of(crowds.made(np.random.default_rng(3)))
    chance = honest.own(rows.only(rows.rater == 0), honest.crowd(rows)).chance
    assert chance.sum(1) == pytest.approx(1)
    assert chance.min() >= honest.SLIPS / crowds.POINTS


def test_coefficients_are_found_of_a_rater_who_answers_against_all_others():
    """Whole steps of Newton's method jump to and fro here."""
    made = crowds.made(np.random.default_rng(4), raters=12, texts=60)
    turned = np.where(made.rater == 0, 4 - made.answer, made.answer)
    rows = honest.rows_of(made._replace(answer=turned))
    crowd = honest.crowd(rows.only(rows.rater > 0))
    mine = rows.only(rows.rater == 0)
    own = honest.own(mine, crowd)
    # At the top the shares of answers are as given, but for the ridge and for slips.
    given = np.bincount(mine.answer, minlength=crowds.POINTS) / len(mine.answer)
    assert own.chance.mean(0) == pytest.approx(given, abs=0.05)
