"""What each check of quality control saw on a page, in a sentence with its numbers.

A verdict keeps these numbers (`quality.checking`); older verdicts may lack some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import fmean
from typing import Any, NamedTuple

from annotation import page_kinds, quality
from annotation.models import Policy, Verdict
from annotation.quality import reasons
from annotation.quality.checking import BY_HAND

PASSED, FAILED, NOT_MADE = "passed", "failed", "not made"

COMPARED_WITH: dict[str, tuple[Callable[[list[float]], float], str]] = {
    Policy.Rule.ABOVE_ALL: (max, "the best"),
    Policy.Rule.ABOVE_MEAN: (fmean, "the mean"),
    Policy.Rule.ABOVE_ANY: (min, "the worst"),
}

Numbers = Mapping[str, Any]
# Fields of a policy that ask for a check; the rule is always asked for.
SETTINGS = {
    "same": "same_score",
    "reading": "characters_per_second",
    "pattern": "same_pages",
    "chance": "chance_odds",
    "worker": "worker_p",
}


class Check(NamedTuple):
    """One check of one verdict."""

    title: str
    outcome: str  # PASSED, FAILED or NOT_MADE
    seen: str  # a sentence, or why the check was not made


def made(*, verdict: Verdict, titles: Mapping[str, str]) -> list[Check]:
    """Every check, in the order they are made; none where a person decided.

    Args:
        verdict: With its policy.
        titles: Of the study's aspects, by key.
    """
    numbers = verdict.numbers
    if BY_HAND in numbers:
        return []
    failed = numbers.get("failed", [] if verdict.valid else ["rule"])
    seen = {
        **_of_kind(numbers, titles),
        "same": _same(numbers),
        "reading": _reading(numbers, verdict.policy),
        "pattern": _pattern(numbers),
        "chance": _chance(numbers, verdict.policy),
        "worker": _worker(numbers, verdict.policy),
    }
    return [
        _check(name, said, name in failed, verdict.policy)
        for name, said in seen.items()
    ]


def _of_kind(numbers: Numbers, aspects: Mapping[str, str]) -> dict[str, str | None]:
    """What a kind of page says of the rule, or of checks of its own."""
    for kind in page_kinds.every():
        if sentences := kind.checks.sentences(numbers, aspects):
            return sentences
    return {"rule": _rule(numbers, aspects)}


def _title(name: str) -> str:
    """The words of quality control, as the beginning of a line."""
    title = quality.titles()[name]
    return title[0].upper() + title[1:]


def _check(name: str, said: str | None, failed: bool, policy: Policy) -> Check:
    if said is None and not failed:
        return Check(_title(name), NOT_MADE, _why_not(name, policy))
    outcome = FAILED if failed else PASSED
    return Check(_title(name), outcome, said or "The verdict kept no numbers.")


def _why_not(name: str, policy: Policy) -> str:
    own = {
        key: check
        for kind in page_kinds.every()
        for key, check in kind.checks.own.items()
    }.get(name)
    setting = own.setting if own else SETTINGS.get(name, "")
    if setting and getattr(policy, setting) in (None, False):
        return f"Version {policy.version} does not make this check."
    if own:
        return own.why_not_made
    if name == "rule":
        return "The page has no damaged text to compare with others."
    if name == "pattern":
        return f"Needs {policy.same_pages} pages of this worker."
    if name in ("chance", "worker"):
        return f"Needs {policy.worker_pages} pages of this worker."
    return "The verdict kept no numbers for this check."


def _rule(numbers: Numbers, aspects: Mapping[str, str]) -> str | None:
    if "negative" not in numbers or not numbers.get("texts"):
        return None
    means = [fmean(row) for row in numbers["texts"].values()]
    limit_of, named = COMPARED_WITH[numbers["rule"]]
    texts = "1 other text" if len(means) == 1 else f"{len(means)} other texts"
    unit, on = (
        numbers.get("unit", ""),
        reasons.named_by_keys(numbers.get("aspects", []), aspects),
    )
    return (
        f"The damaged text got {fmean(numbers['negative']):.3g}{unit}; {named} of"
        f" {texts} got {limit_of(means):.3g}{unit}, on {on}."
    )


def _same(numbers: Numbers) -> str | None:
    if "same" not in numbers:
        return None
    return "Every answer is the same." if numbers["same"] else "The answers differ."


def _reading(numbers: Numbers, policy: Policy) -> str | None:
    fastest = policy.characters_per_second
    if fastest is None or numbers.get("characters") is None:
        return None
    characters, seconds = numbers["characters"], numbers["seconds"]
    said = f"{characters:,} characters in {seconds:,.0f} seconds"
    if seconds:
        said += f": {characters / seconds:.0f} characters per second"
    return f"{said}. The limit is {fastest:g}."


def _pattern(numbers: Numbers) -> str | None:
    if "same_pages" not in numbers:
        return None
    n, total = numbers["same_pages"], numbers["all_pages"]
    return f"Same answer everywhere on {n} of this worker's {total} pages."


def _chance(numbers: Numbers, policy: Policy) -> str | None:
    found = numbers.get("odds")
    if found is None or policy.chance_odds is None:
        return None
    times = found["times"]
    shown = f"{times:,.0f}" if times >= 10 else f"{times:.2g}"
    return (
        f"Over {found['pages']} pages the answers are {shown} times as likely to be"
        f" random as to come from reading. The limit is {policy.chance_odds:g}."
    )


def _worker(numbers: Numbers, policy: Policy) -> str | None:
    if "p" not in numbers or policy.worker_p is None:
        return None
    return (
        f"Over {numbers['pages']} pages p = {numbers['p']:.3f}."
        f" The limit is {policy.worker_p:g}."
    )
