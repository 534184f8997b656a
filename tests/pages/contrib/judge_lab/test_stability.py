"""The pages of the stress lab and of anchors: chosen, agreed to, shown, asked again."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from scoring.judging import anchor_sets
from scoring.models import AnchorSet, JudgeTrial
from tests.pages.browsing import faults, log_in
from tests.scoring.endpoints.servers import completion
from tests.scoring.judging.asked import judges_file, longest, served, work
from tests.support.messages import catch

BASE = "/studies/ferry/judges/"
STRESS = {
    **{"model": "endpoint:lab/tiny", "question": "coherence", "texts": "10"},
    **{"mode": "answer", "samples": "5", "experiments": "longer"},
}
ANCHORS = {
    **{"model": "endpoint:lab/tiny", "question": "coherence", "texts": "20"},
    **{"mode": "answer", "samples": "5", "looks": "3"},
}
LIMIT = {"agreed": "on", "most_calls": "500"}


def judge(body, n):
    """A number for each text, and a preference for the first of two."""
    message = body["messages"][0]["content"]
    if "Text A:" in message:
        return longest(body, n)
    return completion(str(1 + sum(map(ord, message)) % 3))


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    catch(monkeypatch, "try_judge", lambda pk: None)


@pytest.fixture
def study(make_study, monkeypatch, tmp_path):
    judges_file(monkeypatch, tmp_path, "http://127.0.0.1:9/v1")
    return make_study(prompts=6)


def posted(client, kind, chosen):
    query = "&".join(f"{name}={value}" for name, value in chosen.items())
    return client.post(f"{BASE}{kind}/agree/?{query}", LIMIT)


@pytest.mark.usefixtures("as_alice")
class TestPages:
    def test_without_a_judge_both_say_who_can_help(
        self, client, make_study, settings, tmp_path
    ):
        settings.DATA_DIR = tmp_path
        make_study()
        for kind in ("stress", "anchors"):
            said = client.get(f"{BASE}{kind}/").content.decode()
            assert "No judge is set up on this server" in said

    def test_a_stress_lab_starts_only_after_consent(self, client, study):
        answer = client.get(f"{BASE}stress/agree/", STRESS)
        said = answer.content.decode()
        assert answer.status_code == 200 and "Before texts are sent" in said
        assert "How good is the coherence?" in said
        assert (
            client.post(
                answer.request["PATH_INFO"] + "?" + answer.request["QUERY_STRING"]
            ).status_code
            == 400
        )
        assert not JudgeTrial.objects.exists()
        started = posted(client, "stress", STRESS)
        trial = JudgeTrial.objects.get()
        assert started.url == trial.get_absolute_url()
        assert (trial.kind, trial.most_calls) == ("stress", 500)
        assert trial.setup["experiments"] == ["longer"]

    @pytest.mark.parametrize(
        ("kind", "chosen", "wrong"),
        [
            ("stress", STRESS, {"texts": "3"}),
            ("stress", STRESS, {"model": "endpoint:gone/x"}),
            ("anchors", ANCHORS, {"looks": "0"}),
            ("anchors", ANCHORS, {"texts": "x"}),
        ],
    )
    def test_a_wrong_choice_is_said_beside_its_field(
        self, client, study, kind, chosen, wrong
    ):
        answer = client.get(f"{BASE}{kind}/agree/", chosen | wrong)
        assert answer.status_code == 400
        assert "errorlist" in answer.content.decode()

    def test_anchors_are_frozen_after_consent_and_can_end(self, client, study):
        said = client.get(f"{BASE}anchors/agree/", ANCHORS).content.decode()
        assert "at most 3 more times" in said
        assert posted(client, "anchors", ANCHORS).url == f"{BASE}anchors/"
        held = AnchorSet.objects.get()
        assert len(held.texts) == 20 and JudgeTrial.objects.count() == 1
        page = client.get(f"{BASE}anchors/").content.decode()
        assert "The judge has not answered yet." in page
        client.post(f"{BASE}anchors/{held.pk}/end/")
        held.refresh_from_db()
        assert held.ended_at
        answer = client.post(f"{BASE}anchors/{held.pk}/ask/", follow=True)
        assert "These anchors have ended" in answer.content.decode()

    def test_a_round_that_stopped_at_its_limit_is_not_asked_anew(self, client, study):
        posted(client, "anchors", ANCHORS)
        said = "The limit of 500 calls was reached."
        JudgeTrial.objects.update(state="failed", error=said)
        page = client.get(f"{BASE}anchors/").content.decode()
        assert "Raise the limit of the last round" in page
        assert "Ask again" not in page
        address = JudgeTrial.objects.get().get_absolute_url()
        page = client.get(address).content.decode()
        assert said in page and "The new limit also holds for later rounds." in page

    def test_nobody_else_sees_or_asks(self, client, study, bob):
        posted(client, "anchors", ANCHORS)
        client.force_login(bob)
        pk = AnchorSet.objects.get().pk
        assert client.get(f"{BASE}anchors/").status_code == 404
        assert client.post(f"{BASE}anchors/{pk}/ask/").status_code == 404
        assert client.post(f"{BASE}anchors/{pk}/end/").status_code == 404

    def test_the_command_asks_once_at_a_time_and_tells(self, client, study, capsys):
        with pytest.raises(CommandError, match="has no anchors"):
            call_command("anchors", "ferry")
        posted(client, "anchors", ANCHORS)
        with pytest.raises(CommandError, match="some anchors were not asked"):
            call_command("anchors", "ferry")
        assert "already" in capsys.readouterr().err
        JudgeTrial.objects.update(state="done", result={"scores": [3] * 20})
        call_command("anchors", "ferry")
        call_command("anchors", "ferry", "--status")
        assert "no change is shown" in capsys.readouterr().out


@pytest.mark.django_db(transaction=True)
def test_the_pages_are_accessible_and_narrow_in_both_themes(
    page, live_server, alice, make_study, client, monkeypatch, tmp_path
):
    make_study(prompts=6)
    client.force_login(alice)
    with served(monkeypatch, tmp_path, judge):
        posted(client, "stress", STRESS | {"texts": "12", "experiments": "order"})
        lab = work(JudgeTrial.objects.get())
        posted(client, "anchors", ANCHORS)
        work(JudgeTrial.objects.first())
        anchor_sets.ask(anchors=AnchorSet.objects.get())
        work(JudgeTrial.objects.first())
        page = log_in(page, live_server.url)
        for address in (lab.get_absolute_url(), f"{BASE}anchors/"):
            page.goto(f"{page.base}{address}")
            page.locator(".scatterlayer .point").first.wait_for(state="attached")
            assert faults(page) == []
        page.goto(f"{page.base}{BASE}stress/")
        assert faults(page) == []
        page.get_by_label("Texts", exact=True).fill("12")
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("heading", name="Before texts are sent").wait_for()
        assert faults(page) == []
        page.get_by_label("I agree").check()
        page.get_by_role("button", name="Start the stress lab").click()
        page.get_by_role("heading", name="Stress lab: tiny on lab").wait_for()
    assert page.problems == []
