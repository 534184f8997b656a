"""Corpora come in, are looked at and go on pages; a run takes one of them."""

from __future__ import annotations

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from scoring import corpora, metrics
from scoring.metrics import Output, SystemMetric
from scoring.models import MetricRun, Probe, Signature
from scoring.runs.forms import OptionsForm
from tests.pages.browsing import log_in, overflow, violations
from tests.support.messages import catch

pytestmark = pytest.mark.django_db

CORPORA = "/studies/ferry/corpora/"
RUNS = "/studies/ferry/metrics/"
GOOD = '{"text": "One <b>text</b>.", "topic": "<i>sea</i>"}\n{"text": "Two."}\n'


class Near(SystemMetric):
    title, source = "Nearness", "Doe (2020), eq. 2"
    needs = frozenset({"corpus"})
    outputs = (Output("near", "Nearness", "nats, [0, inf)", False),)

    @classmethod
    def name(cls):
        return "near"


class Hinted(Near):
    title = "Hinted"
    needs, uses = frozenset(), frozenset({"corpus"})

    @classmethod
    def name(cls):
        return "hinted"


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def offered(monkeypatch):
    found = {"near": Near, "hinted": Hinted, "length": metrics.get("length")}
    monkeypatch.setattr(metrics, "names", lambda: sorted(found))
    monkeypatch.setattr(metrics, "get", found.__getitem__)
    catch(monkeypatch, "score_chunk", lambda pk: None)


def make(study, name="human", content=GOOD):
    file = io.BytesIO(content.encode())
    return corpora.add(study=study, name=name, file=file, file_name="human.jsonl")


def upload(client, content=GOOD, name="human", file_name="human.jsonl"):
    file = SimpleUploadedFile(file_name, content.encode())
    return client.post(CORPORA, {"name": name, "file": file}, follow=True)


def text_of(client, address) -> str:
    return client.get(address).content.decode()


@pytest.mark.usefixtures("as_alice")
class TestList:
    def test_an_empty_one_says_what_corpora_are_for(self, client, study):
        page = text_of(client, CORPORA)
        assert "No corpora yet" in page
        assert 'href="/static/samples/corpus.jsonl"' in page

    def test_a_good_file_is_in_and_leads_to_its_page(self, client, study, alice):
        answer = upload(client)
        made = study.corpora.get()
        assert answer.redirect_chain == [(f"{CORPORA}human/", 302)]
        assert "Corpus human created: 2 texts." in answer.content.decode()
        assert (made.created_by, made.file_name) == (alice, "human.jsonl")
        assert "human.jsonl" in text_of(client, CORPORA)

    def test_a_bad_file_is_refused_with_all_that_is_wrong(self, client, study):
        answer = upload(client, '{"text": ""}\n{"<x>": "a"}\n')
        page = answer.content.decode()
        assert answer.status_code == 400 and "The file has 2 problems" in page
        assert "line 2: field &quot;text&quot; is missing" in page
        assert not study.corpora.exists()

    def test_a_wrong_name_is_said_beside_its_field(self, client, study):
        answer = upload(client, name="two words")
        assert answer.status_code == 400
        assert "Use letters, digits, hyphens and" in answer.content.decode()

    def test_a_file_that_is_too_large_is_refused(self, client, study, settings):
        settings.UPLOAD_MAX_BYTES = 10
        answer = upload(client)
        assert answer.status_code == 400 and "is larger than" in answer.content.decode()
        assert "This field is required" not in answer.content.decode()

    def test_the_texts_of_a_system_become_a_corpus(self, client, study):
        study.systems.filter(name="c").update(kind="human")
        page = text_of(client, CORPORA)
        assert page.index('<option value="c">') < page.index('<option value="a">')
        wanted = {"from-system": "c", "from-name": "own"}
        answer = client.post(f"{CORPORA}from/system/", wanted)
        assert answer["Location"] == f"{CORPORA}own/"
        assert study.corpora.get().n_texts == 2

    def test_a_taken_name_is_said_beside_the_field(self, client, study):
        make(study)
        wanted = {"from-system": "a", "from-name": "human"}
        answer = client.post(f"{CORPORA}from/system/", wanted)
        assert answer.status_code == 400
        assert 'href="#id_from-name"' in answer.content.decode()
        assert "choose another name" in answer.content.decode()

    def test_a_system_that_is_not_there_makes_none(self, client, study):
        wanted = {"from-system": "x", "from-name": "own"}
        assert client.post(f"{CORPORA}from/system/", wanted).status_code == 400
        assert not study.corpora.exists()


