from __future__ import annotations

from decimal import Decimal

from annotation.crowd import consent
from annotation.models import Study
from annotation.models.surveys import digest_of


def words(**fields) -> str:
    return consent.words(Study(**{"consent": "We keep your ratings.", **fields}))


class TestWords:
    def test_they_are_the_study_s_own_and_whom_to_ask(self):
        own, counted, contact = words(contact="lab@example.org").split("\n\n")
        assert own == "We keep your ratings."
        assert counted.startswith("In text fields, the page counts how often you paste")
        assert contact == "Contact: lab@example.org."

    def test_without_own_words_there_are_some_all_the_same(self):
        assert "Taking part is voluntary" in words(consent=" ")

    def test_a_warning_about_the_texts_is_part_of_them(self):
        said = words(content_warning="Some texts are sad.")
        assert "Please note: Some texts are sad." in said

    def test_on_a_platform_unused_pages_are_paid_as_the_others(self):
        said = "Pay: as announced, even if we cannot use your ratings."
        assert said in consent.words(Study(platform="prolific"))
        assert "Pay" not in consent.words(Study(platform="prolific", pay_unused=False))

    def test_a_plain_link_promises_no_pay_unless_the_study_does(self):
        assert "Pay" not in consent.words(Study())

    def test_they_say_what_is_paid_and_for_what(self):
        paid = {"pay_per_page": Decimal("0.6"), "currency": "EUR"}
        assert "Pay: 0.60 EUR for each page you submit, even if" in words(**paid)
        assert "passes our checks" in words(**paid, pay_unused=False)
        assert "Pay" not in words()


class TestDigest:
    def test_it_changes_with_the_words(self):
        assert len(digest_of("a")) == 16
        assert digest_of("a") != digest_of("b")

    def test_of_no_words_there_is_none(self):
        assert digest_of("") == ""
