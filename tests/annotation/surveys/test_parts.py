"""Studies that ask people about a random part of their texts."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from annotation import studies, surveys
from annotation.models import Generation, Item, Opening, Study
from annotation.setup.checklist import checklist
from annotation.surveys import drawing, estimating, opening, parts
from annotation.watching.progress import coverage
from tests.annotation.seating import NOON
from tests.annotation.surveys.test_drawing import content, sit
from tests.annotation.surveys.test_drawing_more import add_system

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    """Ten prompts of four systems; half of each system's texts are asked about."""
    return make_study(prompts=10, rated_share=50)


def asked(study: Study) -> set[str]:
    return set(study.generations.filter(asked=True).values_list("key", flat=True))


def on_pages(study: Study) -> set[str]:
    shown = Item.objects.filter(survey__study=study, generation__isnull=False)
    return set(shown.values_list("generation__key", flat=True))


def by_system(study: Study) -> dict[str, int]:
    names = study.generations.filter(asked=True).values_list("system__name", flat=True)
    return dict(Counter(names))


def test_the_share_of_each_system_is_on_pages_and_nothing_else(study):
    surveys.open_study(study=study)
    assert by_system(study) == {"a": 5, "b": 5, "c": 5, "d": 5}
    assert on_pages(study) == asked(study)
    drawn = set(study.generations.values_list("stratum", "probability"))
    assert drawn == {(stratum, 0.5) for stratum in range(4)}


def test_a_share_of_all_texts_has_one_stratum(make_study):
    study = make_study(prompts=10, rated_share=30, share_of="simple")
    surveys.open_study(study=study)
    assert len(asked(study)) == len(on_pages(study)) == 12
    drawn = set(study.generations.values_list("stratum", "probability"))
    assert drawn == {(0, 0.3)}


def test_where_all_texts_are_asked_about_nothing_is_kept(make_study):
    study = make_study()
    surveys.open_study(study=study)
    drawn = study.generations.values_list("asked", "probability", "stratum")
    assert set(drawn) == {(None, None, None)}


def test_the_same_seed_draws_the_same_texts_in_a_copy(study):
    other = studies.copy(
        source=study, name="copy", user=None, now=NOON, with_texts=True
    )
    Study.objects.filter(pk=other.pk).update(seed=study.seed)
    for one in (study, other):
        surveys.open_study(study=one)
    assert asked(study) == asked(other)


def test_another_seed_draws_others(study):
    surveys.draw(study=study)
    before = asked(study)
    Study.objects.update(seed=8)
    study.refresh_from_db()
    surveys.draw(study=study)
    assert asked(study) != before and len(asked(study)) == 20


def test_a_copy_is_drawn_from_anew(study):
    surveys.open_study(study=study)
    other = studies.copy(
        source=study, name="copy", user=None, now=NOON, with_texts=True
    )
    assert other.rated_share == 50
    assert set(other.generations.values_list("asked", "probability")) == {(None, None)}


@pytest.mark.parametrize("change", [{"rated_share": 20}, {"share_of": "simple"}])
def test_a_draft_is_drawn_again_for_another_choice(study, change):
    surveys.draw(study=study)
    assert not drawing.needs_drawing(study)
    Study.objects.update(**change)
    study.refresh_from_db()
    assert drawing.needs_drawing(study)
    surveys.open_study(study=study)
    assert on_pages(study) == asked(study)
    assert parts.is_current(study)


def test_a_draft_knows_how_many_texts_are_left_out(study):
    assert coverage(study=study).left_out == 20


def test_a_draft_that_asks_about_all_again_counts_all(study):
    surveys.draw(study=study)
    Study.objects.update(rated_share=100)
    study.refresh_from_db()
    assert parts.n_to_rate(study) == 40


def test_a_draft_that_asks_about_all_again_forgets_the_draw(study):
    surveys.draw(study=study)
    Study.objects.update(rated_share=100)
    surveys.open_study(study=study)
    assert len(on_pages(study)) == 40
    assert not study.generations.exclude(probability=None).exists()


def test_excluding_a_text_nobody_would_rate_changes_the_draw_of_a_draft(study):
    surveys.draw(study=study)
    out = study.generations.filter(asked=False, system__name="a").first()
    Generation.objects.filter(pk=out.pk).update(excluded_at=NOON)
    assert drawing.needs_drawing(study)
    surveys.open_study(study=study)
    out.refresh_from_db()
    assert out.asked is None and out.key not in on_pages(study)
    assert study.generations.filter(stratum=0).count() == 9


def test_only_drawn_texts_count_for_progress(study):
    before = coverage(study=study)
    surveys.open_study(study=study)
    after = coverage(study=study)
    assert (before.texts, before.wanted) == (after.texts, after.wanted) == (20, 40)


# Texts that come later


def later(study: Study) -> Study:
    """Paused, begun by a worker, with ten texts of a system that came since."""
    surveys.open_study(study=study)
    sit(study)
    surveys.pause(study=study)
    add_system(study)
    study.refresh_from_db()
    return study


