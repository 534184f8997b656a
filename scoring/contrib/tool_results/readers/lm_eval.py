"""Results of lm-evaluation-harness (lm_eval, of 0.4.x).

- `samples_TASK_DATE.jsonl`, which `--log_samples` writes: scores of texts. Each metric,
  under each filter, becomes a run.
- `results_DATE.json`: numbers of whole systems. The system has the name of the model.
- A zip file with both: the samples then get the task's version and its directions, and
  the name of the model.

A text is the first response, as it came or filtered; a prompt is the first argument.
Tasks of multiple choice have no text, only log-likelihoods: their lines are found by id
and prompt alone. A task of perplexity has the text that it reads as its only argument.
Checked on what 0.4.13 wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from scoring.contrib.tool_results.readers._bundle import Bundle
from scoring.contrib.tool_results.readers._found import (
    Found,
    Sample,
    Scored,
    Total,
    items,
    keys,
    mapping,
    number,
    signed,
    texts,
)
from scoring.runs.score_lines import as_word

TITLE = "lm-evaluation-harness"
FILES = "samples_….jsonl, results_….json, or a zip file with both"
TOOL = "lm_eval"
# What a line has beside its metrics, where it does not list them.
OTHER = frozenset(
    "doc_id doc target arguments resps filtered_resps filter metrics doc_hash"
    " prompt_hash target_hash".split()
)
DATE = r"_\d{4}-\d\d-\d\dT[\d.-]{1,20}"
# With a log-likelihood: whether greedy decoding would give the continuation.
GREEDY = frozenset(["True", "False", True, False])
_TASK = re.compile(rf"samples_(.{{1,200}}?)(?:{DATE})?\.jsonl")


class About(NamedTuple):
    """What the results say that the samples leave out."""

    results: Mapping[str, Any]

    @property
    def system(self) -> str:
        config = mapping(self.results.get("config"))
        return str(self.results.get("model_name") or config.get("model") or "")

    @property
    def version(self) -> object:
        return self.results.get("lm_eval_version") or self.results.get("git_hash")

    def signature(self, task: str, filter_: str) -> str:
        version = mapping(self.results.get("versions")).get(task)
        return signed(
            {
                "task": task,
                "filter": filter_ if filter_ != "none" else "",
                "task_version": "" if version is None else str(version),
                "lm_eval": self.version,
            }
        )

    def lower(self, task: str, metric: str) -> bool | None:
        better = mapping(self.results.get("higher_is_better"))
        known = mapping(better.get(task)).get(metric)
        return None if known is None else not known


def read(bundle: Bundle) -> Found | None:
    results = [n for n in bundle.ending(".json") if _is_results(bundle, n)]
    samples = [n for n in bundle.ending(".jsonl") if _is_sample(bundle.head(n))]
    if not results and not samples:
        return None
    found = Found(TOOL)
    beside = {_folder(name): name for name in results}
    # By folder, so that the results are read once for each, and not kept: they are
    # documents, of which an upload may have many.
    for folder, names in groupby(sorted(samples, key=_folder), key=_folder):
        about = About(bundle.value(beside[folder]) if folder in beside else {})
        for name in names:
            found.add(_scored(bundle, name, about))
    for name in results:
        found.add(_totals(About(bundle.value(name))))
    return found


def _folder(name: str) -> str:
    return str(PurePosixPath(name).parent)


def _is_results(bundle: Bundle, name: str) -> bool:
    if bundle.is_lines(name):
        return False
    value = mapping(bundle.value(name))
    is_theirs = "versions" in value and ("configs" in value or "n-shot" in value)
    return is_theirs and isinstance(value.get("results"), dict)


def _is_sample(value: object) -> bool:
    return {"doc_id", "doc", "arguments", "resps"} <= set(mapping(value))


def _scored(bundle: Bundle, name: str, about: About) -> Iterator[Scored]:
    named = _TASK.fullmatch(PurePosixPath(name).name)
    task = named[1] if named else ""
    for at, value in bundle.rows(name):
        row = mapping(value)
        sample = _sample(row, at, about.system)
        filter_ = str(row.get("filter") or "none")
        for metric in _metrics(row):
            got = number(row.get(metric))
            yield Scored(
                sample=sample,
                metric=as_word(metric),
                signature=about.signature(task, filter_),
                output=as_word(metric),
                value=got.value,
                reason=got.reason,
                lower_is_better=about.lower(task, metric),
            )


def _metrics(row: Mapping[str, Any]) -> list[str]:
    listed = [name for name in items(row.get("metrics")) if isinstance(name, str)]
    return listed or [name for name in row if name not in OTHER]


def _sample(row: Mapping[str, Any], at: int, system: str) -> Sample:
    doc, number_of = mapping(row.get("doc")), row.get("doc_id")
    prompt, words = _prompt(row.get("arguments")), _words(row)
    return Sample(
        at=f"line {at}, doc_id {number_of}",
        keys=keys([doc.get("key"), doc.get("id"), number_of]),
        texts=texts(words),
        prompt="" if prompt in words else prompt,
        system=system,
    )


def _words(row: Mapping[str, Any]) -> list[object]:
    """What a model wrote, or the text whose likelihood it gave."""
    given = mapping(mapping(row.get("arguments")).get("gen_args_0"))
    if given and "arg_1" not in given:
        return [given.get("arg_0")]
    answers = [row.get("resps"), row.get("filtered_resps")]
    return [] if any(map(_is_likelihood, answers)) else list(map(_first, answers))


def _is_likelihood(value: object) -> bool:
    """Whether the first of responses is a log-likelihood, with or without `GREEDY`."""
    for _ in range(3):
        if not isinstance(value, list) or not value:
            return False
        if len(value) == 2 and isinstance(value[1], str | bool) and value[1] in GREEDY:
            return number(value[0]).value is not None
        value = value[0]
    return False


def _first(value: object) -> object:
    """The first of responses, which may be nested."""
    for _ in range(3):
        if not isinstance(value, list):
            break
        value = value[0] if value else None
    return value


def _prompt(arguments: object) -> str:
    if isinstance(arguments, Mapping):
        first = mapping(arguments.get("gen_args_0")).get("arg_0")
    else:
        first = _first(arguments)
    return first if isinstance(first, str) else ""


def _totals(about: About) -> Iterator[Total]:
    for task, numbers in mapping(about.results.get("results")).items():
        has_filters = any("," in key for key in mapping(numbers))
        for key, value in mapping(numbers).items():
            metric, comma, filter_ = key.partition(",")
            if metric.endswith("_stderr") or bool(comma) != has_filters:
                continue  # its name, its length, how sure the number beside it is
            if not comma and not _is_number(value):
                continue
            got = number(value)
            yield Total(
                system=about.system or "model",
                metric=as_word(metric),
                signature=about.signature(str(task), filter_ or "none"),
                output=as_word(task),
                value=got.value,
                reason=got.reason,
                lower_is_better=about.lower(str(task), metric),
            )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
