from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from annotation import sentences
from annotation.simulation.sample import known_truth

VERSIONS = known_truth.versions()
ORIGINAL = {sentence for story in known_truth.stories() for sentence in story}


def test_there_are_24_stories_by_four_systems():
    found = Counter(v.system for v in VERSIONS)
    assert found == dict.fromkeys(known_truth.SCRAMBLED, 24)
    assert len({(v.prompt, v.system) for v in VERSIONS}) == len(VERSIONS) == 96


def test_the_shares_that_are_stated_can_be_counted_in_the_text():
    stated = {v.key: (v.prompt, v.scrambled, v.foreign) for v in VERSIONS}
    assert {v.key: counted(v.text) for v in VERSIONS} == stated


def counted(text: str) -> tuple[str, float, float]:
    """A text's prompt, and the shares of scrambled and of foreign sentences."""
    first, *rest = sentences.split(text)
    assert len(rest) == known_truth.SENTENCES, text
    (story,) = (s for s in known_truth.stories() if s[0] == first)
    scrambled = sum(sentence not in ORIGINAL for sentence in rest)
    foreign = sum(bag(s) not in [bag(one) for one in story] for s in rest)
    return first, scrambled / len(rest), foreign / len(rest)


def test_no_sentence_of_a_text_is_told_twice():
    for version in VERSIONS:
        bags = [bag(sentence) for sentence in sentences.split(version.text)]
        assert len(set(bags)) == len(bags)


def test_scrambling_keeps_the_words_of_each_sentence():
    bags = {bag(sentence) for sentence in ORIGINAL}
    found = {s for v in VERSIONS for s in sentences.split(v.text)}
    assert {bag(sentence) for sentence in found} <= bags


def bag(sentence: str) -> tuple[str, ...]:
    return tuple(sorted(sentence.rstrip(".").split()))


def test_systems_differ_in_scrambling_and_not_in_foreign_sentences():
    by_system = [
        [v for v in VERSIONS if v.system == system] for system in known_truth.SCRAMBLED
    ]
    scrambled = [np.mean([v.scrambled for v in some]) * 8 for some in by_system]
    assert scrambled == pytest.approx([40 / 24, 54 / 24, 90 / 24, 104 / 24])
    assert len({np.mean([v.foreign for v in some]) for some in by_system}) == 1


def test_the_two_kinds_of_damage_have_little_to_do_with_each_other():
    shares = np.array([(v.scrambled, v.foreign) for v in VERSIONS])
    assert abs(np.corrcoef(shares.T)[0, 1]) < 0.1


def test_length_has_little_to_do_with_either():
    lengths = [len(v.text) for v in VERSIONS]
    for column in zip(*(v.truth for v in VERSIONS), strict=True):
        assert abs(np.corrcoef(lengths, column)[0, 1]) < 0.2


def test_the_truth_lies_on_the_scale_and_falls_with_damage():
    truth = np.array([v.truth for v in VERSIONS])
    assert truth.min() >= 1
    assert truth.max() <= 5
    shares = np.array([(v.scrambled, v.foreign) for v in VERSIONS])
    for column in (0, 1):
        order = np.argsort(shares[:, column], kind="stable")
        assert (np.diff(truth[order, column]) <= 0).all()


def test_it_is_the_same_each_time():
    assert known_truth.versions() == VERSIONS
    assert known_truth.as_jsonl() == known_truth.as_jsonl()
