"""Texts that allow no damaged version: said before, and run without by choice."""

from __future__ import annotations

import pytest

from annotation import answering, negatives, quality, surveys
from annotation.models import AttributeLabel, Negative, Seat, Study
from annotation.quality import page_shapes
from tests.annotation.seating import NOON, asked, sit
from tests.support.scored import rate

pytestmark = pytest.mark.django_db

Choice = Study.DamagedTexts


@pytest.fixture
def lonely(make_study) -> Study:
    """Three pages; nothing can be put on the last one, whose prompt stands alone."""
    study = make_study(prompts=3)
    prompt = study.prompts.last()
    prompt.label = AttributeLabel.objects.create(study=study, name="sad")
    prompt.prefix = "Nobody"
    prompt.save()
    for text in prompt.generations.all():
        text.text = "Nobody came."
        text.save()
    return study


def choose(study: Study, choice: str) -> Study:
    Study.objects.filter(pk=study.pk).update(damaged_texts=choice)
    study.refresh_from_db()
    return study


def with_negative(study: Study) -> list[bool]:
    rows = study.surveys.order_by("number").values_list("negative", flat=True)
    return [negative is not None for negative in rows]


class TestDamageable:
    def test_it_counts_the_pages_and_says_what_would_help(self, lonely):
        found = surveys.damageable(study=lonely)
        assert found.sentence == "No damaged text can be made for 1 of 3 pages."
        assert "“Nobody”" in found.advice and "sad" in found.advice
        assert not found.none

    def test_it_says_nothing_where_all_is_well(self, make_study):
        found = surveys.damageable(study=make_study(prompts=2))
        assert (found.pages, found.without, found.sentence) == (2, 0, "")

    def test_it_agrees_with_what_is_drawn(self, lonely):
        surveys.draw(study=choose(lonely, Choice.POSSIBLE))
        assert with_negative(lonely).count(False) == 1
        assert surveys.damageable(study=lonely).without == 1

    def test_a_new_text_is_seen(self, lonely):
        surveys.damageable(study=lonely)
        other = lonely.generations.filter(prompt__prefix="Nobody").first()
        other.pk, other.sample, other.key = None, 2, "more"
        other.text = "Nobody came. It rained. The ferry left without them."
        other.save()
        # It can be damaged for the page of the others, and has none on its own.
        assert surveys.damageable(study=lonely)[:3] == (4, 4, 1)

    def test_of_many_pages_it_looks_at_some(self, lonely, monkeypatch):
        monkeypatch.setattr("annotation.surveys.feasibility.MOST_PAGES", 2)
        found = surveys.damageable(study=lonely)
        assert (found.pages, found.looked_at) == (3, 2)
        assert "of 2 pages checked (of 3)." in found.sentence

    def test_where_ratings_came_with_the_file_nobody_needs_it(self, make_study):
        study = make_study(prompts=1)
        assert surveys.what_cannot_be_damaged(study=study)
        rate(study, "coherence", [[4]] * 4)
        assert surveys.what_cannot_be_damaged(study=study) == ""


class TestDrawing:
    def test_by_default_no_study_opens_with_such_a_page(self, lonely):
        with pytest.raises(surveys.TransitionError, match="choose on the Overview"):
            surveys.open_study(study=lonely)

    def test_it_may_be_left_out_where_none_can_be_made(self, lonely):
        surveys.open_study(study=choose(lonely, Choice.POSSIBLE))
        assert sorted(with_negative(lonely)) == [False, True, True]

    def test_or_everywhere(self, lonely):
        surveys.open_study(study=choose(lonely, Choice.NONE))
        assert not Negative.objects.exists()
        assert [survey.items.count() for survey in lonely.surveys.all()] == [4, 4, 4]

    def test_another_choice_draws_anew(self, make_study):
        study = make_study(prompts=2)
        surveys.draw(study=study)
        surveys.open_study(study=choose(study, Choice.NONE))
        assert with_negative(study) == [False, False]

    def test_back_again_too(self, make_study):
        study = choose(make_study(prompts=2), Choice.NONE)
        surveys.draw(study=study)
        surveys.open_study(study=choose(study, Choice.EVERY))
        assert with_negative(study) == [True, True]

    def test_is_possible_and_choose_say_the_same(self, lonely):
        texts = list(lonely.generations.select_related("prompt__label"))
        keys = list(lonely.aspects.values_list("key", flat=True))
        for prompt in lonely.prompts.all():
            page = [text for text in texts if text.prompt_id == prompt.pk]
            pool = negatives.Pool(generations=texts, aspects=keys)
            possible = negatives.is_possible(page=page, pool=pool, seed=3)
            try:
                negatives.choose(page=page, pool=pool, seed=3)
            except negatives.NoNegative:
                assert not possible
            else:
                assert possible


class TestRating:
    def test_a_page_without_one_is_judged_by_the_other_checks(self, make_study):
        study = choose(make_study(prompts=1), Choice.NONE)
        surveys.open_study(study=study)
        study.policies.update(same_score=True)
        states = []
        for name, last in (("ann", 2), ("ben", 4)):
            seat = sit(study, name)
            answers = dict.fromkeys(asked(seat), 4)
            answers[4, "coherence"] = last
            seat = answering.submit(seat=seat, answers=answers, now=NOON)
            states.append(seat.state)
        assert states == [Seat.State.VALID, Seat.State.DISCARDED]
        assert "rule" in quality.titles()

    def test_what_rules_catch_is_told_of_the_pages_with_one(self, lonely):
        surveys.draw(study=choose(lonely, Choice.POSSIBLE))
        assert page_shapes.shapes(study=lonely).total() == 2
        surveys.draw(study=choose(lonely, Choice.NONE))
        assert not page_shapes.shapes(study=lonely)
