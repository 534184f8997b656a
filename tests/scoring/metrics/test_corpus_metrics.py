"""Metrics of whole systems without a model, and how close they are to human text."""

import gzip
import itertools
import json

import numpy as np
import pytest
from scipy import stats

from scoring.metrics import Example, OptionError, SystemTexts, get
from scoring.metrics._distributions import closeness as _closeness
from scoring.metrics._engine.words import words
from scoring.metrics.corpus_repetition import ends_in_loop
from scoring.metrics.zipf import coefficient
from tests.support import shared

NO_CORPUS = "no corpus of human texts was chosen"
WITH_CLOSENESS = ["zipf", "corpus_distinct", "corpus_repetition", "self_bleu"]
HUMAN = ("a rose is a rose", "the ferry left", "nobody said a word", "so it goes")


def score(name, texts, corpus=(), seed=0, **options):
    given = SystemTexts(tuple(texts), tuple(corpus))
    return get(name)(**options).load()(given, np.random.default_rng(seed))


def number(found, key):
    """The only number of an output, or why there is none."""
    (value,) = found.values[key]
    return found.reasons.get(key) or value


class TestCloseness:
    def of(self, texts, corpus, seeds=0):
        """Measured is how many words there are, so nothing but the sizes counts."""

        def measure(texts):
            return {"n": len(texts)} if texts else {"n": "there is no text"}

        scorer = _closeness.ClosenessScorer("n|v:1", measure, seeds=seeds)
        given = SystemTexts(tuple("x" * texts), tuple("y" * corpus))
        return scorer(given, np.random.default_rng(0))

    def test_it_is_the_negated_distance_from_human_text(self):
        for texts, corpus in [(3, 5), (5, 3)]:
            found = self.of(texts, corpus)
            assert found.values == {"n": [texts], "n_closeness": [-2]}
            assert found.details == {"human": {"n": [corpus]}}

    def test_the_same_number_is_0_and_not_minus_0(self):
        (close,) = self.of(4, 4).values["n_closeness"]
        assert str(close) == "0.0"

    @pytest.mark.parametrize(("texts", "corpus"), [(3, 5), (5, 3), (4, 4)])
    def test_with_seeds_both_sides_have_equally_many_texts(self, texts, corpus):
        found = self.of(texts, corpus, seeds=3)
        assert found.values["n"] == [texts]  # all of them all the same
        assert found.values["n_closeness"].tolist() == [0, 0, 0]
        assert found.details["human"]["n"] == [min(texts, corpus)] * 3

    def test_without_a_side_there_is_a_reason(self):
        assert self.of(3, 0).reasons == {"n_closeness": NO_CORPUS}
        missing = self.of(0, 3, seeds=2).reasons
        assert missing == dict.fromkeys(["n", "n_closeness"], "there is no text")

    def test_a_reason_tells_that_it_is_the_human_texts(self):
        found = score("zipf", ["one two two"], ["one", "one"])
        reason = "in the human texts: fewer than two different words"
        assert found.reasons == {"zipf_closeness": reason}
        assert np.isnan(found.values["zipf_closeness"]).all()

    def test_every_seed_draws_other_texts(self):
        found = score("zipf", ["a b"], ["a b", "a b b b b"], seeds=20)  # slopes 0 and 2
        assert set(np.round(found.values["zipf_closeness"])) == {0, -2}
        again = score("zipf", ["a b"], ["a b b b b", "a b"], seeds=20)
        assert (again.values["zipf_closeness"] == found.values["zipf_closeness"]).all()

    def test_what_is_measured_twice_is_measured_once(self):
        asked = []

        def measure(texts):
            asked.append(texts)
            return {"n": len(texts)}

        scorer = _closeness.ClosenessScorer("n|v:1", measure, seeds=5)
        given = SystemTexts(("b", "a"), ("c", "d"))
        told = []
        scorer(given, np.random.default_rng(0), told.append)
        assert asked == [("a", "b"), ("c", "d")] and told == [0, 0]


