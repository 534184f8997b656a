"""A server around a causal language model in a folder: chats, and texts continued.

It is written without the judge's code: a plain forward pass and a softmax.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.scoring.endpoints.servers import Answering, Reply, completion
from tests.scoring.endpoints.texts_server import continued


def answering(folder: Path) -> Answering:
    """Greedy, and one token for each answer, as a server may limit it."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()

    def reply(body: dict[str, Any], n: int) -> Reply:
        message = body["messages"][0]["content"]
        ids = [tokenizer.bos_token_id, *_plain(tokenizer, message)]
        with torch.inference_mode():
            logits = model(torch.tensor([ids])).logits[0, -1]
        best = logits.log_softmax(-1).topk(max(1, body.get("top_logprobs", 1)))
        top = [
            {"token": tokenizer.decode([token]), "logprob": log}
            for log, token in zip(*map(torch.Tensor.tolist, best), strict=True)
        ]
        listed = {"content": [{**top[0], "top_logprobs": top}]}
        return completion(
            top[0]["token"],
            finish="length",
            logprobs=listed if body.get("logprobs") else None,
        )

    return reply


def _plain(tokenizer: Any, message: str) -> list[int]:
    return tokenizer(message, add_special_tokens=False)["input_ids"]


def continuing(
    folder: Path, way: str, *, shift: int = 0, start: bool = True
) -> Answering:
    """Texts with log-probabilities, as `echo` or as `prompt_logprobs`.

    `shift` is how many places further on the number of a token is taken from, which is
    an error that real servers have; `start` puts the begin-of-text token first.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()

    def reply(body: dict[str, Any], n: int) -> Reply:
        text = body["prompt"]
        ids = ([tokenizer.bos_token_id] if start else []) + _plain(tokenizer, text)
        with torch.inference_mode():
            logs = model(torch.tensor([ids])).logits[0].log_softmax(-1)
        places = [logs[max(k - 1 + shift, 0), token] for k, token in enumerate(ids)]
        told = [None, *map(float, places[1:])]
        best = int(logs[-1].argmax())
        pieces = [_piece(tokenizer, token) for token in ids]
        written = (_piece(tokenizer, best), float(logs[-1, best]))
        return continued(text, written, list(zip(pieces, told, strict=True)), way, body)

    return reply


def _piece(tokenizer: Any, token: int) -> str:
    return tokenizer.convert_ids_to_tokens(token).replace("▁", " ")
