"""5. What a training found -> charts and tables. No query, no request."""

from __future__ import annotations

import plotly.graph_objects as go

from scoring.drawing.charts import AXIS, COLOURS, LAYOUT
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.drawing.words import capitalized
from scoring.training.kept import Card, Figures, Point

Log = list[Point]
HEIGHT = 360  # pixels

# What each figure of a finished training is called, and says.
FIGURES = {
    "n": ("Held-out examples", "examples that the figures below are based on"),
    "accuracy": ("Accuracy", "share of examples with the right class"),
    "majority": ("Largest class", "accuracy of always naming the most frequent class"),
    "auc": ("AUC", "share of pairs of both classes in the right order; 0.5 is chance"),
    "auc_of_length": (
        "AUC of length alone",
        "how well the number of words tells the classes apart; 0.5 means not at all",
    ),
    "mse": ("Mean squared error", "of the predicted quality, lower is better"),
    "pearson": ("Pearson r", "of predicted and true quality"),
    "pearson_low": (
        "Pearson r, low end",
        "of its 95 % interval: 2,000 bootstrap draws of prompts",
    ),
    "pearson_high": ("Pearson r, high end", "of the same interval"),
    "prompts": ("Prompts", "that the held-out examples answer"),
    "folds": ("Folds", "each was held out from the model that is tried on it"),
    "spearman": ("Spearman rho", "of predicted and true quality"),
    "kendall": ("Kendall tau-b", "of predicted and true quality"),
    "spearman_of_length": (
        "Spearman rho of length alone",
        "of the number of words and true quality",
    ),
    "loss": ("Loss", "of held-out examples"),
    "auc_by_kind": ("AUC", "for human texts against texts with only this damage"),
    "kinds": ("Examples", "that are damaged so"),
    "test": ("Test corpus", "on the test corpus"),
    "before": ("Before fine-tuning", "the same, for the pre-trained network"),
    "pretraining": ("Pre-training", ""),
    "regenerated": ("Segments", "in the texts made for the training"),
    "infilling models": ("Infilling models", "on segments that were held out"),
}
PLACES = {key: place for place, key in enumerate(FIGURES)}
# Within figures: no numbers, but what readers of them must know, or need not.
WARNING, NOT_SHOWN = "warning", ("signature", "warning")
# In a list of trainings one figure must do: the first of these that there is.
HEADLINES = ("auc", "accuracy", "spearman", "pearson", "mse")
FEW = 100  # held-out examples, below which figures are rough
TELLS = 0.3  # a rank correlation from which on length says much of the quality
LEAKS = 0.65  # an AUC from which on the length of a text gives its class away


def headline(card: Card) -> tuple[str, float, int | None] | None:
    """Name and value of the figure that says most, and of how many examples it is."""
    n = card.get("figures", {}).get("n")
    for key in HEADLINES:
        value = card.get("figures", {}).get(key)
        if isinstance(value, (int, float)):
            return FIGURES[key][0], value, n if isinstance(n, int) else None
    return None


def sections(log: Log, card: Card) -> list[Section]:
    """How good it is, and how it came to be so."""
    figures = card.get("figures", {})
    if first := card.get("pretraining", {}).get("figures"):
        figures = {**figures, "pretraining": first}
    found = [_figures(figures)] if figures else []
    return [*found, *curves(log)]


def tables(log: Log, card: Card) -> dict[str, Table]:
    """All tables of the page, by slug."""
    found = [one.tables for one in sections(log, card)]
    shown = classes(card)
    return {k: t for some in found for k, t in some.items()} | (
        {"classes": shown} if shown else {}
    )


# The loss -----------------------------------------------------------------------------


def curves(log: Log) -> list[Section]:
    """One for each stage, as their losses are not alike."""
    stages: dict[str, Log] = {}
    for point in log:
        stages.setdefault(point.get("stage", ""), []).append(point)
    return [
        _curve(f"loss-{place}", stage if len(stages) > 1 else "", points)
        for place, (stage, points) in enumerate(stages.items(), start=1)
    ]


def _curve(slug: str, stage: str, points: Log) -> Section:
    title = f"Loss, {stage}" if stage else "Loss"
    return Section(
        slug,
        title,
        "How far off the predictions are, by step. If the held-out loss rises again"
        " while the other falls, the texts are being memorised: train for fewer epochs,"
        " or on more texts.",
        _drawn(points),
        alt=f"{title} on training examples and on held-out examples, by step.",
        tables={slug: _points(title, points)},
        folded=True,
    )


