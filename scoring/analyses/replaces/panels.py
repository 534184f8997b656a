"""One metric, constant or sentinel beside every rater of an aspect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from scoring.analyses.replaces.result import Drawn, Part, Rater, Row
from scoring.analyses.shared.rated import Rated, of_aspect
from scoring.analyses.shared.result import MeantOutput
from scoring.stats.answer import ceiling
from scoring.stats.correlation import pearson
from scoring.stats.data import Data
from scoring.stats.estimates import Estimate, Number, number
from scoring.stats.replacing import certainty, clustered, published, scales
from scoring.stats.replacing.closeness import Closeness, Compared, Marks, compare

NAMES = ("scores", "mean ratings")
NOBODY = "nobody has rated these texts on this aspect"
NO_PAIR = "no text has ratings by two people"
NO_RATER = "no rater can be compared on these texts"
Signed = Callable[..., str]


@dataclass(frozen=True, slots=True)
class Panel:
    """The raters of one aspect; higher is better everywhere."""

    closeness: Closeness
    epsilon: float
    sign: int  # turns ratings as given into these
    marks: Marks
    names: np.ndarray  # (R,)
    enough: np.ndarray  # (R,) bool: named, with enough texts that others rated, too
    n_few: int  # named raters with fewer
    drawn: Drawn  # why raters stand for ratings drawn at random; "" = they do not
    values: np.ndarray  # (V,) points of the scale, rising
    human: np.ndarray  # (n,) mean ratings, NaN = none
    prompt: np.ndarray  # (n,)
    third: np.ndarray  # (n,) of the variance of ratings
    n_texts: int  # with two ratings
    reason: str  # why nobody can be compared; "" = somebody can

    def mapped(self, scores: np.ndarray) -> np.ndarray:
        return scales.mapped(scores, self.human, self.prompt)

    def shown(self, scores: np.ndarray) -> np.ndarray:
        """As they are compared: to equal a rating they must be points of the scale."""
        if self.closeness == "equal":
            return scales.to_points(scores, self.values)
        return scores


@dataclass(frozen=True, slots=True)
class Candidate:
    """Whatever may stand in for a rater."""

    id: str
    name: str
    scores: np.ndarray  # (n,) on the scale, higher is better, NaN = none
    mapped: bool
    output: MeantOutput | None = None
    made_of: str = ""  # the signature of its scores
    reason: str = ""  # why there are no scores


def panel(
    data: Data,
    k: int,
    closeness: Closeness,
    epsilon: float,
    rng: np.random.Generator,
) -> Panel:
    """The ratings of an aspect. Where raters are unknown, ratings are shuffled.

    Lists of ratings without names, or with names that are only places in sorted lists,
    say nothing of who gave them: then the first "rater" is one rating drawn from each
    text, the second another one, and so on. So it is with a crowd of whom nobody has
    rated enough texts.
    """
    rated, n = of_aspect(data, k), len(data.texts)
    sign = 1 if data.aspects[k].higher_is_better else -1
    value = sign * rated.value.astype(np.float64)
    m = np.bincount(rated.text, minlength=n)
    drawn: Drawn = "unnamed" if _is_unnamed(rated, value, rng) else ""
    raters, n_few = rated.rater, 0
    if not drawn:
        able = int(_counted(rated, raters, m)[1].sum())
        n_few = len(np.unique(raters[rated.known])) - able
        drawn = "" if able else "few"
    if drawn:
        raters = _shuffled(rated.text, rng)
    names, enough = _counted(rated, raters, m, named=not drawn)
    marks = Marks(rated.text, np.searchsorted(names, raters), value)
    return Panel(
        closeness=closeness,
        epsilon=epsilon,
        sign=sign,
        marks=marks,
        names=names,
        enough=enough,
        n_few=n_few,
        drawn=drawn,
        values=np.sort(sign * rated.values.astype(np.float64)),
        human=data.human_scores()[:, k],
        prompt=data.texts.prompt,
        third=certainty.thirds(certainty.variances(marks, n)),
        n_texts=int((m > 1).sum()),
        reason=_reason(m, enough),
    )


def _counted(
    rated: Rated, raters: np.ndarray, m: np.ndarray, *, named: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """All raters, and which of them have enough texts that others rated, too."""
    names, who = np.unique(raters, return_inverse=True)
    n = np.bincount(who[m[rated.text] > 1], minlength=len(names))
    known = np.isin(names, raters[rated.known]) if named else np.ones(len(names), bool)
    return names, known & (n >= published.LEAST_TEXTS)


def _is_unnamed(rated: Rated, value: np.ndarray, rng: np.random.Generator) -> bool:
    if not len(value):
        return False
    found = ceiling.panel(rated.text, rated.raters, value, rng=rng)
    return rated.raters is None or found.was_sorted


def _shuffled(text: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random place of each rating among those of its text: "rating 1"."""
    order = np.lexsort((rng.random(len(text)), text))
    starts = np.r_[0, np.flatnonzero(np.diff(text[order])) + 1]
    place = np.arange(len(text)) - np.repeat(starts, np.diff(np.r_[starts, len(text)]))
    found = np.empty(len(text), np.int64)
    found[order] = place + 1
    return np.char.add("rating ", found.astype(str))


def _reason(m: np.ndarray, enough: np.ndarray) -> str:
    if not m.any():
        return NOBODY
    if not (m > 1).any():
        return NO_PAIR
    if not enough.any():
        least = published.LEAST_TEXTS
        return f"fewer than {least} texts have ratings by two people"
    return ""


