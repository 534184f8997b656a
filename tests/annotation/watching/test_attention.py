from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import answering, assigning, workers
from annotation.models import Policy, Seat
from annotation.watching import attention, reports, thresholds
from annotation.watching.attention import Attention, Kind, Subject
from annotation.watching.findings import Severity
from tests.annotation.seating import LATER, NOON, hand_in, hire, lay_out, page, sit


@pytest.fixture
def study(make_study):
    """Six surveys of four texts, with room for everybody."""
    study = make_study(prompts=6, ratings_per_text=8)
    lay_out(study)
    Policy.objects.update(worker_pages=3)
    return study


def work(study, name: str, pages: int, *, seconds: int = 300, value=None, comment=None):
    """Hand in so many pages; different answers unless one value is given."""
    worker = hire(study, name)
    for number in range(pages):
        now = NOON + timedelta(hours=number)
        seat = assigning.claim(worker=worker, now=now)
        answers = page(seat)
        for n, (position, key) in enumerate(answers):
            real = answers[position, key] != 1
            answers[position, key] = value or (2 + (n + number) % 4 if real else 1)
        answering.submit(
            seat=seat,
            answers=answers,
            now=now + timedelta(seconds=seconds),
            comment=comment,
        )
    return worker


def read(study) -> Attention:
    return attention.read(study=study)


def of(study, worker) -> Subject:
    found = read(study).of(worker)
    assert found is not None
    return found


def kinds(subject: Subject) -> set[str]:
    return {finding.kind for finding in subject.findings}


def test_who_rates_fast_and_always_the_same_stands_first(study):
    work(study, "careful", 3)
    hasty = work(study, "hasty", 3, seconds=2, value=4)
    first = read(study).subjects[0]
    assert first.worker == hasty.public_id
    assert {"fast", "same"} <= kinds(first)
    assert first.severity == Severity.URGENT


def test_every_entry_leads_to_pages_of_the_worker(study):
    hasty = work(study, "hasty", 3, seconds=2)
    for _, pages, more in of(study, hasty).shown():
        own = set(hasty.seats.values_list("public_id", flat=True))
        assert {one.seat for one in pages} == own and more == 0


def test_a_careful_worker_is_not_listed(study):
    careful = work(study, "careful", 3)
    assert read(study).of(careful) is None


def test_of_too_few_pages_nothing_is_told_but_their_number(study):
    work(study, "hasty", 2, seconds=2, value=4)
    found = read(study)
    assert (found.subjects, found.young, found.workers) == ([], 1, 1)


def test_an_empty_study_has_nothing_to_tell(study):
    assert read(study).subjects == [] and read(study).workers == 0


def test_discarded_pages_are_told_from_the_first_on(study):
    seat = hand_in(sit(study, "careless"), careful=False)
    found = of(study, seat.worker)
    assert kinds(found) == {"discarded"}
    assert "1 page was discarded: damaged text rated too high (1)" in (
        found.findings[0].sentence
    )


def test_where_no_page_counts_it_is_less_urgent(study):
    seat = hand_in(sit(study, "careless"), careful=False)
    found = of(study, seat.worker)
    assert found.handled and found.severity == Severity.NOTE


def test_comments_are_told_with_their_words(study):
    ann = work(study, "ann", 1, comment="The second text is cut off.")
    found = of(study, ann)
    assert "The second text is cut off." in found.findings[0].sentence
    assert found.severity == Severity.NOTE


def test_a_report_that_waits_is_urgent_and_goes_once_it_is_resolved(study, alice):
    seat = hand_in(sit(study, "ann"))
    report = reports.report(seat=seat, position=1, reason="It insults.", now=NOON)
    (found,) = [one for one in read(study).subjects if one.kind != Kind.WORKER]
    assert found.severity == Severity.URGENT
    assert found.name == reports.name_of(report.item)
    reports.keep(item=report.item, note="", user=alice, now=LATER)
    assert read(study).subjects == []


def test_whom_somebody_excluded_is_not_listed_again(study, alice):
    hasty = work(study, "hasty", 3, seconds=2, value=4)
    workers.exclude(worker=hasty, reason="A script.", user=alice, now=LATER)
    assert read(study).subjects == []


def test_pages_after_the_debriefing_are_told_once(study):
    work(study, "ann", 2)
    Seat.objects.update(informed=True)
    (found,) = read(study).subjects
    assert (found.kind, found.findings[0].kind) == (Kind.STUDY, "informed")
    assert found.findings[0].sentence.startswith("2 valid pages")


def test_a_new_page_is_seen_though_the_last_look_is_kept(study):
    work(study, "ann", 3)
    assert read(study).workers == 1
    work(study, "hasty", 3, seconds=2)
    assert read(study).workers == 2


def test_with_many_pages_the_list_is_made_anew_after_a_while_or_a_decision(
    study, monkeypatch, alice
):
    monkeypatch.setattr(thresholds, "MANY_PAGES", 3)
    ann = work(study, "ann", 3)
    assert read(study).is_kept
    work(study, "ben", 3)
    assert read(study).workers == 1
    hasty = work(study, "hasty", 3, seconds=2)
    assert read(study).of(hasty) is None
    workers.exclude(worker=ann, reason="A script.", user=alice, now=LATER)
    assert read(study).of(hasty) is not None


def test_of_too_many_pages_the_newest_workers_are_read(study, monkeypatch):
    monkeypatch.setattr(thresholds, "MOST_PAGES", 4)
    work(study, "first", 3)
    last = work(study, "last", 3, seconds=400)
    found = read(study)
    assert (found.workers, found.all_workers) == (1, 2)
    assert attention._newest(study)[0] == [last]


def test_only_the_most_urgent_entries_are_shown(study, monkeypatch):
    monkeypatch.setattr(thresholds, "MOST_SHOWN", 1)
    work(study, "ann", 1, comment="One.")
    work(study, "ben", 1, comment="Two.")
    assert (len(read(study).shown), read(study).hidden) == (1, 1)


def test_queries_do_not_grow_with_workers_or_pages(study, settings):
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
    }

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            read(study)
        return len(found)

    work(study, "ann", 1, seconds=2, value=3, comment="The same words as always")
    read(study)  # asks once whether the study is large
    few = queries()
    for name in ("ben", "cat", "dan"):
        work(study, name, 4, seconds=2, value=3, comment="The same words as always")
    assert queries() == few <= 24
