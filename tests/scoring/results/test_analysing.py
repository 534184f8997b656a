"""Results of analyses: kept, shown at once, computed again by a worker."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from annotation.models import Annotation, Import
from evalapp.work import dispatch, leases
from scoring import analyses
from scoring.models import Analysis
from scoring.results import analysing
from tests.scoring import analysed
from tests.support.messages import catch

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def sent(monkeypatch) -> list[int]:
    """Ids of the analyses that workers were woken up for."""
    found: list[int] = []
    catch(monkeypatch, "analyse", found.append)
    return found


@pytest.fixture
def study(make_study):
    return make_study()


def rate(study, value: int = 4) -> None:
    """A file with one rating of every text on its first aspect."""
    imported = Import.objects.create(study=study, format="csv", sha256="0")
    rows = [
        Annotation(
            imported=imported,
            generation=generation,
            aspect=study.aspects.first(),
            value=value,
            updated_at=NOON,
        )
        for generation in study.generations.all()
    ]
    Annotation.objects.bulk_create(rows)


def ask(study, now=NOON, **chosen) -> Analysis:
    options = analyses.options("agreement", chosen)
    return analysing.find(study=study, name="agreement", options=options, now=now)


class TestFind:
    def test_a_page_never_waits_for_numbers(
        self, study, sent, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            row = ask(study)
        assert (row.state, row.result, sent) == ("queued", None, [row.pk])

    def test_who_asks_again_wakes_nobody_up_again(
        self, study, sent, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            ask(study)
            ask(study)
        assert len(set(sent)) == 1
        assert Analysis.objects.count() == 1

    def test_other_options_are_another_result(self, study):
        assert ask(study).pk != ask(study, level="nominal").pk

    def test_the_old_result_stays_while_a_new_one_is_computed(self, study):
        row = ask(study)
        analysed.work(study)
        rate(study)
        row = ask(study)
        assert (row.state, row.result is None) == ("queued", False)
        assert not analysing.fresh(row)

    def test_a_result_by_another_version_is_none_and_computed_anew(
        self, study, monkeypatch
    ):
        """A page of today may not know the parts of yesterday's result."""
        ask(study)
        analysed.work(study)
        monkeypatch.setattr(analyses.get("agreement"), "VERSION", 0)
        row = ask(study)
        assert (row.state, row.result) == ("queued", None)
        analysed.work(study)
        assert ask(study).result is not None

    def test_a_change_is_noticed_however_much_there_is_to_compare(
        self, study, monkeypatch
    ):
        monkeypatch.setattr(
            "scoring.results.study_arrays.stamp", lambda study: "9" * 300 + "0"
        )
        ask(study)
        analysed.work(study)
        monkeypatch.setattr(
            "scoring.results.study_arrays.stamp", lambda study: "9" * 300 + "1"
        )
        assert ask(study).state == "queued"

    def test_an_unchanged_study_is_not_computed_again(self, study):
        ask(study)
        analysed.work(study)
        row = ask(study)
        assert row.state == "done"
        assert analysing.fresh(row)


class TestCompute:
    def test_the_result_says_what_it_is_made_of(self, study):
        row = ask(study)
        analysing.ANALYSES.perform(pk=row.pk, owner="a", clock=lambda: NOON)
        row.refresh_from_db()
        assert row.result["made_of"]["analysis"] == "agreement"
        assert (row.state, row.computed_at) == ("done", NOON)

    def test_an_analysis_that_another_worker_has_is_left_alone(self, study):
        row = ask(study)
        lease = NOON + timedelta(minutes=1)
        Analysis.objects.update(state="running", owner="b", lease_until=lease)
        analysing.ANALYSES.perform(pk=row.pk, owner="a", clock=lambda: NOON)
        row.refresh_from_db()
        assert (row.state, row.owner) == ("running", "b")

    def test_an_error_is_kept_in_words_and_may_be_tried_again(self, study, monkeypatch):
        row = ask(study)

        def fail(**_: object) -> None:
            raise MemoryError("too many texts")

        monkeypatch.setattr(analysing, "result_of", fail)
        analysing.ANALYSES.perform(pk=row.pk, owner="a", clock=lambda: NOON)
        row.refresh_from_db()
        assert (row.state, row.error) == ("failed", "MemoryError: too many texts")
        assert ask(study).state == "failed"
        analysing.ANALYSES.retry(row)
        row.refresh_from_db()
        assert row.state == "queued"

    def test_a_rating_that_comes_in_meanwhile_makes_the_result_an_old_one(
        self, study, monkeypatch
    ):
        row = ask(study)
        compute = analysing.result_of

        def slowly(**asked):
            rate(study)
            return compute(**asked)

        monkeypatch.setattr(analysing, "result_of", slowly)
        analysing.ANALYSES.perform(pk=row.pk, owner="a", clock=lambda: NOON)
        assert ask(study).state == "queued"


