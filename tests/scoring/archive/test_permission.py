"""Whose single ratings may be published."""

from __future__ import annotations

import pytest

from annotation.models import Seat
from annotation.models.surveys import digest_of
from scoring.archive import permission
from tests.annotation.seating import hand_in, lay_out, sit
from tests.support.scored import rate

WORDS, OTHER = "We publish single ratings.", "We keep everything to ourselves."


def agreed(study, name: str, words: str) -> None:
    seat = sit(study, name)
    seat.worker.consent = words
    seat.worker.save()
    hand_in(seat)
    Seat.objects.filter(pk=seat.pk).update(consent=digest_of(words))


@pytest.fixture
def study(make_study):
    study = make_study()
    lay_out(study)
    agreed(study, "one", WORDS)
    agreed(study, "two", OTHER)
    return study


def test_at_first_nothing_is_allowed(study) -> None:
    assert permission.of(study=study).level == "none"


def test_each_consent_text_is_listed_with_its_raters(study) -> None:
    found = {one.words: one.n_raters for one in permission.consents(study=study)}
    assert found == {WORDS: 1, OTHER: 1}


def test_a_text_that_is_named_allows_its_own_ratings_only(study) -> None:
    permission.allow(study=study, digests=[digest_of(WORDS)])
    found = permission.of(study=study)
    assert found.level == "some"
    assert found.of_page(digest_of(WORDS))
    assert not found.of_page(digest_of(OTHER))


def test_all_are_allowed_where_every_text_is_named(study) -> None:
    permission.allow(study=study, digests=[digest_of(WORDS), digest_of(OTHER)])
    assert permission.of(study=study).level == "all"


def test_who_agreed_to_unknown_words_is_never_allowed(study) -> None:
    hand_in(sit(study, "three"))
    Seat.objects.filter(consent=digest_of(OTHER)).update(consent="")
    permission.allow(study=study, digests=["", digest_of(WORDS)])
    assert permission.of(study=study).level == "some"
    assert not permission.of(study=study).of_page("")


def test_what_no_rater_agreed_to_cannot_be_named(study) -> None:
    permission.allow(study=study, digests=["0123456789abcdef"])
    assert study.publication.consents == []


def test_ratings_from_files_are_named_by_themselves(make_study) -> None:
    study = make_study()
    rate(study, "coherence", [[1, 2]])
    assert permission.of(study=study).level == "none"
    permission.allow(study=study, digests=[permission.FILES])
    found = permission.of(study=study)
    assert (found.level, found.files) == ("all", True)


def test_simulated_raters_need_not_be_asked(study) -> None:
    study.simulated = True
    assert permission.of(study=study).level == "all"
