"""Each email goes out at most once, whatever the mail server does."""

from __future__ import annotations

import re
import smtplib
from base64 import b64encode
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone

from annotation.contrib.mailing import listing, sending
from annotation.contrib.mailing.listing import Person
from annotation.contrib.mailing.sending import NEW, NOT_FINISHED, NOT_STARTED, MailError
from annotation.crowd import invites
from annotation.models import Mail, Mailing, Study, Worker
from annotation.recipients import retention
from evalapp.system import health
from evalapp.work import heartbeats, queues
from tests.annotation.seating import NOON, in_threads

pytestmark = pytest.mark.django_db

BODY = "Dear {name}, rate for {study}: {link}"
PEOPLE = [Person("Ann", "ann@example.org"), Person("{link}", "ben@example.org")]


class Server(EmailBackend):
    """Takes emails, but does what a test says for an address."""

    does: dict[str, Exception] = {}
    is_away = False

    def open(self) -> bool:
        if self.is_away:
            raise ConnectionRefusedError("nobody listens")
        return True

    def send_messages(self, messages):
        for one in messages:
            if error := self.does.get(one.to[0]):
                raise error
        return super().send_messages(messages)


@pytest.fixture(autouse=True)
def server(settings, monkeypatch):
    settings.EMAIL_READY = True
    settings.EMAIL_BACKEND = f"{__name__}.Server"
    monkeypatch.setattr(Server, "does", {})
    monkeypatch.setattr(Server, "is_away", False)
    return Server


class TestRoles:
    """Only a worker that knows the mail server takes mailings."""

    def start(self, study):
        text = {"whom": sending.NEW, "subject": "Rate", "body": "{link}"}
        return sending.start(study=study, now=NOON, **text)

    def work(self, row):
        sending.MAILINGS.perform(pk=row.pk, owner="w", clock=lambda: NOON)
        row.refresh_from_db()
        return row

    def test_a_worker_without_the_secret_leaves_them_to_others(self, study, settings):
        row = self.start(study)
        able, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, sending.NO_MAIL
        for _ in range(5):  # more often than a row may fail
            self.work(row)
        assert (row.state, row.attempt, row.error) == ("queued", 0, sending.ELSEWHERE)
        assert not row.mails.exclude(state="waiting").exists()
        settings.EMAIL_BACKEND = able
        assert (self.work(row).state, row.error) == ("done", "")
        assert len(mail.outbox) == len(PEOPLE)

    def test_they_wait_on_a_queue_of_their_own(self, study):
        assert self.start(study).queue == queues.MAIL
        assert queues.MAIL not in queues.of_process(sends_mail=False)
        assert set(queues.of_process(sends_mail=True)) == set(queues.ALL)

    def test_workers_from_before_that_queue_get_them_too(self):
        older = [["gpu", "cpu", "default"], ["judges"]]
        assert queues.place(queues.MAIL, older) == queues.DEFAULT
        assert queues.place(queues.MAIL, [*older, ["mail"]]) == queues.MAIL

    def test_a_site_whose_worker_has_the_secret_may_start_one(self, study, settings):
        """EMAIL_BY_WORKER: pages come from a process without the password."""
        settings.EMAIL_BACKEND = sending.NO_MAIL
        assert self.start(study).state == "queued"

    def test_staff_read_that_no_worker_takes_them(self, db):
        heartbeats.beat(owner="lab/7/x", now=timezone.now(), queues=["gpu", "cpu"])
        heartbeats.beat(owner="lab/8/x", now=timezone.now(), queues=["judges"])
        health._looked.cache_clear()
        assert "mail" in health.problems()["worker"]


@pytest.fixture
def study(make_study) -> Study:
    study = make_study(state="open", contact="lab@example.org", title="Ferries")
    listing.add(study=study, people=PEOPLE, now=NOON)
    return study


def start(study, whom=NEW, subject="About {study}", body=BODY) -> Mailing:
    return sending.start(study=study, whom=whom, subject=subject, body=body, now=NOON)


def send(study, whom=NEW, **given) -> Mailing:
    row = start(study, whom, **given)
    sending.MAILINGS.perform(pk=row.pk, owner="w", clock=lambda: NOON)
    row.refresh_from_db()
    return row


def states(row) -> list[str]:
    return list(row.mails.values_list("state", flat=True))


