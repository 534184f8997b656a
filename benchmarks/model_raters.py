"""How many raters who copy a model are found, and how many honest ones with them.

    python -m benchmarks.model_raters FOLDER [SET ...] [--draws 8] [--texts 30]
        [--copiers .1] [--by judge|set|others|spread]

FOLDER has the data sets of the alternative annotator test (Calderon et al. 2025): for
each, answers of real annotators and of real judges. Studies are made of them. Each
annotator's texts are cut at random into raters of 30 texts with one answer each. That
is a study of honest raters. Then one rater of ten gets the judge's answers instead. All
raters of one annotator count as one person, so nobody is held against themselves.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.stats

from scoring.stats.copying import testing
from scoring.stats.copying.honest import Question, rows_of
from scoring.stats.copying.testing import copies

ORDERED = ("summeval", "10k_prompts", "cebab_stars", "lesion")
MOST_RATERS = 60  # of a study
JITTER = 0.3  # of the answers one point off
SEED = 20261126


class Asked(NamedTuple):
    """The command."""

    folder: Path
    sets: list[str]
    draws: int
    texts: int
    copiers: float
    by: str


class Set(NamedTuple):
    """A data set with its answers as numbers."""

    text: np.ndarray
    person: np.ndarray
    answer: np.ndarray
    judges: dict[str, np.ndarray]  # by text, -1 = none that people can give
    points: int
    ordered: bool


class Study(NamedTuple):
    """Raters who are cut from people."""

    text: np.ndarray
    rater: np.ndarray
    answer: np.ndarray
    person: np.ndarray  # of each rater
    full: np.ndarray  # which raters have all their texts; the last one is left over


def load(folder: Path) -> Set:
    people, models = (
        json.loads((folder / f"{who}_annotations.json").read_text())
        for who in ("human", "llm")
    )
    given = [(r, t, str(v)) for r, of in people.items() for t, v in of.items()]
    ordered = folder.name in ORDERED
    values = sorted({v for *_, v in given}, key=int if ordered else str)
    texts = sorted({t for _, t, _ in given})
    code, row = ({one: n for n, one in enumerate(all_)} for all_ in (values, texts))
    who = {one: n for n, one in enumerate(people)}
    judges = {}
    for name, of in models.items():
        judges[name] = np.full(len(texts), -1)
        for text, value in of.items():
            if text in row:
                judges[name][row[text]] = code.get(str(value), -1)
    return Set(
        np.array([row[t] for _, t, _ in given]),
        np.array([who[r] for r, *_ in given]),
        np.array([code[v] for *_, v in given]),
        judges,
        len(values),
        ordered,
    )


def study_of(data: Set, texts: int, rng: np.random.Generator) -> Study:
    """All of a small set, as many texts of a large one as `MOST_RATERS` would rate."""
    n_texts = int(data.text.max()) + 1
    each = len(data.text) / n_texts
    kept = rng.permutation(n_texts)[: int(MOST_RATERS * texts / each)]
    rater, person, n = np.full(len(data.text), -1), [], 0
    for one in np.unique(data.person):
        own = np.flatnonzero((data.person == one) & np.isin(data.text, kept))
        own = rng.permutation(own)
        for start in range(0, len(own), texts):
            rater[own[start : start + texts]] = n
            person.append(one)
            n += 1
    use = rater >= 0
    full = np.bincount(rater[use], minlength=n) == texts
    return Study(data.text[use], rater[use], data.answer[use], np.array(person), full)


def copied(
    study: Study,
    data: Set,
    judge: str,
    who: np.ndarray,
    rng: np.random.Generator,
    *,
    share: float = 1.0,
    jitter: float = 0.0,
) -> Study:
    """The study with the judge's answers from these raters."""
    says = data.judges[judge][study.text]
    if jitter:
        moved = says + np.where(rng.random(len(says)) < 0.5, -1, 1)
        moved = np.where((moved < 0) | (moved >= data.points), 2 * says - moved, moved)
        says = np.where(rng.random(len(says)) < jitter, moved, says)
    known = data.judges[judge][study.text] >= 0
    taken = np.isin(study.rater, who) & known & (rng.random(len(says)) < share)
    return study._replace(answer=np.where(taken, says, study.answer))


