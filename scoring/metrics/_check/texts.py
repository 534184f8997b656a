"""The texts that a metric is checked with: ordinary ones, odd ones, incomplete ones."""

from __future__ import annotations

from scoring.metrics._engine.base import Example

_TWIN = Example(
    "The food was good.", "The food", "negative", "How?", ("The food is bad.",)
)
# Short: the tiny models of tests have room for two dozen tokens.
ORDINARY = (
    Example(
        "The ferry left at seven. Nobody said a word.",
        "The ferry",
        "positive",
        "When did it leave?",
        ("The ferry left the harbour at seven.", "It left at seven."),
        targeted=("The ferry left at seven. Nobody said anything.",),
    ),
    _TWIN,
    Example(
        "To sum up, it was a great day. We all really stayed. It was good.",
        "To sum up",
        "positive",
        "And then?",
        ("In summary, a great day.",),
    ),
    _TWIN,
    Example("Nobody on deck spoke!", "Nobody", "negative", "Who?", ("Nobody spoke.",)),
)
TWINS = (1, 3)  # the same text twice


def _complete(text: str, prefix: str = "") -> Example:
    return Example(text, prefix, "positive", "Why?", ("The ferry left.",))


# By what is odd about them. No text may end the run of all others.
ODD = {
    "an empty text": _complete("", ""),
    "white space alone": _complete(" \n\t ", ""),
    "one letter": _complete("a", ""),
    "marks alone": _complete("?! ... --", ""),
    "emoji": _complete("👍 The ferry 👩‍👩‍👧‍👦🏳️‍🌈 left 😀", "👍"),
    "control characters": _complete("The\x01 ferry\x1b[31m\x7f\x85 left"),
    "writing from right to left": _complete("العبارة غادرت. \u202eabc"),
    "10,000 letters without a space": _complete("a" * 10_000, "a"),
    "a very long text": _complete("The ferry left. " * 50 + "so " * 1_500),
    "names of special tokens": _complete("<pad> </s> <mask_1> <s> [MASK]"),
    "braces": _complete("{} {text} %s {0.__class__}", "{}"),
    "nothing but the text": Example("The ferry left. Nobody spoke."),
    "a prefix that it does not begin with": _complete("It left.", "Once"),
    "a prefix that is all of it": _complete("The ferry", "The ferry"),
    "a label that nobody knows": Example("The ferry left.", "The ferry", "zzz"),
    "an empty reference": Example("It left.", "It", "positive", "", ("", "It left.")),
}
