"""Where models come from: which options may name what, and for whom."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings

from annotation.models import Study
from scoring.endpoints import configuration
from scoring.metrics import OptionError, models, option_fields
from scoring.models import Checkpoint
from scoring.scores import stored_models
from scoring.scores.option_words import BUNDLED
from scoring.scores.stored_models import STORED

HUB_NAME_CHARACTERS = 200
MOST_SUGGESTED = 200
CHECKPOINT = models.CHECKPOINT
BUNDLED_NAME = re.compile(rf"{BUNDLED}[A-Za-z0-9][\w.-]{{0,99}}")


def resolve_any(kind: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """Make paths absolute: the worker may sit in another folder than the caller.

    Raises:
        OptionError: There is no such folder or file.
    """
    _check_endpoints(kind, options)
    _refuse_usual(kind, options, "on")
    return {
        name: _absolute(kind, name, value) if _names_a_path(kind, name) else value
        for name, value in options.items()
    }


def resolve_allowed(
    kind: type, options: Mapping[str, Any], study: Study | None = None
) -> dict[str, Any]:
    """For the browser and the API: nothing outside MODELS_DIR.

    Checkpoints are those of studies that all members may see; without a study none is
    refused, so code that starts something must say which study it is for.

    Raises:
        OptionError: The value names another place.
    """
    _check_endpoints(kind, options)
    _refuse_usual(kind, options, "off")
    options = {**_usual_here(kind), **options}
    return {
        name: _allowed(kind, name, value, study) if _names_a_path(kind, name) else value
        for name, value in options.items()
    }


def _absolute(kind: type, name: str, value: Any) -> Any:
    path = Path(str(value)).expanduser()
    if str(value).startswith(BUNDLED):
        return _checked_bundled(name, str(value))
    if str(value).strip().startswith(configuration.PREFIX):
        return str(value).strip()  # checked before
    if str(value).startswith(STORED):
        return _checked_stored(name, str(value))
    if value and _exists(path):
        return str(path.resolve())
    if str(value).startswith((".", "/", "~")):
        raise OptionError(f"{name}={value}: there is no such file or folder")
    if _is_hub_name(kind, name, str(value)):
        _refuse_hub(name, str(value), "on")
    return value


def _check_endpoints(kind: type, options: Mapping[str, Any]) -> None:
    """A judge over the network is one of those that the administrator has set up."""
    for name, value in options.items():
        given = str(value).strip()
        if not given.startswith(configuration.PREFIX) or _role(kind, name) != "model":
            continue
        if not any(one.name == name and one.network for one in option_fields(kind)):
            raise OptionError(
                f"{name}={given[:100]}: this metric needs a model on this machine;"
                " llm_judge, perplexity, bartscore and cdm can ask an endpoint"
            )
        there = configuration.read(configuration.file(settings.DATA_DIR)).known
        endpoint, asked = configuration.split_name(given)
        if endpoint not in there or asked not in there[endpoint].models:
            known = [
                f"{configuration.PREFIX}{one.name}/{model}"
                for one in there.values()
                for model in one.models
            ]
            raise OptionError(
                f"{name}={given[:100]}: your administrator has not set up this model;"
                f" there are: {', '.join(known[:20]) or 'none'}"
            )


def _refuse_usual(kind: type, options: Mapping[str, Any], usual: str) -> None:
    """What nobody chose may be a name on the hub, too."""
    for field in option_fields(kind):
        left_open = options.get(field.name, field.default) == field.default
        if left_open and _is_hub_name(kind, field.name, str(field.default)):
            _refuse_hub(field.name, field.default, usual)


def _usual_here(kind: type) -> dict[str, Any]:
    """Models that nobody need choose, where someone put them into MODELS_DIR."""
    return {
        field.name: field.default
        for field in option_fields(kind)
        if field.path == "model" and field.default and _in_models_dir(field.default)
    }


def hub(usual: str = "off") -> str:
    """Which names on the hub may be used: "off", "list" or "on"."""
    return settings.HUB or usual


def may_be_downloaded(name: str, usual: str = "off") -> bool:
    if hub(usual) == "list":
        # A model listed without a revision allows any revision.
        return not {name, name.partition("@")[0]}.isdisjoint(settings.HUB_MODELS)
    return hub(usual) == "on"


def _refuse_hub(name: str, value: str, usual: str) -> None:
    if may_be_downloaded(value, usual):
        return
    listed = ", ".join(settings.HUB_MODELS) if hub(usual) == "list" else ""
    those = f"this server downloads only these models from the hub: {listed}"
    none = "this server downloads no models from the hub (setting HUB)"
    raise OptionError(
        f"{name}={value[:100]}: {those if listed else none}; choose one that is in the"
        f" folder MODELS_DIR of the server, {_listed()}, or a bundled one:"
        f" {', '.join(f'{BUNDLED}{one}' for one in models.bundled())}"
    )


def _allowed(kind: type, name: str, given: Any, study: Study | None) -> str:
    if not isinstance(given, str):
        raise OptionError(f"{name}={given!r:.60}: expected a name, as text")
    value = given.strip()
    if not value:
        return value
    if value.startswith(configuration.PREFIX) and _role(kind, name) == "model":
        return value  # checked before
    if value.startswith(CHECKPOINT):
        return _checked_checkpoint(name, value, study)
    if _role(kind, name) == "model" and BUNDLED_NAME.fullmatch(value):
        return _checked_bundled(name, value)
    if value.startswith(STORED):
        return _checked_stored(name, value)
    if path := _in_models_dir(value):
        return str(path)
    if value == _default(kind, name):
        return value
    if _is_hub_name(kind, name, value):
        _refuse_hub(name, value, "off")
        return value
    names = "bundled names and " if hub() == "off" else "hub names, bundled names and "
    what = names if _role(kind, name) == "model" else ""
    raise OptionError(
        f"{name}={value[:100]}: expected {what}something in the folder MODELS_DIR"
        f" of the server; there is {_listed()}"
    )


def _checked_bundled(name: str, value: str) -> str:
    """Said here, before a worker has to find out."""
    there = [f"{BUNDLED}{one}" for one in models.bundled()]
    if value not in there:
        raise OptionError(
            f"{name}={value}: no bundled model has that name; there are:"
            f" {', '.join(there)}"
        )
    return value


def _checked_stored(name: str, value: str) -> str:
    if not stored_models.is_there(value):
        there = ", ".join(f"{STORED}{one}" for one in stored_models.names()[:20])
        raise OptionError(
            f"{name}={value[:150]}: the storage has no such model; there are:"
            f" {there or 'none'}"
        )
    return value


def _in_models_dir(value: str) -> Path | None:
    """What lies there, or where a link leads that stands directly in it.

    The operator puts links there, to share models. One further in came with a
    model: it may not lead out of it. The path is kept as it was named, so that no
    message says where a link leads.
    """
    within = PurePosixPath(value.removeprefix(f"{settings.MODELS_DIR}/"))
    if within.is_absolute() or not within.parts or ".." in within.parts:
        return None
    path: Path = settings.MODELS_DIR / within
    if not _exists(path):
        return None
    top = (settings.MODELS_DIR / within.parts[0]).resolve()
    return path if path.resolve().is_relative_to(top) else None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a name, or with a null byte
        return False


def _is_hub_name(kind: type, name: str, value: str) -> bool:
    """A name like org/model. One that is also a path is none: it would load that."""
    if _role(kind, name) != "model" or len(value) > HUB_NAME_CHARACTERS:
        return False
    there = _exists(Path(value)) or _exists(settings.MODELS_DIR / value)
    return bool(models.HUB_NAME.fullmatch(value)) and not there


def suggested(study: Study) -> list[str]:
    """For a model in a form: checkpoints, what lies in MODELS_DIR and comes along."""
    bundled = (f"{BUNDLED}{name}" for name in models.bundled())
    listed = settings.HUB_MODELS if hub() == "list" else []
    trained = (one.key for one in checkpoints(study))
    stored = (f"{STORED}{name}" for name in stored_models.names())
    return [*trained, *names(), *stored, *bundled, *listed]


def checkpoints(study: Study, metric: str = "") -> list[Checkpoint]:
    """Finished ones that the study may use, the newest first. One query."""
    found = Checkpoint.objects.filter(
        study__in=Study.objects.open_to_all_of(study), state=Checkpoint.State.DONE
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
        found = found.filter(study__in=Study.objects.open_to_all_of(study))
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
    stored = (f"{STORED}{name}" for name in stored_models.names())
    return ", ".join([*names(), *stored][:20]) or "nothing in it"


def _names_a_path(kind: type, name: str) -> bool:
    return bool(_role(kind, name))


def _role(kind: type, name: str) -> str:
    """What an option names: a "model", a "file", or "" for no path at all."""
    return next((f.path for f in option_fields(kind) if f.name == name), "")


def _default(kind: type, name: str) -> Any:
    return next(f.default for f in option_fields(kind) if f.name == name)
