"""Anchors as parts of a page: how far the judge is from its first asking."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import plotly.graph_objects as go
from django.utils import timezone

from scoring.drawing.charts import AXIS, COLOURS, LAYOUT, UNKNOWN
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.judging import anchors, drift_wording
from scoring.judging.anchors import Asked
from scoring.models import AnchorSet, JudgeTrial
from scoring.stats.counts import Estimate

DRIFTED = "#d55e00"
FIRST = "this is the first round"
LATE = "all planned repeats were used"


def facts(trial: JudgeTrial) -> list[tuple[str, str]]:
    """What was asked."""
    held = _held(trial)
    if held is None:
        return [("Anchors", "deleted")]
    when = drift_wording.date(held.created_at)
    return [("Anchors", f"{len(held.texts):,} texts, chosen on {when}")]


def sections(trial: JudgeTrial, all_rows: bool = False) -> list[Section]:
    """The whole history of its anchors."""
    held = _held(trial)
    return [] if held is None else [section(held, anchors.history(held))]


def section(held: AnchorSet, asked: Sequence[Asked]) -> Section:
    """One set, of which there may be several on a page."""
    key = f"anchors-{held.pk}"
    last = asked[-1] if asked else None
    words = "The judge was asked once. Later rounds are compared with these answers."
    if last is None:
        words = "The judge has not answered yet."
    elif last.look is not None:
        words = drift_wording.sentence(last.look)
    return Section(
        key,
        "Change since the first round",
        words,
        partial(_chart, asked) if any(one.look for one in asked) else None,
        alt="Change of the judge’s mean in each round, with its interval.",
        tables={key: _table(held, asked)} if asked else {},
        after=_small_print(held),
    )


def _held(trial: JudgeTrial) -> AnchorSet | None:
    return AnchorSet.objects.filter(pk=trial.setup["anchors"]).first()


def _small_print(held: AnchorSet) -> str:
    return (
        f"At most {held.looks} repeats are planned. If nothing changes, the chance that"
        " any of them finds a change of the mean or of the agreement is at most 5 %."
        " Therefore each interval is wider than one of 95 %."
    )


def _chart(asked: Sequence[Asked]) -> go.Figure:
    looks = [one for one in asked if one.look and one.look.mean.value is not None]
    means = [one.look.mean for one in looks if one.look]
    figure = go.Figure(
        go.Scatter(
            x=_days(looks),
            y=[found.value for found in means],
            mode="markers",
            marker={
                "size": 9,
                "color": [
                    DRIFTED if drift_wording.leaves_out_0(found) else COLOURS[0]
                    for found in means
                ],
                "symbol": [
                    "diamond" if drift_wording.leaves_out_0(found) else "circle"
                    for found in means
                ],
            },
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [_apart(found.value, found.high) for found in means],
                "arrayminus": [_apart(found.value, found.low) for found in means],
                "width": 0,
                "color": UNKNOWN,
            },
            hovertemplate="<b>%{x}</b><br>%{y:+.2f} points<extra></extra>",
        ),
        layout=LAYOUT,
    )
    figure.add_hline(y=0, line={"color": UNKNOWN, "width": 1})
    figure.update_xaxes(**AXIS, type="category")
    figure.update_yaxes(**AXIS, title="Change of the mean, points")
    figure.update_layout(height=320, showlegend=False)
    return figure


def _table(held: AnchorSet, asked: Sequence[Asked]) -> Table:
    rows: list[list[Value]] = [
        [
            _when(one),
            one.n,
            Cell(one.mean, digits=2, n=one.n, reason="" if one.n else "no answer came"),
            _cell(k, one, one.look and one.look.mean),
            _cell(k, one, one.look and one.look.agreement),
            one.trial.result["answered"],
        ]
        for k, one in enumerate(asked)
    ]
    return Table(
        [
            "Asked",
            "Answers",
            "Mean",
            "Change in mean",
            "Change in r",
            "Model that answered",
        ],
        rows,
        f"A judge asked again about {len(held.texts)} anchors: its mean, and changes"
        " since the first round in its mean and in its correlation with people"
        " (Pearson’s r), with simultaneous intervals.",
        title="Rounds",
    )


def _cell(k: int, one: Asked, found: Estimate | None) -> Cell:
    if found is None:
        return Cell(None, reason=LATE if k else FIRST)
    return Cell(
        found.value,
        found.low,
        found.high,
        reason=found.reason or "",
        n=found.n,
        digits=2,
        bold=drift_wording.leaves_out_0(found),
    )


def _when(one: Asked) -> str:
    when = one.trial.finished_at
    return f"{timezone.localtime(when):%Y-%m-%d %H:%M}" if when else "—"


def _days(looks: Sequence[Asked]) -> list[str]:
    """Without the hour, where no two are of one day."""
    days = [_when(one)[:10] for one in looks]
    return days if len(set(days)) == len(days) else [_when(one) for one in looks]


def _apart(value: float | None, end: float | None) -> float:
    return 0.0 if value is None or end is None else abs(end - value)
