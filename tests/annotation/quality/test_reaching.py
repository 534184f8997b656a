"""What all pages of a worker say together changes their earlier pages."""

from __future__ import annotations

import pytest

from annotation import answering, assigning, studies, workers
from annotation.models import Policy, Verdict, Worker
from annotation.models.first_policy import first_policy
from annotation.quality import reaching
from tests.annotation.seating import (
    LATER,
    NOON,
    hire,
    in_threads,
    lay_out,
    page,
)

pytestmark = pytest.mark.django_db
PATTERN = {"same_pages": 3}


@pytest.fixture
def study(make_study):
    study = make_study(prompts=8)
    lay_out(study)
    return study


def adopt(study, **settings) -> Policy:
    version = study.current_policy().version + 1
    return Policy.objects.create(study=study, version=version, **settings)


def rate(worker, *negatives, real=3):
    """A page for each value, which its negative gets; the others get `real`."""
    for value in negatives:
        seat = assigning.claim(worker=worker, now=NOON)
        answers = page(seat, real=real, negative=value)
        answering.submit(seat=seat, answers=answers, now=NOON)


def states(worker) -> list[str]:
    return list(worker.seats.order_by("pk").values_list("state", flat=True))


def n_filled(study) -> int:
    return study.places.filter(free=False, lease_until=None).count()


class TestDiscarding:
    def test_earlier_pages_are_discarded_and_their_places_open(self, study):
        adopt(study, **PATTERN)
        ann = hire(study, "ann")
        rate(ann, 3, 3)
        assert (states(ann), n_filled(study)) == (["valid"] * 2, 2)
        rate(ann, 3)
        assert (states(ann), n_filled(study)) == (["discarded"] * 3, 0)

    def test_each_earlier_page_gets_a_verdict_that_says_why(self, study):
        adopt(study, **PATTERN)
        ann = hire(study, "ann")
        rate(ann, 3, 3, 3)
        first, _, last = ann.seats.order_by("pk")
        said = "On 3 of 3 pages every answer of this worker is the same."
        assert [v.valid for v in first.verdicts.all()] == [True, False]
        assert [v.reason for v in last.verdicts.all()] == [said]
        assert first.verdicts.last().reason == said
        assert first.verdicts.last().numbers["failed"] == ["pattern"]

    def test_it_stands_in_the_log_once(self, study):
        adopt(study, **PATTERN)
        rate(hire(study, "ann"), 3, 3, 3)
        event = study.events.get(verb="judged-again")
        assert event.detail == "2 earlier pages discarded, 0 valid again"
        assert "ann" not in event.about

    def test_later_discards_count_for_blocking(self, study):
        adopt(study, **PATTERN, block_after=3)
        ann = hire(study, "ann")
        rate(ann, 3, 3, 3)
        ann.refresh_from_db()
        assert ann.state == Worker.State.BLOCKED
        assert ann.state_reason == "3 of 3 pages were discarded."

    def test_a_page_that_failed_for_itself_keeps_its_reason(self, study):
        adopt(study, **PATTERN)
        ann = hire(study, "ann")
        rate(ann, 5, 3, 3, 3)
        assert states(ann) == ["discarded"] * 4
        assert ann.seats.first().verdicts.count() == 1

    def test_pages_of_others_stay(self, study):
        adopt(study, **PATTERN)
        bea = hire(study, "bea")
        rate(bea, 1, 1)
        rate(hire(study, "ann"), 3, 3, 3)
        assert states(bea) == ["valid", "valid"]

    def test_pages_that_an_earlier_version_judged_stay(self, study):
        ann = hire(study, "ann")
        rate(ann, 3, 3)
        adopt(study, **PATTERN)
        rate(ann, 3)
        assert states(ann) == ["valid", "valid", "discarded"]

    def test_pages_that_a_person_decided_about_stay(self, study):
        adopt(study, **PATTERN)
        ann = hire(study, "ann")
        rate(ann, 3, 3)
        workers.exclude(worker=ann, reason="asked", user=study.owner, now=LATER)
        workers.include(worker=ann, user=study.owner, now=LATER)
        ann.refresh_from_db()
        rate(ann, 3)
        assert states(ann) == ["valid", "valid", "discarded"]

    def test_answers_by_chance_reach_back_and_name_their_numbers(self, study):
        adopt(study, chance_odds=2, worker_pages=3)
        ann = hire(study, "ann")
        rate(ann, 3, 3, 3)  # log-odds 1/5 a page
        assert states(ann) == ["valid"] * 3
        rate(ann, 3)
        assert states(ann) == ["discarded"] * 4
        verdict = ann.seats.last().verdicts.get()
        assert verdict.reason.startswith(
            "Over 4 pages these answers are 2.2 times as likely to be random as to"
            " come from reading. The limit is 2. They rate damaged texts as high as"
            " others."
        )
        assert verdict.numbers["odds"]["pages"] == 4
        assert verdict.numbers["odds"]["log"] == pytest.approx(0.8)

    def test_who_sees_the_damage_is_never_touched(self, study):
        adopt(study, **PATTERN, chance_odds=2, worker_pages=2)
        ann = hire(study, "ann")
        rate(ann, 1, 2, 1, 1, 2)
        assert states(ann) == ["valid"] * 5


