"""Send a mailing, each mail at most once."""

from __future__ import annotations

import re
import smtplib
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Count, Q, QuerySet

from annotation import events
from annotation.contrib.mailing import writing
from annotation.crowd import invites
from annotation.models import Mail, Mailing, Recipient, Study
from annotation.storable import secrets
from evalapp.spending import budgets, permission
from evalapp.work import leases
from evalapp.work.dispatch import wake_on_commit
from evalapp.work.kinds import Work
from evalapp.work.retries import Clock, Report

State = Mail.State

# To whom, by the name that the form sends.
NEW, NOT_STARTED, NOT_FINISHED = "new", "not-started", "not-finished"
# Only from the start of a word on: else a long word without "@" takes minutes.
BETWEEN = r"\s<>()\[\]\"',;:"
ADDRESS = re.compile(rf"(?<![^{BETWEEN}@])[^{BETWEEN}@]+@[^{BETWEEN}]+")
HIDDEN = "[address]"
PURPOSE = "mail"  # of the budgets
NO_MAIL = "django.core.mail.backends.dummy.EmailBackend"  # of a process without server
ELSEWHERE = (
    "No running worker knows the mail server. The emails wait for one with EMAIL_URL."
)
# The server said no: the mail went nowhere. Anything else may have gone out.
REFUSED = (
    *(smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError),
    *(smtplib.SMTPNotSupportedError, ValueError, UnicodeError),
)


class MailError(Exception):
    """Nothing can be sent now. The message says why."""


def chosen(*, study: Study, whom: str) -> QuerySet[Recipient]:
    """Who would be written to."""
    rows = study.recipients.exclude(address="").filter(refused_at=None)
    tried = Mail.objects.exclude(state=State.FAILED).filter(mailing__study=study)
    # People with an invite that is waiting, or that may have been sent, get no other.
    written = Q(pk__in=tried.values("recipient"))
    good = Q(invite__isnull=False, invite__revoked_at=None)
    if whom == NOT_STARTED:
        return rows.filter(written, good, invite__worker=None)
    if whom == NOT_FINISHED:
        begun = Q(invite__worker__isnull=False, invite__worker__debriefed_at=None)
        active = Q(invite__worker__state="active")
        return rows.filter(written, good, begun, active)
    return rows.exclude(written)


def start(
    *,
    study: Study,
    whom: str,
    subject: str,
    body: str,
    now: datetime,
    user: User | None = None,
) -> Mailing:
    """Write down all mails, and ask a worker to send them.

    Raises:
        MailError: Nobody is left, another mailing is not finished, they may not send,
            or it would pass a ceiling.
    """
    _check_sender(user)
    if not settings.EMAIL_READY:
        raise MailError("This site cannot send email yet: set EMAIL_URL.")
    if study.state == Study.State.CLOSED:
        raise MailError("The study is closed: nobody can start any more.")
    if not study.contact:
        raise MailError("The study has no contact, and people must be able to answer.")
    with transaction.atomic():
        # Of two at once, the second finds the mailing of the first.
        Study.objects.select_for_update().get(pk=study.pk)
        if study.mailings.filter(state__in=Mailing.UNFINISHED).exists():
            raise MailError("Emails are being sent. Wait until they are.")
        _give_up(study)
        people = list(chosen(study=study, whom=whom))
        if not people:
            raise MailError("There is nobody to write to.")
        _hold(study, len(people), now)
        row = Mailing.objects.create(
            study=study, subject=subject, body=body, user=user, made_at=now
        )
        Mail.objects.bulk_create(Mail(mailing=row, recipient=one) for one in people)
        detail = f"{len(people)} {'person' if len(people) == 1 else 'people'}"
        events.log(study=study, verb="wrote-emails", now=now, user=user, detail=detail)
        wake_on_commit(Mailing, [row.pk])
    return row


def _check_sender(user: User | None) -> None:
    try:
        permission.check(user)
    except permission.MayNotSpend as error:
        raise MailError(str(error)) from error


def _hold(study: Study, n: int, now: datetime) -> None:
    """Whatever becomes of them: a server may count each try."""
    ceilings = budgets.ceilings(
        study=study.pk,
        now=now,
        per_study=settings.MAIL_STUDY_MAX,
        per_month=settings.MAIL_MONTH_MAX,
    )
    try:
        budgets.take(purpose=PURPOSE, ceilings=ceilings, amount=n)
    except budgets.OverBudget as error:
        setting = "STUDY" if error.scope_name == "a study" else "MONTH"
        raise MailError(
            f"These are {n:,} emails. This site allows {error.ceiling.most:,} for"
            f" {error.scope_name}, of which {error.left:,} are left. Ask your"
            f" administrator to raise MAIL_{setting}_MAX."
        ) from error


