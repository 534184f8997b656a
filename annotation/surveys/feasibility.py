"""For which pages no damaged text can be made: said before anyone opens the study."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Max

from annotation import negatives, page_kinds
from annotation.models import Annotation, Generation, ImportedMean, Study
from annotation.models.kinds import DEFAULT_KIND
from annotation.surveys import planning
from evalapp import seeds
from evalapp.seeds import OfStudy

# Someone waits for it. In a study of more pages these are spread over all of them.
MOST_PAGES = 300
USUAL_SIZE = 6  # texts on a page of a new study
A_DAY = 60 * 60 * 24  # seconds


class Damageable(NamedTuple):
    """How many pages allow a damaged text."""

    pages: int  # of the study
    looked_at: int
    without: int  # of those looked at: none can be made
    advice: str  # what would help the first of them

    @property
    def sentence(self) -> str:
        """Empty where every page allows one."""
        if not self.without:
            return ""
        seen = f"{self.looked_at:,} page{'' if self.looked_at == 1 else 's'}"
        if self.looked_at < self.pages:
            seen += f" checked (of {self.pages:,})"
        return f"No damaged text can be made for {self.without:,} of {seen}."

    @property
    def none(self) -> bool:
        return self.without == self.looked_at


def damageable(*, study: Study) -> Damageable:
    """Look at the pages that the study's texts would make. Kept until they change."""
    texts = study.generations.order_by()
    kept = texts.filter(excluded_at=None)
    facts = [
        *texts.aggregate(Max("pk"), Max("excluded_at")).values(),
        *(texts.count(), kept.count(), study.texts_per_survey, study.seed),
        *(study.language, study.page_kinds, study.pairs_per_text),
        *(study.rated_share, study.share_of),
        *study.aspects.values_list("key", flat=True),
        *study.current_policy().damages,
    ]
    digest = sha256(repr(facts).encode()).hexdigest()[:16]
    key = f"damageable:{study.public_id}:{digest}"
    found: Damageable | None = cache.get(key)
    if found is None:
        found = _look(study)
        cache.set(key, found, timeout=A_DAY)
    return found


def damageable_texts(*, texts: Sequence[Generation], size: int) -> Damageable:
    """The same of texts that nobody has stored yet, `size` of them on a page."""
    by_prompt: dict[int, list[Generation]] = {}
    for text in texts:
        by_prompt.setdefault(text.prompt.pk, []).append(text)
    pages = [
        planning.Cut(0, DEFAULT_KIND, some[first : first + size])
        for some in by_prompt.values()
        for first in range(0, len(some), size)
    ]
    pool = negatives.Pool(generations=texts, aspects=())
    return _look_at(planning.Draw(pages, pool), seed=0)


def _look(study: Study) -> Damageable:
    return _look_at(planning.whole_draw(study), study.seed)


def _look_at(draw: planning.Draw, seed: int) -> Damageable:
    cut = list(enumerate(draw.pages, start=1))
    some = cut[:: -(-len(cut) // MOST_PAGES) or 1]
    failed = [
        page
        for number, page in some
        if not page_kinds.get(page.kind).drawing.can_damage(
            page.units, draw.pool, seeds.child(seed, OfStudy.NEGATIVES, number)
        )
    ]
    return Damageable(len(cut), len(some), len(failed), _advice(failed))


def _advice(failed: Sequence[planning.Cut]) -> str:
    if not failed:
        return ""
    return page_kinds.get(failed[0].kind).drawing.advice(failed[0].units)


def what_cannot_be_damaged(*, study: Study) -> str:
    """Say after an upload which pages allow no damaged text; empty if all do.

    Also empty where nobody has to rate: the ratings came with the file.
    """
    rated = Annotation.objects.filter(aspect__study=study, imported__isnull=False)
    means = ImportedMean.objects.filter(aspect__study=study)
    some = study.generations.filter(excluded_at=None)
    if rated.exists() or means.exists() or not some.exists():
        return ""
    found = damageable(study=study)
    return f"{found.sentence} {found.advice}" if found.without else ""
