"""Where models come from: which options may name what, and for whom."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.models import Study
from scoring.metrics import OptionError, models, option_fields
from scoring.models import Checkpoint
from scoring.scores.options import BUNDLED

HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
HUB_NAME_CHARACTERS = 200
MOST_SUGGESTED = 200
CHECKPOINT = models.CHECKPOINT
BUNDLED_NAME = re.compile(rf"{BUNDLED}[A-Za-z0-9][\w.-]{{0,99}}")


def resolve_any(kind: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """Make paths absolute: the worker may sit in another folder than the caller.

    Raises:
        OptionError: There is no such folder or file.
    """
    return {
        name: _absolute(name, value) if _names_a_path(kind, name) else value
        for name, value in options.items()
    }


def resolve_allowed(
    kind: type, options: Mapping[str, Any], study: Study | None = None
) -> dict[str, Any]:
    """For the browser and the API: nothing outside MODELS_DIR.

    Checkpoints are those of studies with the same owner; without a study none is
    refused, so whoever starts something must say which study it is for.

    Raises:
        OptionError: The value names another place.
    """
    return {
        name: _allowed(kind, name, value, study) if _names_a_path(kind, name) else value
        for name, value in options.items()
    }


def _absolute(name: str, value: Any) -> Any:
    path = Path(str(value)).expanduser()
    if str(value).startswith(BUNDLED):
        return _checked_bundled(name, str(value))
    if value and _exists(path):
        return str(path.resolve())
    if str(value).startswith((".", "/", "~")):
        raise OptionError(f"{name}={value}: there is no such file or folder")
    return value


def _allowed(kind: type, name: str, given: Any, study: Study | None) -> str:
    value = str(given).strip()
    if not value or value == _default(kind, name):
        return value
    if value.startswith(CHECKPOINT):
        return _checked_checkpoint(name, value, study)
    if _role(kind, name) == "model" and BUNDLED_NAME.fullmatch(value):
        return _checked_bundled(name, value)
    if path := _in_models_dir(value):
        return str(path)
    if _is_hub_name(kind, name, value):
        return value
    what = "hub names, bundled names and " if _role(kind, name) == "model" else ""
    raise OptionError(
        f"{name}={value[:100]}: expected {what}something in the folder MODELS_DIR"
        f" of the server; there is {_listed()}"
    )


def _checked_bundled(name: str, value: str) -> str:
    """Said here, before a worker has to find out."""
    there = [f"{BUNDLED}{one}" for one in models.bundled()]
    if value not in there:
        raise OptionError(
            f"{name}={value}: no model of that name is bundled; there are:"
            f" {', '.join(there)}"
        )
    return value


def _in_models_dir(value: str) -> Path | None:
    """resolve() follows links: one that leads out of the folder is refused, too."""
    if not _exists(settings.MODELS_DIR / value):
        return None
    path = (settings.MODELS_DIR / value).resolve()
    return path if path.is_relative_to(settings.MODELS_DIR) else None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a name, or with a null byte
        return False


def _is_hub_name(kind: type, name: str, value: str) -> bool:
    """A name like org/model. One that is also a path where we run would load that."""
    if _role(kind, name) != "model" or len(value) > HUB_NAME_CHARACTERS:
        return False
    return bool(HUB_NAME.fullmatch(value)) and not _exists(Path(value))


def suggested(study: Study) -> list[str]:
    """For a model in a form: checkpoints, what lies in MODELS_DIR and comes along."""
    bundled = (f"{BUNDLED}{name}" for name in models.bundled())
    return [*(one.key for one in checkpoints(study)), *names(), *bundled]


def checkpoints(study: Study, metric: str = "") -> list[Checkpoint]:
    """Finished ones that the study may use, the newest first. One query."""
    found = Checkpoint.objects.filter(
        study__owner=study.owner_id, state=Checkpoint.State.DONE
    )
    if metric:
        found = found.filter(metric=metric)
    return list(found.select_related("study")[:MOST_SUGGESTED])


def _checked_checkpoint(name: str, value: str, study: Study | None) -> str:
    of, _, called = value.removeprefix(CHECKPOINT).partition("/")
    found = Checkpoint.objects.filter(
        study__name=of, name=called, state=Checkpoint.State.DONE
    )
    if study is not None:
        found = found.filter(study__owner=study.owner_id)
    if "\0" in value or not found.exists():
        known = checkpoints(study) if study is not None else []
        there = ", ".join(one.key for one in known[:20]) or "none yet"
        raise OptionError(
            f"{name}={value[:150]}: no finished checkpoint of that name; there are:"
            f" {there}"
        )
    return value


def names() -> list[str]:
    """What lies in MODELS_DIR."""
    folder: Path = settings.MODELS_DIR
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def _listed() -> str:
    return ", ".join(names()[:20]) or "nothing in it"


def _names_a_path(kind: type, name: str) -> bool:
    return bool(_role(kind, name))


def _role(kind: type, name: str) -> str:
    """What an option names: a "model", a "file", or "" for no path at all."""
    return next((f.path for f in option_fields(kind) if f.name == name), "")


def _default(kind: type, name: str) -> Any:
    return next(f.default for f in option_fields(kind) if f.name == name)
