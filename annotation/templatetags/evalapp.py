from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.conf import settings
from django.forms import BaseForm, BaseFormSet
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from annotation import markdown as rendering
from annotation import page_kinds, perturbations
from annotation.models.texts import full_text
from annotation.page_kinds import PageKind
from evalapp.spending import permission

register = template.Library()


@register.simple_tag
def version() -> str:
    return settings.VERSION


@register.simple_tag(takes_context=True)
def why_not_spend(context: template.RequestContext) -> str:
    """Why the reader may not spend the site's money; empty if they may."""
    return permission.why_not(context["request"].user)


@register.filter
def page_kind(key: str) -> PageKind:
    """The kind of a survey."""
    return page_kinds.get(key)


@register.filter
def markdown(text: str) -> SafeString:
    """Words in Markdown as HTML. Whatever is in them, no tag of theirs gets through."""
    return rendering.html(text)


@register.simple_tag
def moment(value: datetime | None) -> SafeString:
    """A time in UTC; `frame.js` shows it in the reader's own time zone."""
    if value is None:
        return SafeString("")
    value = value.astimezone(UTC)
    shown = f"{value.day} {value:%b %Y, %H:%M} UTC"
    stamp = value.isoformat(timespec="seconds")
    return format_html('<time data-moment datetime="{}">{}</time>', stamp, shown)


@register.filter
def ago(value: datetime) -> str:
    """How long ago, in words. Django says "0 minutes" for all of the last minute."""
    seconds = max(0, round((timezone.now() - value).total_seconds()))
    if seconds >= 60:
        return f"{timesince(value, depth=1)} ago"
    return f"{seconds} second{pluralize(seconds)} ago"


@register.filter
def damage(perturbation: str) -> str:
    """What was done to a damaged text, in words."""
    return perturbations.in_words(perturbation)


@register.filter
def thousands(count: int) -> str:
    """A count as people read it: 1,000."""
    return f"{count:,}"


@register.simple_tag
def number(value: float | None, reason: str | None = "", digits: int = 3) -> SafeString:
    """A number, or a dash that tells the eye and the ear why there is none."""
    if value is not None:
        rounded = round(value, digits) + 0.0  # without the sign of a negative zero
        shown = f"{rounded:,.{digits}f}".replace("-", "\N{MINUS SIGN}")
        return format_html("{}", shown)
    return format_html(
        '<span title="{0}"><span aria-hidden="true">—</span>'
        '<span class="visually-hidden">none: {0}</span></span>',
        reason or "no number",
    )


@register.simple_tag
def signed(value: float | None, reason: str | None = "", digits: int = 3) -> SafeString:
    """A difference: with its sign, and none for what rounds to zero."""
    if value is None:
        return number(None, reason)
    rounded = round(value, digits) + 0.0  # without the sign of a negative zero
    sign = "+" if rounded > 0 else ""
    return format_html("{}{}", sign, number(rounded, "", digits))


@register.simple_tag
def prefixed(prefix: str, text: str) -> SafeString:
    """The full text with the beginning that the system was given set off."""
    full = full_text(prefix, text)
    if not prefix:
        return format_html("{}", full)
    span = '<span class="text-prefix" title="The opening of the text">{}</span>{}'
    return format_html(span, prefix, full[len(prefix) :])


@register.inclusion_tag("_errors.html")
def error_summary(*forms: BaseForm | BaseFormSet | None) -> dict:
    """What is wrong with a page's forms, at its top and with the focus."""
    single = [
        form
        for given in filter(None, forms)
        for form in (given.forms if isinstance(given, BaseFormSet) else [given])
    ]
    sets = [given for given in forms if isinstance(given, BaseFormSet)]
    return {
        "forms": [form for form in single if form.errors],
        "lines": [error for given in sets for error in given.non_form_errors()],
    }
