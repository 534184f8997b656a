from __future__ import annotations

from annotation import surveys


def test_the_page_describes_each_kind_with_its_preview(client, alice, make_study):
    make_study()
    client.force_login(alice)
    page = client.get("/studies/ferry/kinds/").content.decode()
    assert "Ratings" in page and "Pairs" in page
    for kind in ("ratings", "pair"):
        found = client.get(f"/studies/ferry/preview/?kind={kind}")
        assert found.status_code == 200
    assert "Text B" in found.content.decode()
    assert "a-1-coherence" in found.content.decode()


def test_what_is_chosen_is_saved(client, alice, make_study):
    study = make_study()
    client.force_login(alice)
    data = {"part_1": "pair", "part_2": "ratings", "pair_ties": "on"}
    found = client.post("/studies/ferry/kinds/", data, follow=True)
    assert "Kinds of pages saved" in found.content.decode()
    study.refresh_from_db()
    assert study.page_kinds == ["pair", "ratings"]


def test_the_same_kind_twice_is_said_on_the_page(client, alice, make_study):
    study = make_study()
    client.force_login(alice)
    found = client.post("/studies/ferry/kinds/", {"part_1": "pair", "part_2": "pair"})
    assert found.status_code == 400
    assert "can be used once" in found.content.decode()
    study.refresh_from_db()
    assert study.page_kinds == ["ratings"]


def test_the_preview_shows_a_drawn_page_with_its_check(client, alice, make_study):
    study = make_study(page_kinds=["pair"], texts_per_survey=2)
    surveys.open_study(study=study)
    client.force_login(alice)
    found = client.get("/studies/ferry/preview/").content.decode()
    assert found.count('class="card pair"') == 3
    assert not study.workers.exists()


def test_a_question_on_two_texts_can_be_asked_in_own_words(client, alice, make_study):
    study = make_study(page_kinds=["pair"])
    client.force_login(alice)
    page = client.get("/studies/ferry/settings/").content.decode()
    assert "Question on two texts" in page
    study.page_kinds = ["ratings"]
    study.save()
    page = client.get("/studies/ferry/settings/").content.decode()
    assert "Question on two texts" not in page


def test_the_quality_page_says_what_the_check_on_pairs_catches(
    client, alice, make_study
):
    study = make_study(page_kinds=["pair"], texts_per_survey=2, aspects=("coherence",))
    surveys.open_study(study=study)
    client.force_login(alice)
    page = client.get("/studies/ferry/quality/").content.decode()
    assert "33.3 %" in page  # of random answers: one of three is the damaged twin
