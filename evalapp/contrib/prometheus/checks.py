from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

from evalapp.contrib.prometheus import figures


@register()
def its_package_is_there(
    app_configs: Sequence[AppConfig] | None, **more: Any
) -> list[CheckMessage]:
    if not settings.METRICS_TOKEN:
        return []
    try:
        figures.require()
    except ImproperlyConfigured as error:
        return [Error(str(error), id="evalapp.E001")]
    return []
