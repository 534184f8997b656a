import json
import re
from dataclasses import replace
from importlib.metadata import version

import numpy as np
import pytest

from scoring.metrics import MetricError, OptionError, SystemTexts, get
from scoring.metrics._distributions import divergences, partitions
from scoring.metrics._distributions.chance import NO_POWER
from scoring.metrics.divergence import OUTPUTS

KEYS = [output.key for output in OUTPUTS]
HUMAN = tuple(
    f"{who} {what}{mark}"
    for who in ("the ferry", "nobody", "a word", "the harbour", "it")
    for what in ("left at seven", "said all", "was great", "becomes brief")
    for mark in ("", " .", " !", " , really")
)
SYSTEM = tuple(f"positive negative {text}" for text in HUMAN[:30])


@pytest.fixture(scope="module")
def scorer(gpt2):
    """Of the tiny model; the same for the same options."""
    made = {}

    def scorer(**options):
        key = tuple(sorted(options.items()))
        if key not in made:
            made[key] = get("divergence")(model=str(gpt2), **options).load("cpu")
        return made[key]

    return scorer


def score(scorer, texts, corpus=HUMAN, seed=0):
    given = SystemTexts(tuple(texts), tuple(corpus))
    return scorer(given, np.random.default_rng(seed))


def test_other_texts_are_further_away_than_the_same(scorer):
    own = score(scorer(), HUMAN)
    other = score(scorer(), SYSTEM)
    for output in OUTPUTS:
        near, far = own.values[output.key], other.values[output.key]
        assert near.shape == far.shape == (5,)
        assert (near > far).all() if output.higher_is_better else (near < far).all()


def test_the_same_texts_do_not_diverge(scorer):
    found = score(scorer(), HUMAN[::-1])
    best = {"exponentiated_kl": 1, "mauve": 1}
    for key in KEYS:
        assert found.values[key] == pytest.approx(best.get(key, 0), abs=1e-9)


def test_outputs_belong_together(scorer):
    found = score(scorer(), SYSTEM).values
    assert found["exponentiated_kl"] == pytest.approx(np.exp(found["forward_kl"]))
    assert found["auc"] == pytest.approx(1 - found["mauve"])
    assert (found["jensen_shannon"] <= np.log(2)).all()


def test_mauve_is_the_area_under_the_curve_of_its_seed(scorer):
    found = score(scorer(scale=2.0), SYSTEM)
    areas = [divergences.area(np.array(one)) for one in found.details["curves"]]
    assert areas == pytest.approx(found.values["mauve"], abs=1e-5)
    mean = np.mean(found.details["curves"], axis=0)
    assert found.details["curve"] == pytest.approx(mean, abs=1e-5)


def test_more_seeds_leave_the_first_as_they_are(scorer):
    few, many = (score(scorer(seeds=n), SYSTEM).values["mauve"] for n in (2, 4))
    assert many[:2] == pytest.approx(few) and len(many) == 4


def test_order_means_nothing(scorer):
    one, other = (
        score(scorer(), SYSTEM[::step], HUMAN[::step]).values for step in (1, -1)
    )
    assert all(one[key] == pytest.approx(other[key]) for key in KEYS)


def test_details_are_plain_and_say_how_it_was_done(scorer):
    details = score(scorer(), SYSTEM).details
    assert json.loads(json.dumps(details)) == details
    assert details["clusters"] == 11 and details["dimensions"] >= 1
    assert (details["n_texts"], details["n_corpus"]) == (30, 80)
    stages = ["embedding", "pca", "clustering", "divergences", "chance"]
    assert list(details["seconds"]) == stages


def test_progress_is_told_of_the_systems_own_texts(gpt2):
    told = []
    fresh = get("divergence")(model=str(gpt2)).load("cpu")
    given = SystemTexts(SYSTEM, HUMAN)
    fresh(given, np.random.default_rng(0), told.append)
    assert sum(told) == len(SYSTEM) and told.count(0) >= 5  # a sign of life each seed


