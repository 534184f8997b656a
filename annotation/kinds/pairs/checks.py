"""The hidden check of pages of pairs: is the damaged twin called better?"""

from __future__ import annotations

from statistics import fmean

from annotation.kinds.pairs import pair_power
from annotation.kinds.pairs.matrix import RULE
from annotation.models import Policy, Study
from annotation.page_kinds.checks import HiddenCheck, Numbers, RuleOnly, Titles
from annotation.quality import reasons


class PairChecks(RuleOnly):
    failing = "calls it better than its undamaged twin"

    def sentences(self, numbers: Numbers, titles: Titles) -> dict[str, str | None]:
        if numbers.get("rule") != RULE or not numbers.get("texts"):
            return {}
        mean = fmean(numbers["negative"])
        if mean > 0:
            said = "The damaged version of a text was called better than the text"
            said += " itself"
        elif mean < 0:
            said = "A text was called better than its damaged version"
        else:
            said = "Neither a text nor its damaged version was called better"
        named = reasons.named_by_keys(numbers.get("aspects", []), titles)
        return {"rule": f"{said}, on {named}."}

    def power(self, study: Study, policy: Policy) -> HiddenCheck | None:
        shapes = pair_power.shapes(study=study)
        if not shapes:
            return None
        power = pair_power.of_policy(study=study, policy=policy, found=shapes)
        people = [f"{name.capitalize()} people" for name in power.honest]
        heads = ["Random answers", *people, "Answers spent on checks"]
        shares = (power.random, *power.honest.values(), power.checks)
        cells = [(head, 100 * share) for head, share in zip(heads, shares, strict=True)]
        return HiddenCheck(
            "annotation/kinds/pairs/power.html", {"pages": power.pages, "cells": cells}
        )
