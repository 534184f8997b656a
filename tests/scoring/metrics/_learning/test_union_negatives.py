from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation import sentences
from scoring.metrics._learning.corruptions import rng_of
from scoring.metrics._learning.union_negatives import (
    ANTONYMS,
    TYPES,
    NegativeOptions,
    Vocabulary,
    elsewhere,
    negative,
)

TEXT = (
    "The ferry was late this morning. Then the captain came down and poured hot coffee"
    " for everyone. Nobody stayed angry for long. It's hard to frown over a warm cup."
    " The old sailors told us good stories. Strangers were sharing their maps."
)
FOUND = sentences.split(TEXT)
TEXTS = [
    TEXT,
    "A dog barked. Two cats hid under the table. The garden was quiet again.",
    "We climbed the hill. Rain fell on the roofs. The village slept below us.",
]
THEIRS = {sentence for text in TEXTS[1:] for sentence in sentences.split(text)}


@pytest.fixture(scope="module")
def vocabulary():
    return Vocabulary.of(TEXTS)


def only(name, **options):
    weights = tuple(float(name == one) for one in TYPES)
    return NegativeOptions(weights=weights, numbers=(1.0,), **options)


def draw(vocabulary, options=None, text=TEXT, n=100, seed=0):
    return [
        negative(text, elsewhere(TEXTS, 0), vocabulary, rng_of(seed, i), options)
        for i in range(n)
    ]


def test_numbers_and_types_of_errors_are_drawn_as_in_the_paper(vocabulary):
    found = draw(vocabulary, n=2000)
    numbers = np.bincount([len(one.types) for one in found], minlength=5)[1:] / 2000
    # time_prob_list and type_dict of gen_train_data.py, thu-coai/UNION.
    assert numbers == pytest.approx([0.5, 0.2, 0.2, 0.1], abs=0.035)
    first = Counter(one.types[0] for one in found)
    authors = {"repeat": 0.1, "replace": 0.3, "shuffle": 0.4, "negation": 0.2}
    assert [first[name] / 2000 for name in TYPES] == pytest.approx(
        [authors[name] for name in TYPES], abs=0.035
    )
    assert all(len(set(one.types)) == len(one.types) for one in found)


def test_the_first_sentence_is_never_altered(vocabulary):
    for one in draw(vocabulary, n=300):
        assert one.text.startswith(FOUND[0] + " ")
        assert one.text != TEXT


def test_all_errors_are_in_the_text_not_the_last_alone(vocabulary):
    options = NegativeOptions(
        weights=(0, 0.5, 0.5, 0), numbers=(0, 1.0), whole_replaced=1.0
    )
    both = 0
    for one in draw(vocabulary, options):
        after = sentences.split(one.text)
        assert set(after) & THEIRS
        own = [FOUND.index(sentence) for sentence in after if sentence in FOUND]
        # Sentences of another text may stand where the order was another one.
        both += own != sorted(own) or any(after[k] != FOUND[k] for k in own)
    assert both > 60


def test_a_repetition_says_one_sentence_in_more_than_half_of_the_places(vocabulary):
    for one in draw(vocabulary, only("repeat", whole_repeated=1.0)):
        (said, n), *_ = Counter(sentences.split(one.text)).most_common()
        assert n == 4 and said in FOUND[1:4]


def test_two_sentences_become_the_first_one_twice(vocabulary):
    text = "The ferry was late. We waited."
    (one,) = draw(vocabulary, only("repeat", whole_repeated=1.0), text, n=1)
    assert one.text == "The ferry was late. The ferry was late."


def test_a_repeated_run_of_words_stands_behind_itself(vocabulary):
    text = "It rained. The old sailor told us stories."
    options = only("repeat", whole_repeated=0.0)
    words = "The old sailor told us stories".split()
    expected = {
        " ".join(["It rained.", *words[:j], *words[i:]]) + "."
        for i in range(6)
        for j in range(i + 1, min(6, i + 4) + 1)
    }
    assert {one.text for one in draw(vocabulary, options, text, n=300)} == expected


def test_replaced_sentences_are_of_one_other_text(vocabulary):
    for one in draw(vocabulary, only("replace", whole_replaced=1.0)):
        new = [s for s in sentences.split(one.text) if s not in FOUND]
        assert 1 <= len(new) <= 5
        assert any(set(new) <= set(sentences.split(text)) for text in TEXTS[1:])


