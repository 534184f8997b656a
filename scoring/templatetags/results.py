from __future__ import annotations

import re
from collections.abc import Sequence

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.models import Study
from annotation.templatetags.evalapp import number
from scoring import metrics
from scoring.drawing import tables
from scoring.scores import outputs

register = template.Library()

# Of a table on a page: 1,000 raters have 15,000 rows of answers, which take three
# seconds to write, and a browser longer to draw.
MOST_ROWS = 300

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
    """A table cell, blue where a metric agrees with people, orange where not."""
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
    left = max(1, round(seconds))
    return f"about {left} second{'s' * (left > 1)}"


@register.simple_tag
def money(value: float, currency: str) -> str:
    """An amount: cents, or two digits of what is less than ten of them."""
    small = 0 < value < 0.1
    return f"{value:.2g} {currency}" if small else f"{value:,.2f} {currency}"


@register.filter
def per_second(rate: float) -> str:
    if rate < 1:
        return f"{rate * 60:.3g} texts per minute"
    whole = round(rate)
    return "1 text per second" if whole == 1 else f"{whole:,} texts per second"


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


@register.simple_tag
def metric_title(name: str) -> str:
    """A metric in words."""
    return outputs.metric_title(name)


@register.filter
def unit(text: str) -> str:
    return tables.unit(text)


def heat(value: float) -> str:
    """The class of a cell's background: five steps either way, none near zero."""
    if abs(value) < 0.05:
        return ""
    step = min(HEAT_STEPS, int(abs(value) * HEAT_STEPS) + 1)
    return f"heat-{'up' if value > 0 else 'down'}-{step}"


# Tables of the statistic pages -------------------------------------------------------

BADGES = {
    "baseline": "A count, no judgement: a metric should agree with people better",
    "meant for it": "The metric is meant to measure this aspect",
    "no direction": "Closeness to human text is what counts: taken as it is",
    "small model": "Scored by a small model that came with the app",
    "planned": "Named in the plan that was locked before the first rating",
    "exploratory": "Not in a plan that was locked before the first rating",
}


@register.simple_tag
def study_url(name: str, study: Study, args: Sequence[str] = ()) -> str:
    """The address of a page of the study, where only its name is known."""
    return reverse(name, args=[study.name, *args])


@register.filter
def columns(table: tables.Table) -> list[tuple[str, bool]]:
    """Names of columns, and whether they hold numbers."""
    return list(zip(table.header, tables.number_columns(table), strict=True))


@register.filter
def body(table: tables.Table) -> list[list[tables.Value]]:
    """Rows that sort, as many as a browser can show."""
    return table.rows[: min(len(table.rows) - table.foot, MOST_ROWS)]


@register.filter
def left_out(table: tables.Table) -> str:
    """A sentence on the rows that are in files only; empty where all are shown."""
    total = len(table.rows) - table.foot
    if total <= MOST_ROWS:
        return ""
    return f"The first {MOST_ROWS} of {total:,} rows. Download the table to see all."


@register.filter
def foot(table: tables.Table) -> list[list[tables.Value]]:
    """Rows that stay below the others, such as what people reach."""
    return table.rows[len(table.rows) - table.foot :]


@register.filter
def formats(names: str) -> list[tuple[str, str]]:
    titles = {"csv": "CSV", "tex": "LaTeX", "json": "JSON"}
    return [(name, titles[name]) for name in names.split()]


@register.simple_tag
def table_cell(value: tables.Value, study: Study, first: bool = False) -> SafeString:
    """A cell of a table: the first of a row is its header."""
    tag = "th" if first else "td"
    scope = SafeString(' scope="row"' if first else "")
    if isinstance(value, tables.Cell):
        return _number_cell(value)
    if isinstance(value, bool) or not isinstance(value, (int, float, type(None))):
        shown = _link(value, study) if isinstance(value, tables.Link) else str(value)
        return format_html("<{0}{1}>{2}</{0}>", tag, scope, shown)
    cell = '<{0}{1} class="number" data-value="{2}">{3}</{0}>'
    digits = 3 if isinstance(value, float) else 0
    sorted_by = "" if value is None else repr(value)
    return format_html(cell, tag, scope, sorted_by, number(value, "", digits))


def _number_cell(cell: tables.Cell) -> SafeString:
    """The number, its interval below it, and its signature where the pointer rests."""
    if cell.value is None:
        return format_html('<td class="number">{}</td>', number(None, cell.reason))
    whole = isinstance(cell.value, int)
    shown = number(cell.value, "", 0 if whole else cell.digits)
    shown = format_html("{}{}", shown, cell.unit)
    if cell.bold:
        shown = format_html('<b class="best">{}</b>', shown)
    n = "" if cell.n is None else f"n = {cell.n}"
    title = " · ".join(filter(None, [cell.signature, n, cell.reason]))
    return format_html(
        '<td class="number {}" data-value="{}"{}>{}{}{}</td>',
        heat(-cell.value if cell.falls else cell.value) if cell.heat else "",
        repr(cell.value),
        format_html(' title="{}"', title) if title else "",
        shown,
        _interval(cell),
        _deviation(cell),
    )


def _interval(cell: tables.Cell) -> SafeString:
    if cell.low is None or cell.high is None:
        return SafeString("")
    ends = (number(end, "", cell.digits) for end in (cell.low, cell.high))
    return format_html('<span class="interval">[{}, {}]</span>', *ends)


def _deviation(cell: tables.Cell) -> SafeString:
    """Over texts, if that is known, or else over seeds."""
    if cell.spread is not None:
        spread = number(cell.spread, "", cell.digits)
        said = '<span class="interval seeds">±\u00a0{}, texts</span>'
        return format_html(said, spread)
    if cell.std is None:
        return SafeString("")
    std = number(cell.std, "", cell.digits)
    # With many columns the line may break after the comma, and nowhere else.
    said = '<span class="interval seeds">±\u00a0{}, {}\u00a0seeds</span>'
    return format_html(said, std, cell.seeds)


def _link(link: tables.Link, study: Study) -> SafeString:
    """Words that may lead somewhere, with badges, and what tells them apart."""
    shown = format_html("{}", link.text)
    if link.to:
        address = reverse(link.to, args=[study.name, *link.args])
        query = f"?{link.query}" if link.query else ""
        shown = format_html('<a href="{}{}">{}</a>', address, query, shown)
    badges = format_html_join(
        "",
        ' <span class="badge" title="{}">{}</span>',
        ((BADGES.get(badge, ""), badge) for badge in link.badges),
    )
    small = format_html('<span class="interval">{}</span>', link.small)
    return format_html("{}{}{}", shown, badges, small if link.small else "")
