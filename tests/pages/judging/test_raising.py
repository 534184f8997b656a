"""The page of a trial that stopped at its limit: what was reached, and a form."""

from __future__ import annotations

import pytest

from scoring.models import JudgeTrial
from tests.pages.browsing import faults, log_in
from tests.scoring.judging.asked import served, started
from tests.support.messages import catch

SAID = "The limit of 5 calls was reached. Answers received so far are kept."


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    catch(monkeypatch, "try_judge", lambda pk: None)


@pytest.fixture
def trial(make_study, monkeypatch, tmp_path):
    with served(monkeypatch, tmp_path, "1", price_in=1.0, price_out=1.0):
        found = started(make_study())
        JudgeTrial.objects.update(
            kind="stress",
            setup={"ids": [], "experiments": [], "family": []},
            state="failed",
            error=SAID,
            n_calls=5,
            most_calls=5,
            most_cost=0.5,
            cost=0.25,
            currency="USD",
        )
        found.refresh_from_db()
        yield found


@pytest.mark.usefixtures("as_alice")
class TestPage:
    def test_it_says_what_was_reached_and_asks_for_more(self, client, trial):
        page = client.get(trial.get_absolute_url()).content.decode()
        assert page.count(SAID) == 1
        assert "5 of at most 5" in page and "0.25 USD of at most 0.50 USD" in page
        assert "Raise the limit and continue" in page
        assert "Try again" not in page

    def test_it_goes_on(self, client, trial):
        url = f"{trial.get_absolute_url()}raise/"
        client.post(url, {"most_calls": "50", "most_cost": "2"})
        trial.refresh_from_db()
        assert (trial.state, trial.most_calls, trial.most_cost) == ("queued", 50, 2.0)

    @pytest.mark.parametrize("calls", ["", "x", "4"])
    def test_a_limit_that_will_not_do_is_told(self, client, trial, calls):
        url = f"{trial.get_absolute_url()}raise/"
        answer = client.post(url, {"most_calls": calls, "most_cost": "2"}, follow=True)
        assert "notice error" in answer.content.decode()
        trial.refresh_from_db()
        assert (trial.state, trial.most_calls) == ("failed", 5)


@pytest.mark.django_db(transaction=True)
def test_the_page_is_accessible_and_narrow_in_both_themes(page, live_server, trial):
    page = log_in(page, live_server.url)
    page.goto(live_server.url + trial.get_absolute_url())
    page.get_by_role("button", name="Raise the limit and continue").wait_for()
    assert faults(page) == []
    assert page.problems == []
