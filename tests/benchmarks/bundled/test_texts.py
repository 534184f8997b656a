import pytest

from benchmarks.bundled import overlap, texts
from tests.support import shared

MESSAGE = """From: a@b.c (A)
Subject: Re: harbours
Lines: 9

In article <1@b.c>
d@e.f (D. E. Faraday) writes:
>The ferry is late.
|> So is the train.

I do not think that the ferry was late at all
that day.  It never is.

   | one | two |
   +-----+-----+

A friend wrote:
> Nonsense.

Ask anybody in the harbour about it.

-- 
A. Sailor, Harbour Road
"""


class TestMessages:
    def test_only_what_the_author_wrote_is_left(self):
        assert texts.message(MESSAGE) == (
            "I do not think that the ferry was late at all that day. It never is.\n"
            "Ask anybody in the harbour about it."
        )

    def test_a_second_header_goes_too(self):
        text = "From: a\n\nArchive-name: boats\nVersion: 1.0\n\nBoats are fine indeed."
        assert texts.message(text) == "Boats are fine indeed."

    def test_encoded_files_go(self):
        lines = "\n".join(
            "M8F]O(&)A<@H@9F]O(&)A<B!F;V\\@8F%R(&9O;R!B87(@9F]O" for _ in "ab"
        )
        assert texts.message(f"From: a\n\n{lines}\n\nHere is the file.") == (
            "Here is the file."
        )


def test_a_review_loses_its_breaks() -> None:
    assert texts.review("Good.<br /><br />Really  <BR>good.") == "Good.\nReally\ngood."


def test_a_book_loses_headings_and_what_gutenberg_added() -> None:
    book = (
        "Produced by Somebody and the\nDistributed Proofreading Team\n\nCHAPTER I\n\n"
        "It was _late_.\nWe left.\n \n[Transcriber's Note]\n\nNobody came."
    )
    assert list(texts.pages(book)) == ["It was late. We left.\nNobody came."]


def test_copies_are_read_once_and_short_texts_never(data) -> None:
    found = list(texts.read(data))
    assert len({texts.key(one.text) for one in found}) == len(found)
    assert min(len(one.text.split()) for one in found) >= texts.MIN_WORDS
    assert {one.source for one in found} == set(texts.SOURCES)


def test_whether_a_text_is_held_out_is_a_matter_of_its_words() -> None:
    held_out = [text for k in range(500) if texts.is_held_out(text := f"Text, no {k}.")]
    assert 2 <= len(held_out) <= 25
    assert all(texts.is_held_out(text.upper() + "  !") for text in held_out)


class TestOverlap:
    KNOWN = overlap.grams(["One two three four five six."], n=4)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("He said: two, THREE four - five!", True),
            ("two three four and five six", False),
            ("two three four", False),
        ],
    )
    def test_a_run_of_words_counts_whatever_stands_between(self, text, expected):
        assert overlap.touches(text, self.KNOWN, n=4) is expected

    def test_every_rated_text_is_known(self):
        folder = shared.path("data")
        rated = list(overlap.rated(folder))
        assert len(rated) > 360 + 1000
        known = overlap.grams(rated)
        long = [text for text in rated if len(texts.words(text)) >= overlap.N]
        assert len(long) > 1000
        assert all(overlap.touches(f"They say {text}", known) for text in long)
