from __future__ import annotations

import pytest

from annotation.models import Item, Report
from annotation.watching import attention, one_text, reports, reviewing
from tests.annotation.pairing import open_pairs
from tests.annotation.seating import NOON, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    return open_pairs(make_study(prompts=1, systems=("a", "b", "c")))


def reported(study, *, check: bool = False) -> Item:
    """One pair of a page, or the text beside its damaged version."""
    seat = sit(study, "ann")
    item = Item.objects.filter(pk__in=seat.order, pair__second__isnull=check).first()
    position = seat.order.index(item.pk) + 1
    reports.report(seat=seat, position=position, reason="Rude.", now=NOON)
    return item


def test_a_reported_pair_is_queued_with_both_texts(study):
    item = reported(study)
    (found,) = reports.queue(study=study)
    assert [side.text for side in found.shown] == [item.pair.first, item.pair.second]
    assert reports.name_of(item) == f"{item.pair.first.key} and {item.pair.second.key}"
    (subject,) = attention.read(study=study).subjects
    assert subject.name == reports.name_of(item) and not subject.is_text


def test_excluding_asks_which_of_the_two_texts(study, alice):
    item = reported(study)
    key = item.pair.second.key
    with pytest.raises(reviewing.ReviewError, match=f"which of the two.*{key}"):
        reports.exclude(item=item, reason="Rude.", user=alice, now=NOON)
    text = reports.exclude(item=item, key=key, reason="Rude.", user=alice, now=NOON)
    assert text == item.pair.second
    excluded = study.generations.exclude(excluded_at=None)
    assert [one.key for one in excluded] == [key]
    assert Report.objects.get().state == Report.State.EXCLUDED
    assert reports.queue(study=study)[0].excluded


def test_a_key_of_another_text_is_refused(study, alice):
    item = reported(study)
    with pytest.raises(reviewing.ReviewError, match="which of the two"):
        reports.exclude(item=item, key="other", reason="R", user=alice, now=NOON)


def test_of_a_text_and_its_damaged_version_the_text_can_be_excluded(study, alice):
    item = reported(study, check=True)
    assert reports.name_of(item) == "negative of survey 1"
    text = reports.exclude(item=item, reason="Rude.", user=alice, now=NOON)
    assert text == item.negative.source


def test_a_kept_pair_counts_and_both_texts_with_it(study, alice):
    item = reported(study)
    for key in (item.pair.first.key, item.pair.second.key):
        reports.exclude(item=item, key=key, reason="Rude.", user=alice, now=NOON)
    reports.keep(item=item, note="Fine.", user=alice, now=NOON)
    assert not study.generations.exclude(excluded_at=None).exists()
    assert Report.objects.get().state == Report.State.KEPT


def test_a_report_stays_decided_while_the_other_text_is_excluded(study, alice):
    item = reported(study)
    for text in (item.pair.first, item.pair.second):
        reports.exclude(item=item, key=text.key, reason="Rude.", user=alice, now=NOON)
    reviewing.include(text=item.pair.first, note="", user=alice, now=NOON)
    assert Report.objects.get().state == Report.State.EXCLUDED
    reviewing.include(text=item.pair.second, note="", user=alice, now=NOON)
    assert Report.objects.get().state == Report.State.KEPT


def test_the_page_of_each_text_names_the_report(study):
    item = reported(study)
    for text in (item.pair.first, item.pair.second):
        (report,) = one_text.read(study=study, text=text).reports
        assert report.reason == "Rude."