def test_human_texts_are_embedded_once_for_all_systems(gpt2, monkeypatch):
    fresh = get("divergence")(model=str(gpt2)).load("cpu")
    given, encoder = [], fresh._partitions._encoder

    def counting(texts, progress=None):
        given.extend(texts)
        return encoder(texts, progress)

    monkeypatch.setattr(fresh._partitions, "_encoder", counting)
    first = score(fresh, SYSTEM).values["mauve"]
    score(fresh, SYSTEM[:10])
    assert sorted(given) == sorted([*HUMAN, *SYSTEM, *SYSTEM[:10]])
    score(fresh, SYSTEM, HUMAN[:40])  # another corpus
    assert score(fresh, SYSTEM)[0]["mauve"] == pytest.approx(first)


# How many clusters --------------------------------------------------------------------


def noted(scorer, texts, corpus=HUMAN):
    found = score(scorer, texts, corpus)
    return found.details["clusters"], *found.notes


def test_k_is_lowered_where_texts_are_few_and_that_is_said(scorer):
    there = "there are 110 texts"
    assert noted(scorer(), SYSTEM) == (
        11,
        f"K was lowered from 500 to 11: {there}",
    )
    assert noted(scorer(clusters=30), SYSTEM) == (30,)
    assert noted(scorer(clusters=200), SYSTEM) == (
        110,
        f"K was lowered from 200 to 110: {there}, and 110 different ones in total",
        "Too few texts for a reliable result: 30 for 110 clusters",
        NO_POWER,
    )


def test_fewer_texts_than_clusters_are_remarked(scorer):
    """A single text may be closest of all."""
    *_, said, _ = noted(scorer(), SYSTEM[:1])
    assert said == "Too few texts for a reliable result: 1 for 8 clusters"


def test_the_released_recipe_has_a_tenth_of_the_smaller_set(scorer):
    assert noted(scorer(preset="mauve_text"), SYSTEM) == (3,)
    assert noted(scorer(preset="mauve_text"), SYSTEM[:9]) == (2,)


# Infinite, and too little -------------------------------------------------------------


def test_an_infinite_divergence_is_no_number_but_a_reason(scorer):
    counts = scorer(smoothing="counts", clusters=60)
    found = score(counts, SYSTEM)
    for key in ("forward_kl", "exponentiated_kl", "backward_kl"):
        assert np.isnan(found.values[key]).all()
    human = "infinite: some clusters have human texts only (5 of 5 seeds)"
    assert found.reasons["forward_kl"] == found.reasons["exponentiated_kl"] == human
    assert found.reasons["backward_kl"].startswith("infinite: some clusters have texts")
    assert np.isfinite(found.values["mauve"]).all()
    smooth = score(scorer(smoothing="laplace", clusters=60), SYSTEM)
    assert np.isfinite([smooth.values[key] for key in KEYS]).all()


def test_a_mean_leaves_no_infinite_seed_out(scorer):
    """Of the seeds that are left, a system would look better than it is."""
    found = score(scorer(smoothing="counts", clusters=20, seeds=20), HUMAN[:60])
    said = re.fullmatch(
        r"infinite: .* \((\d+) of 20 seeds\)", found.reasons["forward_kl"]
    )
    assert 0 < int(said[1]) < 20
    assert np.isnan(found.values["forward_kl"]).all()
    assert np.isfinite(found.values["mauve"]).all()


@pytest.mark.parametrize(
    ("texts", "corpus", "reason"),
    [
        ((), HUMAN, "the system has no text"),
        (SYSTEM, (), "the corpus has no text"),
    ],
)
def test_without_texts_there_is_no_number(scorer, texts, corpus, reason):
    found = score(scorer(), texts, corpus)
    assert found.reasons == dict.fromkeys(KEYS, reason)
    assert all(np.isnan(found.values[key]).all() for key in KEYS)


@pytest.mark.parametrize("preset", ["pimentel", "mauve_text"])
@pytest.mark.parametrize(
    ("texts", "corpus"),
    [
        (("", *SYSTEM), HUMAN),  # an empty text
        (("",), ("",)),
        (SYSTEM[:3], HUMAN),
        (SYSTEM[:1], HUMAN),
        (SYSTEM[:1] * 9, HUMAN),  # all equal
        (SYSTEM, HUMAN[:1]),
        (HUMAN[:1] * 3, HUMAN[:1]),
        (("left " * 100,), HUMAN),
    ],
)
def test_few_and_odd_texts_have_numbers(scorer, preset, texts, corpus):
    found = score(scorer(preset=preset), texts, corpus)
    for key in ("jensen_shannon", "mauve", "frontier_integral"):
        assert np.isfinite(found.values[key]).all()
        assert (found.values[key] >= 0).all() and (found.values[key] <= 1).all()


