import re

import numpy as np
import pytest

from annotation import sentences
from annotation.perturbations import PERTURBATIONS, is_cut_off
from tests.support.hostile import bounded, repeated
from tests.support.shared import path

PREFIX = "The ferry"
TEXT = (
    "The ferry was late, and the crowd on the pier was cold. Then the captain came"
    " down and poured coffee for everyone. Nobody stayed angry for long.  It's hard to"
    " frown over a warm cup.\n\nBy the time we landed, strangers could not stop"
    " sharing their maps."
)
BEHIND = ("Then the", "Nobody", "It's", "By the time")

every = pytest.mark.parametrize("name", PERTURBATIONS)
# A text from elsewhere is damage by where it stands, not in itself.
damaging = pytest.mark.parametrize(
    "name", [name for name, one in PERTURBATIONS.items() if not one.from_elsewhere]
)


def damage(name, text=TEXT, prefix=PREFIX, seed=0):
    return PERTURBATIONS[name].behind(prefix, text, np.random.default_rng(seed))


def words(text):
    return sorted(text.split())


def test_a_file_is_a_perturbation():
    assert {"drop", "negate", "shuffle", "transplant"} <= set(PERTURBATIONS)
    assert all(one.hurts for one in PERTURBATIONS.values())
    assert not [name for name in PERTURBATIONS if name.startswith("_")]


@every
def test_it_names_aspects_that_suffer(name):
    keys = {"coherence", "consistency", "attribute-relevance", "fluency"}
    assert set(PERTURBATIONS[name].hurts) and set(PERTURBATIONS[name].hurts) <= keys


@damaging
def test_it_changes_the_text_and_keeps_the_prefix_whatever_the_seed(name):
    for seed in range(200):
        damaged = damage(name, seed=seed)
        assert damaged != TEXT
        assert damaged.startswith(PREFIX)


@every
def test_it_gives_the_same_for_the_same_seed(name):
    assert [damage(name, seed=s) for s in range(20)] == [
        damage(name, seed=s) for s in range(20)
    ]


@every
@pytest.mark.parametrize("text", ["", "The ferry", "The ferry ", "The ferry."])
def test_it_returns_none_where_nothing_follows_the_prefix(name, text):
    prefix = PREFIX if text else ""
    assert damage(name, text, prefix) is None


@every
def test_it_leaves_no_trace_in_white_space_or_capitals(name):
    tidy = TEXT.replace("  ", " ").replace("\n\n", " ")
    for seed in range(100):
        damaged = damage(name, tidy, seed=seed)
        assert "  " not in damaged and "\n" not in damaged
        assert damaged == damaged.strip()
        found = sentences.split(damaged)
        assert all(sentence[0].isupper() for sentence in found)
        whole = found[:-1] if name == "truncate" else found
        assert all(sentence[-1] == "." for sentence in whole)


@every
def test_it_refuses_a_text_that_does_not_begin_with_its_prefix(name):
    with pytest.raises(ValueError, match="The train"):
        damage(name, prefix="The train")


@pytest.mark.parametrize("name", ["shuffle", "drop", "repeat"])
def test_it_leaves_the_sentence_alone_that_the_prefix_begins(name):
    for seed in range(50):
        assert damage(name, seed=seed).startswith(sentences.split(TEXT)[0] + " ")


@pytest.mark.parametrize("name", ["shuffle", "drop", "repeat"])
def test_it_cannot_change_a_single_sentence(name):
    assert damage(name, "The ferry was late.") is None


@pytest.mark.parametrize("name", ["shuffle", "drop"])
def test_it_may_move_the_first_sentence_where_there_is_no_prefix(name):
    first = sentences.split(TEXT)[0]
    assert any(not damage(name, prefix="", seed=s).startswith(first) for s in range(50))


@pytest.mark.parametrize("name", ["rename", "scramble", "shuffle", "swap"])
def test_it_keeps_every_word_and_so_the_length(name):
    for seed in range(50):
        damaged = damage(name, seed=seed)
        assert len(damaged) == len(TEXT)
    if name == "shuffle":
        assert words(damaged) == words(TEXT)


def test_shuffling_lets_no_sentence_follow_the_one_it_followed():
    for seed in range(50):
        damaged = damage("shuffle", seed=seed)
        order = np.argsort([damaged.index(start) for start in BEHIND])
        assert order[0] != 0
        assert not (np.diff(order) == 1).any()


def test_shuffling_reaches_every_order_that_is_mixed_enough():
    # As many as there are derangements of four: 0 before them counts as the first.
    assert len({damage("shuffle", seed=seed) for seed in range(400)}) == 9


@pytest.mark.parametrize("name", ["shuffle", "repeat"])
def test_it_leaves_a_cut_off_sentence_at_the_end(name):
    text = "The ferry left. We were wet. We were cold. And then we saw the"
    for seed in range(20):
        assert damage(name, text, seed=seed).endswith(" And then we saw the")


def test_dropping_keeps_the_last_sentence_and_loses_one_of_four():
    for seed in range(50):
        damaged = damage("drop", seed=seed)
        assert damaged.endswith("sharing their maps.")
        assert sum(start in damaged for start in BEHIND) == 3


def test_repeating_says_a_sentence_twice_in_a_row():
    for seed in range(50):
        found = sentences.split(damage("repeat", seed=seed))
        assert len(found) == 5
        assert sum(map(str.__eq__, found, found[1:])) == 1


def test_swapping_moves_telling_words_only():
    glue = {"The", "Then", "Nobody", "It's", "By", "the", "and", "was", "for", "not"}
    for seed in range(50):
        before, after = TEXT.split(), damage("swap", seed=seed).split()
        moved = {a for a, b in zip(before, after, strict=True) if a != b}
        assert len(moved) >= 4
        assert not moved & glue


