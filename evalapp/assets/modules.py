"""Scripts that import one another, by the addresses that browsers may keep.

A module names another without a hash, so a browser could run an older copy of it beside
the newer one. An import map leads from each name to the address with the hash.
"""

from __future__ import annotations

import json
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage

from evalapp.assets.hashing import content_hash

# Written at the beginning of a line, with what it imports in braces on the same one.
AT_ONCE = re.compile(
    r'^(?:import|export) (?:[^"\n]* from )?"(\.[^"\n]+)"', re.MULTILINE
)
LATER = re.compile(r'\bimport\("(\.[^"\n]+)"\)')


class Imports(NamedTuple):
    """Names of modules, as `static` takes them."""

    at_once: tuple[str, ...]
    later: tuple[str, ...]  # where the script asks for them


def imports(*names: str) -> Imports:
    """What these modules import, and what that imports in turn; without themselves."""
    at_once: list[str] = []
    later: list[str] = []
    todo = [*names]
    while todo:
        direct = _direct(todo.pop(0))
        for module_names, names_so_far in (
            (direct.at_once, at_once),
            (direct.later, later),
        ):
            new = [
                name for name in module_names if name not in (*names, *at_once, *later)
            ]
            names_so_far += new
            todo += new
    return Imports(tuple(at_once), tuple(later))


def import_map(names: tuple[str, ...]) -> str:
    """JSON: the address without a hash of each module, to that with one."""
    url, base = staticfiles_storage.url, settings.STATIC_URL
    return json.dumps({"imports": {f"{base}{name}": url(name) for name in names}})


def _direct(name: str) -> Imports:
    path = finders.find(name)
    if not isinstance(path, str):
        return Imports((), ())
    return _read(name, path, content_hash(path))


@cache
def _read(name: str, path: str, _state: str) -> Imports:
    code, folder = Path(path).read_text(), posixpath.dirname(name)
    at_once, later = (
        tuple(
            posixpath.normpath(f"{folder}/{specifier}")
            for specifier in kind.findall(code)
        )
        for kind in (AT_ONCE, LATER)
    )
    return Imports(at_once, later)
