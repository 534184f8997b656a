"""What clusters know of texts: damage, attributes and surface."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest
from sklearn.metrics import r2_score

from annotation import sentences
from scoring.contrib.probing import protocols
from scoring.contrib.probing.protocols import Given, Options
from scoring.contrib.probing.protocols._edits import (
    EDITS,
    STOPWORDS,
    shares,
    shuffled,
    swapped,
    third,
    without_articles,
    without_stopwords,
)
from scoring.contrib.probing.protocols.attributes import majorities
from scoring.contrib.probing.protocols.surface import explained
from scoring.metrics import MetricError

WORDS = "ferry harbour gull island bread deck noon sun house morning".split()


def rng():
    return np.random.default_rng(3)


def embed(texts, progress=None):
    """How often each word stands in a text, and how many there are: no model."""
    rows = [[text.count(word) for word in WORDS] for text in texts]
    if progress:
        progress(len(texts))
    found = np.array(rows, dtype=np.float32).reshape(len(texts), len(WORDS))
    lengths = np.array([[len(text) / 50] for text in texts], dtype=np.float32)
    return np.hstack([found, lengths.reshape(len(texts), 1)])


def write(n, words=WORDS, seed=0):
    """Texts of two sentences of random words."""
    chance = np.random.default_rng(seed)
    return [
        " ".join(f"The {a} saw the {b}." for a, b in chance.choice(words, (2, 2)))
        for _ in range(n)
    ]


def ignore(stage, done, total):
    pass


def run(name, given, *, report=ignore, clusters=(4,), seeds=2):
    options = Options(clusters, seeds)
    return protocols.get(name).run(
        given, options, rng=rng(), embed=embed, report=report
    )


@pytest.fixture(scope="module")
def found():
    """A corpus and the texts of a generator that knows one word."""
    parrot = ["sun sun"] * 40
    given = Given(texts=write(120), generator=parrot, generator_name="parrot")
    return run("perturbations", given, clusters=(3, 6), seeds=3)


class TestEdits:
    def test_a_third_is_rounded_up_in_whole_words(self):
        assert third(["a b c d", "x", ""], rng()) == ["a b", "x", ""]

    @pytest.mark.parametrize(
        ("text", "left"),
        [
            ("The man’s an ox. \nThe end", "man’s ox. \nend"),
            ("A-level theories another", "A-level theories another"),
            ("the", ""),
        ],
    )
    def test_articles_go_with_the_blank_behind_them(self, text, left):
        assert without_articles([text], rng()) == [left]

    def test_stopwords_go_whatever_their_case_and_apostrophe(self):
        text = "It’s NOT on the mat, don't you know?"
        assert without_stopwords([text], rng()) == ["mat, know?"]

    def test_the_list_of_stopwords_is_whole(self):
        assert len(STOPWORDS) == 179

    def test_shuffled_words_are_the_same_words(self):
        [found] = shuffled(["one two  three four five six"], rng())
        assert sorted(found.split()) == sorted("one two three four five six".split())
        assert found != "one two three four five six"

    def test_first_halves_go_elsewhere_and_second_halves_stay(self):
        texts = write(12)
        found = swapped(texts, rng())
        before, after = (list(map(sentences.split, t)) for t in (texts, found))
        assert [s[1:] for s in after] == [s[1:] for s in before]
        assert sorted(s[0] for s in after) == sorted(s[0] for s in before)
        assert found != texts

    def test_a_text_of_one_sentence_has_no_first_half(self):
        assert swapped(["One sentence only."], rng()) == ["One sentence only."]

    def test_a_long_word_takes_no_room_in_each_place(self):
        tracemalloc.start()
        shuffled(["x" * 10_000 + " a b" * 2500], rng())
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 5_000_000

    def test_every_edit_bears_a_text_without_words(self):
        for _, edit in EDITS.values():
            assert edit([""], rng()) == [""]

    def test_shares_are_of_words_and_marks(self):
        assert shares("The cat, it sat.") == (2 / 6, 2 / 6)
        assert shares(" \n") is None


class TestPerturbations:
    def rows(self, found, name="jensen-shannon"):
        return {row["title"]: row["cells"][0][name]["mean"] for row in found["rows"]}

    def test_it_compares_the_other_half_as_it_is_damaged_and_a_generator(self, found):
        titles = [row["title"] for row in found["rows"]]
        assert titles == ["Unmodified", *(t for t, _ in EDITS.values()), "parrot"]
        assert [row["n"] for row in found["rows"]] == [60] * 6 + [40]

    def test_what_differs_more_diverges_more(self, found):
        rows = self.rows(found)
        assert rows["parrot"] > rows["Cut to a third"] > rows["Unmodified"]

    def test_what_the_vectors_do_not_see_does_not_count(self, found):
        assert self.rows(found)["Words shuffled"] < 2 * self.rows(found)["Unmodified"]

    def test_it_takes_the_largest_k_and_says_what_it_was(self, found):
        assert found["clusters"] == [{"asked": 6, "used": 6}]

    def test_each_seed_gives_a_value_and_they_differ(self, found):
        cell = found["rows"][1]["cells"][0]["auc"]
        assert len(set(cell["values"])) == 3
        assert cell["sd"] == pytest.approx(np.std(cell["values"], ddof=1))

    def test_the_exponentiated_is_that_of_the_forward_divergence(self, found):
        cell = found["rows"][2]["cells"][0]
        assert cell["exponentiated-kl"]["values"] == pytest.approx(
            np.exp(cell["forward-kl"]["values"])
        )

    def test_the_same_seed_gives_the_same_numbers(self):
        given = Given(texts=write(20))
        first, second = (run("perturbations", given) for _ in range(2))
        assert first["rows"] == second["rows"]

    @pytest.mark.parametrize(("name", "used"), [("perturbations", 3), ("clusters", 33)])
    def test_k_is_what_the_texts_of_the_smallest_pair_allow(self, name, used):
        given = Given(texts=write(60), generator=["sun"] * 3)
        found = run(name, given, clusters=(500,))
        assert found["clusters"] == [{"asked": 500, "used": used}]

    def test_damage_to_few_texts_shows_though_many_clusters_are_asked_for(self):
        rows = self.rows(run("perturbations", Given(texts=write(80)), clusters=(500,)))
        assert rows["Cut to a third"] > 2 * rows["Unmodified"]

    @pytest.mark.parametrize("name", ["perturbations", "clusters", "surface"])
    def test_too_few_texts_are_refused_in_a_sentence(self, name):
        with pytest.raises(MetricError, match="at least 4 texts"):
            run(name, Given(texts=write(3)))

    def test_texts_that_are_all_alike_do_not_diverge(self):
        found = run("perturbations", Given(texts=["sun"] * 8), clusters=(2,))
        assert self.rows(found)["Unmodified"] == 0

    def test_it_tells_how_far_it_is(self):
        told = []
        given = Given(texts=write(8))
        run("perturbations", given, report=lambda *one: told.append(one))
        stages = list(dict.fromkeys(stage for stage, _, _ in told))
        assert stages == ["embedding", "clustering"]
        assert all(done <= total for _, done, total in told)
        assert told[-1][1] == told[-1][2]


class TestClusters:
    def test_damage_that_nobody_sees_cancels_against_the_same_texts(self):
        """The other half differs by chance, shuffled words of the same texts do not."""
        found = run("clusters", Given(texts=write(80)), clusters=(2, 8))
        cells = {row["key"]: row["cells"] for row in found["rows"]}
        assert [c["forward-kl"]["mean"] for c in cells["shuffled"]] == [0, 0]
        assert cells["unmodified"][1]["forward-kl"]["mean"] > 0

    def test_there_is_a_cell_for_each_k(self):
        found = run("clusters", Given(texts=write(20)), clusters=(2, 8, 99))
        assert [one["used"] for one in found["clusters"]] == [2, 8, 20]
        assert {len(row["cells"]) for row in found["rows"]} == {3}


class TestAttributes:
    def topics(self, n=60):
        """Each topic has its own words."""
        return write(n, WORDS[:5]) + write(n, WORDS[5:]), ["sea"] * n + ["land"] * n

    def test_clusters_tell_what_texts_are_about(self):
        texts, topic = self.topics()
        found = run("attributes", Given(texts=texts, attributes={"topic": topic}))
        [one] = found["attributes"]
        assert one["ways"]["training"][0]["accuracy"]["mean"] > 0.8
        assert one["baseline"]["mean"] < 0.65
        assert (one["n_train"], one["n_test"], one["categories"]) == (80, 40, 2)

    def test_clusters_tell_nothing_of_what_is_drawn_by_lot(self):
        texts, topic = self.topics()
        lot = rng().permutation(topic).tolist()
        found = run("attributes", Given(texts=texts, attributes={"lot": lot}))
        [one] = found["attributes"]
        assert one["ways"]["training"][0]["accuracy"]["mean"] < 0.65

    def test_they_are_learned_on_another_corpus_as_well(self):
        texts, topic = self.topics()
        given = Given(
            texts=texts, attributes={"topic": topic}, learn_on=write(30, seed=9)
        )
        [one] = run("attributes", given, clusters=(4, 50))["attributes"]
        assert [c["used"] for c in one["ways"]["corpus"]] == [4, 30]
        assert [c["used"] for c in one["ways"]["training"]] == [4, 50]

    def test_the_corpus_may_say_which_texts_train(self):
        texts, topic = self.topics()
        split = ["train", "train", "test", ""] * 30
        given = Given(texts=texts, attributes={"topic": topic}, split=split)
        [one] = run("attributes", given)["attributes"]
        assert (one["n_train"], one["n_test"], one["column"]) == (60, 30, True)

    def test_texts_without_the_attribute_are_left_out_and_counted(self):
        texts, topic = self.topics()
        given = Given(texts=texts, attributes={"topic": ["", "", *topic[2:]]})
        [one] = run("attributes", given)["attributes"]
        assert (one["n"], one["left_out"], one["categories"]) == (118, 2, 2)

    @pytest.mark.parametrize(
        ("values", "reason"),
        [
            (["x"] * 12, "all texts have the same value"),
            (["x", *[""] * 11], "too few texts have it: 1 to learn from and 0 to test"),
            ([""] * 12, "too few texts have it: 0 to learn from and 0 to test"),
        ],
    )
    def test_what_cannot_be_told_has_a_reason(self, values, reason):
        given = Given(texts=write(12), attributes={"a": values})
        [one] = run("attributes", given)["attributes"]
        assert (one["reason"], one["ways"]) == (reason, {})

    def test_a_category_of_test_texts_alone_is_never_said(self):
        split = ["train"] * 6 + ["test"] * 6
        given = Given(
            texts=write(12), attributes={"a": ["x"] * 6 + ["y"] * 6}, split=split
        )
        [one] = run("attributes", given)["attributes"]
        assert one["baseline"]["mean"] == 0
        assert one["ways"]["training"][0]["accuracy"]["mean"] == 0

    def test_without_an_attribute_it_says_what_to_do(self):
        with pytest.raises(MetricError, match="expected an attribute"):
            run("attributes", Given(texts=write(12)))

    def test_ties_and_empty_clusters_take_the_overall_majority(self):
        labels, codes = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 2, 1])
        assert majorities(labels, codes, 3, 3).tolist() == [1, 1, 1]
        assert majorities(np.array([0, 1, 1]), np.array([2, 0, 0]), 3, 3).tolist() == [
            *(2, 0, 0)
        ]


class TestSurface:
    def test_r2_is_that_of_scikit_learn(self):
        chance = rng()
        fit, test = chance.random((40, 2)), chance.random((30, 2))
        a, b = chance.integers(0, 3, 40), chance.integers(0, 3, 30)
        means = np.array([fit[a == k].mean(axis=0) for k in range(3)])
        assert explained(a, fit, b, test, 3) == pytest.approx(
            [r2_score(test[:, i], means[b][:, i]) for i in range(2)]
        )

    def test_a_cluster_that_fits_nothing_takes_the_mean_of_all(self):
        fit, test = np.array([[0.0], [1.0]]), np.array([[0.5], [1.5]])
        found = explained(np.array([0, 0]), fit, np.array([1, 1]), test, 2)
        assert found == pytest.approx([1 - 1 / 0.5])

    def test_what_never_varies_has_no_r2(self):
        ones, labels = np.ones((3, 1)), np.zeros(3, int)
        assert explained(labels, ones, labels, ones, 1) == [None]

    def test_clusters_by_length_know_the_share_of_marks(self):
        """One mark in each text: the longer it is, the smaller its share."""
        texts = [" ".join(["Gulls"] * n) + "." for n in (2, 20)] * 20
        found = run("surface", Given(texts=texts), clusters=(2,))
        assert found["features"][1]["r2"][0]["mean"] == pytest.approx(1)

    def test_clusters_may_be_learned_on_other_texts(self):
        given = Given(texts=write(12), learn_on=write(5, seed=9))
        found = run("surface", given, clusters=(4, 9))
        assert [one["used"] for one in found["clusters"]] == [4, 5]
        assert found["n_learn_on"] == 5

    def test_texts_without_tokens_are_left_out_and_counted(self):
        found = run("surface", Given(texts=[*write(10), " ", ""]))
        assert (found["n_texts"], found["left_out"]) == (10, 2)


@pytest.mark.parametrize("name", protocols.NAMES)
def test_results_are_plain_numbers_and_lists(name):
    given = Given(texts=write(16), attributes={"a": ["x", "y"] * 8})
    found = run(name, given)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_vectors_that_do_not_vary_are_refused():
    """All rows would be as far as the unmodified one: not at all."""

    def same(texts, progress=None):
        return np.ones((len(texts), 3), np.float32)

    options = Options((2,), 1)
    with pytest.raises(MetricError, match="the same vector, although the texts differ"):
        protocols.get("clusters").run(
            Given(write(8)), options, rng=rng(), embed=same, report=ignore
        )


def test_an_unknown_probe_is_answered_with_those_there_are():
    with pytest.raises(KeyError, match="surface"):
        protocols.get("depth")