def test_texts_that_come_later_are_drawn_from_on_their_own(study):
    later(study)
    before, pages = asked(study), content(study)
    surveys.open_study(study=study)
    assert asked(study) >= before and content(study)[: len(pages)] == pages
    assert by_system(study) == {"a": 5, "b": 5, "c": 5, "d": 5, "late": 5}
    late = study.generations.filter(system__name="late")
    assert set(late.values_list("stratum", "probability")) == {(4, 0.5)}
    assert on_pages(study) == asked(study)


def test_opening_again_draws_nothing_more(study):
    later(study)
    surveys.open_study(study=study)
    before = asked(study)
    surveys.pause(study=study)
    surveys.open_study(study=study)
    assert asked(study) == before == on_pages(study)


# By a worker


@pytest.fixture
def large(study, monkeypatch):
    monkeypatch.setattr(opening, "MAX_TEXTS", 0)
    monkeypatch.setattr(opening, "PIECE", 2)
    monkeypatch.setattr(opening, "wake_on_commit", lambda kind, ids: None)
    return study


def work(row: Opening, owner: str = "me") -> Opening:
    opening.OPENINGS.perform(pk=row.pk, owner=owner, clock=lambda: NOON)
    row.refresh_from_db()
    return row


def test_a_worker_draws_the_same_texts(large, make_study):
    row = surveys.start_opening(study=large)
    assert work(row).state == Opening.State.DONE, row.error
    other = make_study(name="small", prompts=10, rated_share=50)
    surveys.draw(study=other)
    assert asked(large) == asked(other) == on_pages(large)


def test_a_choice_that_changes_meanwhile_stops_the_opening(large, monkeypatch):
    row = surveys.start_opening(study=large)
    choose = Study.objects.filter(pk=large.pk).update
    write = opening._write
    monkeypatch.setattr(
        opening, "_write", lambda *args: (choose(rated_share=20), write(*args))
    )
    assert work(row).state == Opening.State.FAILED
    assert "settings changed" in row.error


def test_an_opening_that_ends_early_leaves_no_draw(large, monkeypatch):
    row = surveys.start_opening(study=large)
    with monkeypatch.context() as patch:
        patch.setattr(opening, "_write", refuse)
        assert work(row).state == Opening.State.FAILED
    assert not large.generations.exclude(asked=None, probability=None).exists()


def test_what_a_worker_drew_before_it_died_is_not_drawn_from_again(large, monkeypatch):
    """Half of a draw, drawn from once more, would have other probabilities."""
    later_study = later_by_worker(large, monkeypatch)
    before = asked(later_study)
    row = surveys.start_opening(study=later_study)
    assert work(row).state == Opening.State.DONE
    assert asked(later_study) == before == on_pages(later_study)


def later_by_worker(study: Study, monkeypatch) -> Study:
    """With texts drawn, but no page of them: an opening that failed leaves that."""
    monkeypatch.setattr(opening, "MAX_TEXTS", 300)
    later(study)
    monkeypatch.setattr(opening, "MAX_TEXTS", 0)
    row = surveys.start_opening(study=study)
    with monkeypatch.context() as patch:
        patch.setattr(opening, "_write", refuse)
        assert work(row).state == Opening.State.FAILED
    assert len(asked(study)) == 25 > len(on_pages(study))
    return study


def refuse(*args: object) -> None:
    raise surveys.TransitionError("Stopped for a test.")


# What cannot be asked about in part


@pytest.mark.parametrize(
    ("first", "more"),
    list(product(["pair", "edit", "ratings"], ["dialogue"])),
)
def test_other_pages_than_ratings_are_refused(study, first, more):
    Study.objects.update(page_kinds=[first, more])
    study.refresh_from_db()
    with pytest.raises(surveys.TransitionError, match="Only pages of ratings can ask"):
        surveys.open_study(study=study)


def test_a_new_study_is_refused_with_the_same_words(alice):
    with pytest.raises(studies.StudyError, match="^Only pages of ratings can ask"):
        studies.create(name="two", owner=alice, rated_share=20, page_kinds=["pair"])


def test_a_share_of_nothing_is_refused(alice):
    with pytest.raises(studies.StudyError, match="greater than or equal to 1"):
        studies.create(name="two", owner=alice, rated_share=0)


def test_pages_of_a_part_have_as_many_texts_as_was_expected(make_study):
    study = make_study(prompts=30, samples=3, rated_share=40)
    expected = estimating.of_part(study)
    surveys.open_study(study=study)
    shown = Item.objects.filter(survey__study=study, generation__isnull=False)
    mean = shown.count() / study.surveys.count()
    assert mean == pytest.approx(expected.texts, rel=0.15)
    assert expected.of_all == 4
    sizes = Counter(shown.values_list("survey", flat=True)).values()
    assert max(sizes) <= 4


def test_setup_says_what_pages_of_a_small_part_look_like(make_study):
    study = make_study(prompts=30, rated_share=20)
    (point, *_) = checklist(study=study)[0].points
    assert "Pages will have about 1.4 texts instead of 4" in point.sentence
    study.rated_share = 100
    (point, *_) = checklist(study=study)[0].points
    assert "Pages will have" not in point.sentence
