"""Tokens of servers: each ends where it ends, or it is not known where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.endpoints.token_spans import border, token_spans


def ends(tokens, text):
    found = token_spans(tokens, text)
    return found and found.ends


@pytest.mark.parametrize(
    "tokens",
    [
        ["The", " ferry", " left", "."],
        ["The", "Ġferry", "Ġleft", "."],
        ["▁The", "▁ferry", "▁left", "."],
        ["The", "ferry", "left", "."],  # of a server that drops the space
        [" The", " ferry", " left", "."],
    ],
)
def test_tokens_are_found_however_they_are_written(tokens):
    found = token_spans(tokens, "The ferry left.")
    assert (found.first, found.ends) == (0, [3, 9, 14, 15])


@pytest.mark.parametrize("mark", ["<s>", "<|begin_of_text|>", "", None])
def test_a_mark_before_the_text_is_none_of_it(mark):
    found = token_spans([mark, "The", " ferry"], "The ferry")
    assert (found.first, found.ends) == (1, [0, 3, 9])


def test_a_first_token_that_is_not_named_may_be_of_the_text():
    found = token_spans([None, " ferry"], "The ferry")
    assert (found.first, found.ends) == (0, [3, 9])
    assert token_spans(["a", None], "ab") is None


@pytest.mark.parametrize(
    "tokens",
    [
        *(["The", " ferry"], ["The", " ferry", " left", ".", " It"], ["ferry", "left"]),
        *(["<s>", "<s>", "The", " ferry", " left", "."], ["<unk>", " ferry"], []),
        ["The", " ferry", "<unk>", "."],
    ],
)
def test_what_does_not_spell_the_text_is_refused(tokens):
    """It was cut, or is of another text, or a character is not known."""
    assert token_spans(tokens, "The ferry left.") is None


@pytest.mark.parametrize("half", ["\ufffd", "", "bytes:\\xf0\\x9f"])
def test_half_a_character_has_no_place(half):
    found = ends(["a ", half, half, " b"], "a 😀 b")
    assert found == [2, None, 3, 5]
    assert ends(["a ", half, half], "a 😀") == [2, None, 3]


def test_other_white_space_and_other_spellings_are_found():
    """Some tokenizers change both."""
    assert ends(["No.", " ", "½"], "No.\n\n½") == [3, 3, 6]
    assert ends(["fi", "ne"], "ﬁne") == [1, 3]


class TestBorder:
    def at(self, tokens, before, text):
        found = token_spans(tokens, before + text)
        return border(found, before + text, len(before))

    @pytest.mark.parametrize(
        ("tokens", "before", "text", "first"),
        [
            (["a", " b", " c"], "a b", " c", 2),
            (["a", "\n", "b"], "a\n", "b", 2),
            (["<s>", "a", "\n", "b"], "a\n", "b", 3),
            (["▁a", "▁b"], "a\n", "b", 1),
            (["a", "b"], "a", " b", 1),
            (["a", " ", "b"], "a\n", "b", 2),  # the space is what is given
            (["a", "\t", "b"], "a", " b", 1),  # and here of what is scored
            (["<s>", "a"], "", "a", 1),
            (["a", "b"], "", "ab", 0),
        ],
    )
    def test_it_is_between_two_tokens(self, tokens, before, text, first):
        assert self.at(tokens, before, text) == first

    @pytest.mark.parametrize(
        ("tokens", "before", "text"),
        [
            (["a", "\nb"], "a\n", "b"),
            (["a bc"], "a b", "c"),
            (["a", "bc"], "a b", "c"),
            (["a", "\ufffd", "\ufffd", "b"], "a😀", "éb"),
            (["a", " ", "b"], "a\n", " b"),
        ],
    )
    def test_a_token_on_both_sides_of_it_leaves_none(self, tokens, before, text):
        assert self.at(tokens, before, text) is None


@given(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=8))
def test_what_spells_a_text_is_never_refused_and_ends_where_it_does(tokens):
    text = "".join(tokens)
    found = token_spans(tokens, text)
    known = [end for end in found.ends if end is not None]
    assert known == sorted(known) and known[-1] == len(text)
    if found.exact and not found.first and "\ufffd" not in text:
        wrong = [
            end
            for end, k in zip(found.ends, range(1, len(tokens) + 1), strict=True)
            if end != len("".join(tokens[:k]))
        ]
        assert not wrong or any(mark in text for mark in ("bytes:", "Ġ", "Ċ", "▁"))


@given(st.text(min_size=1, max_size=12), st.text(min_size=1, max_size=12))
def test_no_other_text_is_taken_for_it(one, other):
    if token_spans(list(one), other) is not None:
        plain = "".join("".join(one).split()), "".join(other.split())
        assert plain[0] == plain[1] or "\ufffd" in one or not one.isascii()


def test_a_long_text_takes_no_long_time():
    words = "word " * 20_000
    assert token_spans(["word "] * 20_000, words).ends[-1] == 100_000
    assert token_spans(["a"] * 100_000, "b" * 100_000) is None
    assert token_spans([None, *"a" * 9_999], "a" * 10_000) is not None
