"""Names of fields inside objects: {"ratings": {"coherence": {"ann": 4}}}. Pure.

The outermost name says that the others are of ratings or scores; of two names inside
one is what was rated, and the other one who rated it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.imports._names import (
    ASPECTS,
    BESIDE_RATINGS,
    IGNORE,
    MEANS,
    METRICS,
    RATER_HEAD,
    is_of_comments,
    words_of,
)
from annotation.imports._profile import Column

HOLDERS = frozenset(
    "rating ratings score scores annotation annotations human label labels answer"
    " answers evaluation evaluations judgment judgments judgement judgements metric"
    " metrics human_ratings human_scores human_annotations human_evaluation"
    " automatic_scores response responses".split()
)
# What a rating is called inside its aspect: it is nobody's name.
_ANY = frozenset("rating score value answer label choice likert number".split())


def inner_name(column: str) -> str:
    """ratings.coherence -> coherence: what the outermost name says is its role."""
    holder, dot, rest = column.partition(".")
    return rest if dot and rest and holder.strip().lower() in HOLDERS else column


def of_raters(columns: Sequence[Column], found: dict[str, str]) -> list[str]:
    """ratings.coherence.ann, ratings.ann.coherence: say whose ratings they are.

    Returns a column of each object in which the order of the two is not known.
    """
    pairs: dict[str, dict[str, tuple[str, str]]] = {}
    for column in columns:
        inner = inner_name(column.name)
        one, dot, two = inner.partition(".")
        is_rating = found[column.name].startswith(("rating:", "mean:"))
        if inner != column.name and one and dot and two and is_rating:
            holder = column.name.partition(".")[0]
            pairs.setdefault(holder, {})[column.name] = one, two
    doubtful: list[str] = []
    for named in pairs.values():
        doubtful += _place(named, found)
    return doubtful


def _place(named: Mapping[str, tuple[str, str]], found: dict[str, str]) -> list[str]:
    firsts = {one for one, _ in named.values()}
    seconds = {two for _, two in named.values()}
    known = _is_first_aspect(firsts, seconds)
    for column, (one, two) in named.items():
        aspect, rater = (one, two) if known in (True, None) else (two, one)
        words = set(words_of(f"{aspect} {rater}").split())
        if words & METRICS:
            found[column] = f"score:{one}.{two}"
        elif words & MEANS:
            about = two if words_of(one) in MEANS else one
            found[column] = f"mean:{about}"
        elif BESIDE_RATINGS.search(words_of(rater)) or is_of_comments(rater):
            found[column] = IGNORE
        elif words_of(rater) in _ANY:
            found[column] = f"rating:{_plain(aspect)}"
        else:
            found[column] = f"rating:{_plain(aspect)}:{rater}"
    rated = [column for column in named if found[column].count(":") > 1]
    return rated[:1] if known is None else []


def _plain(aspect: str) -> str:
    return " ".join(aspect.replace(":", " ").replace(".", " ").split())


def _is_first_aspect(firsts: set[str], seconds: set[str]) -> bool | None:
    """None: both may be."""
    counts = [sum(map(_is_aspect, some)) for some in (firsts, seconds)]
    if counts[0] != counts[1]:
        return counts[0] > counts[1]
    raters = [all(map(_is_rater, some)) for some in (firsts, seconds)]
    if raters[0] != raters[1]:
        return raters[1]
    return None


def _is_aspect(name: str) -> bool:
    return not ASPECTS.isdisjoint(words_of(name).split())


def _is_rater(name: str) -> bool:
    words = words_of(name)
    return RATER_HEAD.fullmatch(words) is not None or words in MEANS
