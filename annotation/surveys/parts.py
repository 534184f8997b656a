"""Which texts people are asked about, in a study that asks for a random part of them.

Drawn from the study's seed when the first pages are; texts that come later are drawn
from on their own, with strata of their own. No text is ever drawn from twice once
workers have begun, so the probabilities that are stored stay true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Max, QuerySet

from annotation.models import Generation, Study
from evalapp import seeds
from evalapp.seeds import OfStudy
from scoring.stats.saving import draws

AT_ONCE = 1000  # ids in a query

# What is stored of a text: name of its system, stratum and probability.
Stored = tuple[str | None, int | None, float | None]


class Part(NamedTuple):
    """A draw from some texts of a study."""

    ids: np.ndarray  # (n,) of the texts
    draw: draws.Draw
    first: int  # number of its first stratum

    @property
    def left_out(self) -> set[int]:
        """Ids of the texts that nobody is asked about."""
        found: list[int] = self.ids[~self.draw.drawn].tolist()
        return set(found)


def drawn(study: Study, texts: Sequence[Generation], first: int = 0) -> Part | None:
    """Draw the study's share of these texts; None where all texts are asked about.

    Args:
        study: Which one.
        texts: With their systems, in an order that a copy of the study would have.
            Turns and dialogues are left aside: they are on no page of ratings.
        first: Number of the first stratum.
    """
    alone = [text for text in texts if text.dialogue_id is None]
    if not (study.rates_part and alone):
        return None
    names = np.array([text.system.name if text.system else "" for text in alone])
    made = draws.draw(
        _strata(study, names),
        study.rated_share / 100,
        seeds.rng(study.seed, OfStudy.PART, first),
    )
    return Part(np.array([text.pk for text in alone], np.int64), made, first)


def drawn_more(study: Study, texts: Sequence[Generation]) -> Part | None:
    """The same of texts that came since: only those that no draw has decided on."""
    largest = study.generations.aggregate(n=Max("stratum"))["n"]
    undecided = [text for text in texts if text.asked is None]
    return drawn(study, undecided, 0 if largest is None else largest + 1)


def store(*, study: Study, part: Part | None, replace: bool) -> None:
    """Keep what was drawn with the texts; with `replace`, nothing of an earlier draw.

    Call inside a transaction: half of a draw would have other probabilities.
    """
    texts = study.generations.order_by()
    if replace:
        none = dict.fromkeys(("asked", "probability", "stratum"))
        texts.exclude(probability=None).update(**none)
    if part is None:
        return
    draw = part.draw
    for stratum in range(draw.stratum.max() + 1):
        for asked in (False, True):
            at = np.flatnonzero((draw.stratum == stratum) & (draw.drawn == asked))
            for start in range(0, len(at), AT_ONCE):
                some = at[start : start + AT_ONCE]
                texts.filter(pk__in=part.ids[some].tolist()).update(
                    asked=asked,
                    probability=float(draw.chance[some[0]]),
                    stratum=part.first + stratum,
                )


def is_current(study: Study) -> bool:
    """Whether the draw that is stored is what the texts and the settings would give.

    Two queries. For a study whose pages may still be drawn again.
    """
    rows = _possible(study).values_list("system__name", "stratum", "probability")
    return set(rows.distinct()) == set(_expected(study))


def n_to_rate(study: Study) -> int:
    """How many texts people are asked about: those drawn, or as many as will be.

    What is stored with the texts of a draft may be of a share that was chosen before.
    """
    if study.state != Study.State.DRAFT:
        return study.generations.to_rate().asked_about().count()
    if study.rates_part:
        names = _names(study)
        return int(draws.wanted(_strata(study, names), study.rated_share / 100).sum())
    return study.generations.filter(excluded_at=None).asked_about().count()


def n_left_out(study: Study) -> int:
    """How many texts of a draft nobody will be asked about. Two queries at most."""
    if not study.rates_part or study.state != Study.State.DRAFT:
        return 0
    return _possible(study).count() - n_to_rate(study)


def why_not(study: Study) -> str:
    """Why the study cannot ask for its part; empty where it can."""
    return study.why_no_part(study.page_kinds)


def _possible(study: Study) -> QuerySet[Generation]:
    return study.generations.filter(excluded_at=None, dialogue=None).order_by()


def _names(study: Study) -> np.ndarray:
    """Of the system of each text, in the order of names."""
    rows = _possible(study).values_list("system__name").annotate(n=Count("pk"))
    sizes = {name or "": n for name, n in rows}
    names = sorted(sizes)
    return np.repeat(np.array(names, np.str_), [sizes[name] for name in names])


def _strata(study: Study, names: np.ndarray) -> np.ndarray:
    if study.share_of == Study.ShareOf.TEXTS:
        return draws.one_stratum(len(names))
    return draws.by_group(names)


def _expected(study: Study) -> Iterator[Stored]:
    names = _names(study)
    strata = _strata(study, names)
    chance = draws.wanted(strata, study.rated_share / 100) / np.bincount(strata)
    first = np.unique(names, return_index=True)[1]
    for name, stratum in zip(
        names[first].tolist(), strata[first].tolist(), strict=True
    ):
        if study.rates_part:
            yield name or None, stratum, float(chance[stratum])
        else:
            yield name or None, None, None
