"""Models behind an address that may judge: what the operator wrote into a file."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from scoring.endpoints import model_settings
from scoring.endpoints.model_settings import ModelSettings
from scoring.errors import MetricError, OptionError

PREFIX = "endpoint:"  # of the option model
FORM = f"{PREFIX}NAME/MODEL"
LONGEST_FILE, LONGEST_NAME = 1_000_000, 200
MOST_SAMPLES = 100
# As OpenAI and vLLM take a schema, and as llama-cpp-python does.
SCHEMAS = ("json_schema", "json_object")
MODES = model_settings.MODES
# What another model or fingerprint in the answers means: a sentence beside the scores,
# or other scores, which are kept apart.
NOTE, SPLIT = "note", "split"
# Secrets of the site, of which no judge is sent any: see `_key_env`.
OURS = frozenset(
    {"SECRET_KEY", "PROLIFIC_TOKEN", "METRICS_TOKEN"}
    | {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}
)
HERE = Path(__file__).resolve().parents[2] / "var"  # what DATA_DIR is if nobody sets it


@dataclasses.dataclass(frozen=True, slots=True)
class Endpoint:
    """One `[judges.NAME]`. It knows where its key is, never the key."""

    name: str
    url: str
    models: tuple[str, ...]
    key_env: str = ""  # no key is sent
    calls_at_once: int = 8
    calls_per_minute: int = 0  # no limit, as for tokens
    tokens_per_minute: int = 0
    price_in: float | None = None  # per million tokens; None: not known
    price_out: float | None = None
    currency: str = "USD"
    leaves_site: bool = True  # unless the operator says that texts stay
    schemas: str = "json_schema"  # how the server takes one, of SCHEMAS
    changes: str = NOTE  # or SPLIT
    # Of those models for which the operator has set something.
    model: Mapping[str, ModelSettings] = dataclasses.field(default_factory=dict)
    # What a study, and all studies in a month, may cost here where prices are known.
    max_per_study: float = 100.0
    max_per_month: float = 1000.0

    @property
    def has_prices(self) -> bool:
        return self.price_in is not None and self.price_out is not None

    @property
    def is_free(self) -> bool:
        """Whether the operator says so. Without prices nobody knows."""
        return self.price_in == self.price_out == 0

    def settings(self, model: str) -> ModelSettings:
        return self.model.get(model) or ModelSettings()


class Endpoints(NamedTuple):
    """Those that will do, and a sentence for whatever will not."""

    known: dict[str, Endpoint]
    problems: tuple[str, ...] = ()


def file(folder: Path | None = None) -> Path:
    """JUDGES_FILE, or judges.toml in the folder, which is DATA_DIR by default."""
    folder = folder or Path(os.environ.get("DATA_DIR") or HERE)
    return Path(os.environ.get("JUDGES_FILE") or folder / "judges.toml")


def read(path: Path | None = None) -> Endpoints:
    """The endpoints of a file. One that is wrong does not spoil the others.

    No file means no endpoint, which is no problem. Values that could be a key are
    never repeated in a problem.
    """
    path = path or file()
    try:
        with path.open("rb") as opened:
            content = opened.read(LONGEST_FILE + 1)
    except FileNotFoundError:
        return Endpoints({})
    except OSError as error:
        return Endpoints({}, (f"{path} cannot be read: {error.strerror}",))
    if len(content) > LONGEST_FILE:
        return Endpoints({}, (f"{path} has more than {LONGEST_FILE:,} bytes",))
    try:
        text = content.decode()
        tables = tomllib.loads(text)
    except UnicodeDecodeError:
        return Endpoints({}, (f"{path} is not UTF-8",))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Endpoints({}, (f"{path} is not TOML: {error}",))
    return _of(tables, text, path.name)


def resolve(model: str, endpoints: Endpoints | None = None) -> tuple[Endpoint, str]:
    """The endpoint and the model that `endpoint:NAME/MODEL` names.

    Raises:
        MetricError: If there is no such endpoint, or it does not offer the model.
    """
    name, model_name = split_name(model)
    configured = read() if endpoints is None else endpoints
    if name not in configured.known:
        names = ", ".join(configured.known) or "none"
        wrong = "".join(f". {problem}" for problem in configured.problems)
        raise MetricError(
            f"there is no endpoint {name[:60]}; there are: {names}. Endpoints are set"
            f" up in the file that JUDGES_FILE names, {file()}{wrong}"
        )
    endpoint = configured.known[name]
    if model_name not in endpoint.models:
        raise MetricError(
            f"the endpoint {name} does not offer the model {model_name[:LONGEST_NAME]};"
            f" it offers: {', '.join(endpoint.models)}"
        )
    return endpoint, model_name


def check_mode(model: str, mode: str, endpoints: Endpoints | None = None) -> None:
    """Raise MetricError where the operator does not offer a mode for a model.

    Raises as `chosen` does, too.
    """
    endpoint, model_name = resolve(model, endpoints)
    modes = endpoint.settings(model_name).modes
    if mode not in modes:
        raise MetricError(
            f"mode={mode}: the model {model_name} of the endpoint {endpoint.name} may"
            f" be asked in: {', '.join(modes)}, by the file that JUDGES_FILE names"
        )


def split_name(model: str) -> tuple[str, str]:
    """Name and model.

    Raises:
        OptionError: If the value is not of the form endpoint:NAME/MODEL.

    >>> parts("endpoint:lab/org/tiny")
    ('lab', 'org/tiny')
    """
    name, _, model_name = model.removeprefix(PREFIX).partition("/")
    if not name or not model_name:
        raise OptionError(f"model={model[:100]}: expected {FORM}, endpoint:lab/tiny")
    return name, model_name


def title(model: str) -> str:
    """What people read in place of endpoint:NAME/MODEL.

    >>> title("endpoint:lab/tiny")
    'tiny on lab (over the network)'
    """
    name, _, model_name = model.removeprefix(PREFIX).partition("/")
    return f"{model_name} on {name} (over the network)"


def _of(tables: Mapping[str, Any], text: str, file_name: str) -> Endpoints:
    valid, problems = {}, []
    for name in sorted(set(tables) - {"judges"}):
        problems.append(f"{name[:60]}: expected tables [judges.NAME] only")
    judges = tables.get("judges", {})
    if not isinstance(judges, dict):
        judges, problems = {}, [*problems, "judges: expected tables [judges.NAME]"]
    for name, table in judges.items():
        wrong = _problems(name, table)
        for field, problem in wrong:
            line = _line(text, name, field)
            where = f"{file_name}, line {line}, " if line else f"{file_name}, "
            field_path = f"judges.{name[:60]}" + (f".{field[:280]}" if field else "")
            problems.append(f"{where}{field_path}: {problem}")
        if not wrong:
            valid[name] = _endpoint(name, table)
    return Endpoints(valid, tuple(problems))


def _endpoint(name: str, table: Mapping[str, Any]) -> Endpoint:
    """Of a table without problems."""
    tables = table.get("model", {})
    settings = {
        model: model_settings.of(settings_table)
        for model, settings_table in tables.items()
    }
    models = tuple(table["models"])
    return Endpoint(name, **{**table, "models": models, "model": settings})


def _problems(name: str, table: Any) -> list[tuple[str, str]]:
    """Fields and what is wrong with them; "" is the table itself."""
    if not _is_word(name.replace("-", "_").lstrip("0123456789") or "_", 50):
        return [("", "expected a name of at most 50 letters, digits, - and _")]
    if not isinstance(table, dict):
        return [("", f"expected a table [judges.{name}]")]
    problems = [
        (field, f"unknown field; there are: {', '.join(CHECKS)}")
        for field in table
        if field not in CHECKS
    ]
    problems += [
        ("", f"{field} is missing") for field in ("url", "models") if field not in table
    ]
    for field, check in CHECKS.items():
        if field in table and (problem := check(table[field])):
            problems.append((field, problem))
    return problems + _model_problems(table)


def _model_problems(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The same of `[judges.NAME.model.X]`, whose fields are called model.X.FIELD."""
    tables, models = table.get("model", {}), table.get("models")
    if not isinstance(tables, dict):
        return []  # told by CHECKS
    problems = []
    for model, settings_table in tables.items():
        if isinstance(models, list) and model not in models:
            problems.append(
                (f"model.{model}", "expected the name of one of its models")
            )
        for field, problem in model_settings.problems(settings_table):
            problems.append(
                (f"model.{model}" + (f".{field}" if field else ""), problem)
            )
    return problems


