"""5. The result of a probe -> charts and tables. No query, no request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import plotly.graph_objects as go

from scoring.contrib.probing.charts import chart_over_k, line, panels
from scoring.contrib.probing.protocols import DIVERGENCES, GENERATOR, UNMODIFIED
from scoring.contrib.probing.protocols.results import (
    Attribute,
    AttributesEncoder,
    ComparedEncoder,
    ComparedRow,
    Spread,
    SurfaceEncoder,
)
from scoring.drawing.charts import COLOURS, UNKNOWN
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value

Encoders = list[ComparedEncoder]
Same = list[tuple[str, Attribute, AttributesEncoder]]  # of one attribute

BEFORE_DAMAGE = (
    "Read every row against {reference}. Two halves of one corpus differ by chance, and"
    " few texts in many clusters make any divergence larger: only damage that is"
    " clearly beyond that row was noticed. A metric based on these clusters does not"
    " see the rest, however much it spoils the text."
)
WAYS = {"training": "the training texts", "corpus": "the other corpus"}


def sections(protocol: str, result: Mapping[str, Any]) -> list[Section]:
    """What the page of a probe shows of its result."""
    return _SHOWN[protocol](result["encoders"])


def tables(protocol: str, result: Mapping[str, Any]) -> dict[str, Table]:
    """All tables of the page, by slug."""
    return {
        key: table
        for section in sections(protocol, result)
        for key, table in section.tables.items()
    }


# Perturbations ------------------------------------------------------------------------


def _perturbations(encoders: Encoders) -> list[Section]:
    return [
        Section(
            "divergences",
            "Divergence from the reference half",
            "One half of the corpus is the reference. The other half is compared with"
            " it as it is, and after each kind of damage. "
            + BEFORE_DAMAGE.format(reference="Unmodified"),
            panels(encoders),
            alt="Each divergence of each row, with its spread over the seeds.",
            tables={"divergences": _divergences_table(encoders)},
            after=" ".join(_remarks(encoders)),
        )
    ]


def _divergences_table(encoders: Encoders) -> Table:
    rows: list[list[Value]] = []
    for encoder in encoders:
        for row in encoder["rows"]:
            line: list[Value] = [row["title"], encoder["model"], row["n"]]
            for key in DIVERGENCES:
                line += _spread(row["cells"][0][key])
            rows.append(line)
    titles = [title for title, _ in DIVERGENCES.values()]
    first = encoders[0]
    return Table(
        ["Compared", "Encoder", "Texts", *(["Mean", "SD"] * len(titles))],
        rows,
        f"Divergence of {first['n_reference']} texts of a corpus from its other half,"
        f" unmodified and damaged, K = {first['clusters'][0]['used']}: mean and"
        f" standard deviation over {first['seeds']} seeds.",
        groups=[("", 3), *((title, 2) for title in titles)],
        title="Divergences by row",
    )


# Number of clusters -------------------------------------------------------------------


def _clusters(encoders: Encoders) -> list[Section]:
    found: list[Section] = []
    for place, encoder in enumerate(encoders, start=1):
        several = f", {encoder['model']}" if len(encoders) > 1 else ""
        for key, (title, unit) in DIVERGENCES.items():
            slug = f"{key}-{place}"
            found.append(
                Section(
                    slug,
                    f"{title} by number of clusters{several}",
                    _over_k_words() if not found else "",
                    _over_k(encoder, key, f"{title}, {unit}"),
                    alt=f"{title} of each row over the number of clusters.",
                    tables={slug: _over_k_table(encoder, key, title)},
                    folded=True,
                )
            )
    last = " ".join(_remarks(encoders))
    return [*found, Section("remarks", "Remarks", last)] if last else found


def _over_k_words() -> str:
    return (
        "One half of the corpus is the reference. It is compared with the other half,"
        " and with its own texts after each kind of damage. The line of a damage can be"
        " below that of the other half, because it has the same texts on both sides."
        " Where it stays near zero, the clusters do not notice the damage at all. With"
        " K near the number of texts, all lines meet, because each text is its own"
        " cluster."
    )


def _title(row: ComparedRow) -> str:
    return "Other half" if row["key"] == UNMODIFIED else row["title"]


def _each_k(encoder: ComparedEncoder) -> list[int]:
    """Places of the Ks that were used, each once.

    Several may have been lowered to one K; they differ only in where k-means began.
    """
    used = [one["used"] for one in encoder["clusters"]]
    return [place for place, k in enumerate(used) if k not in used[:place]]


def _over_k(encoder: ComparedEncoder, key: str, title: str) -> go.Figure:
    places = _each_k(encoder)
    ks = [encoder["clusters"][place]["used"] for place in places]
    lines = []
    for at, row in enumerate(encoder["rows"]):
        other = row["key"] == UNMODIFIED
        look = {"color": UNKNOWN if other else COLOURS[(at - 1) % len(COLOURS)]}
        cells = [row["cells"][place][key] for place in places]
        lines.append(line(_title(row), ks, cells, look, at, int(other)))
    return chart_over_k(lines, ks, title)


def _over_k_table(encoder: ComparedEncoder, key: str, title: str) -> Table:
    rows: list[list[Value]] = [
        [
            _title(row),
            encoder["clusters"][place]["used"],
            *_spread(row["cells"][place][key]),
        ]
        for row in encoder["rows"]
        for place in _each_k(encoder)
    ]
    return Table(
        ["Compared", "K", "Mean", "SD"],
        rows,
        f"{title} of {encoder['n_reference']} texts from the other half of their corpus"
        f" and from themselves, damaged, with {encoder['model']}: mean and standard"
        f" deviation over {encoder['seeds']} seeds.",
        title=f"{title} by number of clusters",
    )


# Attributes ---------------------------------------------------------------------------


def _attributes(encoders: list[AttributesEncoder]) -> list[Section]:
    found = []
    for place, one in enumerate(encoders[0]["attributes"]):
        same = [(e["model"], e["attributes"][place], e) for e in encoders]
        title = f"Attribute {one['name']}"
        if one["reason"]:
            words = f"No numbers: {one['reason']}. {_left_out(one)}".strip()
            found.append(Section(f"attribute-{place}", title, words))
        else:
            found.append(_attribute(f"attribute-{place}", title, same))
    return found


def _attribute(slug: str, title: str, same: Same) -> Section:
    _, one, encoder = same[0]
    ks, lines = encoder["clusters"], []
    for place, (model, found, _) in enumerate(same):
        for dash, (way, cells) in enumerate(_ways(found)):
            name = _way(model, way, several=len(same) > 1)
            look = {"color": COLOURS[place % len(COLOURS)]}
            means = [cell["accuracy"] for cell in cells]
            lines.append(line(name, ks, means, look, place, dash))
    if base := one["baseline"]:
        same_at_all, grey = [base] * len(ks), {"color": UNKNOWN}
        lines.append(line("always the majority", ks, same_at_all, grey, 6, 2))
    split = "as the corpus says" if one["column"] else "drawn by each seed"
    return Section(
        slug,
        title,
        "Each cluster predicts the value that most of its training texts have, for"
        f" {one['n_test']} test texts; {one['n_train']} texts train, {split};"
        f" {one['categories']} values. Where accuracy is on the line of the majority,"
        " the clusters know nothing of the attribute. A divergence would use clusters"
        " learned on other texts; those learned on the training texts show the best"
        " case.",
        chart_over_k(lines, ks, "Accuracy on test texts"),
        alt=f"{title}: accuracy over the number of clusters, and of the majority.",
        tables={slug: _accuracy_table(title, same)},
        after=_left_out(one),
        folded=True,
    )


def _ways(found: Attribute) -> list[tuple[str, Any]]:
    """In one order on every database: PostgreSQL sorts the keys of what it keeps."""
    return [(way, found["ways"][way]) for way in WAYS if way in found["ways"]]


def _way(model: str, way: str, *, several: bool) -> str:
    name = f"learned on {WAYS[way]}"
    return f"{model}, {name}" if several else name


def _accuracy_table(title: str, same: Same) -> Table:
    rows: list[list[Value]] = [
        [model, WAYS[way], cell["used"], *_spread(cell["accuracy"])]
        for model, found, _ in same
        for way, cells in _ways(found)
        for cell in cells
    ]
    if base := same[0][1]["baseline"]:
        rows.append(["always the majority", "", None, *_spread(base)])
    return Table(
        ["Encoder", "Clusters learned on", "K", "Mean", "SD"],
        rows,
        f"{title}: accuracy of predictions from clusters, mean and standard deviation"
        f" over {same[0][2]['seeds']} seeds.",
        title=f"{title}: accuracy",
    )


def _left_out(one: Attribute) -> str:
    n = one["left_out"]
    return f"{_texts(n)} without the attribute left out." if n else ""


# Surface ------------------------------------------------------------------------------


def _surface(encoders: list[SurfaceEncoder]) -> list[Section]:
    ks, lines = [one["used"] for one in encoders[0]["clusters"]], []
    rows: list[list[Value]] = []
    for place, encoder in enumerate(encoders):
        for dash, feature in enumerate(encoder["features"]):
            several = f"{encoder['model']}: " if len(encoders) > 1 else ""
            look = {"color": COLOURS[(2 * place + dash) % len(COLOURS)]}
            name = f"{several}{feature['title']}"
            lines.append(line(name, ks, feature["r2"], look, place, dash))
            rows += [
                [feature["title"], encoder["model"], k, *_spread(cell)]
                for k, cell in zip(ks, feature["r2"], strict=True)
            ]
    first = encoders[0]
    left = first["left_out"]
    return [
        Section(
            "surface",
            "Explained variance",
            "The mean share of each cluster's texts in one half of the corpus predicts"
            " the share in the other half. R² is the part of its variance that the"
            " clusters explain: at 0 they explain nothing, and below 0 they predict"
            " worse than one number for all texts, as happens with many clusters of few"
            " texts.",
            chart_over_k(lines, ks, "R²"),
            alt="R² of both shares over the number of clusters.",
            tables={
                "surface": Table(
                    ["Share", "Encoder", "K", "Mean", "SD"],
                    rows,
                    f"R² of shares predicted from clusters for half of"
                    f" {first['n_texts']} texts: mean and standard deviation over"
                    f" {first['seeds']} seeds.",
                    title="R² by number of clusters",
                )
            },
            after=f"{_texts(left)} without words left out." if left else "",
        )
    ]


# Parts --------------------------------------------------------------------------------


def _texts(n: int) -> str:
    return f"{n} text" if n == 1 else f"{n} texts"


def _spread(found: Spread) -> list[Value]:
    """Mean and standard deviation, each with its reason where there is none."""
    mean, sd = found["mean"], found["sd"]
    no_sd = "only one seed" if mean is not None else "undefined"
    return [
        Cell(mean, reason="" if mean is not None else "undefined"),
        Cell(sd, reason="" if sd is not None else no_sd),
    ]


def _remarks(encoders: Encoders) -> list[str]:
    """What a reader of comparisons must know: a lowered K, a small generator."""
    first, found = encoders[0], []
    lowered = [one for one in first["clusters"] if one["used"] < one["asked"]]
    if lowered:
        found.append(
            f"K was lowered from {lowered[-1]['asked']} to {lowered[-1]['used']},"
            " because the smallest pair has too few texts for more."
        )
    for row in first["rows"]:
        if row["key"] == GENERATOR and row["n"] < first["n_reference"]:
            found.append(
                f"{row['title']} has {_texts(row['n'])}, the reference"
                f" {first['n_reference']}: fewer texts alone change a divergence, so"
                " its row cannot be compared strictly with the others."
            )
    return found


_SHOWN: dict[str, Callable[[Any], list[Section]]] = {
    "perturbations": _perturbations,
    "clusters": _clusters,
    "attributes": _attributes,
    "surface": _surface,
}
