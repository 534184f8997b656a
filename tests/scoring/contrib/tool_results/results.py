"""Small results of tools, as uploads."""

from __future__ import annotations

import io
import json
import zipfile

from annotation.imports import Limits
from scoring.contrib.tool_results import readers
from scoring.contrib.tool_results.readers import Found


def packed(
    files: dict[str, object], *, compression: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """A zip file. Texts and bytes stay as they are, the rest becomes JSON."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as pack:
        for name, content in files.items():
            is_ready = isinstance(content, str | bytes)
            pack.writestr(name, content if is_ready else json.dumps(content))
    return file.getvalue()


def lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def read(content: object, name: str = "upload", limits: Limits | None = None) -> Found:
    if isinstance(content, str):
        content = content.encode()
    if not isinstance(content, bytes):
        content = json.dumps(content).encode()
    file = io.BytesIO(content)
    assert readers.is_meant(file)
    return readers.read(file, name, limits or Limits())


def numbers(found: Found) -> list[tuple[str, str, float | None, str]]:
    return [(one.sample.at, one.output, one.value, one.reason) for one in found.scored]
