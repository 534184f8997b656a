"""The API of what becomes of a study, of its plan, and of several runs at once."""

from __future__ import annotations

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Study
from scoring.models import MetricRun, Plan
from tests.support.scored import rate

PLAN = {
    "aspect": "coherence",
    "coefficient": "spearman",
    "grouping": "item",
    "metrics": [{"metric": "length", "output": "words", "options": {}}],
    "note": "At least 0.3.",
}


def client_of(user) -> APIClient:
    client = APIClient()
    client.force_authenticate(user)
    return client


@pytest.fixture
def api(alice) -> APIClient:
    return client_of(alice)


@pytest.fixture
def study(make_study):
    return make_study()


class TestCopy:
    def test_a_viewer_gets_a_draft_of_their_own(self, study, bob):
        study.members.create(user=bob, role="viewer")
        sent = {"name": "ferry-2", "texts": False}
        answer = client_of(bob).post("/api/v1/studies/ferry/copy/", sent, format="json")
        assert answer.status_code == 201
        made = answer.json()
        assert (made["name"], made["state"], made["role"]) == (
            *("ferry-2", "draft"),
            "owner",
        )
        assert not Study.objects.get(name="ferry-2").generations.exists()

    def test_texts_are_copied_unless_one_says_otherwise(self, api, study):
        api.post("/api/v1/studies/ferry/copy/", {"name": "two"}, format="json")
        n = study.generations.count()
        assert Study.objects.get(name="two").generations.count() == n > 0

    def test_a_name_that_is_taken_is_said(self, api, study):
        answer = api.post("/api/v1/studies/ferry/copy/", {"name": "ferry"})
        assert answer.status_code == 400
        assert "ferry" in answer.json()["errors"][0]


class TestArchiveAndDelete:
    def test_an_archived_study_comes_back(self, api, study):
        found = api.post("/api/v1/studies/ferry/archive/").json()
        assert found["archived_at"] is not None
        found = api.post("/api/v1/studies/ferry/unarchive/").json()
        assert found["archived_at"] is None

    def test_a_deleted_study_is_listed_and_restored(self, api, study):
        assert api.delete("/api/v1/studies/ferry/").status_code == 204
        assert api.get("/api/v1/studies/ferry/").status_code == 404
        (row,) = api.get("/api/v1/deleted-studies/").json()["results"]
        assert row["name"] == "ferry" and row["ends_at"] > row["deleted_at"]
        answer = api.post(f"/api/v1/deleted-studies/{row['id']}/restore/")
        assert answer.json()["name"] == "ferry"
        assert api.get("/api/v1/studies/ferry/").status_code == 200

    def test_only_owners_restore(self, study, bob):
        study.members.create(user=bob, role="editor")
        Study.objects.update(deleted_at=timezone.now())
        other = client_of(bob)
        assert other.get("/api/v1/deleted-studies/").json()["results"] == []
        answer = other.post(f"/api/v1/deleted-studies/{study.pk}/restore/")
        assert answer.status_code == 404

    def test_an_editor_does_not_delete(self, study, bob):
        study.members.create(user=bob, role="editor")
        answer = client_of(bob).delete("/api/v1/studies/ferry/")
        assert answer.status_code == 403
        assert "Only owners" in answer.json()["errors"][0]


class TestPlan:
    URL = "/api/v1/studies/ferry/plan/"

    def put(self, api, **changes):
        return api.put(self.URL, {**PLAN, **changes}, format="json")

    def test_it_is_written_changed_and_locked(self, api, study):
        made = self.put(api)
        assert made.status_code == 200, made.json()
        assert {**made.json(), **PLAN} == made.json()
        assert made.json()["locked_at"] is None
        assert self.put(api, note="None.").json()["note"] == "None."
        locked = api.post(f"{self.URL}lock/").json()
        assert locked["locked_at"] is not None
        assert Plan.objects.get().locked_by.username == "alice"

    def test_a_locked_plan_stays(self, api, study):
        self.put(api)
        api.post(f"{self.URL}lock/")
        answer = self.put(api, note="Changed my mind.")
        assert answer.status_code == 400
        assert "cannot change" in answer.json()["errors"][0]

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"aspect": "wit"}, "There is no aspect 'wit'"),
            ({"coefficient": "luck"}, "luck"),
            ({"metrics": [{"metric": "luck", "output": "x"}]}, "luck:x"),
            ({"metrics": "length"}, "list"),
        ],
    )
    def test_what_the_page_would_refuse_is_refused(self, api, study, change, said):
        answer = self.put(api, **change)
        assert answer.status_code == 400
        assert said in " ".join(answer.json()["errors"])
        assert not Plan.objects.exists()

    def test_with_ratings_it_is_too_late(self, api, study):
        rate(study, "coherence", [[1, 2]])
        assert "too late" in self.put(api).json()["errors"][0]

    def test_without_a_plan_there_is_nothing_to_lock(self, api, study):
        answer = api.post(f"{self.URL}lock/")
        assert "Save a plan" in answer.json()["errors"][0]


class TestSeveralRuns:
    URL = "/api/v1/studies/ferry/runs/several/"

    def post(self, api, *wanted):
        return api.post(self.URL, {"runs": list(wanted)}, format="json")

    def test_each_is_started(self, api, study):
        two = {"metric": "self_bleu", "options": {"max_ngram_order": 3}}
        answer = self.post(api, {"metric": "repetition"}, two)
        assert answer.status_code == 201, answer.json()
        found = answer.json()
        assert [run["metric"] for run in found["started"]] == [
            *("repetition", "self_bleu")
        ]
        assert found["started"][1]["options"]["max_ngram_order"] == 3
        assert found["refused"] == []
        assert MetricRun.objects.count() == 2

    def test_one_that_cannot_start_holds_up_no_other(self, api, study):
        answer = self.post(api, {"metric": "luck"}, {"metric": "repetition"})
        assert answer.status_code == 201
        (refused,) = answer.json()["refused"]
        assert refused["metric"] == "luck" and "luck" in refused["error"]
        assert MetricRun.objects.count() == 1

    def test_without_options_it_takes_those_of_the_form(self, api, study):
        answer = self.post(api, {"metric": "perplexity"})
        (run,) = answer.json()["started"]
        assert run["options"]["model"].startswith("bundled:")

    @pytest.mark.parametrize("wanted", [[], [{"metric": "luck"}], [{}]])
    def test_where_nothing_starts_the_reason_is_said(self, api, study, wanted):
        answer = self.post(api, *wanted)
        assert answer.status_code == 400 and answer.json()["errors"]
        assert not MetricRun.objects.exists()
