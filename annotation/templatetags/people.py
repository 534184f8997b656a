from __future__ import annotations

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.models import Study
from annotation.templatetags.evalapp import number
from annotation.watching import reports
from annotation.watching.figures import Figure
from annotation.watching.scale_answers import Answer

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


WIDTH, EDGE, MIDDLE = 120, 8, 9  # of a track, in its own units


@register.simple_tag
def track(answer: Answer) -> SafeString:
    """This answer (dot) and the mean of the others (bar) on the scale.

    A picture only: the numbers stand beside it.
    """
    steps = range(answer.low, answer.high + 1)
    marks = format_html_join(
        "",
        '<circle class="step" cx="{}" cy="{}" r="1.5"/>',
        [(_at(step, answer), MIDDLE) for step in steps] if len(steps) <= 11 else [],
    )
    own, others = answer.own, answer.others.value
    between = mean = dot = SafeString("")
    if others is not None:
        x = _at(others, answer)
        mean = format_html('<path class="mean" d="M{} 3v12"/>', x)
        if own is not None:
            line = '<path class="gap" d="M{} {}H{}"/>'
            between = format_html(line, _at(own, answer), MIDDLE, x)
    if own is not None:
        at = _at(own, answer)
        dot = format_html('<circle class="own" cx="{}" cy="{}" r="5"/>', at, MIDDLE)
    return format_html(
        '<svg class="track{}" viewBox="0 0 {} 18" width="{}" height="18"'
        ' aria-hidden="true"><path class="scale" d="M{} {}H{}"/>{}{}{}{}</svg>',
        " far" if answer.is_far else "",
        *(WIDTH, WIDTH, EDGE, MIDDLE, WIDTH - EDGE),
        *(marks, between, mean, dot),
    )


def _at(value: float, answer: Answer) -> str:
    """Where a value lies on its track, as SVG writes numbers."""
    share = (value - answer.low) / (answer.high - answer.low)
    return f"{EDGE + share * (WIDTH - 2 * EDGE):.1f}"
