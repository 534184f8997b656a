"""Scripts run in a real browser by the addresses that it may keep for a year."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from annotation import surveys
from evalapp import settings as app_settings

pytestmark = pytest.mark.django_db(transaction=True)

HASHED = re.compile(r"\.[0-9a-f]{12}\.js$")


@pytest.mark.parametrize("kind", ["ratings", "edit", "spans"])
def test_every_module_of_a_page_is_loaded_once_and_with_its_hash(
    page, live_server, make_study, settings, kind
):
    hashed = {"staticfiles": app_settings.STORAGES["staticfiles"]}
    settings.STORAGES = settings.STORAGES | hashed
    study = make_study(prompts=1, systems=("a", "b"), page_kinds=[kind])
    study.damaged_texts = "none"
    study.save()
    surveys.open_study(study=study)
    # The server of tests knows files by their own names alone.
    page.route(
        HASHED, lambda route: route.continue_(url=HASHED.sub(".js", route.request.url))
    )
    page.goto(live_server.url + study.get_worker_url())
    page.locator("[name=agree]").check()
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    page.locator("button.primary").click()
    # Written by the script alone.
    expect(page.locator("#progress")).to_contain_text("answers left")
    scripts = [url for url in loaded if url.endswith(".js")]
    assert len(scripts) > 4
    assert [url for url in scripts if not HASHED.search(url)] == []
    assert len(scripts) == len({*scripts})
