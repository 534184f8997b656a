from __future__ import annotations

from datetime import timedelta

import pytest

from annotation import answering
from annotation.models import Study
from annotation.watching import progress, summary
from tests.annotation.seating import NOON, hand_in, lay_out, page, sit
from tests.support.scored import give_means, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    """Two surveys of four texts, two places each; open."""
    study = make_study()
    lay_out(study)
    return study


class TestCoverage:
    def test_it_wants_each_text_rated_as_often_as_asked(self, study):
        covered = progress.coverage(study=study)
        assert (covered.wanted, covered.valid, covered.texts) == (16, 0, 8)

    def test_it_wants_the_same_before_the_surveys_are_drawn(self, make_study):
        assert progress.coverage(study=make_study()).wanted == 16

    def test_a_valid_page_counts_its_real_texts_but_not_the_negative(self, study):
        hand_in(sit(study, "w1"))
        covered = progress.coverage(study=study)
        assert (covered.valid, covered.left, covered.percent) == (4, 12, 25)

    def test_a_discarded_page_does_not_count(self, study):
        hand_in(sit(study, "w1"), careful=False)
        assert progress.coverage(study=study).valid == 0

    def test_it_is_complete_when_every_place_is_filled(self, study):
        for name in ("w1", "w2", "w3", "w4"):
            hand_in(sit(study, name))
        assert progress.coverage(study=study).complete

    def test_it_says_100_percent_only_when_nothing_is_missing(self):
        assert progress.Coverage(1000, 999, 200, 0).percent == 99

    def test_an_empty_study_wants_nothing_and_is_not_complete(self, make_study):
        covered = progress.coverage(study=make_study(prompts=0))
        assert (covered.wanted, covered.percent, covered.complete) == (0, 0, False)

    def test_it_counts_texts_whose_ratings_or_means_came_with_a_file(self, study):
        rate(study, "coherence", [[1, 2], [3]])
        give_means(study, "relevance", [4.5, 4.0, 3.5])
        assert progress.coverage(study=study).imported == 3


def test_seats_are_counted_by_state(study):
    sit(study, "w1")
    hand_in(sit(study, "w2"))
    hand_in(sit(study, "w3"), careful=False)
    found = dict(summary.seats(study=study))
    assert found == {
        **dict.fromkeys(("Expired", "Surplus"), 0),
        **dict.fromkeys(("Claimed", "Valid", "Discarded"), 1),
    }


class TestDiscards:
    def test_pages_with_the_same_reason_add_up(self, study):
        for name in ("w1", "w2"):
            hand_in(sit(study, name), careful=False)
        said = "damaged text rated above the best real text, on coherence"
        assert summary.discards(study=study) == [(said, 2)]

    def test_a_verdict_of_another_kind_is_given_in_its_own_words(self, study):
        seat = hand_in(sit(study, "w1"), careful=False)
        seat.verdicts.update(reason="Too fast.", numbers={})
        assert summary.discards(study=study) == [("Too fast.", 1)]

    def test_a_study_without_discards_has_no_reasons(self, study):
        hand_in(sit(study, "w1"))
        assert summary.discards(study=study) == []


class TestAgreement:
    def test_it_has_each_aspect_at_each_level(self, study):
        rate(study, "coherence", [[1, 1], [5, 5], [3, 3]])
        coherence, consistency, _ = summary.agreement(study=study)
        assert [(level, a.value) for level, a in coherence.levels] == [
            ("ordinal", 1.0),
            ("interval", 1.0),
            ("nominal", 1.0),
        ]
        assert (coherence.n_texts, coherence.n_ratings) == (3, 6)
        assert consistency.levels[0][1].value is None

    def test_discarded_pages_and_negatives_are_left_out(self, study):
        for name in ("w1", "w2"):
            hand_in(sit(study, name), careful=False)
        assert [row.n_ratings for row in summary.agreement(study=study)] == [0, 0, 0]


