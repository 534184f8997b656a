"""A site whose people log in at a provider of the test's own, both on this machine."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from django.db import connection
from playwright.sync_api import Page

from tests.scoring.processes import PATIENCE, ROOT, free_port, manage, wait_for

SEED = """
from django.contrib.auth.models import User
from annotation.models import Aspect, Member, Policy, Study
alice = User.objects.create_superuser("alice", "alice@example.org", "alice-password")
for name in ("ferry", "harbour"):
    study = Study.objects.create(name=name, seed=7)
    Member.objects.create(study=study, user=alice, role="owner")
    Policy.objects.create(study=study, version=1)
    Aspect.objects.create(study=study, key="coherence", title="Coherence", position=0)
"""


class Provider:
    """One that can go away and come back, at one address."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"

    def __enter__(self) -> Provider:
        import oidc_provider_mock  # it warns of its own library

        self.running = oidc_provider_mock.run_server_in_thread(self.port)
        self.running.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.running.__exit__(None, None, None)


class Site(NamedTuple):
    url: str
    provider: Provider
    env: dict[str, str]

    def command(self, *words: str) -> str:
        """What a command of the operator prints."""
        asked = [sys.executable, "manage.py", *words]
        run = subprocess.run(
            asked, cwd=ROOT, env=self.env, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout

    def someone(self, subject: str, **claims: object) -> None:
        """A person whom the provider knows, and what it says of them."""
        request = urllib.request.Request(
            f"{self.provider.url}/users/{subject}",
            data=json.dumps(claims).encode(),
            headers={"Content-Type": "application/json"},
            method="PUT",
        )
        urllib.request.urlopen(request).close()

    def log_in(self, page: Page, subject: str, path: str = "/") -> Page:
        page.goto(self.url + path)
        page.get_by_role("button", name="Log in with the Example University").click()
        page.get_by_placeholder("sub").fill(subject)
        page.get_by_role("button", name="Authorize", exact=True).click()
        page.wait_for_url(f"{self.url}/**")
        return page

    def log_out(self, page: Page) -> None:
        page.goto(self.url)
        page.locator(".me > summary").click()
        page.get_by_role("button", name="Log out").click()

    def answer(self, path: str, token: str) -> int:
        """The status that a program gets."""
        headers = {"Authorization": f"Token {token}"}
        request = urllib.request.Request(self.url + path, headers=headers)
        try:
            return urllib.request.urlopen(request).status
        except urllib.error.HTTPError as error:
            return error.code


def environment(folder: Path, issuer: str, port: int) -> dict[str, str]:
    variables = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.child_settings",
        "DATA_DIR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "PYTHONPATH": str(ROOT),
        "OIDC_URL": issuer,
        "OIDC_CLIENT_ID": "evalapp",
        "OIDC_CLIENT_SECRET": "a secret",
        "OIDC_NAME": "the Example University",
        "OIDC_ALLOWED_GROUPS": "people",
        "OIDC_STAFF_GROUP": "admins",
        "OIDC_STUDY_GROUPS": "lab=ferry:editor, readers=ferry:viewer",
    }
    variables.pop("CELERY_BROKER_URL", None)
    return variables


@contextmanager
def site(folder: Path, provider: Provider) -> Iterator[Site]:
    """Served as operators serve it, on a copy of the tests' empty database."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    found = Site(url, provider, environment(folder, provider.url, port))
    with manage(found.env, "up", "--no-worker", "--bind", url[7:]) as running:
        try:
            wait_for(lambda: _answers(url, running))
            found.command("shell", "-v", "0", "-c", SEED)
            yield found
        finally:
            running.terminate()  # it ends its own children
            running.wait(PATIENCE)


def copy_database(path: Path) -> None:
    """Its tables are there already, which spares most of the migrations."""
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(path)) as copy:
            connection.ensure_connection()
            connection.connection.backup(copy)


def _answers(url: str, running: subprocess.Popen[str]) -> bool:
    assert running.poll() is None, running.stdout.read()
    try:
        urllib.request.urlopen(f"{url}/health/").close()
    except OSError:
        return False
    return True
