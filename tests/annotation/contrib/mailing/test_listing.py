from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import workers
from annotation.contrib.mailing import listing
from annotation.contrib.mailing.listing import ListError, Person
from annotation.crowd import invites
from annotation.models import Mail, Mailing, Recipient, Study, Worker
from annotation.recipients import retention
from evalapp.work import deferred_deletion
from tests.annotation.seating import NOON

pytestmark = pytest.mark.django_db
ANN, BEN = Person("Ann", "ann@example.org"), Person("", "ben@example.org")


@pytest.fixture
def study(make_study) -> Study:
    return make_study(state="open", contact="lab@example.org")


def add(study, *people) -> int:
    return listing.add(study=study, people=people or (ANN, BEN), now=NOON)


def test_a_list_has_addresses_with_or_without_names_in_either_order():
    text = "\ufeffname,email\nAnn,ann@example.org\nben@example.org\n\n"
    text += '"eve@x.org","Eve, E."'
    assert listing.read(text) == [ANN, BEN, Person("Eve, E.", "eve@x.org")]


def test_a_name_can_carry_no_line_break():
    (found,) = listing.read('"Ann\r\nBcc: all@x.org",ann@example.org')
    assert found.name == "Ann Bcc: all@x.org"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Enter 1 to 500 people; these are 0"),
        ("ann@example.org\nnobody", "line 2"),
        ("ann@example.org,ben@example.org", "line 1"),
        ("a,b,ann@example.org", "line 1"),
        ("a@b@c", "line 1"),
        ("\n".join(f"p{n}@example.org" for n in range(501)), "these are 501"),
    ],
)
def test_what_is_no_list_is_refused_with_its_lines(text, said):
    with pytest.raises(ListError, match=said):
        listing.read(text)


def test_who_is_listed_already_is_not_listed_twice(study):
    assert add(study) == 2
    assert add(study, Person("Anna", "ANN@example.org")) == 0
    assert study.recipients.count() == 2


def test_who_refused_is_never_listed_again_and_leaves_no_address(study):
    add(study)
    retention.refuse(recipient=study.recipients.get(name="Ann"), now=NOON)
    assert add(study, ANN) == 0
    assert not study.recipients.filter(address="ann@example.org").exists()
    assert not study.recipients.filter(name="Ann").exists()


def test_an_address_that_was_deleted_can_be_entered_again(study):
    add(study)
    assert retention.forget(study=study, now=NOON) == 2
    assert not study.recipients.exclude(address="").exists()
    add(study, ANN)
    assert study.recipients.get(name="Ann").address == "ann@example.org"


@pytest.mark.parametrize(("days", "kept"), [(29, 2), (30, 0)])
def test_addresses_go_thirty_days_after_the_study_was_closed(study, days, kept):
    add(study)
    Study.objects.update(state="closed", closed_at=NOON)
    retention.forget_old(now=NOON + timedelta(days=days), at_once=True)
    assert study.recipients.exclude(address="").count() == kept


def test_they_go_earlier_where_ids_of_workers_do(study):
    add(study)
    Study.objects.update(state="closed", closed_at=NOON, retention_days=7)
    assert retention.forget_old(now=NOON + timedelta(days=7)) == 0
    late = NOON + timedelta(days=7) + deferred_deletion.PAUSE
    assert retention.forget_old(now=late) == 2


def test_who_withdraws_takes_their_address_along(study):
    add(study)
    one = study.recipients.get(name="Ann")
    made = invites.make_again(recipient=one, study=study)
    worker = Worker.objects.create(
        study=study, platform="direct", external_id=f"invite-{made.invite.pk}"
    )
    invites.bind(worker=worker)
    workers.withdraw(worker=worker, now=NOON)
    assert Recipient.objects.filter(address="").count() == 1
    assert study.recipients.get(pk=one.pk).name == ""
    assert study.invites.get().name == ""
    assert add(study, ANN) == 0, "who has left is not written to again"
    assert not study.recipients.filter(address=ANN.address).exists()


def noted(study) -> Recipient:
    """One of whom a server has said something, as it was kept before."""
    add(study)
    one = study.recipients.get(name="Ann")
    row = Mailing.objects.create(study=study, subject="s", body="b", made_at=NOON)
    said = "5.1.1 <ann@example.org>: Recipient address rejected"
    Mail.objects.create(mailing=row, recipient=one, state="failed", error=said)
    return one


def withdraw(study, one: Recipient) -> None:
    made = invites.make_again(recipient=one, study=study)
    worker = Worker.objects.create(
        study=study, platform="direct", external_id=f"invite-{made.invite.pk}"
    )
    invites.bind(worker=worker)
    workers.withdraw(worker=worker, now=NOON)


@pytest.mark.parametrize(
    "gone",
    [
        lambda study, one: retention.forget(study=study, now=NOON),
        lambda study, one: retention.refuse(recipient=one, now=NOON),
        lambda study, one: workers.forget_ids(study=study, now=NOON),
        withdraw,
    ],
    ids=["forget", "refuse", "retention", "withdraw"],
)
def test_what_a_server_said_goes_with_the_address(study, gone):
    gone(study, noted(study))
    assert [one.error for one in Mail.objects.all()] == [""]


def test_the_retention_time_of_ids_ends_addresses_too(study):
    add(study)
    workers.forget_ids(study=study, now=NOON)
    assert not study.recipients.exclude(address="").exists()


def test_a_study_on_a_platform_has_no_list(study):
    study.platform = "prolific"
    with pytest.raises(ListError, match="Plain link"):
        add(study)


def test_the_same_address_has_another_hash_in_another_study(study, make_study):
    other = make_study(name="other")
    assert listing.digest(study, ANN.address) != listing.digest(other, ANN.address)
