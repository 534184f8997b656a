"""Words, pieces and scripts of texts in any writing."""

import pytest

from annotation.sentences import scripts
from tests.support.hostile import bounded, repeated


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("It's well-known -- 3.5!", ["It's", "well-known", "3", "5"]),
        ("“Don’t”", ["Don’t"]),
        ("हिन्दी, मैं", ["हिन्दी", "मैं"]),
        ("cafe\u0301 naïve", ["cafe\u0301", "naïve"]),
        ("猫が2匹。", ["猫", "が", "2", "匹"]),
        ("コーヒー", ["コ", "ー", "ヒ", "ー"]),
        ("น้ำดี ๑๒", ["น้ำ", "ดี", "๑๒"]),
        ("ສະບາຍດີ", ["ສ", "ະ", "ບ", "າ", "ຍ", "ດີ"]),
        ("ភាសា។", ["ភា", "សា"]),
        ("안녕 여러분", ["안녕", "여러분"]),
        ("x² ½", ["x²", "½"]),
        ("e\u200d\u0301", ["e\u200d\u0301"]),
    ],
)
def test_words_are_letters_with_their_marks(text, expected):
    assert scripts.words(text) == expected


def test_bare_words_are_cut_at_apostrophes_and_hyphens():
    assert scripts.bare_words("It’s well-known") == ["It", "s", "well", "known"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So  it\ngoes. —", ["So", "it", "goes.", "—"]),
        ("「猫」は3匹。AI だ！", ["「猫」", "は", "3", "匹。", "AI", "だ！"]),
        ("“”。", ["“”。"]),
        ("AI模型...", ["AI", "模", "型..."]),
    ],
)
def test_pieces_keep_punctuation_beside_them(text, expected):
    assert scripts.pieces(text) == expected
    assert "".join(scripts.pieces(text)) == "".join(text.split())


def test_texts_with_spaces_are_returned_as_they_are():
    assert scripts.apart("So  it\ngoes, मैं.") == "So  it\ngoes, मैं."
    assert scripts.apart("猫が  好き") == "猫 が 好 き"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("The word 猫", ""),
        ("привет", ""),
        ("我喜欢 AI 模型", "han"),
        ("猫が好きだ", "kana"),
        ("東京タワー", "kana"),
        ("แมวดำ", "other"),
        ("!!! 。", ""),
    ],
)
def test_the_script_is_that_of_most_letters(text, expected):
    assert scripts.script(text) == expected


@pytest.mark.parametrize("end", ["", "你", "é"])
@pytest.mark.parametrize(
    "pump", ["!", "a'", "a-", "你", "e\u0301", "你!", "\u0301", " "]
)
def test_no_pattern_is_quadratic(pump, end):
    for work in (scripts.words, scripts.pieces, scripts.apart, scripts.script):
        with bounded():
            work(repeated("", pump, end))
