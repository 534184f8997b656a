import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.spans.files import places
from scoring.stats.spans.files.places import offsets, quoted, tagged
from scoring.stats.spans.files.segments import Refused

# Code points of one and two UTF-16 units, combining marks, joined emoji, right to left.
ANY = st.text(
    st.sampled_from(
        "ab \t\N{COMBINING ACUTE ACCENT}\u200d\U0001f469\U0001f680\u05d0\u0639"
    )
)


def refused(function, *given):
    with pytest.raises(Refused) as error:
        function(*given)
    return error.value.code


@given(ANY, ANY, ANY)
def test_tags_mark_what_stands_between_them(before, inside, after):
    plain, place = tagged(f"{before}<v>{inside}</v>{after}")
    assert plain == before + inside + after
    start, end = place
    assert (plain[:start], plain[start:end]) == (before, inside)


@given(ANY)
def test_without_tags_nothing_is_marked(text):
    assert tagged(text) == (text, None)


@pytest.mark.parametrize(
    "text", ["<v>a", "a</v>", "</v>a<v>", "<v>a</v> <v>b</v>", "<v><v>a</v>"]
)
def test_anything_but_one_pair_of_tags_is_refused(text):
    assert refused(tagged, text) == "unclosed"


@given(ANY, ANY.filter(str.strip), ANY)
def test_quoted_words_are_found_where_they_stand(before, words, after):
    text = before + words + after
    start, end = quoted(text, words, near=len(before))
    assert text[start:end] == words.strip()
    right = len(before) + len(words) - len(words.lstrip())
    assert abs(start - len(before)) <= abs(right - len(before))


def test_of_several_places_the_nearest_is_taken_if_one_is_near():
    text = "no no no"
    assert [quoted(text, "no", near=near)[0] for near in (0, 4, 9)] == [0, 3, 6]
    assert refused(quoted, text, "no") == "ambiguous"


def test_words_that_do_not_stand_in_the_text_are_refused():
    assert refused(quoted, "abc", "abd", 0) == "absent"
    assert refused(quoted, "abc", " ", 0) == "absent"


def test_offsets_must_be_numbers_within_the_text():
    assert offsets("abc", 1, 3) == (1, 3)
    assert refused(offsets, "abc", 1, 4) == "outside"
    assert refused(offsets, "abc", 2, 1) == "outside"
    assert refused(offsets, "abc", "1", 2) == "shape"
    assert refused(offsets, "abc", True, 2) == "shape"


def test_the_examples_are_true():
    ran = doctest.testmod(places)
    assert ran.attempted and not ran.failed