def test_few_words_are_replaced_by_words_of_the_same_kind(vocabulary):
    changed = Counter()
    options = only("replace", whole_replaced=0.0)
    # In so small a corpus a word may be the only one of its kind.
    for one in filter(None, draw(vocabulary, options, n=200)):
        pairs = list(zip(TEXT.split(), one.text.split(), strict=True))
        new = [pair for pair in pairs if pair[0] != pair[1]]
        assert 1 <= len(new) <= 4
        changed.update(new)
    assert changed["hot", "cold"] and changed["good", "bad"]
    glue = {"The", "the", "and", "for", "to", "was", "were", "us", "over", "It's"}
    assert not {before for before, _ in changed} & glue


def test_antonyms_take_the_form_of_the_word(vocabulary):
    text = "Listen. She loved bigger houses."
    found = {one.text for one in draw(vocabulary, only("replace"), text) if one}
    assert "Listen. She hated bigger houses." in found
    assert "Listen. She loved smaller houses." in found


def test_antonyms_hold_both_ways():
    assert len(ANTONYMS) > 300
    assert all(
        word in ANTONYMS[one] and one != word
        for word in ANTONYMS
        for one in ANTONYMS[word]
    )


def test_another_order_keeps_all_sentences(vocabulary):
    n_moved = set()
    for one in draw(vocabulary, only("shuffle")):
        after = sentences.split(one.text)
        assert sorted(after) == sorted(FOUND)
        n_moved.add(sum(map(str.__ne__, after, FOUND)))
    assert n_moved == {2, 3, 4, 5}


def test_a_sentence_that_breaks_off_stays_at_the_end(vocabulary):
    text = "It rained. We waited. The ferry came. And then we saw the"
    for one in draw(vocabulary, only("shuffle"), text, n=20):
        assert one.text == ("It rained. The ferry came. We waited. And then we saw the")


def test_a_negation_turns_sentences_into_their_opposite(vocabulary):
    found = draw(vocabulary, only("negation"))
    after = {s for one in found for s in sentences.split(one.text)} - set(FOUND)
    assert "Everybody stayed angry for long." in after
    assert "It's not hard to frown over a warm cup." in after
    assert all(sum(s in after for s in sentences.split(o.text)) >= 1 for o in found)


def test_a_type_that_cannot_be_applied_gives_way_to_the_next(vocabulary):
    # Two sentences have no other order, and nothing here can be negated.
    text = "The ferry came. We ran home."
    options = NegativeOptions(weights=(0.1, 0, 0.8, 0.1), numbers=(0, 0, 1.0))
    assert {one.types for one in draw(vocabulary, options, text)} == {("repeat",)}


@pytest.mark.parametrize("text", ["", " ", "Word", "One sentence alone.", "日本。"])
def test_without_a_second_sentence_there_is_no_negative(vocabulary, text):
    assert draw(vocabulary, text=text, n=20) == [None] * 20


def test_where_no_type_can_be_applied_there_is_no_negative(vocabulary):
    text = "The ferry came. We ran home."
    assert draw(vocabulary, only("shuffle"), text, n=3) == [None] * 3
    alone = negative(
        text,
        elsewhere([text], 0),
        vocabulary,
        rng_of(0, 0),
        only("replace", whole_replaced=1.0),
    )
    assert alone is None


@settings(max_examples=40)
@given(st.lists(st.text(min_size=1), min_size=2, max_size=6), st.integers(0, 9))
def test_any_text_keeps_its_first_sentence(parts, seed):
    text = ". ".join(parts)
    rng = rng_of(seed, 0)
    one = negative(text, elsewhere(TEXTS, 0), Vocabulary({}), rng)
    if one is not None:
        first = sentences.split(text)[0].strip()
        assert one.text.lstrip().startswith(first) and one.text != text
        assert one.types


def test_a_negative_comes_again_from_its_seed_and_number_alone(vocabulary):
    assert draw(vocabulary, n=30) == draw(Vocabulary.of(TEXTS), n=30)
    assert draw(vocabulary, n=30) != draw(vocabulary, n=30, seed=1)


def test_words_are_drawn_as_often_as_they_occur():
    vocabulary = Vocabulary({"NN": {"dog": 6, "cat": 3, "cow": 1, "hen": 90}})
    drawn = Counter(vocabulary.draw("NN", rng_of(0, i), "Hen") for i in range(2000))
    shares = [drawn[word] / 2000 for word in ("dog", "cat", "cow")]
    assert shares == pytest.approx([0.6, 0.3, 0.1], abs=0.04)
    assert vocabulary.draw("VB", rng_of(0, 0), "go") is None
    assert Vocabulary({"NN": {"dog": 1}}).draw("NN", rng_of(0, 0), "dog") is None


def test_a_large_corpus_is_counted_in_part():
    texts = ["dogs bark loudly"] + ["cats sleep quietly"] * 9
    vocabulary = Vocabulary.of(texts, most=1)
    drawn = vocabulary.draw("NNS", rng_of(0, 0), "houses")
    assert drawn == "dogs"
