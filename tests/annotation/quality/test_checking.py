from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import answering, assigning, quality
from annotation.models import Aspect, Item, Negative, Policy, Seat, Worker
from tests.annotation.seating import (
    LATER,
    NOON,
    asked,
    hand_in,
    hire,
    lay_out,
    page,
    sit,
)


class TestJudge:
    @pytest.fixture
    def study(self, make_study):
        study = make_study(prompts=1)
        lay_out(study, hurts=("coherence",))
        return study

    def judged(self, study, *, rule="above_all", on="hurt", chosen=(), **ratings):
        """Verdict on a page whose real texts have 4 throughout; see `rated`."""
        seat = rated(study, **ratings)
        policy = Policy.objects.create(
            study=study, version=2, rule=rule, on=on, chosen=list(chosen)
        )
        return quality.judge(seat=seat, policy=policy, now=NOON)

    def test_it_compares_the_aspects_that_the_negative_hurts(self, study):
        verdict = self.judged(study, coherence=5, consistency=1, relevance=1)
        assert not verdict.valid
        assert verdict.numbers["aspects"] == ["coherence"]

    def test_it_says_why_with_the_numbers(self, study):
        assert self.judged(study, coherence=5).reason == (
            "The damaged text got 5, above the best of 4 real texts with 4,"
            " on Coherence."
        )

    def test_a_valid_page_needs_no_reason(self, study):
        verdict = self.judged(study, coherence=4, consistency=5, relevance=5)
        assert (verdict.valid, verdict.reason) == (True, "")

    def test_on_mean_it_compares_all_aspects(self, study):
        verdict = self.judged(study, on="mean", coherence=3, consistency=5, relevance=5)
        assert not verdict.valid
        assert "on the mean of Coherence, Consistency and Relevance" in verdict.reason

    def test_on_any_one_aspect_a_single_one_is_enough(self, study):
        verdict = self.judged(study, on="any", coherence=1, consistency=5, relevance=1)
        assert verdict.reason == (
            "The damaged text got 5, above the best of 4 real texts with 4,"
            " on Consistency."
        )

    def test_on_any_one_aspect_ties_are_no_evidence(self, study):
        assert self.judged(study, on="any", coherence=4, consistency=4).valid

    def test_on_chosen_it_compares_those(self, study):
        verdict = self.judged(study, on="chosen", chosen=["relevance"], coherence=5)
        assert verdict.valid
        assert verdict.numbers["aspects"] == ["relevance"]

    def test_it_compares_all_where_the_study_lacks_the_hurt_aspects(self, study):
        Negative.objects.update(hurts=["fluency"])
        verdict = self.judged(study, coherence=1)
        assert verdict.numbers["aspects"] == ["coherence", "consistency", "relevance"]

    def test_a_low_rating_is_good_where_lower_is_better(self, study):
        Aspect.objects.filter(key="coherence").update(higher_is_better=False)
        verdict = self.judged(study, coherence=1)  # the real texts have 4
        assert not verdict.valid
        assert "Coherence (turned round)" in verdict.reason

    def test_the_numbers_let_anyone_check_it(self, study):
        seat = rated(study, coherence=2)
        verdict = quality.judge(seat=seat, policy=study.current_policy(), now=NOON)
        hidden = Item.objects.get(negative__isnull=False).pk
        assert verdict.numbers["negative"] == [2]
        assert verdict.numbers["rule"] == "above_all"
        assert verdict.numbers["texts"] == {
            str(position): [4]
            for position, item in enumerate(seat.order, start=1)
            if item != hidden
        }

    def test_it_changes_nothing_but_appends_a_verdict(self, study):
        seat = hand_in(sit(study, "ann"))
        quality.judge(seat=seat, policy=study.current_policy(), now=NOON)
        seat.refresh_from_db()
        assert (seat.state, seat.verdicts.count()) == ("valid", 2)

    def test_a_page_without_a_negative_is_valid(self, study):
        study.surveys.get().negative.delete()
        seat = sit(study, "ann")
        answers = dict.fromkeys(asked(seat), 4)
        assert answering.submit(seat=seat, answers=answers, now=NOON).state == "valid"

    def test_long_titles_do_not_make_the_reason_too_long(self, study):
        Aspect.objects.update(title="x" * 100)
        verdict = self.judged(study, on="mean", coherence=5, consistency=5, relevance=5)
        assert len(verdict.reason) <= 300


def make_policy(study, **settings) -> Policy:
    version = study.current_policy().version + 1
    return Policy.objects.create(study=study, version=version, **settings)


