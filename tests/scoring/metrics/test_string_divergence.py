import numpy as np
import pytest

from scoring.metrics import OptionError, SystemTexts, get
from scoring.metrics._distributions import densities, lstm, ngrams
from scoring.metrics.string_divergence import OUTPUTS
from tests.scoring.metrics._distributions.test_ngrams import made_up

HUMAN, OTHER = made_up(60), made_up(60, seed=9)
KEYS = {output.key for output in OUTPUTS}
# No word of theirs is in human texts.
STRANGE = [text.replace("w", "x") for text in OTHER]


def score(texts, corpus=tuple(HUMAN), known=(), cut="", seed=0, of_human=(), **options):
    scorer = get("string_divergence")(**options).load()
    given = SystemTexts(
        tuple(texts),
        tuple(corpus),
        tuple(known),
        cut=cut,
        corpus_log_probabilities=tuple(of_human),
        name="gpt2",
    )
    return scorer(given, np.random.default_rng(seed))


def means(found):
    return {key: values.mean() for key, values in found.values.items()}


def logs(learned, scored, vocabulary):
    model = ngrams.learn(vocabulary.rows(learned), len(vocabulary))
    return model(vocabulary.rows(scored))


def test_plugged_in_it_is_the_definition():
    vocabulary = ngrams.Vocabulary(HUMAN + STRANGE)
    p_of_p, q_of_p = (logs(one, HUMAN, vocabulary) for one in (HUMAN, STRANGE))
    p_of_q, q_of_q = (logs(one, STRANGE, vocabulary) for one in (HUMAN, STRANGE))
    found = means(score(STRANGE, estimator="plug_in", seeds=1))
    words = sum(len(text.split()) + 1 for text in HUMAN)
    assert found["cross_entropy"] == pytest.approx(-q_of_p.mean())
    assert found["perplexity"] == pytest.approx(np.exp(-q_of_p.sum() / words))
    assert found["forward_kl"] == pytest.approx((p_of_p - q_of_p).mean())
    assert found["backward_kl"] == pytest.approx((q_of_q - p_of_q).mean())
    perplexities = np.exp(-q_of_p.sum() / words) / np.exp(-p_of_p.sum() / words)
    assert found["exponentiated_kl"] == pytest.approx(perplexities)
    # Its own model knows each text so well that the other does not matter.
    assert found["jensen_shannon"] == pytest.approx(np.log(2), abs=1e-3)


def test_the_area_is_the_integral_of_the_curve():
    found = score(STRANGE, seeds=1)
    x, y = np.array(found.details["curves"][0]).T
    assert found.details["curve"] == found.details["curves"][0]
    assert (x[0], y[0], x[-1], y[-1]) == (0, 1, 1, 0)
    assert min(*x, *y) == 0 and max(*x, *y) == 1
    area = (np.trapezoid(y, x) - np.trapezoid(x, y)) / 2
    assert 0 < area < 1
    assert found.values["auc"] == pytest.approx([1 - area], abs=1e-4)


@pytest.mark.parametrize("key", sorted(KEYS))
def test_texts_of_another_kind_are_further_away(key):
    near, far = (means(score(texts)) for texts in (OTHER, STRANGE))
    assert near[key] < far[key]


def test_texts_of_the_same_kind_are_as_near_from_either_side():
    near = means(score(made_up(300, seed=9), made_up(300)))
    assert abs(near["forward_kl"]) < 3 and abs(near["backward_kl"]) < 3
    assert near["exponentiated_kl"] == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize("module, density", [(ngrams, "ngram"), (lstm, "lstm")])
def test_no_model_scores_a_text_that_it_has_learned(monkeypatch, module, density):
    """Each text has a word of its own, and some are there twice, or on both sides."""
    texts = [f"mark{n} and so on" for n in range(12)]
    learned = []

    class Spy:
        def __init__(self, rows):
            self.seen = {int(row[1]) for row in rows}

        def words(self, rows):
            assert not self.seen & {int(row[1]) for row in rows}
            learned.append(len(self.seen))
            return np.zeros(sum(len(row) - 1 for row in rows))

    monkeypatch.setattr(module, "learn", lambda rows, size, **_: Spy(rows))
    score(texts * 2, texts[:6] + ["mark99 alone"], density=density)
    assert min(learned) > 0


