"""What Prometheus is told, and who may ask."""

import pytest
from django.utils import timezone

from evalapp.contrib.prometheus import figures
from evalapp.system import health
from evalapp.work import heartbeats
from scoring.models import Chunk, MetricRun

pytestmark = [pytest.mark.django_db, pytest.mark.server]


@pytest.fixture(autouse=True)
def looked_afresh():
    health._looked.cache_clear()
    yield
    health._looked.cache_clear()


class TestFigures:
    @pytest.fixture(autouse=True)
    def counted(self, settings):
        settings.METRICS_TOKEN = "open-sesame"

    def ask(self, client, token):
        return client.get("/metrics", headers={"Authorization": f"Bearer {token}"})

    def test_only_the_token_opens_them(self, client, settings):
        assert self.ask(client, "wrong").status_code == 401
        assert client.get("/metrics").status_code == 301  # the page of almost that name
        settings.METRICS_TOKEN = ""
        assert self.ask(client, "").status_code == 301

    def test_a_new_start_forgets_them_and_nothing_else(self, tmp_path, monkeypatch):
        monkeypatch.setenv(figures.FOLDER, str(tmp_path))
        for name in ("counter_7.db", "letter.txt"):
            (tmp_path / name).touch()
        figures.forget()
        assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]

    def test_they_tell_of_queues_and_failures(self, client, make_study, settings):
        run = MetricRun.objects.create(study=make_study(), metric="bleu")
        Chunk.objects.create(run=run, index=7, state="queued", sent_at=timezone.now())
        Chunk.objects.create(run=run, index=8, state="failed")
        heartbeats.beat(owner="lab/7/x", now=timezone.now(), queues=["gpu"])
        said = self.ask(client, "open-sesame").content.decode().splitlines()
        assert 'evalapp_waiting{queue="gpu"} 1.0' in said
        assert 'evalapp_workers{queue="gpu"} 1.0' in said
        assert 'evalapp_workers{queue="judges"} 0.0' in said
        assert 'evalapp_failed{kind="chunk"} 1.0' in said
        assert 'evalapp_up{part="database"} 1.0' in said


def test_a_program_that_watches_is_told(client, settings):
    settings.METRICS_TOKEN = "open-sesame"
    token = {"Authorization": "Bearer open-sesame"}
    name = "evalapp_chores_done_timestamp_seconds"
    said = client.get("/metrics", headers=token).content.decode()
    assert f"{name} 0.0" in said.splitlines()
    assert 'evalapp_up{part="chores"} 0.0' in said.splitlines()
    now = timezone.now()
    heartbeats.note_chores(now=now)
    said = client.get("/metrics", headers=token).content.decode()
    (line,) = [one for one in said.splitlines() if one.startswith(f"{name} ")]
    assert float(line.split()[1]) == pytest.approx(now.timestamp(), abs=1e-3)
