"""What the rules say, in sentences of at most 25 words and two numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.stats.answer.chips import Chip
from scoring.stats.answer.evidence import CHANCE, Evidence
from scoring.stats.answer.margins import KEEPS, MIN_PROMPTS
from scoring.stats.answer.question import Question

GUESSES = {  # within a sentence
    "length": "counting words does",
    "surface": "a guess from surface features does",
    CHANCE: "chance does",
    "prompt": "the mean rating of the prompt's other texts does",
    "system": "knowing the system does",
}
TITLES = {  # where there is less room
    "length": "word count",
    "surface": "surface features",
    CHANCE: "chance",
    "prompt": "prompt's mean rating",
    "system": "system's mean rating",
}
TOO_SMALL = "This study is too small to show that one rater beats a simple guess."
# Chips in the order in which a sentence prefers to speak of them.
ORDER: tuple[Chip, ...] = (
    *("better", "like", "beats", "below", "unclear", "little", "worse", "hardly"),
    *("few", "none"),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One metric, judged."""

    name: str  # within a sentence
    chip: Chip
    evidence: Evidence
    more: int | None = None  # prompts more that would decide; None: none would
    starred: bool = False  # chosen by the researcher
    late: bool = False  # ... after the results were shown
    why_none: str = ""  # why it has no number


def lead(verdicts: Sequence[Verdict]) -> int | None:
    """Which metric the sentence speaks of: the chosen one, or else the one that most
    may be claimed of, and of these the one that agrees most.
    """

    def rank(k: int) -> tuple[bool, int, float]:
        verdict = verdicts[k]
        value = verdict.evidence.metric
        return (
            not verdict.starred,
            ORDER.index(verdict.chip),
            math.inf if math.isnan(value) else -value,
        )

    return min(range(len(verdicts)), key=rank, default=None)


def sentence(aspect: str, question: Question, verdicts: Sequence[Verdict]) -> str:
    """The answer for one aspect.

    Args:
        aspect: Its title.
        question: What holds for all metrics.
        verdicts: Of each metric; none where nothing has been scored.
    """
    about = lower(aspect)
    if question.state == "none":
        return _nothing_rated(about, question)
    if question.state == "few":
        return _few(about, question.n_prompts)
    if question.state == "hardly":
        return (
            f"People hardly agree on {about} (one rater: {number(question.rater)}), so"
            " no metric can be judged; fix the question first."
        )
    at = lead(verdicts)
    if at is None:
        return f"No metric has scored the texts that people rated on {about}."
    said = _of_metric(about, question, verdicts[at])
    return said[:1].upper() + said[1:]


def notes(aspect: str, question: Question, verdict: Verdict | None) -> list[str]:
    """What stands below the answer, a sentence each."""
    found = []
    if question.within_systems:
        found.append(
            f"Systems differ so much on {lower(aspect)} that knowing the system beats"
            f" one rater ({_pair(question.system, question.system_rater)}); texts are"
            " compared within systems."
        )
    if question.state == "hardly":
        found.append(_advice(question))
    if question.state == "open" and question.rater_beats is False:
        found.append(TOO_SMALL)
    if verdict is not None and verdict.late and question.state == "open":
        found.append(f"{verdict.name} was chosen after the results were shown.")
    return found


def _nothing_rated(about: str, question: Question) -> str:
    if question.rated:
        return (
            f"People gave all texts the same rating on {about}, so no metric can be"
            " judged."
        )
    return f"Nobody has rated {about} yet."


def _few(about: str, n: int) -> str:
    tell = "prompt tells" if n == 1 else "prompts tell"
    only = f"Only {n} {tell}" if n else "No prompt tells"
    return f"{only} good from bad on {about}; at least {MIN_PROMPTS} are needed."


def _advice(question: Question) -> str:
    if question.raters is None:
        return "More raters will not fix this question: reword it."
    low, high = question.raters
    many = f"{low}" if low == high else f"{low} to {high}"
    return f"Reword the question, or ask {many} raters per text."


def _of_metric(about: str, question: Question, verdict: Verdict) -> str:
    e, name = verdict.evidence, verdict.name
    guess, reached = GUESSES[e.hardest], e.guesses[e.hardest]
    with_rater = f"({_pair(e.metric, e.rater)})"
    with_guess = f"({_pair(e.metric, reached)})"
    on = f"agrees with people on {about}"
    return {
        "better": f"{name} {on} better than one rater does {with_rater}.",
        "like": f"{name} keeps at least {100 * KEEPS:.0f} % of one rater's agreement"
        f" with people on {about}.",
        "below": f"{name} beats simple guesses on {about}, but agrees with people less"
        f" than one rater does {with_rater}.",
        "beats": f"{name} beats every simple guess on {about}; {_open(question, e)}.",
        "little": _little(about, verdict, f"{guess} {with_guess}"),
        "worse": f"{name} {on} less than {guess} {with_guess}.",
        "unclear": _unclear(about, verdict, f"{guess} {with_guess}"),
        "few": f"{name} has scored too few texts: on {about}, {_telling(e.n_prompts)}"
        f" good from bad, but {MIN_PROMPTS} are needed.",
        "none": f"{name} has no number on {about}: {verdict.why_none}.",
    }[verdict.chip]


def _little(about: str, verdict: Verdict, guess: str) -> str:
    """So that no number says the opposite: the metric's may be the lower one."""
    e, name = verdict.evidence, verdict.name
    if e.metric > e.guesses[e.hardest]:
        return f"{name} says little more about {about} than {guess}."
    return (
        f"{name} adds little: it agrees with people on {about} no better than {guess}."
    )


def _open(question: Question, e: Evidence) -> str:
    if not question.picks:
        return "no text has two ratings, so there is no rater to compare with"
    if question.unclear:
        return "how far people agree is not clear yet"
    return f"{e.n_prompts:,} prompts cannot show whether it does as well as one rater"


def _telling(n: int) -> str:
    return f"{n} prompt{' tells' if n == 1 else 's tell'}"


def _unclear(about: str, verdict: Verdict, guess: str) -> str:
    name = verdict.name
    if verdict.more is None:
        return f"Not clear whether {name} says more about {about} than {guess}."
    few = verdict.more <= verdict.evidence.n_prompts * 0.1
    many = "a few" if few else f"about {verdict.more:,}"
    prompts = "prompt" if verdict.more == 1 and not few else "prompts"
    return (
        f"Not clear yet: {many} more {prompts} would show whether {name} beats a simple"
        f" guess on {about}."
    )


def more_words(verdict: Verdict, *, unclear: bool = False) -> str:
    """What more prompts would decide beside one rater; "" where nothing is open."""
    if verdict.chip == "unclear":
        return "" if verdict.more else "More prompts will not settle it."
    if verdict.chip != "beats" or unclear or verdict.evidence.rater_gap is None:
        return ""
    if verdict.more is None:
        return "More prompts will not settle how it compares with one rater."
    more = f"About {verdict.more:,} more prompts"
    return f"{more} would show how it compares with one rater."


def _pair(first: float, second: float) -> str:
    return f"{number(first)} and {number(second)}"


def number(value: float) -> str:
    """As in sentences: two digits, and a minus that is one."""
    # Adding 0 takes the sign off a rounded zero.
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")


def lower(title: str) -> str:
    """As within a sentence: abbreviations stay."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]
