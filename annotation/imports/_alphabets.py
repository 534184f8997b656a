"""How well words go with the languages that are written so. Pure.

Bytes that are read in a wrong encoding become letters that no one language has
together, signs inside words, or capitals behind small letters: "ni–o", "donÕt", "£ódź".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

# Letters beside A to Z, by language; in small letters. German, French, Spanish,
# Portuguese, Italian, Dutch, Swedish and Danish come first.
LATIN = (
    *(
        "äöüß",
        "àâæçéèêëîïôœùûüÿ",
        "áéíñóúü",
        "ãáàâçéêíóôõúü",
        "àèéìíîòóùú",
        "äéèëïöüóíáê",
    ),
    *(
        "åäöé",
        "æøåé",
        "áðéíóúýþæö",
        "ąćęłńóśźż",
        "áčďéěíňóřšťúůýž",
        "áäčďéíĺľňóôŕšťúýž",
    ),
    *("áéíóöőúüű", "ăâîșțşţ", "čćđšž", "çğıöşü", "äõöüšž", "āčēģīķļņšūž", "ąčęėįšųūž"),
)
OTHERS = (
    "абвгдежзийклмнопрстуфхцчшщъыьэюяё",  # Russian, Bulgarian
    "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "абвгдђежзијклљмнњопрстћуфхцчџшќѓѕ",
    "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",
)
# The most usual signs of scripts without letters. Of a text in them, a third.
CHINESE = frozenset(
    "的一是不了在人有我他这中大来上个国和也子时道说到地出要就年得天可下过你生会自后能对着"
    "事那里所去行之家没十用发成方面她于起还只多好而如心想样看文学小些么很们点开本日老"
)
TRADITIONAL = frozenset(
    "的一是不了在人有我他這中大來上個國和也子時道說到地出要就年得天可下過你生會自後能對著"
    "事那裡所去行之家沒十用發成方面她於起還只多好而如心想樣看文學小些麼很們點開本日老"
)
KOREAN = frozenset(
    "이다는을가고에의하은로지도를서한니사있기자대나어아시그리인라해것일수들보게았었까요습"
    "과와으만"
)
# Signs that stand around words, and those that may also be inside.
AROUND = frozenset("”»’“„‚‘«…–—•·°§€£©®™½¼¾²³×±¡¿′″ªº\u00a0\u2011\u00ad")
INSIDE = frozenset("’–—\u00ad·")
WIDE = ("\u3000", "\u303f"), ("\uff01", "\uff60"), ("\uffe0", "\uffee")
KANA, HANGUL, HAN = ("\u3041", "\u30ff"), ("\uac00", "\ud7a3"), ("\u4e00", "\u9fff")
ENOUGH = 0.15  # of the signs of a text are among the most usual
ODD_DASH = 0.3  # a dash beside a lone letter: "ni–o" for "niño"
TYPESET = 1.2  # “Hello”, didn’t, the sea—or lake: no wrong reading gives many of these
SHOUTED = 0.8  # all in capitals, as KOI8 looks in Windows-1251
N_WIDESPREAD, WIDESPREAD = 8, 0.12  # naïve is likelier than naďve
ONE_LANGUAGE = 0.7  # of the worth is that one language has all words
VOWELS = frozenset("оеаиіыуяαεοιηόάέίή")
FEWEST_VOWELS = 0.25  # of the letters of words in these alphabets
_ASCII = frozenset("abcdefghijklmnopqrstuvwxyz")
_ALPHABETS = [*(_ASCII | set(one) for one in LATIN), *map(frozenset, OTHERS)]


def fits(words: Sequence[str], script: str) -> list[float]:
    """From 0 to about 1: how well each of these words goes with the others.

    Args:
        words: As read in one encoding, each once; none is ASCII.
        script: What the encoding is for: letters, chinese, traditional, japanese or
            korean.
    """
    if script == "letters":
        return _of_letters(words)
    return [_of_signs("".join(words), script)] * len(words)


def _of_letters(words: Sequence[str]) -> list[float]:
    """Whether a word has letters of the language that most have, or of another one."""
    shapes = [_shape(word) for word in words]
    letters = [frozenset(c for c in w.lower() if c.isalpha()) for w in words]
    fitting = [
        [shape * (own <= one) for shape, own in zip(shapes, letters, strict=True)]
        for one in _ALPHABETS
    ]
    of_any = list(map(max, zip(*fitting, strict=True)))
    n = max(range(len(fitting)), key=lambda n: (sum(fitting[n]), -n))
    more = WIDESPREAD * (n < N_WIDESPREAD)
    sounds = _sounds("".join(words).lower())
    return [
        sounds * (ONE_LANGUAGE * a + (1 - ONE_LANGUAGE) * b) + more
        for a, b in zip(fitting[n], of_any, strict=True)
    ]


def _sounds(text: str) -> float:
    """Less than 1 where letters of other alphabets have hardly a vowel among them."""
    letters = [one for one in text if one.isalpha() and not one.isascii()]
    if not letters or max(letters) < "\u0370" or min(letters) > "\u04ff":
        return 1.0
    vowels = sum(one in VOWELS for one in letters) / len(letters)
    return min(1.0, vowels / FEWEST_VOWELS)


def _shape(word: str) -> float:
    """Whether signs and capitals stand where they do in words."""
    worth = 1.0
    for place, sign in enumerate(word):
        before, after = word[place - 1 : place], word[place + 1 : place + 2]
        if not sign.isascii() and not sign.isalpha():
            worth = min(worth, _sign(word[:place], sign, word[place + 1 :]))
        elif not f"{before}{sign}{after}".isascii() and (
            (before.islower() and sign.isupper())
            or (before.isupper() and sign.islower() and after.isupper())
        ):
            return 0.0
    letters = [sign for sign in word if sign.isalpha()]
    is_loud = len(letters) > 2 and all(c.isupper() for c in letters)
    if is_loud and not any(map(str.isascii, letters)):
        return SHOUTED * worth
    plain = all(sign.isascii() for sign in letters)
    return TYPESET if letters and plain and worth == 1 else worth


def _sign(before: str, sign: str, after: str) -> float:
    """A sign that is no letter, inside a word or at its ends."""
    if sign not in AROUND:
        return 0.0
    if not (before[-1:].isalpha() and after[:1].isalpha()):
        return 1.0
    if sign in "’\u00ad·":
        return 1.0
    return min(1.0, ODD_DASH * min(len(before), len(after)) ** 2) * (sign in INSIDE)


def _of_signs(text: str, script: str) -> float:
    signs = [sign for sign in text if not sign.isascii()]
    counted = Counter(_kind(sign) for sign in signs)
    n = len(signs) - counted["wide"]
    if n <= 0:
        return 0.5 if signs else 0.0
    right = counted["wide"] + counted["han"]
    if script == "japanese":
        right += counted["kana"]
        usual = counted["kana"] / n
    elif script == "korean":
        right += counted["hangul"] - counted["han"]
        usual = _share(signs, KOREAN, n)
    else:
        usual = _share(signs, CHINESE if script == "chinese" else TRADITIONAL, n)
    return right / len(signs) * (0.5 + 0.5 * min(1.0, usual / ENOUGH))


def _share(signs: Iterable[str], usual: frozenset[str], n: int) -> float:
    return sum(sign in usual for sign in signs) / n


def _kind(sign: str) -> str:
    for name, (low, high) in (("han", HAN), ("kana", KANA), ("hangul", HANGUL)):
        if low <= sign <= high:
            return name
    is_wide = sign in AROUND or any(low <= sign <= high for low, high in WIDE)
    return "wide" if is_wide else "other"
