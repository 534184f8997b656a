from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import scipy.stats

from annotation.models import Policy
from annotation.models.first_policy import BEGINNING
from annotation.watching import findings, thresholds
from annotation.watching.copying import Held
from annotation.watching.figures import Figure
from annotation.watching.findings import Severity, Words
from annotation.watching.raters import Rater

LIMITS = thresholds.Limits(pages=3, fast=30, too_fast=60, same_pages=3, odds=50)
NOBODY = Rater(
    pages=6,
    texts=24,
    agreement=Figure(0.7),
    bias=Figure(0.0),
    spread=Figure(1.0),
    position=Figure(0.0),
    left=Figure(None),
    choices=0,
    same_choice=Figure(None),
    seconds=Figure(60.0),
    by_clock=False,
    speed=Figure(20.0),
    page_speeds={1: 20.0, 2: 80.0},
    same_pages=[],
    common=Figure(0.4),
    failed=0,
    judged=6,
    checks=[],
    odds=None,
    changed=Figure(None, "no page of corrections"),
    outside=[],
)


def like(**changes) -> Rater:
    return dataclasses.replace(NOBODY, **changes)


def severity(finding) -> Severity | None:
    return finding and finding.severity


class TestLimits:
    def test_they_are_those_of_the_study_s_policy(self):
        policy = Policy(
            characters_per_second=40, same_faster_than=25, same_pages=2, worker_pages=5
        )
        assert thresholds.of(policy) == (5, 25, 40, 2, None)

    def test_what_a_policy_does_not_ask_is_what_new_studies_ask(self):
        found = thresholds.of(Policy())
        assert found.too_fast == BEGINNING["characters_per_second"]
        assert found.fast == BEGINNING["same_faster_than"]
        assert found.same_pages == BEGINNING["same_pages"]

    def test_what_quality_control_discards_is_never_called_slow(self):
        found = thresholds.of(Policy(characters_per_second=20))
        assert found.fast == found.too_fast == 20


class TestFast:
    @pytest.mark.parametrize(
        ("speed", "expected"),
        [(20, None), (30, None), (31, Severity.LOOK), (61, Severity.URGENT)],
    )
    def test_it_goes_by_the_median_page(self, speed, expected):
        found = findings.fast(like(speed=Figure(float(speed))), LIMITS)
        assert severity(found) == expected

    def test_it_names_the_number_and_the_pages_over_the_limit(self):
        found = findings.fast(like(speed=Figure(71.4)), LIMITS)
        assert "Reads 71 characters per second" in found.sentence
        assert found.seats == [2]

    def test_without_a_time_nobody_is_fast(self):
        assert findings.fast(like(speed=Figure(None, "x")), LIMITS) is None

    def test_a_time_by_the_clock_says_so(self):
        found = findings.fast(like(speed=Figure(71.4), by_clock=True), LIMITS)
        assert "Timed by the clock" in found.sentence


class TestSame:
    @pytest.mark.parametrize(
        ("pages", "total", "expected"),
        [
            ([1], 6, None),
            ([1, 2], 6, Severity.LOOK),
            ([1, 2, 3], 6, Severity.LOOK),  # not more than half
            ([1, 2, 3, 4], 6, Severity.URGENT),
        ],
    )
    def test_most_pages_without_variation_are_urgent(self, pages, total, expected):
        found = findings.same(like(same_pages=pages, pages=total), LIMITS)
        assert severity(found) == expected

    def test_one_answer_nearly_everywhere_is_no_variation_either(self):
        found = findings.same(like(common=Figure(0.93)), LIMITS)
        assert found.sentence == "Gave the same answer to 93 % of all questions."


class TestAgreement:
    @pytest.mark.parametrize(
        ("r", "texts", "expected"),
        [
            (0.7, 24, None),
            (-0.1, 24, Severity.LOOK),
            (-0.6, 24, Severity.URGENT),  # all of its interval is below 0
            (-0.9, 11, None),  # too few texts to tell
            (None, 24, None),
        ],
    )
    def test_negative_agreement_is_told_with_enough_texts(self, r, texts, expected):
        rater = like(agreement=Figure(r, "constant"), texts=texts)
        assert severity(findings.agreement(rater, None, [1])) == expected

    def test_who_agrees_far_less_than_usual_is_told(self):
        rater = like(agreement=Figure(0.0), texts=100)
        assert findings.agreement(rater, None, [1]) is None
        found = findings.agreement(rater, 0.7, [1])
        assert severity(found) == Severity.LOOK
        assert "Usual here is 0.70" in found.sentence

    def test_the_interval_is_fisher_s(self):
        rng = np.random.default_rng(3)
        x = rng.normal(size=40)
        y = x + rng.normal(size=40)
        expected = scipy.stats.pearsonr(x, y).confidence_interval(0.95)
        found = findings.interval(scipy.stats.pearsonr(x, y).statistic, 40)
        assert found == pytest.approx(tuple(expected), abs=1e-4)

    def test_a_perfect_r_has_an_interval_too(self):
        assert findings.interval(1.0, 12)[1] <= 1

    def test_what_is_usual_needs_some_workers(self):
        some = [like(agreement=Figure(r)) for r in (0.5, 0.6, 0.7, 0.8)]
        assert findings.usual_agreement(some) is None
        assert findings.usual_agreement([*some, like(agreement=Figure(0.9))]) == 0.7


