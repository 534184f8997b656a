import pytest

from scoring.drawing.words import capitalized, sentence


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("the corpus NOVELS is gone", "The corpus NOVELS is gone."),
        (ValueError("the corpus NOVELS is gone."), "The corpus NOVELS is gone."),
        ("", "."),
    ],
)
def test_a_sentence_keeps_the_names_in_it(said, shown):
    assert sentence(said) == shown


def test_only_the_first_letter_becomes_a_capital():
    assert capitalized("share of BLEU") == "Share of BLEU"
    assert capitalized("") == ""
