from __future__ import annotations

import pytest

from scoring.models import MetricRun
from tests.pages.runs.asking import MODEL, post
from tests.pages.runs.asking import OPTIONS as URL
from tests.support.messages import catch

pytestmark = pytest.mark.usefixtures("as_alice")


@pytest.fixture(autouse=True)
def nobody_scores(monkeypatch):
    catch(monkeypatch, "score_chunk", lambda pk: None)


@pytest.fixture
def study(make_study):
    return make_study()


def agree(client, **fields):
    given = {"agree": "1", "limit-0-agreed": "on", "limit-0-most_calls": "50"}
    return post(client, **{**given, **fields})


def test_judges_over_the_network_are_offered_by_name(client, judges):
    page = client.get(URL).content.decode()
    assert f'<option value="{MODEL}"' in page
    assert "tiny on lab (over the network)" in page


def test_how_answers_are_read_can_be_chosen_where_a_judge_is_set_up(client, judges):
    page = client.get(URL).content.decode()
    assert 'name="llm_judge-mode"' in page
    assert 'name="llm_judge-samples"' in page


def test_it_cannot_be_chosen_without_one(client, study):
    page = client.get(URL).content.decode()
    assert 'name="llm_judge-mode"' not in page
    assert 'name="llm_judge-samples"' not in page


def test_before_anything_is_sent_people_see_where_it_goes_and_how_much(client, judges):
    judges(price_in=1000, price_out=1000)
    page = post(client).content.decode()
    assert not MetricRun.objects.exists()
    for said in (
        "Nothing is sent until you agree",
        "the endpoint lab, for the model tiny",
        "outside this server’s own network",
        "<dt>Calls</dt>",
        "USD",
    ):
        assert said in page


def test_the_address_of_a_judge_is_told_to_nobody(client, judges):
    page = post(client).content.decode()
    assert "127.0.0.1:9" not in page + client.get(URL).content.decode()


def test_a_judge_that_keeps_texts_inside_is_said_to(client, judges):
    judges(leaves_site="false")
    page = post(client).content.decode()
    assert "inside this server’s own network, according to your administrator" in page
    assert "outside this server" not in page


def test_without_a_price_no_money_is_asked_for(client, judges):
    page = post(client).content.decode()
    assert "your administrator has not set a price" in page
    assert "limit-0-most_cost" not in page


def test_whoever_agrees_starts_the_run_within_the_limit(client, judges, study):
    answer = agree(client)
    run = study.runs.get()
    assert answer["Location"] == run.get_absolute_url()
    assert (run.most_calls, run.most_cost) == (50, None)
    assert run.agreed_at is not None
    assert run.options["model"] == MODEL
    assert run.options["mode"] == "answer"


def test_money_is_limited_in_the_currency_of_the_judge(client, judges, study):
    judges(price_in=1, price_out=2, currency='"EUR"')
    agree(client, **{"limit-0-most_cost": "0.25"})
    run = study.runs.get()
    assert (run.most_cost, run.currency) == (0.25, "EUR")


@pytest.mark.parametrize(
    ("field", "value"),
    [("limit-0-agreed", ""), ("limit-0-most_calls", ""), ("limit-0-most_calls", "0")],
)
def test_whoever_does_not_agree_or_limit_starts_nothing(client, judges, field, value):
    given = {"agree": "1", "limit-0-agreed": "on", "limit-0-most_calls": "50"}
    given = {name: one for name, one in {**given, field: value}.items() if one}
    answer = post(client, **given)
    assert answer.status_code == 400
    assert not MetricRun.objects.exists()


def test_the_page_carries_what_was_chosen(client, judges):
    words = 'fluency: "Is it <b>fluent</b>?"'
    page = post(client, **{"llm_judge-aspects": words}).content.decode()
    assert "fluency: &quot;Is it &lt;b&gt;fluent&lt;/b&gt;?&quot;" in page


def test_the_options_can_be_changed_again(client, judges):
    page = post(client, back="1", **{"llm_judge-aspects": "a: Good?"})
    assert page.status_code == 200
    assert "a: Good?</textarea>" in page.content.decode()
    assert not MetricRun.objects.exists()


def test_a_judge_that_is_gone_by_now_is_refused_beside_its_field(client, judges):
    answer = agree(client, **{"llm_judge-model": "endpoint:lab/other"})
    assert answer.status_code == 400
    assert "has not set up this model" in answer.content.decode()
    assert not MetricRun.objects.exists()


def test_each_of_several_sets_has_its_own_limit(client, judges, study):
    more = '{"model": "endpoint:lab/tiny", "mode": "form"}'
    page = post(client, set=more).content.decode()
    assert "limit-0-most_calls" in page
    assert "limit-1-most_calls" in page
    agree(client, set=more, **{"limit-1-agreed": "on", "limit-1-most_calls": "7"})
    found = study.runs.order_by("pk").values_list("options__mode", "most_calls")
    assert list(found) == [("answer", 50), ("form", 7)]


def test_nothing_with_a_judge_over_the_network_starts_by_itself(client, judges, study):
    """The button for everything that runs here does not ask."""
    page = client.get("/studies/ferry/metrics/").content.decode()
    assert "Choose one over the network" in page
    client.post("/studies/ferry/metrics/start/", {"metric": ["llm_judge"]})
    assert not study.runs.exists()
