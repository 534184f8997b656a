"""The form in which people choose a judge over the network."""

from __future__ import annotations

from typing import Any

from django.test import Client

OPTIONS = "/studies/ferry/metrics/with/llm_judge/"
MODEL = "endpoint:lab/tiny"


def post(client: Client, address: str = OPTIONS, **fields: str) -> Any:
    """Send the options of that judge, with others or with more."""
    given = {"llm_judge-model": MODEL, "llm_judge-mode": "answer"}
    given |= {"llm_judge-dtype": "float32", "llm_judge-chat": "on"}
    return client.post(address, {**given, **fields})