def test_swapping_leaves_contractions_and_entities_alone():
    text = (
        "The ferry &quot;Margaret&quot; didn't sink but people's hopes of supper did."
    )
    for seed in range(50):
        damaged = damage("swap", text, seed=seed)
        assert damaged.count("&quot;") == 2
        assert "didn't" in damaged and "people's" in damaged


def test_a_word_that_the_prefix_cuts_is_left_whole():
    text = "The cartoon makes children laugh and grown people weep for hours on end."
    for seed in range(50):
        assert damage("swap", text, "The car", seed=seed).startswith("The cartoon ")


def test_scrambling_mixes_words_where_they_stand():
    for seed in range(50):
        before, after = TEXT.split(), damage("scramble", seed=seed).split()
        bare = [[word.strip(".,") for word in words] for words in (before, after)]
        moved = [i for i, (a, b) in enumerate(zip(*bare, strict=True)) if a != b]
        assert len(moved) >= 6
        assert all(bare[1][i] in bare[0][i - 3 : i + 4] for i in moved)
        stops = [
            [word[-1] for word in words if word[-1] in ".,"]
            for words in (before, after)
        ]
        assert stops[0] == stops[1]


def test_scrambling_leaves_marks_alone():
    text = 'He said: "We &quot;did&quot; not go to the old house, or did we (not)?"'
    for seed in range(50):
        damaged = damage("scramble", text, "", seed)
        assert damaged.startswith('He said: "We &quot;did&quot; ')
        assert damaged.endswith('(not)?"')


def test_truncating_ends_inside_a_sentence_not_far_from_the_end():
    for seed in range(50):
        damaged = damage("truncate", seed=seed)
        assert TEXT.startswith(damaged)
        assert 0.6 * len(TEXT) < len(damaged) < len(TEXT)
        assert is_cut_off(damaged)
        # Behind a word that calls for another: nobody takes it for an end.
        assert damaged.split()[-1] in {"By", "a", "the", "their", "to", "not"}


def test_truncating_needs_a_sentence_that_has_begun():
    assert damage("truncate", "We left. It rained. We stayed.", "") is None


def test_renaming_exchanges_names_with_names_and_things_with_things():
    text = (
        "One day Anna met Bill at the harbour. Bill gave the letter to Anna. Nobody"
        " saw the ship. The birds were loud and his shoes, too, were wet."
    )
    for seed in range(50):
        damaged = damage("rename", text, "", seed)
        assert damaged.startswith("One day Bill met Anna at the ")
        before, after = (re.findall(r"[a-zA-Z]+", t) for t in (text, damaged))
        moved = {a for a, b in zip(before, after, strict=True) if a != b}
        things = moved & {"harbour", "letter", "ship"}
        assert moved - things == {"Anna", "Bill", "birds", "shoes"}
        assert len(things) == 2


def test_renaming_needs_more_than_one_pair():
    assert damage("rename", "The dog saw the cat. It ran.", "") is None


def test_inflection_puts_two_in_five_words_into_another_form_of_them():
    for seed in range(50):
        before, after = TEXT.split(), damage("inflect", seed=seed).split()
        changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
        assert 7 <= len(changed) <= 10
        # "came" and "come": the first letter stays, but not where "was" becomes "is".
        assert all(a[0] == b[0] for a, b in changed if a not in {"was", "was,"})
        assert {a for a, _ in changed}.isdisjoint({"the", "and", "a", "on", "to"})


@pytest.mark.parametrize("text", ["The ferry.", "For the two of us.", "日本 は いい。"])
def test_inflection_needs_two_words_that_have_other_forms(text):
    assert damage("inflect", text, "") is None


@pytest.mark.parametrize(
    "plain, negated",
    [
        ("It was good.", {"It was not good.", "It wasn't good."}),
        ("It was not good.", {"It was good."}),
        ("They don’t care.", {"They do care."}),
        ("We cannot stay.", {"We can stay."}),
        ("He can stay.", {"He cannot stay.", "He can't stay."}),
        ("She had been there.", {"She had not been there.", "She hadn't been there."}),
        ("Nobody laughed.", {"Everybody laughed."}),
        ("It's a pleasure.", {"It's not a pleasure."}),
        ("I will return.", {"I will not return.", "I won't return."}),
    ],
)
def test_negation_says_the_opposite(plain, negated):
    assert {damage("negate", plain, "", seed) for seed in range(10)} == negated


@pytest.mark.parametrize("text", ["Was it late?", "She had a dog.", "The dog's bone."])
def test_negation_leaves_what_it_would_spoil(text):
    assert damage("negate", text, "") is None


def test_every_released_text_can_be_damaged_in_some_way():
    rows = path("data/ctrleval/data_senti.txt").read_text(encoding="utf-8").splitlines()
    for i, row in enumerate(rows):
        _, prefix, text, *_ = row.split("\t")
        prefix = prefix if text.startswith(prefix) else ""
        damaged = [
            damage(name, text, prefix, i)
            for name, one in PERTURBATIONS.items()
            if not one.from_elsewhere
        ]
        assert any(damaged)
        assert text not in damaged
        assert all(found.startswith(prefix) for found in damaged if found)


@every
def test_a_long_text_without_a_full_stop_keeps_nobody_waiting(name):
    """Each cut was once looked for from the start of the text: minutes for this one."""
    for pump in (
        "of the ",
        "we saw Anna and Bob, ",
        "the cat and the dog, ",
        "a.b ",
        "a",
    ):
        with bounded(20):
            PERTURBATIONS[name].apply(repeated("", pump, ""), np.random.default_rng(0))
