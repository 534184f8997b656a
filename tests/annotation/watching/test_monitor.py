from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import answering, assigning, workers
from annotation.watching import monitor
from tests.annotation.seating import LATER, NOON, hand_in, hire, lay_out, page, sit
from tests.support.scored import rate


@pytest.fixture
def study(make_study):
    """Four surveys of four texts, three places each."""
    study = make_study(prompts=4, ratings_per_text=3)
    lay_out(study)
    return study


def work(study, name: str, careful: list[bool]) -> int:
    """A new worker submits so many pages; their id."""
    worker = hire(study, name)
    for good in careful:
        hand_in(assigning.claim(worker=worker, now=NOON), careful=good)
    return worker.pk


class TestFilled:
    def test_it_counts_texts_and_surveys_by_valid_ratings(self, study):
        work(study, "ann", [True, True])
        work(study, "careless", [False])
        found = monitor.filled(study=study)
        assert found == [(0, 2, [8]), (1, 2, [8]), (2, 0, [0]), (3, 0, [0])]

    def test_an_excluded_text_is_not_among_them(self, study):
        text = study.generations.first()
        text.excluded_at = NOON
        text.save()
        assert sum(row.units[0] for row in monitor.filled(study=study)) == 15

    def test_ratings_from_files_are_not_counted(self, study):
        rate(study, "coherence", [[4]] * 16)
        assert monitor.filled(study=study)[0] == (0, 4, [16])


class TestSittings:
    def test_it_tells_who_sits_where_and_for_how_long(self, study):
        seat = sit(study, "ann")
        answering.save(seat=seat, position=1, aspect="coherence", value=3, now=NOON)
        (found,) = monitor.sittings(study=study, now=NOON + timedelta(minutes=10))
        assert (found.seat, found.answered, found.wanted) == (seat, 1, 15)
        assert found.minutes_left == study.lease_minutes - 10

    def test_a_lease_that_has_lapsed_says_so(self, study):
        sit(study, "ann")
        (found,) = monitor.sittings(study=study, now=LATER)
        assert found.minutes_left == study.lease_minutes - 120

    def test_who_has_handed_in_sits_nowhere(self, study):
        hand_in(sit(study, "ann"))
        assert monitor.sittings(study=study, now=NOON) == []


class TestDamages:
    def test_it_counts_pages_discards_and_where_trusted_workers_put_it(self, study):
        work(study, "ann", [True] * 3)
        work(study, "ben", [True] * 2)  # too few pages to be trusted
        work(study, "cat", [True, True, True, False])  # not trusted either
        (found,) = monitor.damages(study=study, now=NOON)
        assert found == ("shuffle", 9, 1, 3, 3, 0)
        assert found.last_percent == 100

    def test_a_tie_for_the_last_place_is_told_apart(self, study):
        worker = hire(study, "ann")
        for real in (4, 1, 4):
            seat = assigning.claim(worker=worker, now=NOON)
            answers = page(seat, real=real, negative=1)
            answering.submit(seat=seat, answers=answers, now=NOON)
        (found,) = monitor.damages(study=study, now=NOON)
        assert (found.trusted, found.last, found.tied) == (3, 2, 1)

    def test_only_the_aspects_that_it_should_hurt_are_compared(self, study):
        worker = hire(study, "ann")
        for _ in range(3):
            seat = assigning.claim(worker=worker, now=NOON)
            hidden = seat.survey.items.get(generation=None).pk
            answers = page(seat, real=3, negative=5)
            answers[seat.order.index(hidden) + 1, "coherence"] = 1
            answering.submit(seat=seat, answers=answers, now=NOON)
        (found,) = monitor.damages(study=study, now=NOON)
        assert (found.trusted, found.last) == (3, 3)

    def test_without_pages_there_is_no_percentage(self, study):
        (found,) = monitor.damages(study=study, now=NOON)
        assert found.last_percent is None and found.discarded_percent is None

    def test_queries_do_not_grow_with_the_pages(
        self, study, django_assert_max_num_queries
    ):
        for name in ("ann", "ben", "cat"):
            work(study, name, [True] * 4)
        with django_assert_max_num_queries(9):
            monitor.damages(study=study, now=NOON)


class TestComputedOnce:
    def test_it_computes_anew_only_after_a_page_or_a_decision(self, study, alice):
        calls = []

        def ask() -> int:
            return monitor.computed_once(
                study=study, name="n", compute=lambda: calls.append(1) or len(calls)
            )

        assert (ask(), ask()) == (1, 1)
        seat = hand_in(sit(study, "ann"))
        assert (ask(), ask()) == (2, 2)
        workers.exclude(worker=seat.worker, reason="x", user=alice, now=LATER)
        assert (ask(), ask()) == (3, 3)
