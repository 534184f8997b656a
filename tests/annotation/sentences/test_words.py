"""Sentences and words of scripts that Punkt and Python do not know."""

from __future__ import annotations

import pytest

from annotation import sentences
from annotation.perturbations import is_cut_off

CHINESE = "船在黎明离开了港口。没有人说话！海鸥从西边飞来。你还记得吗？天气很冷。"
JAPANESE = "船は夜明けに港を出た。「行こう！」と船長は言った。誰も答えなかった。"
ARABIC = (
    "غادرت السفينة الميناء عند الفجر. هل تكلّم أحد؟ لم يتكلّم أحد."
    " كان البرد شديداً في ذلك الصباح البعيد."
)
HINDI = "नाव भोर में बंदरगाह से निकली। किसी ने कुछ नहीं कहा। क्या तुम्हें याद है? बहुत ठंड थी।"


@pytest.mark.parametrize(
    ("text", "n", "last"),
    [
        (CHINESE, 5, "天气很冷。"),
        (JAPANESE, 3, "誰も答えなかった。"),
        (ARABIC, 4, "كان البرد شديداً في ذلك الصباح البعيد."),
        (HINDI, 4, "बहुत ठंड थी।"),
    ],
)
def test_full_stops_of_other_scripts_end_sentences(text, n, last) -> None:
    found = sentences.split(text)
    assert len(found) == n and found[-1] == last
    assert "".join("".join(found).split()) == "".join(text.split())
    assert not is_cut_off(text) and is_cut_off(text[:-3])


def test_a_sentence_goes_on_behind_what_it_quotes() -> None:
    assert sentences.split(JAPANESE)[1] == "「行こう！」と船長は言った。"


@pytest.mark.parametrize(
    ("before", "behind", "within"),
    [
        ("The car", "toon", True),
        ("The car", " left", False),
        ("The car,", "toon", False),
        ("猫が", "好き", False),
        ("", "a", False),
        ("a", "", False),
    ],
)
def test_a_prefix_ends_within_a_word_only_where_spaces_part_words(
    before, behind, within
) -> None:
    assert sentences.within_word(before, behind) is within


def test_a_prefix_without_spaces_is_not_said_twice() -> None:
    assert sentences.respelled("Ａ猫が", "Ａ猫が 好き") == "Ａ猫が 好き"
