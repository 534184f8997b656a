"""Does a metric mark errors as well as one more person would? In one sentence."""

from __future__ import annotations

from scoring.analyses.marked_errors.result import Metric, Result
from scoring.analyses.shared.page_words import n_of
from scoring.analyses.variants.result import Difference
from scoring.drawing.sections import Section
from scoring.stats.estimates import Number

NOBODY = "No page that counts has marked errors yet."
# By where the metric lies: its interval less that of people.
CLAIMS = {
    "above": "agrees with a person more than people agree with each other",
    "below": "finds errors better than a guess, but not as well as one more person",
    "": "finds errors better than a guess; whether it does so as well as one more"
    " person cannot be told from these texts",
}
A_GUESS = "was not shown to find the errors of people better than a guess"


def section(result: Result) -> Section:
    words = (
        f"{n_of(result['n_people'], 'person', 'people')} marked"
        f" {n_of(result['n_marks'], 'error')} in {n_of(result['n_texts'], 'text')}."
        if result["n_texts"]
        else NOBODY
    )
    best = result["metrics"][0] if result["metrics"] else None
    return Section(
        "answer",
        "The answer",
        sentence(best) if best else words,
        after=words if best else "",
        answers=True,
    )


def sentence(metric: Metric) -> str:
    """What can be said of a metric, with its F beside people and the better guess."""
    name, f = metric["name"], metric["f"]
    if f["value"] is None:
        return f"{name} cannot be compared with people: {f['reason']}."
    return f"{_claim(metric)}: {', '.join(_numbers(metric))}."


def _claim(metric: Metric) -> str:
    name = metric["name"]
    differences = [floor["above"]["difference"] for floor in metric["floors"]]
    unknown = next((d["reason"] for d in differences if d["low"] is None), "")
    if unknown:
        return (
            f"Whether {name} marks errors as well as one more person cannot be told yet"
            f" ({unknown})"
        )
    if any(_side(floor["above"]) != "above" for floor in metric["floors"]):
        return f"{name} {A_GUESS}"
    return f"{name} {CLAIMS[_side(metric['to_ceiling'])]}"


def _numbers(metric: Metric) -> list[str]:
    guesses = [floor["f"]["value"] for floor in metric["floors"]]
    reached = [floor for floor in guesses if floor is not None]
    less = metric["to_ceiling"]["difference"]
    people = metric["ceiling"]["value"]
    return [
        f"F {_number(metric['f'])}",
        f"two people {people:.2f}" if people is not None else "two people unknown",
        *([f"difference {_number(less)}"] if less["value"] is not None else []),
        *([f"the better guess {max(reached):.2f}"] if reached else []),
    ]


def _number(number: Number) -> str:
    low, high = number["low"], number["high"]
    ends = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    return f"{number['value'] or 0.0:.2f}{ends}".replace("-", "\N{MINUS SIGN}")


def _side(difference: Difference) -> str:
    """Where the interval of a difference lies: above 0, below it, or on both sides."""
    low, high = difference["difference"]["low"], difference["difference"]["high"]
    if low is None or high is None:
        return ""
    return "above" if low > 0 else "below" if high < 0 else ""
