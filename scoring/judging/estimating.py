"""What asking a judge over the network will take, before anybody agrees to it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from annotation.models import Generation, Negative, Study
from scoring.metrics import Example, judge_endpoints, judge_finding, judge_sizing
from scoring.models import MetricRun
from scoring.scores.examples import examples_of, examples_of_negatives

BYTES_PER_TOKEN = 4  # what English takes; other scripts may need more tokens
MILLION = 1_000_000
USUAL_CURRENCY = "USD"
TEXTS_MEASURED = 2000  # of more, some are taken in even steps
SPARE = 1.2  # for calls that fail and are made again


@dataclass(frozen=True, slots=True)
class Estimate:
    """Where texts would go, and how much would be asked at most.

    Retries aside: a call that fails is made again, up to the limit.
    """

    endpoint: str
    model: str
    leaves_site: bool  # the operator's own network
    calls: int
    tokens_in: int
    most_tokens_out: int
    cost: float | None  # at most; None: the operator has not named both prices
    currency: str
    calls_per_minute: int = 0  # 0: no limit
    texts: int = 0
    measured: int = 0  # texts that were read for it
    held: float = 0.0  # money, while the longest call is on its way

    @property
    def sampled(self) -> bool:
        return self.measured < self.texts

    @property
    def seconds(self) -> float | None:
        """At least, by the endpoint's limit of calls; None: it has none."""
        limit = self.calls_per_minute
        return 60 * self.calls / limit if limit else None

    @property
    def is_slow(self) -> bool:
        """Whether the limit of calls makes it last."""
        return (self.seconds or 0) >= 60

    @property
    def told(self) -> str:
        """In one sentence, for those who see no page."""
        where = "outside" if self.leaves_site else "inside"
        money = f", at most {self.cost:.2g} {self.currency}" if self.cost else ""
        return (
            f"the run sends texts to {self.endpoint}, {where} this server's own"
            f" network: {self.calls:,} calls, about {self.tokens_in:,} tokens sent and"
            f" at most {self.most_tokens_out:,} received{money}"
        )

    @property
    def proposed_calls(self) -> int:
        """A limit that leaves room for some retries."""
        return math.ceil(_rounded_up(SPARE * self.calls + 10))

    @property
    def proposed_cost(self) -> float | None:
        if self.cost is None:
            return None
        return max(0.01, _rounded_up(SPARE * self.cost + self.held))


def is_endpoint(options: Any) -> bool:
    """Whether the options of a metric, or of a run, name a judge over the network."""
    given = options if isinstance(options, dict) else vars(options)
    model = given.get("model")
    return isinstance(model, str) and model.strip().startswith(judge_endpoints.PREFIX)


def known() -> judge_endpoints.Endpoints:
    """What the operator has set up."""
    return judge_endpoints.read(judge_endpoints.file(settings.DATA_DIR))


def calls_of_a_text(options: Any) -> int:
    """How many calls of a run are about one text, if none fails."""
    asked = judge_finding.asked(options, Example(text="One text."))
    return sum(len(one.samples) for one in asked)


def currency_of(options: Mapping[str, Any]) -> str:
    """In which money is counted; the usual one of an endpoint that is not known."""
    name = str(options.get("model", "")).strip().removeprefix(judge_endpoints.PREFIX)
    endpoint = known().known.get(name.partition("/")[0])
    return endpoint.currency if endpoint else USUAL_CURRENCY


def estimate(
    *,
    model: str,
    size: judge_sizing.Size,
    texts: int = 0,
    measured: int = 0,
) -> Estimate:
    """What calls of a size take at an endpoint, the test question aside.

    Args:
        model: endpoint:NAME/MODEL.
        size: Of the calls.
        texts: How many texts are sent, where a page should tell it.
        measured: How many of these were read for the size; all by default.

    Raises:
        MetricError: There is no such endpoint, or it does not offer the model.
        OptionError: The model is not written so.
    """
    endpoint, asked = judge_endpoints.chosen(model, known())
    probe = judge_sizing.of_probe()
    tokens_in = math.ceil((size.bytes_in + probe.bytes_in) / BYTES_PER_TOKEN)
    tokens_out = size.most_tokens_out + probe.most_tokens_out
    prices = (endpoint.price_in, endpoint.price_out)
    return Estimate(
        endpoint=endpoint.name,
        model=asked,
        leaves_site=endpoint.leaves_site,
        calls=size.calls + probe.calls,
        tokens_in=tokens_in,
        most_tokens_out=tokens_out,
        cost=_cost(prices, (tokens_in, tokens_out)),
        currency=endpoint.currency,
        calls_per_minute=endpoint.calls_per_minute,
        held=max(size.longest, probe.longest).cost(endpoint),
        texts=texts,
        measured=measured or texts,
    )


def of_run(*, study: Study, options: Any, on: str = MetricRun.On.TEXTS) -> Estimate:
    """What a run of llm_judge with these options takes.

    Args:
        study: Whose texts, or negatives, are scored.
        options: The Options of the metric, completed: see `starting.prepared`.
        on: What is scored, as of a run.

    Raises:
        MetricError, OptionError: As `estimate`.
    """
    ids, examples = _some(study, on)
    measured = judge_sizing.of_texts(options, examples)
    scale = len(ids) / len(examples) if examples else 0
    size = measured._replace(
        calls=math.ceil(measured.calls * scale),
        bytes_in=math.ceil(measured.bytes_in * scale),
        most_tokens_out=math.ceil(measured.most_tokens_out * scale),
    )
    return estimate(
        model=options.model, size=size, texts=len(ids), measured=len(examples)
    )


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
    n = min(len(ids), TEXTS_MEASURED)
    return [ids[k * len(ids) // n] for k in range(n)]


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
