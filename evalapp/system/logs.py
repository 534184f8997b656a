"""Each line of the log says which request, or which task of a worker, it belongs to."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any

from celery import current_task
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest

request_id: ContextVar[str] = ContextVar("request_id", default="")

LINE = "%(asctime)s %(levelname)s %(name)s%(about)s: %(message)s"
FIELDS = ["levelname", "name", "message", "request_id", "task", "process"]


class Context(logging.Filter):
    """Adds `request_id`, `task`, and both in words as `about`."""

    def filter(self, record: logging.LogRecord) -> bool:
        if "request" in record.__dict__:
            _hide_address(record)
        found = {"request_id": request_id.get(), "task": _task()}
        known = " ".join(filter(None, found.values()))
        record.__dict__.update(found, about=f" [{known}]" if known else "")
        return True


def view_of(request: HttpRequest) -> str:
    """A name of a few hundred that there are, whatever is asked for."""
    found = request.resolver_match
    return found.view_name or found.route if found else "none"


def _hide_address(record: logging.LogRecord) -> None:
    """Django says "Not Found: /w/...", which may be the link of a worker."""
    request = record.__dict__.pop("request")
    if isinstance(request, HttpRequest) and record.args:
        path = (request.path, request.get_full_path())
        view = f"the view {view_of(request)}"
        found = record.args if isinstance(record.args, tuple) else ()
        record.args = tuple(view if one in path else one for one in found)


def _task() -> str:
    """Such as "scoring.tasks.score_chunk 12"."""
    # Of a task that is called as a function, Celery knows the arguments alone.
    name = getattr(current_task.request, "task", None) if current_task else None
    return " ".join([name, *map(str, current_task.request.args or ())]) if name else ""


def as_json() -> logging.Formatter:
    """One object for each line, with all that its `extra` says."""
    from pythonjsonlogger import core, json

    known = [*core.RESERVED_ATTRS, "about"]
    return json.JsonFormatter(FIELDS, timestamp=True, reserved_attrs=known)


def configured(*, form: str, level: str) -> dict[str, Any]:
    """For Django's setting LOGGING.

    Raises:
        ImproperlyConfigured: JSON is wanted, and the package for it is missing.
    """
    if form == "json" and not find_spec("pythonjsonlogger"):
        raise ImproperlyConfigured(
            "LOG_FORMAT=json needs the package python-json-logger. Install it with"
            " pip install -r requirements-server.txt, or remove LOG_FORMAT."
        )
    as_json = {"()": "evalapp.system.logs.as_json"}
    formatters: dict[str, dict[str, Any]] = {"line": {"format": LINE}, "json": as_json}
    console = {
        "class": "logging.StreamHandler",
        "formatter": form,
        "filters": ["context"],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"context": {"()": "evalapp.system.logs.Context"}},
        "formatters": {form: formatters[form]},
        "handlers": {"console": console},
        "root": {"handlers": ["console"], "level": level},
    }
