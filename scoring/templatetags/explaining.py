from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.templatetags.evalapp import number

register = template.Library()


@register.simple_tag
def percent(value: float | None, reason: str | None = "") -> SafeString:
    """A share with its sign, one decimal: 72 evaluators have about 1.4 % each."""
    if value is None:
        return number(None, reason)
    return format_html("{}\N{NARROW NO-BREAK SPACE}%", number(100 * value, "", 1))


@register.simple_tag
def bar(value: float | None, largest: float | None) -> SafeString:
    """A share as a bar, the largest filling its column. The number beside it counts."""
    if value is None or not largest or value <= 0:
        return SafeString("")
    width = min(100.0, 100 * value / largest)
    return format_html(
        '<svg class="bar-of" viewBox="0 0 100 4" preserveAspectRatio="none"'
        ' aria-hidden="true"><rect width="{}" height="4"></rect></svg>',
        f"{width:.1f}",
    )


@register.filter
def largest_share(rows: list) -> float | None:
    return max((row.share for row in rows if row.share is not None), default=None)


@register.filter
def rank(value: float | None) -> str:
    """12, or 12.5 where two texts share the ranks 12 and 13."""
    return "" if value is None else f"{value:g}"
