"""Models that a run on this server could use at once, and for which options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from django.conf import settings
from django.utils import timezone

from annotation.models import Study
from evalapp.work import heartbeats, queues
from scoring.endpoints import configuration
from scoring.metrics import OptionError, OptionField, model_kinds, models, option_fields
from scoring.models import Checkpoint
from scoring.option_fields import ModelKind
from scoring.scores import allowed_models, chance, stored_models
from scoring.scores.option_words import BUNDLED
from scoring.scores.options import shown
from scoring.scores.stored_models import STORED

Place = Literal["trained", "folder", "storage", "cache", "bundled", "hub", "endpoint"]
PLACES: dict[Place, str] = {
    "trained": "Trained here",
    "folder": "In the models folder of this server",
    "storage": "In the storage that all servers share",
    "cache": "Downloaded to this server",
    "bundled": "Bundled with EvalApp: small, to try things out",
    "hub": "Downloaded when the run starts",
    "endpoint": "Over the network: you see what it takes before anything is sent",
}
# A model that someone put here was meant to be used; bundled ones are for trying out.
BEST_FIRST: tuple[Place, ...] = (*("trained", "folder", "storage", "cache", "bundled"),)
WORDS: dict[ModelKind, str] = {
    "causal": "a language model that continues texts",
    "encoder": "an encoder",
    "infill": "an encoder-decoder model that fills gaps",
    "instruct": "a language model that follows instructions",
    "trained": "a model that was trained for this metric",
}
# What options name that is no model: tables of numbers, texts, probes.
FILES = frozenset({".csv", ".json", ".jsonl", ".npz", ".tsv", ".txt"})
OF_A_MODEL = frozenset(
    {
        "added_tokens.json",
        "config.json",
        "evalapp.json",
        "generation_config.json",
        "head.json",
        "iwf.json",
        "merges.txt",
        "model.safetensors.index.json",
        "preprocessor_config.json",
        "pytorch_model.bin.index.json",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "vocab.json",
        "vocab.txt",
    }
)
MOST_FILES = 200
LOOK_SECONDS = 5  # for the hub to answer, while someone waits for a page


@dataclass(frozen=True, slots=True)
class ModelHere:
    """One model, by the name that an option takes."""

    value: str
    place: Place
    kinds: frozenset[ModelKind] = frozenset()
    bytes: int = 0
    folder: Path | None = None
    metric: str = ""  # that it was trained for
    at_chance: bool = False  # learned nothing that held-out texts would show

    @property
    def title(self) -> str:
        if self.place == "endpoint":
            return configuration.title(self.value)
        name = self.value
        for prefix in (BUNDLED, models.CHECKPOINT, STORED):
            name = name.removeprefix(prefix)
        return f"{name} ({_size(self.bytes)})" if self.bytes else name


def here(study: Study) -> list[ModelHere]:
    """What there is, by place. One query."""
    return [*map(_trained, allowed_models.checkpoints(study)), *on_server()]


def on_server() -> list[ModelHere]:
    """What any study may use, by place. No query."""
    return [
        *_in_folder(),
        *_in_storage(),
        *_in_cache(),
        *(_model(f"{BUNDLED}{name}", "bundled") for name in models.bundled()),
        *_on_hub(),
    ]


def over_network() -> list[ModelHere]:
    """Judges at addresses that the administrator has set up. No query."""
    found = configuration.read(configuration.file(settings.DATA_DIR))
    return [
        ModelHere(
            f"{configuration.PREFIX}{name}/{model}",
            "endpoint",
            frozenset({"instruct"}),
        )
        for name, endpoint in found.known.items()
        for model in endpoint.models
    ]


def files() -> list[str]:
    """Files in MODELS_DIR that an option may name, also beside the models there.

    What belongs to a model itself is none.
    """
    top = settings.MODELS_DIR
    stored = [f"{STORED}{one}" for one in stored_models.files() if _is_file(Path(one))]
    found = (
        path
        for pattern in ("*", "*/*", "*/*/*")
        for path in sorted(top.glob(pattern))[:MOST_FILES]
        if _is_file(path) and path.is_file()
    )
    return [*(str(path.relative_to(top)) for path in found), *stored][:MOST_FILES]


def _is_file(path: Path) -> bool:
    return path.suffix in FILES and path.name not in OF_A_MODEL


def usable(
    known: Iterable[ModelHere], field: OptionField, metric: str
) -> list[ModelHere]:
    """Those that fit an option of a metric, the one to start with first."""
    fits = [one for one in known if _fits(one, field, metric)]
    kinds = list(field.takes)

    def order(one: ModelHere) -> tuple[bool, int, int, int]:
        place = [*BEST_FIRST, "hub", "endpoint"].index(one.place)
        kind = min((kinds.index(k) for k in one.kinds & set(kinds)), default=len(kinds))
        return one.value != field.default, place, kind, _larger(one)

    return sorted(fits, key=order)


def _larger(one: ModelHere) -> int:
    """Of the bundled ones the larger is better; of others nobody can tell."""
    return -one.bytes if one.place == "bundled" else 0


def pairs(known: Sequence[ModelHere]) -> list[tuple[ModelHere, ModelHere]]:
    """A better and a worse model that share their tokens, as metrics of pairs need."""
    return [
        (better, worse)
        for better in known
        for worse in known
        if better.bytes > worse.bytes and _alike(better, worse)
    ]


def check(kind: type, options: Mapping[str, Any]) -> None:
    """Refuse a model that is not here or of another kind: a worker would do it late.

    Call it with options as `allowed_models` returns them.

    Raises:
        OptionError: The message begins with the option, and says what to do.
    """
    for field in option_fields(kind):
        value = options.get(field.name, field.default)
        if field.takes and value:
            _check(field, str(value))


def _check(field: OptionField, value: str) -> None:
    if value.startswith((models.CHECKPOINT, configuration.PREFIX)):
        return  # of which `allowed_models` knows more
    folder = stored_models.outline(value) or models.local(value)
    folder = folder or model_kinds.in_cache(value)
    if folder is None:
        _check_hub(field, value)
        return
    found = model_kinds.kinds(folder)
    named = f"{field.name}: {shown(value)}"
    if not found:
        raise OptionError(
            f"{named} is not a complete model: its folder needs config.json and"
            " weights as .safetensors. Choose another model"
        )
    # A folder of a training may hold any architecture.
    if not found & set(field.takes) and "trained" not in field.takes:
        wanted = " or ".join(WORDS[one] for one in field.takes)
        is_one = " and ".join(WORDS[one] for one in sorted(found))
        raise OptionError(
            f"{named} is {is_one}; this option needs {wanted}. Choose another model"
        )


def _check_hub(field: OptionField, value: str) -> None:
    if _workers_elsewhere() or reachable(value):
        return
    raise OptionError(
        f"{field.name}: {value} is not on this server and cannot be downloaded now."
        " Choose a model from the list, or ask your administrator to get it with `hf"
        f" download {value}`"
    )


def reachable(name: str) -> bool:
    """Whether the hub answers that it has the model."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    if constants.HF_HUB_OFFLINE:
        return False
    repository, _, revision = name.partition("@")
    try:
        HfApi().model_info(repository, revision=revision or None, timeout=LOOK_SECONDS)
    except (OSError, ValueError, HfHubHTTPError, HFValidationError):
        return False
    return True