def token(text: str) -> str:
    return re.search(r"invite=(\S+)", text)[1]


def test_each_person_gets_a_link_of_their_own(study):
    row = send(study)
    assert (row.state, states(row)) == ("done", ["sent", "sent"])
    ann, ben = mail.outbox
    assert (ann.to, ann.reply_to) == (["ann@example.org"], ["lab@example.org"])
    assert ann.subject == "About Ferries"
    assert ann.body.startswith("Dear Ann, rate for Ferries: http")
    known = [
        invites.external_id(study=study, token=token(one.body)) for one in (ann, ben)
    ]
    assert len(set(known)) == 2
    assert ben.body.startswith("Dear {link}, "), "a name stays a name"


def test_the_way_out_stands_in_the_text_and_in_the_headers(study):
    send(study)
    headers = mail.outbox[0].extra_headers
    link = headers["List-Unsubscribe"].strip("<>")
    assert link in mail.outbox[0].body
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_who_has_no_name_is_greeted_without_one(study):
    listing.add(study=study, people=[Person("", "eve@example.org")], now=NOON)
    send(study, body="Hello {name}, {link}")
    assert mail.outbox[2].body.startswith("Hello, http")


def test_no_header_can_be_smuggled_in(study):
    send(study, subject="Hi {name}\r\nBcc: all@example.org")
    assert "\n" not in mail.outbox[0].subject
    message = mail.outbox[0].message()
    assert message["Bcc"] is None


def test_nobody_gets_a_second_first_email(study):
    send(study)
    with pytest.raises(MailError, match="nobody to write to"):
        start(study)
    listing.add(study=study, people=[Person("", "new@example.org")], now=NOON)
    send(study)
    assert [one.to[0] for one in mail.outbox].count("ann@example.org") == 1
    assert len(mail.outbox) == 3


def test_who_was_refused_by_the_server_is_shown_and_can_be_written_to_again(
    study, server
):
    refused = {"ann@example.org": (550, b"No such\nuser")}
    server.does["ann@example.org"] = smtplib.SMTPRecipientsRefused(refused)
    row = send(study)
    assert states(row) == ["failed", "sent"]
    assert row.mails.first().error == "No such user"
    assert study.invites.count() == 1, "a link that nobody got is none"
    server.does.clear()
    assert states(send(study)) == ["sent"]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "5.1.1 <ann@example.org>: Recipient address rejected",
            "5.1.1 <[address]>: Recipient address rejected",
        ),
        ("<x+ann=example.org@mail.example> refused", "<[address]> refused"),
        (
            "Ann: no such user, Annabel neither",
            "[address]: no such user, Annabel neither",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["refused", "broken"])
def test_what_a_server_says_is_kept_without_addresses(study, server, said, kept, kind):
    error = smtplib.SMTPRecipientsRefused({"ann@example.org": (550, said.encode())})
    if kind == "broken":
        error = smtplib.SMTPResponseException(451, said.encode())
    server.does["ann@example.org"] = error
    assert send(study).mails.first().error == kept


@pytest.mark.parametrize(
    "error", [smtplib.SMTPServerDisconnected("gone"), TimeoutError("slow")]
)
def test_what_may_have_gone_out_is_shown_as_that_and_not_sent_again(
    study, server, error
):
    server.does["ann@example.org"] = error
    row = send(study)
    assert (row.state, states(row)) == ("done", ["sending", "sent"])
    with pytest.raises(MailError, match="nobody"):
        start(study)


def test_after_a_crash_only_what_was_not_tried_is_sent(study):
    row = start(study)
    Mail.objects.filter(recipient__name="Ann").update(state="sending")
    sending.MAILINGS.perform(pk=row.pk, owner="w", clock=lambda: NOON)
    assert [one.to for one in mail.outbox] == [["ben@example.org"]]


def test_a_server_that_repeats_the_password_is_quoted_without_it(
    study, server, settings
):
    settings.EMAIL_HOST_PASSWORD = "of the lab"
    said = b64encode(b"\0lab\0of the lab")
    server.does["ann@example.org"] = smtplib.SMTPResponseException(535, said)
    kept = send(study).mails.first().error
    assert "[password]" in kept and said.decode()[8:16] not in kept


