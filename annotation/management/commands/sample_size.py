from __future__ import annotations

import json
import math
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation import sizing
from annotation.models import Study
from scoring.stats.components.designs import reliability
from scoring.stats.components.levels import EFFECTS
from scoring.stats.components.needed import Goal
from scoring.stats.power import POWER


class Command(BaseCommand):
    help = (
        "Say how many prompts, raters and ratings you need to show a difference between"
        " two systems, or that there is none, and what that costs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument(
            "--difference",
            type=float,
            required=True,
            metavar="POINTS",
            help="difference between the mean ratings of two systems that you want to"
            " be able to show",
        )
        parser.add_argument("--power", type=float, default=POWER, metavar="P")
        parser.add_argument(
            "--equivalence",
            action="store_true",
            help="show that equal systems differ by less than this (two one-sided"
            " tests)",
        )
        parser.add_argument(
            "--like",
            metavar="STUDY",
            help="take the variation of ratings from this study (default: the study"
            " itself if it has ratings, otherwise typical values)",
        )
        parser.add_argument(
            "--people",
            type=int,
            metavar="N",
            help="how many people rate in all (default: those who are invited, or else"
            " a crowd, where each page has its own raters)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        study = _found(options["study"])
        source = _found(options["like"]) if options["like"] else study
        if study.rates_part:
            raise CommandError(sizing.PART)
        sizes = _sizes(study, options["people"])
        goal = Goal(
            options["difference"],
            power=options["power"],
            equivalence=options["equivalence"],
        )
        known = sizing.known(study=study, source=source)
        try:
            found = sizing.answer(sizes=sizes, known=known, goal=goal)
        except ValueError as error:
            raise CommandError(f"{str(error).capitalize()}.") from None
        if options["json"]:
            text = json.dumps(_record(found, known), indent=1, allow_nan=False)
        else:
            text = "\n".join(_lines(found))
        self.stdout.write(text)


def _found(name: str) -> Study:
    study = Study.objects.whole().filter(name=name).first()
    if study is None:
        raise CommandError(f"There is no study named {name!r}.")
    return study


def _sizes(study: Study, people: int | None) -> sizing.Sizes:
    pool = sizing.people(study) if people is None else people
    try:
        found = sizing.sizes(study=study, pool=pool)
    except ValueError as error:
        raise CommandError(f"{str(error).capitalize()}.") from None
    if found is None:
        raise CommandError(sizing.FEW)
    return found


def _lines(found: sizing.Answer) -> list[str]:
    said = [sizing.sentence(found), sizing.cheapest(found), sizing.basis(found), ""]
    head = f"{'ratings per text':>16} {'prompts':>8} {'ratings':>9} {'interval':>9}"
    rows = [head + (f" {'cost':>14}" if found.sizes.price else "")]
    for plan in found.plans:
        cost = sizing.money(plan, found.sizes.currency)
        rows.append(
            f"{plan.design.raters:>16} {plan.design.prompts:>8,} {plan.ratings:>9,}"
            f" {f'± {plan.half_width:.2f}':>9}" + (f" {cost:>14}" if cost else "")
        )
    return [*said, *rows] if found.plans else said


def _record(found: sizing.Answer, known: list[sizing.Known]) -> dict[str, Any]:
    design = found.sizes.design
    reliable = reliability(found.known.variances, design)
    return {
        "sentence": sizing.sentence(found),
        "goal": found.goal._asdict(),
        "study": {
            "systems": found.sizes.systems,
            "prompts": design.prompts,
            "texts": design.texts,
            "raters": design.raters,
            "people": design.pool,
            "together": design.together,
            "power": found.power,
            "half_width": _known(found.half_width),
            "detectable": _known(found.detectable),
            "reason": sizing.ONE_PROMPT if design.prompts == 1 else None,
            "g": reliable.g,
            "phi": reliable.phi,
        },
        "prompts_needed": found.prompts,
        "raters_needed": found.raters,
        "designs": [
            {
                "prompts": plan.design.prompts,
                "raters": plan.design.raters,
                "ratings": plan.ratings,
                "cost": plan.cost,
                "power": plan.power,
                "half_width": plan.half_width,
            }
            for plan in found.plans
        ],
        "currency": found.sizes.currency if found.sizes.price else None,
        "aspect": found.known.aspect,
        "components": [_components(one) for one in known],
    }


def _known(value: float) -> float | None:
    """JSON has no NaN."""
    return None if math.isnan(value) else value


def _components(one: sizing.Known) -> dict[str, Any]:
    record = {"aspect": one.aspect, "source": one.source, "reason": one.reason or None}
    if one.components is None:
        return {**record, "variances": dict(one.variances)}
    estimates = {name: one.components.estimate(name) for name in EFFECTS}
    variances = {
        name: {"value": e.value, "low": e.low, "high": e.high, "reason": e.reason}
        for name, e in estimates.items()
    }
    return {**record, "n": one.components.n, "variances": variances}
