from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.models import Study
from annotation.templatetags.evalapp import number
from annotation.watching import reports
from annotation.watching.raters import Figure

register = template.Library()


@register.simple_tag
def figure_cell(figure: Figure, digits: int = 2, note: str = "") -> SafeString:
    """A table cell that sorts by the number; the minus sign is no part of that."""
    shown = number(figure.value, figure.reason, digits)
    if figure.value is None:
        return format_html('<td class="number">{}</td>', shown)
    after = format_html(' <span class="soft">{}</span>', note) if note else ""
    cell = '<td class="number" data-value="{}">{}{}</td>'
    return format_html(cell, repr(figure.value), shown, after)


@register.simple_tag
def n_reported(study: Study) -> int:
    """Reported texts that nobody has looked at. One query."""
    return reports.n_open(study=study)
