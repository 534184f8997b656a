"""Evaluation steps by a button: agreed to, written, edited, put into the option."""

from __future__ import annotations

from functools import partial

import pytest

from scoring.judging import steps
from scoring.models import JudgeTrial
from tests.pages.browsing import faults, log_in
from tests.pages.runs import asking
from tests.pages.runs.asking import MODEL, OPTIONS
from tests.scoring.judging.asked import served, work
from tests.support.messages import catch

URL = f"{OPTIONS}steps/"
LIST = "1. Read the <b>text</b>.\n2. Count mistakes."

post = partial(asking.post, address=URL)


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    catch(monkeypatch, "try_judge", lambda pk: None)


@pytest.fixture
def study(make_study):
    return make_study()


def agreed(client, **fields) -> JudgeTrial:
    given = {"agree": "1", "limit-steps-agreed": "on", "limit-steps-most_calls": "9"}
    answer = post(client, **{**given, **fields})
    trial = JudgeTrial.objects.get()
    assert answer["Location"] == trial.get_absolute_url()
    return trial


def done(trial: JudgeTrial) -> JudgeTrial:
    keys = [one.key for one in steps.questions(trial.options)]
    trial.state, trial.result = "done", {"steps": dict.fromkeys(keys, LIST)}
    trial.result["answered"] = "tiny"
    trial.save()
    return trial


@pytest.mark.usefixtures("as_alice")
class TestPages:
    def test_the_button_is_there_where_a_judge_is_set_up(self, client, judges):
        assert "Write steps with this judge" in client.get(OPTIONS).content.decode()

    def test_and_nowhere_else(self, client, study):
        assert "Write steps" not in client.get(OPTIONS).content.decode()

    def test_before_anything_is_sent_people_see_what_and_how_much(self, client, judges):
        page = post(client).content.decode()
        assert "How good is the coherence?" in page and "but no texts" in page
        assert "I agree to send these questions to lab" in page
        assert "so whoever runs the endpoint can read the questions" in page
        assert not JudgeTrial.objects.exists()

    def test_whoever_does_not_agree_starts_nothing(self, client, judges):
        answer = post(client, agree="1", **{"limit-steps-most_calls": "9"})
        assert answer.status_code == 400 and not JudgeTrial.objects.exists()

    def test_a_judge_of_this_server_is_refused_beside_its_field(self, client, judges):
        answer = post(client, **{"llm_judge-model": "bundled:causal-nano"})
        assert answer.status_code == 400
        assert "only a model over the network can write" in answer.content.decode()

    def test_the_options_can_be_changed_again(self, client, judges):
        page = post(client, back="1", **{"llm_judge-aspects": "a: Good?"})
        assert page.status_code == 200
        assert "a: Good?</textarea>" in page.content.decode()

    def test_they_are_edited_and_become_the_option(self, client, judges, study):
        more = '{"model": "endpoint:lab/tiny", "mode": "form"}'
        given = {"llm_judge-aspects": "a: Good?", "llm_judge-prompt": "", "set": more}
        trial = done(agreed(client, **given))
        assert (trial.kind, trial.most_calls) == ("steps", 9)
        page = client.get(trial.get_absolute_url()).content.decode()
        assert "1. Read the &lt;b&gt;text&lt;/b&gt;." in page
        answer = client.post(
            f"{trial.get_absolute_url()}steps/", {"steps-a": "Look.\r\nDecide."}
        )
        assert answer["Location"] == f"{OPTIONS}?written={trial.pk}"
        page = client.get(answer["Location"]).content.decode()
        assert "a:\nLook.\nDecide.</textarea>" in page
        assert "a: Good?</textarea>" in page
        assert "Also score with" in page
        page = client.get(trial.get_absolute_url()).content.decode()
        assert "As the judge wrote them" in page

    def test_steps_that_the_option_would_not_take_are_said_beside_it(
        self, client, judges
    ):
        trial = done(agreed(client, **{"llm_judge-aspects": "a: Good?\nb: Fair?"}))
        sent = {"steps-a": "b:\nLook.", "steps-b": LIST}
        answer = client.post(f"{trial.get_absolute_url()}steps/", sent)
        assert answer.status_code == 400
        assert "appears twice" in answer.content.decode()

    @pytest.mark.parametrize("pk", ["x", "0", "999999999", "²", ""])
    def test_an_address_with_a_wrong_number_shows_the_form_as_it_comes(
        self, client, judges, pk
    ):
        answer = client.get(f"{OPTIONS}?written={pk}")
        assert answer.status_code == 200
        assert "The steps by" not in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_all_of_it_works_in_a_browser(page, live_server, study, monkeypatch, tmp_path):
    log_in(page, live_server.url)
    with served(monkeypatch, tmp_path, LIST, price_in=1.0, price_out=2.0):
        page.goto(f"{live_server.url}{OPTIONS}?model={MODEL}")
        page.get_by_text("More options").click()
        assert faults(page) == []
        page.get_by_label("Answers per question").press("Enter")
        page.get_by_role("heading", name="Before texts are sent").wait_for()
        page.get_by_role("button", name="Change the options").click()
        page.get_by_text("More options").click()
        page.get_by_role("button", name="Write steps with this judge").click()
        page.get_by_role("heading", name="Before questions are sent").wait_for()
        assert faults(page) == []
        page.get_by_label("I agree").check()
        page.get_by_role("button", name="Write the steps").click()
        page.get_by_role("button", name="Cancel").wait_for()
        trial = work(JudgeTrial.objects.get())
        assert trial.state == "done", trial.error
        # The page asks for itself and loads again.
        page.get_by_role("heading", name="Steps written by tiny on lab").wait_for()
        assert faults(page) == []
        page.get_by_role("button", name="Use these steps").click()
        page.get_by_text("The steps written by tiny on lab are below").wait_for()
        assert LIST in page.get_by_label("Evaluation steps").input_value()
        assert faults(page) == []
    assert page.problems == []
