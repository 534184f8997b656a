"""The same for the errors of each category, and of each severity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal

from scoring.analyses.marked_errors.options import Setting
from scoring.analyses.marked_errors.result import Name, NamedByMetric
from scoring.stats.estimates import Estimate
from scoring.stats.spans import f_scores
from scoring.stats.spans.f_scores import Compared, mean_scores, mpp, with_people
from scoring.stats.spans.marks import Mark
from scoring.stats.spans.pages import Pages, filtered
from scoring.stats.spans.unit_alpha import alpha_interval

Kind = Literal["category", "severity"]
NONE_MARKED = "nobody marked an error of this name in these texts"
UNNAMED = "this metric does not say which {} its marks have"


def table(setting: Setting, kind: Kind, metrics: list[str]) -> list[Name]:
    """A row for each name that people used, the most frequent first."""
    pages = setting.study.pages

    def name_of(mark: Mark) -> str:
        return mark.category if kind == "category" else mark.severity

    times = Counter(name_of(mark) for marks in pages.marks for mark in marks)
    split = {
        metric: f_scores.by_name(setting.study.metrics[metric], pages, name_of)
        for metric in metrics
    }
    named = (name for name, _ in times.most_common() if name)
    return [_row(setting, kind, name, times[name], name_of, split) for name in named]


def _row(
    setting: Setting,
    kind: Kind,
    name: str,
    n_marks: int,
    name_of: Callable[[Mark], str],
    split: dict[str, dict[str, Compared]],
) -> Name:
    study = setting.study

    def keep(mark: Mark) -> bool:
        return name_of(mark) == name

    pages = study.pages.only(keep)
    alpha = alpha_interval(pages, study.texts, unit="character", left=setting.left)
    return {
        "name": name,
        "n_marks": n_marks,
        "alpha": setting.alpha(alpha, "alpha-characters", **{kind: name}),
        "metrics": [
            _by_metric(setting, kind, name, metric, pages, name_of, split[metric])
            for metric in split
        ],
    }


def _by_metric(
    setting: Setting,
    kind: Kind,
    name: str,
    metric: str,
    pages: Pages,
    name_of: Callable[[Mark], str],
    split: dict[str, Compared],
) -> NamedByMetric:
    """Recall of the errors of a name, and F of the marks of that name alone.

    People are taken together, as one person has few marks of a name. F is None where
    the metric gives no mark a name: 0 would say that it confuses names.
    """
    marked = setting.study.metrics[metric]
    predicted = [
        None if marks is None else filtered(marks, lambda mark: name_of(mark) == name)
        for marks in marked
    ]
    alone = with_people(predicted, pages, mpp).together()
    of_name = split.get(name, alone)
    parts = {kind: name, "metric": metric, "judges": "together"}
    recall, f = (
        _score(setting, of_name, f_scores.PARTS.index("recall")),
        _score(setting, alone, f_scores.PARTS.index("f")),
    )
    if not any(name_of(mark) for marks in marked for mark in marks or ()):
        f = Estimate(None, n=alone.n_texts, reason=UNNAMED.format(kind))
    return {
        "metric": metric,
        "recall": setting.share(recall, "mpp-recall", **parts),
        "f": setting.share(f, "mpp-f", **parts),
    }


def _score(setting: Setting, compared: Compared, part: int) -> Estimate:
    """None where people marked no error of the name: recall would be 0 / 0."""
    if not compared.counts[:, 3].sum():
        return Estimate(None, n=compared.n_texts, reason=NONE_MARKED)
    score = mean_scores(compared, setting.left)[part]
    return f_scores.estimate(score, compared, NONE_MARKED)
