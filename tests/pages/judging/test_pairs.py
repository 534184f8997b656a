"""The page of judges, and comparisons of pairs from the form to the files."""

from __future__ import annotations

import csv
import io

import pytest

from scoring.judging import pairs
from scoring.models import JudgeTrial
from tests.scoring.judging.asked import judges_file, longest, served, started, work
from tests.support.messages import catch

pytestmark = pytest.mark.usefixtures("as_alice")

URL = "/studies/ferry/judges/"
CHOSEN = {"model": "endpoint:lab/tiny", "aspect": "", "n": "5", "mode": "answer"}


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    catch(monkeypatch, "try_judge", lambda pk: None)


@pytest.fixture
def judges(monkeypatch, tmp_path):
    def write(url="http://127.0.0.1:9/v1", **fields):
        return judges_file(monkeypatch, tmp_path, url, **fields)

    write()
    return write


@pytest.fixture
def study(make_study, judges):
    return make_study(prompts=4)


def read(client, address=URL, **query):
    answer = client.get(address, query)
    assert answer.status_code == 200, answer.content.decode()[:2000]
    return answer.content.decode()


def chosen(study, **fields):
    usual = {**CHOSEN, "aspect": study.aspects.first().key, "samples": "5"}
    return {**usual, **fields}


def agree(client, study, address=None, **fields):
    given = {"agreed": "on", "most_calls": "30", **fields}
    query = "&".join(f"{name}={value}" for name, value in chosen(study).items())
    return client.post(f"{URL}pairs/?{query}", given)


class TestList:
    def test_without_a_judge_it_says_what_the_administrator_must_do(
        self, client, make_study, settings, tmp_path
    ):
        settings.DATA_DIR = tmp_path
        make_study()
        page = read(client)
        assert "judges.toml" in page and "manage.py judges" in page
        assert "Continue" not in page

    def test_a_study_without_pairs_leads_to_importing_texts(
        self, client, make_study, judges
    ):
        make_study(systems=("a",))
        page = read(client)
        assert "There are no pairs to compare" in page and "Import texts" in page

    def test_what_is_wrong_in_the_file_is_told_without_showing_it(
        self, client, study, judges
    ):
        judges().write_text('[judges.lab]\nurl = "secret"\nmodels = ["tiny"]')
        page = read(client)
        assert "1 judge setting is wrong" in page and "secret" not in page

    def test_it_offers_judges_questions_and_modes(self, client, study):
        page = read(client)
        assert "tiny on lab" in page
        assert pairs.question_text(study, study.aspects.first()) in page
        assert "probabilities of the answers" in page
        assert "people have voted on" not in page

    def test_others_do_not_see_it(self, client, study, django_user_model):
        client.force_login(django_user_model.objects.create_user("mallory"))
        assert client.get(URL).status_code == 404


class TestAgree:
    def test_it_says_what_would_be_sent_before_anything_is(self, client, study):
        page = read(client, f"{URL}pairs/", **chosen(study))
        assert "5 pairs of texts, each shown in both orders" in page
        assert "outside this server’s own network" in page
        assert "11, and one more for each that fails" in page
        assert not JudgeTrial.objects.exists()

    def test_the_way_back_keeps_what_was_chosen(self, client, study):
        page = read(client, f"{URL}pairs/", **chosen(study, n="7"))
        assert f'href="{URL}?model=endpoint%3Alab%2Ftiny' in page
        assert 'name="n" value="7"' in read(client, **chosen(study, n="7"))

    def test_without_consent_nothing_starts(self, client, study):
        answer = agree(client, study, agreed="")
        assert answer.status_code == 400
        assert "Tick the box if you agree" in answer.content.decode()
        assert not JudgeTrial.objects.exists()

    def test_with_it_the_trial_starts_with_the_limit(self, client, study):
        answer = agree(client, study)
        trial = JudgeTrial.objects.get()
        assert answer["Location"] == trial.get_absolute_url()
        assert (trial.most_calls, trial.created_by.username) == (30, "alice")
        assert len(trial.setup["pairs"]) == 5

    @pytest.mark.parametrize(
        ("field", "value", "said"),
        [
            ("model", "endpoint:lab/huge", "Select a valid choice"),
            ("n", "0", "greater than or equal to 1"),
            ("n", "many", "Enter a whole number"),
            ("mode", "guess", "Select a valid choice"),
            ("aspect", "<b>x</b>", "Select a valid choice"),
            ("samples", "1", "greater than or equal to 2"),
        ],
    )
    def test_an_error_stands_beside_its_field(self, client, study, field, value, said):
        answer = client.get(f"{URL}pairs/", chosen(study, **{field: value}))
        assert answer.status_code == 400
        assert said in answer.content.decode()
        assert "<b>x</b>" not in answer.content.decode()


