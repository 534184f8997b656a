from __future__ import annotations

import pytest

from annotation import surveys
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

    @pytest.mark.parametrize("drawn", [False, True])
    def test_of_several_kinds_it_is_that_of_the_longest(self, make_study, drawn):
        minutes = {}
        for kinds in (["ratings"], ["edit"], ["ratings", "edit"], ["edit", "ratings"]):
            name = "-".join(kinds)
            study = make_study(name=name, aspects=("coherence",), page_kinds=kinds)
            if drawn:
                surveys.open_study(study=study)
                assert estimating.minutes_per_page(study)
            minutes[name] = estimating.expected_minutes(study)
        assert minutes["ratings"] < minutes["edit"]
        assert minutes["ratings-edit"] == minutes["edit-ratings"] == minutes["edit"]

    def test_its_queries_do_not_grow(self, make_study, django_assert_num_queries):
        study = make_study(prompts=4)
        lay_out(study)
        with django_assert_num_queries(2):
            estimating.minutes_per_page(study)


class TestPagesOfARandomPart:
    @pytest.mark.parametrize(
        ("texts", "share", "usual", "expected"),
        [
            (4, 0.2, 4, 0.8 / (1 - 0.8**4)),  # one page, if any text is drawn
            (1, 0.1, 1, 1.0),
            (2, 0.5, 1, 1.0),
            (4, 1.0, 4, 4.0),
            # Of 1, 2, 3: a page; of 4 two. 2 texts on (1 - 1/16) + 1/16 pages.
            (4, 0.5, 3, 2.0),
            (1000, 0.1, 5, 5),
        ],
    )
    def test_it_is_the_mean_over_what_may_be_drawn(self, texts, share, usual, expected):
        assert estimating._rated(texts, share, usual) == pytest.approx(expected)

    def test_dialogues_that_have_no_page_change_nothing(self, make_study):
        study = make_study(prompts=3, systems=("a",), rated_share=50)
        before = estimating.of_part(study), estimating.expected_minutes(study)
        for n in range(10):
            dialogue = study.dialogues.create(key=f"talk {n}", messages=[])
            study.generations.create(
                key=f"talk {n}",
                text="Hello! " * 500,
                dialogue=dialogue,
                prompt=study.prompts.create(prefix=f"Talk {n}", digest=f"{n}"),
            )
        after = estimating.of_part(study), estimating.expected_minutes(study)
        assert after == before

    def test_elsewhere_there_is_nothing_to_say(self, make_study):
        assert estimating.of_part(make_study()) is None
