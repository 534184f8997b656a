"""Whatever kind of work it is: the API lists, reads, cancels and retries it."""

from __future__ import annotations

import pytest

from evalapp.work import kinds
from evalapp.work.kinds import Work
from evalapp.work.models import Leased
from tests.support.rows import NOON, ended_job, job_of, row_of

State = Leased.State

pytestmark = pytest.mark.django_db


@pytest.fixture(params=kinds.registered(), ids=lambda work: work.name)
def work(request) -> Work:
    return request.param


@pytest.fixture
def study(make_study):
    return make_study()


@pytest.fixture
def row(work, study) -> Leased:
    return row_of(work, study)


@pytest.fixture
def api(client, study):
    client.force_login(study.owner)
    return client


def address(work: Work, study, action: str = "") -> str:
    job = job_of(work, study)
    return f"/api/v1/studies/{study.name}/work/{work.name}/{job.pk}/{action}"


def test_it_is_listed_and_read(api, work, row, study):
    listed = api.get(f"/api/v1/studies/{study.name}/work/?kind={work.name}").json()
    job = api.get(address(work, study)).json()
    assert listed["results"] == [job]
    assert (job["kind"], job["state"], job["workers"]) == (work.name, "queued", 0)


def test_it_is_cancelled(api, work, row, study):
    answer = api.post(address(work, study, "cancel/")).json()
    row.refresh_from_db()
    assert (answer["state"], row.state) == ("cancelled", State.CANCELLED)


@pytest.mark.parametrize("state", (State.FAILED, State.CANCELLED))
def test_it_is_tried_again_unless_that_writes_or_pays(api, work, row, study, state):
    job = ended_job(work, study, state)
    answer = api.post(address(work, study, "retry/"))
    row.refresh_from_db()
    if refusal := work.why_no_retry(job):
        assert answer.json() == {"errors": [refusal]}
        assert row.state == state
    else:
        assert (answer.json()["state"], row.state) == ("queued", State.QUEUED)


def test_what_is_done_is_not_tried_again(api, work, row, study):
    ended_job(work, study, State.DONE)
    answer = api.post(address(work, study, "retry/"))
    row.refresh_from_db()
    assert (answer.status_code, row.state) == (400, State.DONE)


def test_nobody_else_sees_it(client, work, row, study, bob):
    client.force_login(bob)
    own = address(work, study)
    assert client.get(own).status_code == 404
    assert client.post(f"{own}cancel/").status_code == 404
    row.refresh_from_db()
    assert row.state == State.QUEUED


def test_pages_go_on_from_one_kind_to_the_next(api, study):
    for work in kinds.registered():
        row_of(work, study)
    address = f"/api/v1/studies/{study.name}/work/"
    whole = api.get(address).json()
    names = [job["kind"] for job in whole["results"]]
    assert names == [work.name for work in kinds.registered()]
    pages = [
        api.get(f"{address}?limit=5&offset={offset}").json()["results"]
        for offset in range(0, whole["count"], 5)
    ]
    assert sum(pages, []) == whole["results"]


@pytest.mark.parametrize("query", ["kind=walks", "state=lost"])
def test_what_there_is_not_is_refused_with_what_there_is(api, study, query):
    answer = api.get(f"/api/v1/studies/{study.name}/work/?{query}")
    assert answer.status_code == 400
    assert "expected one of" in answer.json()["errors"][0]


def test_they_are_listed_by_state(api, study):
    for work in kinds.registered():
        row_of(work, study)
    kinds.find("probes").model.objects.update(state=State.FAILED)
    listed = api.get(f"/api/v1/studies/{study.name}/work/?state=failed").json()
    assert [job["kind"] for job in listed["results"]] == ["probes"]


def test_a_run_that_pays_a_judge_is_not_tried_again(api, study):
    row_of(kinds.find("runs"), study)
    study.runs.update(state=State.FAILED, agreed_at=NOON)
    answer = api.post(address(kinds.find("runs"), study, "retry/"))
    assert "which may cost money" in answer.json()["errors"][0]
    assert study.runs.get().state == State.FAILED