def test_white_space_makes_no_other_text():
    """The models see words alone: they would score what they have learned."""
    (one, two), _ = densities.sides(["a b", "c"], ["a  b\n", "d", " c"])
    first, second = densities.deal([one, two], 2, np.random.default_rng(0))
    assert (second[0], second[2]) == (first[0], first[1])
    reason = "cross-fitting needs at least two different texts on each side"
    assert set(score(["a b", "a b "]).reasons.values()) == {reason}


def test_two_texts_of_a_side_are_never_in_one_fold():
    (one, two), _ = densities.sides(["b", "c"], ["a", "b"])
    for seed in range(9):
        dealt = densities.deal([one, two], 2, np.random.default_rng(seed))
        assert [len(set(folds)) for folds in dealt] == [2, 2]


def test_every_fold_leaves_something_to_learn_from():
    (one, two), _ = densities.sides(["a", "b", "c", "c"], ["c", "d"])
    for seed in range(20):
        rng = np.random.default_rng(seed)
        first, second = densities.deal([one, two], 2, rng)
        assert len(set(first)) == len(set(second)) == 2
        assert first[2] == first[3] == second[0]


def test_both_models_learn_from_as_many_texts(monkeypatch):
    numbers, learn = [], ngrams.learn

    def counting(rows, size):
        numbers.append(len(rows))
        return learn(rows, size)

    monkeypatch.setattr(ngrams, "learn", counting)
    score(OTHER[:10], estimator="plug_in", seeds=1)
    score(OTHER[:10], estimator="plug_in", seeds=1, balanced=False)
    assert numbers == [10, 10, 60, 10]


def test_each_seed_deals_folds():
    assert np.ptp(score(OTHER).values["backward_kl"]) > 0
    same = score(OTHER, HUMAN, estimator="plug_in")
    assert np.ptp(same.values["backward_kl"]) == 0


@pytest.mark.parametrize("estimator", ["cross_fitted", "plug_in"])
def test_the_same_texts_do_not_diverge(estimator):
    """Drawn with replacement, they would."""
    found = score(HUMAN[::-1], estimator=estimator).values
    for key in KEYS - {"cross_entropy", "perplexity", "exponentiated_kl"}:
        assert found[key] == pytest.approx(np.zeros(5), abs=1e-12)
    assert found["exponentiated_kl"] == pytest.approx(np.ones(5))


def test_a_bootstrap_says_what_other_texts_would_do():
    """Of a mean over texts it is the standard error."""
    options = {"estimator": "plug_in", "seeds": 1}
    found = score(OTHER, **options)
    vocabulary = ngrams.Vocabulary(HUMAN + OTHER)
    of_human = logs(OTHER, HUMAN, vocabulary)
    expected = of_human.std(ddof=1) / np.sqrt(len(HUMAN))
    assert found.spread["cross_entropy"] == pytest.approx(expected, rel=0.2)
    assert set(found.spread) == KEYS
    assert found.spread == score(OTHER, **options).spread


