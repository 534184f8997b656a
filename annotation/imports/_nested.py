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


def of_raters(columns: Sequence[Column], roles: dict[str, str]) -> list[str]:
    """ratings.coherence.ann, ratings.ann.coherence: say whose ratings they are.

    Returns a column of each object in which the order of the two is not known.
    """
    pairs: dict[str, dict[str, tuple[str, str]]] = {}
    for column in columns:
        inner = inner_name(column.name)
        first, dot, second = inner.partition(".")
        is_rating = roles[column.name].startswith(("rating:", "mean:"))
        if inner != column.name and first and dot and second and is_rating:
            holder = column.name.partition(".")[0]
            pairs.setdefault(holder, {})[column.name] = first, second
    doubtful: list[str] = []
    for named in pairs.values():
        doubtful += _place(named, roles)
    return doubtful


def _place(named: Mapping[str, tuple[str, str]], roles: dict[str, str]) -> list[str]:
    firsts = {first for first, _ in named.values()}
    seconds = {second for _, second in named.values()}
    is_first = _is_first_aspect(firsts, seconds)
    for column, (first, second) in named.items():
        aspect, rater = (first, second) if is_first in (True, None) else (second, first)
        words = set(words_of(f"{aspect} {rater}").split())
        if words & METRICS:
            roles[column] = f"score:{first}.{second}"
        elif words & MEANS:
            about = second if words_of(first) in MEANS else first
            roles[column] = f"mean:{about}"
        elif BESIDE_RATINGS.search(words_of(rater)) or is_of_comments(rater):
            roles[column] = IGNORE
        elif words_of(rater) in _ANY:
            roles[column] = f"rating:{_plain(aspect)}"
        else:
            roles[column] = f"rating:{_plain(aspect)}:{rater}"
    rated = [column for column in named if roles[column].count(":") > 1]
    return rated[:1] if is_first is None else []


def _plain(aspect: str) -> str:
    return " ".join(aspect.replace(":", " ").replace(".", " ").split())


def _is_first_aspect(firsts: set[str], seconds: set[str]) -> bool | None:
    """None: both may be."""
    counts = [sum(map(_is_aspect, names)) for names in (firsts, seconds)]
    if counts[0] != counts[1]:
        return counts[0] > counts[1]
    raters = [all(map(_is_rater, names)) for names in (firsts, seconds)]
    if raters[0] != raters[1]:
        return raters[1]
    return None


def _is_aspect(name: str) -> bool:
    return not ASPECTS.isdisjoint(words_of(name).split())


def _is_rater(name: str) -> bool:
    words = words_of(name)
    return RATER_HEAD.fullmatch(words) is not None or words in MEANS
