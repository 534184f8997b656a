"""What the API says of itself: words, samples, and the page made of them."""

from __future__ import annotations

from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from evalapp.api import reference
from evalapp.api.schema import BASE, SAMPLES

SCHEMA = SchemaGenerator().get_schema(request=None, public=True)
OPERATIONS = {
    f"{method.upper()} {path.removeprefix(BASE)}": operation
    for path, methods in SCHEMA["paths"].items()
    for method, operation in methods.items()
}
JSON = "application/json"


def resolved(given: dict[str, Any]) -> dict[str, Any]:
    for one in (given, *given.get("allOf", []), *given.get("oneOf", [])):
        if "$ref" in one:
            return SCHEMA["components"]["schemas"][one["$ref"].rpartition("/")[2]]
    return given


def unlike(sample: Any, given: dict[str, Any], where: str = "") -> list[str]:
    """Where a sample and what the schema says differ in their names or choices."""
    found = resolved(given)
    if found.get("type") == "array":
        return [wrong for one in sample for wrong in unlike(one, found["items"], where)]
    if "enum" in found and sample is not None and sample not in found["enum"]:
        return [f"{where}: {sample} is none of {found['enum']}"]
    properties = found.get("properties")
    if properties is None or not isinstance(sample, dict):
        return []
    wrong = [f"{where}.{name}: is there" for name in set(sample) - set(properties)]
    for name, value in sample.items():
        if name in properties:
            wrong += unlike(value, properties[name], f"{where}.{name}")
    return wrong


@pytest.mark.parametrize("name", OPERATIONS)
class TestEachCall:
    def test_it_has_words_of_its_own(self, name):
        operation = OPERATIONS[name]
        summary = operation["summary"]
        assert 5 < len(summary) < 60 and "\n" not in summary
        assert not summary.endswith(".")
        assert len(operation["tags"]) == 1

    def test_its_samples_are_as_the_schema_says(self, name):
        operation, sample = OPERATIONS[name], SAMPLES[name]
        answers = operation["responses"]
        first = next(code for code in sorted(answers) if code.startswith("2"))
        body = answers[first].get("content", {}).get(JSON, {}).get("schema")
        assert ("response" in sample) == (body is not None)
        if body is not None:
            assert unlike(sample["response"], body) == []
            properties = resolved(body).get("properties", {})
            assert not [one for one in properties if one not in sample["response"]]
        bodies = operation.get("requestBody", {}).get("content", {})
        assert ("request" in sample) == bool(bodies)
        for content in bodies.values():
            assert unlike(sample["request"], content["schema"]) == []


def test_there_is_no_sample_of_a_call_that_is_gone():
    assert set(SAMPLES) == set(OPERATIONS)


def test_no_two_calls_are_called_the_same():
    summaries = [operation["summary"] for operation in OPERATIONS.values()]
    assert len(set(summaries)) == len(summaries)


class TestThePage:
    def test_it_shows_every_call_with_a_command(self, client, alice):
        client.force_login(alice)
        page = client.get("/api/v1/").content.decode()
        for call in reference.calls():
            assert f'id="{call.id}"' in page
        assert "curl http://testserver/api/v1/studies/ferry/ratings/" in page
        assert "-F file=@texts.csv" in page

    def test_the_old_address_shows_it_too(self, client, alice):
        client.force_login(alice)
        assert client.get("/api/").status_code == 200

    def test_a_browser_goes_to_the_log_in(self, client, db):
        answer = client.get("/api/", headers={"Accept": "text/html,*/*"})
        assert answer["Location"] == "/login/?next=/api/"

    def test_a_program_is_told_what_to_send(self, client, db):
        answer = client.get("/api/", headers={"Accept": "application/json"})
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Token")
        assert "Authorization: Token KEY" in answer.json()["errors"][0]

    def test_words_are_escaped_and_code_is_marked(self):
        assert reference.coded("a `b` <c>") == "a <code>b</code> &lt;c&gt;"


def test_the_old_address_answers_as_the_new_one(client, alice, make_study):
    make_study()
    client.force_login(alice)
    old, new = (client.get(f"/api/{v}studies/ferry/") for v in ("", "v1/"))
    assert old.json() == new.json()
