"""Each language says all that the pages say, with the same values and tags in it."""

from __future__ import annotations

import re

import pytest
from django.utils import translation

from tests import catalogue
from tests.catalogue import Message
from tests.support import translations

LANGUAGES = translations.languages()
VALUE = re.compile(r"%\(\w+\)s|\{\w+\}")
TAG = re.compile(r"</?\w+(?: href=\"[^\"]*\")?>")
LATIN = re.compile(r"[A-Za-z]{3,}")
# Names, keys, and what stands between brackets of code.
NAMES = {
    *("Prolific", "Mechanical", "Turk", "HIT", "Tab", "Enter", "Cookie"),
    *("CloudResearch", "Connect", "Sona", "Systems"),
}


def entries(language: str) -> list[tuple[Message, list[str]]]:
    return list(translations.read(language).said.items())


@pytest.mark.parametrize("language", LANGUAGES)
class TestEachLanguage:
    def test_it_has_the_words_of_the_pages_in_their_order(self, language) -> None:
        """If not: python -m tests.catalogue"""
        said = translations.read(language).said
        assert list(said) == list(catalogue.messages())

    def test_nothing_is_left_to_translate_or_only_guessed(self, language) -> None:
        old = translations.read(language)
        assert [words for words, forms in entries(language) if not all(forms)] == []
        assert old.fuzzy == []

    def test_words_with_a_count_have_as_many_forms_as_the_language(self, language):
        n = translations.read(language).n_forms
        wrong = {
            message.words: len(forms)
            for message, forms in entries(language)
            if len(forms) != (n if message.plural else 1)
        }
        assert wrong == {}

    def test_the_same_values_are_filled_in(self, language) -> None:
        for message, forms in entries(language):
            wanted = set(VALUE.findall(message.plural or message.words))
            for form in forms:
                found = set(VALUE.findall(form))
                assert "%" not in VALUE.sub("", form), form
                # "One page" may do without the number; nothing else is left out.
                assert found <= wanted and len(wanted - found) <= bool(message.plural)
            assert set(VALUE.findall(forms[-1])) == wanted, message.words

    def test_tags_and_paragraphs_are_the_same(self, language) -> None:
        for message, forms in entries(language):
            for form in forms:
                assert sorted(TAG.findall(form)) == sorted(TAG.findall(message.words))
                assert form.count("\n") == message.words.count("\n"), form
                assert form == form.strip(" "), form

    def test_it_is_written_and_compiled_as_the_program_does_it(self, language) -> None:
        """If not: python -m tests.catalogue"""
        old, path = translations.read(language), translations.path_of(language)
        assert path.read_text() == translations.written(old)
        compiled = path.with_suffix(".mo").read_bytes()
        assert compiled == translations.compiled_of(old)

    def test_django_knows_the_language_and_speaks_it(self, language) -> None:
        assert translation.check_for_language(language)
        (words,) = (m for m in catalogue.messages() if m.words == "Welcome back")
        with translation.override(language):
            said = translation.gettext(words.words)
        assert said == translations.read(language).said[words][0] != words.words


@pytest.mark.parametrize("language", ["ar", "hi", "ja", "zh-hans"])
def test_no_english_word_is_left_in_another_script(language) -> None:
    left = {
        word
        for _, forms in entries(language)
        for form in forms
        for word in LATIN.findall(TAG.sub("", VALUE.sub("", form)))
    }
    assert left <= NAMES


@pytest.mark.parametrize(
    ("language", "of_counts"),
    [
        ("de", {1: "1 Seite", 2: "2 Seiten"}),
        ("fr", {0: "0 page.", 1: "1 page.", 2: "2 pages."}),
        ("pl", {1: "1 stronę", 3: "3 strony", 5: "5 stron", 22: "22 strony"}),
        ("ar", {1: "صفحة واحدة", 2: "صفحتين", 5: "5 صفحات", 11: "11 صفحة"}),
        ("ja", {1: "1ページ", 7: "7ページ"}),
    ],
)
def test_counts_have_the_plural_of_the_language(language, of_counts) -> None:
    words = [m for m in catalogue.messages() if m.plural.startswith("You rated")]
    with translation.override(language):
        for count, expected in of_counts.items():
            said = translation.ngettext(words[0].words, words[0].plural, count)
            assert expected in said % {"pages": count}, count


def test_a_language_without_a_folder_begins_with_all_words_untranslated() -> None:
    new = translations.read("nl")
    messages = list(catalogue.messages())
    said = translations.brought_up_to_date(new, messages)
    assert list(said) == messages and new.n_forms == 2
    assert {form for forms in said.values() for form in forms} == {""}


def test_a_guess_is_neither_kept_as_sure_nor_compiled() -> None:
    old = translations.read("de")
    welcome = next(m for m in old.said if m.words == "Welcome")
    guessed = old._replace(fuzzy=[welcome])
    assert '#, fuzzy\nmsgid "Welcome"\n' in translations.written(guessed)
    assert b"\0Welcome\0" not in translations.compiled_of(guessed)
    assert b"\0Welcome\0" in translations.compiled_of(old)