def test_texts_of_one_prompt_come_and_go_together():
    """Thirty prompts with two texts are thirty texts' worth of knowledge, if alike."""
    scorer = get("string_divergence")(seeds=1, balanced=False).load()
    twice = tuple(text for text in OTHER[:30] for _ in range(2))
    prompts = tuple(str(n // 2) for n in range(60))
    alone = SystemTexts(twice, tuple(HUMAN))
    together = SystemTexts(twice, tuple(HUMAN), prompts=prompts)
    one, other = (
        scorer(given, np.random.default_rng(0)).spread["backward_kl"]
        for given in (alone, together)
    )
    assert other > one * 1.15


def test_one_text_has_no_deviation():
    assert score(OTHER[:1], estimator="plug_in").spread == {}


# Per word -----------------------------------------------------------------------------


def test_per_word_it_is_the_divergence_of_the_next_word():
    vocabulary = ngrams.Vocabulary(HUMAN + STRANGE)
    sides = [vocabulary.rows(texts) for texts in (HUMAN, STRANGE)]
    models = [ngrams.learn(rows, len(vocabulary)) for rows in sides]
    halves = []
    for side, rows in enumerate(sides):
        given = np.exp([model.words(rows) for model in models])
        halves.append(np.log(given[side] / given.mean(axis=0)).mean())
    found = score(STRANGE, estimator="plug_in", seeds=1).values
    expected = [sum(halves) / 2]
    assert found["jensen_shannon_per_word"] == pytest.approx(expected)


def test_per_word_it_tells_apart_what_is_alike_as_a_whole():
    """Plugged in, all systems are as far from people as a system can be."""
    half = OTHER[:30] + STRANGE[30:]
    found = [means(score(x, estimator="plug_in")) for x in (OTHER, half, STRANGE)]
    whole = [one["jensen_shannon"] for one in found]
    words = [one["jensen_shannon_per_word"] for one in found]
    assert np.ptp(whole) < 1e-3 < min(np.diff(words))
    assert (np.diff([one["auc_per_word"] for one in found]) > 0).all()


def test_no_area_is_none_at_all():
    """Rounding would rank systems."""
    found = score(made_up(300, seed=9), made_up(300)).values
    assert set(found["auc"]) == {0.0}


# LSTM ---------------------------------------------------------------------------------


@pytest.fixture
def few_epochs(monkeypatch):
    monkeypatch.setattr(lstm, "MOST_EPOCHS", 2)


def test_an_lstm_takes_the_place_of_n_grams(few_epochs):
    own = STRANGE[:30]
    vocabulary = ngrams.Vocabulary(HUMAN + own)
    sides = [vocabulary.rows(sorted(texts)) for texts in (HUMAN, own)]
    seed = int(np.random.default_rng(0).spawn(1)[0].integers(2**32))
    p, q = (lstm.learn(rows, len(vocabulary), seed=seed) for rows in sides)
    options = {"density": "lstm", "estimator": "plug_in", "balanced": False}
    found = means(score(own, seeds=1, **options))
    human, other = sides
    forward, backward = (p(human) - q(human)).mean(), (q(other) - p(other)).mean()
    assert found["forward_kl"] == pytest.approx(forward, rel=1e-5)
    assert found["backward_kl"] == pytest.approx(backward, rel=1e-5)
    assert found["cross_entropy"] == pytest.approx(-q(human).mean(), rel=1e-5)


def test_each_seed_gives_an_lstm_other_weights(few_epochs):
    options = {"density": "lstm", "estimator": "plug_in", "seeds": 2}
    one, same = (score(OTHER, **options).values["forward_kl"] for _ in range(2))
    np.testing.assert_array_equal(one, same)
    assert one[0] != one[1]


def test_the_same_texts_do_not_diverge_under_lstms(few_epochs):
    found = score(HUMAN[::-1], density="lstm", seeds=1, folds=2).values
    for key in KEYS - {"cross_entropy", "perplexity", "exponentiated_kl"}:
        assert found[key] == pytest.approx([0.0], abs=1e-9)


# Samples ------------------------------------------------------------------------------


def test_each_sample_can_be_a_seed():
    samples = tuple(n % 3 for n in range(60))
    scorer = get("string_divergence")(by_sample=True, estimator="plug_in").load()
    given = SystemTexts(tuple(OTHER), tuple(HUMAN), samples=samples)
    found = scorer(given, np.random.default_rng(0)).values["cross_entropy"]
    assert found.shape == (3,) and np.ptp(found) > 0
    one = get("string_divergence")(estimator="plug_in", balanced=False).load()
    alone = SystemTexts(tuple(OTHER[::3]), tuple(HUMAN))
    expected = one(alone, np.random.default_rng(0)).values["forward_kl"]
    all_human = get("string_divergence")(
        by_sample=True, estimator="plug_in", balanced=False
    ).load()
    found = all_human(given, np.random.default_rng(0)).values["forward_kl"]
    # All but equal: the vocabulary has the words of the other samples, too.
    assert found[0] == pytest.approx(expected[0], rel=0.02)


@pytest.mark.parametrize(
    "samples, reason",
    [((), "only one sample"), ((1,) * 40 + (2,) * 20, "have 20 to 40 texts")],
)
def test_samples_that_are_no_seeds_are_refused(samples, reason):
    scorer = get("string_divergence")(by_sample=True).load()
    given = SystemTexts(tuple(OTHER), tuple(HUMAN), samples=samples)
    found = scorer(given, np.random.default_rng(0))
    assert set(found.reasons) == KEYS and reason in found.reasons["auc"]


# Monte Carlo --------------------------------------------------------------------------


def test_monte_carlo_takes_the_probabilities_that_texts_carry():
    known = np.linspace(-90, -20, len(OTHER))
    options = {"estimator": "monte_carlo", "seeds": 2}
    found = score(OTHER, known=known, **options)
    of_human = logs(HUMAN, OTHER, ngrams.Vocabulary(HUMAN + OTHER))
    expected = [(known - of_human).mean()]
    np.testing.assert_allclose(found.values["backward_kl"], expected)
    assert set(found.reasons) == KEYS - {"backward_kl"}
    assert 'fill the column "log_probability:gpt2"' in found.reasons["forward_kl"]
    assert "choose another estimator" in found.reasons["auc"]
    assert found.spread["backward_kl"] > 0


def test_where_sampling_was_cut_off_the_forward_divergences_are_infinite():
    known = [-9.0] * len(OTHER)
    found = score(OTHER, known=known, cut="top-p 0.9", estimator="monte_carlo")
    reason = "infinite: sampling with top-p 0.9 gives some texts no probability"
    told = {key for key, why in found.reasons.items() if why == reason}
    assert told == {"cross_entropy", "perplexity", "forward_kl", "exponentiated_kl"}
    assert np.isnan(found.values["forward_kl"]).all()
    assert np.isfinite(found.values["backward_kl"]).all()


def test_monte_carlo_leaves_no_text_out():
    known = [-9.0] * (len(OTHER) - 1) + [np.nan]
    found = score(OTHER, known=known, estimator="monte_carlo")
    assert found.reasons["backward_kl"] == "1 of 60 texts have no log-probability"


def test_monte_carlo_of_human_texts_needs_no_log_probability_of_the_systems():
    found = score(OTHER, of_human=[-9.0] * 60, estimator="monte_carlo", seeds=2)
    assert found.values["cross_entropy"] == pytest.approx([9.0])
    assert (
        found.values["forward_kl"].shape
        == (2,)
        == (np.unique(found.values["forward_kl"]).size,)
    )
    assert found.reasons["backward_kl"] == "60 of 60 texts have no log-probability"
    assert found.spread.keys() == KEYS & (found.values.keys() - found.reasons.keys())


def test_monte_carlo_leaves_no_human_text_out():
    gap = [-9.0] * 59 + [np.nan]
    found = score(OTHER, of_human=gap, estimator="monte_carlo")
    assert found.reasons["perplexity"].startswith("1 of 60 human texts have no number")


def test_a_model_of_human_texts_needs_others():
    options = {"estimator": "monte_carlo", "of_human": [-3.0, -3.0]}
    found = score(OTHER, ["so", " so"], **options)
    assert found.values["cross_entropy"] == pytest.approx([3.0])
    assert "two different human texts" in found.reasons["forward_kl"]


def test_the_order_of_human_texts_does_not_matter():
    of_human = np.linspace(-90, -20, 60)
    one = score(OTHER, HUMAN, of_human=of_human, estimator="monte_carlo")
    turned = {"of_human": of_human[::-1], "estimator": "monte_carlo"}
    other = score(OTHER, HUMAN[::-1], **turned)
    np.testing.assert_array_equal(one.values["forward_kl"], other.values["forward_kl"])


def test_an_lstm_takes_the_place_of_p_in_monte_carlo(few_epochs):
    options = {"density": "lstm", "estimator": "monte_carlo", "seeds": 2, "folds": 2}
    found = score(OTHER, known=[-9.0] * 60, of_human=[-9.0] * 60, **options)
    for key in ("forward_kl", "backward_kl"):
        assert len(set(found.values[key])) == 2
    assert found.values["cross_entropy"] == pytest.approx([9.0])


@pytest.mark.parametrize(
    "texts, corpus, reason",
    [
        ([], HUMAN, "the system has no text"),
        (OTHER, [], "the corpus has no text"),
        (["so"] * 9, HUMAN, "two different texts on each side"),
        (OTHER, ["so", "so"], "two different texts on each side"),
    ],
)
def test_what_is_missing_is_said(texts, corpus, reason):
    found = score(texts, corpus)
    assert set(found.reasons) == KEYS
    assert all(reason in why for why in found.reasons.values())
    assert np.isnan(list(found.values.values())).all()


@pytest.mark.parametrize(
    "texts", [["", "so"], ["a", "b", "c"], HUMAN, [" ", "\n", "so"]]
)
@pytest.mark.parametrize("estimator", ["cross_fitted", "plug_in"])
def test_short_and_equal_texts_have_numbers(texts, estimator):
    found = score(texts, estimator=estimator)
    assert not found.reasons and np.isfinite(list(found.values.values())).all()


def test_options_out_of_range_are_refused():
    for options in ({"seeds": 0}, {"seeds": 101}, {"folds": 1}):
        with pytest.raises(OptionError, match="expected"):
            get("string_divergence")(**options).check()