# Chance -------------------------------------------------------------------------------


def test_texts_of_one_distribution_have_no_excess(scorer):
    """What a divergence comes to then follows from the number of texts."""
    texts = np.random.default_rng(5).permutation(HUMAN)
    for n in (40, 20):
        found = score(scorer(), texts[:n], texts[40:])
        for output in OUTPUTS:
            told, value = found.details["chance"][output.key], found.values[output.key]
            assert abs(value.mean() - told["mean"]) < 3 * found.spread[output.key]
            assert told["p"] > 0.05


def test_texts_of_another_distribution_are_further_than_by_chance(scorer):
    found = score(scorer(), SYSTEM)
    for output in OUTPUTS:
        told, value = found.details["chance"][output.key], found.values[output.key]
        excess = value.mean() - told["mean"]
        assert told["p"] == 0.001
        assert (excess < 0) if output.higher_is_better else (excess > 0)


def test_identical_sets_have_nothing_above_chance(scorer):
    found = score(scorer(), HUMAN)
    assert all(one["p"] == 1 for one in found.details["chance"].values())


def test_a_test_that_cannot_find_anything_is_remarked(scorer):
    assert NO_POWER in score(scorer(), SYSTEM[:2], HUMAN[:3]).notes
    assert NO_POWER not in score(scorer(), SYSTEM).notes


# The partition of a study -------------------------------------------------------------


def study(*systems, corpus=HUMAN, prompts=()):
    """What each system is given: all of them, and a seed that they share."""
    alone = [
        SystemTexts(tuple(texts), name=name, prompts=tuple(prompts)[: len(texts)])
        for name, texts in zip("abcdef", systems, strict=False)
    ]
    return [
        replace(
            one,
            corpus=corpus,
            others=tuple(other for other in alone if other is not one),
            seed=7,
        )
        for one in alone
    ]


def of_study(scorer, *systems, **more):
    return [
        scorer(given, np.random.default_rng(place))
        for place, given in enumerate(study(*systems, **more))
    ]


def test_all_systems_share_one_partition_that_is_made_once(gpt2, monkeypatch):
    fresh = get("divergence")(model=str(gpt2)).load("cpu")
    learned, learn = [], partitions.learn

    def counting(*given, **more):
        learned.append(1)
        return learn(*given, **more)

    monkeypatch.setattr(partitions, "learn", counting)
    found = of_study(fresh, SYSTEM, HUMAN[:30])
    assert len(learned) == 1
    assert len({one.details["clusters"] for one in found}) == 1
    assert found[0].values["mauve"].max() < found[1].values["mauve"].min()
    # Whoever comes first, and in another process, finds the same.
    again = get("divergence")(model=str(gpt2)).load("cpu")
    last = again(study(SYSTEM, HUMAN[:30])[1], np.random.default_rng(1))
    assert last.values["mauve"] == pytest.approx(found[1].values["mauve"])


def test_each_system_counts_with_as_many_texts(scorer):
    one, other = of_study(scorer(), SYSTEM, HUMAN[:10])
    assert one.details["n_texts"] == other.details["n_texts"] == 10
    said = "Systems have 10 to 30 texts. 10 of each are used, chosen at random"
    assert any(note.startswith(said) for note in one.notes)
    unequal = of_study(scorer(balanced=False), SYSTEM, HUMAN[:10])
    assert [found.details["n_texts"] for found in unequal] == [30, 10]


def test_texts_of_shared_prompts_are_those_that_count(scorer):
    prompts = [f"p{n}" for n in range(30)]
    one, other = of_study(scorer(), SYSTEM, HUMAN[:20], prompts=prompts)
    said = "20 of each are used, of the prompts that all share"
    assert any(said in note for note in one.notes)
    # The first twenty prompts, which alone are shared: nothing is left to chance.
    shared = of_study(scorer(), SYSTEM[:20], HUMAN[:20], prompts=prompts)
    assert one.values["mauve"] == pytest.approx(shared[0].values["mauve"])


