"""Score with everything that runs here: which metrics that is, and what others miss."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import QuerySet, Sum

from annotation.models import Prompt, Study
from evalapp.work import queues
from scoring import metrics
from scoring.metrics import (
    Metric,
    OptionError,
    OptionField,
    SystemMetric,
    TrainedMetric,
    UnknownMetric,
    reference_kinds,
)
from scoring.models import Corpus, MetricRun
from scoring.runs import placing, starting
from scoring.runs.costs import Estimate, Estimates
from scoring.runs.starting import RunError
from scoring.scores import allowed_models, models_here
from scoring.scores.models_here import ModelHere
from scoring.scores.options import completed

Kind = type[Metric] | type[SystemMetric]
OPTIONS = "run_choose"  # the page of a metric's options
TRIED = 20  # models for one option, until a metric takes one


@dataclass(frozen=True, slots=True)
class Missing:
    """What keeps a metric from running, and how to get it."""

    what: str
    how: str
    to: str = ""  # name of the page of the study where one gets it
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A metric with the options that suit this study and this server."""

    metric: str
    kind: Kind
    options: dict[str, object] = field(default_factory=dict)
    corpus: Corpus | None = None
    missing: tuple[Missing, ...] = ()
    notes: tuple[str, ...] = ()  # what is missing, though it can run
    models: tuple[ModelHere, ...] = ()
    run: MetricRun | None = None  # the newest with these options, unless it stopped
    partly: bool = False  # texts came after that run
    estimate: Estimate | None = None
    queue: str = queues.CPU  # where it would wait

    @property
    def ready(self) -> bool:
        return not self.missing

    @property
    def scored(self) -> bool:
        return self.run is not None and self.run.ended and not self.partly

    @property
    def under_way(self) -> bool:
        return self.run is not None and not self.run.ended

    @property
    def at_chance(self) -> bool:
        """Whether it was trained, and no better than luck."""
        return any(model.at_chance for model in self.models)

    @property
    def stand_in_for(self) -> tuple[str, ...]:
        """The published models that small bundled ones take the place of."""
        fields = [f for f in metrics.option_fields(self.kind.Options) if f.takes]
        return tuple(
            field.default
            for field, model in zip(fields, self.models, strict=False)
            if model.place == "bundled" and field.default
        )

    @property
    def preselected(self) -> bool:
        return self.ready and not (self.scored or self.under_way or self.at_chance)


def choices(*, study: Study, visible: QuerySet[Study]) -> list[Choice]:
    """One for each metric, with those that can run now first, the quickest first.

    `visible` are the studies whose past runs may tell how long a metric takes.
    """
    look = _Look(study)
    estimates = Estimates(study, visible)
    found = [look.at(name, estimates) for name in metrics.names()]
    return sorted(found, key=_order)


def choice(*, study: Study, visible: QuerySet[Study], metric: str) -> Choice:
    """That of one metric.

    Raises:
        UnknownMetric: The message lists the metrics that there are.
    """
    return _Look(study).at(metric, Estimates(study, visible))


def _order(one: Choice) -> tuple[int, float, str]:
    state = 0 if one.preselected else 1 if one.ready else 2
    seconds = one.estimate.seconds if one.estimate and one.ready else 1e9
    return state, seconds, one.kind.title.casefold()


def start_all(
    *, study: Study, chosen: Iterable[Choice], user: Any = None
) -> tuple[list[MetricRun], list[str]]:
    """Start each of them, in a transaction of its own.

    Returns:
        The runs, and why others could not be started: these left nothing behind.
    """
    started, problems = [], []
    for one in chosen:
        try:
            run = starting.start_ready(
                study=study,
                metric=one.metric,
                options=one.options,
                user=user,
                corpus=one.corpus,
            )
        except (OptionError, RunError, UnknownMetric) as error:
            problems.append(f"{one.kind.title}: {error}")
        else:
            started.append(run)
    return started, problems


