"""The doors of a site through which something of a person comes in."""

from __future__ import annotations

import csv
import io
import json
import re
import smtplib
from collections.abc import Sequence

from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client

from annotation.contrib.mailing import sending
from annotation.crowd.forms import pages
from annotation.kinds.edits.content import field_name, originals
from annotation.models import Item, Mailing, Recruitment, Seat, Study
from annotation.models.surveys import pseudonym
from annotation.page_kinds import questions
from scoring.archive import permission
from tests.annotation.forgetting.people import Person
from tests.annotation.seating import page

TEXT = {"whom": "new", "subject": "Rate: {study}", "body": "Hi {name}, {link}"}


class Refusing(EmailBackend):
    """Takes mails, but names whom it does not know, as mail servers do."""

    refusals: dict[str, str] = {}  # by address

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        for message in messages:
            (to,) = message.to
            if words := self.refusals.get(to):
                answer = f"5.1.1 <{to}>: {to.partition('@')[0]} unknown. {words}"
                raise smtplib.SMTPRecipientsRefused({to: (550, answer.encode())})
        return int(super().send_messages(messages))


class Browser(Client):
    """That a person sits at."""

    def __init__(self, person: Person) -> None:
        super().__init__(
            REMOTE_ADDR=person.network,
            HTTP_USER_AGENT=person.agent,
            HTTP_X_FORWARDED_FOR=person.network,
        )
        self.person = person


# Who comes ----------------------------------------------------------------------------


def by_platform(study: Study, person: Person) -> Browser:
    browser = Browser(person)
    carried = {"PROLIFIC_PID": person.platform_id, "SESSION_ID": person.session}
    browser.get(study.get_worker_url(), {**carried, "STUDY_ID": "a" * 24})
    return begun(study, browser)


def by_plain_link(study: Study, person: Person) -> Browser:
    browser = Browser(person)
    browser.get(study.get_worker_url(), {"worker": person.platform_id})
    return begun(study, browser)


def as_newcomer(study: Study, person: Person) -> Browser:
    browser = Browser(person)
    browser.get(study.get_worker_url())
    return begun(study, browser)


def by_invite(study: Study, person: Person, link: str) -> Browser:
    browser = Browser(person)
    browser.get(link.partition("8000")[2] or link)
    return begun(study, browser)


def begun(study: Study, browser: Browser) -> Browser:
    """Agree, and be at the first page."""
    agreed = {"agree": "on", "version": pages.ConsentForm(study).digest}
    answer = browser.post(f"{study.get_worker_url()}start/", agreed)
    assert "/seat/" in answer["Location"], answer["Location"]
    browser.seat = answer["Location"]  # type: ignore[attr-defined]
    return browser


def invited_by_name(client: Client, study: Study, person: Person) -> str:
    """The link, as the page shows it once."""
    url = f"/studies/{study.name}/invites/make/"
    html = client.post(url, {"names": person.name}).content.decode()
    link = re.search(rf"{study.get_worker_url()}\?invite=[\w-]+", html)
    assert link, html
    return link[0]


def invited_by_mail(client: Client, study: Study, people: Sequence[Person]) -> None:
    """List them, write to them, and let a worker send it."""
    url = f"/studies/{study.name}/mailing/"
    lines = "\n".join(f"{person.name},{person.address}" for person in people)
    client.post(f"{url}list/", {"lines": lines})
    client.post(f"{url}write/", {"send": "1", **TEXT})
    sending.MAILINGS.perform(pk=Mailing.objects.latest("pk").pk, owner="w")


def link_for(person: Person, pattern: str = r"http\S+invite=\S+") -> str:
    (sent,) = [letter for letter in mail.outbox if letter.to == [person.address]]
    link = re.search(pattern, str(sent.body))
    assert link
    return link[0]


# What they leave ----------------------------------------------------------------------


def hand_in(browser: Browser) -> None:
    """A page with a comment and a report, and corrections where it takes them."""
    person, seat = browser.person, seat_of(browser)
    form = {"comment": person.comment, "report-1": person.report, "then": "stop"}
    browser.post(f"{seat.get_absolute_url()}submit/", {**answers(seat, person), **form})
    seat.refresh_from_db()
    assert seat.state in Seat.FINISHED, seat.state


def write_and_leave(browser: Browser) -> None:
    """Half a page: what was saved as they went, and a report."""
    person, seat = browser.person, seat_of(browser)
    first = dict(list(answers(seat, person).items())[:2])
    form = {**first, "comment": person.comment, "report-1": person.report}
    browser.post(f"{seat.get_absolute_url()}report/", {**form, "about": "1"})