class TestRefresh:
    def test_what_was_seen_lately_is_computed_anew_when_ratings_come(
        self, study, sent, django_capture_on_commit_callbacks
    ):
        row = ask(study)
        analysed.work(study)
        rate(study)
        with django_capture_on_commit_callbacks(execute=True):
            analysing.refresh(now=NOON + timedelta(minutes=5))
        row.refresh_from_db()
        assert (row.state, sent[-1]) == ("queued", row.pk)

    def test_what_nobody_has_looked_at_for_a_day_rests(self, study):
        row = ask(study)
        analysed.work(study)
        rate(study)
        analysing.refresh(now=NOON + timedelta(days=2))
        row.refresh_from_db()
        assert row.state == "done"

    def die(self, row) -> str:
        """A worker dies while it computes, and its lease lapses."""
        leases.take(Analysis.objects.all(), pk=row.pk, owner="b", now=NOON)
        dispatch.reap(now=NOON + leases.LEASE)
        row.refresh_from_db()
        return row.state

    def test_what_a_dead_worker_had_is_queued_again(self, study, sent):
        row = ask(study)
        assert (self.die(row), sent) == ("queued", [row.pk])

    def test_what_kills_each_worker_waits_for_a_person(self, study):
        row = ask(study)
        states = [self.die(row) for _ in range(leases.ATTEMPTS)]
        assert states == ["queued", "queued", "failed"]
        assert "out of memory? Try fewer metrics" in row.error
        rate(study)
        assert ask(study).state == "failed"
        analysing.ANALYSES.retry(row)
        assert ask(study).state == "queued"

    def test_what_failed_is_tried_again_with_other_data(self, study, monkeypatch):
        row = ask(study)
        monkeypatch.setattr(analysing, "result_of", lambda **given: 1 / 0)
        analysed.work(study)
        assert ask(study).state == "failed"
        rate(study)
        row = ask(study)
        assert (row.state, row.attempt, row.error) == ("queued", 0, "")

    def test_once_it_is_computed_the_death_is_forgotten(self, study):
        row = ask(study)
        self.die(row)
        analysed.work(study)
        row.refresh_from_db()
        assert (row.state, row.error) == ("done", "")

    def test_a_living_worker_keeps_what_it_computes(self, study):
        row = ask(study)
        leases.take(Analysis.objects.all(), pk=row.pk, owner="b", now=NOON)
        leases.renew_all(owner="b", now=NOON + timedelta(seconds=60))
        dispatch.reap(now=NOON + leases.LEASE)
        row.refresh_from_db()
        assert row.state == "running"


def test_a_result_that_nobody_looks_at_is_deleted_after_a_month(study):
    old, new = ask(study), ask(study, now=NOON + timedelta(days=20), level="nominal")
    analysing.forget(now=NOON + timedelta(days=31))
    assert list(Analysis.objects.all()) == [new]
    assert old != new


class TestPages:
    def test_a_stranger_sees_nothing(self, client, bob, study):
        client.force_login(bob)
        assert (
            client.get(f"/studies/{study.name}/results/agreement/").status_code == 404
        )

    def test_an_unknown_analysis_is_not_found(self, client, alice, study):
        client.force_login(alice)
        assert client.get(f"/studies/{study.name}/results/nothing/").status_code == 404

    def test_the_page_looks_for_its_numbers_until_they_are_there(
        self, client, alice, study
    ):
        client.force_login(alice)
        address = f"/studies/{study.name}/results/agreement/"
        assert "every 2s" in client.get(address).content.decode()
        asked = client.get(address, {"as_of": "0"})
        assert (asked.status_code, "HX-Refresh" in asked.headers) == (200, False)
        analysed.work(study)
        assert client.get(address, {"as_of": "0"}).headers["HX-Refresh"] == "true"
        assert "every 2s" not in client.get(address).content.decode()

    def test_wrong_options_are_said_and_nothing_is_computed(self, client, alice, study):
        client.force_login(alice)
        address = f"/studies/{study.name}/results/agreement/"
        page = client.get(address, {"prompts": "first"}).content.decode()
        assert "Expected numbers and ranges such as 1-20, 33" in page
        assert not Analysis.objects.exists()

    @pytest.mark.parametrize("format", ["csv", "tex", "json"])
    def test_each_table_is_a_download(self, client, alice, study, format):
        client.force_login(alice)
        analysed.page(client, study, "agreement")
        address = f"/studies/{study.name}/results/agreement/alpha.{format}"
        found = client.get(address)
        assert found.status_code == 200
        assert "attachment" in found.headers["Content-Disposition"]

    def test_a_download_before_the_numbers_says_so(self, client, alice, study):
        client.force_login(alice)
        found = client.get(f"/studies/{study.name}/results/agreement/alpha.csv")
        assert (found.status_code, b"being computed" in found.content) == (409, True)
