"""The pages of probing."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from evalapp.work import heartbeats
from evalapp.work.kinds import Refused
from scoring.contrib.probing import protocols, worker
from scoring.contrib.probing.worker import PROBES
from scoring.models import Probe
from tests.scoring.probed import corpus_of, done, started
from tests.scoring.working import NOON
from tests.support.messages import catch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_alice")]
START = "/studies/ferry/probing/start/"
CHOSEN = {
    "corpus": "novels",
    "protocols": ["surface"],
    "models": "bundled:encoder-small",
    "pooling": "auto",
    "clusters": "2, 3",
    "seeds": "2",
    "texts": "100",
}


class Counting:
    """An encoder that counts letters, so that no test waits for a real one."""

    pooling, width, max_tokens = "mean", 26, 512

    def __call__(self, texts, progress=None):
        letters = "abcdefghijklmnopqrstuvwxyz"
        return np.array([[text.count(a) for a in letters] for text in texts], float)


@pytest.fixture(autouse=True)
def counting(monkeypatch):
    catch(monkeypatch, "probe", lambda pk: None)
    monkeypatch.setattr(worker.embeddings, "load", lambda name, **options: Counting())


@pytest.fixture
def study(make_study):
    study = make_study()
    corpus_of(study, topic=["sea", "land"], split=["train", "train", "test"])
    return study


def read(client, address) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


class TestList:
    def test_without_a_corpus_it_leads_to_uploading_one(self, client, make_study):
        page = read(client, reverse("probing", args=[make_study().name]))
        assert f'href="{reverse("corpora", args=["ferry"])}"' in page
        assert "Start probing" not in page

    def test_it_offers_what_the_study_has(self, client, study):
        page = read(client, reverse("probing", args=[study.name]))
        assert "novels (8 texts)" in page
        assert 'name="attributes" value="topic"' in page
        assert 'name="attributes" value="split"' not in page
        assert '<option value="b">b</option>' in page
        for name in protocols.NAMES:
            assert f'name="protocols" value="{name}"' in page

    def test_it_lists_probes_with_their_state(self, client, study):
        probe = done(study)
        page = read(client, reverse("probing", args=[study.name]))
        assert probe.get_absolute_url() in page
        assert "Done" in page


class TestStart:
    def test_one_probe_leads_to_its_page(self, client, study):
        answer = client.post(START, CHOSEN)
        probe = Probe.objects.get()
        assert answer["Location"] == probe.get_absolute_url()
        assert (probe.protocol, probe.options["clusters"]) == ("surface", [2, 3])
        assert probe.created_by.username == "alice"

    def test_several_lead_to_the_list(self, client, study):
        chosen = {**CHOSEN, "protocols": ["clusters", "attributes"], "generator": "b"}
        answer = client.post(START, chosen)
        assert answer["Location"] == reverse("probing", args=[study.name])
        found = {p.protocol: p.options for p in Probe.objects.all()}
        assert found["clusters"]["generator"] == "b"
        assert found["attributes"]["attributes"] == ["topic"]

    @pytest.mark.parametrize(
        ("field", "value", "said"),
        [
            ("clusters", "2, many", "clusters=many: expected a whole number"),
            ("models", "/etc", "Select a valid choice. /etc"),
            ("protocols", [], "Choose one or more."),
            ("seeds", "99", "less than or equal to 20"),
            ("corpus", "zines", "Select a valid choice"),
            ("learn_on", "novels", "learn_on=novels: expected one of"),
        ],
    )
    def test_an_error_stands_beside_its_field(self, client, study, field, value, said):
        answer = client.post(START, {**CHOSEN, field: value})
        assert answer.status_code == 400
        assert said in str(answer.context["form"].errors[field])
        assert not Probe.objects.exists()

    def test_where_one_cannot_start_none_does(self, client, make_study):
        corpus_of(make_study())
        chosen = {**CHOSEN, "protocols": ["surface", "attributes"]}
        answer = client.post(START, chosen)
        assert "has texts only" in answer.content.decode()
        assert not Probe.objects.exists()


class TestProbe:
    @pytest.mark.parametrize("protocol", protocols.NAMES)
    def test_its_numbers_stand_in_tables_that_can_be_saved(
        self, client, study, protocol
    ):
        probe = done(study, protocol, generator="b")
        answer = client.get(probe.get_absolute_url())
        sections = [one["section"] for one in answer.context["sections"]]
        tables = {k: t for section in sections for k, t in section.tables.items()}
        assert tables
        for slug, table in tables.items():
            address = reverse("probe_table", args=[study.name, probe.pk, slug, "csv"])
            assert f'href="{address}"' in answer.content.decode()
            rows = list(csv.reader(io.StringIO(client.get(address).content.decode())))
            assert len(rows) == len(table.rows) + 1

    def test_the_table_has_the_numbers_of_the_result(self, client, study):
        probe = done(study)
        [found] = probe.result["encoders"]
        address = reverse(
            "probe_table", args=[study.name, probe.pk, "divergences", "json"]
        )
        rows = json.loads(client.get(address).content)["rows"]
        assert [row[0] for row in rows] == [row["title"] for row in found["rows"]]
        last = found["rows"][-1]["cells"][0]["auc"]
        assert [cell["value"] for cell in rows[-1][-2:]] == [last["mean"], last["sd"]]

    def test_it_says_what_to_compare_each_row_with(self, client, study):
        page = read(client, done(study, clusters=[2]).get_absolute_url())
        assert "Read every row against Unmodified" in page
        assert "K was lowered" not in page

    def test_a_lowered_k_and_a_small_generator_are_remarked(self, client, study):
        study.generations.filter(system__name="b")[0].delete()
        page = read(
            client, done(study, clusters=[50], generator="b").get_absolute_url()
        )
        assert "K was lowered from 50 to 2" in page
        assert "b has 1 text, the reference 4" in page

    def test_an_attribute_without_numbers_has_its_reason(self, client, make_study):
        study = make_study()
        corpus_of(study, topic=["sea"])
        page = read(client, done(study, "attributes").get_absolute_url())
        assert "No numbers: all texts have the same value." in page

    def test_one_seed_has_no_spread(self, client, study):
        page = read(client, done(study, "surface", seeds=1).get_absolute_url())
        assert "only one seed" in page

    def test_it_shows_how_far_it_is_and_asks_again(self, client, study):
        probe = started(study)
        Probe.objects.update(
            state="running", stage="embedding", done_items=3, total_items=9
        )
        page = read(client, probe.get_absolute_url())
        assert "embedding, 3 of 9" in page
        assert 'hx-trigger="every 2s"' in page
        progress = read(client, f"{probe.get_absolute_url()}progress/")
        assert "embedding, 3 of 9" in progress

    def test_once_it_has_ended_the_page_is_loaded_anew(self, client, study):
        probe = done(study)
        answer = client.get(f"{probe.get_absolute_url()}progress/")
        assert answer["HX-Refresh"] == "true"

    def test_it_says_that_no_worker_is_there(self, client, study):
        probe = started(study)
        assert "No worker that can do this is running" in read(
            client, probe.get_absolute_url()
        )

    def test_it_waits_for_a_worker_that_is_there(self, client, study):
        heartbeats.beat(owner="here/1/x", now=timezone.now())
        page = read(client, started(study).get_absolute_url())
        assert "Waiting for a worker" in page

    def test_it_can_be_cancelled_and_tried_again(self, client, study):
        probe = started(study)
        client.post(f"{probe.get_absolute_url()}cancel/")
        probe.refresh_from_db()
        assert probe.state == "cancelled"
        client.post(f"{probe.get_absolute_url()}retry/")
        probe.refresh_from_db()
        assert probe.state == "queued"

    def test_one_that_is_done_is_not_tried_again(self, client, study):
        address = f"{done(study).get_absolute_url()}retry/"
        page = client.post(address, follow=True).content.decode()
        assert "Only a probe that failed or was cancelled can be retried." in page

    def test_the_reason_keeps_the_name_of_a_corpus(self, client, study, monkeypatch):
        def refuse(probe, user):
            raise Refused("the corpus NOVELS was deleted")

        monkeypatch.setattr(PROBES, "retry", refuse)
        address = f"{done(study).get_absolute_url()}retry/"
        page = client.post(address, follow=True).content.decode()
        assert "The corpus NOVELS was deleted." in page

    def test_an_error_is_shown(self, client, study):
        probe = started(study)
        Probe.objects.update(state="failed", error="there is no model x")
        page = read(client, probe.get_absolute_url())
        assert "there is no model x" in page
        assert "Try again" in page

    @pytest.mark.parametrize("path", ["depth.csv", "divergences.doc"])
    def test_other_tables_and_formats_do_not_exist(self, client, study, path):
        probe = done(study)
        assert client.get(f"{probe.get_absolute_url()}{path}").status_code == 404

    def test_one_without_a_result_has_no_table(self, client, study):
        address = f"{started(study).get_absolute_url()}divergences.csv"
        assert client.get(address).status_code == 404

    def test_another_study_s_probe_does_not_exist_here(self, client, study, make_study):
        probe = started(study)
        make_study(name="harbour")
        address = reverse("probe", args=["harbour", probe.pk])
        assert client.get(address).status_code == 404

    def test_a_path_of_the_server_is_shown_by_its_name(
        self, client, study, settings, tmp_path, monkeypatch
    ):
        settings.MODELS_DIR = tmp_path
        (tmp_path / "mine").mkdir()
        probe = started(study, models=["mine"])
        PROBES.cancel(probe)
        page = read(client, probe.get_absolute_url())
        assert "<dd>mine</dd>" in page
        assert str(tmp_path) not in page


def test_a_probe_takes_few_queries(client, study, django_assert_max_num_queries):
    probe = done(study)
    with django_assert_max_num_queries(9):
        client.get(probe.get_absolute_url())


def test_noon_is_when_it_ended(client, study):
    page = read(client, done(study).get_absolute_url())
    assert f"{NOON:%-d %b %Y, %H:%M} UTC" in page