def p_of(study: Study, data: Set, judge: str, rng: np.random.Generator) -> np.ndarray:
    asked = Question(
        *(study.text, study.rater, study.answer, data.judges[judge]),
        *(data.points, data.ordered),
    )
    n = len(study.person)
    found = copies([asked], n, rng=rng, person=study.person)
    return np.array([one.p for one in found])


class Counts:
    """Found, of how many; by whom."""

    def __init__(self, distinct: float = np.inf) -> None:
        self.rows: list[tuple[str, bool]] = []
        self.distinct = distinct  # raters without a text in common

    def add(self, study: Study, p: np.ndarray, who: np.ndarray, rate: float) -> None:
        who = who[study.full[who] & ~np.isnan(p[who])]
        names = [f" {one}" for one in study.person[who]]
        self.rows += zip(names, p[who] <= rate, strict=True)

    def __str__(self) -> str:
        """Per cent, with a 95 % interval over persons.

        Raters cut from one person are not independent, and draws use the same answers
        again: as many independent ones are reckoned as give the variance between
        persons, and never more than there are raters without a text in common.
        """
        if not self.rows:
            return "—"
        person, hit = (np.array(one) for one in zip(*self.rows, strict=True))
        by = [hit[person == one].mean() for one in np.unique(person)]
        rate, n = float(hit.mean()), min(self.distinct, len(hit))
        if len(by) > 2 and (between := float(np.var(by, ddof=1)) / len(by)):
            n = min(n, rate * (1 - rate) / between)
        k, alpha = rate * n, 0.025
        low = scipy.stats.beta.ppf(alpha, k, n - k + 1) if rate > 0 else 0.0
        high = scipy.stats.beta.isf(alpha, k + 1, n - k) if rate < 1 else 1.0
        return f"{100 * rate:.1f} ({100 * low:.0f}–{100 * high:.0f})"


WAYS: dict[str, dict[str, float]] = {
    "all": {},
    "80 %": {"share": 0.8},
    "60 %": {"share": 0.6},
    "jitter": {"jitter": JITTER},
}
COLUMNS = ("honest", "beside", *WAYS)


def draw(
    data: Set, asked: Asked, rng: np.random.Generator
) -> Iterator[tuple[Study, np.ndarray]]:
    """Studies, and which of their raters will copy."""
    for _ in range(asked.draws):
        study = study_of(data, asked.texts, rng)
        full = np.flatnonzero(study.full)
        n = max(1, round(asked.copiers * len(full)))
        if len(full) > n:
            yield study, rng.choice(full, n, replace=False)


