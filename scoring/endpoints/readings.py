"""From an answer to a score or to the reason why there is none. Nothing is guessed.

Each mode reads in its own way and none falls back to another: where log-probabilities
are missing, the words of the answer are not read instead.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from scoring.endpoints.answers import Answer, Token

# Of the probability, for the numbers of the scale: below, the model wants to say
# something else, and what little is left tells nothing.
LEAST_MASS = 0.5
MOST_UNREADABLE = 0.5  # of several answers, for a mean of the others
MOST_MASS = 1 + 1e-3  # rounding aside
NO_LOGS = "the server sent no log-probabilities: use another mode for this model"
LOGS_OF_OTHER_WORDS = (
    "the log-probabilities are of other words than the answer, perhaps of what the"
    " model thought before: use another mode for this model"
)
NO_SCHEMA = (
    "the server did not keep to a schema: use another mode for this model, or another"
    " value of schemas in the file that JUDGES_FILE names. It answered"
)
CUT_OFF = "cut off: the answer is longer than the limit of its length"
TOO_MUCH_MASS = "the log-probabilities that the server sent exceed 1 in sum"
WORDS = "zero one two three four five six seven eight nine ten".split()
LABELS = ("answer", "number", "rating", "score")
MARKUP = "*_#` \t\r\n"
BOX = "\\boxed{"  # in which models that do sums put a result
BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
EXCERPT = 60  # characters of an answer in a reason
SCALE_ENDS = re.compile(r"(?:/|outof)(\d+)", re.ASCII)  # behind a number
BY_SCHEMA = ("form", "spans")  # modes whose answers are JSON
THOUGHT, THOUGHT_ENDS = "<think>", "</think>"


class Scale(Protocol):
    """Whole numbers from the one end to the other."""

    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...
    @property
    def numbers(self) -> range: ...


class Points(NamedTuple):
    """A scale by its ends."""

    low: int
    high: int

    @property
    def numbers(self) -> range:
        return range(self.low, self.high + 1)


DIGITS = Points(0, 9)
FIVE_POINTS = Points(1, 5)


class Reading(NamedTuple):
    """A score, or NaN and why. `again`: asking once more may help."""

    score: float
    reason: str = ""
    again: bool = False
    shares: np.ndarray | None = None  # of the numbers of the scale
    said: str = ""  # the reason that the judge gives, in the mode form
    n: int = 1  # answers that it is the mean of


def missing(reason: str, *, again: bool = False) -> Reading:
    """No score, and why."""
    return Reading(math.nan, reason, again)


def answer(reply: Answer, scale: Scale) -> Reading:
    """One number that the answer consists of, for the modes answer and samples.

    Around it may stand "Score:" or a word like it, marks of Markdown, a box, a full
    stop, and "/5" or "out of 5" where 5 is the upper end. "four" is 4, and "4.0" is 4.
    Whatever else there is makes the answer unreadable: "between 3 and 4" is neither.
    """
    if ending := ending_without_score(reply, cut_counts=True):
        return ending
    content = after_thought(reply.content)
    if content is None or not content.strip():
        return empty_answer(reply)
    number = _number(content, scale)
    if number is None:
        return missing(f"the answer is not one number: {excerpt(content)}", again=True)
    if number not in scale.numbers:
        return missing(_off(excerpt(content), scale), again=True)
    return Reading(float(number))


def words(reply: Answer) -> Reading:
    """All that an answer says, where it is no number that was asked for."""
    if ending := ending_without_score(reply, cut_counts=True):
        return ending
    content = after_thought(reply.content)
    if content is None or not content.strip():
        return empty_answer(reply)
    return Reading(math.nan, said=content.strip())


def form(reply: Answer, scale: Scale) -> Reading:
    """The number of {"reason": text, "score": number}, and the reason.

    The number is a whole one of the scale, not text that looks like it; a field that
    is there twice makes the answer unreadable.
    """
    if ending := ending_without_score(reply, cut_counts=True):
        return ending
    content = after_thought(reply.content)
    if content is None or not content.strip():
        return empty_answer(reply)
    try:
        fields = json.loads(content, object_pairs_hook=once)
    except (ValueError, RecursionError):
        return missing(
            f"the answer is not the JSON that was asked for: {excerpt(content)}",
            again=True,
        )
    given_fields: dict[str, Any] = fields if isinstance(fields, dict) else {}
    explanation, score = given_fields.get("reason"), given_fields.get("score", "")
    whole = type(score) is int or (type(score) is float and score.is_integer())
    if not isinstance(explanation, str) or not whole or len(given_fields) != 2:
        return missing(
            'the answer has other fields than "reason" with text and "score" with a'
            f" whole number: {excerpt(content)}",
            again=True,
        )
    if score not in scale.numbers:
        return missing(_off(excerpt(content), scale), again=True)
    return Reading(float(score), said=explanation)


def logprobs(reply: Answer, scale: Scale) -> Reading:
    """Sum p_i i / sum p_i over the scale's numbers where the answer stands.

    That is the first place, or one behind "Score:" or a word like it. All tokens that
    are the number i and spaces count for p_i. Below LEAST_MASS there is no score, and
    the shares are still returned.
    """
    if ending := ending_without_score(reply, cut_counts=False):
        return ending
    if not reply.content.strip():
        return empty_answer(reply)
    if reply.tokens is None:
        return missing(NO_LOGS)
    place = _place(reply.tokens, scale)
    if not is_of(reply.tokens[: place + 1], reply.content):
        return missing(LOGS_OF_OTHER_WORDS)
    shares = _shares(reply.tokens[place], scale)
    mass = float(shares.sum())
    if mass > MOST_MASS:
        return missing(TOO_MUCH_MASS)
    if mass < LEAST_MASS:
        text = "".join(token.text for token in reply.tokens)
        return Reading(
            math.nan,
            f"the numbers {scale.low} to {scale.high} have {mass:.1%} of the"
            f" probability where the answer should stand, {LEAST_MASS:.0%} are needed;"
            f" it begins with {excerpt(text)}",
            shares=shares,
        )
    rest = "".join(token.text for token in reply.tokens[place + 1 :])
    if _goes_on(reply.tokens[place].text + rest, scale):
        text = reply.tokens[place].text + rest
        return Reading(
            math.nan,
            f"the number goes on, so its first token is not the answer:"
            f" {excerpt(text)}",
            shares=shares,
        )
    return Reading(float(shares @ np.array(scale.numbers) / mass), shares=shares)


def together(readings: Sequence[Reading], scale: Scale) -> Reading:
    """The mean of the readable ones of n answers, with the share of each number.

    G-Eval, eq. 1. There is none if fewer than half are readable: it would favour texts
    about which the model likes to talk.
    """
    bad = [reading.reason for reading in readings if reading.reason]
    if len(bad) > MOST_UNREADABLE * len(readings):
        if len(readings) == 1:
            return readings[0]
        return missing(
            f"{len(bad)} of {len(readings)} answers have no number; the first: {bad[0]}"
        )._replace(n=len(readings) - len(bad))
    scores = np.array([reading.score for reading in readings if not reading.reason])
    shares = np.array([(scores == number).mean() for number in scale.numbers])
    return Reading(float(scores.mean()), shares=shares, n=len(scores))


def usable(reply: Answer, mode: str) -> Reading:
    """Whether answers can be read in a mode, as that to a test question shows.

    Of a weak model, it may well be another than was asked for.
    """
    if ending := ending_without_score(reply, cut_counts=mode != "logprobs"):
        return ending
    content = after_thought(reply.content)
    if content is None or not content.strip():
        return empty_answer(reply)
    if mode == "logprobs":
        ending = logprobs(reply, DIGITS)
        if ending.reason in (NO_LOGS, LOGS_OF_OTHER_WORDS, TOO_MUCH_MASS):
            return ending
    if mode in BY_SCHEMA and not _is_object(content):
        return missing(f"{NO_SCHEMA}: {excerpt(content)}", again=True)
    return Reading(1.0)


def _is_object(content: str) -> bool:
    try:
        return isinstance(json.loads(content), dict)
    except (ValueError, RecursionError):
        return False


def ending_without_score(reply: Answer, *, cut_counts: bool) -> Reading | None:
    """Where the way it ended leaves nothing to read."""
    if reply.finish_reason == "content_filter":
        return missing("blocked by a content filter")
    if reply.refusal:
        return missing(f"the model refused: {excerpt(reply.refusal)}")
    if reply.finish_reason == "length" and cut_counts:
        return missing(CUT_OFF)
    return None


def empty_answer(reply: Answer) -> Reading:
    """No score of an answer that says nothing."""
    if reply.reasoning or reply.content.lstrip().startswith(THOUGHT):
        return missing("empty: the model only thought, and gave no answer", again=True)
    return missing("the answer is empty", again=True)


def after_thought(content: str) -> str | None:
    """What follows thoughts that stand in the answer; None where nothing does."""
    if not content.lstrip().startswith(THOUGHT):
        return content
    _, ends, rest = content.rpartition(THOUGHT_ENDS)
    return rest if ends else None


def _number(content: str, scale: Scale) -> int | None:
    """None unless the whole answer is one number."""
    bare = content.strip(MARKUP).casefold()
    if box := BOXED.fullmatch(bare.removesuffix(".").strip("$")):
        bare = box[1].strip(MARKUP)
    word, colon, rest = bare.partition(":")
    if colon and word.strip(MARKUP) in LABELS:
        bare = rest.strip(MARKUP)
    bare = bare.removesuffix(".").strip(MARKUP)
    bare = "/".join(part.strip() for part in bare.split("/"))
    for ending in (f"/{scale.high}", f"out of {scale.high}"):
        if bare.endswith(ending):
            bare = bare.removesuffix(ending).rstrip(MARKUP)
            break
    if bare in WORDS:
        return WORDS.index(bare)
    whole, _, fraction = bare.partition(".")
    if not whole.isascii() or not whole.isdecimal() or len(whole) > 3:
        return None
    if (
        fraction.strip("0")
        or bare.endswith(".")
        or (len(whole) > 1 and whole[0] == "0")
    ):
        return None
    return int(whole)


def _place(tokens: Sequence[Token], scale: Scale) -> int:
    """Where the answer stands: behind marks and a label, or else in the first place.

    Only what nobody could take for an answer is passed over.
    """
    before = ""
    for place, token in enumerate(tokens):
        if _is_number(token.text) or _shares(token, scale).sum() >= LEAST_MASS:
            return place
        before += token.text.casefold()
        bare = before.strip(MARKUP)
        label = bare.removesuffix(":").strip(MARKUP)
        if bare and not any(word.startswith(label) for word in (*LABELS, BOX)):
            break
    return 0


def is_of(tokens: Sequence[Token], content: str) -> bool:
    """Whether the content begins with these tokens. Spaces are often lost in one."""
    begins = "".join("".join(token.text for token in tokens).split())
    return "".join(content.split()).startswith(begins)


def _is_number(token: str) -> bool:
    bare = token.strip()
    return len(bare) == 1 and bare.isascii() and bare.isdecimal()


def _shares(token: Token, scale: Scale) -> np.ndarray:
    """The probability of each number of the scale, in all spellings with spaces."""
    shares = np.zeros(len(scale.numbers))
    for text, log in token.top:
        if _is_number(text) and int(text) in scale.numbers:
            shares[int(text) - scale.low] += math.exp(log)
    return shares


def _goes_on(text: str, scale: Scale) -> bool:
    """Whether what follows makes it another number: 10, 4.5, 4½, 4 %, 3-4, 4 or 5.

    Likewise 4/10 and 4 out of 10, where 10 is not the upper end.
    """
    bare = text.lstrip()
    if not bare[:1].isdecimal():
        return False
    rest = bare[1:]
    if rest[:1] in (".", ",") and rest[1:2].isdecimal():
        return True
    if rest.lstrip(" \t")[:1].isnumeric():
        return True
    words = rest.casefold().split(maxsplit=3)
    if rest[:1].isspace() and words[:1] and words[0] in ("or", "to", "and"):
        return words[1:2] != [] and words[1][0].isdecimal()
    tight = "".join(words)
    if tight[:1] in ("-", "–", "—"):
        return tight[1:2].isdecimal()
    end = SCALE_ENDS.match(tight)
    return tight[:1] == "%" or (end is not None and end[1] != str(scale.high))


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of an object of JSON; ValueError if one is there twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a field is there twice")
    return dict(pairs)


def _off(quote: str, scale: Scale) -> str:
    ends = f"the scale from {scale.low} to {scale.high}"
    return f"the answer is not on {ends}: {quote}"


def excerpt(text: str, longest: int = EXCERPT) -> str:
    """The beginning, in one line, for a reason."""
    line = " ".join(text[: 4 * longest].split())
    printable = "".join(
        character if character.isprintable() else "?" for character in line
    )
    return f"“{printable[:longest]}{'…' if len(printable) > longest else ''}”"


class Mode(Protocol):
    """A way to read an answer."""

    def __call__(self, reply: Answer, scale: Scale) -> Reading: ...


MODES: dict[str, Mode] = {
    "logprobs": logprobs,
    "samples": answer,
    "answer": answer,
    "form": form,
}