def _is_word(value: str, longest: int) -> bool:
    return value.isascii() and value.isidentifier() and len(value) <= longest


def _url(value: Any) -> str:
    expected = 'expected an address like "http://127.0.0.1:9000/v1"'
    if not isinstance(value, str) or not value.isascii() or not value.isprintable():
        return expected
    try:
        address = urlsplit(value)
        _ = address.port  # is read only now
    except ValueError:
        return expected
    if "@" in address.netloc:
        return "has a name or a password in it: name the key's variable in key_env"
    if address.scheme not in ("http", "https") or not address.hostname or " " in value:
        return expected
    return f"{expected}, without ? and #" if address.query or address.fragment else ""


def _key_env(value: Any) -> str:
    # The value is not shown: somebody may have written the key itself.
    is_name = isinstance(value, str) and _is_word(value, 100) and value == value.upper()
    if not is_name:
        expected = "expected the name of an environment variable in capitals"
        return f"{expected}, such as LAB_KEY, and not the key itself"
    # What it holds is sent to the url beside it, and the file may come from a backup.
    if value in OURS or value.startswith("AWS_"):
        return "names a setting of EvalApp, whose value is sent to no judge"
    if not value.endswith(("_KEY", "_TOKEN")):
        return "expected a name that ends in _KEY or _TOKEN, such as LAB_KEY"
    return ""


