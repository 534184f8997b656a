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
from scoring.judging.anchors import AnchorRound
from scoring.models import AnchorSet, JudgeTrial
from scoring.stats.estimates import Estimate

DRIFTED = "#d55e00"
FIRST = "this is the first round"
LATE = "all planned repeats were used"


def facts(trial: JudgeTrial) -> list[tuple[str, str]]:
    """What was asked."""
    held = _anchor_set(trial)
    if held is None:
        return [("Anchors", "deleted")]
    when = drift_wording.date(held.created_at)
    return [("Anchors", f"{len(held.texts):,} texts, chosen on {when}")]


def sections(trial: JudgeTrial, all_rows: bool = False) -> list[Section]:
    """The whole history of its anchors."""
    held = _anchor_set(trial)
    return [] if held is None else [section(held, anchors.history(held))]


def section(held: AnchorSet, rounds: Sequence[AnchorRound]) -> Section:
    """One set, of which there may be several on a page."""
    key = f"anchors-{held.pk}"
    last = rounds[-1] if rounds else None
    words = "The judge was asked once. Later rounds are compared with these answers."
    if last is None:
        words = "The judge has not answered yet."
    elif last.look is not None:
        words = drift_wording.sentence(last.look)
    return Section(
        key,
        "Change since the first round",
        words,
        partial(_chart, rounds) if any(each.look for each in rounds) else None,
        alt="Change of the judge’s mean in each round, with its interval.",
        tables={key: _table(held, rounds)} if rounds else {},
        after=_small_print(held),
    )


def _anchor_set(trial: JudgeTrial) -> AnchorSet | None:
    return AnchorSet.objects.filter(pk=trial.setup["anchors"]).first()


def _small_print(held: AnchorSet) -> str:
    return (
        f"At most {held.looks} repeats are planned. If nothing changes, the chance that"
        " any of them finds a change of the mean or of the agreement is at most 5 %."
        " Therefore each interval is wider than one of 95 %."
    )


def _chart(rounds: Sequence[AnchorRound]) -> go.Figure:
    looks = [each for each in rounds if each.look and each.look.mean.value is not None]
    means = [each.look.mean for each in looks if each.look]
    figure = go.Figure(
        go.Scatter(
            x=_days(looks),
            y=[mean.value for mean in means],
            mode="markers",
            marker={
                "size": 9,
                "color": [
                    DRIFTED if drift_wording.leaves_out_0(mean) else COLOURS[0]
                    for mean in means
                ],
                "symbol": [
                    "diamond" if drift_wording.leaves_out_0(mean) else "circle"
                    for mean in means
                ],
            },
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [_apart(mean.value, mean.high) for mean in means],
                "arrayminus": [_apart(mean.value, mean.low) for mean in means],
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


def _table(held: AnchorSet, rounds: Sequence[AnchorRound]) -> Table:
    rows: list[list[Value]] = [
        [
            _when(each),
            each.n,
            Cell(
                each.mean, digits=2, n=each.n, reason="" if each.n else "no answer came"
            ),
            _cell(k, each, each.look and each.look.mean),
            _cell(k, each, each.look and each.look.agreement),
            each.trial.result["answered"],
        ]
        for k, each in enumerate(rounds)
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


def _cell(k: int, anchor_round: AnchorRound, estimate: Estimate | None) -> Cell:
    if estimate is None:
        return Cell(None, reason=LATE if k else FIRST)
    return Cell.of(estimate, digits=2, bold=drift_wording.leaves_out_0(estimate))


def _when(anchor_round: AnchorRound) -> str:
    when = anchor_round.trial.finished_at
    return f"{timezone.localtime(when):%Y-%m-%d %H:%M}" if when else "—"


def _days(looks: Sequence[AnchorRound]) -> list[str]:
    """Without the hour, where no two are of one day."""
    days = [_when(anchor_round)[:10] for anchor_round in looks]
    return (
        days
        if len(set(days)) == len(days)
        else [_when(anchor_round) for anchor_round in looks]
    )


def _apart(value: float | None, end: float | None) -> float:
    return 0.0 if value is None or end is None else abs(end - value)