class TestProgress:
    def test_it_asks_for_itself_until_the_trial_has_ended(self, client, study):
        trial = started(study)
        page = read(client, trial.get_absolute_url())
        address = f"{trial.get_absolute_url()}progress/"
        assert (
            f'hx-get="{address}"' in page
            and "No worker that can do this is running" in page
        )
        assert "Waiting" not in page
        JudgeTrial.objects.update(state="done")
        assert client.get(address)["HX-Refresh"] == "true"

    def test_it_can_be_cancelled_and_tried_again(self, client, study):
        trial = started(study)
        client.post(f"{trial.get_absolute_url()}cancel/")
        trial.refresh_from_db()
        assert trial.state == "cancelled"
        assert "Try again" in read(client, trial.get_absolute_url())
        client.post(f"{trial.get_absolute_url()}retry/")
        trial.refresh_from_db()
        assert trial.state == "queued"

    def test_retrying_one_that_runs_says_why_not(self, client, study):
        trial = started(study)
        answer = client.post(f"{trial.get_absolute_url()}retry/", follow=True)
        assert "Only a trial of a judge that failed" in answer.content.decode()

    def test_an_error_is_escaped(self, client, study):
        trial = started(study)
        JudgeTrial.objects.update(state="failed", error="<script>x")
        assert "<script>x" not in read(client, trial.get_absolute_url())

    def test_another_study_s_trial_is_not_there(self, client, study, make_study):
        trial = started(study)
        make_study(name="harbour")
        address = f"/studies/harbour/judges/{trial.pk}/"
        assert client.get(address).status_code == 404


@pytest.mark.django_db(transaction=True)
class TestResult:
    @pytest.fixture
    def done(self, study, monkeypatch, tmp_path):
        with served(monkeypatch, tmp_path, longest):
            trial = work(started(study, n=18))
        assert trial.state == "done", trial.error
        return trial

    def test_it_is_told_in_sentences_with_intervals(self, client, done):
        page = read(client, done.get_absolute_url())
        assert "In 0 % of the pairs (95 % interval: 0 % to " in page
        assert "The text shown first won as often as the text shown second." in page
        assert "All 18 pairs have a verdict." in page
        assert "llm_judge pairs|endpoint:lab/tiny|mode:answer" in page
        assert "<dd>37 of at most 1,000</dd>" in page

    def test_it_leads_to_preferences_by_its_name(self, client, done):
        page = read(client, done.get_absolute_url())
        assert f"?judge=tiny+on+lab%2C+comparison+{done.pk}" in page

    def test_the_file_has_every_verdict(self, client, done):
        address = f"{done.get_absolute_url()}verdicts.csv"
        answer = client.get(address)
        rows = list(csv.reader(io.StringIO(answer.content.decode())))
        assert len(rows) == 1 + 18
        assert rows[0][0] == "Text 1" and rows[1][6] in ("text 1", "text 2", "tie")
        for wrong in ("verdicts.exe", "nothing.csv"):
            assert client.get(f"{done.get_absolute_url()}{wrong}").status_code == 404

    def test_a_judge_that_takes_the_first_is_told_so(
        self, client, study, monkeypatch, tmp_path
    ):
        with served(monkeypatch, tmp_path, "A"):
            trial = work(started(study, n=6))
        page = read(client, trial.get_absolute_url())
        assert "In 100 % of the pairs" in page
        assert "The text shown first wins 100 percentage points more often" in page
        assert "the text shown first won both times in 6" in page

    def test_what_a_judge_says_is_escaped(self, client, study, monkeypatch, tmp_path):
        with served(monkeypatch, tmp_path, "<script>alert(1)</script>"):
            trial = work(started(study, n=2))
        page = read(client, trial.get_absolute_url())
        assert "2 of 2 pairs have no verdict" in page
        assert "<script>alert" not in page

    def test_the_list_has_it(self, client, done):
        page = read(client)
        assert done.get_absolute_url() in page and "Comparison of pairs" in page