class TestTableOne:
    def test_it_counts_what_table_1_of_the_paper_counts(self, make_study):
        table = summary.table_1(study=make_study(prompts=4, samples=2))
        assert table[:5] == (2, 2, 4, 32, 2)
        assert table.ratings is None
        assert table.prompts == 4

    def test_texts_without_an_opening_have_prompts_all_the_same(self, make_study):
        study = make_study(prompts=4, samples=1)
        study.prompts.update(prefix="")
        table = summary.table_1(study=study)
        assert (table.prompts, table.prefixes) == (4, 0)

    def test_ratings_are_the_mean_over_texts_and_aspects(self, make_study):
        study = make_study(aspects=("coherence",))
        rate(study, "coherence", [[1, 2, 3], [4]])
        assert summary.table_1(study=study).ratings == 4 / 8

    def test_length_is_that_of_the_full_text_in_words(self, make_study):
        study = make_study(prompts=1, systems=("a",))
        study.prompts.update(prefix="Two words")
        study.generations.update(text="and three more")
        assert summary.table_1(study=study).words == 5

    def test_lengths_are_counted_again_after_an_upload(self, make_study):
        study = make_study(prompts=1, systems=("a",))
        before = summary.table_1(study=study).words
        prompt = study.prompts.get()
        study.generations.create(key="new", prompt=prompt, sample=9, text="short")
        assert summary.table_1(study=study).words < before

    def test_an_empty_study_has_no_length(self, make_study):
        table = summary.table_1(study=make_study(prompts=0))
        assert (table.texts, table.words, table.samples) == (0, None, 0)


class TestHoursLeft:
    def test_it_goes_on_as_the_last_day_went(self, make_study):
        study = make_study(ratings_per_text=5)
        lay_out(study)
        soon, now = NOON + timedelta(minutes=30), NOON + timedelta(hours=1)
        for n in range(4):
            hand_in(sit(study, f"w{n}", NOON), now=soon)
        assert summary.hours_left(study=study, left=60, now=now) is None
        hand_in(sit(study, "w4", NOON), now=soon)
        # 20 ratings in an hour, 60 are left.
        assert summary.hours_left(study=study, left=60, now=now) == 3

    def test_without_a_pace_it_says_nothing(self, study):
        assert summary.hours_left(study=study, left=12, now=NOON) is None

    def test_work_of_last_week_is_no_pace(self, study):
        hand_in(sit(study, "w1", NOON))
        now = NOON + timedelta(days=7)
        assert summary.hours_left(study=study, left=12, now=now) is None


class TestNextStep:
    def step(self, state, *, wanted=16, valid=0, texts=8, imported=0):
        covered = progress.Coverage(wanted, valid, texts, imported)
        return summary.next_step(study=Study(state=state), covered=covered)

    @pytest.mark.parametrize(
        ("state", "covered", "url_name"),
        [
            ("draft", {"texts": 0, "wanted": 0}, "study_import"),
            ("draft", {}, "study_setup"),
            ("open", {"valid": 4}, ""),
            ("open", {"valid": 16}, "study_close"),
            ("paused", {"valid": 4}, "study_open"),
            ("closed", {"valid": 4}, "results"),
        ],
    )
    def test_each_state_has_its_one_action(self, state, covered, url_name):
        step = self.step(state, **covered)
        assert step.url_name == url_name
        assert step.post == (url_name in ("study_open", "study_close"))

    def test_where_ratings_came_with_a_file_the_answer_says_what_is_next(self):
        assert self.step("draft", imported=8) is None

    def test_a_draft_names_all_texts_that_are_there(self):
        covered = progress.Coverage(60, 0, 30, 0, left_out=70)
        step = summary.next_step(study=Study(state="draft"), covered=covered)
        assert step.sentence.startswith("100 texts are imported.")

    def test_it_says_how_much_is_missing(self):
        assert "12 of 16 ratings" in self.step("open", valid=4).sentence


@pytest.mark.parametrize("prompts", [2, 12])
def test_a_larger_study_takes_no_more_queries(
    make_study, django_assert_num_queries, prompts
):
    study = make_study(prompts=prompts)
    lay_out(study)
    for name in ("w1", "w2"):
        hand_in(sit(study, name))
    summary.table_1(study=study)  # lengths are in the cache from here on
    with django_assert_num_queries(20):
        progress.coverage(study=study)
        summary.seats(study=study)
        summary.discards(study=study)
        summary.table_1(study=study)
        summary.agreement(study=study)
        summary.hours_left(study=study, left=1, now=NOON)


def test_a_page_is_counted_under_the_check_that_discarded_it(make_study):
    study = make_study(prompts=1)
    lay_out(study)
    study.policies.update(same_score=True)
    seat = sit(study, "w1")
    answering.submit(seat=seat, answers=page(seat, real=3, negative=3), now=NOON)
    assert summary.discards(study=study) == [("same answer everywhere", 1)]


def test_pages_that_are_added_while_others_are_counted_are_no_error(study, monkeypatch):
    first = study.surveys.first().pk
    asked = progress._asked(study)
    monkeypatch.setattr(progress, "_asked", lambda study: {first: asked[first]})
    assert progress.coverage(study=study).wanted == 8
