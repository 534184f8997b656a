"""Agreement, correlations and what people say of systems, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.analyses.overview.result import Agreement, Correlation, System
from scoring.analyses.shared.page_basis import over
from scoring.drawing.tables import Table, Value

CORRELATIONS = (
    "Correlation of metrics with human scores (Pearson r, Spearman rho, Kendall tau-b),"
    " oriented so that higher is better"
)


def agreement(rows: Sequence[Agreement]) -> Table:
    header = ["aspect", "level", "own", "alpha", "n_texts", "n_ratings", "why"]
    cells: list[list[Value]] = [
        [
            r["aspect"],
            r["level"],
            "yes" if r["own"] else "",
            r["alpha"],
            r["n_texts"],
            r["n_ratings"],
            r["reason"] or "",
        ]
        for r in rows
    ]
    return Table(header, cells, "Krippendorff's alpha.")


def correlations(rows: Sequence[Correlation], why: str = "") -> Table:
    """Of the overview, with what it says of why these texts are compared."""
    told = any("trivial" in row for row in rows)
    header = (
        "metric metric_aspect human_aspect n n_rated grouping compared"
        " pearson spearman kendall why"
        f"{' trivial_predictors' if told else ''} signature"
    ).split()
    cells: list[list[Value]] = [
        [
            *(row["metric"], row["metric_aspect"], row["human_aspect"]),
            *(row["n"], row["n_rated"], row["grouping"], row["compared"]),
            *(row["pearson"], row["spearman"], row["kendall"]),
            *(_remark(row), *([row.get("trivial", "")] if told else [])),
            row["signature"],
        ]
        for row in rows
    ]
    return Table(header, cells, _caption(rows), notes=[why] if why else [])


def correlations_brief(rows: Sequence[Correlation], why: str = "") -> Table:
    """For a terminal: each signature, which may be long, stands once below."""
    header = ["metric", "human aspect", "n", "pearson", "spearman", "kendall", "why"]
    cells: list[list[Value]] = [
        [
            *(_name(row), row["human_aspect"], row["n"]),
            *(row["pearson"], row["spearman"], row["kendall"], _remark(row)),
        ]
        for row in rows
    ]
    return Table(header, cells, _caption(rows), notes=_notes(rows, why))


def correlations_wide(rows: Sequence[Correlation], why: str = "") -> Table:
    """As papers print it: a row for each output, three columns for each aspect."""
    rows = sorted(rows, key=lambda row: row["position"])
    aspects = {row["human_aspect"]: row["title"] for row in rows}
    sizes = {row["n"] for row in rows}
    names = ["r", "ρ", "τ-b", *(["n"] if len(sizes) > 1 else [])]
    lines: dict[tuple[int | None, str], list[Value]] = {}
    for aspect in aspects:
        for row in (row for row in rows if row["human_aspect"] == aspect):
            line = lines.setdefault(
                (row["signature_id"], row["metric_aspect"]), [_name(row)]
            )
            values = [row["pearson"], row["spearman"], row["kendall"], row["n"]]
            line.extend(values[: len(names)])
    of = " and ".join(f"{n:,}" for n in sorted({row["n_rated"] for row in rows}))
    n = f"n = {sizes.pop():,}" if len(sizes) == 1 else "n: texts"
    return Table(
        header=["metric", *(names * len(aspects))],
        rows=list(lines.values()),
        caption=f"{_caption(rows)} {n} of {of} rated texts.",
        groups=[("", 1), *((title, len(names)) for title in aspects.values())],
        notes=_notes(rows, why),
    )


def _caption(rows: Sequence[Correlation]) -> str:
    if not rows:
        return f"{CORRELATIONS}."
    return f"{CORRELATIONS}, {over(rows[0]['grouping'], rows[0]['compared'])}."


def _notes(rows: Sequence[Correlation], why: str) -> list[str]:
    return [*([why] if why else []), *_signatures(rows)]


def _signatures(rows: Sequence[Correlation]) -> list[str]:
    found = {f"{row['metric']}: {row['signature']}{_old(row)}" for row in rows}
    return sorted(found)


def _old(row: Correlation) -> str:
    made = row.get("old_version")
    return f" ({made})" if made else ""


def _name(row: Correlation) -> str:
    return f"{row['label']} ({row['variant']})" if row["variant"] else row["label"]


def of_people(rows: Sequence[System], aspects: Sequence[str]) -> Table:
    """What people alone say of each system."""
    cells: list[list[Value]] = [
        [row["system"], row["n_texts"], *(mean["value"] for mean in row["means"])]
        for row in rows
    ]
    return Table(["system", "n_texts", *aspects], cells, "Mean human scores.")


def _remark(row: Correlation) -> str:
    if row["reason"]:
        return row["reason"]
    unturned = "not oriented: closeness to human text counts"
    said = ["" if row["oriented"] else unturned, row.get("old_version") or ""]
    return "; ".join(filter(None, said))