# One candidate ------------------------------------------------------------------------


def row(panel: Panel, one: Candidate, signed: Signed) -> Row:
    """Both tests against each rater, and where it comes close."""
    compared = _compared(panel, one)
    raters = by_rater(panel, one)
    reason = "" if raters else _missing(panel, one)
    won = [[r["wins_published"] for r in raters], [r["wins"] for r in raters]]
    as_published, by_prompt = (float(np.mean(w)) if w else None for w in won)

    def rate(value: float | None, test: str) -> Number:
        made_of = signed("winning-rate", metric=one.id, test=test, correction="by")
        return number(
            Estimate(value, n=len(raters), reason=reason or None, signature=made_of)
        )

    made_of = signed("advantage-probability", metric=one.id)
    return {
        "output": one.output,
        "key": "" if one.output else one.id,
        "name": one.name,
        "signature": one.made_of,
        "mapped": one.mapped,
        "n_raters": len(raters),
        "n_refused": sum(r["p"] is None for r in raters),
        "n_open": sum(_is_open(r, panel.epsilon) for r in raters),
        "published": rate(as_published, "t"),
        "winning": rate(by_prompt, "cr2"),
        "advantage": number(
            _advantage(panel, compared, reason).with_signature(made_of)
        ),
        "parts": [_part(panel, one, compared, k, signed) for k in range(3)],
        "distance": _distance(panel, one, signed),
        "raters": [],
        "methods": sorted({r["method"] for r in raters}),
        "passes": by_prompt is not None and by_prompt >= published.PASSES,
        "code": "none",
        "words": "",
    }


def by_rater(panel: Panel, one: Candidate) -> list[Rater]:
    """The tests against each rater, and against whom the metric wins."""
    compared = _compared(panel, one)
    found = [_rater(panel, compared.of(who), who) for who in np.unique(compared.rater)]
    p_published = [_number(r["p_published"]) for r in found]
    p = [_number(r["p"]) for r in found]
    wins = published.outcome(np.array(p, np.float64)).rejected
    as_published = published.outcome(np.array(p_published, np.float64)).rejected
    for r, by_prompt, by_text in zip(found, wins, as_published, strict=True):
        r["wins"], r["wins_published"] = bool(by_prompt), bool(by_text)
    return found


def _is_open(one: Rater, epsilon: float) -> bool:
    """Whether the rater is not ahead by epsilon here, and it is not shown either."""
    return not one["wins"] and one["p"] is not None and one["d"] < epsilon


def _compared(panel: Panel, one: Candidate) -> Compared:
    """With the raters who have enough texts that have a score."""
    found = compare(panel.marks, panel.shown(one.scores), panel.closeness)
    n = np.bincount(found.rater, minlength=len(panel.names))
    return found.only((panel.enough & (n >= published.LEAST_TEXTS))[found.rater])


def _rater(panel: Panel, compared: Compared, who: int) -> Rater:
    d = compared.d
    given = clustered.sums(d, panel.prompt[compared.text])
    tested = clustered.test(given, panel.epsilon)
    p = float(tested.p)
    return {
        "name": str(panel.names[who]),
        "n_texts": len(d),
        "n_prompts": len(given.size),
        "ties": float(given.ties),
        "d": float(d.mean()),
        "p_published": published.t_test(d, panel.epsilon),
        "p": None if np.isnan(p) else p,
        "method": clustered.METHODS[int(tested.method)],
        "wins_published": False,
        "wins": False,
    }


def _number(p: float | None) -> float:
    return np.nan if p is None else p


def _missing(panel: Panel, one: Candidate) -> str:
    if panel.reason:
        return panel.reason
    if np.isnan(one.scores).all():
        return one.reason or "no rated text has a score"
    return f"no rater has {published.LEAST_TEXTS} such texts with a score"


def _advantage(panel: Panel, compared: Compared, reason: str) -> Estimate:
    prompt = panel.prompt[compared.text]
    found = clustered.mean_of_raters(compared.metric, compared.rater, prompt)
    return replace(found, reason=reason) if found.value is None else found


def _part(
    panel: Panel, one: Candidate, compared: Compared, k: int, signed: Signed
) -> Part:
    """How close it comes on the texts of one third, by the variance of ratings."""
    inside = panel.third == k
    both = inside & ~np.isnan(one.scores) & ~np.isnan(panel.human)
    here = compared.only(inside[compared.text])
    empty = "no text is in this third" if not inside.any() else NO_RATER
    advantage = _advantage(panel, here, empty)
    r = pearson(one.scores[both], panel.human[both], NAMES)
    part = {"metric": one.id, "variance": certainty.THIRDS[k]}
    return {
        "n_texts": int(both.sum()),
        "advantage": number(
            advantage.with_signature(signed("advantage-probability", **part))
        ),
        "r": number(
            Estimate(
                r.value, n=r.n, reason=r.reason, signature=signed("pearson", **part)
            )
        ),
    }


def _distance(panel: Panel, one: Candidate, signed: Signed) -> Number:
    """Of what it gives, on the points of the scale, to what people gave."""
    rated = np.isin(np.arange(len(one.scores)), panel.marks.text)
    given = scales.to_points(one.scores[rated], panel.values)
    found = certainty.jensen_shannon(given, panel.marks.value, panel.values)
    reason = None if found is not None else (one.reason or "no rated text has a score")
    n = int((~np.isnan(given)).sum())
    made_of = signed("jensen-shannon", metric=one.id)
    return number(Estimate(found, n=n, reason=reason, signature=made_of))
