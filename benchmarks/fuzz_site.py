"""A site to attack: a folder that is deleted, studies, roles, no throttle."""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from typing import NamedTuple
from wsgiref.simple_server import WSGIRequestHandler, make_server

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "static" / "samples"


class Roles(NamedTuple):
    """Keys of the API."""

    researcher: str
    staff: str


def set_up(folder: str) -> None:
    """Django on an empty database. Nobody is asked to wait: tested elsewhere."""
    os.environ.update(
        DATA_DIR=folder,
        DJANGO_SETTINGS_MODULE="evalapp.settings",
        HF_HUB_OFFLINE="1",
        LOG_LEVEL="ERROR",
        STARTS_PER_MINUTE="100000",
    )
    for name in ("DATABASE_URL", "CELERY_BROKER_URL", "PUBLIC_URL", "MODELS_DIR"):
        os.environ.pop(name, None)
    import django
    from django.conf import settings

    settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]["user"] = "1000000/min"
    settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]["token"] = "1000000/min"
    settings.ALLOWED_HOSTS.append("testserver")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def fill(name: str, *, is_open: bool, kind: str = "ratings") -> None:
    """A study of alice's with texts, a corpus, votes, a run and an invite.

    Its pages are of one kind.
    """
    from django.contrib.auth.models import User
    from django.utils import timezone

    from annotation import imports, surveys
    from annotation.crowd import invites
    from annotation.votes import adding
    from scoring import corpora, runs

    alice, _ = User.objects.get_or_create(username="alice")
    with (SAMPLES / "sample.csv").open("rb") as file:
        made = imports.run(
            format="csv", file=file, file_name="s.csv", study_name=name, owner=alice
        )
    study = made.study
    study.page_kinds = [kind]
    study.save()
    with (SAMPLES / "corpus.jsonl").open("rb") as file:
        corpora.add(study=study, name="human", file=file, file_name="corpus.jsonl")
    with (SAMPLES / "votes.csv").open("rb") as file:
        adding.add(
            study=study,
            format="votes",
            file=file,
            file_name="v.csv",
            create_systems=True,
        )
    runs.start(study=study, metric="length", options={}, user=alice)
    if is_open:
        surveys.open_study(study=study, user=alice)
        invites.create(
            study=study, names=["one", "two"], now=timezone.now(), user=alice
        )


def roles() -> Roles:
    from django.contrib.auth.models import User
    from django.utils import timezone

    from evalapp.accounts import tokens

    staff = User.objects.create(username="staff", is_staff=True, is_superuser=True)
    alice = User.objects.get(username="alice")
    made = [
        tokens.make(user=user, name="fuzz", now=timezone.now())
        for user in (alice, staff)
    ]
    return Roles(*(key for _, key in made))


class _Quiet(WSGIRequestHandler):
    def log_message(self, *args: object) -> None:
        """Thousands of lines would hide what matters."""


def serve(port: int) -> None:
    from django.core.wsgi import get_wsgi_application

    make_server(
        "127.0.0.1", port, get_wsgi_application(), handler_class=_Quiet
    ).serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8123)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evalapp-fuzz-") as folder:
        set_up(folder)
        fill("ferry", is_open=True)
        fill("draft", is_open=False)
        found = roles()
        print(f"RESEARCHER={found.researcher} STAFF={found.staff}", flush=True)
        serve(options.port)


if __name__ == "__main__":
    main()