class TestComingBack:
    def test_pages_come_back_when_the_check_changes_its_mind(self, study):
        adopt(study, **PATTERN)
        ann = hire(study, "ann")
        rate(ann, 3, 3, 3)
        rate(ann, 1, 1)
        assert states(ann) == [*["discarded"] * 4, "discarded"]
        rate(ann, 1)  # 3 of 6 are no more than half
        assert states(ann) == ["valid"] * 6
        assert ann.seats.first().verdicts.last().reason == ""

    def test_where_others_took_their_places_they_are_surplus(self, make_study):
        study = make_study(prompts=8, ratings_per_text=1)
        lay_out(study)
        adopt(study, **PATTERN)
        ann = hire(study, "ann")
        rate(ann, 3, 3, 3)
        rate(hire(study, "bea"), 1, 1, 1)  # the same three surveys
        rate(ann, 1, 1, 1)
        assert states(ann) == [*["surplus"] * 3, *["valid"] * 3]
        assert n_filled(study) == 6


class TestOneTransaction:
    def test_a_fault_on_the_way_leaves_everything_as_it_was(self, study, monkeypatch):
        adopt(study, **PATTERN)
        ann = hire(study, "ann")
        rate(ann, 3, 3)

        def fail(**_):
            raise RuntimeError

        monkeypatch.setattr(reaching.blocking, "block_if_due", fail)
        with pytest.raises(RuntimeError):
            rate(ann, 3)
        assert states(ann) == ["valid", "valid", "claimed"]
        assert Verdict.objects.filter(valid=False).count() == 0

    @pytest.mark.django_db(transaction=True)
    def test_two_at_once_on_the_same_surveys_do_not_wait_in_a_circle(self, study):
        adopt(study, **PATTERN)
        people = [hire(study, name) for name in ("ann", "bea")]
        for one in people:
            rate(one, 3, 3)
        seats = [assigning.claim(worker=one, now=NOON) for one in people]
        pages = [page(seat, real=3, negative=3) for seat in seats]
        in_threads(
            2, lambda n: answering.submit(seat=seats[n], answers=pages[n], now=NOON)
        )
        assert [states(one) for one in people] == [["discarded"] * 3] * 2
        assert n_filled(study) == 0


class TestBeginning:
    """The careless worker of the first trial: one answer everywhere, at 2 s a page."""

    @pytest.fixture
    def study(self, make_study):
        study = make_study(prompts=18)
        study.policies.all().delete()
        first_policy(study).save()
        lay_out(study)
        return study

    def test_one_answer_everywhere_at_two_seconds_a_page_never_counts(self, study):
        ann = hire(study, "ann")
        while seat := assigning.claim(worker=ann, now=NOON):
            seconds = {position: 400 for position in range(1, 6)}
            answering.submit(
                seat=seat,
                answers=page(seat, real=3, negative=3),
                now=LATER,
                visible=seconds,
            )
            ann.refresh_from_db()
        assert states(ann) == ["discarded"] * 3
        assert ann.state == Worker.State.BLOCKED

    def test_new_studies_begin_with_it_and_others_keep_theirs(self, study, alice):
        made = studies.create(name="another", owner=alice)
        first = made.current_policy()
        assert (first.version, first.chance_odds, first.same_faster_than) == (1, 50, 30)
        # As a migrated row of an older study is: nothing but the damaged text.
        plain = Policy(study=study)
        assert not plain.looks_back
        assert not plain.needs_texts
        assert not plain.same_score
