from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

HEAT_STEPS = 5


@register.simple_tag
def number(value: float | None, reason: str | None = "") -> SafeString:
    """Three decimals; "—" with the reason on hover and for screen readers."""
    if value is None:
        return _none(reason)
    return format_html("{}", _decimals(value))


@register.simple_tag
def coefficient(value: float | None, reason: str | None = "") -> SafeString:
    """A table cell, its background blue above zero and orange below."""
    if value is None:
        return format_html('<td class="number">{}</td>', _none(reason))
    return format_html(
        '<td class="number {}" data-value="{}">{}</td>',
        heat(value),
        repr(value),
        _decimals(value),
    )


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


def heat(value: float) -> str:
    """The class of a cell's background: five steps either way, none near zero."""
    if abs(value) < 0.05:
        return ""
    step = min(HEAT_STEPS, int(abs(value) * HEAT_STEPS) + 1)
    return f"heat-{'up' if value > 0 else 'down'}-{step}"


def _decimals(value: float) -> str:
    if value and not 0.001 <= abs(value) < 1e5:
        return f"{value:.3g}"
    # A true minus sign is as wide as a plus, and breaks no line.
    return f"{value:.3f}".replace("-", "\N{MINUS SIGN}")


def _none(reason: str | None) -> SafeString:
    return format_html(
        '<span title="{0}"><span aria-hidden="true">—</span>'
        '<span class="visually-hidden">none: {0}</span></span>',
        reason or "no value",
    )
