"""The result of a stress lab as parts of a page. No query."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import plotly.graph_objects as go
from django.utils.text import get_text_list

from scoring.drawing.ladders import Panel, Rung, ladder
from scoring.drawing.sections import Section
from scoring.drawing.tables import Cell, Table, Value
from scoring.judging import stress_test, stress_wording
from scoring.judging.stress_test import POINTS, SHARE, Effect
from scoring.metrics.judge import prompts
from scoring.models import JudgeTrial
from scoring.stats.estimates import Estimate, number

FAULT = {"color": "#d55e00", "symbol": "diamond"}
NO_FAULT = {"color": "#0072b2", "symbol": "circle"}
UNITS = {
    SHARE: ("shares", "In percent", "percent", 100),
    POINTS: ("points", "In points of the scale", "points of the scale", 1),
}


def facts(trial: JudgeTrial) -> list[tuple[str, str]]:
    """What was chosen."""
    setup = trial.setup
    n = len(setup["ids"])
    rows = [
        ("Texts", f"{n:,}, drawn by the study’s seed"),
        (
            "Tests",
            ", ".join(stress_test.TITLES[key].lower() for key in _experiments(setup)),
        ),
    ]
    if setup["family"]:
        rows.append(("The judge’s family", ", ".join(setup["family"])))
    return rows


def _experiments(setup: dict[str, Any]) -> list[str]:
    return [
        stress_test.REPEAT,
        *(key for key in setup["experiments"] if key != stress_test.REPEAT),
    ]


def sections(trial: JudgeTrial, all_rows: bool = False) -> list[Section]:
    """First the conclusion and all at a glance, then what each test shows."""
    result = trial.result
    effects: list[Effect] = result["effects"]
    glances = [_glance(unit, effects, result) for unit in UNITS]
    all_sections = [Section("verdict", "What this shows", verdict(effects))]
    all_sections += [effect for effect in glances if effect.tables]
    for key, title in stress_test.TITLES.items():
        sentences = [
            effect["sentence"] for effect in effects if effect["experiment"] == key
        ]
        if sentences:
            all_sections.append(Section(f"tried-{key}", title, " ".join(sentences)))
    if result["left_out"]:
        words = " ".join(result["left_out"])
        all_sections.append(Section("left-out", "Tests not run", words))
    return all_sections


def verdict(effects: Sequence[Effect]) -> str:
    """The conclusion in a sentence or two."""
    measured = {
        effect["experiment"] for effect in effects if effect["value"] is not None
    }
    wrong = {effect["experiment"] for effect in effects if is_fault(effect)}
    n = len(measured)
    if not n:
        return "No test has a result, so nothing can be said about this judge."
    of = f"of {n} {'test' if n == 1 else 'tests'}"
    if not wrong:
        return (
            f"None {of} shows a fault. A wide interval can still hide one: try more"
            " texts to narrow it."
        )
    names = [title.lower() for key, title in stress_test.TITLES.items() if key in wrong]
    shows = "shows" if len(wrong) == 1 else "show"
    return (
        f"{len(wrong)} {of} {shows} a fault: {get_text_list(names, 'and')}. Read what"
        " each means below before you trust this judge’s scores."
    )


def _glance(unit: str, effects: Sequence[Effect], result: dict[str, Any]) -> Section:
    key, title, x_title, times = UNITS[unit]
    of_unit = [effect for effect in effects if effect["unit"] == unit]
    if not of_unit:
        return Section(key, title)
    question = prompts.in_general(result["question"]["question"])
    words = (
        f"Asked about {result['texts']:,} texts of {result['prompts']:,}"
        f" {'prompt' if result['prompts'] == 1 else 'prompts'}: “{question}” The dot is"
        " the effect, the line its 95 % interval over prompts. An orange diamond marks"
        " a fault that the interval confirms; a blue circle marks no fault."
    )
    return Section(
        key,
        title,
        words if unit == SHARE else "",
        partial(_chart, of_unit, x_title, times),
        alt=f"Each effect {title.lower()} with its interval.",
        tables={key: _table(of_unit, title, times)},
        after=_missing(result) if unit == SHARE else "",
        folded=True,
    )


def _chart(effects: Sequence[Effect], x_title: str, times: float) -> go.Figure:
    cells = [number(_estimate(effect, times)) for effect in effects]
    rungs = [
        Rung(effect["title"], FAULT if is_fault(effect) else NO_FAULT)
        for effect in effects
    ]
    return ladder(rungs, [Panel(cells)], x_title=x_title, digits=0 if times > 1 else 2)


def _table(effects: Sequence[Effect], title: str, times: float) -> Table:
    rows: list[list[Value]] = [
        [effect["title"], _cell(effect, times), effect["n"], effect["sentence"]]
        for effect in effects
    ]
    return Table(
        ["Test", "Effect", "n", "In words"],
        rows,
        f"Stress lab of a judge, effects {title.lower()}, with 95 % intervals over"
        " prompts.",
        title=f"Effects {title.lower()}",
    )


def _cell(effect: Effect, times: float) -> Cell:
    look = {"digits": 0, "unit": " %"} if times > 1 else {"digits": 2}
    return Cell.of(_estimate(effect, times), **look)


def _estimate(effect: Effect, times: float = 1) -> Estimate:
    estimate = Estimate(
        effect["value"], effect["low"], effect["high"], effect["n"], effect["reason"]
    )
    return estimate.transformed(lambda number: times * number)


def is_fault(effect: Effect) -> bool:
    """Whether the interval shows that something is wrong."""
    return stress_wording.is_fault(effect["key"], _estimate(effect))


def _missing(result: dict[str, Any]) -> str:
    n = result["missing"]
    if not n:
        return ""
    are = "is" if n == 1 else "are"
    return (
        f"Of {result['asked']:,} answers {n:,} {are} missing. What would be compared"
        " with them is left out."
    )
