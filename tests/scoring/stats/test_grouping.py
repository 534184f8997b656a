"""The rule that chooses which texts are compared, on studies that one can count."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.stats.data import NONE
from scoring.stats.grouping import Choice, choose, one_label
from scoring.stats.groups import correlate


def chosen(
    prompts: int,
    systems: int,
    *,
    rated: int | None = None,
    tied: int = 0,
    asked: str = "auto",
    aspects: int = 1,
    unknown: bool = False,
) -> Choice:
    """Each prompt has a text of each system; the last prompts are not rated, and in the
    first ones all texts are rated the same."""
    prompt = np.repeat(np.arange(prompts), systems)
    system = np.tile(np.arange(systems), prompts)
    y = np.tile((prompt + system)[:, np.newaxis], (1, aspects)).astype(float)
    if rated is not None:
        y[prompt >= rated] = np.nan
    y[prompt < tied, -1] = 3.0
    if unknown:
        system = np.full(len(system), NONE)
    return choose(asked, y, prompt=prompt, system=system)


@pytest.mark.parametrize("asked", ["none", "item", "system"])
def test_what_someone_chose_stays(asked):
    assert chosen(40, 4, asked=asked).grouping == asked


@pytest.mark.parametrize(
    ("asked", "compared", "said"),
    [
        ("none", "all 160 rated texts", "All 160 rated texts are compared with each"),
        ("item", "4 texts of a prompt", "Texts of one prompt are compared with each"),
        ("system", "40 texts of a system", "Texts of one system are compared with"),
    ],
)
def test_which_texts_are_compared_and_how_many_is_said_of_every_choice(
    asked, compared, said
):
    found = chosen(40, 4, asked=asked)
    assert found.compared == compared
    assert found.why.startswith(said) and compared.lower() in found.why.lower()
    assert "are needed" not in found.why  # which is why the rule would choose it


def test_groups_of_several_sizes_are_said_as_a_range():
    prompt, system = np.repeat(np.arange(20), 4), np.tile(np.arange(4), 20)
    y = (prompt + system).astype(float)
    y[(prompt < 5) & (system > 1)] = np.nan  # 5 prompts of 2 texts, 15 of 4
    found = choose("auto", y[:, np.newaxis], prompt=prompt, system=system)
    assert found.compared == "2 to 4 texts of a prompt, 3.5 on average"


def test_texts_of_unknown_systems_are_not_compared_by_system():
    system = np.array([0] * 12 + [NONE] * 5)
    y, prompt = np.arange(17.0)[:, np.newaxis], np.arange(17)
    found = choose("system", y, prompt=prompt, system=system)
    assert found.compared == "12 texts of a system"


def test_an_unknown_choice_is_refused():
    with pytest.raises(ValueError, match="expected auto, none, item or system"):
        chosen(40, 4, asked="prompt")


def test_by_prompt_where_prompts_have_three_texts():
    found = chosen(20, 3)
    assert found.grouping == "item"
    assert "20 of 20 prompts have 3 or more rated texts" in found.why


def test_two_texts_of_a_prompt_have_no_correlation_so_systems_are_taken():
    found = chosen(20, 2)
    assert found.grouping == "system"
    assert "0 of 20 prompts have 3 or more" in found.why
    assert "2 of 2 systems have 10 or more such texts" in found.why


@pytest.mark.parametrize(("prompts", "grouping"), [(9, "none"), (10, "item")])
def test_it_takes_ten_prompts(prompts, grouping):
    assert chosen(prompts, 4).grouping == grouping


@pytest.mark.parametrize(("tied", "grouping"), [(21, "system"), (20, "item")])
def test_it_takes_half_of_the_prompts(tied, grouping):
    """What people rate all the same orders nothing."""
    found = chosen(40, 4, tied=tied)
    assert found.grouping == grouping
    assert f"{40 - tied} of 40 prompts have 3 or more" in found.why


def test_prompts_that_nobody_has_rated_do_not_count():
    found = chosen(100, 4, rated=25)
    assert found.grouping == "item"
    assert "25 of 25 prompts" in found.why


def test_of_several_aspects_the_one_with_the_fewest_prompts_counts():
    found = chosen(40, 4, tied=15, aspects=2)
    assert "On every aspect, 25 of 40 prompts" in found.why
    assert chosen(40, 4, tied=30, aspects=2).grouping == "system"


def test_an_aspect_with_few_prompts_is_not_hidden_by_one_with_a_smaller_share():
    prompt, system = np.repeat(np.arange(40), 4), np.tile(np.arange(4), 40)
    one, other = (prompt + system).astype(float), (prompt + system).astype(float)
    one[prompt < 10] = 3.0  # 30 of 40 prompts
    other[prompt >= 8] = np.nan  # 8 of 8
    columns = {"prompt": prompt, "system": system}
    found = choose("auto", np.column_stack([one, other]), **columns)
    assert "8 of 8 prompts" in found.why
    assert found.grouping == "none"  # nor has a system 10 texts with the second one


def test_systems_with_few_texts_are_not_hidden_by_an_aspect_with_a_smaller_share():
    prompt, system = np.repeat(np.arange(40), 2), np.tile(np.arange(2), 40)
    system = np.where(prompt < 15, system + 2, system)  # 15 texts of each of those
    one, other = (prompt + system).astype(float), (prompt + system).astype(float)
    other[system != 0] = np.nan  # one of one system is not enough
    columns = {"prompt": prompt, "system": system}
    found = choose("auto", np.column_stack([one, other]), **columns)
    assert found.grouping == "none"
    assert "Fewer than two known systems have rated texts" in found.why


def test_an_aspect_that_nobody_has_rated_yet_changes_nothing():
    prompt = np.repeat(np.arange(30), 4)
    y = np.column_stack([np.arange(120.0), np.full(120, np.nan)])
    columns = {"prompt": prompt, "system": np.tile(np.arange(4), 30)}
    assert choose("auto", y, **columns).grouping == "item"


def test_texts_of_one_system_or_of_unknown_ones_are_all_compared():
    for found in (chosen(40, 1), chosen(40, 2, unknown=True)):
        assert found.grouping == "none"
        assert "Fewer than two known systems have rated texts" in found.why


def test_all_samples_of_a_prompt_are_compared_whatever_their_number():
    """Six texts of each prompt, two of each system: one group, not two of three."""
    prompt = np.repeat(np.arange(20), 6)
    columns = {"prompt": prompt, "system": np.tile(np.arange(3), 40)}
    found = choose("auto", np.arange(120.0)[:, np.newaxis], **columns)
    assert found.compared == "6 texts of a prompt"
    assert "20 of 20 prompts" in found.why


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (["a", "a", "b", "b"], True),  # each group has its own
        (["a", "b", "a", "b"], False),  # both in each
        (["a", "a", "a", "a"], False),  # the study has but one
        (["a", "a", "b", ""], True),  # a text without a label says nothing
        (["", "", "", ""], False),
    ],
)
def test_whether_groups_hold_one_label_each(label, expected):
    groups = np.array([0, 0, 1, 1])
    assert one_label(groups, np.array(label, np.str_)) is expected


def test_without_ratings_there_is_nothing_to_say():
    assert chosen(30, 4, rated=0) == Choice("none")


def test_a_study_without_texts_has_no_grouping():
    nobody = np.empty(0, np.int64)
    columns = {"prompt": nobody, "system": nobody}
    assert choose("auto", np.empty((0, 2)), **columns) == Choice("none")


def test_a_metric_that_only_knows_the_prompt_gains_nothing_where_the_rule_applies():
    rng = np.random.default_rng(3)
    prompt, system = np.repeat(np.arange(60), 4), np.tile(np.arange(4), 60)
    hard = rng.normal(size=60)[prompt]
    y = hard + rng.normal(size=240) / 2
    x = hard + rng.normal(size=240) / 100  # knows the prompt, and nothing else
    found = choose("auto", y[:, None], prompt=prompt, system=system)
    groups = {"item": prompt, "system": system}[found.grouping]
    flat = correlate(x, y, coefficient="pearson").value
    within = correlate(x, y, coefficient="pearson", groups=groups).value
    assert flat is not None and within is not None
    assert flat > 0.8 and abs(within) < 0.2
