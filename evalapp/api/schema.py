"""The description of the API: words of each operation, and a sample beside it."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

from drf_spectacular.openapi import AutoSchema

BASE = "/api/v1"
LIKE = "like"  # {"like": "GET /studies/{name}/", ...}: its answer with other values
WRITTEN = json.loads(Path(__file__).with_name("samples.json").read_text())


def _whole(sample: Any) -> Any:
    """A sample with what it says by naming another call."""
    if isinstance(sample, list):
        return [_whole(part) for part in sample]
    if not isinstance(sample, dict):
        return sample
    parts = {name: _whole(part) for name, part in sample.items() if name != LIKE}
    return WRITTEN[sample[LIKE]]["response"] | parts if LIKE in sample else parts


# What each call is sent and answers: "POST /studies/" -> {"request", "response"}.
SAMPLES: dict[str, dict[str, Any]] = _whole(WRITTEN)


class Described(AutoSchema):
    """The first line of a method's docstring is its summary, the rest describes it.

    `tag` of its class says under which heading it stands.
    """

    def get_summary(self) -> str:
        return self._words()[0]

    def get_description(self) -> str:
        return "\n".join(self._words()[1:]).strip()

    def get_tags(self) -> list[str]:
        return [self.view.tag]

    def _words(self) -> list[str]:
        method = getattr(self.view, self.method.lower())
        said = inspect.getdoc(method)
        assert said, f"{type(self.view).__name__}.{self.method}: what does it do?"
        return said.splitlines()


def current_only(endpoints: list[Any]) -> list[Any]:
    """/api/ is another name of /api/v1/: one of both is described."""
    return [one for one in endpoints if one[0].startswith(f"{BASE}/")]


def add_samples(result: dict[str, Any], **context: object) -> dict[str, Any]:
    for path, methods in result["paths"].items():
        for method, operation in methods.items():
            sample = SAMPLES.get(f"{method.upper()} {path.removeprefix(BASE)}", {})
            if "request" in sample:
                for body in operation["requestBody"]["content"].values():
                    body["example"] = sample["request"]
            if "response" in sample:
                answers = operation["responses"]
                first = next(code for code in sorted(answers) if code.startswith("2"))
                answers[first]["content"]["application/json"]["example"] = sample[
                    "response"
                ]
    return result
