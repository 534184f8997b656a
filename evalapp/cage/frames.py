"""What goes through the pipe: JSON, or bytes as they are, each with its length. Pure.

No pickle: a child that a file has taken over could send an object that runs code.
"""

from __future__ import annotations

import json
import struct
from typing import Any

HEAD = struct.Struct(">cI")
JSON, BYTES = b"J", b"B"
AT_ONCE = 1 << 16  # bytes of rows or of a file in one frame, more or less
# A text may have half of a surrogate pair, about which people are told later.
UTF_8 = ("utf-8", "surrogatepass")


def packed(value: Any) -> bytes:
    body = json.dumps(value, ensure_ascii=False).encode(*UTF_8)
    return HEAD.pack(JSON, len(body)) + body


def packed_bytes(block: bytes) -> bytes:
    return HEAD.pack(BYTES, len(block)) + block


def unpacked(body: bytes) -> Any:
    return json.loads(body.decode(*UTF_8))
