"""Two metrics against people: values, their difference, and four ways to test it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.analyses.comparison.result import Row
from scoring.analyses.shared.setting import (
    Setting,
    coefficient_name,
)
from scoring.stats import power, signature
from scoring.stats.compare import (
    Difference,
    PermTest,
    Test,
    holm,
    perm_both,
    williams_of,
)
from scoring.stats.correlation import pearson
from scoring.stats.data import NONE
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.groups import GroupedCoefficient
from scoring.stats.jackknife import Jackknifed, difference

SWAPS = 2_000  # of permutations: p has steps of 0.0005
ONLY_PEARSON = "only for Pearson's r over all texts together"


@dataclass(frozen=True)
class Two:
    """Two metrics on the texts that both have scored."""

    made: Setting
    coefficient: str
    x: np.ndarray  # (n, 2), NaN where either is missing
    outputs: tuple[int, int]  # in the study
    aspects: list[int]

    def signature(self, statistic: str, at: int, **more: signature.Part) -> str:
        first, second = (self.made.data.outputs[place].id for place in self.outputs)
        return self.made.signature(
            statistic,
            aspect=self.made.data.aspects[at].key,
            **{"first": first, "second": second, **more},
        )


def rows(two: Two, design: str, rng: np.random.Generator) -> list[Row]:
    """One for each aspect. Holm's family: the t tests of the aspects."""
    made = two.made
    human = made.y[:, two.aspects]
    every = made.jackknifed(two.coefficient, two.x, human)
    made_rows: list[Row] = []
    p: list[float] = []
    for place, at in enumerate(two.aspects):
        values = [
            made.value(two.coefficient, column, made.y[:, at]) for column in two.x.T
        ]
        both = every.at(slice(None), place)
        found = _difference(values, both)
        p.append(np.nan if found.p is None else found.p)
        made_rows.append(_row(two, design, at, values, found, both, rng))
    adjusted = holm(np.array(p))
    family = int(np.isfinite(adjusted).sum())
    for row, at, one in zip(made_rows, two.aspects, adjusted, strict=True):
        signed = two.signature(
            f"p of {coefficient_name(two.coefficient)} difference",
            at,
            test="t",
            correction="holm",
            family=family,
        )
        known = np.isfinite(one)
        reason = None if known else row["p"]["reason"]
        row["adjusted"] = number(
            Estimate(float(one) if known else None, reason=reason, signature=signed)
        )
    return made_rows


def _row(
    two: Two,
    design: str,
    at: int,
    values: list[GroupedCoefficient],
    found: Difference,
    both: Jackknifed,
    rng: np.random.Generator,
) -> Row:
    made = two.made
    name = coefficient_name(two.coefficient)
    n = values[0].n
    cells = [
        made.cell(
            two.coefficient,
            value,
            both.at(k),
            output=made.data.outputs[two.outputs[k]],
            aspect=made.data.aspects[at].key,
        )
        for k, value in enumerate(values)
    ]
    signed = two.signature(f"{name} difference", at, n=n)
    tested = two.signature(f"p of {name} difference", at, n=n, test="t")
    return {
        "aspect": made.data.aspects[at].title,
        "first": cells[0],
        "second": cells[1],
        "difference": number(found.estimate.with_signature(signed)),
        "p": number(Estimate(found.p, n=n, reason=found.reason, signature=tested)),
        "permutation": _permutation(two, design, at, rng),
        "williams": _williams(two, at),
        "needed": _needed(two, at),
        "adjusted": number(Estimate(None)),  # once all p are known
    }


def _difference(values: list[GroupedCoefficient], both: Jackknifed) -> Difference:
    reason = next((v.reason for v in values if v.value is None), None)
    found = difference(both.at(0), both.at(1), n=values[0].n, reason=reason)
    return Difference(*found)


def _permutation(two: Two, design: str, at: int, rng: np.random.Generator) -> Number:
    made, texts = two.made, two.made.data.texts
    known = texts.system != NONE
    by_systems = design == "systems" or made.of_systems
    rows = np.flatnonzero(known) if by_systems else np.arange(len(texts))
    groups = made.groups
    found: PermTest = perm_both(
        two.x[rows, 0],
        two.x[rows, 1],
        made.y[rows, at],
        rng=rng,
        k=SWAPS,
        coefficient=two.coefficient,
        groups=None if groups is None else groups[rows],
        undefined=made.options.undefined,
        level=made.options.level,
        design=design,
        inputs=texts.prompt[rows],
        systems=texts.system[rows],
    )
    signed = two.signature(
        f"p of {coefficient_name(two.coefficient)} difference",
        at,
        n=found.n,
        test=f"perm-{design}",
        interval=None,
        draws=SWAPS,
        unit=None,
    )
    return number(Estimate(found.p, n=found.n, reason=found.reason, signature=signed))


def _williams(two: Two, at: int) -> Number:
    """Of single texts, as if no two shared a prompt."""
    made = two.made
    if made.of_systems or made.groups is not None or two.coefficient != "pearson":
        return number(Estimate(None, reason=ONLY_PEARSON))
    found: Test = williams_of(two.x[:, 0], two.x[:, 1], made.y[:, at])
    signed = two.signature(
        "p of pearson difference",
        at,
        n=found.n,
        test="williams",
        interval=None,
        unit=None,
        seed=None,
    )
    return number(Estimate(found.p, n=found.n, reason=found.reason, signature=signed))


def _needed(two: Two, at: int) -> Number:
    """Texts that would show this difference in four of five studies."""
    x1, x2, z = two.x[:, 0], two.x[:, 1], two.made.y[:, at]
    rows = ~(np.isnan(x1) | np.isnan(z))
    found = [pearson(x1, z), pearson(x2, z), pearson(x1[rows], x2[rows])]
    signed = two.signature(
        "texts needed",
        at,
        level="texts",
        group="none",
        average=None,
        undefined=None,
        power=power.POWER,
        alpha=power.ALPHA,
        interval=None,
        unit=None,
        seed=None,
    )
    values = [one.value for one in found]
    if any(value is None for value in values):
        reason = next(one.reason for one in found if one.reason)
        return number(Estimate(None, reason=reason, signature=signed))
    r12, r13, r23 = (float(value or 0) for value in values)
    if max(abs(r12), abs(r13), abs(r23)) >= 1:
        return number(
            Estimate(
                None,
                reason="the scores are the same up to their scale",
                signature=signed,
            )
        )
    made = power.difference_sample_size(r12, r13, r23)
    return number(Estimate(made.n, n=found[0].n, reason=made.reason, signature=signed))
