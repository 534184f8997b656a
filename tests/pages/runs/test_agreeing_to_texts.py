"""Before a run asks for log-probabilities of texts: what is told, and refused."""

from __future__ import annotations

import pytest

from scoring.models import MetricRun
from tests.scoring.endpoints.texts_server import words
from tests.support import judges
from tests.support.messages import catch

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("as_alice"),
]
MODELS = {"cdm-expert": "endpoint:lab/small", "cdm-amateur": "endpoint:lab/tiny"}


@pytest.fixture(autouse=True)
def nobody_scores(monkeypatch):
    catch(monkeypatch, "score_chunk", lambda pk: None)


@pytest.fixture
def study(make_study):
    return make_study()


def post(client, metric="perplexity", **fields):
    usual = {f"{metric}-{name}": value for name, value in OPTIONS[metric].items()}
    return client.post(f"/studies/ferry/metrics/with/{metric}/", {**usual, **fields})


OPTIONS = {
    "perplexity": {
        **{"model": "endpoint:lab/tiny", "form": "auto", "tokens": "all", "bos": "on"},
        "dtype": "float32",
    },
    "cdm": {"context": "auto", "dtype": "float32"},
}
AGREED = {"agree": "1", "limit-0-agreed": "on", "limit-0-most_calls": "90"}


def test_both_models_are_told_with_the_calls_of_both(client, study, settings, tmp_path):
    judges.write(settings, tmp_path, models='["tiny", "small"]')
    page = post(client, "cdm", **MODELS).content.decode()
    assert not MetricRun.objects.exists()
    said = "the endpoint lab, for the model small, and the endpoint lab, for the model"
    assert said in page and f"<dd>{2 * (8 + 26)}, and one more" in page
    assert "Up to 52 of the calls are test questions" in page


def test_a_server_without_them_is_refused_in_one_sentence(
    client, study, settings, tmp_path, monkeypatch
):
    reply = words(way="neither")
    with judges.serving(settings, tmp_path, monkeypatch, reply) as server:
        answer = post(client, **AGREED)
    assert answer.status_code == 400 and len(server.asked) == 3
    said = "The endpoint lab gives no log-probabilities of texts for the model tiny"
    assert said in answer.content.decode()
    run = MetricRun.objects.get()
    page = client.get(f"{run.get_absolute_url()}calls/").content.decode()
    assert "Test question: the server sent no log-probabilities of the text" in page


def test_one_that_gives_them_starts(client, study, settings, tmp_path, monkeypatch):
    reply = words(start="<s>")
    with judges.serving(settings, tmp_path, monkeypatch, reply):
        answer = post(client, **AGREED)
    run = MetricRun.objects.get()
    assert answer["Location"] == run.get_absolute_url()
    assert (run.state, run.most_calls) == ("queued", 90)
