from __future__ import annotations

import hashlib

import pytest

from annotation import workers
from annotation.crowd import invites
from annotation.crowd.invites import InviteError, Refused
from annotation.models import Event, Invite, Recipient, Study
from tests.annotation.seating import NOON, hire, in_threads

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    return make_study()


def invite(study: Study, *names: str) -> list[invites.Made]:
    return invites.create(study=study, names=names, now=NOON)


def comes(study: Study, token: str) -> str:
    return invites.external_id(study=study, token=token)


class TestCreate:
    def test_each_name_gets_a_token_of_which_only_the_hash_is_kept(self, study):
        one, other = invite(study, "Ada", " Grace ", "")
        assert one.token != other.token and len(one.token) >= 32
        kept = study.invites.get(name="Grace")
        assert kept.digest == hashlib.sha256(other.token.encode()).hexdigest()
        assert other.token not in str(Invite.objects.values())

    def test_it_is_logged_without_names(self, study):
        invite(study, "Ada")
        event = Event.objects.get()
        assert (event.verb, event.detail) == ("invited", "1 person")

    @pytest.mark.parametrize(
        "names, said",
        [
            ([], "1 to 500"),
            (["a"] * 501, "1 to 500"),
            (["Ada", "Ada"], "named twice: Ada"),
            (["x" * 201], "up to 200"),
        ],
    )
    def test_it_refuses_what_cannot_be_and_makes_none(self, study, names, said):
        with pytest.raises(InviteError, match=said):
            invite(study, *names)
        assert not Invite.objects.exists()

    def test_a_form_that_is_sent_twice_finds_the_names_taken(self, study):
        invite(study, "Ada")
        with pytest.raises(InviteError, match="Invited already"):
            invite(study, "Ada")
        assert study.invites.count() == 1

    @pytest.mark.parametrize(
        "fields, said",
        [({"platform": "prolific"}, "Plain link"), ({"state": "closed"}, "closed")],
    )
    def test_it_refuses_where_nobody_could_come(self, study, fields, said):
        Study.objects.update(**fields)
        with pytest.raises(InviteError, match=said):
            invite(study, "Ada")


@pytest.mark.django_db(transaction=True)
def test_of_forms_sent_at_once_one_makes_the_links(study):
    def make(_) -> int:
        try:
            return len(invite(study, "Ada"))
        except InviteError:
            return 0

    assert sum(in_threads(3, make)) == 1


def test_who_withdraws_takes_their_name_along(study):
    """Also from a link that a researcher made by hand. Others keep theirs."""
    mine, _ = invite(study, "Ada", "Grace")
    worker = hire(study, comes(study, mine.token))
    invites.bind(worker=worker)
    workers.withdraw(worker=worker, now=NOON)
    assert list(study.invites.values_list("name", "worker")) == [
        ("", None),
        ("Grace", None),
    ]


class TestWhoComes:
    def test_a_token_always_stands_for_the_same_worker_and_writes_nothing(self, study):
        (made,) = invite(study, "Ada")
        assert comes(study, made.token) == comes(study, made.token)
        assert not study.workers.exists()

    def test_unknown_foreign_and_revoked_tokens_are_refused(
        self, study, make_study, alice
    ):
        (made,) = invite(study, "Ada")
        for where, token in ((study, "?"), (make_study(name="other"), made.token)):
            with pytest.raises(Refused):
                comes(where, token)
        invites.revoke(invite=made.invite, now=NOON, user=alice)
        with pytest.raises(Refused):
            comes(study, made.token)

    def test_a_revoked_name_can_be_invited_anew(self, study, alice):
        (made,) = invite(study, "Ada")
        for _ in range(2):  # the second changes nothing
            invites.revoke(invite=made.invite, now=NOON, user=alice)
        assert Event.objects.filter(verb="revoked-invite").count() == 1
        (again,) = invite(study, "Ada")
        assert comes(study, again.token) != f"invite-{made.invite.pk}"

    def test_the_worker_is_bound_to_the_invite_once(self, study):
        (made,) = invite(study, "Ada")
        worker = hire(study, comes(study, made.token))
        invites.bind(worker=worker)
        invites.bind(worker=hire(study, "w2"))
        made.invite.refresh_from_db()
        assert made.invite.worker == worker

    def test_only_the_invited_are_admitted_where_the_study_says_so(self, study, alice):
        (made,) = invite(study, "Ada")
        ada = comes(study, made.token)
        assert invites.admits(study=study, external_id="w1")
        study.invited_only = True
        for stranger in (None, "w1", "invite-99", "invite-x"):
            assert not invites.admits(study=study, external_id=stranger)
        assert invites.admits(study=study, external_id=ada)
        invites.revoke(invite=made.invite, now=NOON, user=alice)
        assert not invites.admits(study=study, external_id=ada)


class TestNewerLinks:
    """Made for an email, or by a researcher: one more browser is let in."""

    def used(self, study):
        (made,) = invite(study, "Ada")
        worker = hire(study, comes(study, made.token))
        invites.bind(worker=worker)
        invites.take(worker=worker, mark=invites.mark_of(made.token))
        return made, worker

    def recipient(self, study, made) -> Recipient:
        return Recipient.objects.create(
            study=study, name="Ada", address="ada@example.org", invite=made.invite
        )

    def lets_in(self, worker, token) -> bool:
        return invites.lets_in(worker=worker, mark=invites.mark_of(token))

    def test_a_reminder_lets_in_anew(self, study):
        made, worker = self.used(study)
        assert not self.lets_in(worker, made.token)
        made.invite.refresh_from_db()
        newer = invites.make_again(recipient=self.recipient(study, made), study=study)
        assert self.lets_in(worker, newer.token)
        assert not self.lets_in(worker, made.token)

    def test_one_that_went_nowhere_changes_nothing(self, study):
        made, worker = self.used(study)
        made.invite.refresh_from_db()
        recipient = self.recipient(study, made)
        invites.undo(invites.make_again(recipient=recipient, study=study))
        assert comes(study, made.token) == worker.external_id
        assert not self.lets_in(worker, made.token)

    @pytest.mark.parametrize("mark", ["", "%", "0" * 16, "0" * 64])
    def test_no_other_mark_lets_in(self, study, mark):
        _, worker = self.used(study)
        study.invites.update(taken=False)
        assert not invites.lets_in(worker=worker, mark=mark)
