import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from scoring.metrics import OptionError, SystemTexts, get
from scoring.metrics._distributions import ngrams
from tests.scoring.metrics._distributions.test_ngrams import made_up

KEYS = {"clusters", "ngrams", "clusters_given_length", "ngrams_given_length"}
# Words that the tiny model knows: what is near is about the same.
NEAR = ["the ferry left the harbour at seven", "the ferry left at seven ."]
HUMAN = made_up(50, seed=4)
APART = ["nobody said a word", "good great good", "in summary it was bad ,"]


@pytest.fixture(scope="module")
def scorers(gpt2):
    """Scorers by their options; a model is loaded once for the same ones."""
    loaded = {}

    def scorer(**options):
        key = tuple(sorted(options.items()))
        if key not in loaded:
            loaded[key] = get("fidelity")(model=str(gpt2), **options).load()
        return loaded[key]

    return scorer


def score(scorer, texts, known, corpus=(*NEAR, *APART), seed=0):
    given = SystemTexts(tuple(texts), tuple(corpus), tuple(known))
    return scorer(given, np.random.default_rng(seed))


@pytest.mark.slow
def test_ngrams_know_what_an_ngram_model_finds_probable(scorers):
    texts = made_up(80)
    vocabulary = ngrams.Vocabulary(texts)
    rows = vocabulary.rows(made_up(400, seed=5))
    known = ngrams.learn(rows, len(vocabulary))(vocabulary.rows(texts))
    found = score(scorers(), texts, known)
    assert found.values["ngrams"].min() > 0.7
    assert score(scorers(), texts, -known).values["ngrams"].max() < -0.7


def test_plugged_in_it_is_the_correlation_with_a_model_of_all_texts(scorers):
    texts, known = made_up(30), np.arange(30.0)
    vocabulary = ngrams.Vocabulary(texts)
    rows = vocabulary.rows(texts)
    estimated = ngrams.learn(rows, len(vocabulary))(rows)
    scorer = scorers(estimator="plug_in", seeds=2)
    expected = spearmanr(known, estimated).statistic
    found = score(scorer, texts, known).values["ngrams"]
    np.testing.assert_allclose(found, [expected] * 2)


@pytest.mark.usefixtures("few_draws")
def test_clusters_know_only_how_many_texts_are_alike(scorers):
    """Each text is a cluster: the estimates are ln 8/13, ln 3/13 and ln 2/13."""
    texts = [APART[0]] * 7 + [APART[1]] * 2 + [APART[2]]
    known = [-4.0] * 7 + [-5.0] * 2 + [-6.0]
    scorer, corpus = scorers(clusters=3, seeds=2), APART * 10
    found = score(scorer, texts, known, corpus).values["clusters"]
    np.testing.assert_allclose(found, [1.0, 1.0])
    turned = score(scorer, texts, [-p for p in known], corpus).values["clusters"]
    np.testing.assert_allclose(turned, [-1.0, -1.0])


@pytest.mark.usefixtures("few_draws")
def test_a_note_says_where_there_are_fewer_clusters(scorers):
    texts = made_up(12)
    notes = score(scorers(), texts, np.arange(12.0)).notes
    assert notes == ("K was lowered from 500 to 2: there are 17 texts",)
    assert score(scorers(clusters=2), texts, np.arange(12.0)).notes == ()


@pytest.mark.parametrize(
    "texts, known, reason",
    [
        ([], [], "the system has no text"),
        (made_up(5), [], "5 of 5 texts have no log-probability"),
        (made_up(5), [1, 2, np.nan, 4, 5], "1 of 5 texts have no log-probability"),
        (made_up(5), [-3.0] * 5, "all texts have the same log-probability"),
        (["a", "b", "b", "a"], [1, 2, 3, 4], "fewer than 3 different texts"),
    ],
)
def test_what_is_missing_is_said(scorers, texts, known, reason):
    found = score(scorers(), texts, known)
    assert set(found.reasons) == KEYS
    assert all(reason in why for why in found.reasons.values())
    assert np.isnan(list(found.values.values())).all()


