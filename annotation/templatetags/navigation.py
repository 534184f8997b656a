"""The rows of links at the head of a study's pages."""

from __future__ import annotations

from django import template
from django.template import Context

from evalapp import navigation
from evalapp.navigation import Strip

register = template.Library()


@register.simple_tag(takes_context=True)
def study_tabs(context: Context) -> Strip:
    """Context: study, tab."""
    return navigation.tabs(context["study"], context.get("tab", ""))


@register.simple_tag(takes_context=True)
def study_pages(context: Context) -> list[Strip]:
    """The pages below the open tab. Context: study, tab, request."""
    request = context.get("request")
    match = request.resolver_match if request else None
    return navigation.strips(context["study"], context.get("tab", ""), match)
