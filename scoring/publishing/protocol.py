"""How the ratings of a study were collected, in sentences for people to read."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Max, Min

from annotation import page_kinds, perturbations, platforms
from annotation.models import Policy, Seat, Study
from annotation.surveys import estimating
from scoring.archive.permission import JUDGED
from scoring.publishing import facts
from scoring.results import plan as planning

RULES = {
    Policy.Rule.ABOVE_ALL: "above the best real text of the page",
    Policy.Rule.ABOVE_MEAN: "above the mean of the real texts of the page",
    Policy.Rule.ABOVE_ANY: "above the worst real text of the page",
}
ON = {
    Policy.On.HURT: "on the questions that the damage should lower",
    Policy.On.MEAN: "on the mean over all questions",
    Policy.On.CHOSEN: "on chosen questions",
    Policy.On.ANY: "on any one question",
}


def of(*, study: Study) -> facts.Protocol:
    """A handful of small queries."""
    judged = Seat.objects.filter(survey__study=study, state__in=JUDGED)
    times = judged.aggregate(first=Min("submitted_at"), last=Max("submitted_at"))
    collected = judged.exists()
    platform = platforms.of(study)
    title = platform.title if platform else study.platform
    return facts.Protocol(
        collected=collected,
        platform=title if collected else "",
        recruiting=_recruiting(study, title) if collected else "",
        pay=_pay(study) if collected else "",
        paid=_paid(study) if collected else None,
        practice=_practice(study),
        quality=tuple(_quality(study.current_policy())) if collected else (),
        damaged=_damaged(study) if collected else "",
        pages=_pages(study),
        order="Texts of a page stand in a random order for each rater.",
        sampling=_sampling(study),
        timing=_timing(study) if collected else "",
        contact=True,
        plan=_plan(study),
        first=times["first"].date().isoformat() if times["first"] else "",
        last=times["last"].date().isoformat() if times["last"] else "",
        pairs=study.compares_texts,
        ratings_per_text=study.ratings_per_text,
    )


def _recruiting(study: Study, platform: str) -> str:
    if study.simulated:
        return "Nobody was recruited: raters are simulated."
    if study.platform == platforms.DIRECT:
        invited = " Only people with a personal invitation could take part."
        said = "Raters came by a link to the study."
        return said + (invited if study.invited_only else "")
    return f"Raters were recruited through {platform}."


def _paid(study: Study) -> bool | None:
    if study.simulated:
        return False
    if study.pay_per_page:
        return True
    return None if study.platform != platforms.DIRECT else False


def _pay(study: Study) -> str:
    if study.simulated:
        return "Nobody was paid: raters are simulated."
    if not study.pay_per_page:
        unpaid = study.platform == platforms.DIRECT
        return "Not paid." if unpaid else "As announced on the platform."
    minutes = study.minutes_per_page or estimating.expected_minutes(study)
    unused = "also" if study.pay_unused else "not"
    return (
        f"{study.pay_per_page:.2f} {study.currency} for each page, which takes about"
        f" {minutes} min; {unused} for pages that are not used."
    )


def _practice(study: Study) -> str:
    practice = getattr(study, "practice", None)
    task = page_kinds.practice_of(study.page_kinds)
    if practice is None or task is None or not practice.texts.exists():
        return ""
    return (
        f"A practice page of {practice.texts.count()} texts with feedback, of which"
        f" raters had {practice.attempts} attempts, came before the first page."
        f" {task.passing}"
    )


def _quality(policy: Policy) -> Iterator[str]:
    """A sentence for each check that is on."""
    rule, on = RULES[Policy.Rule(policy.rule)], ON[Policy.On(policy.on)]
    yield f"A page was discarded if its damaged text was rated {rule}, {on}."
    if policy.same_score:
        yield (
            "A page with one answer everywhere was discarded"
            + (
                f" if read faster than {policy.same_faster_than:g} characters a second."
                if policy.same_faster_than
                else "."
            )
        )
    if policy.characters_per_second:
        yield (
            "A page in view for less time than its texts take at"
            f" {policy.characters_per_second:g} characters a second was discarded."
        )
    if policy.worker_p is not None:
        yield (
            "All pages of a rater were discarded if a one-sided paired test found no"
            f" lower ratings of damaged texts (p > {policy.worker_p:g})."
        )
    if policy.chance_odds:
        yield (
            "All pages of a rater were discarded once their answers were"
            f" {policy.chance_odds:g} times as likely to be random as to come from"
            " reading."
        )
    if policy.block_after:
        yield (f"Raters with {policy.block_after} discarded pages got no more pages.")


def _damaged(study: Study) -> str:
    """What was hidden on pages, as far as pages were drawn."""
    drawn = study.surveys.filter(negative__isnull=False)
    used = drawn.values_list("negative__perturbation", flat=True).distinct()
    names = sorted(set(used.order_by()))
    if not names:
        return ""
    told = ", ".join(perturbations.in_words(name) for name in names)
    return f"Each page may hide a text that was damaged on purpose: {told}."


def _pages(study: Study) -> str:
    shown = "; then ".join(kind.words.page for kind in page_kinds.of(study))
    return f"A page shows {shown}."


def _sampling(study: Study) -> str:
    if not study.rates_part:
        return "All texts that were uploaded are rated."
    by_system = study.share_of == study.ShareOf.SYSTEM
    drawn = "the texts of each system" if by_system else "all texts"
    return f"{study.rated_share} % of {drawn}, drawn at random, are rated."


def _timing(study: Study) -> str:
    return (
        "Raters choose when they work, and how many pages they take"
        + (f" (at most {study.max_pages})" if study.max_pages else "")
        + f". A page is kept for {study.lease_minutes} minutes after the last answer."
    )


def _plan(study: Study) -> str:
    plan = planning.locked(study=study)
    if plan is None or plan.locked_at is None:
        return ""
    return (
        f"On {planning.day(plan.locked_at)}, before the first rating, a plan was"
        f" locked: {plan.aspect.title} as the primary question, {plan.coefficient} as"
        f" the coefficient, quality control version {plan.policy.version}, and"
        f" {len(plan.metrics)} metrics."
    )
