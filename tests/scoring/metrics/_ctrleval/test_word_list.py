"""Word frequencies for a model that brings none."""

import gzip

import numpy as np
import pytest

from benchmarks.bundled import words
from benchmarks.bundled.texts import Document
from scoring.metrics._ctrleval import iwf, word_list
from scoring.metrics._engine import backbones, models


@pytest.fixture(scope="module")
def small():
    return backbones.load(models.find("bundled:infill-small"))


@pytest.fixture(scope="module")
def found(small):
    return word_list.frequencies(small)


def test_they_are_near_those_that_were_counted_for_the_model(small, found):
    counted = iwf.read_iwf(models.find("bundled:infill-small") / "iwf.txt", len(found))
    there = (counted > 0) & (found > 0)
    assert np.corrcoef(np.log(counted[there]), np.log(found[there]))[0, 1] > 0.85
    assert np.median(found[there] / counted[there]) == pytest.approx(1, abs=0.1)


def test_special_tokens_get_0_and_no_other_one_does(small, found):
    assert set(np.flatnonzero(found == 0)) == set(small.special)


def test_a_token_of_no_word_is_the_rarest(small, found, monkeypatch):
    monkeypatch.setattr(word_list, "_read", lambda: (100, {"the": 50, "film": 5}))
    known = small.ids(["the", "film", "zebra"], end=False)
    few = word_list.frequencies(small)
    assert few[known["the"][0]] == pytest.approx(np.log(101) / 50)
    assert few[known["zebra"][0]] == few[known["film"][0]] == few.max()


def test_the_list_counts_sentences_and_not_occurrences(tmp_path):
    text = "The film is the film of the year. " * 3 + "It is a good one, really. " * 12
    counts, n = words.counted([Document("imdb", text)])
    assert n == 15
    assert (counts["the"], counts["film"], counts["."], counts["is"]) == (3, 3, 15, 15)
    words.write(counts, n, tmp_path / "list.gz")
    lines = gzip.decompress((tmp_path / "list.gz").read_bytes()).decode().splitlines()
    assert lines[:3] == ["15", ".\t15", "is\t15"]
    assert not any(line.startswith("film\t") for line in lines)  # too rare
