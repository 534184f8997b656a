"""A server of chat completions that misbehaves by seed, and writes down all it did.

    .venv/bin/python benchmarks/judge_server.py PORT LOG SEED SHARE

Each line of the log: number of the request, when it was read, of which text (-1 for the
test question), how often that was asked before, what came back, and its score.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import time

RETRY_AFTER_SECONDS = 1
BETWEEN_RETRY_AFTERS = 10.0  # seconds: each of them stops everybody
HANG_SECONDS = 5.0
TEXT = re.compile(rb"Text (\d{6})")
TOKENS_IN, TOKENS_OUT = 50, 3

# What comes back in place of a good answer. All of it has the number of the request,
# except where nothing whole comes back at all.
STATUSES = {"408": 408, "409": 409, "429": 429, "500": 500, "503": 503}
UNREADABLE = {
    "between": "between 3 and 4",
    "words": "rather good",
    "off the scale": "6",
    "empty": "",
    "reasoning only": "",
}
CLEAR = ("refusal", "content filter", "cut off", "another model")
SILENT = ("hang", "cut")
KINDS = (
    *STATUSES,
    *UNREADABLE,
    *CLEAR,
    *SILENT,
    *("429 with Retry-After", "truncated JSON", "wrong schema"),
)


def score_of(seed: int, text: int, n: int) -> int:
    """What a good answer says, the nth time that a text is asked about."""
    return random.Random(f"score {seed} {text} {n}").randint(1, 5)


def kind_of(seed: int, share: float, text: int, n: int) -> str:
    chance = random.Random(f"kind {seed} {text} {n}")
    good = text < 0 or chance.random() >= share
    return "good" if good else chance.choice(KINDS)


class Server:
    def __init__(self, log: str, seed: int, share: float) -> None:
        self.log = open(log, "a", buffering=1 << 16)  # noqa: SIM115
        self.seed, self.share = seed, share
        self.n, self.asked = 0, {}
        self.last_hold = 0.0

    async def handle(self, reader, writer) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(re.search(rb"content-length: *(\d+)", head, re.I)[1])
                body = await reader.readexactly(length)
                if not await self.reply(body, writer):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def reply(self, body: bytes, writer) -> bool:
        """Whether the connection stays open."""
        now = time.time()
        found = TEXT.search(body)
        text = int(found[1]) if found else -1
        n = self.asked[text] = self.asked.get(text, -1) + 1
        number, self.n = self.n, self.n + 1
        kind = kind_of(self.seed, self.share, text, n)
        if kind == "429 with Retry-After":
            if now < self.last_hold + BETWEEN_RETRY_AFTERS:
                kind = "429"
            else:
                self.last_hold = now
        score = score_of(self.seed, text, n) if text >= 0 else 1
        line = [number, now, text, n, kind, score if kind == "good" else None]
        self.log.write(json.dumps(line) + "\n")
        if kind == "hang":
            await asyncio.sleep(HANG_SECONDS)
            return False
        status, sent = written(kind, number, score)
        head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n"
        if kind == "429 with Retry-After":
            head += f"retry-after: {RETRY_AFTER_SECONDS}\r\n"
        length = len(sent) + (40 if kind == "cut" else 0)
        writer.write(f"{head}content-length: {length}\r\n\r\n".encode() + sent)
        await writer.drain()
        return kind != "cut"


def written(kind: str, number: int, score: int) -> tuple[int, bytes]:
    """Status and body."""
    name = f"call-{number:09d}"
    if kind in STATUSES or kind.startswith("429"):
        body = {"id": name, "error": {"message": f"no, {name}"}}
        return STATUSES.get(kind, 429), json.dumps(body).encode()
    if kind == "wrong schema":
        return 200, json.dumps({"id": name, "score": score}).encode()
    message = {"role": "assistant", "content": UNREADABLE.get(kind, str(score))}
    if kind == "reasoning only":
        message["reasoning_content"] = "4, I think"
    if kind == "refusal":
        message |= {"content": None, "refusal": "I will not rate this"}
    ends = {"content filter": "content_filter", "cut off": "length"}
    found = {
        "id": name,
        "object": "chat.completion",
        "model": "huge" if kind == "another model" else "tiny",
        "system_fingerprint": "fp_1",
        "choices": [
            {"index": 0, "message": message, "finish_reason": ends.get(kind, "stop")}
        ],
        "usage": {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT},
    }
    body = json.dumps(found).encode()
    return 200, body[:90] if kind == "truncated JSON" else body


async def main() -> None:
    port, log, seed, share = sys.argv[1:]
    server = Server(log, int(seed), float(share))
    async with await asyncio.start_server(
        server.handle, "127.0.0.1", int(port), backlog=1000
    ):
        while True:
            await asyncio.sleep(0.5)
            server.log.flush()


if __name__ == "__main__":
    asyncio.run(main())