def _has(study: Study) -> frozenset[str]:
    """What any text of the study has. Five small queries."""
    prompts = Prompt.objects.filter(study=study)
    there = {
        "prefix": prompts.exclude(prefix="").exists(),
        "label": prompts.exclude(label=None).exists(),
        "systems": study.generations.exclude(system=None).exists(),
    }
    lacks = starting.lacks(study=study)
    return frozenset(
        {name for name, found in there.items() if found}
        | ({"source", "references", "corrections", "log-probabilities"} - lacks.keys())
    )


class _Look:
    """At one study and this server, for all metrics. Its queries do not grow."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.has = _has(study)
        self.known = models_here.here(study)
        self.corpora = sorted(study.corpora.all(), key=lambda one: -one.n_texts)
        runs = study.runs.filter(on=MetricRun.On.TEXTS).select_related("corpus")
        stopped = (MetricRun.State.FAILED, MetricRun.State.CANCELLED)
        self.runs = list(
            runs.exclude(state__in=stopped)
            .annotate(n_texts=Sum("chunks__total_items"))
            .order_by("-pk")
        )
        texts = study.generations
        self.n_texts = texts.count()
        self.n_of_systems = texts.exclude(system=None).count()

    def at(self, name: str, estimates: Estimates) -> Choice:
        kind = metrics.get(name)
        missing = [*self._lacking(kind), *self._without_corpus(kind)]
        options, models, problem = self._options(kind)
        if problem:
            missing.append(problem)
        takes_corpus = "corpus" in kind.needs | kind.uses
        corpus = self.corpora[0] if takes_corpus and self.corpora else None
        made = Choice(
            *(name, kind, options, corpus, tuple(missing)),
            notes=tuple(self._notes(kind)),
            models=tuple(models),
        )
        if missing:
            return made
        metric = starting.prepared(study=self.study, metric=name, options=options)
        run, partly = self._run(made, metric)
        return dataclasses.replace(
            made,
            run=run,
            partly=partly,
            estimate=estimates.of(name, options),
            queue=placing.of(metric).queue,
        )

    # What is missing ------------------------------------------------------------------

    def _lacking(self, kind: Kind) -> list[Missing]:
        there = self.has
        if reads_corrections(kind) and "corrections" in self.has:
            there |= {"references"}
        found = [
            Missing(what, how, "study_import")
            for need, (what, how) in LACKING.items()
            if need in kind.needs and need not in there
        ]
        if issubclass(kind, SystemMetric) and "systems" not in self.has:
            found.append(Missing(*NO_SYSTEMS, "study_import"))
        if kind.needs_one_of and not kind.needs_one_of & self.has:
            words = ", ".join(sorted(kind.needs_one_of))
            what = f"Needs one of: {words}"
            found.append(Missing(what, "Import texts with them", "study_import"))
        return found

    def _without_corpus(self, kind: Kind) -> list[Missing]:
        if "corpus" not in kind.needs or self.corpora:
            return []
        return [Missing("Needs a corpus of human texts", "Upload a corpus", "corpora")]

    def _notes(self, kind: Kind) -> list[str]:
        """What some outputs will lack. A text without it gets a reason, not a score."""
        lacks = (kind.needs & {"prefix", "label"}) - self.has
        found = [f"No text has a {one}, so some scores stay empty" for one in lacks]
        if "source" in kind.needs_one_of - self.has and "prefix" in self.has:
            found.append("Uses the opening of each text, because there is no source")
        if "corpus" in kind.uses and not self.corpora:
            found.append("Closeness to human text needs a corpus")
        return sorted(found)

    # Which options --------------------------------------------------------------------

    def _options(
        self, kind: Kind
    ) -> tuple[dict[str, object], list[ModelHere], Missing | None]:
        """The first that the metric takes; else what keeps it from all of them."""
        suited: dict[str, object] = dict(kind.suited(self.has))
        only = self.has & {"references", "corrections"} == {"corrections"}
        if only and "references" in kind.needs and reads_corrections(kind):
            suited[reference_kinds.OPTION] = reference_kinds.TARGETED
        fields = [f for f in metrics.option_fields(kind.Options) if f.takes]
        said: str | None = None
        for models in self._sets_of_models(kind, fields):
            named = {f.name: one.value for f, one in zip(fields, models, strict=True)}
            options = {**suited, **named}
            try:
                starting.prepared(study=self.study, metric=kind.name(), options=options)
            except OptionError as error:
                said = said or str(error)
            else:
                return options, models, None
        if fields and said is None:
            return suited, [], self._no_model(kind, fields)
        return suited, [], Missing(f"Cannot run: {said}", "Choose its options", "")

    def _sets_of_models(
        self, kind: Kind, fields: Sequence[OptionField]
    ) -> list[list[ModelHere]]:
        """One model for each option that takes one."""
        if not fields:
            return [[]]
        fits = [
            [one for one in models_here.usable(self.known, f, kind.name()) if one.kinds]
            for f in fields
        ]
        if len(fields) == 1:
            return [[one] for one in fits[0][:TRIED]]
        pairs = models_here.pairs(fits[0][:TRIED])
        return [list(pair) for pair in pairs if pair[1] in fits[1]]

    def _no_model(self, kind: Kind, fields: Sequence[OptionField]) -> Missing:
        if issubclass(kind, TrainedMetric):
            anchor = f"train-{kind.name()}"
            return Missing("Needs training first", "Train it", "trainings", anchor)
        words = " or ".join(models_here.WORDS[one] for one in fields[0].takes)
        if self._over_network(kind, fields[0]):
            what = f"Needs {words}; none is on this server"
            return Missing(what, "Choose one over the network", OPTIONS)
        two = "two models that share a tokenizer" if len(fields) > 1 else words
        usual = " and ".join(str(f.default) for f in fields if f.default)
        return Missing(f"Needs {two}; none is on this server", _how_to_get(usual))

    def _over_network(self, kind: Kind, field: OptionField) -> bool:
        """Whether someone may choose one: texts are sent to it, so nobody else does."""
        known = models_here.over_network()
        return bool(models_here.usable(known, field, kind.name()))

    # Whether it was done --------------------------------------------------------------

    def _run(
        self, one: Choice, made: Metric | SystemMetric
    ) -> tuple[MetricRun | None, bool]:
        """The newest run with these options, and whether texts came after it."""
        options = dataclasses.asdict(made.options)
        for run in self.runs:
            same = (run.metric, completed(run.metric, run.options), run.corpus_id) == (
                *(one.metric, options),
                one.corpus.pk if one.corpus else None,
            )
            if same:
                of_systems = issubclass(one.kind, SystemMetric)
                n = self.n_of_systems if of_systems else self.n_texts
                return run, (run.n_texts or 0) < n
        return None, False


def reads_corrections(kind: Kind) -> bool:
    """Whether a text's corrections can be its references."""
    fields = metrics.option_fields(kind.Options)
    return any(field.name == reference_kinds.OPTION for field in fields)


LACKING: Mapping[str, tuple[str, str]] = {
    "source": ("Needs sources: what the texts answer", "Import texts with sources"),
    "references": ("Needs reference texts", "Import references"),
    "log-probabilities": (
        "Needs the log-probability of each text under its system",
        "Import texts with log-probabilities",
    ),
}
NO_SYSTEMS = (
    "Needs to know which system wrote each text",
    "Import texts with a system column",
)


def _how_to_get(model: str) -> str:
    """For one who may do it or ask someone to: the server's settings decide."""
    folder = f"put a model into the folder {settings.MODELS_DIR.name} of the server"
    if allowed_models.hub() == "on" and model:
        return f"Choose {model} under Options to download it, or {folder}"
    return f"Ask your administrator to {folder}, such as {model}"
