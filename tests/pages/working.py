"""What the tests of a worker's pages share: to arrive, to begin, to fill a form."""

from __future__ import annotations

from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.test import Client
from django.urls import reverse

from annotation import platforms
from annotation.crowd import visitors
from annotation.crowd.forms import pages
from annotation.models import Annotation, Place, Seat, Study, Worker
from annotation.models.surveys import pseudonym
from annotation.page_kinds import questions


def url(name: str, of: Study | Seat) -> str:
    return reverse(f"worker:{name}", args=[of.public_id])


def agreement(study: Study) -> dict[str, str]:
    return {"agree": "on", "version": pages.ConsentForm(study).digest}


def begin(study: Study, worker: str = "w1", client: Client | None = None):
    """A client whose worker has agreed and sits at a page, and the seat."""
    client = client or Client()
    client.get(study.get_worker_url(), {study_parameter(study): worker})
    client.post(url("start", study), agreement(study))
    seats = Seat.objects.filter(worker__study=study, worker__external_id=worker)
    return client, seats.filter(state=Seat.State.CLAIMED).get()


def remembered(client: Client) -> SessionStore:
    """What the cookie of a worker's browser holds."""
    return SessionStore(client.cookies[visitors.COOKIE].value)


def study_parameter(study: Study) -> str:
    return platforms.PLATFORMS[study.platform].parameter


def full_form(seat: Seat, **more: str) -> dict[str, str]:
    """Sensible answers: the damaged text gets the lowest."""
    negative = seat.survey.items.get(generation=None).pk
    names = {
        questions.field_name(position, aspect.key): "1" if item == negative else "4"
        for position, item in enumerate(seat.order, start=1)
        for aspect in seat.survey.study.aspects.all()
    }
    return {**names, **more}


def finish(client: Client, study: Study) -> str:
    """Finish for good, and read the last page."""
    answer = client.post(url("finish", study), follow=True)
    return answer.content.decode()


def rows_in_tables() -> list[int]:
    tables = (Worker, Seat, Annotation)
    free = Place.objects.filter(free=True).count()
    return [table.objects.count() for table in tables] + [free]


def leads_up(answer) -> bool:
    """To the page above: so an address that only takes forms answers who opens it."""
    asked = answer.request["PATH_INFO"]
    where = answer.headers.get("Location", asked)
    return answer.status_code == 302 and where != asked and asked.startswith(where)


def worker_page(worker: Worker) -> str:
    """What the address of a worker's page ends with, below that of the study."""
    return f"workers/{pseudonym(worker.study, worker.pk)}/"