@pytest.mark.parametrize("name", WITH_CLOSENESS)
class TestEveryMetricWithCloseness:
    def test_a_quantity_has_no_direction_and_its_closeness_has_one(self, name):
        outputs = get(name)().outputs
        for own, close in zip(outputs[::2], outputs[1::2], strict=True):
            assert close.key == f"{own.key}_closeness" and close.higher_is_better
            assert own.higher_is_better is None

    def test_human_text_is_closest_to_itself(self, name):
        found = score(name, HUMAN, HUMAN[::-1])
        closeness = [v for key, v in found.values.items() if key.endswith("_closeness")]
        assert all((values == 0).all() for values in closeness) and closeness

    def test_without_a_corpus_the_numbers_are_the_same(self, name):
        alone, held = score(name, HUMAN), score(name, HUMAN, ["a b c d", "e f g h"])
        for key in alone.values:
            if key.endswith("_closeness"):
                assert alone.reasons[key] == NO_CORPUS
            else:
                assert alone.values[key] == held.values[key]

    @pytest.mark.parametrize("corpus", [(), HUMAN, ("",), ("one",)])
    @pytest.mark.parametrize("texts", [(), ("",), ("", ""), ("one",), ("...",)])
    def test_there_is_a_number_or_a_reason(self, name, texts, corpus):
        found = score(name, texts, corpus)
        for key, values in found.values.items():
            assert np.isfinite(values).all() or found.reasons[key]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("zipf", {"seeds": 0}, "seeds=0: expected 1 to 100"),
        ("zipf", {"ranks": 1}, "ranks=1: expected 2 or more"),
        ("corpus_distinct", {"seeds": 101}, "seeds=101: expected 1 to 100"),
        ("self_bleu", {"seeds": 0}, "seeds=0: expected 1 to 100"),
        ("corpus_repetition", {"phrase": 0}, "phrase=0: expected 1 or more"),
        ("corpus_repetition", {"times": 1}, "times=1: expected 2 or more"),
    ],
)
def test_options_that_mean_nothing_are_refused(name, options, message):
    with pytest.raises(OptionError, match=message):
        get(name)(**options).load()


class TestZipf:
    @pytest.mark.parametrize("exponent", [0, 0.5, 1, 2])
    def test_a_power_law_has_its_exponent(self, exponent):
        frequencies = np.arange(1, 50.0) ** -exponent
        assert coefficient(frequencies, 5000) == pytest.approx(exponent)

    def test_it_is_the_slope_that_scipy_finds(self):
        rng = np.random.default_rng(0)
        for n in (2, 3, 30, 300):
            frequencies = rng.integers(1, 1000, n).tolist()
            y = np.log(sorted(frequencies, reverse=True)[:100])
            expected = stats.linregress(np.log(np.arange(len(y)) + 1), y).slope
            assert coefficient(frequencies, 100) == pytest.approx(-expected, abs=1e-12)

    def test_words_are_counted_over_all_texts(self):
        found = score("zipf", ["a b", "A, c", "a b a"])  # 4, 2 and 1 times
        assert number(found, "zipf") == pytest.approx(coefficient([1, 2, 4], 5000))

    def test_words_beyond_the_ranks_do_not_count(self):
        found = score("zipf", ["a a a a b b c"], ranks=2)
        assert number(found, "zipf") == pytest.approx(1)

    def test_one_word_alone_has_no_slope(self):
        assert number(score("zipf", ["so", "so"]), "zipf").startswith("fewer than two")


class TestCorpusDistinct:
    def test_ngrams_are_counted_over_all_texts_and_span_none(self):
        found = score("corpus_distinct", ["a b", "a b c"])
        assert number(found, "distinct_1") == 3 / 5
        assert number(found, "distinct_2") == 2 / 3
        assert number(found, "distinct_3") == 1
        assert number(found, "distinct_4") == "no text has 4 words"

    def test_closeness_is_that_of_equally_many_texts(self):
        found = score("corpus_distinct", ["a b", "a c"], ["a b c d"] * 9, seeds=2)
        close = found.values["distinct_1_closeness"]
        assert close == pytest.approx([-(3 / 4 - 4 / 8)] * 2)


class TestCorpusRepetition:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("on and on and on and", True),
            ("it went on and on and on and", True),
            ("on and on and on", False),  # twice and a half
            ("on and on and on and then", False),  # not at the end
            ("so so so", False),  # a phrase of one word
            ("so so so so so so", True),  # so so, three times
            ("a b c d a b c d a b c d", True),
            ("", False),
        ],
    )
    def test_a_loop_is_a_phrase_three_times_at_the_end(self, text, expected):
        assert ends_in_loop(text.split(), phrase=2, times=3) is expected

    def test_any_phrase_often_enough_is_a_loop(self):
        rng = np.random.default_rng(0)
        for _ in range(50):
            phrase, times = int(rng.integers(1, 9)), int(rng.integers(2, 5))
            before = rng.integers(0, 3, rng.integers(0, 9)).tolist()
            loop = before + rng.integers(0, 3, phrase).tolist() * times
            assert ends_in_loop(loop, phrase=phrase, times=times)
            assert not ends_in_loop([*loop, "end"], phrase=phrase, times=times)

    def test_it_is_the_share_of_texts(self):
        texts = ["On and on, and on and...", "on", "", "to sum up"]
        assert number(score("corpus_repetition", texts), "loops") == 1 / 4
        found = score("corpus_repetition", ["to sum up, sum up"], phrase=2, times=2)
        assert number(found, "loops") == 1

    def test_ngrams_that_come_again_are_the_mean_of_the_texts_that_have_some(self):
        found = score("corpus_repetition", ["on and on and on", "on", "to sum up"])
        assert number(found, "seq_rep_2") == pytest.approx((2 / 4 + 0) / 2)
        assert number(found, "seq_rep_4") == pytest.approx(0)
        short = score("corpus_repetition", ["on", "on"])
        assert number(short, "seq_rep_2") == "no text has 2 words"


