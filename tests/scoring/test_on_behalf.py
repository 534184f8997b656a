"""Work that waits is done for whoever began it, if they may still want it then."""

from __future__ import annotations

import pytest
from django.core import mail
from django.utils import timezone

from annotation.contrib.mailing import listing, sending
from annotation.contrib.mailing.listing import Person
from annotation.models import (
    Importing,
    Mailing,
    Opening,
    Rejudging,
    Study,
    Summary,
    Upload,
)
from evalapp.work import leases, retries
from evalapp.work.models import Leased
from scoring.models import (
    Analysis,
    Chunk,
    DataSet,
    JudgeTrial,
    MetricRun,
    Probe,
)
from tests.annotation.seating import NOON

pytestmark = pytest.mark.django_db

ASKED = {Mailing, Importing, Chunk, JudgeTrial}
# Why nobody has to be asked again.
HARMLESS = {
    Opening: "the study is what its members made it; the draft is gone by then",
    Rejudging: "half a policy is worse than one that somebody who left has chosen",
    Summary: "figures for whoever may look",
    Analysis: "figures for whoever may look",
    DataSet: "a file for whoever may look",
    Probe: "computes on the site's own machines",
}
LOST = {
    "removed": lambda study, user: study.members.filter(user=user).delete(),
    "a viewer": lambda study, user: study.members.update(role="viewer"),
    "archived": lambda study, user: Study.objects.update(archived_at=NOON),
    "deleted": lambda study, user: Study.objects.update(deleted_at=NOON),
    "closed": lambda study, user: type(user).objects.update(is_active=False),
}


@pytest.fixture
def study(make_study, settings) -> Study:
    settings.EMAIL_READY = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    return make_study(state="open", contact="lab@example.org")


def mailing(study: Study, user) -> Mailing:
    listing.add(study=study, people=[Person("", "ann@example.org")], now=NOON)
    words = {"subject": "Rate", "body": "{link}", "user": user}
    return sending.start(study=study, whom=sending.NEW, now=NOON, **words)


def importing(study: Study, user) -> Importing:
    upload = Upload.objects.create(user=user, study=study, file_name="x", size=1)
    return Importing.objects.create(upload=upload, writes=True)


def chunk(study: Study, user) -> Chunk:
    agreed = {"agreed_at": NOON, "agreed_by": user, "most_calls": 9}
    run = MetricRun.objects.create(study=study, metric="llm_judge", **agreed)
    return Chunk.objects.create(run=run, index=0)


def trial(study: Study, user) -> JudgeTrial:
    agreed = {"agreed_at": NOON, "agreed_by": user, "most_calls": 9}
    return JudgeTrial.objects.create(study=study, kind="pairs", **agreed)


ROWS = (mailing, importing, chunk, trial)


def done(row: Leased) -> list[Leased]:
    """The row, if a worker got as far as to begin with it."""
    begun: list[Leased] = []
    kind = type(row)
    taken = leases.take(kind.objects.all(), pk=row.pk, owner="w", now=timezone.now())
    assert taken is not None
    retries.attempt(taken, begun.append, clock=timezone.now)
    row.refresh_from_db()
    return begun


def test_each_kind_of_work_says_whether_somebody_is_asked_again():
    """A new kind has to be decided on, here."""
    kinds = set(leases.kinds())
    asking = {kind for kind in kinds if kind.on_behalf is not Leased.on_behalf}
    assert asking == ASKED
    assert kinds - asking == set(HARMLESS)


@pytest.mark.parametrize("make", ROWS)
def test_it_is_done_for_who_may_still_want_it(study, alice, make):
    assert done(make(study, alice))


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("make", ROWS)
def test_it_is_not_begun_for_who_may_not_want_it_any_more(study, alice, make, lost):
    row = make(study, alice)
    LOST[lost](study, alice)
    assert not done(row)
    assert row.state == "failed" and "may not change ferry any more" in row.error


def test_a_run_that_asks_no_judge_outlives_a_colleague(study, alice):
    run = MetricRun.objects.create(study=study, metric="length", created_by=alice)
    row = Chunk.objects.create(run=run, index=0)
    study.members.all().delete()
    assert done(row)


def test_no_mail_goes_out_once_its_sender_is_removed(study, alice, bob):
    row = mailing(study, alice)
    study.members.create(user=bob, role="owner")
    study.members.filter(user=alice).delete()
    sending.MAILINGS.perform(pk=row.pk, owner="w")
    assert mail.outbox == []
    row.refresh_from_db()
    assert row.state == "failed"


def test_who_sends_the_rest_is_its_sender_from_then_on(study, alice, staff):
    row = mailing(study, alice)
    study.members.filter(user=alice).delete()
    sending.MAILINGS.perform(pk=row.pk, owner="w")
    sending.MAILINGS.retry(row, user=staff)
    sending.MAILINGS.perform(pk=row.pk, owner="w")
    assert len(mail.outbox) == 1
