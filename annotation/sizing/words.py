"""What a study needs, in sentences: first what to do, then why."""

from __future__ import annotations

from math import ceil, comb

from annotation.sizing.planning import ONE_PROMPT, Answer
from scoring.stats.components.needed import Goal, Planned
from scoring.stats.counts import TESTABLE

Z = 1.96  # of a 95 % interval
# Of the difference that is to be shown: what other raters would change by less than
# that is not worth a sentence.
OTHERS = 0.25


def sentence(found: Answer) -> str:
    """The answer, plainly: that the study is large enough, or what to add."""
    design = found.sizes.design
    if design.prompts == 1:
        return f"{_advice(found)} {ONE_PROMPT.capitalize()}."
    has = f"{n_of(design.prompts, 'prompt')} and {n_of(design.raters, 'rating')}"
    chance = (
        f"With {has} per text, the chance of {_goal(found.goal)} is"
        f" {found.power * 100:.0f} %"
    )
    if found.more == 0:
        return f"This is enough. {chance}."
    if found.power >= found.goal.power:
        return f"{_advice(found)} {chance}."
    return f"{_advice(found)} {chance}, but you want {found.goal.power * 100:.0f} %."


def _advice(found: Answer) -> str:
    raters, own = found.raters, found.sizes.design.raters
    if found.more is None:
        return "No number of prompts is enough: look for a larger difference."
    add = f"Add {n_of(found.more, 'prompt')}"
    if found.power >= found.goal.power:
        return f"{add}: an interval needs at least {TESTABLE}."
    if raters is None or raters <= own or found.sizes.design.prompts < TESTABLE:
        return f"{add}: more ratings per text would not be enough."
    more = raters - own
    return f"{add}, or ask for {more} more {_s('rating', more)} per text."


def cheapest(found: Answer) -> str:
    """The design that costs least, in a sentence; empty without any."""
    if not found.plans:
        return ""
    best = found.plans[0]
    cost = money(best, found.sizes.currency)
    paid = f" and costs {cost}" if cost else ""
    return (
        f"Cheapest: {n_of(best.design.prompts, 'prompt')} with"
        f" {n_of(best.design.raters, 'rating')} per text, which takes"
        f" {n_of(best.ratings, 'rating')} in all{paid}."
    )


def basis(found: Answer) -> str:
    """What the numbers stand on."""
    known = found.known
    because = f" ({known.reason})" if known.reason else ""
    return (
        f"Based on {known.source}{because}, for “{known.aspect}”, whose ratings vary"
        f" most. {raters_in_words(found)}{_family(found)}{_untested(found)}"
    )


def _family(found: Answer) -> str:
    """That each two of the systems are compared."""
    n = found.sizes.systems
    if n < 3 or found.goal.equivalence:
        return ""
    pairs = f"{comb(n, 2):,}"
    return (
        f" The plan allows for all {pairs} pairs of {n:,} systems, which Systems tests"
        " together (Holm)."
    )


def _untested(found: Answer) -> str:
    if not found.goal.equivalence:
        return ""
    return (
        " EvalApp plans this, but no page tests it: use two one-sided t tests over the"
        " means of prompts."
    )


def raters_in_words(found: Answer) -> str:
    """Whom the plan takes for its raters."""
    pool, together = found.sizes.design.pool, found.sizes.design.together
    page = "the texts of all systems for a prompt"
    if together < 1:
        page = "some of the texts for a prompt, as they share a page"
    if pool is None:
        return f"Raters are a crowd: each page has its own raters, who rate {page}."
    same = "person rates" if pool == 1 else f"{pool:,} people rate"
    return f"The same {same} the pages of all prompts.{_these(found)}"


def _these(found: Answer) -> str:
    """What the plan leaves open of other raters."""
    this = "this rater" if found.sizes.design.pool == 1 else "these raters"
    off = Z * found.of_raters
    if off < OTHERS * found.goal.difference:
        return f" The plan is for {this}."
    return (
        f" The plan is for {this}: with other people, the difference could come out"
        f" {off:.2g} higher or lower, and more prompts do not change that. More people"
        " do."
    )


def money(plan: Planned, currency: str) -> str:
    if plan.cost is None:
        return ""
    # Whole cents, rounded up: nobody should be promised less than it costs.
    return f"{ceil(plan.cost * 100 - 1e-6) / 100:,.2f} {currency}"


def _goal(goal: Goal) -> str:
    if goal.equivalence:
        return f"showing that two equal systems differ by less than {goal.difference:g}"
    return f"showing a difference of {goal.difference:g} between two systems"


def n_of(n: int, one: str, many: str = "") -> str:
    return f"{n:,} {_s(one, n, many)}"


def _s(one: str, n: int, many: str = "") -> str:
    return one if n == 1 else many or f"{one}s"
