"""Files in the encodings of older programs: their words, or a question."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest

from annotation import imports
from annotation.imports._encodings import Encoding, recognised
from tests.annotation.imports import given
from tests.annotation.imports.people.test_people import checked

POLISH = ["Miś spał w łóżku, a wąż pełzł przez łąkę.", "Książka była ciekawa."]
CZECH = ["Děti šly do školy a učitel četl knihu.", "Řeka tekla pomalu."]
HUNGARIAN = ["Az őszi szél hűvös volt, és a fiú hazament.", "Köszönöm szépen."]
RUSSIAN = ["Озеро замёрзло зимой, и дети катались на коньках.", "Съешь ещё булок."]
UKRAINIAN = ["Озеро замерзло взимку, і діти катались на ковзанах.", "Ґава їла їжу."]
GERMAN = ["Der Bär läuft über die Straße.", "Größe, Äpfel und Öl."]
FRENCH = ["Le garçon a mangé une crème brûlée à Noël.", "Où êtes-vous?"]
SPANISH = ["El niño comió una piña mañana.", "¿Dónde está la canción?"]
ENGLISH = ["The lake—it’s a big one—didn’t freeze.", "“Hello,” she said…"]
JAPANESE = ["吾輩は猫である。名前はまだ無い。", "どこで生れたか。"]
CHINESE = ["我们昨天去了公园，天气很好。", "孩子们在湖边玩耍，非常开心。"]
TRADITIONAL = ["我們昨天去了公園，天氣很好。", "孩子們在湖邊玩耍，非常開心。"]
KOREAN = ["우리는 어제 공원에 갔다.", "아이들이 호수에서 놀았다."]
GREEK = ["Η λίμνη πάγωσε τον χειμώνα και τα παιδιά έπαιζαν έξω."]
TURKISH = ["Göl kışın dondu ve çocuklar dışarıda oynadı.", "Öğretmen ünlü bir şair."]


def table(texts: Sequence[str]) -> bytes:
    return given.table(("text", "coherence"), [(text, 3) for text in texts])


def written(texts: Sequence[str], encoding: str) -> bytes:
    return table(texts).decode().encode(encoding)


@pytest.mark.parametrize(
    ("texts", "encoding"),
    [
        *((POLISH, name) for name in ("cp1250", "iso8859-2")),
        *((CZECH, name) for name in ("cp1250", "iso8859-2")),
        (HUNGARIAN, "cp1250"),
        *((RUSSIAN, n) for n in ("cp1251", "koi8-r", "cp866", "mac_cyrillic")),
        *((UKRAINIAN, name) for name in ("cp1251", "koi8-u")),
        *((GERMAN, name) for name in ("cp1252", "mac_roman", "cp850")),
        *((FRENCH, name) for name in ("cp1252", "mac_roman")),
        *((SPANISH, name) for name in ("cp1252", "mac_roman")),
        *((ENGLISH, name) for name in ("cp1252", "mac_roman")),
        *((JAPANESE, name) for name in ("shift_jis", "euc_jp")),
        (["①吾輩は猫である。名前はまだ無い。"], "cp932"),
        (CHINESE, "gb18030"),
        (TRADITIONAL, "big5"),
        (KOREAN, "euc_kr"),
        (GREEK, "cp1253"),
        (GERMAN + FRENCH + SPANISH, "cp1252"),
        *((texts, "utf-16-le") for texts in (ENGLISH, CHINESE)),
        *((texts, "utf-16-be") for texts in (ENGLISH, CHINESE)),
    ],
)
def test_texts_in_any_usual_encoding_are_read(texts, encoding):
    sheet = checked(written(texts, encoding))
    assert [row.text for row in sheet.rows] == texts
    assert sheet.questions == [] and not sheet.problems


def test_words_of_two_languages_are_asked_about():
    content = written(["Bu kışın oldu."], "cp1254")
    sheet = checked(content)
    [question] = sheet.questions
    assert (question.code, question.option) == (
        "encoding",
        "--encoding cp1252 or --encoding cp1254",
    )
    assert question.examples == [
        "Windows-1252 (Western Europe): kýþýn",
        "Windows-1254 (Turkish): kışın",
    ]
    assert checked(content, yes=True).questions == [question]
    sheet = checked(content, encoding="cp1254")
    assert ([row.text for row in sheet.rows], sheet.questions) == (
        ["Bu kışın oldu."],
        [],
    )


def test_a_longer_text_is_of_one_language():
    sheet = checked(written(TURKISH * 3, "cp1254"))
    assert {row.text for row in sheet.rows} == set(TURKISH)


def test_a_rare_letter_far_below_counts():
    plain = [f"A plain text with number {n}." for n in range(20_000)]
    sheet = recognised(io.BytesIO(written([*plain, *POLISH], "cp1250")))
    assert sheet.name == "cp1250"


def test_words_of_no_language_are_asked_about():
    sheet = checked(table(["x"]).replace(b"x,", b"a\xa4\xb6b \xa6c\xac d\xb5e,"))
    assert [one.code for one in sheet.questions] == ["encoding"]
    assert sheet.encoding.name == "cp1252"


@pytest.mark.parametrize(
    "text", ["我们昨天去了公园天气很好的人" * 300_000, "x" * (3 << 20)]
)
def test_a_text_without_any_space_is_no_trouble(text):
    content = f"text\n{text}，我们的天气很好。".encode("gb18030")
    assert recognised(io.BytesIO(content)).name == "gb18030"


def test_utf_8_is_never_taken_for_anything_else():
    for texts in (POLISH, RUSSIAN, CHINESE, KOREAN, GREEK):
        assert recognised(io.BytesIO(table(texts))) == Encoding()


def test_a_lone_nul_is_said_with_its_line():
    sheet = checked(b"text,coherence\nA lake.,4\nA se\0a.,3\n")
    assert sheet.problems.lines() == ["line 3: contains a NUL character at position 5"]


@pytest.mark.parametrize("name", imports.ENCODINGS)
def test_each_encoding_of_the_menu_can_be_read(name):
    content = "text,coherence\nA lake.,4\n".encode(name)
    assert [row.text for row in checked(content, encoding=name).rows] == ["A lake."]
