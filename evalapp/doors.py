"""Contrib apps, `APP/contrib/NAME/`: the setting CONTRIB opens and closes their doors.

A door is what leads in: addresses, entries of the navigation, commands, middleware and
work. Tables are none. Models stand in
`annotation.models` or `scoring.models` and are always installed, so that deletion,
retention, backup and foreign keys hold whatever is switched off.

Nobody imports a contrib app. It says in its `apps.py` what it adds, and the places that
take additions ask here.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import ClassVar

from django.apps import AppConfig, apps
from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, URLResolver

from evalapp import environment

ROOT = Path(__file__).resolve().parent.parent
APPS = ("evalapp", "annotation", "scoring")
# Where addresses may be added: at the root, below a study's address, below the pages of
# workers, and below a study in the API.
PLACES = ("site", "study", "worker", "api")


class Contrib(AppConfig):
    """What a contrib app adds while it is in CONTRIB. `ready` registers the rest.

    Importing it must need no models: settings do.
    """

    # Of the environment: they mean nothing without it, so the start stops there.
    variables: ClassVar[tuple[str, ...]] = ()
    urls: Mapping[str, str] = {}  # a place -> the module with its addresses
    # Around all others, and inside of them.
    outer_middleware: ClassVar[tuple[str, ...]] = ()
    inner_middleware: ClassVar[tuple[str, ...]] = ()

    def before_start(self) -> None:
        """Before `manage.py up` starts any process."""


# For settings: before Django has loaded its apps -------------------------------------


@cache
def known() -> dict[str, type[Contrib]]:
    """All that there are, by the name of their folder."""
    files = [file for app in APPS for file in (ROOT / app).glob("contrib/*/apps.py")]
    return {file.parent.name: _config(file) for file in sorted(files)}


def _config(file: Path) -> type[Contrib]:
    name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
    importlib.import_module(name)
    return next(one for one in Contrib.__subclasses__() if one.__module__ == name)


def from_environment() -> list[str]:
    """Names of those that are on. CONTRIB unset: all. Empty: none.

    Raises:
        ImproperlyConfigured: A name is unknown, or a variable needs what is left out.
    """
    names = environment.words("CONTRIB", ",".join(known()))
    if unknown := set(names) - set(known()):
        raise ImproperlyConfigured(
            f"CONTRIB: there is no {min(unknown)}. Use any of {', '.join(known())}."
        )
    for name in set(known()) - set(names):
        if variable := _variable(known()[name]):
            raise ImproperlyConfigured(
                f"{variable} is set, but CONTRIB leaves out {name}. Add it there, or"
                " remove the setting."
            )
    return [name for name in known() if name in names]


def _variable(config: type[Contrib]) -> str:
    """One that asks for the app; empty where none is set."""
    names = [end for name in config.variables for end in (name, f"{name}_FILE")]
    return next((name for name in names if os.environ.get(name)), "")


def installed(names: Collection[str]) -> list[str]:
    """For INSTALLED_APPS."""
    configs = (known()[name] for name in names)
    return [f"{config.__module__}.{config.__name__}" for config in configs]


def outer_middleware(names: Collection[str]) -> list[str]:
    return [one for name in names for one in known()[name].outer_middleware]


def inner_middleware(names: Collection[str]) -> list[str]:
    return [one for name in names for one in known()[name].inner_middleware]


# While the site runs ------------------------------------------------------------------


def active() -> Iterator[Contrib]:
    """Those that are switched on."""
    return (one for one in apps.get_app_configs() if isinstance(one, Contrib))


def is_open(name: str) -> bool:
    """Of that contrib app. Without a name: nothing is needed, so it is."""
    return not name or any(one.label == name for one in active())


def patterns(place: str) -> list[URLPattern | URLResolver]:
    """The addresses that are added at one of `PLACES`."""
    modules = [one.urls[place] for one in active() if place in one.urls]
    return [
        pattern
        for module in modules
        for pattern in importlib.import_module(module).urlpatterns
    ]
