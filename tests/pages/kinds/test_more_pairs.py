from __future__ import annotations

from annotation import surveys


def test_pages_are_added_while_the_study_is_paused(client, alice, make_study):
    study = make_study(prompts=4, page_kinds=["pair"], pairs_per_text=1)
    surveys.open_study(study=study)
    client.force_login(alice)
    assert b"pause the study first" in client.get("/studies/ferry/surveys/").content
    surveys.pause(study=study)
    assert b"Ask about more pairs" in client.get("/studies/ferry/surveys/").content
    n = study.surveys.count()
    for by in ("uncertain", "evenly"):
        data = {"n": "4", "by": by}
        found = client.post("/studies/ferry/surveys/pairs/", data, follow=True)
        assert "added" in found.content.decode()
    assert study.surveys.count() > n


def test_a_wrong_number_is_said(client, alice, make_study):
    make_study(page_kinds=["pair"])
    client.force_login(alice)
    data = {"n": "0", "by": "evenly"}
    found = client.post("/studies/ferry/surveys/pairs/", data, follow=True)
    assert "greater than or equal to 1" in found.content.decode()
