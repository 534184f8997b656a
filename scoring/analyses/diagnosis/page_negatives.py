"""Which damage people notice and a metric does not, in words and as a table."""

from __future__ import annotations

from scoring.analyses.diagnosis.result import Result
from scoring.analyses.shared.page_metrics import link
from scoring.drawing.sections import Section
from scoring.drawing.tables import Table, Value

MANY = 4  # metrics: with more a sentence counts them


def unseen(result: Result) -> Section:
    """The section that says which damage only people notice."""
    rows: list[list[Value]] = [
        [
            link(output),
            *(_words(seen[name]) for name in ("people", "both", "metric", "raised")),
        ]
        for output, row, seen in zip(
            result["outputs"], result["rows"], result["seen"], strict=True
        )
        if row["scored"]
    ]
    table = Table(
        ["Metric", "Only people", "Both", "Only the metric", "Scored higher"],
        rows,
        "Kinds of damage that lower the ratings of people and the scores of a metric:"
        " the 95 % interval of the mean difference is below zero.",
        title="Who notices which damage",
        empty="No metric has scored the damaged texts yet.",
    )
    return Section(
        "unseen",
        "What people notice and a metric does not",
        _blind(result),
        tables={"unseen": table},
        after="Noticed: the whole 95 % interval of the mean difference between damaged"
        " and undamaged texts is below zero (for a metric without a direction, below or"
        " above). Only people: the metric’s interval is not. With few damaged texts,"
        " this does not prove that the metric misses the damage. Scored higher: the"
        " interval is above zero, so the metric rewards the damage. Kinds of damage"
        " without an interval are not listed. With many metrics and kinds of damage,"
        " some entries are due to chance: nothing here is corrected for multiple"
        " comparisons.",
    )


def _words(names: list[str]) -> str:
    return ", ".join(names) or "none"


def _blind(result: Result) -> str:
    """The sentences that name what people notice, and how many metrics do not."""
    judged = zip(result["kinds"], result["people"]["judged"], strict=False)
    ends = [(kind["name"], row["points"]["high"]) for kind, row in judged]
    clear = [name for name, high in ends if high is not None and high < 0]
    if all(high is None for _, high in ends):
        return "Too few damaged texts were rated to say which damage people notice."
    if not clear:
        return "So far, no kind of damage lowers the ratings of people beyond chance."
    metrics = [
        (output["label"], seen["people"])
        for output, row, seen in zip(
            result["outputs"], result["rows"], result["seen"], strict=True
        )
        if row["scored"] and not output["baseline"]
    ]
    told = f"People notice {_listed(clear)}."
    if not any(missed for _, missed in metrics):
        return told
    if len(metrics) <= MANY:
        of_each = [f"{name} {_listed(some)}" for name, some in metrics if some]
        return f"{told} Not shown to notice: {'; '.join(of_each)}."
    counts = [(kind, sum(kind in some for _, some in metrics)) for kind in clear]
    first, *rest = [(kind, n) for kind, n in counts if n]
    verb = "is" if first[1] == 1 else "are"
    words = [f"{first[1]} {verb} not shown to notice `{first[0]}`"]
    words += [f"{n} `{kind}`" for kind, n in rest]
    return (
        f"{told} Of {len(metrics)} metrics (without text lengths), {', '.join(words)}."
    )


def _listed(names: list[str]) -> str:
    shown = [f"`{name}`" for name in names]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
