"""Marks that a metric proposes, and what people do with them.

Workers find them on the page as marks that say so, and send back all marks of a text: a
proposal that comes back as it was is kept, one with another place, category or
severity is changed, one that does not come back is deleted, and any other mark is
added.

Damaged texts have proposals, too, or one would know them by that: those of the text
they were made of, where the words still stand. So their damage is never proposed, and
whoever only keeps what is proposed fails the hidden check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import transaction

from annotation.kinds.spans import marks, schemes, sides
from annotation.kinds.spans.carried_marks import carried
from annotation.kinds.spans.marks import TEXT, Placed
from annotation.kinds.spans.models import DroppedProposal, SpanMark, TextProposals
from annotation.kinds.spans.scheme import Scheme, key_of
from annotation.kinds.spans.sides import MarkedUnit
from annotation.models import Generation, Item, Prompt, Seat, Study
from annotation.page_kinds.content import MOST_PAGES
from annotation.page_kinds.proposals import Outcome, Proposed, ProposedError
from scoring.stats.spans.marks import Mark

GRAVEST = "critical"  # which metrics say, and few studies: the gravest that there is
REASONS = {
    "elsewhere": "do not stand in their text",
    "empty": "say that something is missing, which this study does not ask for",
    "opening": "stand in the opening, which cannot be marked",
    "unknown": "have a category or severity that this study does not have",
    "too many": "are more than the study allows in a text",
}
Rows = Sequence[Sequence[Any]]  # start, end, category, severity, side, words


class MarkProposals:
    def propose(
        self, *, study: Study, metric: str, marks: Mapping[int, Rows]
    ) -> Proposed:
        left_out: Counter[str] = Counter()
        texts = Generation.objects.filter(study=study, pk__in=marks)
        scheme = schemes.of_study(study)
        rows = [
            TextProposals(
                generation=text,
                metric=metric[:100],
                marks=_fitting(text, marks[text.pk], scheme, left_out),
            )
            for text in texts.select_related("prompt").order_by("pk")
        ]
        if left_out and not any(row.marks for row in rows):
            whys = "; ".join(f"{n} {REASONS[why]}" for why, n in left_out.items())
            raise ProposedError(
                f"Workers could make none of the marks of {metric[:100]}: of"
                f" {left_out.total()}, {whys}. Change what can be marked, or choose"
                " another metric. Nothing was changed."
            )
        with transaction.atomic():
            self.withdraw(study=study)
            TextProposals.objects.bulk_create(rows)
        return Proposed(
            texts=len(rows),
            marks=sum(len(row.marks) for row in rows),
            left_out={REASONS[reason]: n for reason, n in left_out.items()},
        )

    def withdraw(self, *, study: Study) -> None:
        with transaction.atomic():
            locked = Study.objects.select_for_update().get(pk=study.pk)
            if locked.state != Study.State.DRAFT:
                raise ProposedError("Proposals are fixed once a study opens.")
            TextProposals.objects.filter(generation__study=study).delete()

    def metric(self, study: Study) -> str:
        rows = TextProposals.objects.filter(generation__study=study)
        return rows.values_list("metric", flat=True).first() or ""

    def outcome(self, study: Study) -> Outcome | None:
        metric = self.metric(study)
        if not metric:
            return None
        judged = {
            "seat__survey__study": study,
            "seat__state": Seat.State.VALID,
            "item__generation__span_proposals__isnull": False,
        }
        rows = SpanMark.objects.filter(**judged)
        fates = Counter(rows.order_by().values_list("fate", flat=True))
        deleted = DroppedProposal.objects.filter(**judged).count()
        kept, changed = fates["kept"], fates["changed"]
        return Outcome(
            metric=metric,
            texts=rows.filter(number__lte=1).count(),
            proposed=kept + changed + deleted,
            kept=kept,
            changed=changed,
            deleted=deleted,
            added=fates["added"],
        )


def _fitting(
    text: Generation, rows: Rows, scheme: Scheme, left_out: Counter[str]
) -> list[dict[str, Any]]:
    """Those that workers could make, numbered."""
    unit = MarkedUnit(0, sides.of_text(text.prompt, text.text, scheme))
    fitting: list[Placed] = []
    for start, end, category, severity, side, words in rows:
        kind = _kind(str(category), str(severity), scheme)
        placed = Placed(Mark(start, end, *kind, side), words, len(fitting) + 1)
        reason = _problem(placed, unit, scheme)
        if not reason and len(fitting) == _most(scheme):
            reason = "too many"
        if reason:
            left_out[reason] += 1
        else:
            fitting.append(placed)
    return marks.as_json(fitting)


def _problem(placed: Placed, unit: MarkedUnit, scheme: Scheme) -> str:
    """Why a worker could not make this mark; empty where one could."""
    if not placed.stands_in(unit.stored):
        return "elsewhere"
    on_page = marks.as_shown(placed, unit.stored[placed.mark.side])
    return marks.problem([on_page], unit.shown, scheme, unit.sides[TEXT].fixed)


def _most(scheme: Scheme) -> int:
    return scheme.most or marks.MOST


def _kind(category: str, severity: str, scheme: Scheme) -> tuple[str, str]:
    """As the study names them; what it does not ask for is left out."""
    severity = key_of(severity)
    grades = [grade.key for grade in scheme.severities]
    if severity == GRAVEST and severity not in grades and grades:
        severity = grades[-1]
    return (
        key_of(category) if scheme.categories else "",
        severity if grades else "",
    )


# On pages -----------------------------------------------------------------------------


def of_seat(seat: Seat) -> Mapping[int, tuple[Placed, ...]]:
    """By item, of texts that a metric has read; as stored. One query, or none.

    Without those that no worker could make, since texts or settings have changed.
    """
    stored = _of_page(seat.public_id, tuple(seat.order))
    if not stored:
        return {}
    scheme = schemes.of_study(seat.survey.study)
    units = {unit.item_id: unit for unit in sides.of_seat(seat).values()}
    return {
        pk: tuple(mark for mark in placed if not _problem(mark, units[pk], scheme))[
            : _most(scheme)
        ]
        for pk, placed in stored.items()
    }


@lru_cache(maxsize=MOST_PAGES)  # fixed once a study is open
def _of_page(public_id: UUID, order: tuple[int, ...]) -> dict[int, tuple[Placed, ...]]:
    rows = Item.objects.filter(pk__in=order).select_related(
        "generation__span_proposals", "negative__source__span_proposals"
    )
    return {row.pk: placed for row in rows if (placed := _of_item(row)) is not None}


def _of_item(item: Item) -> tuple[Placed, ...] | None:
    negative = item.negative
    text = negative.source if negative else item.generation
    row = getattr(text, "span_proposals", None)
    if row is None:
        return None
    placed = marks.of_json(row.marks) or []
    if negative:
        placed = carried(placed, negative.source.text, negative.text)
    return tuple(placed)


def of_prompt(prompt: Prompt) -> Mapping[str, tuple[Placed, ...]]:
    """By the words of the text, for a preview. One query."""
    rows = TextProposals.objects.filter(generation__prompt=prompt)
    return {
        text: tuple(marks.of_json(listed) or ())
        for text, listed in rows.values_list("generation__text", "marks")
    }


def untouched(
    seat: Seat, answered: Mapping[int, object]
) -> dict[int, tuple[Placed, ...]]:
    """Proposals in texts of which nobody has said anything yet, by item.

    Args:
        seat: Whose page it is.
        answered: What is marked so far, by item.
    """
    waiting = {pk: placed for pk, placed in of_seat(seat).items() if pk not in answered}
    if not waiting:
        return {}
    dropped = DroppedProposal.objects.filter(seat=seat).values_list(
        "item_id", flat=True
    )
    return {pk: placed for pk, placed in waiting.items() if pk not in {*dropped}}


def fates(
    placed: Sequence[Placed], proposed: Sequence[Placed]
) -> tuple[list[tuple[int, str]], list[Placed]]:
    """The proposal that each mark began as, 0 for none, with what became of it; and the
    proposals that are deleted."""
    left = {proposal.proposal: proposal for proposal in proposed}
    outcomes = []
    for sent in placed:
        proposal = left.pop(sent.proposal, None)
        if proposal is None:
            outcomes.append((0, "added"))
        else:
            is_same = proposal.mark == sent.mark
            outcomes.append((sent.proposal, "kept" if is_same else "changed"))
    return outcomes, list(left.values())
