"""F of marked errors as the paper defines it, by trying every matching.

Written from Perrella, Morales Agostinho and Zaragoza (2026), arXiv 2603.19921, and
apart from the code of the site: nothing of it is imported here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

Span = tuple[int, int, str]  # start, end and severity, all of one side
Page = Sequence[Span]


def f_of(pages: Sequence[tuple[Page, Page]]) -> tuple[float, float, float]:
    """Precision, recall and F of texts, micro-averaged; predicted marks come first."""
    credit = [0.0, 0.0]
    for predicted, reference in pages:
        ways = _matchings(predicted, reference)
        best = max(ways, key=lambda way: _order(way, predicted, reference))
        credit = [total + part for total, part in zip(credit, best, strict=True)]
    n = [sum(len(page[k]) for page in pages) for k in (0, 1)]
    return _scores(credit, n)


def of_characters(
    pages: Sequence[tuple[Page, Page]],
) -> tuple[float, float, float]:
    """The same as WMT25 counts: character by character, half for unlike severities."""
    right, n = 0.0, [0, 0]
    for page in pages:
        places = {at for spans in page for s, e, _ in spans for at in range(s, e)}
        for at in places:
            ours, theirs = (Counter(v for s, e, v in p if s <= at < e) for p in page)
            alike = (ours & theirs).total()
            rest = min(ours.total(), theirs.total()) - alike
            right += alike + rest / 2
            n = [n[0] + ours.total(), n[1] + theirs.total()]
    return _scores([right, right], n)


def _matchings(predicted: Page, reference: Page) -> Iterator[tuple[float, float]]:
    """Credits of either side, of every one-to-one matching."""
    if not predicted:
        yield 0.0, 0.0
        return
    first, *rest = predicted
    yield from _matchings(rest, reference)
    for k, other in enumerate(reference):
        shared = min(first[1], other[1]) - max(first[0], other[0])
        same_point = first[0] == first[1] == other[0] == other[1]
        if shared <= 0 and not same_point:
            continue
        own = 1.0 if same_point else shared / (first[1] - first[0])
        theirs = 1.0 if same_point else shared / (other[1] - other[0])
        left = [*reference[:k], *reference[k + 1 :]]
        for a, b in _matchings(rest, left):
            yield a + own, b + theirs


def _order(
    credit: tuple[float, float], predicted: Page, reference: Page
) -> tuple[float, float, float]:
    p, r, f = _scores(credit, (len(predicted), len(reference)))
    return round(f, 12), round(p + r, 12), p


def _scores(credit: Sequence[float], n: Sequence[int]) -> tuple[float, float, float]:
    p, r = (c / k if k else 1.0 for c, k in zip(credit, n, strict=True))
    return p, r, 2 * p * r / (p + r) if p + r else 0.0
