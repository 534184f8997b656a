"""From the form of a judge over the network to a run that has asked it."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.models import Study
from scoring.models import Chunk, MetricRun
from scoring.runs.work import RUNS
from tests.pages.browsing import faults, log_in
from tests.scoring.endpoints.servers import completion
from tests.support import judges
from tests.support.messages import catch

pytestmark = pytest.mark.django_db(transaction=True)
URL = "/studies/ferry/metrics/"
REASON = '{"reason": "It flows well.", "score": 4}'


@pytest.fixture
def study(make_study) -> Study:
    return make_study()


@pytest.fixture
def page(page, live_server, study, alice, monkeypatch, settings, tmp_path):
    settings.MODELS_DIR = tmp_path / "models"
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "none"))
    catch(monkeypatch, "score_chunk", lambda pk: None)

    def reply(body, n):
        return completion(REASON if "JSON" in str(body) else "1")

    prices = {"price_in": 10, "price_out": 100, "calls_per_minute": 600}
    with judges.serving(settings, tmp_path, monkeypatch, reply, **prices):
        log_in(page, live_server.url).goto(f"{live_server.url}{URL}with/llm_judge/")
        yield page


def score() -> None:
    for chunk in Chunk.objects.filter(state="queued").order_by("pk"):
        RUNS.perform(pk=chunk.pk, owner="here/1/a", clock=timezone.now)


@pytest.mark.path
def test_whoever_agrees_sees_what_the_judge_was_asked(page, study):
    page.get_by_label("Language model").first.select_option("endpoint:lab/tiny")
    page.get_by_label("How answers are read").select_option("form")
    page.get_by_text("More options").click()
    page.get_by_label("Questions").fill("quality: How good is the text?")
    assert faults(page) == []
    page.get_by_role("button", name="Score 8 texts").click()
    page.get_by_role("heading", name="Before texts are sent").wait_for()
    assert faults(page) == []
    assert not MetricRun.objects.exists()
    page.get_by_role("checkbox", name="I agree to send these texts").check()
    page.get_by_label("Call limit").fill("5")
    page.get_by_role("button", name="Start the run").click()
    page.get_by_text("0 of at most 5").wait_for()
    assert faults(page) == []
    score()
    page.get_by_role("heading", name="Stopped because the limit").wait_for()
    assert faults(page) == []
    page.get_by_label("New call limit").fill("100")
    page.get_by_role("button", name="Raise the limit and continue").click()
    page.get_by_role("button", name="Cancel the run").wait_for()
    score()
    page.get_by_role("link", name="See the results").wait_for()
    page.get_by_text("of at most 100", exact=False).first.wait_for()
    page.goto(f"{page.url}calls/")
    assert faults(page) == []
    run = study.runs.get()
    key = study.generations.first().key
    address = f"/studies/ferry/results/explain/{run.signature_id}/?key={key}"
    page.goto(f"{page.base}{address}")
    page.get_by_text("It flows well.").first.wait_for()
    page.get_by_text("1 call, 1 with a valid answer").click()
    assert faults(page) == []
    assert page.problems == []


def test_options_can_be_changed_before_anything_is_sent(page):
    page.get_by_label("Language model").first.select_option("endpoint:lab/tiny")
    page.get_by_label("How answers are read").select_option("answer")
    page.get_by_role("button", name="Score 8 texts").click()
    page.get_by_role("button", name="Change the options").click()
    chosen = page.get_by_label("How answers are read")
    assert chosen.input_value() == "answer"
    assert not MetricRun.objects.exists()
