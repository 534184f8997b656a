"""A server of chat completions around a causal language model in a folder.

It is written without the judge's code: a plain forward pass and a softmax.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.scoring.metrics._judge.servers import Answering, Reply, completion


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
