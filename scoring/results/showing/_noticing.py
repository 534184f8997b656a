"""Which damage people notice and a metric does not, in words and as a table."""

from __future__ import annotations

from scoring.drawing.sections import Section
from scoring.drawing.tables import Table, Value
from scoring.results.showing._metrics import link
from scoring.stats.analyses.results.diagnosis import Result

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
        "Perturbations that lower the ratings of people, and the scores of a metric:"
        " the 95 % interval of the mean difference is below zero.",
        title="Who notices which perturbation",
        empty="No metric has scores of the negatives yet.",
    )
    return Section(
        "unseen",
        "What people see that a metric does not",
        _blind(result),
        tables={"unseen": table},
        after="Noticed: the whole 95 % interval of the mean difference between damaged"
        " and undamaged texts is below zero; for a metric without a direction, below or"
        " above. Only people: for the metric it is not, which with few negatives is no"
        " proof that the metric is blind to it. Scored higher: it is above zero: the"
        " metric rewards the damage. What has no interval, of people or of the"
        " metric, is not listed. With many metrics and perturbations some entries are"
        " due to chance: nothing here is corrected for their number.",
    )


def _words(names: list[str]) -> str:
    return ", ".join(names) or "none"


def _blind(result: Result) -> str:
    """The sentences that name what people notice, and how many metrics do not."""
    judged = zip(result["kinds"], result["people"]["judged"], strict=False)
    ends = [(kind["name"], row["points"]["high"]) for kind, row in judged]
    clear = [name for name, high in ends if high is not None and high < 0]
    if all(high is None for _, high in ends):
        return "Too few negatives were rated to say which damage people notice."
    if not clear:
        return "No perturbation lowers the ratings of people beyond chance so far."
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
    words = [f"{first[1]} are not shown to notice `{first[0]}`"]
    words += [f"{n} `{kind}`" for kind, n in rest]
    return f"{told} Of {len(metrics)} metrics, lengths apart, {', '.join(words)}."


def _listed(names: list[str]) -> str:
    shown = [f"`{name}`" for name in names]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
