"""Every address, in every role that is or was one, by every method.

Nothing breaks, nothing of a study is told to who is no member of it, and nobody who
may not change a study changes a row of it. Slow: some 9,000 requests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone
from rest_framework.throttling import SimpleRateThrottle

from annotation.models import CopyCheck, Study, Summary
from annotation.studies import deleting
from scoring.models import Analysis, ComparedOutput, DataSet
from tests.annotation.seating import lay_out, sit
from tests.pages import test_access
from tests.pages.test_access import PUBLIC, ROUTES, address, study

__all__ = ["study"]  # the fixture

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

METHODS = ("get", "head", "options", "post", "put", "patch", "delete")
WRITING = METHODS[3:]
# Gets furthest of all who may change nothing: asks by every method, whatever an address
# says it takes.
THOROUGH = "viewer"
TITLE, TEXT, WORKER, OTHER = "Zqtitle", "Zqtext", "zqworker", "Zqother"
# Made when somebody looks, and gone by themselves: see SECURITY.md.
CACHES = {Analysis, ComparedOutput, CopyCheck, DataSet, Summary}
INSIDE = {"owner", "editor", "viewer", "demoted", "shut out"}
MAY_CHANGE = {"owner", "editor"}
Change = Callable[[Study, User], object]
BECOMES: dict[str, Change] = {
    "removed": lambda study, user: study.members.filter(user=user).delete(),
    "demoted": lambda study, user: study.members.filter(user=user).update(
        role="viewer"
    ),
    "shut out": lambda study, user: Study.objects.filter(pk=study.pk).update(
        archived_at=timezone.now()
    ),
    "closed": lambda study, user: User.objects.filter(pk=user.pk).update(
        is_active=False
    ),
}
FOR_VIEWERS = test_access.TestRoles.FOR_VIEWERS
ROLES = ("owner", "editor", "viewer", "stranger", "anonymous", *BECOMES)


@pytest.fixture(autouse=True)
def nobody_is_throttled(settings, monkeypatch) -> None:
    settings.STARTS_PER_MINUTE = 1_000_000
    for name in SimpleRateThrottle.THROTTLE_RATES:
        monkeypatch.setitem(SimpleRateThrottle.THROTTLE_RATES, name, "1000000/min")


@pytest.fixture
def marked(study, make_study, staff) -> Study:
    """Words that occur in no other study, here and in one of somebody else."""
    study.prompts.update(prefix=f"{TEXT} once")
    study.workers.update(external_id=WORKER)
    Study.objects.filter(pk=study.pk).update(title=TITLE)
    other = make_study(name="zqother-study", title=f"{OTHER}-title")
    other.prompts.update(prefix=f"{OTHER}-text")
    lay_out(other)
    sit(other, f"{OTHER}-worker")
    other.members.update(user=staff)
    return Study.objects.get(pk=study.pk)


def client_of(role: str, study: Study, alice: User, bob: User) -> Client:
    client = Client(raise_request_exception=False)
    if role == "anonymous":
        return client
    if role in ("editor", "viewer"):
        study.members.create(user=bob, role=role)
    elif role in BECOMES:
        study.members.create(user=bob, role="editor")
    client.force_login(alice if role == "owner" else bob)
    if change := BECOMES.get(role):
        # Pages are open already when it happens.
        assert client.get(study.get_absolute_url()).status_code == 200
        change(study, bob)
    return client


def answers(client: Client, study: Study, role: str) -> Iterator[tuple[str, int, str]]:
    """Each request with its status, and all that was answered."""
    for route in sorted(ROUTES, key=lambda route: "logout" in route):
        url = address(route, study)
        for method in METHODS if role == THOROUGH else methods(client, url):
            if method in WRITING and role in INSIDE and route in FOR_VIEWERS:
                continue  # leaving, copying: what viewers may do
            undo = role in MAY_CHANGE and method in WRITING
            status, words = asked(client, method, url, undo=undo)
            yield f"{method} {route}", status, words


def methods(client: Client, url: str) -> list[str]:
    """Those that the address says it takes, or all where it does not say.

    But not HEAD, which is GET without what is in it.
    """
    with transaction.atomic():
        takes = client.options(url).headers.get("Allow", ", ".join(METHODS)).lower()
        transaction.set_rollback(True)
    return [method for method in METHODS if method in takes and method != "head"]


def asked(client: Client, method: str, url: str, *, undo: bool) -> tuple[int, str]:
    """The status and all that was answered. Undone, or a DELETE would end the walk."""
    with transaction.atomic():
        answer = getattr(client, method)(url)
        content = b"".join(answer) if answer.streaming else answer.content
        transaction.set_rollback(undo)
    return answer.status_code, f"{answer.headers} {content.decode(errors='replace')}"


def hidden(role: str, request: str) -> tuple[str, ...]:
    """What must not be in the answer."""
    if role in MAY_CHANGE:
        return (OTHER,)
    if role in INSIDE:
        return (OTHER, WORKER)
    # A worker may read a title; and who asks for a study named so knows its name.
    public = request.partition(" ")[2] in PUBLIC
    return (OTHER, WORKER) if public else (OTHER, WORKER, TITLE, TEXT)


def checksum(study: Study, *, without: set[type]) -> dict[str, str]:
    """Of all rows that belong to the study, by table."""
    sums = {"study": repr(Study.objects.filter(pk=study.pk).values_list().get())}
    for kind in deleting.kinds():
        if kind not in without:
            rows = deleting.rows_of(kind, study).order_by("pk").values_list()
            sums[kind.__name__] = hashlib.sha256(repr(list(rows)).encode()).hexdigest()
    return sums


@pytest.mark.parametrize("role", ROLES)
def test_nothing_breaks_leaks_or_changes(marked, alice, bob, role):
    client = client_of(role, marked, alice, bob)
    without = CACHES if role in INSIDE else set()
    before = checksum(marked, without=without)
    broken, leaks, n = [], [], 0
    for request, status, words in answers(client, marked, role):
        n += 1
        if status >= 500 or status == 429:
            broken.append((request, status))
        leaks += [(request, mark) for mark in hidden(role, request) if mark in words]
    print(
        f"{role}: {len(ROUTES)} routes, {n} requests, {len(broken)} broken,"
        f" {len(leaks)} leaks"
    )
    assert (broken, leaks) == ([], [])
    if role not in MAY_CHANGE:
        after = checksum(marked, without=without)
        changed = [name for name in before if before[name] != after[name]]
        assert changed == []