def counts_of(data: Set, names: Iterable[str], texts: int) -> dict[str, Counts]:
    distinct = float((np.bincount(data.person) // texts).sum())
    return {name: Counts(distinct) for name in names}


def same_judge(data: Set, judge: str, asked: Asked) -> dict[str, Counts]:
    """The researcher has the judge that is copied."""
    rng = np.random.default_rng(SEED)
    counts = counts_of(data, COLUMNS, asked.texts)
    for study, who in draw(data, asked, rng):
        everyone = np.arange(len(study.person))
        p = p_of(study, data, judge, rng)
        counts["honest"].add(study, p, everyone, testing.RATE)
        for name, way in WAYS.items():
            if "jitter" in way and not data.ordered:
                continue
            made = copied(study, data, judge, who, rng, **way)
            p = p_of(made, data, judge, rng)
            counts[name].add(study, p, who, testing.RATE)
            if name == "all":
                rest = np.setdiff1d(everyone, who)
                counts["beside"].add(study, p, rest, testing.RATE)
    return counts


def other_judges(data: Set, asked: Asked) -> dict[str, Counts]:
    """The copied judge is none of the researcher's: one other, or all others."""
    rng = np.random.default_rng(SEED)
    counts = counts_of(data, ("one", "several", "honest"), asked.texts)
    names = list(data.judges)
    for study, who in draw(data, asked, rng):
        for judge in names:
            others = [one for one in names if one != judge]
            made = copied(study, data, judge, who, rng)
            p = np.array([p_of(made, data, one, rng) for one in others])
            for one in p:
                counts["one"].add(study, one, who, testing.RATE)
            rate = testing.RATE / len(others)
            least = np.where(
                np.isnan(p).all(0), np.nan, np.nan_to_num(p, nan=1.0).min(0)
            )
            counts["several"].add(study, least, who, rate)
            rest = np.setdiff1d(np.arange(len(least)), who)
            counts["honest"].add(study, least, rest, rate)
    return counts


def print_spread(folder: Path, names: Iterable[str]) -> None:
    """SD of delta between the annotators of each set, all their texts together."""
    found: list[float] = []
    for name in names:
        data = load(folder / name)
        found.append(float(np.mean([tau2(data, judge) for judge in data.judges])))
        print(f"| {name} | {np.sqrt(max(0.0, found[-1])):.2f} |", flush=True)
    print(f"| all | {np.sqrt(np.mean(np.maximum(found, 0))):.2f} |")


def tau2(data: Set, judge: str) -> float:
    """As `testing` weighs raters, and without its typical value."""
    n = int(data.person.max()) + 1
    given = data.text, data.person, data.answer, data.judges[judge]
    rows = rows_of(Question(*given, data.points, data.ordered))
    person, everyone = np.arange(n), np.full(n, testing.LEAST_TEXTS)
    rng = np.random.default_rng(SEED)
    sums = testing._sums([rows], person, person, np.zeros(n, bool), everyone, rng)
    known = sums.slope > 0
    delta = sums.score[known] / sums.slope[known]
    se2 = sums.variance[known] / sums.slope[known] ** 2
    weights = 1 / (se2 + testing.TYPICAL**2) ** 2
    return float((weights * (delta**2 - se2)).sum() / weights.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--texts", type=int, default=30)
    parser.add_argument(
        "--by", choices=("judge", "set", "others", "spread"), default="judge"
    )
    parser.add_argument("--copiers", type=float, default=0.1)
    asked = Asked(**vars(parser.parse_args()))
    names = asked.sets or sorted(one.name for one in asked.folder.iterdir())
    if asked.by == "spread":
        return print_spread(asked.folder, names)
    rows = {"others": ("one", "several", "honest")}.get(asked.by, COLUMNS)
    print(f"| data set | judge | {' | '.join(rows)} |")
    print("| --- " * (len(rows) + 2) + "|")
    total: dict[str, Counts] = {}
    for name in names:
        data = load(asked.folder / name)
        if asked.by == "others":
            found = {"all": other_judges(data, asked)}
        else:
            found = {judge: same_judge(data, judge, asked) for judge in data.judges}
        merged = {key: _sum([one[key] for one in found.values()]) for key in rows}
        shown = found if asked.by == "judge" else {"all": merged}
        for judge, counts in shown.items():
            said = " | ".join(str(counts[key]) for key in rows)
            print(f"| {name} | {judge} | {said} |", flush=True)
        for key in rows:
            of_all = total.setdefault(key, Counts(0.0))
            of_all.rows += [(name + who, hit) for who, hit in merged[key].rows]
            of_all.distinct += merged[key].distinct
    print("| all | all | " + " | ".join(str(total[key]) for key in rows) + " |")


def _sum(counts: list[Counts]) -> Counts:
    """Of several judges. Their raters are the same people with the same texts."""
    both = Counts(counts[0].distinct)
    both.rows = [row for one in counts for row in one.rows]
    return both


if __name__ == "__main__":
    main()