def _workers_elsewhere() -> bool:
    """On another machine, which may have models that this one has not."""
    mine = heartbeats.owner_of(0).split("/")[0]
    return any(
        not owner.startswith(f"{mine}/")
        for owner in heartbeats.alive(now=timezone.now(), queue=queues.GPU)
    )


# What there is ------------------------------------------------------------------------


def _trained(one: Checkpoint) -> ModelHere:
    return ModelHere(
        one.key,
        "trained",
        frozenset({"trained"}),
        metric=one.metric,
        at_chance=chance.no_better(one.card.get("figures", {})),
    )


def _in_folder() -> list[ModelHere]:
    """Folders of models, and of those one level further down: org/name."""
    found: list[ModelHere] = []
    for name in allowed_models.names()[: allowed_models.MOST_SUGGESTED]:
        folder = settings.MODELS_DIR / name
        if not folder.is_dir():
            continue
        if (folder / "config.json").is_file():
            found.append(_model(name, "folder", folder))
            continue
        inner = sorted(path.parent.name for path in folder.glob("*/config.json"))
        found += [_model(f"{name}/{one}", "folder", folder / one) for one in inner]
    return [one for one in found if one.kinds]


def _in_storage() -> list[ModelHere]:
    return [
        _model(f"{STORED}{name}", "storage", stored_models.outline(f"{STORED}{name}"))
        for name in stored_models.names()[: allowed_models.MOST_SUGGESTED]
    ]


def _in_cache() -> list[ModelHere]:
    return [
        _model(name, "cache", folder)
        for name, folder in sorted(model_kinds.cached().items())
        if allowed_models.may_be_downloaded(name) and model_kinds.in_cache(name)
    ]


def _on_hub() -> list[ModelHere]:
    """What an operator allowed by name, and is not here yet."""
    listed = settings.HUB_MODELS if allowed_models.hub() == "list" else []
    return [ModelHere(n, "hub") for n in listed if model_kinds.in_cache(n) is None]


def _model(value: str, place: Place, folder: Path | None = None) -> ModelHere:
    folder = folder or models.local(value)
    if folder is None:
        return ModelHere(value, place)
    kinds, size = model_kinds.kinds(folder), model_kinds.size(folder)
    return ModelHere(value, place, kinds, size, folder)


def _fits(one: ModelHere, field: OptionField, metric: str) -> bool:
    if one.place == "endpoint":
        return field.network
    if one.place == "hub":  # what it is, nobody here can tell
        return "trained" not in field.takes
    if one.metric:
        return "trained" in field.takes and one.metric == metric
    if "trained" in field.takes and one.place == "bundled":
        return False
    return bool(one.kinds & set(field.takes))


def _alike(one: ModelHere, other: ModelHere) -> bool:
    if one.folder is None or other.folder is None:
        return False
    return model_kinds.same_tokenizer(one.folder, other.folder)


def _size(size: int) -> str:
    for unit, of in (("GB", 1e9), ("MB", 1e6)):
        if size >= of:
            return (
                f"{size / of:.1f} {unit}"
                if size < 10 * of
                else f"{size / of:.0f} {unit}"
            )
    return f"{max(1, round(size / 1e3))} kB"
