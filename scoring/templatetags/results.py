from __future__ import annotations

import re

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.templatetags.evalapp import number
from scoring import metrics, tables

register = template.Library()

HEAT_STEPS = 5


@register.simple_tag
def score(
    value: float | None, reason: str | None = "", whole: bool = False
) -> SafeString:
    """Three decimals, or three digits where decimals would say nothing.

    `whole` is for counts, which have no decimals.
    """
    if whole:
        return number(value, reason, 0)
    if value and not 0.001 <= abs(value) < 1e5:
        return format_html("{}", f"{value:.3g}".replace("-", "\N{MINUS SIGN}"))
    return number(value, reason)


@register.simple_tag
def coefficient(value: float | None, reason: str | None = "") -> SafeString:
    """A table cell, its background blue above zero and orange below."""
    shown = number(value, reason)
    if value is None:
        return format_html('<td class="number">{}</td>', shown)
    cell = '<td class="number {}" data-value="{}">{}</td>'
    return format_html(cell, heat(value), repr(value), shown)


@register.filter
def lasting(seconds: float) -> str:
    """A time left in words, no more exact than it can be known."""
    for unit, size in (("hour", 3600), ("minute", 60)):
        if seconds >= 1.5 * size:
            return f"about {round(seconds / size)} {unit}s"
    return f"about {max(1, round(seconds))} seconds"


@register.filter
def per_second(rate: float) -> str:
    if rate < 1:
        return f"{rate * 60:.3g} texts a minute"
    return f"{round(rate)} texts a second"


@register.filter
def taking(seconds: float) -> str:
    """A time that was measured: two digits, in a unit that suits it."""
    for unit, size in (("h", 3600), ("min", 60), ("s", 1), ("ms", 0.001)):
        if seconds >= size or unit == "ms":
            shown = seconds / size
            return f"{shown:.0f} {unit}" if shown >= 10 else f"{shown:.2g} {unit}"
    return ""


@register.filter
def ticks(text: str) -> SafeString:
    """Text in which `what stands so` is code."""
    parts = re.split(r"`([^`]+)`", text)
    return format_html_join(
        "", "{}", ((_part(part, k % 2 == 1),) for k, part in enumerate(parts))
    )


def _part(text: str, code: bool) -> SafeString:
    return format_html("<code>{}</code>" if code else "{}", text)


@register.simple_tag
def metric_url(name: str) -> str:
    """The address of a metric's page; "" for scores that were uploaded."""
    return reverse("metric", args=[name]) if name in metrics.names() else ""


@register.filter
def unit(text: str) -> str:
    return tables.unit(text)


def heat(value: float) -> str:
    """The class of a cell's background: five steps either way, none near zero."""
    if abs(value) < 0.05:
        return ""
    step = min(HEAT_STEPS, int(abs(value) * HEAT_STEPS) + 1)
    return f"heat-{'up' if value > 0 else 'down'}-{step}"
