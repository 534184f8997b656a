"""What a checked file allows and what is wrong with it, as a page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from annotation import imports, surveys
from annotation.assistant.choices import LOOK
from annotation.assistant.looking import looked
from annotation.models import Generation, Prompt, Study, Upload
from annotation.models.aspects import AttributeLabel

MOST_TEXTS = 2000  # that are tried whether they can be damaged
LISTED = 12  # names of systems and the like


def report(
    upload: Upload, sheet: imports.Sheet, chosen: imports.Options
) -> dict[str, Any]:
    """Plain values: they are kept beside the upload."""
    counts, problems = sheet.counts, sheet.problems
    rated = bool(counts.ratings or counts.means)
    ready = imports.PRESETS.get(sheet.preset)
    scale = sheet.scale(chosen, ready.scale if ready else "")
    return {
        "texts": counts.texts,
        "by_id": counts.by_id,
        "prompts": counts.prompts,
        "systems": len(counts.systems),
        "system_names": sorted(counts.systems)[:LISTED],
        "labels": sorted(counts.labels)[:LISTED],
        "n_labels": len(counts.labels),
        "references": counts.references,
        "edited": counts.edited,
        "ratings": counts.ratings,
        "means": counts.means,
        "aspects": list(counts.aspects.values()),
        "metrics": list(counts.metrics),
        "scores": sum(counts.metrics.values()),
        "scale": [scale[0], scale[-1]],
        "causes": [cause._asdict() for cause in problems.causes()],
        "left_out": len(problems.bad_lines),
        "of_the_file": problems.of_the_file,
        "damage": "" if rated else _damage(sheet, upload.study),
        "respelled": imports.respelled(counts.respelled),
        "no_output": imports.no_output(counts),
        "unit": sheet.unit,
        "encoding": _encoding(sheet.encoding),
        "sha256": sheet.sha256,
        "notes": sheet.notes,
        "asked": [one.plain() for one in sheet.asked],
        "open": len(sheet.questions),
        "values": sheet.tables,
        "account": [entry.plain() for entry in sheet.account],
        LOOK: asdict(looked(sheet.opened, sheet.encoding)) if sheet.opened else None,
    }


def _encoding(found: imports.Encoding) -> str:
    """What to check, where it is not the usual one; empty: nothing."""
    if found.is_usual:
        return ""
    if found.sure:
        return f"Read as {found.title}."
    if not found.words:
        return (
            "Some characters are not UTF-8. If the file has another encoding, choose"
            " it under “Encoding” below."
        )
    words = ", ".join(f"“{word}”" for word in found.words)
    return (
        f"Read as {found.title}: check the accents below, and in words such as {words}."
        " If they are wrong, choose another encoding below."
    )


def _damage(sheet: imports.Sheet, study: Study | None) -> str:
    """For which pages of these texts no damaged text can be made; empty: for none."""
    if study is not None and study.generations.exists():
        return ""  # the texts that are there count, too: Overview tells
    prompts: dict[tuple[str, str, str], Prompt] = {}
    labels: dict[str, AttributeLabel] = {}
    texts = []
    for number, row in enumerate(islice(sheet, MOST_TEXTS), start=1):
        if row.is_empty:
            continue  # no page has it
        if row.prompt not in prompts:
            pk = len(prompts) + 1
            label = labels.setdefault(
                row.label, AttributeLabel(pk=len(labels) + 1, name=row.label)
            )
            prompts[row.prompt] = Prompt(
                pk=pk,
                prefix=row.prefix,
                source=row.source,
                label=label if row.label else None,
            )
        made = Generation(pk=number, text=row.text, prompt=prompts[row.prompt])
        texts.append(made)
    size = study.texts_per_survey if study else surveys.USUAL_SIZE
    found = surveys.damageable_texts(texts=texts, size=size)
    if not found.without:
        return ""
    return f"{found.sentence} {found.advice}"


def account_of(kept: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Where filled cells went, for a page: from a report or from a stored import."""
    entries = [imports.entry_of(one) for one in kept]
    return {
        "entries": entries,
        "total": imports.total(entries) if entries else "",
        "not_used": imports.not_used(entries),
    }


def counted(report: dict[str, Any]) -> list[tuple[str, str]]:
    """The facts of a report: what there is, and how much of it or which."""
    texts = f"{report['texts']:,}"
    if report["by_id"]:
        here = ("Texts of the study", f"{report['by_id']:,}, by their IDs")
        return [here, _ratings(report), _scores(report)]
    named = ", ".join(report["system_names"])
    more = report["systems"] - len(report["system_names"])
    systems = f"{report['systems']:,} ({named}{f' and {more:,} more' if more else ''})"
    return [
        ("Texts", texts),
        ("Prompts", f"{report['prompts']:,}"),
        ("Systems", systems if report["systems"] else "not named"),
        (
            "References",
            f"for {report['references']:,} of {texts} texts"
            if report["references"]
            else "none",
        ),
        *_edited(report, texts),
        ("Labels", _labels(report)),
        _ratings(report),
        _scores(report),
    ]


def _ratings(report: Mapping[str, Any]) -> tuple[str, str]:
    low, high = report["scale"]
    aspects = ", ".join(report["aspects"])
    ratings = " and ".join(
        f"{report[kind]:,} {what}"
        for kind, what in (("ratings", "ratings"), ("means", "mean ratings"))
        if report[kind]
    )
    if not ratings:
        return "Ratings", "none yet: people can rate the texts here"
    return "Ratings", f"{ratings} of {aspects}, on a scale from {low} to {high}"


def _scores(report: Mapping[str, Any]) -> tuple[str, str]:
    if not report["scores"]:
        return "Metric scores", "none: run metrics here"
    return "Metric scores", f"{report['scores']:,} of {', '.join(report['metrics'])}"


def _edited(report: dict[str, Any], texts: str) -> list[tuple[str, str]]:
    """Nothing where there are none: few files have any."""
    edited = report.get("edited", 0)
    return [("Corrected texts", f"for {edited:,} of {texts} texts")] if edited else []


def _labels(report: dict[str, Any]) -> str:
    if not report["n_labels"]:
        return "none"
    return f"{report['n_labels']:,} ({', '.join(report['labels'])})"
