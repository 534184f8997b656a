"""The page that describes the API, made of its OpenAPI schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from evalapp.api.schema import BASE

JSON = "application/json"
START = (
    (
        "With curl",
        """\
export TOKEN=KEY
curl BASEstudies/ -H "Authorization: Token $TOKEN\"""",
    ),
    (
        "With Python",
        """\
import requests

api = requests.Session()
api.headers["Authorization"] = "Token KEY"
base = "BASE"

# Create a study, and upload texts.
study = {"name": "ferry", "aspects": [{"key": "coherence"}]}
api.post(f"{base}studies/", json=study).raise_for_status()
with open("texts.csv", "rb") as file:
    answer = api.post(
        f"{base}studies/ferry/uploads/",
        data={"format": "csv"},
        files={"file": file},
    )
print(answer.json())

# Score the texts with a metric, and read all pages of the scores.
run = api.post(f"{base}studies/ferry/runs/", json={"metric": "length"}).json()
url = f"{base}studies/ferry/runs/{run['id']}/scores/"
while url:
    page = api.get(url).json()
    print(page["results"])
    url = page["next"]""",
    ),
)
# What stands for the parts of an address in samples.
PARTS = {
    **{"name": "ferry", "member": "3", "id": "12", "corpus": "reviews"},
    **{"training": "learner-1", "analysis": "agreement", "work": "runs"},
}
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """What is sent or answered under one name."""

    name: str
    type: str
    help: SafeString
    required: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One operation, as the page shows it."""

    id: str
    tag: str
    method: str
    path: str
    summary: str
    description: SafeString
    parameters: list[Field]
    sent: list[Field]
    answered: list[Field]
    status: str
    command: str  # a sample for a shell
    response: str  # what that answers, as JSON


@login_not_required  # a program gets this as JSON
def reference(request: HttpRequest) -> HttpResponse:
    known = request.user.is_authenticated
    return _page(request) if known else _stranger(request)


@require_safe
def _page(request: HttpRequest) -> HttpResponse:
    base = request.build_absolute_uri(f"{BASE}/")
    here = [
        replace(one, command=one.command.replace(f"{BASE}/", base)) for one in calls()
    ]
    context = {
        "groups": [
            (tag, list(some)) for tag, some in groupby(here, lambda call: call.tag)
        ],
        "base": base,
        "start": [(title, text.replace("BASE", base)) for title, text in START],
    }
    return render(request, "evalapp/api/reference.html", context)


def _stranger(request: HttpRequest) -> HttpResponse:
    """A browser goes to the log-in; a program is refused as at any other address."""
    if "text/html" in request.headers.get("Accept", ""):
        return redirect_to_login(request.get_full_path())
    said = "Send a token, in the header “Authorization: Token KEY”, or log in."
    answer = JsonResponse({"errors": [said]}, status=401)
    answer["WWW-Authenticate"] = "Token"
    return answer


@cache
def calls() -> list[Call]:
    """All of the API, by tag; what it is does not change while the site runs."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    schema: Schema = generator.get_schema(  # type: ignore[no-untyped-call]
        request=None, public=True
    )
    found = [
        _call(schema, path, method, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    order = list(dict.fromkeys(call.tag for call in found))
    return sorted(found, key=lambda call: order.index(call.tag))


def _call(schema: Schema, path: str, method: str, operation: Schema) -> Call:
    bodies = operation.get("requestBody", {}).get("content", {})
    is_file = bool(bodies) and JSON not in bodies
    body: Schema = bodies.get(JSON) or next(iter(bodies.values()), {})
    status = next(code for code in operation["responses"] if code.startswith("2"))
    answer = operation["responses"][status].get("content", {}).get(JSON, {})
    return Call(
        id=operation["operationId"],
        tag=operation["tags"][0],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=coded(operation.get("description", "")),
        parameters=[_parameter(one) for one in operation.get("parameters", [])],
        sent=list(_fields(schema, body.get("schema", {}), sending=True)),
        answered=list(_fields(schema, answer.get("schema", {}))),
        status=status,
        command=_command(path, method.upper(), body, is_file=is_file),
        response=_as_json(answer.get("example")),
    )


def _command(path: str, method: str, body: Schema, *, is_file: bool) -> str:
    for name, value in PARTS.items():
        path = path.replace(f"{{{name}}}", value)
    lines = [f"curl {'' if method == 'GET' else f'-X {method} '}{path}"]
    if not path.endswith("/token/"):
        lines.append('-H "Authorization: Token $TOKEN"')
    sample = body.get("example")
    if is_file and sample:
        lines += [f"-F {name}={value}" for name, value in sample.items()]
    elif sample:
        lines += ['-H "Content-Type: application/json"', f"-d '{_as_json(sample)}'"]
    if path.endswith("/download/"):
        lines.append("-OJ")
    return " \\\n  ".join(lines)


def _parameter(given: Schema) -> Field:
    kind = _type(given["schema"])
    told = coded(given.get("description", ""))
    return Field(given["name"], kind, told, given["in"] == "path")


def _as_json(sample: object) -> str:
    return "" if sample is None else json.dumps(sample, indent=2, ensure_ascii=False)


def coded(words: str) -> SafeString:
    """Words with `code` between backticks as HTML."""
    parts = enumerate(words.split("`"))
    return format_html_join("", "{}", ((_part(*one),) for one in parts))


def _part(number: int, words: str) -> str:
    return format_html("<code>{}</code>", words) if number % 2 else words


def _fields(schema: Schema, given: Schema, sending: bool = False) -> Iterator[Field]:
    """The fields of an object, or of each object of a list or of its pages."""
    found = _resolved(schema, given)
    if found.get("type") == "array":
        yield from _fields(schema, found["items"], sending)
        return
    properties = found.get("properties", {})
    if "results" in properties:
        yield from _fields(schema, properties["results"], sending)
        return
    for name, one in properties.items():
        if sending and one.get("readOnly"):
            continue
        said = _resolved(schema, one)
        told = one.get("description") or said.get("description", "")
        # Enumerations are described by a list of their own values.
        told = "" if told.startswith("* ") else told.partition("\n\n* ")[0]
        required = sending and name in found.get("required", [])
        yield Field(name, _type(said | _plain(one)), coded(told), required)


def _plain(one: Schema) -> Schema:
    return {key: value for key, value in one.items() if key in ("nullable", "default")}


def _resolved(schema: Schema, given: Schema) -> Schema:
    for one in (given, *given.get("allOf", []), *given.get("oneOf", [])):
        if "$ref" in one:
            name = one["$ref"].rpartition("/")[2]
            found: Schema = schema["components"]["schemas"][name]
            return found
    return given


def _type(given: Schema) -> str:
    if "enum" in given:
        return " or ".join(json.dumps(value) for value in given["enum"])
    kind = given.get("type", "any value")
    if isinstance(kind, list):
        kind = " or ".join(kind)
    if kind == "array":
        items = given.get("items", {})
        inner = "object" if "$ref" in items else items.get("type", "value")
        kind = f"list of {inner}s"
    if given.get("format") == "binary":
        kind = "file"
    elif given.get("format") == "date-time":
        kind = "time"
    return f"{kind} or null" if given.get("nullable") else kind
