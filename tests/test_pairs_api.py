"""Through the API: what pages ask for, and the choices that people made."""

from __future__ import annotations

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Event, Practice, Study, comparing
from evalapp.accounts import tokens
from tests.annotation.pairing import compare, open_pairs
from tests.annotation.seating import sit

KINDS = "/api/studies/ferry/page-kinds/"


@pytest.fixture
def api(alice):
    """A client with alice's token."""
    client = APIClient()
    _, key = tokens.make(user=alice, name="tests", now=timezone.now())
    client.credentials(HTTP_AUTHORIZATION=f"Token {key}")
    return client


def make(api, **fields):
    return api.post("/api/studies/", {"name": "lake", **fields}, format="json")


class TestNewStudy:
    def test_it_asks_for_what_it_is_told(self, api):
        asked = {
            "page_kinds": ["pair", "ratings"],
            "pairs_per_text": 3,
            "pair_ties": False,
            "pair_strength": True,
        }
        aspects = [{"key": "fluency", "pair_question": "Which text flows better?"}]
        made = make(api, aspects=aspects, **asked)
        assert made.status_code == 201
        told = made.json()
        assert {name: told[name] for name in asked} == asked
        assert told["aspects"][0]["pair_question"] == "Which text flows better?"

    def test_it_asks_for_ratings_unless_told_otherwise(self, api):
        assert make(api).json()["page_kinds"] == ["ratings"]

    @pytest.mark.parametrize(
        ("kinds", "said"),
        [
            (["pairs"], "Expected kinds of pages from ratings, pair"),
            ([], "Expected at least one kind of page, of ratings, pair"),
            (["pair", "pair"], "Each kind of page can be used once."),
            ("pair", "Expected a list of items"),
        ],
    )
    def test_kinds_that_cannot_be_are_refused_in_a_sentence(self, api, kinds, said):
        refused = make(api, page_kinds=kinds)
        assert refused.status_code == 400
        assert said in str(refused.json())
        assert not Study.objects.filter(name="lake").exists()

    def test_no_comparison_at_all_is_refused(self, api):
        refused = make(api, page_kinds=["pair"], pairs_per_text=0)
        assert refused.status_code == 400 and "pairs_per_text" in str(refused.json())


class TestKindsOfADraft:
    @pytest.fixture
    def study(self, make_study):
        return make_study()

    def test_they_can_be_read_and_chosen(self, api, study):
        assert api.get(KINDS).json()["page_kinds"] == ["ratings"]
        wanted = {"page_kinds": ["pair"], "pairs_per_text": 2}
        told = api.put(KINDS, wanted, format="json").json()
        assert told == {
            **wanted,
            "pair_ties": True,
            "pair_strength": False,
            "kind_settings": {},
        }
        study.refresh_from_db()
        assert (study.page_kinds, study.pairs_per_text) == (["pair"], 2)
        assert Event.objects.get(study=study).verb == "chose-page-kinds"

    def test_what_is_left_out_stays(self, api, study):
        api.put(KINDS, {"page_kinds": ["pair"], "pairs_per_text": 2}, format="json")
        told = api.put(KINDS, {"pair_strength": True}, format="json").json()
        assert told["page_kinds"] == ["pair"] and told["pairs_per_text"] == 2

    def test_a_practice_page_of_ratings_needs_pages_of_ratings(self, api, study):
        Practice.objects.create(study=study)
        refused = api.put(KINDS, {"page_kinds": ["pair"]}, format="json")
        assert refused.status_code == 400 and "practice page" in str(refused.json())

    def test_an_open_study_keeps_its_kinds(self, api, study):
        open_pairs(study)
        refused = api.put(KINDS, {"page_kinds": ["ratings"]}, format="json")
        assert refused.status_code == 400 and "before the study opens" in str(
            refused.json()
        )


class TestComparisons:
    @pytest.fixture
    def study(self, make_study):
        return open_pairs(make_study(prompts=1, systems=("a", "b", "c")))

    def test_each_choice_comes_with_its_fate(self, api, study):
        compare(sit(study, "PLATFORM-4711"), first=comparing.FIRST)
        told = api.get("/api/studies/ferry/comparisons/").json()
        assert told["count"] == 4 * 3
        real = [row for row in told["results"] if row["second"]]
        assert {(row["answer"], row["state"]) for row in real} == {
            ("first better", "valid")
        }
        assert "PLATFORM" not in str(told)

    def test_others_do_not_see_them(self, study, bob):
        stranger = APIClient()
        stranger.force_authenticate(bob)
        assert stranger.get("/api/studies/ferry/comparisons/").status_code == 404
