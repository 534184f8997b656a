"""Hold what an analysis shows against the plan: "planned", or else "exploratory".

What a locked plan names is planned, with the options that it names and the quality
control that it was locked with. All else explores, however right it is.
"""

from __future__ import annotations

from typing import cast
from urllib.parse import urlencode

from annotation.models import Study
from scoring.analyses.shared.page_metrics import COEFFICIENTS
from scoring.models import Plan
from scoring.option_fields import option_fields
from scoring.results import plan as planning
from scoring.results import study_arrays
from scoring.results.plan import day, is_planned
from scoring.results.standing import Status, for_file, on_screen
from scoring.stats.correlation import CoefficientName
from scoring.stats.data import Filters

__all__ = ["Status", "for_file", "is_planned", "on_screen", "status"]

# A plan speaks of how far people agree under its quality control, and of one number
# for each of its metrics. No other table is planned by it.
SPEAKS_OF = {"agreement": ("alpha",), "correlations": ("correlations",)}
# Options that change what is shown, not the planned numbers.
FREE = frozenset({"primary"})


def status(*, study: Study, analysis: str, options: Filters) -> Status:
    """Whether what this analysis shows with these options was planned."""
    options = planning.with_grouping(study=study, options=options)
    plan = planning.find(study=study)
    if plan is None or plan.locked_at is None:
        return Status(False, f"Exploratory: {_no_plan(study)}.")
    version = study.current_policy().version
    if analysis not in SPEAKS_OF:
        why = f"the plan locked on {day(plan.locked_at)} does not cover it"
    elif version != plan.policy.version:
        why = (
            f"quality control was changed to version {version} after the plan was"
            f" locked with version {plan.policy.version}"
        )
    elif changed := _departures(plan, options):
        why = f"other options than in the plan ({', '.join(changed)})"
        query = _query(plan, type(options))
        return Status(False, f"Exploratory: {why}.", query, locked=True)
    else:
        return _planned(study, plan, analysis)
    return Status(False, f"Exploratory: {why}.", locked=True)


def _no_plan(study: Study) -> str:
    if study.is_rated_elsewhere:
        return "the ratings were imported, so you could not lock a plan first"
    return "you did not lock a plan before the first rating"


def _planned(study: Study, plan: Plan, analysis: str) -> Status:
    assert plan.locked_at is not None  # else nothing is planned
    who = f" by {plan.locked_by.get_username()}" if plan.locked_by else ""
    since = f"locked on {day(plan.locked_at)}{who}"
    tables = SPEAKS_OF[analysis]
    if analysis == "agreement":
        what = f"quality control version {plan.policy.version}"
        words = f"Planned: {what}, as {since}. The other tables are exploratory."
        return Status(True, words, tables=tables, what=what, locked=True)
    what = (
        f"{plan.aspect.title}, {COEFFICIENTS[cast(CoefficientName, plan.coefficient)]}"
    )
    found = [o for o in study_arrays.outputs(study=study) if is_planned(plan, o)]
    have = {(o.metric, o.key) for o in found}
    wanted = {(one["metric"], one["output"]) for one in plan.metrics}
    missing = ", ".join(":".join(pair) for pair in sorted(wanted - have))
    words = f"Planned: {what} of {_metrics(len(wanted))}, as {since}."
    if missing:
        words += f" Without scores: {missing}."
    words += " Everything else here is exploratory."
    metrics = frozenset((o.signature_id or o.label, o.key) for o in found)
    return Status(True, words, None, tables, what, metrics, locked=True)


def _departures(plan: Plan, options: Filters) -> list[str]:
    """Names of the options that are not as the plan has them, or else not as usual."""
    kind: type = type(options)
    usual = kind()
    fixed = {"coefficient": plan.coefficient, "grouping": plan.grouping}
    found = []
    for field in option_fields(kind):
        given = getattr(options, field.name)
        same = given == fixed.get(field.name, getattr(usual, field.name))
        if field.name == "coefficients":
            same = not given or plan.coefficient in given
        if not same and field.name not in FREE:
            found.append(field.label or field.name)
    return found


def _query(plan: Plan, kind: type) -> str:
    """Its grouping needs no words: it is in force where nobody chose another."""
    usual = {field.name: field.default for field in option_fields(kind)}
    if usual.get("coefficient", plan.coefficient) == plan.coefficient:
        return ""
    return urlencode({"coefficient": plan.coefficient})


def _metrics(n: int) -> str:
    return "one metric" if n == 1 else f"{n} metrics"
