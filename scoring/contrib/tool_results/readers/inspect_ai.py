"""Logs of inspect_ai: `.eval` files, and logs in JSON (log version 2, of 0.3.x).

Checked on what 0.3.285 wrote, each sample in one file or in several (`sample.json`).

Each scorer becomes a run; a score of several values has an output for each. "C", "P"
and "I" are 1, 0.5 and 0, as in the tool. "N" (no answer), NaN, which the tool writes
for a score that it does not count, and samples that ended in an error or that somebody
marked as invalid stay missing.

A text is the completion of a sample, a prompt its input. Words that the log keeps apart
as attachments are put back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scoring.contrib.tool_results.readers._bundle import Bundle
from scoring.contrib.tool_results.readers._found import (
    NO_VALUE,
    Found,
    Number,
    Sample,
    Scored,
    check_size,
    content_of,
    items,
    keys,
    mapping,
    number,
    quoted,
    said_in,
    signed,
    texts,
)
from scoring.runs.score_lines import as_word

TITLE = "inspect_ai"
FILES = "the log, in .eval or JSON"
TOOL = "inspect_ai"
HEADS = ("header.json", "_journal/start.json", "start.json")
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0}
ATTACHED = "attachment://"
PARTS = "/sample.json"  # of a sample that has a folder
# Scorers that ask no model, though the task may have one for grading.
RULES = frozenset(
    "answer choice exact f1 includes match math pattern perplexity precomputed_scores"
    " target_perplexity".split()
)

Output = tuple[str, str]  # the scorer, and which of its values
Light = tuple[Sample, dict[Output, Number], str]  # with why it may lack a score


def read(bundle: Bundle) -> Found | None:
    head = _head(bundle)
    if head is None:
        return None
    known: dict[Output, None] = {}  # in the order of the log
    rows = []
    for sample in _samples(bundle, head):
        rows.append(_light(sample, known))
        # Each sample gets all outputs, so few bytes can say millions of scores.
        check_size(len(known), len(rows) * max(1, len(known)))
    found = Found(TOOL)
    found.add(_scored(rows, _about(head, known)))
    return found


def _about(head: Mapping[str, Any], known: Iterable[Output]) -> dict[Output, Scored]:
    """For each output a score without text and number, with all that is the same."""
    signatures, nobody = _signatures(head), Sample("")
    return {
        (scorer, part): Scored(
            sample=nobody,
            metric=as_word(scorer),
            signature=signatures.get(scorer) or _signed(head, scorer, {}),
            output=as_word(part or scorer),
            value=None,
        )
        for scorer, part in known
    }


def _scored(rows: list[Light], about: Mapping[Output, Scored]) -> Iterator[Scored]:
    for sample, values, why in rows:
        for output, one in about.items():
            value, reason = values.get(output) or Number(None, why)
            yield one._replace(sample=sample, value=value, reason=reason)


def _head(bundle: Bundle) -> Mapping[str, Any] | None:
    """What the log says of the whole evaluation; None if it is no such log."""
    for name in HEADS:
        if bundle.has(name):
            rest = bundle.value("results.json") if bundle.has("results.json") else {}
            return {**mapping(rest), **mapping(bundle.value(name))}
    if len(bundle.names) != 1 or bundle.is_lines(bundle.names[0]):
        return None
    log = mapping(bundle.value(bundle.names[0]))
    is_log = isinstance(log.get("eval"), dict) and "status" in log
    return log if is_log and "task" in log["eval"] else None


def _samples(bundle: Bundle, head: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "samples" in head:
        yield from map(mapping, items(head["samples"]))
    for name in bundle.below("samples/"):
        if name.endswith(PARTS):
            about = mapping(bundle.beside(name, "metadata.json"))
            yield {"metadata": about, **mapping(bundle.value(name))}
        elif name.count("/") == 1:
            yield mapping(bundle.value(name))


def _light(sample: Mapping[str, Any], known: dict[Output, None]) -> Light:
    """The little of a sample that is kept."""
    values: dict[Output, Number] = {}
    for scorer, score in mapping(sample.get("scores")).items():
        values |= _values(str(scorer), mapping(score))
        check_size(len(values), 0)
    known.update(dict.fromkeys(values))
    is_valid = not sample.get("invalidation")
    return _sample(sample), values if is_valid else {}, _why(sample)


def _values(scorer: str, score: Mapping[str, Any]) -> dict[Output, Number]:
    value, said = score.get("value"), score.get("explanation")
    if isinstance(value, Mapping):
        return {(scorer, str(part)): _number(one, said) for part, one in value.items()}
    return {(scorer, ""): _number(value, said)}


def _number(value: object, explanation: object) -> Number:
    if isinstance(value, str) and value in GRADES:
        return Number(GRADES[value])
    if value == "N":
        return Number(None, "no answer (N)")
    found = number(value)
    if found.value is None and explanation:
        return Number(None, f"{found.reason}: {quoted(explanation)}"[:250])
    return found


def _why(sample: Mapping[str, Any]) -> str:
    if invalid := mapping(sample.get("invalidation")):
        said = invalid.get("reason")
        return "the sample is marked as invalid" + (f": {quoted(said)}" if said else "")
    if error := mapping(sample.get("error")).get("message"):
        return f"the sample ended in an error: {quoted(error)}"
    if limit := mapping(sample.get("limit")).get("type"):
        return f"the sample was stopped by its limit: {quoted(limit)}"
    return NO_VALUE


def _sample(sample: Mapping[str, Any]) -> Sample:
    kept = mapping(sample.get("attachments"))
    output = mapping(sample.get("output"))
    choice = mapping(next(iter(items(output.get("choices"))), None))
    said = content_of(mapping(choice.get("message")).get("content"))
    metadata = mapping(sample.get("metadata"))
    name, epoch = sample.get("id"), sample.get("epoch")
    return Sample(
        at=f"sample {name}" + (f", epoch {epoch}" if epoch not in (None, 1) else ""),
        keys=keys([metadata.get("key"), f"{name}_epoch_{epoch}", name]),
        texts=texts(_whole(one, kept) for one in (output.get("completion"), said)),
        prompt=_whole(said_in(sample.get("input"), "user"), kept),
        system=str(output.get("model") or ""),
    )


def _whole(text: object, kept: Mapping[str, Any]) -> str:
    """The text, from the attachments if the log keeps it there."""
    if not isinstance(text, str):
        return ""
    if text.startswith(ATTACHED):
        return str(kept.get(text.removeprefix(ATTACHED), text))
    return text


def _signatures(head: Mapping[str, Any]) -> dict[str, str]:
    """Of each scorer: task, judge and versions."""
    found = {}
    for one in map(mapping, items(mapping(head.get("eval")).get("scorers"))):
        given = mapping(one.get("options") or one.get("params"))
        found[str(one.get("name"))] = _signed(head, str(one.get("name")), given)
    for one in map(mapping, items(mapping(head.get("results")).get("scores"))):
        given = mapping(one.get("params"))
        if given or str(one.get("name")) not in found:
            found[str(one.get("name"))] = _signed(head, str(one.get("scorer")), given)
    return found


def _signed(head: Mapping[str, Any], scorer: str, given: Mapping[str, Any]) -> str:
    about = mapping(head.get("eval"))
    return signed(
        {
            "scorer": scorer,
            "judge": _judge(about, scorer, given),
            "task": about.get("task"),
            "task_version": about.get("task_version"),
            "inspect_ai": mapping(about.get("packages")).get("inspect_ai"),
        }
    )


def _judge(about: Mapping[str, Any], scorer: str, given: Mapping[str, Any]) -> object:
    """The model that grades: the scorer's own, that of its role, or the one graded."""
    if model := given.get("model"):
        several = model if isinstance(model, list) else [model]
        return ", ".join(str(_named(one)) for one in several)
    if RULES & {scorer, scorer.rstrip("0123456789")}:  # match1 is the second match
        return None
    role = str(given.get("model_role") or "grader")
    if named := mapping(mapping(about.get("model_roles")).get(role)).get("model"):
        return named
    return about.get("model") if "model_graded" in scorer else None


def _named(model: object) -> object:
    about = mapping(model)
    return about.get("model") or about.get("name") or model