class TestOtherChecks:
    @pytest.fixture
    def study(self, make_study):
        study = make_study(prompts=1)
        lay_out(study)
        return study

    def judged(self, study, seat, **settings):
        policy = make_policy(study, **settings)
        return quality.judge(seat=seat, policy=policy, now=LATER)

    def test_one_value_everywhere_is_discarded_only_when_asked(self, study):
        seat = rated(study, coherence=4, consistency=4, relevance=4)
        assert seat.state == "valid"
        verdict = self.judged(study, seat, same_score=True)
        assert verdict.reason == "Every answer on the page is 4."
        assert verdict.numbers["failed"] == ["same"]

    @pytest.mark.parametrize(("seconds", "valid"), [(25, False), (26, True)])
    def test_one_value_everywhere_may_count_only_where_it_was_fast(
        self, study, seconds, valid
    ):
        """The page has 770 characters: 25.7 seconds at 30 a second."""
        seat = rated(study, coherence=4, consistency=4, relevance=4)
        seat.visible, seat.submitted_at = {"1": 1000 * seconds}, LATER
        seat.save()
        verdict = self.judged(study, seat, same_score=True, same_faster_than=30)
        assert verdict.valid == valid
        if not valid:
            assert verdict.reason == (
                "Every answer on the page is 4, and it has 770 characters and was in"
                " view for 25 seconds. Reading it takes about 38 seconds, and 26 at"
                " the limit of 30 characters per second."
            )

    def test_other_answers_may_be_as_fast(self, study):
        seat = rated(study, coherence=1)
        seat.visible, seat.submitted_at = {"1": 20_000}, LATER
        seat.save()
        assert self.judged(study, seat, same_score=True, same_faster_than=30).valid

    def test_reading_is_measured_by_the_time_in_view(self, study):
        seat = rated(study, coherence=1)
        seat.visible, seat.submitted_at = {"1": 1500, "2": 1500}, LATER
        seat.save()
        verdict = self.judged(study, seat, characters_per_second=35)
        assert verdict.numbers["seconds"] == 3.0
        assert verdict.reason.startswith("The page has ")
        assert "for 3 seconds. Reading it takes about 38" in verdict.reason
        assert verdict.reason.endswith("22 at the limit of 35 characters per second.")

    def test_texts_in_view_together_do_not_make_a_page_slower_than_it_was(self, study):
        seat = rated(study, coherence=1)
        seat.visible = {str(position): 5000 for position in range(1, 6)}
        seat.submitted_at = NOON + timedelta(seconds=5)
        seat.save()
        verdict = self.judged(study, seat, characters_per_second=35)
        assert verdict.numbers["seconds"] == 5.0
        assert not verdict.valid

    def test_the_characters_are_those_of_the_page_with_its_prefix_once(self, study):
        seat = rated(study, coherence=1)
        prefix = study.prompts.get().prefix
        texts = [item.text for item in Item.objects.filter(survey=seat.survey)]
        full = [
            text if text.startswith(prefix) else f"{prefix} {text}" for text in texts
        ]
        verdict = self.judged(study, seat, characters_per_second=35)
        assert verdict.numbers["characters"] == len(prefix) + sum(
            len(text) - len(prefix) for text in full
        )

    def test_without_a_measure_the_whole_sitting_counts(self, study):
        seat = rated(study, coherence=1)
        Seat.objects.update(submitted_at=NOON + timedelta(minutes=2))
        seat.refresh_from_db()
        verdict = self.judged(study, seat, characters_per_second=35)
        assert (verdict.valid, verdict.numbers["seconds"]) == (True, 120.0)

    def test_the_rule_is_the_reason_before_all_others(self, study):
        seat = rated(study, coherence=5)
        verdict = self.judged(study, seat, characters_per_second=60)
        assert verdict.numbers["failed"] == ["rule", "reading"]
        assert verdict.reason.startswith("The damaged text got 5")


class TestWorker:
    """Two pages or more of one person."""

    @pytest.fixture
    def study(self, make_study):
        study = make_study(prompts=6)
        lay_out(study)
        return study

    def rate(self, study, worker, negatives):
        """A page for each value, which its negative gets; the real texts get 3."""
        for value in negatives:
            seat = assigning.claim(worker=worker, now=NOON)
            answers = page(seat, real=3, negative=value)
            answering.submit(seat=seat, answers=answers, now=NOON)
        return worker.seats.order_by("pk").last()

    def test_no_evidence_over_all_pages_discards_one(self, study):
        make_policy(study, worker_p=0.2, worker_pages=4)
        ann = hire(study, "ann")
        assert self.rate(study, ann, [3, 3, 3]).state == "valid"  # too few pages yet
        seat = self.rate(study, ann, [3])
        assert seat.state == "discarded"
        assert seat.verdicts.get().reason == (
            "Over 4 pages this worker does not rate the damaged texts lower:"
            " p = 1.000, above 0.2."
        )

    def test_who_rates_negatives_lower_passes_with_a_slip(self, study):
        make_policy(study, worker_p=0.2, worker_pages=4)
        seat = self.rate(study, hire(study, "ann"), [1, 1, 2, 3, 1])
        assert seat.state == "valid"
        assert seat.verdicts.get().numbers["p"] == 1 / 16  # four pages say something
        assert seat.verdicts.get().numbers["pages"] == 5

    def test_pages_of_others_do_not_count(self, study):
        make_policy(study, worker_p=0.2, worker_pages=2)
        self.rate(study, hire(study, "bea"), [3, 3, 3])
        assert self.rate(study, hire(study, "ann"), [1]).state == "valid"

    def test_too_many_discards_block_and_are_logged(self, study):
        make_policy(study, block_after=2, block_within=3)
        ann = hire(study, "ann")
        self.rate(study, ann, [5, 1, 1, 5])
        ann.refresh_from_db()
        assert ann.state == Worker.State.ACTIVE  # two discards, but not in three pages
        self.rate(study, ann, [5])
        ann.refresh_from_db()
        assert (ann.state, ann.state_at) == (Worker.State.BLOCKED, NOON)
        assert ann.state_reason == "2 of the last 3 pages were discarded."
        event = study.events.get(verb="blocked-worker")
        assert "ann" not in event.about

    def test_a_policy_without_a_limit_blocks_nobody(self, study):
        ann = hire(study, "ann")
        self.rate(study, ann, [5, 5, 5])
        ann.refresh_from_db()
        assert ann.state == Worker.State.ACTIVE


def rated(study, **negative):
    """A page with 4 on every real text and these values, or 1, on the negative."""
    seat = sit(study, "ann")
    hidden = Item.objects.get(negative__isnull=False).pk
    answers = {
        (position, key): (
            negative.get(key, 1) if seat.order[position - 1] == hidden else 4
        )
        for position, key in page(seat)
    }
    return answering.submit(seat=seat, answers=answers, now=NOON)
