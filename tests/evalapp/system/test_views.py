"""Doors for machines, and the page System."""

from datetime import timedelta

import pytest
from django.core import signing
from django.utils import timezone

from evalapp.system import checking, health
from evalapp.work import heartbeats, leases
from scoring.models import Chunk, DataSet, MetricRun

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def looked_afresh():
    health._looked.cache_clear()
    yield
    health._looked.cache_clear()


@pytest.fixture
def broken(monkeypatch):
    def fails():
        raise RuntimeError("It does not answer.")

    monkeypatch.setitem(health.PARTS, "database", fails)


class TestDoors:
    def test_a_living_process_says_so_whatever_else_is_away(self, client, broken):
        assert client.get("/healthz").content == b"ok\n"

    def test_it_is_ready_only_with_its_database(self, client, broken):
        answer = client.get("/readyz")
        assert (answer.status_code, answer.content) == (503, b"away: database\n")

    def test_it_is_ready_if_nothing_is_away(self, client):
        assert (
            client.get("/readyz").content == client.get("/health/").content == b"ok\n"
        )

    def test_machines_ask_by_any_name_and_by_plain_http(self, client, settings):
        settings.SECURE_SSL_REDIRECT = True
        for door in ("/healthz", "/readyz"):
            assert (
                client.get(door, headers={"Host": "10.0.0.7:8000"}).status_code == 200
            )


class TestChores:
    """Only workers delete what is promised to be deleted."""

    def said(self) -> str:
        health._looked.cache_clear()
        return health.problems().get("chores", "")

    def test_it_is_told_if_they_never_did_or_long_ago(self):
        assert "No worker has done all chores yet" in self.said()
        heartbeats.note_chores(now=timezone.now() - timedelta(hours=4))
        assert "No worker has done all chores since" in self.said()
        heartbeats.note_chores(now=timezone.now() - timedelta(hours=2))
        assert self.said() == ""

    def test_people_can_rate_meanwhile(self, client):
        assert self.said()
        assert client.get("/readyz").status_code == 200

    def test_the_page_says_when_it_was(self, client, staff):
        client.force_login(staff)
        assert "Last done: never" in client.get("/system/").content.decode()
        heartbeats.note_chores(now=timezone.now() - timedelta(minutes=7))
        assert "7\xa0minutes ago" in client.get("/system/").content.decode()


class TestSeen:
    def ask(self, client, token, **headers):
        return client.get("/system/seen/", {"token": token}, headers=headers)

    def test_it_needs_a_fresh_signature(self, client):
        made = signing.dumps("seen", salt="another")
        for token in ("", "x", made):
            assert self.ask(client, token).status_code == 403

    def test_it_counts_what_is_sent(self, client):
        token = signing.dumps("seen", salt=checking.SALT)
        sent = {"data": b"x" * 3_000_000, "content_type": "application/octet-stream"}
        answer = client.post(f"/system/seen/?token={token}", **sent)
        assert answer.json()["bytes"] == 3_000_000

    def test_it_tells_what_the_proxy_says(self, client, settings):
        settings.BEHIND_PROXY = True
        token = signing.dumps("seen", salt=checking.SALT)
        forwarded = {"X-Forwarded-For": f"{checking.CLAIMED}, 10.1.2.3"}
        found = self.ask(client, token, **forwarded).json()
        assert (found["address"], found["secure"]) == ("10.1.2.3", False)


class TestPage:
    @pytest.fixture
    def page(self, client, staff):
        client.force_login(staff)
        return lambda: client.get("/system/").content.decode()

    def test_only_staff_sees_it(self, client, alice):
        client.force_login(alice)
        for address in ("/system/", "/system/line/"):
            assert client.get(address).status_code == 404

    def test_it_says_that_no_worker_runs(self, page):
        assert "No worker is running." in page()

    def test_it_shows_what_a_worker_has_at_hand(self, page, make_study):
        now = timezone.now()
        heartbeats.beat(owner="lab/7/x", now=now, queues=["default"])
        data_set = DataSet.objects.create(study=make_study())
        leases.take(DataSet.objects.all(), pk=data_set.pk, owner="lab/7/x", now=now)
        said = page()
        assert '<th scope="row">lab<br>' in said and "process 7<" in said
        assert '<a href="/studies/ferry/export/dataset/">data set of ferry</a>' in said

    def test_it_shows_the_memory_of_gpus_or_why_there_is_none(self, page):
        gpus = heartbeats.Gpus((heartbeats.Gpu("cuda:1", 30 * 2**30, 80 * 2**30),))
        heartbeats.beat(owner="lab/7/x", now=timezone.now(), gpus=gpus)
        none = heartbeats.Gpus(why_none="DEVICE is cpu")
        heartbeats.beat(owner="lab/8/x", now=timezone.now(), gpus=none)
        said = page().replace("\xa0", " ")
        assert "cuda:1: 30.0 GB of 80.0 GB" in said
        assert "DEVICE is cpu" in said

    def test_what_failed_can_be_tried_again(self, page, make_study):
        DataSet.objects.create(
            **{"study": make_study(), "state": "failed"},
            **{"finished_at": timezone.now(), "error": "<disk> is full"},
        )
        said = page()
        assert "&lt;disk&gt; is full" in said
        assert 'action="/studies/ferry/export/dataset/make/"' in said

    def test_old_failures_are_left_out(self, page, make_study):
        long_ago = timezone.now() - timedelta(days=8)
        DataSet.objects.create(study=make_study(), state="failed", finished_at=long_ago)
        assert "Nothing has failed." in page()

    def test_the_failed_chunks_of_one_run_are_one_row(self, page, make_study):
        run = MetricRun.objects.create(study=make_study(), metric="bleu")
        for index in (7, 8):
            Chunk.objects.create(
                run=run, index=index, state="failed", finished_at=timezone.now()
            )
        said = page()
        assert said.count(f'action="{run.get_absolute_url()}retry/"') == 1
        assert f'<a href="{run.get_absolute_url()}">bleu of ferry</a>' in said

    def test_a_queue_where_work_waits_for_nobody_stands_out(self, page, make_study):
        assert '<span class="badge bad">none</span>' not in page()
        DataSet.objects.create(study=make_study())
        assert page().count('<span class="badge bad">none</span>') == 1