def seat_of(browser: Browser) -> Seat:
    number = browser.seat.strip("/").rpartition("/")[2]  # type: ignore[attr-defined]
    return Seat.objects.select_related("survey__study", "worker").get(public_id=number)


def answers(seat: Seat, person: Person) -> dict[str, object]:
    if seat.survey.kind == "edit":
        return {
            field_name(position): f"{original.rest} {person.correction}"
            for position, original in originals(seat).items()
        }
    assert Item.objects.filter(survey=seat.survey, negative__isnull=False).exists()
    return {
        questions.field_name(at, key): value for (at, key), value in page(seat).items()
    }


def excluded(client: Client, browser: Browser) -> None:
    """By a researcher, who writes why."""
    worker = seat_of(browser).worker
    name = pseudonym(worker.study, worker.pk)
    url = f"/studies/{worker.study.name}/workers/{name}/exclude/"
    client.post(url, {"reason": browser.person.verdict})
    worker.refresh_from_db()
    assert worker.state == "excluded"


def submitted(browser: Browser) -> None:
    """At Prolific too, as `recruiting` keeps it of who has come here."""
    worker = seat_of(browser).worker
    row, _ = Recruitment.objects.get_or_create(study=worker.study)
    row.submissions.create(
        worker=worker, prolific_id=browser.person.submission, status="APPROVED"
    )


# What researchers bring ---------------------------------------------------------------


def upload(client: Client, content: bytes, file_name: str, at: str) -> str:
    """Where the file waits."""
    answer = client.post(at, {"file": SimpleUploadedFile(file_name, content)})
    assert answer.status_code == 302, answer.content.decode()[:2000]
    return str(answer["Location"])


def imported(client: Client, waits_at: str) -> Study | None:
    page = client.get(waits_at)
    sent = {"do": "import"}
    for form in (page.context["columns"], page.context.get("made")):
        for bound in form or ():
            value = bound.value()
            sent[bound.html_name] = "" if value is None else value
    answer = client.post(waits_at, sent)
    assert answer.status_code == 302, answer.content.decode()[:3000]
    return Study.objects.order_by("pk").last()


def ratings_of(people: Sequence[Person]) -> bytes:
    """A table of ratings, each with the name of its rater."""
    file = io.StringIO()
    table = csv.writer(file)
    table.writerow(["prompt", "system", "text", "coherence", "rater"])
    for number in range(4):
        for person in people:
            value = 1 + (person.number + number) % 5
            text = f"The sea was calm that day, day number {number}."
            table.writerow(
                [
                    f"Tell me of day {number}.",
                    "ab"[number % 2],
                    text,
                    value,
                    person.rater,
                ]
            )
    return file.getvalue().encode()


def talks_of(people: Sequence[Person]) -> bytes:
    """Dialogues in which people say something about themselves."""
    lines = []
    for person in people:
        messages = [
            {"role": "user", "content": f"Hi, I am {person.message}."},
            {"role": "assistant", "content": f"Hello number {person.number}!"},
        ]
        record = {"key": f"d{person.number}", "system": "a", "messages": messages}
        lines.append(json.dumps(record))
    return "\n".join(lines).encode()


def may_be_published(client: Client, study: Study) -> None:
    """Every single rating, whatever their raters agreed to."""
    url = f"/studies/{study.name}/export/dataset/settings/"
    consents = permission.consents(study=study)
    digests = [consent.digest for consent in consents if consent.digest]
    client.post(url, {"licence": "cc-by-4.0", "consents": digests, "authors": "Ada"})
    now = permission.consents(study=study)
    assert all(consent.allowed for consent in now if consent.digest)


def copied(client: Client, study: Study) -> Study:
    name = f"copy-of-{study.name}"
    client.post(f"/studies/{study.name}/manage/copy/", {"name": name, "title": name})
    return Study.objects.get(name=name)


def noted(client: Client, study: Study) -> None:
    """A researcher looks at all there is to see, so that all caches are filled."""
    for part in LOOKED_AT:
        answer = client.get(f"/studies/{study.name}/{part}", follow=True)
        assert answer.status_code == 200, (part, answer.status_code)
    for seat in Seat.objects.filter(survey__study=study, submitted_at__isnull=False):
        client.get(f"/studies/{study.name}/ratings/{seat.public_id}/")


LOOKED_AT = (
    *("", "progress/", "monitor/", "monitor/now/", "workers/", "reports/", "log/"),
    *("payments/", "invites/", "mailing/", "texts/", "review/", "surveys/", "export/"),
    *("quality/", "results/", "results/agreement/", "results/correlations/"),
)
