"""Django REST framework without what it loads only because it is installed.

It takes along `requests`, `pygments` and the fields of PostgreSQL, with all of psycopg,
in case a site uses them: a tenth of what a start costs, and nothing here does.
"""

from __future__ import annotations

import importlib
import sys

UNUSED = ("requests", "pygments", "django.contrib.postgres.fields")


def load() -> None:
    """Before anything else imports the framework."""
    absent = [name for name in UNUSED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type] # none of them
    try:
        importlib.import_module("rest_framework.compat")
    finally:
        for name in absent:
            del sys.modules[name]
