"""What each check of quality control saw on a page, in a sentence with its numbers.

A verdict keeps these numbers (`quality.checking`); older verdicts may lack some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from annotation.models import Policy, Verdict
from annotation.quality.checking import BY_HAND, CHECKS

PASSED, FAILED, NOT_MADE = "passed", "failed", "not made"

COMPARED_WITH: dict[str, tuple[Callable[[list[float]], float], str]] = {
    Policy.Rule.ABOVE_ALL: (max, "the best"),
    Policy.Rule.ABOVE_MEAN: (fmean, "the mean"),
    Policy.Rule.ABOVE_ANY: (min, "the worst"),
}

Numbers = Mapping[str, Any]


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
    corrected = _corrections(numbers)
    seen = {
        **(corrected or {"rule": _rule(numbers, titles)}),
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


def _corrections(numbers: Numbers) -> dict[str, str | None]:
    """On pages of corrections only."""
    if "edited" not in numbers:
        return {}
    found, damaged = numbers["edited"], numbers.get("damaged_changed")
    share = 100 * found["changed"] / max(1, found["words"])
    said = f"{found['changed']:,} of {found['words']:,} words changed ({share:.3g} %)."
    untouched = None
    if damaged is not None:
        untouched = f"Words changed in the damaged text: {damaged:,}."
    return {"untouched": untouched, "changes": numbers.get("outside", said)}


def _title(name: str) -> str:
    """The words of quality control, as the beginning of a line."""
    return CHECKS[name][0].upper() + CHECKS[name][1:]


def _check(name: str, said: str | None, failed: bool, policy: Policy) -> Check:
    if said is None and not failed:
        return Check(_title(name), NOT_MADE, _why_not(name, policy))
    outcome = FAILED if failed else PASSED
    return Check(_title(name), outcome, said or "The verdict kept no numbers.")


def _why_not(name: str, policy: Policy) -> str:
    off = {
        "rule": False,
        "same": not policy.same_score,
        "reading": policy.characters_per_second is None,
        "pattern": policy.same_pages is None,
        "chance": policy.chance_odds is None,
        "worker": policy.worker_p is None,
        "untouched": not policy.edit_untouched,
        "changes": False,
    }[name]
    if off:
        return f"Version {policy.version} does not make this check."
    if name in ("rule", "untouched"):
        return "The page has no damaged text to compare with others."
    if name == "pattern":
        return f"Needs {policy.same_pages} pages of this worker."
    if name in ("chance", "worker"):
        return f"Needs {policy.worker_pages} pages of this worker."
    return "The verdict kept no numbers for this check."


def _rule(numbers: Numbers, titles: Mapping[str, str]) -> str | None:
    if "negative" not in numbers or not numbers.get("texts"):
        return None
    if numbers["rule"] == "pair":
        return _pair(fmean(numbers["negative"]), numbers, titles)
    means = [fmean(row) for row in numbers["texts"].values()]
    limit_of, named = COMPARED_WITH[numbers["rule"]]
    texts = "1 other text" if len(means) == 1 else f"{len(means)} other texts"
    unit, on = numbers.get("unit", ""), _named(numbers.get("aspects", []), titles)
    return (
        f"The damaged text got {fmean(numbers['negative']):.3g}{unit}; {named} of"
        f" {texts} got {limit_of(means):.3g}{unit}, on {on}."
    )


def _pair(mean: float, numbers: Numbers, titles: Mapping[str, str]) -> str:
    if mean > 0:
        said = "The damaged version of a text was called better than the text itself"
    elif mean < 0:
        said = "A text was called better than its damaged version"
    else:
        said = "Neither a text nor its damaged version was called better"
    return f"{said}, on {_named(numbers.get('aspects', []), titles)}."


def _named(keys: Sequence[str], titles: Mapping[str, str]) -> str:
    found = [titles.get(key, key) for key in keys]
    if len(found) == 1:
        return found[0]
    return f"the mean of {', '.join(found[:-1])} and {found[-1]}" if found else "—"


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