@pytest.mark.usefixtures("few_draws")
def test_without_a_corpus_there_are_no_clusters(scorers):
    found = score(scorers(), made_up(20), np.arange(20.0), corpus=())
    assert set(found.reasons) == {"clusters", "clusters_given_length"}
    assert set(found.reasons.values()) == {"the corpus has no text"}
    assert np.isfinite(found.values["ngrams"]).all()


def test_clusters_of_one_size_tell_nothing(scorers):
    texts, known = APART, [-1.0, -2.0, -3.0]
    found = score(scorers(clusters=1), texts, known)
    same = "the estimate is the same for all texts"
    assert found.reasons["clusters"] == found.reasons["clusters_given_length"] == same


@pytest.mark.usefixtures("few_draws")
def test_each_seed_deals_folds_and_clusters(scorers):
    texts = [*made_up(20), *NEAR, *APART]
    found = score(scorers(), texts, np.arange(25.0))
    assert np.ptp(found.values["ngrams"]) > 0
    assert len(found.values["clusters"]) == 5


def test_a_bootstrap_says_what_other_texts_would_do(scorers):
    """Of a correlation near 0 of n texts it is about 1 / sqrt(n)."""
    known = np.random.default_rng(0).normal(size=60)
    found = score(scorers(estimator="plug_in", seeds=1), made_up(60), known)
    assert found.spread["ngrams"] == pytest.approx(60**-0.5, rel=0.25)
    assert "clusters" in found.spread


def test_given_the_length_it_is_the_partial_correlation_of_ranks(scorers):
    texts = made_up(40)
    lengths = np.array([len(text.split()) for text in texts])
    known = -lengths + np.random.default_rng(0).normal(size=40)
    scorer = scorers(estimator="plug_in", seeds=1)
    found = {key: v[0] for key, v in score(scorer, texts, known).values.items()}
    vocabulary = ngrams.Vocabulary(texts)
    rows = vocabulary.rows(texts)
    estimated = ngrams.learn(rows, len(vocabulary))(rows)

    def left(values):
        """What a line through the ranks of the lengths leaves of the ranks."""
        x, y = rankdata(lengths), rankdata(values)
        return y - np.polyval(np.polyfit(x, y, 1), x)

    expected = np.corrcoef(left(known), left(estimated))[0, 1]
    assert found["ngrams_given_length"] == pytest.approx(expected)
    assert found["ngrams"] > 0.5 > found["ngrams_given_length"]


def test_length_that_tells_all_leaves_no_partial_correlation(scorers):
    texts = ["a", "a b", "a b c", "a b c d"]
    found = score(scorers(estimator="plug_in"), texts, [-1.0, -2, -3, -4])
    reason = "one side of the correlation depends on length only"
    assert found.reasons["ngrams_given_length"] == reason
    assert found.values["ngrams"] == pytest.approx(np.ones(5))


@pytest.mark.usefixtures("few_draws")
def test_clusters_are_those_of_the_whole_study(scorers):
    """With all systems' texts together, a text may share its cluster with others."""
    given = SystemTexts(
        tuple([*NEAR, *APART]),
        tuple(HUMAN),
        (-1.0, -2.0, -3.0, -4.0, -5.0),
        name="a",
        others=(SystemTexts(tuple(made_up(40)), name="b"),),
        seed=3,
    )
    study, pair = (
        scorers(clusters=4, partition=partition)(given, np.random.default_rng(0))
        for partition in ("study", "pair")
    )
    assert not np.array_equal(study.values["clusters"], pair.values["clusters"])
    assert scorers().signature != scorers(partition="pair").signature


def test_each_sample_can_be_a_seed(scorers):
    samples = tuple(n % 2 for n in range(40))
    texts, known = tuple(made_up(40)), tuple(np.arange(40.0))
    given = SystemTexts(texts, tuple(HUMAN), known, samples=samples)
    scorer = scorers(by_sample=True, estimator="plug_in")
    assert scorer(given, np.random.default_rng(0)).values["ngrams"].shape == (2,)


def test_no_system_is_ranked_by_it():
    assert not any(one.quality for one in get("fidelity")().outputs)


def test_options_out_of_range_are_refused():
    for options in ({"seeds": 0}, {"folds": 1}, {"clusters": 0}, {"max_tokens": 0}):
        with pytest.raises(OptionError, match="expected"):
            get("fidelity")(**options).check()