@pytest.mark.usefixtures("as_alice")
class TestPage:
    def test_it_shows_facts_values_and_texts_and_no_tag_of_theirs(self, client, study):
        made = make(study)
        page = text_of(client, made.get_absolute_url())
        assert "about 2 words" in page and made.digest in page
        assert "&lt;i&gt;sea&lt;/i&gt;" in page and "<i>" not in page
        assert "One &lt;b&gt;text&lt;/b&gt;." in page

    def test_attributes_of_a_text_have_the_order_of_the_file(self, client, study):
        made = make(
            study, content='{"text": "A.", "longest": "1", "b": "2", "no": ""}\n'
        )
        (text,) = client.get(made.get_absolute_url()).context["page"]
        assert text.named == [("longest", "1"), ("b", "2")]
        text.attributes = {"b": "2", "no": "", "longest": "1"}  # as PostgreSQL has it
        assert text.named == [("longest", "1"), ("b", "2")]

    def test_it_shows_some_texts_at_a_time(self, client, study):
        content = "".join(f'{{"text": "Text {n}."}}\n' for n in range(21))
        made = make(study, content=content)
        assert "Text 20." not in text_of(client, made.get_absolute_url())
        second = text_of(client, f"{made.get_absolute_url()}?page=2")
        assert "Text 20." in second and "Text 19." not in second

    def test_it_asks_a_fixed_number_of_queries(
        self, client, study, django_assert_max_num_queries
    ):
        made = make(study)
        for _ in range(3):
            MetricRun.objects.create(study=study, metric="near", corpus=made)
        with django_assert_max_num_queries(14):
            page = text_of(client, made.get_absolute_url())
        assert page.count("near<span") == 3

    def test_it_is_deleted_after_one_question(self, client, study):
        made = make(study)
        Probe.objects.create(study=study, corpus=made, state="done")
        page = text_of(client, made.get_absolute_url())
        assert 'data-confirm="Delete the corpus human? Its 2 texts and' in page
        answer = client.post(f"{CORPORA}human/delete/", follow=True)
        assert "Corpus human deleted." in answer.content.decode()
        assert not study.corpora.exists()

    def test_one_that_a_run_needs_is_not_deleted(self, client, study):
        MetricRun.objects.create(study=study, metric="near", corpus=make(study))
        answer = client.post(f"{CORPORA}human/delete/", follow=True)
        assert "is using the corpus human" in answer.content.decode()
        assert study.corpora.exists()

    def test_one_of_another_study_is_not_there(self, client, study, make_study):
        make(make_study(name="lake"))
        assert client.get(f"{CORPORA}human/").status_code == 404
        assert client.post(f"{CORPORA}human/delete/").status_code == 404


@pytest.mark.usefixtures("as_alice", "offered")
class TestChoosing:
    def start(self, client, metric, corpus=None):
        chosen = {} if corpus is None else {f"{metric}-corpus": corpus}
        return client.post(f"{RUNS}with/{metric}/", chosen)

    def test_without_one_a_metric_that_needs_it_leads_to_the_upload(
        self, client, study
    ):
        page = text_of(client, RUNS)
        assert "Needs a corpus of human texts" in page
        assert 'name="metric" value="near"' not in page
        assert 'name="metric" value="hinted"' in page

    def test_the_study_s_corpora_are_offered(self, client, study):
        make(study)
        assert text_of(client, RUNS).count("Corpus: human") == 2
        chosen = '<option value="human" selected>human (2 texts)</option>'
        for metric, may_be_none in (("near", False), ("hinted", True)):
            page = text_of(client, f"{RUNS}with/{metric}/")
            assert chosen in page
            assert ('<option value="">none</option>' in page) is may_be_none
        assert "length-corpus" not in text_of(client, f"{RUNS}with/length/")

    def test_the_run_takes_it_and_its_page_names_it(self, client, study):
        made = make(study)
        answer = self.start(client, "near", "human")
        assert MetricRun.objects.get().corpus == made
        assert f'href="{made.get_absolute_url()}"' in text_of(client, answer.url)
        assert "compared with human" in text_of(client, RUNS)

    def test_a_run_whose_corpus_is_gone_says_so(self, client, study):
        made = make(study)
        self.start(client, "near", "human")
        signature = Signature.objects.create(
            text="near|corpus:sha256:12", metric="near", outputs=[]
        )
        MetricRun.objects.update(signature=signature, state="done")
        made.delete()
        page = text_of(client, MetricRun.objects.get().get_absolute_url())
        assert "<dt>Corpus</dt>" in page and "deleted" in page

    @pytest.mark.parametrize("corpus", ["", None])
    def test_none_is_taken_where_it_is_only_used(self, client, study, corpus):
        make(study)
        self.start(client, "hinted", corpus)
        assert MetricRun.objects.get().corpus is None

    @pytest.mark.parametrize(
        ("corpus", "said"),
        [(None, "Choose the corpus"), ("gone", "This corpus was deleted")],
    )
    def test_a_refused_run_says_so_at_the_field(self, client, study, corpus, said):
        make(study)
        answer = self.start(client, "near", corpus)
        page = answer.content.decode()
        assert answer.status_code == 400 and said in page
        assert 'href="#id_near-corpus"' in page
        assert not MetricRun.objects.exists()

    def test_a_corpus_of_another_study_is_refused(self, client, study, make_study):
        make(make_study(name="lake"), name="theirs")
        assert self.start(client, "near", "theirs").status_code == 400
        assert not MetricRun.objects.exists()

    def test_a_corpus_is_no_option_of_the_metric(self, study):
        made = make(study)
        form = OptionsForm("near", {"near-corpus": "human"}, corpora=[made])
        assert form.is_valid()
        assert (form.options(), form.corpus()) == ({}, made)
        assert form.other_fields() == []

    def test_pages_of_metrics_say_who_takes_one(self, client, study):
        everything = text_of(client, "/metrics/")
        assert "better with: corpus" in everything
        page = text_of(client, "/metrics/hinted/")
        assert "<dt>Works better with</dt><dd>a corpus of human texts</dd>" in page
        assert "Works better with" not in text_of(client, "/metrics/near/")


@pytest.mark.django_db(transaction=True)
def test_the_pages_fit_a_phone_and_everybody(page, live_server, study, offered):
    row = {"text": "long" * 99, "n" * 64: "v" * 200}
    make(study, name="h" * 64, content=json.dumps(row))
    log_in(page, live_server.url)
    page.set_viewport_size({"width": 360, "height": 740})
    for address in (CORPORA, f"{CORPORA}{'h' * 64}/", RUNS):
        page.goto(live_server.url + address)
        assert overflow(page) <= 0, address
        assert violations(page) == [], address
    assert page.problems == []
