"""The pages of training in a real browser: started, drawn, growing, accessible."""

from __future__ import annotations

import pytest

from scoring import metrics
from scoring.models import Checkpoint
from tests.pages.browsing import log_in, overflow, violations
from tests.scoring.probed import corpus_of
from tests.support.learner import LOG, Fond, Learner, trained, training_of
from tests.support.messages import catch

pytestmark = pytest.mark.django_db(transaction=True)
LIST = "/studies/ferry/training/"


@pytest.fixture
def study(make_study, monkeypatch, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    found = {"fond": Fond, "learner": Learner, "length": metrics.get("length")}
    monkeypatch.setattr(metrics, "names", lambda: sorted(found))
    monkeypatch.setattr(metrics, "get", found.__getitem__)
    catch(monkeypatch, "score_chunk", lambda pk: None)
    study = make_study()
    corpus_of(study, topic=["sea", "land"])
    return study


@pytest.fixture
def page(page, live_server, alice):
    return log_in(page, live_server.url)


def test_from_the_form_to_scoring(page, study):
    page.goto(f"{page.base}{LIST}")
    form = page.locator("#train-learner")
    form.get_by_text("More options").click()
    form.get_by_label("Examples per step").fill("16")
    form.get_by_role("button", name="Start training Learner").click()
    page.get_by_role("heading", name="learner-1: Learner").wait_for()
    assert Checkpoint.objects.get().options["batch"] == 16
    page.get_by_role("button", name="Cancel the training").click()
    page.get_by_role("button", name="Try again").wait_for()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete the training").click()
    page.get_by_text("Training learner-1 deleted.").wait_for()
    trained(study)
    page.goto(f"{page.base}{LIST}learner-1/")
    page.get_by_role("link", name="Score the study with it").click()
    model = page.get_by_label("Model")
    assert model.input_value() == "checkpoint:ferry/learner-1"
    assert page.problems == []


@pytest.mark.path
def test_the_curve_grows_while_the_page_stays_as_it_is(page, study):
    found = training_of(
        study,
        **{"state": "running", "stage": "training", "step": 20, "steps": 60},
        log=LOG[:2],
    )
    page.goto(f"{page.base}{found.get_absolute_url()}")
    page.locator(".scatterlayer .point").nth(3).wait_for(state="attached")
    page.get_by_text("Show the table").click()
    Checkpoint.objects.update(log=LOG, step=30)
    page.get_by_text("step 30 of 60").wait_for()
    page.locator(".scatterlayer .point").nth(4).wait_for(state="attached")
    rows = page.locator("#tables-loss-1 tbody tr")
    assert rows.count() == 3
    assert rows.last.is_visible()  # what was opened stays open
    Checkpoint.objects.update(state="done")
    page.get_by_role("link", name="Score the study with it").wait_for()
    assert page.problems == []


def test_the_pages_are_accessible_and_narrow_in_both_themes(page, study):
    done = trained(study)
    for address in (LIST, done.get_absolute_url()):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(color_scheme="light")
        page.goto(page.base + address)
        assert violations(page) == []
        page.emulate_media(color_scheme="dark")
        assert violations(page, only=["color-contrast"]) == []
        page.set_viewport_size({"width": 390, "height": 800})
        page.locator("details").evaluate_all("all => all.forEach(d => (d.open = true))")
        page.wait_for_timeout(300)  # charts follow the window a moment later
        assert overflow(page) == 0
    assert page.problems == []
