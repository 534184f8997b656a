"""Checks of what a metric says of itself. Nothing is loaded."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import re
import subprocess
import sys
import typing
from typing import Any

import scoring.metrics
from scoring.metrics._engine.base import (
    Example,
    Metric,
    MetricError,
    Output,
    SystemMetric,
)
from scoring.option_fields import option_fields

Facts = Metric | SystemMetric

ASKED_ABOUT = Example("It rained. We left.", "It rained.", "sad", "Why?", ("So.",))
DIFFERENT: dict[str, Any] = {
    "text": "It rained. We stayed.",
    "prefix": "It",
    "label": "glad",
    "source": "How?",
    "references": ("No.",),
}

NEEDS = (
    *("corpus", "label", "log-probabilities", "prefix", "references", "source"),
    "training",
)
HEAVY = ("django", "torch", "transformers", "nltk", "sacrebleu", "sklearn", "ot")
# Arguments that the command line has beside a metric's options.
TAKEN = ("corpus", "device", "help", "seed", "threads")
KEY = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")

SEE_LINE = "See that line"
GIVE_OPTIONS = "Give the metric what it asks for, as options of this command"


def says_what_it_is(metric: Facts) -> str | None:
    """Title, source, and a docstring for the metric's page."""
    for fact in ("title", "source"):
        value = getattr(metric, fact, None)
        if not isinstance(value, str) or not value.strip():
            return f"{fact} is {value!r}"
    if metric.link and not metric.link.startswith("https://"):
        return f"link is {metric.link!r}"
    module = importlib.import_module(type(metric).__module__)
    if not (module.__doc__ or type(metric).__doc__):
        return "neither the file nor the class has a docstring"
    return None


def needs_what_there_is(metric: Facts) -> str | None:
    """Its needs are known, so that runs can be checked."""
    for fact in ("needs", "uses"):
        if unknown := sorted(getattr(metric, fact) - set(NEEDS)):
            return f"{fact} names {', '.join(unknown)}"
    return None


def describes_outputs(metric: Facts) -> str | None:
    """Every number has a key for addresses, a title, a unit and a direction."""
    outputs = metric.outputs
    if not outputs or not all(isinstance(one, Output) for one in outputs):
        return f"outputs is {outputs!r:.100}"
    keys = [output.key for output in outputs]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        return f"the key {twice[0]} is there twice"
    for output in outputs:
        if not KEY.fullmatch(output.key) or len(output.key) > 64:
            return (
                f"the key {output.key!r} is not small letters, digits and _ between"
                " them, 64 characters at most"
            )
        if not output.title.strip() or not output.unit.strip():
            return f"{output.key} has no title or no unit"
        if output.higher_is_better not in (True, False, None):
            return f"{output.key} has higher_is_better={output.higher_is_better!r}"
    return None


def describes_options(metric: Facts) -> str | None:
    """A form, --help and the API can be made of the options."""
    kind = metric.Options
    facts = getattr(kind, "__dataclass_params__", None)
    if facts is None or not facts.frozen:
        return f"{kind.__name__} is no frozen dataclass"
    for field in option_fields(kind):
        if field.name in TAKEN:
            return f"the command line has a --{field.name} of its own"
        if field.type not in (bool, int, float, str):
            return f"{field.name} is neither bool, int, float nor str"
        if not field.help:
            return f"{field.name} has no help"
        if field.choices and field.default not in field.choices:
            return f"the default of {field.name} is none of its choices"
    return None


