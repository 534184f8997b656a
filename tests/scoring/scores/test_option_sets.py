"""Names for the scores of one metric that ran with several sets of options."""

from __future__ import annotations

import pytest

from annotation.models import Study
from scoring.models import MetricRun, Signature
from scoring.scores import options
from scoring.scores.option_sets import told_apart


@pytest.fixture
def study(make_study):
    return make_study(prompts=1)


def signed(text: str, study: Study | None = None, **options) -> Signature:
    """A signature, with a run of these options where a study is given."""
    found = Signature.objects.create(
        digest=Signature.digest_of(text),
        text=text,
        metric=text.partition("|")[0],
        outputs=[],
    )
    if study:
        MetricRun.objects.create(
            study=study, metric=found.metric, signature=found, options=options
        )
    return found


def names(study, *signatures) -> list[str]:
    told = told_apart(study=study, signatures=signatures)
    return [told[signature.pk] for signature in signatures]


def test_the_only_one_of_its_metric_needs_no_name(study, django_assert_num_queries):
    lone = signed("ppl|v:1"), signed("judge|v:1")
    with django_assert_num_queries(0):
        assert names(study, *lone) == ["", ""]


def test_it_is_what_was_chosen(study):
    first = signed("ppl|model:sha256:1", study, model="bundled:nano", form="causal")
    second = signed("ppl|model:sha256:2", study, model="bundled:small", form="causal")
    assert names(study, first, second) == [
        "model: nano (bundled)",
        "model: small (bundled)",
    ]


def test_options_and_choices_are_named_in_words(study):
    made = [
        signed(f"ctrleval|a:{k}", study, average=k, form="plain")
        for k in ("mean", "sum")
    ]
    assert names(study, *made) == [
        "log-probability of a gap: mean over tokens (released code)",
        "log-probability of a gap: sum over tokens (paper)",
    ]


def test_an_option_that_was_left_empty_is_not_set(study):
    made = [signed(f"ppl|k:{k}", study, prompts=k, n=1) for k in ("", "a")]
    assert names(study, *made) == ["prompts: not set", "prompts: a"]


def test_folders_of_the_server_stay_there(study):
    made = [signed(f"ppl|m:{k}", study, model=f"/home/ada/{k}") for k in ("x", "y")]
    assert names(study, *made) == ["model: x", "model: y"]


def test_equal_options_are_told_apart_by_their_signatures(study):
    made = [signed(f"ppl|model:sha256:{k}", study, model="m") for k in (1, 2)]
    assert names(study, *made) == ["model:sha256:1", "model:sha256:2"]


def test_so_are_scores_without_a_run(study):
    made = (
        signed("ppl|dtype:32|model:1", study, model="m"),
        signed("ppl|dtype:32|model:2"),
    )
    assert names(study, *made) == ["model:1", "model:2"]


def test_a_long_option_is_cut(study):
    made = [signed(f"ppl|p:{k}", study, prompts=k * 90) for k in ("a", "b")]
    assert all(len(name) < 50 and name.endswith("…") for name in names(study, *made))


def test_a_run_of_another_study_says_nothing(study, make_study):
    other = make_study(name="other", prompts=1)
    made = [signed(f"ppl|model:{k}", other, model=str(k)) for k in (1, 2)]
    assert names(study, *made) == ["model:1", "model:2"]


def test_options_have_the_order_of_the_metric_whatever_a_database_made_of_it():
    sorted_by_length = {"form": "plain", "gone": 1, "average": "mean"}
    words = options.in_words("ctrleval", sorted_by_length)
    assert [*words] == ["How gaps are written", "Log-probability of a gap", "gone"]
