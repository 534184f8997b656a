"""The catalogue of words has all that workers' pages say."""

from __future__ import annotations

import re

from tests import catalogue


def test_it_is_as_the_pages_have_it() -> None:
    """If not: python -m tests.catalogue"""
    assert catalogue.CATALOGUE.read_text() == catalogue.catalogue()


def test_no_word_speaks_of_one_thing_in_the_plural() -> None:
    for message in catalogue.messages():
        assert "(s)" not in re.sub(r"%\(\w+\)s", "", message.words), message


def test_what_one_thing_is_told_by_is_told_by_of_many_too() -> None:
    for words, plural, _ in catalogue.messages():
        named, of_many = (re.findall(r"%\(\w+\)s", one) for one in (words, plural))
        assert not plural or set(named) <= set(of_many), words
