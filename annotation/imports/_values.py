"""Answers that are no whole numbers, and the numbers that they stand for. Pure.

"Agree", "Ja", True, "4 - Agree", 2.5 and -1 are answers on a scale. A table from each
to a whole number is proposed where a scale is recognised, and confirmed by a person.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction

from annotation.imports._cells import number, whole, with_point

NOTHING = ""  # the answer says that there is none
# By the words of a cell: a number, NOTHING, or None where it is not known.
Table = dict[str, int | str | None]

MOST_ANSWERS = 40  # of a scale; a column with more different cells holds texts
STEPS = 101  # the most points of a scale
_BESIDE = re.compile(r"\(?([+-]?\d{1,3})\)?(?: ?[-–—:=.)] ?| )\D", re.ASCII)
_CODE = re.compile(r"([A-Za-z]{1,3})0{0,3}(\d{1,2})", re.ASCII)
_AFTER = re.compile(r"[(\[] ?([+-]?\d{1,3}) ?[)\]]", re.ASCII)

# From the lowest answer to the highest. Of a scale of five or seven some may be missing
# in a file, so each place has all spellings of one answer.
_AGREE_5 = (
    "strongly disagree|disagree|neutral,neither agree nor disagree,neither,undecided,"
    "neither disagree nor agree|agree|strongly agree",
    "completely disagree|disagree|neutral,neither agree nor disagree|agree|"
    "completely agree",
    "totally disagree|disagree|neutral|agree|totally agree",
    "stimme gar nicht zu,stimme überhaupt nicht zu,trifft gar nicht zu,"
    "trifft überhaupt nicht zu|stimme nicht zu,stimme eher nicht zu,trifft nicht zu,"
    "trifft eher nicht zu|neutral,teils teils,teils/teils,weder noch,unentschieden|"
    "stimme zu,stimme eher zu,trifft zu,trifft eher zu|stimme voll zu,"
    "stimme voll und ganz zu,stimme völlig zu,trifft voll zu,trifft voll und ganz zu",
    "pas du tout d'accord,tout à fait en désaccord|pas d'accord,plutôt pas d'accord,"
    "en désaccord|neutre,ni d'accord ni pas d'accord,sans avis|d'accord,"
    "plutôt d'accord|tout à fait d'accord",
    "totalmente en desacuerdo,muy en desacuerdo|en desacuerdo|neutral,"
    "ni de acuerdo ni en desacuerdo,indiferente|de acuerdo|totalmente de acuerdo,"
    "muy de acuerdo",
    "非常不同意,强烈不同意,完全不同意|不同意|中立,一般,不确定,既不同意也不反对|同意|非常同意,强烈同意,完全同意",
)
_OTHER_5 = (
    "bad|poor|fair|good|excellent",
    "trifft nicht zu|trifft eher nicht zu|teils/teils,teils teils|trifft eher zu|"
    "trifft zu",
    "很差|较差|一般|较好|很好",
    "very poor,very bad,terrible|poor,bad|fair,average,ok,okay,acceptable,neutral|good|"
    "very good,excellent",
    "poor|fair|good|very good|excellent",
    "never|rarely,seldom|sometimes|often,usually|always",
    "not at all|slightly,a little|moderately,somewhat|very,very much,considerably|"
    "extremely,completely",
    "very low|low|medium,moderate|high|very high",
    "sehr schlecht|schlecht|mittel,mittelmäßig,durchschnittlich,befriedigend|gut|"
    "sehr gut",
    "très mauvais|mauvais|moyen,correct|bon|très bon,excellent",
    "muy malo,muy mal|malo,mal|regular,aceptable|bueno,bien|muy bueno,excelente",
    "很差,非常差|差|一般,中等|好,良好|很好,非常好,优秀",
)
_OTHERS = (
    "strongly disagree|disagree|somewhat disagree,slightly disagree|neutral,"
    "neither agree nor disagree|somewhat agree,slightly agree|agree|strongly agree",
    "bad,poor,low|ok,okay,medium,average,fair,neutral|good,high",
    "schlecht,niedrig|mittel|gut,hoch",
    "mauvais|moyen|bon",
    "malo|regular|bueno",
    "差|一般|好",
    "one|two|three|four|five|six|seven|eight|nine|ten",
    "eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn",
    "un|deux|trois|quatre|cinq|six|sept|huit|neuf|dix",
    "uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez",
    "一|二|三|四|五|六|七|八|九|十",
    "i|ii|iii|iv|v|vi|vii",
)
_YES_NO = (
    "no,n,false,f|yes,y,true,t",
    "nein,falsch|ja,wahr,richtig",
    "non,faux|oui,vrai",
    "no,falso|sí,si,verdadero",
    "否,不是,错,错误|是,对,正确",
    "reject,rejected|accept,accepted",
)
# What people say who give no answer. Beside words of a scale it is none of them.
NO_ANSWER = frozenset(
    "none|n/a|na|not applicable|does not apply|skip|skipped|ignore|ignored"
    "|no answer|no opinion"
    "|don't know|dont know|do not know|i don't know|i do not know|idk|dk|not sure"
    "|unsure|i'm not sure|can't say|cannot say|can't tell|cannot tell|can't judge"
    "|cannot judge|unclear|unknown|prefer not to say|prefer not to answer|refused"
    "|weiß nicht|weiss nicht|weiß ich nicht|ich weiß nicht|weiß ich nicht genau"
    "|keine angabe|keine antwort|keine meinung|k.a|k. a|nicht anwendbar"
    "|nicht zutreffend|kann ich nicht sagen|kann ich nicht beurteilen"
    "|nicht beurteilbar|unklar|überspringen|übersprungen"
    "|ne sais pas|je ne sais pas|non applicable|sans objet|sans réponse"
    "|pas de réponse|nsp|no sé|no sabe|no lo sé|no aplica|no contesta|ns/nc"
    "|sin respuesta|non so|non saprei|não sei|não se aplica|weet niet|vet ej|vet inte"
    "|ved ikke|nie wiem|nevím|не знаю|затрудняюсь ответить|нет ответа"
    "|不知道|不清楚|不确定|不適用|不适用|无|無|跳过|跳過|未知|无法判断|無回答|わからない"
    "|分からない|該当なし|모름|모르겠음|해당 없음".split("|")
)


def _scales() -> Iterator[tuple[int, dict[str, int]]]:
    for written, first in (
        *((one, 0) for one in _YES_NO),
        *((one, 1) for one in (*_AGREE_5, *_OTHER_5, *_OTHERS)),
    ):
        places = written.split("|")
        yield (
            len(places),
            {
                word: number
                for number, words in enumerate(places, start=first)
                for word in words.split(",")
            },
        )


SCALES = list(_scales())
_FLAGS = frozenset(
    word for written in _YES_NO for word in written.replace("|", ",").split(",")
)


def proposed(answers: Collection[str]) -> Table:
    """A number for each of these cells; those of no scale that is known have none.

    Args:
        answers: The different cells of a column, without the missing ones.
    """
    answers = list(answers)
    return (
        _numbers_beside(answers)
        or _known(answers)
        or _beside_no_answer(answers)
        or _asterisks(answers)
        or steps(answers)
        or dict.fromkeys(sorted(answers), None)
    )


def _beside_no_answer(answers: Collection[str]) -> Table:
    """Of agree, disagree and skip: what is proposed for the first two."""
    none = [answer for answer in answers if says_nothing(answer)]
    rest = [answer for answer in answers if answer not in none]
    if not none or not rest:
        return {}
    return proposed(rest) | dict.fromkeys(none, NOTHING)


def _asterisks(answers: Collection[str]) -> Table:
    """**** as 4; asked, as they may say how significant something is, too."""
    if not all(answer and set(answer) == {"*"} for answer in answers):
        return {}
    return _sorted({answer: len(answer) for answer in answers})


def codes(answers: Collection[str]) -> Table:
    """A1 to A5, as LimeSurvey exports answers: the same letters before each number.

    Asked of ratings alone: systems are called m1 and m2, too.
    """
    found = {answer: _CODE.fullmatch(answer) for answer in answers}
    if not all(found.values()) or len({m[1] for m in found.values() if m}) > 1:
        return {}
    return _sorted({answer: int(m[2]) for answer, m in found.items() if m})


def says_nothing(answer: object) -> bool:
    return isinstance(answer, str) and _plain(answer) in NO_ANSWER


def is_complete(table: Mapping[str, int | str | None]) -> bool:
    return None not in table.values()


def is_scale(answers: Collection[str]) -> bool:
    """Whether these words are answers of a scale that people agree or disagree on.

    Yes and no, or true and false, may as well say whether somebody has finished.
    """
    table = _known(answers)
    return len(table) > 1 and set(map(_plain, answers)) & _FLAGS == set()


def are_flags(answers: Collection[str]) -> bool:
    """Whether all say yes or no, in whatever language."""
    return bool(answers) and set(map(_plain, answers)) <= _FLAGS


def is_numbered(answers: Collection[str]) -> bool:
    """Whether each answer says its number, however long: 2: Yes, without errors."""
    words = [answer for answer in answers if _has_words(answer)]
    return len(words) > 1 and bool(_numbers_beside(answers))


def _numbers_beside(answers: Collection[str]) -> Table:
    """4 - Agree, or Agree (4)."""
    table: Table = {}
    for answer in answers:
        words = " ".join(answer.split())
        opened = max(words.rfind("("), words.rfind("["))
        match = _BESIDE.match(words) or (
            _AFTER.fullmatch(words, opened) if opened > 0 else None
        )
        beside = int(match[1]) if match else whole(answer)
        if beside is None or not 0 <= beside <= 100:
            return {}
        table[answer] = beside
    different = len(set(table.values())) == len(table)
    return _sorted(table) if different and any(map(_has_words, answers)) else {}


def _has_words(answer: str) -> bool:
    return number(with_point(answer)) is None


def _known(answers: Collection[str]) -> Table:
    """As a scale has them whose answers are all of these, and the shortest such."""
    plain = {answer: _plain(answer) for answer in answers}
    fitting = [
        (n, numbers) for n, numbers in SCALES if _fits(set(plain.values()), numbers)
    ]
    if not fitting:
        return {}
    fitting.sort(key=lambda scale: scale[0])
    readings = {
        tuple(numbers[word] for word in plain.values())
        for n, numbers in fitting
        if n == fitting[0][0]
    }
    if len(readings) > 1:
        return {}  # poor, of a scale that has very poor, or has not
    _, numbers = fitting[0]
    return _sorted({answer: numbers[word] for answer, word in plain.items()})


def _fits(words: set[str], numbers: Mapping[str, int]) -> bool:
    """Two answers of a file are two numbers: agree, and rather agree."""
    return words <= numbers.keys() and len({numbers[w] for w in words}) == len(words)


def _plain(answer: str) -> str:
    return " ".join(answer.replace("’", "'").casefold().split()).strip(".!")


def steps(answers: Collection[str]) -> Table:
    """Half points, and scales that begin below 0: as steps from 1 on."""
    values: dict[str, Fraction] = {}
    for answer in answers:
        value = number(with_point(answer))
        if value is None:
            return {}
        values[answer] = Fraction(str(value))
    step = _step(set(values.values()))
    low = min(values.values())
    if step is None or (max(values.values()) - low) / step >= STEPS:
        return {}
    first = _lowest(low, max(values.values()), step)
    return _sorted(
        {answer: int((value - first) / step) + 1 for answer, value in values.items()}
    )


def _step(values: set[Fraction]) -> Fraction | None:
    """1, a half, a quarter or a tenth; None: they are no steps of a scale."""
    for parts in (1, 2, 4, 10):
        if all((value * parts).denominator == 1 for value in values):
            return Fraction(1, parts)
    return None


def _lowest(low: Fraction, high: Fraction, step: Fraction) -> Fraction:
    """Where the scale begins, which nobody need have chosen."""
    if low < 0:
        return min(low, -high)  # from -2 to 2
    return min(low, Fraction(1)) if low != 0 else low


def _sorted(table: Table) -> Table:
    return dict(sorted(table.items(), key=lambda item: (int(item[1] or 0), item[0])))