class TestOdds:
    @pytest.mark.parametrize(
        ("times", "told"),
        [(None, False), (9, False), (10, True), (50, True), (51, False)],
    )
    def test_it_warns_before_quality_control_discards(self, times, told):
        found = findings.odds(like(odds=times), LIMITS, [1])
        assert (found is not None) == told

    def test_a_policy_that_does_not_weigh_them_is_not_warned_of(self):
        limits = LIMITS._replace(odds=None)
        assert findings.odds(like(odds=40), limits, [1]) is None


class TestDiscarded:
    @pytest.mark.parametrize(
        ("pages", "expected"),
        [
            ([], None),
            ([1], Severity.NOTE),
            ([1, 2], Severity.LOOK),
            ([1, 2, 3, 4], Severity.URGENT),
        ],
    )
    def test_it_is_worse_the_more_of_their_pages_are_gone(self, pages, expected):
        assert severity(findings.discarded(NOBODY, pages)) == expected

    def test_it_names_the_checks(self):
        rater = like(checks=[("read too fast", 2)])
        found = findings.discarded(rater, [1, 2])
        assert found.sentence == "2 of 6 pages were discarded: read too fast (2)."


class TestWords:
    same = "This text was great, thank you"

    def test_the_same_words_of_one_worker_three_times(self):
        some = [Words(1, seat, self.same) for seat in (1, 2)]
        assert findings.repeated(some) == {}
        found = findings.repeated([*some, Words(1, 3, f" {self.same.upper()}\n")])
        assert found[1][0].seats == [1, 2, 3]
        assert "same words 3 times" in found[1][0].sentence

    def test_the_same_words_of_two_workers_are_told_of_both(self):
        found = findings.repeated([Words(1, 1, self.same), Words(2, 2, self.same)])
        assert set(found) == {1, 2}
        assert "2 workers wrote the same words" in found[2][0].sentence

    def test_short_words_are_anybody_s(self):
        assert findings.repeated([Words(n, n, "No comment.") for n in range(9)]) == {}

    def test_long_words_are_cut(self):
        found = findings.comments([(1, "word " * 500)])
        assert len(found.sentence) < 250 and found.sentence.endswith("…”")


class TestChanges:
    def test_one_unusual_page_is_a_note_and_most_of_them_are_worth_a_look(self):
        some = like(changed=Figure(80.0), outside=[1])
        assert severity(findings.changes(some, LIMITS)) == Severity.NOTE
        most = like(changed=Figure(80.0), outside=[1, 2, 3, 4])
        found = findings.changes(most, LIMITS)
        assert severity(found) == Severity.LOOK
        assert "4 of 6 pages" in found.sentence and "80 of 100" in found.sentence

    def test_who_corrects_as_expected_is_not_named(self):
        assert findings.changes(like(changed=Figure(8.0)), LIMITS) is None
        assert findings.changes(NOBODY, LIMITS) is None


class TestSides:
    def test_who_nearly_always_chooses_one_side_is_named_with_the_share(self):
        for share, said in ((0.9, "left in 90 % of 40"), (0.1, "right in 90 % of 40")):
            finding = findings.side(like(left=Figure(share), choices=40), [1])
            assert finding.severity == Severity.LOOK and said in finding.sentence

    def test_few_choices_or_both_sides_are_no_finding(self):
        assert findings.side(like(left=Figure(1.0), choices=29), [1]) is None
        assert findings.side(like(left=Figure(0.7), choices=300), [1]) is None
        assert findings.side(NOBODY, [1]) is None

    def test_chance_seldom_looks_so(self):
        n, most = thresholds.ENOUGH_CHOICES, thresholds.MOST_OF_ONE_SIDE
        one_side = 2 * scipy.stats.binom.sf(most * n - 1, n, 0.5)
        assert one_side < 1 / 690


HELD = Held("the judge tiny", n=30, texts=30, same=27, expected=14.2, p=0.01, workers=9)


def test_answers_of_a_judge_are_a_note_with_its_error_rate():
    finding = findings.copied(HELD, [4, 5])
    assert finding is not None
    assert finding.sentence.startswith(
        "Gave the same answer as the judge tiny in 27 of 30 answers. From what other"
        " people say of these 30 texts, about 14 would be expected. About 2 of 100"
    )
    assert (finding.severity, finding.seats) == (Severity.NOTE, [4, 5])


@pytest.mark.parametrize(
    ("p", "severity"),
    [(0.0201, None), (0.02, Severity.NOTE), (0.02 / 9, Severity.LOOK)],
)
def test_it_weighs_more_where_nobody_honest_of_the_study_would_have_it(p, severity):
    finding = findings.copied(HELD._replace(p=p), [])
    assert (finding and finding.severity) == severity


def test_much_pasted_text_is_a_note_beside_how_many_others_pasted():
    finding = findings.pasted([(7, 90), (6, None), (5, 0), (4, 310)], 2, 40)
    assert finding is not None
    assert finding.sentence.startswith(
        "Pasted 400 characters into text fields on 2 pages. Of 40 other workers, 2"
        " pasted as much."
    )
    assert (finding.severity, list(finding.seats)) == (Severity.NOTE, [7, 4])


@pytest.mark.parametrize("pages", [[], [(1, None)], [(1, 99)]])
def test_little_pasted_text_is_nothing(pages):
    assert findings.pasted(pages, 0, 1) is None
