"""Settings of a study by the API: the same as on its page, refused in sentences."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from annotation import studies
from annotation.models import Event, Study
from annotation.views.forms.setup import SettingsForm
from tests.annotation.seating import NOON

pytestmark = pytest.mark.django_db

URL = "/api/v1/studies/ferry/"
# None of them is what a new study has.
VALUES = {
    "title": "Ships",
    "language": "de",
    "monospaced": "always",
    "instructions": "Read.",
    "consent": "I agree.",
    "content_warning": "Water.",
    "contact": "lab@example.org",
    "scale_min": 2,
    "scale_max": 7,
    "ratings_per_text": 3,
    "texts_per_survey": 4,
    "max_pages": 9,
    "lease_minutes": 20,
    "spare_seats": 1,
    "rated_share": 50,
    "share_of": "simple",
    "one_by_one": True,
    "damaged_texts": "possible",
    "canary": True,
    "pay_per_page": "0.45",
    "currency": "EUR",
    "minutes_per_page": 5,
    "pay_unused": False,
    "platform": "sona",
    "invited_only": False,
    "completion_code": "C0DE2345",
    "nothing_left_code": "N0NE",
    "screen_out_code": "S0RRY",
    "completion_url": "https://uni.sona-systems.com/webstudy_credit.aspx"
    "?experiment_id=1&credit_token=2&survey_code=XXXX",
    "debrief": "Bye.",
    "retention_days": 30,
}
SECRETS = "completion_code nothing_left_code screen_out_code completion_url".split()


def client_of(user) -> APIClient:
    client = APIClient()
    client.force_authenticate(user)
    return client


@pytest.fixture
def api(alice) -> APIClient:
    return client_of(alice)


@pytest.fixture
def study(alice) -> Study:
    return studies.create(name="ferry", owner=alice)


def create(api, **fields):
    return api.post("/api/v1/studies/", {"name": "ferry", **fields}, format="json")


def patch(api, **fields):
    return api.patch(URL, fields, format="json")


def errors(answer) -> list[str]:
    assert answer.status_code == 400, answer.json()
    return answer.json()["errors"]


class TestFormAndApi:
    def test_both_have_the_same_settings(self, api, study):
        assert {*SettingsForm.base_fields} == {*VALUES}
        assert len(VALUES) == 31

    def test_each_is_set_when_a_study_is_made(self, api):
        made = create(api, **VALUES)
        assert made.status_code == 201, made.json()
        assert {**made.json(), **VALUES} == made.json()
        assert api.get(URL).json() == made.json()

    def test_each_is_changed_afterwards(self, api, study):
        before = api.get(URL).json()
        same = {name for name in VALUES if before[name] == VALUES[name]}
        assert same == {"invited_only"}  # Sona's people come without invites
        changed = patch(api, **VALUES)
        assert changed.status_code == 200, changed.json()
        assert changed.json() == api.get(URL).json()
        del before["aspects"], changed.data["aspects"]  # in the new language
        assert changed.data == before | VALUES
        assert patch(api, platform="direct", completion_url="").status_code == 200
        assert patch(api, invited_only=True).json()["invited_only"] is True

    def test_what_is_left_out_stays(self, api, study):
        before = api.get(URL).json()
        assert patch(api, debrief="Bye").json() == before | {"debrief": "Bye"}
        assert patch(api).json() == before | {"debrief": "Bye"}

    def test_empty_is_a_value_of_those_that_may_be(self, api):
        made = create(api, retention_days=None, max_pages=None).json()
        assert (made["retention_days"], made["max_pages"]) == (None, None)
        assert patch(api, retention_days=9).json()["retention_days"] == 9
        assert patch(api, retention_days=None).json()["retention_days"] is None

    def test_a_new_language_brings_its_own_standard_words(self, api, study):
        assert patch(api, language="de").json()["consent"].startswith("Sie lesen")

    def test_a_currency_is_written_in_capitals(self, api, study):
        assert patch(api, currency="eur").json()["currency"] == "EUR"
        assert create(api, name="two", currency="inr").json()["currency"] == "INR"


class TestRefused:
    def test_all_that_is_wrong_is_said_at_once_and_nothing_is_changed(self, api, study):
        Study.objects.update(state="open")
        answer = patch(
            api,
            debrief="Bye",
            title="New",
            spare_seats=1,
            retention_days="soon",
            colour="red",
            state="closed",
            page_kinds=["pair"],
        )
        assert sorted(errors(answer)) == [
            "colour: A study has no such field.",
            "page_kinds: It is not changed here.",
            "retention_days: A valid integer is required.",
            "spare_seats: Pause the study to change it.",
            "state: It is not changed here.",
            "title: It is fixed since the study opened.",
        ]
        study.refresh_from_db()
        assert (study.debrief, study.state) == ("", "open")

    def test_what_was_read_may_be_sent_back(self, api, study):
        Study.objects.update(state="open")
        answer = api.patch(URL, api.get(URL).json() | {"debrief": "B"}, format="json")
        assert answer.status_code == 200
        assert answer.json()["debrief"] == "B"

    @pytest.mark.parametrize(
        ("sent", "said"),
        [
            ({"scale_max": 1}, "scale_max: The scale must go up"),
            ({"currency": "E1"}, "currency: Use three letters"),
            ({"platform": "prolific", "invited_only": True}, "invited_only: Invite"),
            ({"completion_url": "https://evil.org"}, "completion_url: "),
            ({"spare_seats": 21}, "spare_seats: Ensure this value is less than"),
            ({"completion_code": None}, "completion_code: This field cannot be null."),
            ({"rated_share": 50}, "Only pages of ratings can ask for a random part"),
        ],
    )
    def test_a_change_that_the_page_would_refuse_is_refused(
        self, api, study, sent, said
    ):
        Study.objects.update(page_kinds=["pair"])
        before = api.get(URL).json()
        (sentence,) = errors(patch(api, **sent))
        assert sentence.startswith(said)
        assert api.get(URL).json() == before

    @pytest.mark.parametrize(
        ("sent", "said"),
        [
            ({"currency": "E1"}, "Use three letters"),
            ({"platform": "prolific", "invited_only": True}, "Invite links need"),
            (
                {"platform": "sona", "completion_url": "https://evil.org/x"},
                "Paste the Completion URL",
            ),
            ({"colour": "red", "scale_min": "x"}, "colour: A study has no such field."),
        ],
    )
    def test_so_is_a_new_study(self, api, sent, said):
        assert said in " ".join(errors(create(api, **sent)))
        assert not Study.objects.exists()

    def test_a_list_is_no_settings(self, api, study):
        assert "Expected a dictionary" in errors(api.patch(URL, [1], format="json"))[0]

    def test_a_study_that_opens_meanwhile_keeps_what_it_had(self, study, alice):
        Study.objects.update(state="open")
        with pytest.raises(studies.SettingsError, match="fixed since the study opened"):
            studies.change_settings(
                study=study, values={"title": "New"}, user=alice, now=NOON
            )
        study.refresh_from_db()
        assert study.title == ""


class TestTheLog:
    def test_it_notes_what_was_changed_and_by_whom(self, api, study, alice):
        Study.objects.update(state="open")
        patch(api, debrief="Bye", consent=study.consent, contact="lab@example.org")
        (event,) = Event.objects.all()
        assert (event.verb, event.user, event.detail) == (
            *("changed-settings", alice),
            "contact, debrief",
        )

    def test_it_notes_no_change_of_a_draft_and_none_that_is_none(self, api, study):
        patch(api, debrief="Bye")
        Study.objects.update(state="open")
        patch(api, debrief="Bye")
        assert not Event.objects.exists()


class TestWhoMay:
    def test_viewers_change_nothing_and_see_no_codes(self, api, study, bob):
        patch(api, **VALUES)
        study.members.create(user=bob, role="viewer")
        viewer = client_of(bob)
        (listed,) = viewer.get("/api/v1/studies/").json()["results"]
        for found in (viewer.get(URL).json(), listed):
            assert [found[name] for name in SECRETS] == [None] * 4
            assert found["debrief"] == "Bye."
        assert patch(viewer, debrief="No").status_code == 403

    def test_editors_do_both(self, study, bob):
        study.members.create(user=bob, role="editor")
        answer = patch(client_of(bob), completion_code="C0DE2345")
        assert answer.json()["completion_code"] == "C0DE2345"

    def test_nobody_changes_an_archived_study(self, api, study):
        api.post(f"{URL}archive/")
        assert patch(api, debrief="Bye").status_code == 403

    def test_a_copy_gets_a_code_of_its_own(self, api, study):
        patch(api, **VALUES)
        made = api.post(f"{URL}copy/", {"name": "two"}, format="json").json()
        assert made["completion_code"] not in ("", "C0DE2345")
        assert (made["debrief"], made["screen_out_code"]) == ("Bye.", "")