def test_a_server_that_is_away_sends_nothing_and_the_rest_can_be_sent_later(
    study, server
):
    server.is_away = True
    row = send(study)
    assert row.state == "failed" and "check EMAIL_URL" in row.error
    assert states(row) == ["waiting", "waiting"]
    server.is_away = False
    sending.MAILINGS.retry(row)
    sending.MAILINGS.perform(pk=row.pk, owner="w", clock=lambda: NOON)
    assert states(row) == ["sent", "sent"]


def test_what_an_older_mailing_left_is_sent_by_the_newer_one_alone(study, server):
    server.is_away = True
    old = send(study)
    server.is_away = False
    send(study)
    sending.MAILINGS.retry(old)
    sending.MAILINGS.perform(pk=old.pk, owner="w", clock=lambda: NOON)
    assert len(mail.outbox) == 2


def test_who_refuses_while_emails_wait_gets_none(study):
    row = start(study)
    retention.refuse(recipient=study.recipients.get(name="Ann"), now=NOON)
    sending.MAILINGS.perform(pk=row.pk, owner="w", clock=lambda: NOON)
    assert [one.to for one in mail.outbox] == [["ben@example.org"]]


def test_addresses_that_are_deleted_while_emails_wait_are_not_written_to(study):
    row = start(study)
    retention.forget(study=study, now=NOON)
    sending.MAILINGS.perform(pk=row.pk, owner="w", clock=lambda: NOON)
    assert mail.outbox == [] and states(row) == ["failed", "failed"]


class TestReminder:
    def enter(self, study, text, **fields) -> Worker:
        known = invites.external_id(study=study, token=token(text))
        worker = Worker.objects.create(
            study=study, platform="direct", external_id=known, **fields
        )
        invites.bind(worker=worker)
        return worker

    def test_it_goes_to_those_who_have_not_started(self, study):
        send(study)
        self.enter(study, mail.outbox[0].body)
        send(study, NOT_STARTED)
        assert [one.to[0] for one in mail.outbox[2:]] == ["ben@example.org"]

    def test_or_to_those_who_have_not_finished(self, study):
        send(study)
        self.enter(study, mail.outbox[0].body)
        self.enter(study, mail.outbox[1].body, debriefed_at=NOON)
        send(study, NOT_FINISHED)
        assert [one.to[0] for one in mail.outbox[2:]] == ["ann@example.org"]

    def test_its_link_replaces_the_older_one_and_leads_to_the_same_worker(self, study):
        send(study)
        first = mail.outbox[0].body
        worker = self.enter(study, first)
        send(study, NOT_FINISHED)
        with pytest.raises(invites.Refused):
            invites.external_id(study=study, token=token(first))
        again = token(mail.outbox[2].body)
        known = invites.external_id(study=study, token=again)
        assert known == worker.external_id

    def test_where_it_is_not_taken_the_older_link_stays_good(self, study, server):
        send(study)
        first = token(mail.outbox[0].body)
        refused = {"ann@example.org": (550, b"Full")}
        server.does["ann@example.org"] = smtplib.SMTPRecipientsRefused(refused)
        send(study, NOT_STARTED)
        assert invites.external_id(study=study, token=first)

    def test_who_was_never_written_to_gets_none(self, study):
        with pytest.raises(MailError, match="nobody"):
            start(study, NOT_STARTED)


class TestRefused:
    def test_two_mailings_at_once(self, study):
        start(study)
        with pytest.raises(MailError, match="are being sent"):
            start(study)

    def test_without_a_server(self, study, settings):
        settings.EMAIL_READY = False
        with pytest.raises(MailError, match="set EMAIL_URL"):
            start(study)

    def test_without_somebody_to_answer_to(self, study):
        study.contact = ""
        with pytest.raises(MailError, match="no contact"):
            start(study)

    def test_of_a_closed_study(self, study):
        study.state = "closed"
        with pytest.raises(MailError, match="closed"):
            start(study)


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_the_same_mailing_send_each_email_once(study):
    row = start(study)
    later = NOON + timedelta(hours=1)
    in_threads(
        3,
        lambda n: sending.MAILINGS.perform(
            pk=row.pk, owner=f"w{n}", clock=lambda: later
        ),
    )
    assert sorted(one.to[0] for one in mail.outbox) == [
        "ann@example.org",
        "ben@example.org",
    ]
