"""Votes on two systems: from files, and from the pages of pairs that count.

The one door for scoring. A vote collected here counts as a rating does: its page is
valid, its rater had not read the debriefing, neither text is excluded. Seen from the
text on the left, so that `first` was shown first. How much better a text is stays with
the answers; a vote is for one of two texts, or for none.
"""

from __future__ import annotations

from functools import reduce
from itertools import chain
from operator import or_

from django.db.models import QuerySet

from annotation import page_kinds
from annotation.models import Annotation, Study
from annotation.page_kinds.tables import VoteRow


def rows(*, study: Study, question: str | None = None) -> list[VoteRow]:
    """All votes, or those on a question; of files first. Two queries."""
    from_pages = (kind.tables.votes(study, question) for kind in page_kinds.every())
    return [*_from_files(study, question), *chain.from_iterable(from_pages)]


def questions(*, study: Study) -> list[str]:
    """What was asked about two texts, by name. Two queries."""
    asked = set(study.votes.order_by().values_list("question", flat=True).distinct())
    titles = counted(study=study).values_list("aspect__title", flat=True).distinct()
    return sorted(asked | set(titles))


def any_of(*, study: Study) -> bool:
    """Whether there is a vote. Two queries."""
    return study.votes.exists() or counted(study=study).exists()


def counted(*, study: Study, with_discarded: bool = False) -> QuerySet[Annotation]:
    """Answers that are votes and count, in no order; if wanted, also of discarded
    pages."""
    votes = (
        kind.tables.counted_votes(study, with_discarded=with_discarded)
        for kind in page_kinds.every()
    )
    return reduce(or_, votes)


def _from_files(study: Study, question: str | None) -> list[VoteRow]:
    asked = {} if question is None else {"question": question}
    found = study.votes.filter(**asked).order_by("pk")
    return [
        VoteRow(*values)
        for values in found.values_list(
            *("pair", "question", "first_id", "second_id"),
            *("ordered", "rater", "outcome", "prompt_id"),
        )
    ]