class TestLengthDistance:
    def test_it_is_how_far_lengths_must_move(self):
        found = score("length_distance", ["a", "a b c"], ["a b", "a b c d"])
        assert number(found, "wasserstein") == pytest.approx(1)
        assert number(found, "kolmogorov_smirnov") == pytest.approx(1 / 2)

    def test_it_is_the_area_between_the_shares_of_shorter_texts(self):
        rng = np.random.default_rng(0)
        system, human = rng.integers(0, 9, 7), rng.integers(3, 20, 11)
        x = np.arange(20)
        gap = np.abs(
            (system[:, None] <= x).mean(axis=0) - (human[:, None] <= x).mean(axis=0)
        )
        texts, corpus = (["a " * n for n in lengths] for lengths in (system, human))
        found = score("length_distance", texts, corpus)
        assert number(found, "wasserstein") == pytest.approx(gap.sum())
        assert number(found, "kolmogorov_smirnov") == pytest.approx(gap.max())

    def test_the_same_lengths_have_no_distance(self):
        found = score("length_distance", ["a b", "c"], ["x", "y z"])
        assert found.values == {"wasserstein": [0], "kolmogorov_smirnov": [0]}

    def test_without_a_side_there_is_a_reason(self):
        assert set(score("length_distance", ["a"]).reasons.values()) == {NO_CORPUS}
        missing = score("length_distance", [], ["a"]).reasons
        assert set(missing.values()) == {"there is no text"}


@pytest.fixture(scope="module")
def reviews():
    with gzip.open(shared.path("data/text_imdb/train_unsup.jsonl.gz"), "rt") as lines:
        return [json.loads(line)["text"] for line in itertools.islice(lines, 200)]


def test_people_write_no_loops_by_zipfs_law(reviews):
    assert number(score("zipf", reviews), "zipf") == pytest.approx(1, abs=0.2)
    assert number(score("corpus_repetition", reviews), "loops") < 0.02


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("zipf", "zipf"),
        ("corpus_distinct", "distinct_4"),
        ("corpus_repetition", "loops"),
        ("corpus_repetition", "seq_rep_4"),
        ("self_bleu", "self_bleu"),
    ],
)
def test_people_are_closer_to_people_than_what_loops(reviews, name, key):
    others, corpus = reviews[:80], reviews[80:]
    loops = [" ".join(words(text)[:20] * 10) for text in others]
    people, machine = (
        score(name, texts, corpus).values[f"{key}_closeness"].max()
        for texts in (others, loops)
    )
    assert machine < people <= 0


PREFIXED = tuple(
    Example(f"Once upon a time {rest}", prefix="Once upon a time")
    for rest in ("a boy swam far.", "the sun rose.", "the sun rose late again.")
)


@pytest.mark.parametrize(
    "name", ["self_bleu", "corpus_distinct", "corpus_repetition", "zipf"]
)
class TestWhatIsRead:
    def found(self, name, examples, reads):
        given = SystemTexts(
            tuple(one.text for one in examples), (), examples=tuple(examples)
        )
        metric = get(name)(reads=reads)
        return metric, metric.load()(given, np.random.default_rng(0)).values

    def test_without_prefixes_it_is_that_of_the_rest(self, name):
        rests = [Example(one.text[len(one.prefix) :].strip()) for one in PREFIXED]
        _, expected = self.found(name, rests, "full")
        metric, actual = self.found(name, PREFIXED, "generated")
        for output in metric.outputs:
            np.testing.assert_array_equal(actual[output.key], expected[output.key])

    def test_by_default_prefixes_are_read(self, name):
        _, full = self.found(name, PREFIXED, "full")
        _, generated = self.found(name, PREFIXED, "generated")
        key = {"corpus_distinct": "distinct_1", "corpus_repetition": "loops"}.get(name)
        assert get(name)().options.reads == "full"
        if key != "loops":  # these are short, and end in none
            assert full[key or name][0] != generated[key or name][0]

    def test_it_is_in_the_signature(self, name):
        assert "|reads:generated|" in get(name)(reads="generated").signature()


def test_shared_prefixes_make_texts_look_alike():
    values = {
        reads: get("self_bleu")(reads=reads)
        .load()(
            SystemTexts(tuple(one.text for one in PREFIXED), examples=PREFIXED),
            np.random.default_rng(0),
        )
        .values["self_bleu"][0]
        for reads in ("full", "generated")
    }
    assert values["full"] > values["generated"]