def _drawn(points: Log) -> go.Figure:
    figure = go.Figure(layout=LAYOUT)
    lines = (("loss", "Training", "solid"), ("held_out", "Held out", "dash"))
    for place, (key, name, dash) in enumerate(lines):
        look = {"color": COLOURS[place]}
        figure.add_scatter(
            x=[point["step"] for point in points],
            y=[point.get(key) for point in points],
            mode="lines+markers",
            name=name,
            line={**look, "width": 2, "dash": dash},
            marker={**look, "symbol": ("circle", "diamond")[place], "size": 6},
            hovertemplate=f"<b>{name}</b><br>step %{{x}}: %{{y:.4g}}<extra></extra>",
        )
    figure.update_xaxes(**AXIS, title={"text": "Step", "standoff": 10})
    figure.update_yaxes(**AXIS, title="Loss", rangemode="tozero")
    figure.update_layout(height=HEIGHT, showlegend=True)
    return figure


def _points(title: str, points: Log) -> Table:
    rows: list[list[Value]] = [
        [
            point["step"],
            Cell(point.get("loss"), reason="no step since the row above"),
            Cell(point.get("held_out"), reason="nothing is held out"),
            Cell(point.get("seconds"), reason="not measured", digits=0),
        ]
        for point in points
    ]
    return Table(
        ["Step", "Training loss", "Held-out loss", "Seconds"],
        rows,
        f"{title} by step: mean over the steps since the row above, and on held-out"
        " examples.",
        title=f"{title} by step",
    )


# The figures --------------------------------------------------------------------------


def warnings(card: Card) -> list[str]:
    """What readers of the figures must know, in sentences."""
    figures = card.get("figures", {})
    given = (one.get(WARNING) for one in _all(figures))
    said = [warning for warning in given if isinstance(warning, str)]
    auc = _number(figures, "auc_of_length")
    if auc is not None and auc >= LEAKS:
        said.append(
            f"The length of a text alone tells the classes apart with an AUC of"
            f" {auc:.3f}: part of what was learned may be just that."
        )
    rho = _number(figures, "spearman_of_length")
    if rho is not None and abs(rho) >= TELLS:
        said.append(
            "The length of a text alone correlates with its quality (Spearman rho"
            f" {rho:.3f}): part of what was learned may be just that."
        )
    n = _number(figures, "n")
    if n is not None and n < FEW:
        said.append(
            f"Only {n} held-out example{'s' * (n != 1)}: the figures below are rough."
            " Train on more texts, or hold out a larger share."
        )
    return said


def _number(figures: Figures, key: str) -> float | None:
    value = figures.get(key)
    return value if isinstance(value, (int, float)) else None


def _all(found: Figures) -> list[Figures]:
    inner = [value for value in found.values() if isinstance(value, dict)]
    return [found, *(one for part in inner for one in _all(part))]


def _figures(found: Figures) -> Section:
    rows: list[list[Value]] = [
        [name, value, about] for name, value, about in _flat(found)
    ]
    return Section(
        "figures",
        "How good it is",
        "On documents that it did not learn from. These examples were made in the same"
        " way as the training examples. To see how well it agrees with people, score a"
        " study with it and open Results.",
        tables={
            "figures": Table(
                ["Figure", "Value", "What it says"],
                rows,
                "A trained metric on held-out documents.",
                title="Figures on held-out documents",
            )
        },
    )


def _flat(
    found: Figures, before: str = "", of: str = ""
) -> list[tuple[str, Value, str]]:
    """Also of figures within figures, such as those of each stage or kind of damage."""
    rows: list[tuple[str, Value, str]] = []
    for key in sorted(found, key=_place):
        value = found[key]
        name, about = FIGURES.get(key, (_words(key), of))
        if key in NOT_SHOWN:
            continue
        if isinstance(value, dict):
            rows += _flat(value, f"{before}{name}: ", about)
        elif isinstance(value, str):
            rows.append((before + name, value, about))
        elif value is None or isinstance(value, (int, float)):
            cell = Cell(value, reason="undefined" if value is None else "")
            rows.append((before + name, cell, about))
    return rows


def _place(key: str) -> tuple[int, str]:
    """In one order on every database: PostgreSQL sorts the keys of what it keeps."""
    return (PLACES.get(key, len(PLACES)), key)


def _words(key: str) -> str:
    return capitalized(key.replace("_", " "))


# The classes --------------------------------------------------------------------------


def classes(card: Card) -> Table | None:
    """How many texts have which label, most first; None where none is learned."""
    found = card.get("data", {}).get("classes") or {}
    if not found:
        return None
    total = sum(found.values())
    rows: list[list[Value]] = [
        [name or "(none)", n, Cell(100 * n / total, digits=1, unit="%")]
        for name, n in sorted(found.items(), key=lambda one: (-one[1], one[0]))
    ]
    return Table(
        ["Class", "Texts", "Share"],
        rows,
        "Labels of the texts that the metric learned from and of those held out.",
        title="Texts of each class",
    )
