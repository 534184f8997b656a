"""Make a study: its aspects, its words for workers, its first policy."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext, override

from annotation import events
from annotation.models import (
    Aspect,
    AttributeLabel,
    Member,
    Policy,
    Study,
    System,
)
from annotation.models.first_policy import first_policy
from annotation.studies import scales
from annotation.studies.setting_rules import as_stored, problems
from annotation.studies.standard import (
    CONSENT,
    DEFAULT_KEYS,
    INSTRUCTIONS,
    KNOWN_ASPECTS,
)

NAME = re.compile(r"[A-Za-z0-9_-]{1,50}", re.ASCII)
RESERVED = frozenset({"new"})  # /studies/new/ is the page that makes a study

# Each is a question on each text, a column in each table. Nobody rates more.
MOST_ASPECTS = 20

# An aspect is named by its key, or given with the fields of the model.
AspectLike = str | Mapping[str, Any]


class StudyError(ValueError):
    """The study cannot be made as asked. The message says what would do."""


@dataclass(frozen=True)
class Draft:
    """A new study and what belongs to it, checked but not yet saved."""

    study: Study
    aspects: list[Aspect]
    labels: list[AttributeLabel]
    policy: Policy
    owner: User | None = None

    def save(self) -> Study:
        """Call inside a transaction."""
        self.study.save(force_insert=True)
        self.policy.save()
        if self.owner:
            self.study.members.create(user=self.owner, role=Member.Role.OWNER)
        Aspect.objects.bulk_create(self.aspects)
        AttributeLabel.objects.bulk_create(self.labels)
        return self.study


def create(
    *,
    name: str,
    owner: User | None,
    aspects: Iterable[AspectLike] | None = None,
    labels: Mapping[str, Iterable[str]] | Iterable[str] | None = None,
    **fields: Any,
) -> Study:
    """Make a draft study with its aspects, labels and first policy.

    Without `aspects` it gets CTRLEval's three. `labels` are names, or names with
    their verbalizers. `fields` are those of the model.

    Raises:
        StudyError: If the name is taken or no slug, or a field will not do.
    """
    made = draft(name=name, owner=owner, aspects=aspects, labels=labels, **fields)
    try:
        with transaction.atomic():
            return made.save()
    except IntegrityError as error:  # another process was faster
        raise StudyError(taken(name)) from error


def draft(
    *,
    name: str,
    owner: User | None,
    aspects: Iterable[AspectLike] | None = None,
    labels: Mapping[str, Iterable[str]] | Iterable[str] | None = None,
    **fields: Any,
) -> Draft:
    """Check a new study and hold it ready to be saved. One query.

    Raises:
        StudyError: As in `create`.
    """
    check_name(name)
    values = as_stored({k: v for k, v in fields.items() if not _is_unset(k, v)})
    study = Study(name=name, **values)
    _check(study)
    with override(study.language):
        for field, words in (("instructions", INSTRUCTIONS), ("consent", CONSENT)):
            setattr(study, field, values.get(field, gettext(words)))
        asked = _aspects(study, DEFAULT_KEYS if aspects is None else aspects)
    return Draft(
        study=study,
        aspects=asked,
        labels=_labels(study, labels or {}),
        policy=first_policy(study),
        owner=owner,
    )


def _is_unset(field: str, value: object) -> bool:
    """None is a value of some: of `retention_days`, ids are then never deleted."""
    nullable = {one.name for one in Study._meta.concrete_fields if one.null}
    return value is None and field not in nullable


def check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise StudyError(
            f'"{name[:60]}" cannot be a study\'s name: use up to 50 letters, digits, '
            "hyphens and underscores, without spaces."
        )
    if name in RESERVED:
        raise StudyError(f'"{name}" is reserved: choose another name.')
    if Study.objects.filter(name=name).exists():
        raise StudyError(taken(name))


def taken_names(start: str) -> set[str]:
    """Names that nobody can choose any more, of those with this start."""
    names = Study.objects.filter(name__startswith=start).values_list("name", flat=True)
    return {*names, *RESERVED}


def taken(name: str) -> str:
    return f'The name "{name}" is already used: choose another.'


# Questions ----------------------------------------------------------------------------


def why_aspect_stays(aspect: Aspect) -> str:
    """Why the aspect cannot be removed; empty where it can."""
    if aspect.annotations.exists() or aspect.means.exists():
        return f"{aspect.title} has ratings from a file, so it stays."
    policy = aspect.study.current_policy()
    if policy.on == Policy.On.CHOSEN and aspect.key in policy.chosen:
        return f"Quality control compares on {aspect.title}: change that first."
    if aspect.plan_set.exists():
        return f"{aspect.title} is the primary aspect of the plan, so it stays."
    return ""


def arrange_aspects(
    *, study: Study, kept: Iterable[Aspect], removed: Iterable[Aspect]
) -> None:
    """Give the study these aspects in this order. New ones get a key of their own."""
    with transaction.atomic():
        for aspect in removed:
            aspect.delete()
        taken_keys = set(study.aspects.values_list("key", flat=True))
        for position, aspect in enumerate(kept):
            aspect.study, aspect.position = study, position
            aspect.key = aspect.key or _free_key(aspect.title, taken_keys)
            taken_keys.add(aspect.key)
            aspect.save()


def _free_key(title: str, taken_keys: set[str]) -> str:
    key = aspect_key(title)[:40] or "aspect"
    numbered = (f"{key}-{number}" for number in range(2, len(taken_keys) + 3))
    return next(one for one in (key, *numbered) if one not in taken_keys)


def aspect_key(name: str) -> str:
    """The key under which an aspect is known: "Attribute Relevance" and its slug."""
    return re.sub(r"[^a-z0-9_-]+", "-", name.strip().lower()).strip("-")


def _check(study: Study) -> None:
    reasons = list(problems(study).values())
    try:
        # The constraints are among the problems, in words.
        study.full_clean(validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        reasons.append(_sentence(error))
    if reasons:
        raise StudyError(" ".join(reasons))


def _aspects(study: Study, wanted: Iterable[AspectLike]) -> list[Aspect]:
    wanted = list(wanted)
    if len(wanted) > MOST_ASPECTS:
        raise StudyError(
            f"{len(wanted):,} aspects are too many: a study can have {MOST_ASPECTS}."
        )
    made = [
        Aspect(study=study, position=position, **_aspect_fields(aspect))
        for position, aspect in enumerate(wanted)
    ]
    if not made:
        raise StudyError("A study needs at least one aspect.")
    keys = [aspect.key for aspect in made]
    if len(set(keys)) < len(keys):
        raise StudyError(f"Two aspects have the same key: {', '.join(keys)}.")
    for aspect in made:
        try:
            aspect.clean_fields(exclude=["study"])
            scales.settle(aspect)
        except ValidationError as error:
            raise StudyError(f"Aspect {aspect.key}: {_sentence(error)}") from error
        except scales.ScaleError as error:
            raise StudyError(f"Aspect {aspect.key}: {error}") from error
    return made


def _aspect_fields(aspect: AspectLike) -> dict[str, object]:
    if isinstance(aspect, str):
        return _described(aspect)
    key = aspect_key(str(aspect.get("key") or aspect.get("title") or ""))
    given = {name: value for name, value in aspect.items() if value not in (None, "")}
    try:
        Aspect(**{**given, "position": 0})
    except TypeError as error:
        raise StudyError(f"Aspect {key}: {error}.") from error
    given.pop("position", None)
    if given.get("kind") == Aspect.Kind.SLIDER:
        given.setdefault("level", Aspect.Level.INTERVAL)
    return {**_described(key), **given, "key": key}


def _described(name: str) -> dict[str, object]:
    key = aspect_key(name)
    if key in KNOWN_ASPECTS:
        said = KNOWN_ASPECTS[key].items()
        return {
            name: words if name == "key" else gettext(words) for name, words in said
        }
    title = key.replace("-", " ").replace("_", " ").capitalize()
    return {
        "key": key,
        "title": title,
        "question": gettext("How would you rate the %(aspect)s of this text?")
        % {"aspect": title.lower()},
        "low": gettext("Very poor"),
        "middle": gettext("Fair"),
        "high": gettext("Very good"),
    }


def _labels(
    study: Study, wanted: Mapping[str, Iterable[str]] | Iterable[str]
) -> list[AttributeLabel]:
    pairs = (
        wanted.items()
        if isinstance(wanted, Mapping)
        else ((name, ()) for name in wanted)
    )
    made = [
        AttributeLabel(study=study, name=name.strip(), verbalizers=list(words))
        for name, words in pairs
    ]
    names = [label.name for label in made]
    if not all(0 < len(name) <= 100 for name in names):
        raise StudyError("An attribute label has from 1 to 100 characters.")
    if len(set(names)) < len(names):
        raise StudyError(f"Two attribute labels are the same: {', '.join(names)}.")
    return made


def _sentence(error: ValidationError) -> str:
    if not hasattr(error, "error_dict"):
        return " ".join(error.messages)
    return " ".join(
        ("" if field == NON_FIELD_ERRORS else f"{field.replace('_', ' ')}: ")
        + " ".join(messages)
        for field, messages in error.message_dict.items()
    )


def set_human(
    *,
    study: Study,
    names: Collection[str],
    user: User | None = None,
    now: datetime.datetime | None = None,
) -> None:
    """These systems are people, all others of the study are generators."""
    human = study.systems.filter(kind=System.Kind.HUMAN).values_list("name", flat=True)
    if set(human) == set(names):
        return
    with transaction.atomic():
        people = study.systems.filter(name__in=names)
        study.systems.exclude(name__in=names).update(kind=System.Kind.GENERATOR)
        people.update(kind=System.Kind.HUMAN)
        events.log(
            study=study,
            verb="set-human-systems",
            now=now or timezone.now(),
            user=user,
            detail=", ".join(sorted(names)) or "none",
        )