def _models(value: Any) -> str:
    is_list = isinstance(value, list) and value and len(set(map(str, value)))
    if not is_list or not all(map(_is_model, value)):
        return 'expected a list of names of models, ["tiny"]'
    return "" if len(set(value)) == len(value) else "names a model twice"


def _is_model(value: Any) -> bool:
    is_text = isinstance(value, str) and 1 <= len(value) <= LONGEST_NAME
    return is_text and value.isprintable() and not set(value) & set("| ")


def _whole(low: int) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        fits = type(value) is int and low <= value <= 1_000_000_000
        return "" if fits else f"expected a whole number of at least {low}"

    return check


def _price(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = is_number and math.isfinite(value) and value >= 0
    return "" if fits else "expected a price per million tokens, such as 0.15"


def _ceiling(value: Any) -> str:
    return _price(value) and "expected an amount of money, such as 100"


def _currency(value: Any) -> str:
    fits = isinstance(value, str) and len(value) == 3 and value.isascii()
    fits = fits and value.isalpha() and value.isupper()
    return "" if fits else 'expected three capital letters, such as "USD"'


def _schemas(value: Any) -> str:
    expected = f"expected {' or '.join(map(json.dumps, SCHEMAS))}"
    return "" if value in SCHEMAS else expected


def _changes(value: Any) -> str:
    return "" if value in (NOTE, SPLIT) else f'expected "{NOTE}" or "{SPLIT}"'


def _model(value: Any) -> str:
    fits = isinstance(value, dict)
    return "" if fits else 'expected tables such as [judges.lab.model."tiny"]'


def _boolean(value: Any) -> str:
    return "" if isinstance(value, bool) else "expected true or false"


CHECKS: dict[str, Callable[[Any], str]] = {
    "url": _url,
    "key_env": _key_env,
    "models": _models,
    "calls_at_once": _whole(1),
    "calls_per_minute": _whole(0),
    "tokens_per_minute": _whole(0),
    "price_in": _price,
    "price_out": _price,
    "currency": _currency,
    "max_per_study": _ceiling,
    "max_per_month": _ceiling,
    "leaves_site": _boolean,
    "schemas": _schemas,
    "changes": _changes,
    "model": _model,
}


def _line(text: str, name: str, field: str) -> int | None:
    """Where a field of an endpoint stands; its header where the field is "" or hidden.

    tomllib does not say it. Unusual spellings are not found, and then no line is told.
    """
    headers: dict[str, int] = {}
    inside = ""
    for number, line in enumerate(text.splitlines(), start=1):
        bare = "".join(line.partition("#")[0].split()).replace('"', "")
        if bare.startswith("["):
            inside = bare.strip("[]")
            headers[inside] = number
        elif field and f"{inside}.{bare.partition('=')[0]}" == f"judges.{name}.{field}":
            return number
    whole = f"judges.{name}.{field}" if field else ""
    # A field that was not found is told by the table that it should stand in.
    for header in (whole, whole.rpartition(".")[0], f"judges.{name}"):
        if header in headers:
            return headers[header]
    return None
