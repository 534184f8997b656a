"""A worker whose clock is wrong deletes nothing for good, and staff are told."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation import assistant, studies, workers
from annotation.models import Study, Upload, Worker
from evalapp.system import health
from evalapp.work import clocks, deferred_deletion, heartbeats
from scoring import pulse
from tests.annotation.seating import lay_out, sit

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
MONTH = timedelta(days=31)

pytestmark = pytest.mark.django_db


def problem() -> str:
    health._looked.cache_clear()
    return health.problems().get("clocks", "")


@pytest.fixture
def deleted(make_study):
    study = make_study(name="deleted")
    studies.delete(study=study, typed="deleted", user=None, now=NOON)
    return study


@pytest.fixture
def closed(make_study):
    study = make_study(name="closed")
    lay_out(study)
    sit(study, "w1")
    Study.objects.filter(pk=study.pk).update(
        state="closed", closed_at=NOON, retention_days=30
    )
    return study


def test_the_earlier_of_two_clocks_counts():
    later = NOON + clocks.APART
    assert clocks.agreed(here=NOON, there=later) == NOON
    assert clocks.agreed(here=later, there=NOON) == NOON
    too_late = later + timedelta(seconds=1)
    assert clocks.agreed(here=too_late, there=NOON) is None
    assert clocks.agreed(here=NOON, there=too_late) is None


def test_the_database_tells_the_time():
    assert abs(clocks.of_database() - timezone.now()) < timedelta(minutes=1)


def test_a_worker_a_month_ahead_of_the_database_removes_nothing(deleted, closed):
    for days in range(4):  # for as long as it likes
        at = NOON + timedelta(days=days)
        pulse.chores(now=at + MONTH, there=at)
    assert Study.objects.filter(pk=deleted.pk).exists()
    assert Worker.objects.get().external_id == "w1"


def test_nor_does_one_look_where_the_database_has_the_same_clock(deleted, closed):
    """SQLite: both are a month ahead, for a day less than it takes."""
    for at in (NOON + MONTH, NOON + MONTH + timedelta(hours=23), NOON):
        pulse.chores(now=at, there=at)
    assert Study.objects.filter(pk=deleted.pk).exists()
    assert Worker.objects.get().external_id == "w1"


def test_clocks_that_are_right_remove_it(deleted, closed):
    for at in (NOON + MONTH, NOON + MONTH + deferred_deletion.PAUSE):
        pulse.chores(now=at, there=at + timedelta(minutes=2))
    assert not Study.objects.filter(pk=deleted.pk).exists()
    assert Worker.objects.get().external_id != "w1"


def test_what_a_clock_behind_has_stamped_waits_for_a_day(make_study):
    study = make_study(name="deleted")
    studies.delete(study=study, typed="deleted", user=None, now=NOON - MONTH)
    pulse.chores(now=NOON)
    assert Study.objects.exists()


def test_an_upload_that_waits_outlives_one_wrong_look(alice, tmp_path, settings):
    settings.DATA_DIR = tmp_path
    file = io.BytesIO(b"id,output\n1,The sea.\n")
    upload = assistant.keep(user=alice, file=file, file_name="texts.csv")
    now = upload.created_at
    for at in (now + MONTH, now, now + timedelta(hours=25)):
        assistant.tidy(now=at)
        assert Upload.objects.exists()
    assistant.tidy(now=now + timedelta(hours=25) + deferred_deletion.PAUSE)
    assert not Upload.objects.exists()


def test_a_round_with_a_wrong_clock_is_not_noted_as_done():
    pulse.chores(now=NOON + MONTH, there=NOON)
    assert heartbeats.chores_done_at() is None
    pulse.chores(now=NOON, there=NOON)
    assert heartbeats.chores_done_at() == NOON


class TestWhatStaffRead:
    def note(self, here, there):
        clocks.note(owner="lab/7/abc", here=here, there=there)

    def test_whose_clock_is_wrong_and_by_how_much(self):
        now = timezone.now()
        assert problem() == ""
        self.note(now + MONTH, now)
        assert "worker lab/7 is 31 days, 0:00:00 ahead of the database’s" in problem()
        assert "delete nothing for good" in problem()
        self.note(now - timedelta(hours=2), now)
        assert "is 2:00:00 behind the database’s" in problem()
        self.note(now, now)
        assert problem() == ""

    def test_a_worker_that_is_gone_is_not_blamed_for_long(self):
        now = timezone.now()
        self.note(now + MONTH - timedelta(minutes=11), now - timedelta(minutes=11))
        assert problem() == ""

    def test_the_site_compares_its_own_clock_too(self, monkeypatch):
        monkeypatch.setattr(clocks, "of_database", lambda: timezone.now() - MONTH)
        assert "The clock of the machine that serves this page is 31 days" in problem()

    def test_a_round_says_it(self):
        now = timezone.now()
        pulse.chores(now=now + MONTH, there=now)
        assert "31 days, 0:00:00 ahead" in problem()

    def test_the_page_says_it(self, client, staff):
        now = timezone.now()
        self.note(now + MONTH, now)
        health._looked.cache_clear()
        client.force_login(staff)
        assert "31 days, 0:00:00 ahead" in client.get("/system/").content.decode()


class TestByHand:
    """A person who asks waits for no second look, but clocks must agree."""

    def test_it_refuses_a_wrong_clock(self, closed, monkeypatch):
        monkeypatch.setattr(clocks, "of_database", lambda: timezone.now() - MONTH)
        with pytest.raises(CommandError, match="Nothing is deleted"):
            call_command("apply_retention")
        assert Worker.objects.get().external_id == "w1"

    def test_it_deletes_at_once(self, closed):
        past = timezone.now() - timedelta(days=40)
        Study.objects.filter(pk=closed.pk).update(closed_at=past)
        out = io.StringIO()
        call_command("apply_retention", stdout=out)
        assert out.getvalue() == "closed: 1 platform id deleted\n"
        assert Worker.objects.get().external_id != "w1"


def test_a_person_and_a_worker_forget_the_same(closed):
    late = NOON + MONTH
    assert workers.apply_retention(now=late) == {}
    assert workers.apply_retention(now=late, at_once=True) == {"closed": 1}
