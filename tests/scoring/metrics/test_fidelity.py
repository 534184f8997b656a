import numpy as np
import pytest
from scipy.stats import spearmanr

from scoring.metrics import OptionError, SystemTexts, get
from scoring.metrics._distributions import ngrams
from tests.scoring.metrics._distributions.test_ngrams import made_up

# Words that the tiny model knows: what is near is about the same.
NEAR = ["the ferry left the harbour at seven", "the ferry left at seven ."]
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
    scorer = scorers(estimator="plug_in", redraw=False, seeds=2)
    expected = spearmanr(known, estimated).statistic
    found = score(scorer, texts, known).values["ngrams"]
    np.testing.assert_allclose(found, [expected] * 2)


def test_clusters_know_only_how_many_texts_are_alike(scorers):
    """Each text is a cluster: the estimates are ln 8/13, ln 3/13 and ln 2/13."""
    texts = [APART[0]] * 7 + [APART[1]] * 2 + [APART[2]]
    known = [-4.0] * 7 + [-5.0] * 2 + [-6.0]
    scorer, corpus = scorers(clusters=3, redraw=False, seeds=2), APART * 10
    found = score(scorer, texts, known, corpus).values["clusters"]
    np.testing.assert_allclose(found, [1.0, 1.0])
    turned = score(scorer, texts, [-p for p in known], corpus).values["clusters"]
    np.testing.assert_allclose(turned, [-1.0, -1.0])


def test_a_note_says_where_there_are_fewer_clusters(scorers):
    texts = made_up(12)
    notes = score(scorers(), texts, np.arange(12.0)).notes
    assert notes == ("K was lowered from 500 to 2: there are 17 texts",)
    assert score(scorers(clusters=2), texts, np.arange(12.0)).notes == ()


@pytest.mark.parametrize(
    "texts, known, reason",
    [
        ([], [], "the system has no text"),
        (made_up(5), [], "5 of 5 texts carry no log-probability"),
        (made_up(5), [1, 2, np.nan, 4, 5], "1 of 5 texts carry no log-probability"),
        (made_up(5), [-3.0] * 5, "all texts have the same log-probability"),
        (["a", "b", "b", "a"], [1, 2, 3, 4], "fewer than 3 different texts"),
    ],
)
def test_what_is_missing_is_said(scorers, texts, known, reason):
    found = score(scorers(redraw=False), texts, known)
    assert set(found.reasons) == {"clusters", "ngrams"}
    assert all(reason in why for why in found.reasons.values())
    assert np.isnan(list(found.values.values())).all()


def test_without_a_corpus_there_are_no_clusters(scorers):
    found = score(scorers(), made_up(20), np.arange(20.0), corpus=())
    assert found.reasons == {"clusters": "the corpus has no text"}
    assert np.isfinite(found.values["ngrams"]).all()


def test_clusters_of_one_size_tell_nothing(scorers):
    texts, known = APART, [-1.0, -2.0, -3.0]
    found = score(scorers(clusters=1, redraw=False), texts, known)
    assert found.reasons == {"clusters": "the estimate is the same for all texts"}


def test_a_seed_draws_texts_folds_and_clusters_anew(scorers):
    texts = [*made_up(20), *NEAR, *APART]
    for options in ({}, {"redraw": False}):
        found = score(scorers(**options), texts, np.arange(25.0))
        assert np.ptp(found.values["ngrams"]) > 0
        assert len(found.values["clusters"]) == 5


def test_options_out_of_range_are_refused():
    for options in ({"seeds": 0}, {"folds": 1}, {"clusters": 0}, {"max_tokens": 0}):
        with pytest.raises(OptionError, match="expected"):
            get("fidelity")(**options).check()
