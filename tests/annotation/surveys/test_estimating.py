from __future__ import annotations

import pytest

from annotation.surveys import estimating
from tests.annotation.seating import lay_out


class TestMinutes:
    def test_reading_answering_and_looking_it_over_take_their_time(self):
        assert estimating.seconds(characters=2000, answers=15) == 20 + 100 + 60

    @pytest.mark.parametrize(("language", "seconds"), [("zh-hans", 300), ("ja", 200)])
    def test_scripts_that_say_more_with_a_character_take_longer(
        self, language, seconds
    ):
        found = estimating.seconds(characters=2000, answers=0, language=language)
        assert found == 20 + seconds

    @pytest.mark.parametrize(
        ("characters", "minutes"), [(800, 2), (2000, 3), (2001, 4)]
    )
    def test_it_is_rounded_up(self, characters, minutes):
        assert estimating.minutes(characters=characters, answers=15) == minutes


class TestMinutesPerPage:
    def test_before_surveys_are_drawn_nobody_knows(self, make_study):
        assert estimating.minutes_per_page(make_study()) is None

    def test_what_the_researcher_says_comes_first(self, make_study):
        assert estimating.minutes_per_page(make_study(minutes_per_page=7)) == 7

    def test_it_is_that_of_the_average_page(self, make_study):
        study = make_study(prompts=2, aspects=("coherence", "style"))
        lay_out(study)
        # Four real texts of 1500 characters on each page, and a damaged one.
        study.generations.update(text="x" * 1500)
        expected = estimating.minutes(characters=6000 + len("damaged"), answers=10)
        assert estimating.minutes_per_page(study) == expected == 7

    def test_its_queries_do_not_grow(self, make_study, django_assert_num_queries):
        study = make_study(prompts=4)
        lay_out(study)
        with django_assert_num_queries(2):
            estimating.minutes_per_page(study)
