from __future__ import annotations

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def version() -> str:
    return settings.VERSION