def _give_up(study: Study) -> None:
    """What an older mailing left waiting is sent by nobody, and was not spent."""
    for mailing in study.mailings.all():
        n = _waiting(mailing).update(state=State.FAILED, error="not sent")
        scopes = [budgets.of_study(study.pk), budgets.of_month(mailing.made_at)]
        budgets.correct(purpose=PURPOSE, scopes=scopes, by=-n)


class MailingWork(Work[Mailing, Mailing]):
    """Send what waits of a mailing."""

    name = "mailings"
    model = Mailing
    related = ("study",)
    final = (MailError,)
    counted = ("n_processed", "n_mails")
    refusals = (MailError,)

    def can_do(self, pk: int) -> bool:
        if settings.EMAIL_BACKEND != NO_MAIL:
            return True
        # Left as it is: a message is sent again until a worker gets it that can.
        rows = Mailing.objects.filter(pk=pk, state=Mailing.State.QUEUED)
        rows.update(error=ELSEWHERE)
        return False

    def columns(self, now: datetime) -> dict[str, Any]:
        return {"error": ""}

    def run(self, row: Mailing, report: Report) -> None:
        _check_sender(row.user)
        line = get_connection()
        try:
            _open(line)
            for pk in list(_waiting(row).values_list("pk", flat=True)):
                report.renew(at_once=True)  # so that nobody else sends the rest, too
                _send_one(row, pk, line, report.clock)
        finally:
            line.close()
        leases.finish(row, now=report.clock())

    def words(self, job: Any) -> str:
        return f"Sending “{job.subject}” to {job.n_mails:,} people"

    def jobs(self, *, study: Any, user: Any) -> QuerySet[Mailing]:
        """What leads to a worker is not for viewers."""
        if not study.sees_people:
            return Mailing.objects.none()
        processed = Count("mails", filter=~Q(mails__state=State.WAITING))
        rows = Mailing.objects.filter(study=study).select_related("study")
        return rows.annotate(n_mails=Count("mails"), n_processed=processed)

    def retry(self, job: Mailing, *, user: Any = None) -> None:
        """Send the rest of one that stopped. What was tried is not tried again.

        From now on `user` sends it: whoever began it may have left.
        """
        with transaction.atomic():
            study = Study.objects.select_for_update().get(pk=job.study_id)
            if study.mailings.filter(state__in=Mailing.UNFINISHED).exists():
                raise MailError("Emails are being sent. Wait until they are.")
            sender = {"user": user} if user else {}
            if leases.retry(Mailing.objects.filter(pk=job.pk), **sender):
                wake_on_commit(Mailing, [job.pk])

    def why_no_retry(self, job: Mailing) -> str:
        return (
            "Programs send no emails: somebody has to send the rest, on the page"
            f" Emails of {job.study}."
        )


MAILINGS = MailingWork()


def _send_one(row: Mailing, pk: int, line: BaseEmailBackend, clock: Clock) -> None:
    """Written down before and after. Left SENDING, its outcome is not known."""
    if not _waiting(row).filter(pk=pk).update(state=State.SENDING, at=clock()):
        return
    mail = Mail.objects.select_related("recipient__invite").get(pk=pk)
    recipient = mail.recipient
    if not recipient.address or recipient.refused_at:
        return _end(mail, State.FAILED, "the address was deleted")
    made = invites.make_again(recipient=recipient, study=row.study)
    try:
        line.send_messages([writing.message(row, recipient, made.token)])
    except REFUSED as error:
        invites.undo(made)
        return _end(mail, State.FAILED, _said(error, recipient.address))
    except OSError as error:  # of which all other errors of smtplib are, too
        _end(mail, State.SENDING, _said(error, recipient.address))
        line.close()
        return _open(line)
    _end(mail, State.SENT, "")


def _end(mail: Mail, state: str, error: str) -> None:
    rows = Mail.objects.filter(pk=mail.pk, state=State.SENDING)
    rows.update(state=state, error=error)


def _open(line: BaseEmailBackend) -> None:
    try:
        line.open()
    except OSError as error:
        raise MailError(
            "The mail server of this site does not let EvalApp in, so the rest was not"
            f" sent: {_said(error)}. Ask your administrator to check EMAIL_URL."
        ) from error


def _waiting(row: Mailing) -> QuerySet[Mail]:
    return row.mails.filter(state=State.WAITING)


def _said(error: Exception, address: str = "") -> str:
    """In the server's words, without what was sent to it, and without addresses.

    Servers name whom they refuse. These words would outlive the address.
    """
    found = getattr(error, "smtp_error", None)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        found = next((said for _, said in error.recipients.values()), b"")
    if isinstance(found, bytes):
        found = found.decode(errors="replace")
    words = " ".join(str(found or type(error).__name__).split())
    words = secrets.hidden(words, settings.EMAIL_HOST_PASSWORD, "[password]")
    words = ADDRESS.sub(HIDDEN, words)
    if name := address.partition("@")[0]:  # "ann: no such user"
        words = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", HIDDEN, words, flags=re.I)
    return words[:200]
