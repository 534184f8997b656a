from __future__ import annotations

from decimal import Decimal

import pytest
from django.conf import settings
from django.utils.translation import override

from annotation import platforms
from annotation.crowd import consent
from annotation.models import Study
from annotation.models.surveys import digest_of


def words(**fields) -> str:
    return consent.words(Study(**{"consent": "We keep your ratings.", **fields}))


class TestWords:
    def test_they_are_the_study_s_own_and_whom_to_ask(self):
        own, counted, _, contact = words(contact="lab@example.org").split("\n\n")
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


def kept(**fields) -> str:
    return consent.kept(Study(**fields))


class TestKept:
    """The words say what is kept of a person, as the study is set."""

    def test_it_is_part_of_what_is_agreed_to(self):
        assert kept() in words()

    @pytest.mark.parametrize("name", sorted(platforms.PLATFORMS))
    def test_ids_of_a_platform_are_named(self, name):
        title, given = platforms.PLATFORMS[name].title, name != platforms.DIRECT
        assert (f"your id on {title}" in kept(platform=name)) == given
        assert ("the id in your link" in kept(platform=name)) != given

    def test_who_is_invited_by_name_is_told_who_sees_it(self):
        said = kept(invited_only=True)
        assert "the researcher can see which answers are yours" in said
        assert "id in your link" not in said and "internet address" not in said

    def test_who_is_not_invited_is_told_of_the_hash_of_their_address(self):
        assert "a code made from your internet address" in kept(platform="prolific")

    def test_only_where_there_are_cookies_a_browser_is_recognised(self):
        assert "your browser" in kept(platform="prolific")
        assert "your browser" not in kept(platform="mturk")

    @pytest.mark.parametrize(
        ("days", "said"),
        [(None, "no date"), (1, "1 day after"), (90, "90 days after")],
    )
    def test_it_says_how_long(self, days, said):
        assert said in kept(retention_days=days)

    @pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
    @pytest.mark.parametrize("name", ["direct", "prolific"])
    def test_every_language_says_it(self, language, name):
        for days in (None, 1, 2, 3, 11, 90, 100):
            with override(language):
                consent = kept(platform=name, retention_days=days)
            shown = "" if language == "ar" and days in (1, 2) else str(days or "")
            assert shown in consent and "%(" not in consent, days
            if name == "prolific":
                assert consent.count("Prolific") == 2
            if language != "en":
                assert consent != kept(platform=name, retention_days=days)


class TestDigest:
    def test_it_changes_with_the_words(self):
        assert len(digest_of("a")) == 16
        assert digest_of("a") != digest_of("b")

    def test_of_no_words_there_is_none(self):
        assert digest_of("") == ""