def lists_lightly(metric: Facts) -> str | None:
    """In an interpreter of its own: facts and `explain` need no heavy library."""
    given = {
        "name": metric.name(),
        "options": dataclasses.asdict(metric.options),
        "paths": list(scoring.metrics.__path__),
        "example": dataclasses.asdict(
            Example("The ferry left. Nobody spoke.", "The ferry", "positive")
        ),
        "heavy": HEAVY,
    }
    found = subprocess.run(
        [sys.executable, "-c", LISTING, json.dumps(given)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    if found.returncode:
        return (found.stderr.strip().splitlines() or ["the interpreter ended"])[-1]
    imported = found.stdout.strip()
    return f"listing it imported {imported}" if imported else None


LISTING = """
import json, sys
import scoring.metrics as metrics
given = json.loads(sys.argv[1])
metrics.__path__ = given["paths"]
metric = metrics.get(given["name"])(**given["options"])
metric.outputs, metric.signature(), metric.check()
found = {name for name in given["heavy"] if name in sys.modules}
metric.explain(metrics.Example(**given["example"]))
found |= {"torch"} & set(sys.modules)
sys.stdout.write(", ".join(sorted(found)))
"""


def shows_what_a_text_was_written_for(metric: Facts) -> str | None:
    """A metric that asks in words tells apart whatever its questions may be about.

    In a prompt of one's own that is what it names; a reference needs to be named.
    """
    ask = getattr(metric, "prompts", None)
    if ask is None:
        return None
    usual, options = ask(ASKED_ABOUT), metric.options
    own = bool(getattr(options, "prompt", ""))
    unnamed = {*DIFFERENT} if own else {"references"}
    for name, other in DIFFERENT.items():
        if name in unnamed and f"{{{name.removesuffix('s')}}}" not in str(options):
            continue
        changed = ask(dataclasses.replace(ASKED_ABOUT, **{name: other}))
        if same := [key for key in usual if usual[key] == changed.get(key)]:
            return f"two texts with different {name} get the same prompt for {same[0]}"
    return None


def signs(metric: Facts) -> str | None:
    """A signature begins with the metric's name and ends with its version."""
    signature = metric.signature()
    if not signature.startswith(f"{metric.name()}|"):
        return f"the signature {signature[:80]} does not begin with the metric's name"
    if not re.search(r"\|v:\d+$", signature):
        return f"the signature {signature[:80]} does not end with the version"
    return None


class Loaded(typing.Protocol):
    """A metric of either kind with its scorer."""

    metric: Any
    device: str
    scorer: Any

    def differs(self, scorer: Any) -> bool:
        """Whether another scorer gives the ordinary texts other scores."""
        ...


def signature_has_no_path(subject: Loaded) -> str | None:
    """Scores made on two machines with the same files are the same scores."""
    signature, metric = subject.scorer.signature, subject.metric
    if not signature.startswith(f"{metric.name()}|"):
        return f"the loaded metric's signature is {signature[:80]}"
    parts = signature.split("|")
    for part in parts:
        _, _, value = part.partition(":")
        if value.startswith(("/", "~", "./", "../")) or value[1:3] in (":\\", ":/"):
            return f"it holds {part[:80]}"
    for field in option_fields(metric.Options):
        value = getattr(metric.options, field.name)
        named = field.path and value
        if named and f"{field.name}:{value}" in parts:
            return f"it holds {field.name} by its name, {value[:60]}"
    return None


def signature_changes_with_options(subject: Loaded) -> str | None:
    """Two numbers that differ never share a signature.

    Two ways to ask for the same numbers may: "auto", and what it stands for.
    """
    for name, other in varied(subject.metric).items():
        try:
            scorer = other.load(subject.device)
        except MetricError:
            continue  # this machine or model cannot do it
        if scorer.signature == subject.scorer.signature and subject.differs(scorer):
            value = getattr(other.options, name)
            return f"{name}={value!s:.40} gives other scores under the same signature"
    return None


def varied(metric: Facts) -> dict[str, Facts]:
    """The metric with another value of each option that can be varied by itself."""
    found: dict[str, Facts] = {}
    options = dataclasses.asdict(metric.options)
    for field in option_fields(metric.Options):
        if field.path:
            continue  # there may be no second model at hand
        value = _other(options[field.name], field.choices)
        try:
            other = type(metric)(**{**options, field.name: value})
            other.check()
        except ValueError:
            continue  # OptionError is one: it does not go with the other options
        found[field.name] = other
    return found


def _other(value: Any, choices: tuple[str, ...]) -> Any:
    if choices:
        return next((choice for choice in choices if choice != value), value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value / 2 if value else 0.5
    return f"{value}x"


CHECKS = (
    (
        "it says what it is",
        says_what_it_is,
        "Set title, source (where the definition is from) and link (https), and write"
        " the definition into the docstring",
    ),
    (
        "it needs nothing unheard of",
        needs_what_there_is,
        f"needs and uses hold some of {', '.join(NEEDS)}",
    ),
    (
        "its outputs are described",
        describes_outputs,
        "Give a tuple of Output, each with key (a-z, 0-9, _), title, unit with range,"
        " and direction",
    ),
    (
        "its options are described",
        describes_options,
        "Make Options a frozen dataclass whose fields are `option(default, help, ...)`",
    ),
    (
        "listing it imports no heavy library",
        lists_lightly,
        f"Import {', '.join(HEAVY)} inside `load` or later",
    ),
    (
        "it shows what a text was written for, if it asks in words",
        shows_what_a_text_was_written_for,
        "Let the prompt name {text}, {prefix}, {label} and {source}",
    ),
    (
        "its signature has name and version",
        signs,
        "Build it with self.signature(...)",
    ),
)

SIGNED = (
    (
        "its signature holds no path",
        signature_has_no_path,
        "Give contents: self.signature(model=_models.content_hash(folder))",
    ),
    (
        "its signature changes with its options",
        signature_changes_with_options,
        "Every option that changes the number belongs into the signature",
    ),
)
