"""From an answer about two texts to a verdict, or to the reason why there is none.

The answer is A, B or tie, as the question says. Around it may stand "Answer:", marks of
Markdown and a full stop. Nothing else is read: "Text A", "both" and "A or B" are no
verdicts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scoring.endpoints import readings
from scoring.endpoints.answers import Answer, Token
from scoring.endpoints.readings import LEAST_MASS, MARKUP, Reading, missing

FIRST, SECOND, TIE = 1, 2, 0  # as votes of people are told
PLACES = (FIRST, TIE, SECOND)  # of the shares of a reading
POINTS = np.array([1.0, 0.5, 0.0])  # of the text shown first
WORDS = ("a", "tie", "b")
FORM_WORDS = ("A", "tie", "B")
LETTERS = ("A", "C", "B")  # one token each, which "tie" is not
LABEL = "answer"
FEWEST_FORM_FIELDS = 2


class Verdict(NamedTuple):
    """Of one order. `winner` None: there is none, and `reason` says why."""

    winner: int | None = None  # FIRST, SECOND or TIE, as shown
    points: float = math.nan  # P(first wins) + P(tie) / 2
    reason: str = ""
    said: str = ""  # the judge's own reason, in the mode form


def word(given: Answer) -> Reading:
    """One of A, B and tie that the answer consists of, in capitals or not."""
    if found := readings.ending_without_score(given, cut_counts=True):
        return found
    content = readings.after_thought(given.content)
    if content is None or not content.strip():
        return readings.empty_answer(given)
    bare = _bare(content)
    if bare not in WORDS:
        said = readings.excerpt(content)
        return missing(f"the answer is not A, B or tie: {said}", again=True)
    return _sure(WORDS.index(bare))


def form(given: Answer) -> Reading:
    """The verdict of {"reason": text, "verdict": "A", "B" or "tie"}, and the reason."""
    if found := readings.ending_without_score(given, cut_counts=True):
        return found
    content = readings.after_thought(given.content)
    if content is None or not content.strip():
        return readings.empty_answer(given)
    said = readings.excerpt(content)
    try:
        fields = json.loads(content, object_pairs_hook=readings.once)
    except (ValueError, RecursionError):
        return missing(
            f"the answer is not the JSON that was asked for: {said}", again=True
        )
    given_fields = fields if isinstance(fields, dict) else {}
    why, verdict = given_fields.get("reason"), given_fields.get("verdict")
    known = isinstance(verdict, str) and verdict in FORM_WORDS
    if not isinstance(why, str) or not known or len(given_fields) != FEWEST_FORM_FIELDS:
        return missing(
            'the answer has other fields than "reason" with text and "verdict" with'
            f' "A", "B" or "tie": {said}',
            again=True,
        )
    return _sure(FORM_WORDS.index(str(verdict)))._replace(said=why)


def likeliest(given: Answer) -> Reading:
    """Probabilities of A, B and C where the answer stands, in all spellings.

    A letter with and without spaces around it counts. Together they need at least half
    of the probability; shares are of what they have.
    """
    if found := readings.ending_without_score(given, cut_counts=False):
        return found
    if not given.content.strip():
        return readings.empty_answer(given)
    if given.tokens is None:
        return missing(readings.NO_LOGS)
    place = _place(given.tokens)
    if not readings.is_of(given.tokens[: place + 1], given.content):
        return missing(readings.LOGS_OF_OTHER_WORDS)
    shares = _shares(given.tokens[place])
    mass = float(shares.sum())
    text = "".join(token.text for token in given.tokens[place:])
    if mass > readings.MOST_MASS:
        return missing(readings.TOO_MUCH_MASS)
    if mass < LEAST_MASS:
        return missing(
            f"the letters A, B and C have {mass:.1%} of the probability where the"
            f" answer should stand, {LEAST_MASS:.0%} are needed; it begins with"
            f" {readings.excerpt(text)}"
        )
    if _goes_on(text):
        return missing(
            "the letter goes on, so its first token is not the answer:"
            f" {readings.excerpt(text)}"
        )
    return _read(shares / mass)


def together(found: Sequence[Reading]) -> Verdict:
    """The verdict of all answers about one order: shares are means over them.

    At least half must be readable: else it would favour pairs about which the model
    likes to talk.
    """
    read = [one.shares for one in found if one.shares is not None]
    bad = [one.reason for one in found if one.shares is None]
    if len(bad) <= readings.MOST_UNREADABLE * len(found):
        bad = []
    if bad and len(found) > 1:
        return Verdict(
            reason=f"{len(bad)} of {len(found)} answers have no verdict; the first:"
            f" {bad[0]}"
        )
    if bad:
        return Verdict(reason=bad[0])
    shares = np.mean(read, axis=0)
    said = found[0].said if len(found) == 1 else ""
    return Verdict(winner(shares), float(shares @ POINTS), said=said)


def winner(shares: np.ndarray) -> int:
    """What has the largest share; a tie where the largest two are equal."""
    most = np.isclose(shares, shares.max(), rtol=0.0, atol=1e-12)
    return PLACES[int(shares.argmax())] if most.sum() == 1 else TIE


def _sure(place: int) -> Reading:
    return _read(np.eye(len(PLACES))[place])


def _read(shares: np.ndarray) -> Reading:
    return Reading(float(shares @ POINTS), shares=shares)


def _bare(content: str) -> str:
    """Without marks, "Answer:" and one full stop."""
    bare = content.strip(MARKUP).casefold()
    before, colon, rest = bare.partition(":")
    if colon and before.strip(MARKUP) == LABEL:
        bare = rest.strip(MARKUP)
    return bare.removesuffix(".").strip(MARKUP)


def _place(tokens: Sequence[Token]) -> int:
    """Where the answer stands: behind marks and "Answer:", or in the first place."""
    before = ""
    for place, token in enumerate(tokens):
        if token.text.strip() in LETTERS or _shares(token).sum() >= LEAST_MASS:
            return place
        before += token.text.casefold()
        bare = before.strip(MARKUP)
        if bare and not LABEL.startswith(bare.removesuffix(":").strip(MARKUP)):
            break
    return 0


def _shares(token: Token) -> np.ndarray:
    """The probability of each letter, in all spellings with spaces."""
    shares = np.zeros(len(PLACES))
    for text, log in token.top:
        if text.strip() in LETTERS:
            shares[LETTERS.index(text.strip())] += math.exp(log)
    return shares


def _goes_on(text: str) -> bool:
    """Whether more follows in the line than marks and a full stop: "A good", "A/B"."""
    bare = text.lstrip()
    if bare[:1] not in LETTERS:
        return False  # another token was drawn than the likeliest
    line = bare[1:].partition("\n")[0].strip(MARKUP)
    return bool(line.removeprefix(".").strip(MARKUP)) and not line.startswith(".")