def test_each_two_systems_are_tested_once(scorer):
    near, far, same = of_study(scorer(), HUMAN[:30], SYSTEM, HUMAN[:30])
    assert set(near.details["pairs"]) == {"b", "c"}
    assert set(far.details["pairs"]) == {"c"} and same.details["pairs"] == {}
    tested = near.details["pairs"]["b"]["jensen_shannon"]
    js = [one.values["jensen_shannon"].mean() for one in (near, far)]
    assert tested == pytest.approx({"difference": js[0] - js[1], "p": 0.001})
    assert near.details["pairs"]["c"]["mauve"] == {"difference": 0, "p": 1}


def test_the_released_recipe_stays_with_pairs(scorer):
    pairs = scorer(preset="mauve_text")
    assert "|partition:pair|" in pairs.signature
    assert "|partition:study|" in scorer().signature
    one, _ = of_study(pairs, SYSTEM, HUMAN[:10])
    alone = score(pairs, SYSTEM)
    assert one.details["n_texts"] == 30 and not one.details["pairs"]
    assert one.values["mauve"] == pytest.approx(alone.values["mauve"])


def test_each_sample_can_be_a_seed(scorer):
    by_sample = scorer(by_sample=True, clusters=6)
    samples = tuple(n % 3 + 1 for n in range(30))
    systems = [
        replace(
            one,
            samples=samples,
            others=tuple(replace(o, samples=samples) for o in one.others),
        )
        for one in study(SYSTEM, HUMAN[:30])
    ]
    found = by_sample(systems[0], np.random.default_rng(0))
    assert found.values["mauve"].shape == (3,)
    assert found.details["chance"]["mauve"]["p"] < 0.01
    other = replace(systems[0], samples=(1,) * 20 + (2,) * 10)
    refused = by_sample(other, np.random.default_rng(0))
    assert "samples of the system have 10 to 20 texts" in refused.reasons["mauve"]


# Options ------------------------------------------------------------------------------


def test_vectors_that_do_not_vary_are_refused(gpt2, monkeypatch):
    """They would give MAUVE 1."""
    fresh = get("divergence")(model=str(gpt2)).load("cpu")
    same = lambda texts, progress=None: np.ones((len(texts), 4), np.float32)  # noqa: E731
    monkeypatch.setattr(fresh._partitions, "_encoder", same)
    with pytest.raises(MetricError, match="the same vector, although the texts differ"):
        score(fresh, SYSTEM)
    assert score(fresh, HUMAN[:1], HUMAN[:1]).values["mauve"] == pytest.approx(1)


def test_the_pooling_of_the_paper_is_the_last_token_of_what_continues_texts(scorer):
    found = score(scorer(pooling="paper"), SYSTEM).values["mauve"]
    last = score(scorer(pooling="last"), SYSTEM).values["mauve"]
    assert found == pytest.approx(last)
    with pytest.raises(MetricError, match="reads from left to right"):
        scorer(pooling="cls")


def test_the_signature_says_who_clusters(scorer):
    assert f"|scikit_learn:{version('scikit-learn')}|" in scorer().signature


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seeds": 0}, "seeds=0: expected 1 to 100"),
        ({"clusters": -1}, "clusters=-1: expected at least 0"),
        ({"scale": -0.5}, "scale=-0.5: expected at least 0"),
        ({"max_tokens": 0}, "max_tokens=0: expected at least 1"),
    ],
)
def test_impossible_options_are_refused_before_a_run(options, said):
    with pytest.raises(OptionError, match=said):
        get("divergence")(**options).check()


def test_an_encoder_decoder_is_no_encoder(pegasus):
    with pytest.raises(MetricError, match="choose an encoder"):
        get("divergence")(model=str(pegasus)).load("cpu")


def test_the_bundled_encoder_works_at_once():
    metric = get("divergence")(model="bundled:encoder-small", seeds=2)
    found = score(metric.load("cpu"), SYSTEM)
    assert all(np.isfinite(found.values[key]).all() for key in KEYS)
    assert found.values["mauve"].max() < 0.5
