"""The random order of a study's prompts: drawn from its seed, known before any rating.

A prompt has the same number on each page of it, so that its texts come together.
Prompts that come later stand behind all that were there before: among them, they would
change a sequence that somebody has looked at already.
"""

from __future__ import annotations

from django.db.models import Min, Q
from django.db.models.functions import Coalesce

from annotation import page_kinds
from annotation.models import Study
from evalapp import seeds
from evalapp.seeds import OfStudy

# A number has 62 bits, so that those of later batches fit behind them in a signed
# column: the number of their first page, and what is left of the random one.
BITS = 62
BITS_OF_BATCH = 24
FIRST = 1  # the batch that begins with the first page


def of_all(study: Study) -> dict[int, int]:
    """By id of the prompt: the less, the earlier. One query.

    From what the prompt says, never from ids: a copy of the study has the same order.
    """
    # Pages of which it was not kept are older than any of which it was.
    batch = Coalesce("surveys__batch", FIRST)
    on_pages = Q(surveys__kind__in=kinds())
    rows = study.prompts.order_by().annotate(batch=Min(batch, filter=on_pages))
    return {
        pk: number(study.seed, digest, batch)
        for pk, digest, batch in rows.values_list("pk", "digest", "batch")
    }


def number(seed: int, digest: str, batch: int | None) -> int:
    """Of a prompt.

    Args:
        seed: Of the study.
        digest: Of what the prompt says.
        batch: That of its first pages; None if it is on none yet.
    """
    words = int(digest[:8], 16), int(digest[8:16], 16)
    drawn = seeds.child(seed, OfStudy.PROMPT_ORDER, *words) >> 1
    if batch is None or batch <= FIRST:
        return drawn
    behind = min(batch, (1 << BITS_OF_BATCH) - 1) << (BITS - BITS_OF_BATCH)
    return (1 << BITS) + behind + (drawn >> BITS_OF_BATCH)


def is_kept(study: Study) -> bool:
    """Whether it is known of all pages of ratings which were drawn together."""
    pages = study.surveys.filter(kind__in=kinds(), batch=None)
    return not pages.exists()


def kinds() -> list[str]:
    """Those whose ratings are read prompt by prompt."""
    return page_kinds.keys(lambda facts: facts.rates_single_texts)
