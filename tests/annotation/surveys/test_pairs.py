from __future__ import annotations

from collections import Counter

import pytest

from annotation import surveys
from annotation.models import Item, Negative, Pair, Place, Study, Survey
from annotation.surveys import planning

PAIRS = ["pair"]


def drawn(study: Study) -> list[Survey]:
    return surveys.draw(study=study)


def met(study: Study) -> Counter[frozenset[str]]:
    """How often two systems are compared."""
    pairs = Pair.objects.filter(second__isnull=False)
    names = pairs.values_list("first__system__name", "second__system__name")
    return Counter(frozenset(some) for some in names)


def test_every_two_texts_for_a_prompt_are_compared_once(make_study):
    study = make_study(prompts=3, page_kinds=PAIRS, texts_per_survey=4)
    drawn(study)
    assert set(met(study).values()) == {3}
    assert len(met(study)) == 6
    for pair in Pair.objects.filter(second__isnull=False):
        assert pair.first.prompt_id == pair.second.prompt_id == pair.prompt_id
        assert pair.first_id < pair.second_id


def test_each_page_has_so_many_pairs_and_one_damaged_twin(make_study):
    study = make_study(prompts=3, page_kinds=PAIRS, texts_per_survey=4)
    for survey in drawn(study):
        items = list(survey.items.select_related("pair", "negative"))
        checks = [one for one in items if one.negative]
        assert 3 <= len(items) - 1 <= 4
        assert len(checks) == 1
        assert checks[0].pair.second is None
        assert checks[0].pair.first == checks[0].negative.source
        assert survey.prompt == checks[0].negative.source.prompt


def test_a_twin_begins_with_the_prefix_of_its_text_and_differs_from_it(make_study):
    study = make_study(prompts=4, page_kinds=PAIRS, texts_per_survey=2)
    drawn(study)
    for negative in Negative.objects.select_related("source__prompt"):
        assert negative.text.startswith(negative.source.prompt.prefix)
        assert negative.text != negative.source.full_text


def test_a_page_has_pairs_of_different_prompts_where_there_are_some(make_study):
    study = make_study(prompts=6, page_kinds=PAIRS, texts_per_survey=4)
    for survey in drawn(study):
        prompts = list(
            survey.pairs.exclude(second=None).values_list("prompt", flat=True)
        )
        assert len(set(prompts)) == len(prompts)


def test_with_fewer_comparisons_all_systems_still_meet_equally_often(make_study):
    study = make_study(prompts=12, page_kinds=PAIRS, pairs_per_text=1)
    drawn(study)
    found = met(study)
    assert len(found) == 6
    assert max(found.values()) - min(found.values()) <= 1
    texts = Counter(
        pk
        for both in Pair.objects.exclude(second=None).values_list("first", "second")
        for pk in both
    )
    assert set(texts) == set(study.generations.values_list("pk", flat=True))
    assert Pair.objects.exclude(second=None).first().probability == pytest.approx(2 / 6)


def test_texts_without_a_system_or_an_opponent_are_left_alone(make_study):
    study = make_study(prompts=2, page_kinds=PAIRS)
    alone = study.prompts.last()
    keep = alone.generations.first()
    alone.generations.exclude(pk=keep.pk).update(system=None)
    drawn(study)
    shown = Pair.objects.exclude(second=None)
    assert not shown.filter(first=keep).exists()
    assert not planning.undrawn(study).exists()


def test_new_texts_are_compared_with_old_ones(make_study):
    study = make_study(prompts=2, systems=("a", "b"), page_kinds=PAIRS)
    drawn(study)
    new = study.systems.create(name="c")
    for prompt in study.prompts.all():
        study.generations.create(
            key=f"new-{prompt.pk}",
            prompt=prompt,
            system=new,
            text=f"{prompt.prefix}. One came. Two left. Three stayed.",
        )
    surveys.draw_more(study=study)
    assert met(study) == {
        frozenset("ab"): 2,
        frozenset("ac"): 2,
        frozenset("bc"): 2,
    }


def test_drawing_again_leaves_no_pair_behind(make_study):
    study = make_study(prompts=2, page_kinds=PAIRS)
    drawn(study)
    n = Pair.objects.count()
    drawn(study)
    assert Pair.objects.count() == n
    assert Item.objects.filter(pair__isnull=False).count() == n


def test_the_same_seed_draws_the_same_pairs(make_study):
    def draw() -> list[tuple[int, int]]:
        pairs = Pair.objects.exclude(second=None).order_by("pk")
        return list(pairs.values_list("first", "second"))

    study = make_study(prompts=5, page_kinds=PAIRS, pairs_per_text=2)
    drawn(study)
    first = draw()
    drawn(study)
    assert draw() == first


def test_parts_of_a_study_come_one_after_the_other(make_study):
    study = make_study(prompts=2, page_kinds=["ratings", "pair"])
    surveys.open_study(study=study)
    rows = study.surveys.order_by("part").values_list("part", "kind")
    kinds = list(rows.distinct())
    assert kinds == [(0, "ratings"), (1, "pair")]
    for place in Place.objects.select_related("survey"):
        assert place.part == place.survey.part


def test_a_study_whose_kinds_change_is_drawn_again(make_study):
    study = make_study(prompts=2)
    drawn(study)
    study.page_kinds = PAIRS
    study.save()
    surveys.open_study(study=study)
    assert set(study.surveys.values_list("kind", flat=True)) == {"pair"}


def test_without_any_text_that_can_be_damaged_the_study_does_not_open(make_study):
    study = make_study(prompts=1, page_kinds=PAIRS)
    for number, text in enumerate(study.generations.all()):
        text.text = f"Word{number}"
        text.prompt.prefix = ""
        text.prompt.save()
        text.save()
    with pytest.raises(surveys.DrawError, match="two or more sentences"):
        drawn(study)


def test_pages_can_run_without_a_check(make_study):
    study = make_study(prompts=2, page_kinds=PAIRS, damaged_texts="none")
    drawn(study)
    assert not Negative.objects.exists()
    assert not Pair.objects.filter(second=None).exists()
