from __future__ import annotations

import pytest

from annotation import exports, human_scores
from annotation.models import Item, Report
from annotation.watching import reports, reviewing, summary
from scoring.results import overview
from tests.annotation.seating import LATER, NOON, hand_in, lay_out, sit
from tests.support.scored import give_means, rate, table_of_systems


@pytest.fixture
def study(make_study):
    study = make_study(prompts=1, ratings_per_text=3)
    lay_out(study)
    return study


@pytest.fixture
def text(study):
    """A real text of the page that two people rated, reported by one of them."""
    seat = hand_in(sit(study, "w1"))
    hand_in(sit(study, "w2"))
    item = Item.objects.filter(generation__isnull=False).first()
    position = seat.order.index(item.pk) + 1
    reports.report(seat=seat, position=position, reason="It insults.", now=NOON)
    return item


@pytest.fixture
def negative(study):
    seat = sit(study, "w3")
    item = Item.objects.get(negative__isnull=False)
    position = seat.order.index(item.pk) + 1
    reports.report(seat=seat, position=position, reason="Nonsense.", now=NOON)
    return item


def exclude(item, user, reason="It insults a group.", now=LATER):
    reports.exclude(item=item, reason=reason, user=user, now=now)


def keep(item, user, note="", now=LATER):
    reports.keep(item=item, note=note, user=user, now=now)


def rated(study, **which) -> set[int]:
    return set(human_scores.means(study=study, **which).generations.tolist())


class TestQueue:
    def test_reports_of_one_text_stand_together(self, study, text):
        seat = study.workers.get(external_id="w2").seats.get()
        position = seat.order.index(text.pk) + 1
        reports.report(seat=seat, position=position, reason="Rude.", now=LATER)
        (found,) = reports.queue(study=study)
        assert [report.reason for report in found.reports] == ["It insults.", "Rude."]
        assert found.is_open and not found.excluded
        assert reports.n_open(study=study) == 1

    def test_what_nobody_has_looked_at_comes_first(self, study, text, negative, alice):
        keep(text, alice)
        assert [row.item for row in reports.queue(study=study)] == [negative, text]
        assert reports.n_open(study=study) == 1

    def test_one_query_however_many_reports(
        self, study, text, negative, django_assert_num_queries
    ):
        with django_assert_num_queries(1):
            for row in reports.queue(study=study):
                assert row.item.text and reports.name_of(row.item)


class TestExclude:
    def test_an_excluded_text_leaves_all_statistics(self, study, text, alice):
        exclude(text, alice)
        assert text.generation_id not in rated(study)
        counts = human_scores.counts(study=study, aspect=study.aspects.first())
        assert text.generation_id not in counts.generations
        assert overview.now(study=study)["agreement"][0]["n_texts"] == 3
        assert summary.agreement(study=study)[0].n_texts == 3
        table = summary.table_1(study=study)
        assert (table.texts, table.systems, table.ratings) == (3, 3, 2)

    def test_statistics_with_it_stay_within_reach(self, study, text, alice):
        exclude(text, alice)
        assert text.generation_id in rated(study, with_excluded=True)
        with_it = overview.now(study=study, with_excluded=True)["agreement"]
        assert with_it[0]["n_texts"] == 4
        systems = table_of_systems(study=study, with_excluded=True)
        assert [row.n_texts for row in systems.rows] == [1] * 4

    def test_imported_ratings_and_means_of_it_leave_too(self, study, text, alice):
        rate(study, "coherence", [[3]] * 4)
        give_means(study, "relevance", [2.5] * 4)
        exclude(text, alice)
        assert len(rated(study)) == 3
        assert len(rated(study, with_excluded=True)) == 4

    def test_its_reports_say_who_decided_and_why(self, study, text, alice):
        exclude(text, alice)
        report = Report.objects.get()
        assert (report.state, report.resolution) == ("excluded", "It insults a group.")
        assert (report.resolved_by, report.resolved_at) == (alice, LATER)

    def test_it_is_logged_by_its_key(self, study, text, alice):
        exclude(text, alice)
        event = study.events.get()
        assert (event.verb, event.about) == ("excluded-text", text.generation.key)
        assert (event.user, event.detail) == (alice, "It insults a group.")

    def test_it_needs_a_reason(self, study, text, alice):
        with pytest.raises(reviewing.ReviewError, match="Enter a reason"):
            exclude(text, alice, reason="  ")
        assert text.generation_id in rated(study)

    def test_a_negative_cannot_leave_what_it_never_entered(self, negative, alice):
        with pytest.raises(reviewing.ReviewError, match="in no statistic"):
            exclude(negative, alice)
        assert Report.objects.get().state == "open"

    def test_exports_give_its_numbers_apart(self, study, text, alice):
        exclude(text, alice)
        key = text.generation.key
        rows = [row for row in exports.scores(study=study) if row["text"] == key]
        assert {row["excluded"] for row in rows} == {True}
        assert {(row["mean"], row["n"]) for row in rows} == {(None, 0)}
        found = {(row["mean_with_excluded"], row["n_with_excluded"]) for row in rows}
        assert found == {(4, 2)}
        (row,) = [row for row in exports.texts(study=study) if row["excluded"]]
        assert (row["key"], row["excluded_reason"]) == (key, "It insults a group.")


class TestKeep:
    def test_a_text_that_was_excluded_counts_again(self, study, text, alice):
        before = rated(study)
        exclude(text, alice)
        keep(text, alice, note="Read again: harmless.")
        assert rated(study) == before
        verbs = study.events.values_list("verb", flat=True)
        assert list(verbs) == ["included-text", "excluded-text"]

    def test_a_negative_is_kept_with_a_note(self, study, negative, alice):
        keep(negative, alice, note="The page is fine.")
        report = Report.objects.get()
        assert (report.state, report.resolution) == ("kept", "The page is fine.")
        assert study.events.get().about == "negative of survey 1"


class TestStamp:
    def test_every_change_of_what_is_excluded_changes_it(self, study, text, alice):
        other = text.survey.items.filter(generation__isnull=False).last()
        stamps = [human_scores.stamp(study=study)]
        exclude(text, alice, now=NOON)
        stamps.append(human_scores.stamp(study=study))
        keep(text, alice)
        exclude(other, alice, now=LATER)
        stamps.append(human_scores.stamp(study=study))
        keep(other, alice)
        assert len(set(stamps)) == 3
        assert human_scores.stamp(study=study) == stamps[0]
