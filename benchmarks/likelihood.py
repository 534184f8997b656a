"""How much faster the likelihood engine is than plain code, on the same machine.

python -m benchmarks.likelihood --model DIR --iwf FILE --texts FILE.txt [--n 40]

The texts are in the form of CTRLEval's released data: label, prefix and text, with
tabs between. The plain code is what one writes first: pairs in the order they come, in
batches of a fixed size, each pair through encoder and decoder, log-softmax over the
whole vocabulary at every position. Both run in one process, and the best of `--repeat`
runs counts. Ratios travel, seconds do not.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from scoring.metrics import Example, _models, get
from scoring.metrics._likelihood import Pair


def plain(engine: Any, pairs: list[Pair], size: int) -> np.ndarray:
    """Mean log-probabilities without any of the engine's ideas."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    found = []
    with torch.inference_mode():
        for start in range(0, len(pairs), size):
            batch = pairs[start : start + size]
            sources = [torch.tensor(pair.source) for pair in batch]
            targets = [torch.tensor(pair.target) for pair in batch]
            inputs = [torch.tensor((engine.start, *p.target[:-1])) for p in batch]
            source = pad_sequence(sources, True, engine.pad).to(engine.device)
            lengths = torch.tensor([len(s) for s in sources], device=engine.device)
            mask = (
                torch.arange(source.shape[1], device=engine.device) < lengths[:, None]
            )
            target = pad_sequence(targets, True, engine.pad).to(engine.device)
            logits = engine.model(
                input_ids=source,
                attention_mask=mask,
                decoder_input_ids=pad_sequence(inputs, True, engine.pad).to(
                    engine.device
                ),
            ).logits
            logs = logits.float().log_softmax(-1).gather(-1, target[..., None])[..., 0]
            for row, pair in zip(logs.cpu().double(), batch, strict=True):
                found.append(row[: len(pair.target)].mean().item())
    return np.array(found)


def best(run: Callable[[], np.ndarray], repeat: int) -> tuple[float, np.ndarray]:
    """Seconds of the fastest run, and its result."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = run()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def read(path: Path, n: int) -> list[Example]:
    lines = path.read_text(encoding="utf-8").splitlines()[:n]
    rows = (line.split("\t")[:3] for line in lines)
    return [Example(text, prefix, label) for label, prefix, text in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--iwf", required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--n", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=8, help="of the plain code")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    _models.limit_threads(options.threads)
    metric = get("ctrleval")(model=options.model, iwf=options.iwf)
    scorer: Any = metric.load(options.device)
    engine, examples = scorer.engine, read(options.texts, options.n)
    print(f"{len(examples)} texts, {options.threads} threads, {options.device}")
    print(
        "aspect               pairs  sources  plain s  engine s  ratio  largest diff."
    )
    for aspect in scorer.aspects:
        planned = scorer._plan(aspect, examples).pairs
        pairs = [pair for one in planned for pair in one]
        engine.mean_logprobs(pairs[:8])  # warm
        fast, ours = best(lambda p=pairs: engine.mean_logprobs(p), options.repeat)
        slow, theirs = best(
            lambda p=pairs: plain(engine, p, options.batch_size), options.repeat
        )
        print(
            f"{aspect.key:20} {len(pairs):5} {len({p.source for p in pairs}):8} "
            f"{slow:8.2f} {fast:9.2f} {slow / fast:6.1f}  "
            f"{np.abs(ours - theirs).max():.1e}"
        )


if __name__ == "__main__":
    main()
