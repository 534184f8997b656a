"""What asking a judge over the network will take, before anybody agrees to it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.conf import settings

from annotation.models import Generation, Negative, Study
from scoring.endpoints import capabilities, configuration
from scoring.judging import answer_cache, identities
from scoring.metrics import Example, MetricError
from scoring.metrics.judge import network_metric, workload
from scoring.models import JudgeIdentity, MetricRun
from scoring.scores.examples import examples_of, examples_of_negatives

BYTES_PER_TOKEN = 4  # what English takes; other scripts may need more tokens
MILLION = 1_000_000
USUAL_CURRENCY = "USD"
MODELS = ("model", "expert", "amateur")  # options that may name an endpoint
TEXTS_MEASURED = 2000  # of more, some are taken in even steps
SPARE = 1.2  # for calls that fail and are made again


@dataclass(frozen=True, slots=True)
class Place:
    """A model that texts would go to."""

    endpoint: str
    model: str
    leaves_site: bool  # the operator's own network
    calls: int = 0
    calls_per_minute: int = 0  # 0: no limit
    lessons: str = ""  # what its server does not take, in a sentence
    is_free: bool = False  # by the prices that the operator has set


@dataclass(frozen=True, slots=True)
class Estimate:
    """Where texts would go, and how much would be asked at most.

    Retries aside: a call that fails is made again, up to the limit.
    """

    places: tuple[Place, ...]
    tokens_in: int
    most_tokens_out: int
    cost: float | None  # at most; None: the operator has not named all prices
    currency: str
    texts: int = 0
    measured: int = 0  # texts that were read for it
    tests: int = 1  # calls that only find out who answers, and what it can
    held: float = 0.0  # money, while the longest call is on its way
    sends: str = "texts"  # what is sent, in the plural
    kept: int = 0  # calls that were answered before, which cost nothing
    unsure: int = 0  # of these, where not all were looked up: they may be needed

    @property
    def endpoint(self) -> str:
        """The name, or the names."""
        return " and ".join(dict.fromkeys(place.endpoint for place in self.places))

    @property
    def leaves_site(self) -> bool:
        return any(place.leaves_site for place in self.places)

    @property
    def is_free(self) -> bool:
        return all(place.is_free for place in self.places)

    @property
    def calls(self) -> int:
        return sum(place.calls for place in self.places)

    @property
    def calls_per_minute(self) -> int:
        """The lowest limit; 0: there is none."""
        limits = [place.calls_per_minute for place in self.places]
        return min(filter(None, limits), default=0)

    @property
    def sampled(self) -> bool:
        return self.measured < self.texts

    @property
    def seconds(self) -> float | None:
        """At least, by limits of calls, one model after the other; None: no limit."""
        limited = [place for place in self.places if place.calls_per_minute]
        seconds = [60 * place.calls / place.calls_per_minute for place in limited]
        return sum(seconds) if seconds else None

    @property
    def is_slow(self) -> bool:
        """Whether the limit of calls makes it last."""
        return (self.seconds or 0) >= 60

    @property
    def told(self) -> str:
        """In one sentence, for those who see no page."""
        where = "outside" if self.leaves_site else "inside"
        money = f", at most {self.cost:.2g} {self.currency}" if self.cost else ""
        lessons = [
            place.lessons.removesuffix(".") for place in self.places if place.lessons
        ]
        return (
            f"the run sends texts to {self.endpoint}, {where} this server's own"
            f" network: {self.calls:,} calls, about {self.tokens_in:,} tokens sent and"
            f" at most {self.most_tokens_out:,} received{money}"
            + "".join(f". {lesson}" for lesson in lessons)
        )

    @property
    def proposed_calls(self) -> int:
        """A limit that leaves room for some retries."""
        return math.ceil(_rounded_up(SPARE * (self.calls + self.unsure) + 10))

    @property
    def proposed_cost(self) -> float | None:
        if self.cost is None:
            return None
        most = self.cost * (1 + self.unsure / self.calls)
        return max(0.01, _rounded_up(SPARE * most + self.held))


def is_endpoint(options: Any) -> bool:
    """Whether the options of a metric name a model over the network."""
    return bool(network_metric.models(options))


def all_endpoints() -> configuration.Endpoints:
    """What the operator has set up."""
    return configuration.read(configuration.file(settings.DATA_DIR))


def calls_of_a_text(metric: Any) -> int:
    """How many calls of a run are about one text, if none fails.

    0 where it depends on what belongs to the text, such as references.
    """
    sizes = workload.of_metric(metric, [Example(text="One text.")])
    return sum(size.calls for size in sizes.values())


def currency_of(options: Mapping[str, Any]) -> str:
    """In which money is counted; the usual one of an endpoint that is not known."""
    return next((endpoint.currency for endpoint in named_in(options)), USUAL_CURRENCY)


def named_in(options: Mapping[str, Any]) -> list[configuration.Endpoint]:
    """Endpoints that unchecked options name, as far as they are known."""
    configured, endpoints = all_endpoints().known, []
    for option in MODELS:
        model = str(options.get(option, "")).strip()
        name = model.removeprefix(configuration.PREFIX).partition("/")[0]
        if model.startswith(configuration.PREFIX) and name in configured:
            endpoints.append(configured[name])
    return endpoints


def estimate(
    *,
    model: str,
    size: workload.Size,
    study: Study | None = None,
    texts: int = 0,
    measured: int = 0,
    sends: str = "texts",
) -> Estimate:
    """What calls of a size take of a judge, the test question included.

    Answers that are kept count as nothing. Few queries.

    Args:
        model: endpoint:NAME/MODEL.
        size: Of the calls about the texts that were measured.
        study: Which asks: it uses answers of its own, and of those that are open to it.
        texts: How many texts are sent, where a page should tell it.
        measured: How many of these the size is of; all by default.
        sends: What is sent, in the plural.

    Raises:
        MetricError: There is no such endpoint, or it does not offer the model.
        OptionError: The model is not written so.
    """
    tests = workload.of_probe()
    return _estimate(
        {model: size},
        tests,
        study=study,
        texts=texts,
        measured=measured or texts,
        sends=sends,
    )


def of_run(*, study: Study, metric: Any, on: str = MetricRun.On.TEXTS) -> Estimate:
    """What a run of a metric takes.

    Args:
        study: Whose texts, or negatives, are scored.
        metric: With completed options: see `starting.prepared`.
        on: What is scored, as of a run.

    Raises:
        MetricError, OptionError: As `estimate`, or a file that is sent, too, cannot be
            read.
    """
    ids, examples = _some(study, on)
    return _estimate(
        workload.of_metric(metric, examples),
        workload.of_tests(metric),
        first=workload.of_first(metric),
        study=study,
        texts=len(ids),
        measured=len(examples),
    )


def endpoints_of(options: Any) -> list[configuration.Endpoint]:
    """Of the models that the options of a metric name.

    Raises:
        MetricError: There is no such endpoint, it does not offer the model or the mode,
            or their prices are in different currencies: no limit could count them.
    """
    configured = all_endpoints()
    models = network_metric.models(options)
    endpoints = [configuration.resolve(model, configured)[0] for model in models]
    if mode := getattr(options, "mode", ""):
        for model in models:
            configuration.check_mode(model, mode, configured)
    currencies = sorted(
        {endpoint.currency for endpoint in endpoints if endpoint.price_in is not None}
    )
    if len(currencies) > 1:
        raise MetricError(
            "the prices of the two endpoints are in different currencies,"
            f" {' and '.join(currencies)}, so no spending limit can be set: choose"
            " models whose endpoints have the same currency"
        )
    return endpoints


def _estimate(
    sizes: Mapping[str, workload.Size],
    tests: workload.Size,
    *,
    study: Study | None,
    texts: int,
    measured: int,
    first: Mapping[str, workload.Size] | None = None,
    sends: str = "texts",
) -> Estimate:
    """Of all models together, each with its tests and what is asked before any text."""
    scale = texts / measured if measured else 1.0
    parts = [
        _part(model, size, scale, [tests, *_one(first or {}, model)], study)
        for model, size in sizes.items()
    ]
    costs = [part.cost for part in parts if part.cost is not None]
    return Estimate(
        places=tuple(part.place for part in parts),
        tokens_in=sum(part.tokens_in for part in parts),
        most_tokens_out=sum(part.most_tokens_out for part in parts),
        cost=sum(costs) if len(costs) == len(parts) else None,
        currency=parts[-1].currency if parts else USUAL_CURRENCY,
        texts=texts,
        measured=measured,
        tests=tests.calls * len(parts),
        held=max((part.held for part in parts), default=0.0),
        sends=sends,
        kept=sum(part.kept for part in parts),
        unsure=sum(part.unsure for part in parts),
    )


class _Part(NamedTuple):
    """Of an estimate: what one model takes."""

    place: Place
    tokens_in: int
    most_tokens_out: int
    cost: float | None
    currency: str
    held: float
    kept: int
    unsure: int


def _part(
    model: str,
    size: workload.Size,
    scale: float,
    besides: Sequence[workload.Size],
    study: Study | None,
) -> _Part:
    """Of calls about so many times the texts, and others besides, as they are."""
    endpoint, model_name = configuration.resolve(model, all_endpoints())
    last = identities.last(endpoint.name, model_name)
    takes = _capabilities(endpoint, model_name, last)
    size, besides = size.fitted(takes), [extra.fitted(takes) for extra in besides]
    cached = answer_cache.of(endpoint, last, () if size.fresh else size.sent, study)
    left = cached.without(size, scale)
    whole = workload.together([left, *besides])
    tokens = math.ceil(whole.bytes_in / BYTES_PER_TOKEN), whole.most_tokens_out
    return _Part(
        place=Place(
            endpoint.name,
            model_name,
            endpoint.leaves_site,
            whole.calls,
            endpoint.calls_per_minute,
            takes.lessons,
            endpoint.is_free,
        ),
        tokens_in=tokens[0],
        most_tokens_out=tokens[1],
        cost=_cost((endpoint.price_in, endpoint.price_out), tokens),
        currency=endpoint.currency,
        held=max(size.longest, whole.longest).cost(endpoint),
        kept=math.ceil(size.calls * scale) - left.calls,
        unsure=cached.unsure(size, scale),
    )


def _capabilities(
    endpoint: configuration.Endpoint, model: str, last: JudgeIdentity | None
) -> capabilities.Capabilities:
    """As the last test question that was answered has shown."""
    settings = endpoint.settings(model)
    if last is None or not last.parameters:
        return capabilities.of(settings)
    return capabilities.of_probe(settings, last.parameters)


def _one(first: Mapping[str, workload.Size], model: str) -> list[workload.Size]:
    return [first[model]] if model in first else []


def _some(study: Study, on: str) -> tuple[Sequence[int], list[Example]]:
    """The keys of all that is scored, and what the judge sees of at most so many."""
    if on == MetricRun.On.NEGATIVES:
        negatives = Negative.objects.filter(survey__study=study)
        ids = list(negatives.order_by("pk").values_list("pk", flat=True))
        read = Negative.objects.filter(pk__in=_evenly(ids)).select_related(
            "survey__prompt__label", "source__prompt__label"
        )
        prompts = ("survey__prompt__references", "source__prompt__references")
        return ids, examples_of_negatives(list(read.prefetch_related(*prompts)))
    ids = list(study.generations.order_by("pk").values_list("pk", flat=True))
    rows = Generation.objects.filter(pk__in=_evenly(ids))
    rows = rows.select_related("prompt__label")
    return ids, examples_of(list(rows.prefetch_related("prompt__references")))


def _evenly(ids: list[int]) -> list[int]:
    """At most TEXTS_MEASURED of them, from the first to the last."""
    return answer_cache.spread(ids, TEXTS_MEASURED)


def _cost(
    prices: tuple[float | None, float | None], tokens: tuple[int, int]
) -> float | None:
    price_in, price_out = prices
    if price_in is None or price_out is None:
        return None
    return (price_in * tokens[0] + price_out * tokens[1]) / MILLION


def _rounded_up(value: float) -> float:
    """To two digits: 433.2 becomes 440, 0.01234 becomes 0.013."""
    if value <= 0:
        return 0.0
    place = 1 - math.floor(math.log10(value))
    # Through a decimal text: 0.07 * 100 is more than 7.
    scaled = float(f"{value * 10.0**place:.9g}")
    return float(f"{math.ceil(scaled) / 10.0**place:.9g}")
