"""Fields that choose a model: a list of what is here, or any name where allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.conf import settings

from scoring.metrics import OptionField
from scoring.runs.option_words import beside
from scoring.scores import allowed_models, models_here
from scoring.scores.models_here import ModelHere

OTHER = "_other"  # behind the name of an option; no option ends in it
NONE_HERE = "none is on this server"
LONGEST = 200  # characters of a name

Choices = list[tuple[str, Any]]


def add_models(form: forms.Form, option: OptionField, fits: list[ModelHere]) -> None:
    """A list of models, the first preselected; below it any name of the hub."""
    asked = str(form.initial.get(option.name) or "")
    values = {one.value for one in fits}
    typed = asked if asked and asked not in values else ""
    first = option.default if not option.default or option.default in values else ""
    first = asked if asked in values else first or _first(option, fits)
    form.initial = {k: v for k, v in form.initial.items() if k != option.name}
    form.fields[option.name] = ModelField(
        choices=_grouped(fits, optional=_may_be_empty(option)),
        label=option.title,
        help_text=beside(option),
        initial=first,
        required=False,  # the metric itself says what it needs
    )
    if allowed_models.hub() != "off" and "trained" not in option.takes:
        form.fields[option.name + OTHER] = _other(option, typed)


class ModelField(forms.ChoiceField):
    """One of the list, or whatever else an address names: checked where it is used."""

    def valid_value(self, value: str) -> bool:
        return True


def file_field(option: OptionField, asked: str) -> forms.Field:
    """One of the files in the models folder, for an option that names a file."""
    files = models_here.files()
    known = [*files, *([asked] if asked and asked not in files else [])]
    folder = settings.MODELS_DIR.name
    none = (
        f" There is none in the folder “{folder}” of the server." if not known else ""
    )
    return ModelField(
        choices=[("", "none"), *((name, name) for name in known)],
        label=option.title,
        help_text=f"{beside(option)}{none}".strip(),
        initial=asked or option.default,
        required=False,
    )


def is_other(name: str) -> bool:
    return name.endswith(OTHER)


def chosen_models(cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a form, with names that were typed in place of those listed."""
    found = {name: value for name, value in cleaned.items() if not is_other(name)}
    typed = {k: v.strip() for k, v in cleaned.items() if is_other(k) and v}
    return found | {k.removesuffix(OTHER): v for k, v in typed.items() if v}


def _other(option: OptionField, typed: str) -> forms.Field:
    like = f", such as {option.default}" if option.default else ""
    only = allowed_models.hub() == "list"
    allowed = " Only models that your administrator has allowed." if only else ""
    return forms.CharField(
        label=f"Or another model instead of “{option.title}”",
        help_text=f"The name of a model on the Hugging Face hub{like}.{allowed}",
        initial=typed,
        required=False,
        max_length=LONGEST,
        widget=forms.TextInput(attrs={"spellcheck": "false"}),
    )


def _first(option: OptionField, fits: Sequence[ModelHere]) -> str:
    """None at all where the option may be left open."""
    if _may_be_empty(option) or not fits:
        return ""
    return fits[0].value


def _may_be_empty(option: OptionField) -> bool:
    """An option without a default is left open, unless it is that of a training."""
    return not option.default and "trained" not in option.takes


def _grouped(fits: Iterable[ModelHere], *, optional: bool) -> Choices:
    groups: dict[str, list[tuple[str, str]]] = {}
    for one in fits:
        title = f"{one.title}: no better than chance" if one.at_chance else one.title
        groups.setdefault(models_here.PLACES[one.place], []).append((one.value, title))
    found: Choices = list(groups.items())
    if optional:
        return [("", "none"), *found]
    return found or [("", NONE_HERE)]
