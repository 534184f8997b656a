"""Results of other evaluation tools -> scores of texts and numbers of systems.

Each public file of this folder reads the results of one tool and says in its docstring
which: dropping one in adds a tool. It has

    TITLE              the tool's name, as people write it
    FILES              what to upload, for people
    read(bundle)       what the files say; None: they are not of this tool

Files are recognised by what is in them, never by their names, and read in bounded
memory. Nothing here knows the study: which of its texts is meant is found in
`imported`, beside it. What is not a number stays missing and says why.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any, BinaryIO

from annotation.imports import Limits, UploadError
from scoring.contrib.tool_results.readers._bundle import Bundle
from scoring.contrib.tool_results.readers._found import (
    BadBundle,
    Found,
    Sample,
    Scored,
    Total,
)

__all__ = [
    "TOOLS",
    "Found",
    "Sample",
    "Scored",
    "Total",
    "is_known",
    "is_meant",
    "read",
]

STARTS = (b"{", b"[", b"PK\x03\x04")
BOM = b"\xef\xbb\xbf"


def _tools() -> dict[str, Any]:
    found = sorted(module.name for module in pkgutil.iter_modules(__path__))
    # Its logs have a file for each text, which the others would open in vain.
    found.sort(key=lambda name: name != "inspect_ai")
    return {
        name: importlib.import_module(f"{__name__}.{name}")
        for name in found
        if not name.startswith("_")
    }


TOOLS: dict[str, Any] = _tools()


def is_meant(file: BinaryIO) -> bool:
    """Whether the file is JSON or a zip file, and no table. It is at its start."""
    head = file.read(64).removeprefix(BOM).lstrip()
    file.seek(0)
    return head.startswith(STARTS)


def is_known(file: BinaryIO, file_name: str, limits: Limits) -> bool:
    """Whether one of these tools wrote the file. It is at its start, before and after.

    A file that cannot be read is nobody's: whoever reads it as texts says why.
    """
    if not is_meant(file):
        return False
    try:
        bundle = Bundle(file, file_name, limits)
        return any(tool.read(bundle) is not None for tool in TOOLS.values())
    except BadBundle:
        return False
    finally:
        file.seek(0)


def read(file: BinaryIO, file_name: str, limits: Limits) -> Found:
    """What the file says.

    Raises:
        UploadError: If no tool wrote it, or it cannot be read.
    """
    try:
        bundle = Bundle(file, file_name, limits)
        for tool in TOOLS.values():
            found: Found | None = tool.read(bundle)
            if found is not None:
                return found
    except BadBundle as error:
        raise UploadError([str(error)]) from None
    titles = ", ".join(tool.TITLE for tool in TOOLS.values())
    raise UploadError(
        [
            f"The file is not a result of {titles} as their tools write it."
            f" {bundle.described()} Upload the file as the tool wrote it, or a csv file"
            " with the columns key, output, value and direction."
        ]
    )
