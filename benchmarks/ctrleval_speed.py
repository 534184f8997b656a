"""How much faster CTRLEval is here than plain code on the same weights and machine.

python -m benchmarks.ctrleval_speed --model DIR --texts FILE.txt [--n 40]
python -m benchmarks.ctrleval_speed ... --large --shortest --n 1

The texts are in the form of CTRLEval's released data: label, prefix and text, with
tabs between. The plain code is what one writes first: pairs in the order they come, in
batches of a fixed size, each pair through encoder and decoder, log-softmax over the
whole vocabulary at every position; of several batch sizes the fastest counts. Both run
in one process with the same threads, and the best of `--repeat` runs counts. Ratios
travel, seconds do not.

`--large` puts random weights of PEGASUS-large's shape (568 million parameters) beside
the tokenizer in DIR. `--device cuda --dtype bfloat16` also tells the share of the
card's arithmetic that is used, given `--peak` in TFLOP/s.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scoring.metrics import Example
from scoring.metrics._ctrleval.aspects import Aspect, Coherence, Consistency, Relevance
from scoring.metrics._ctrleval.scorer import CTRLEvalScorer, Way
from scoring.metrics._ctrleval.tables import SENTIMENT, TOPIC
from scoring.metrics._engine import backbones, batches, likelihood, models
from scoring.metrics._engine.likelihood import Pair, Seq2Seq

# Zhang et al. (2020), table 1 and appendix.
LARGE = {
    "d_model": 1024,
    "encoder_layers": 16,
    "decoder_layers": 16,
    "encoder_attention_heads": 16,
    "decoder_attention_heads": 16,
    "encoder_ffn_dim": 4096,
    "decoder_ffn_dim": 4096,
    "max_position_embeddings": 1024,
    "scale_embedding": True,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "decoder_start_token_id": 0,
}


def plain(engine: Seq2Seq, pairs: Sequence[Pair], size: int) -> np.ndarray:
    """Mean log-probabilities without any of the engine's ideas."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    device, found = engine.device, []
    with torch.inference_mode():
        for start in range(0, len(pairs), size):
            batch = pairs[start : start + size]
            sources = [torch.tensor(pair.source) for pair in batch]
            targets = [torch.tensor(pair.target) for pair in batch]
            inputs = [torch.tensor((engine.start, *p.target[:-1])) for p in batch]
            source = pad_sequence(sources, True, engine.pad).to(device)
            lengths = torch.tensor([len(s) for s in sources], device=device)
            target = pad_sequence(targets, True, engine.pad).to(device)
            logits = engine.model(
                input_ids=source,
                attention_mask=torch.arange(source.shape[1], device=device)
                < lengths[:, None],
                decoder_input_ids=pad_sequence(inputs, True, engine.pad).to(device),
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


def read(path: Path, n: int, *, shortest: bool) -> list[Example]:
    rows = [line.split("\t")[:3] for line in path.read_text("utf-8").splitlines()]
    if shortest:
        rows.sort(key=lambda row: len(row[2]))
    return [Example(text, prefix, label) for label, prefix, text in rows[:n]]


def scorer_of(options: argparse.Namespace) -> CTRLEvalScorer:
    folder = models.find(options.model)
    if options.large:
        model = _random_large(options)
    else:
        model = models.seq2seq(folder, device=options.device, dtype=options.dtype)
    return CTRLEvalScorer(
        "",
        likelihood.seq2seq(model),
        backbones.load(folder),
        (Coherence(), Consistency()),
        None,
        Way("mean"),
    )


def _random_large(options: argparse.Namespace) -> Any:
    import torch
    from transformers import PegasusConfig, PegasusForConditionalGeneration

    torch.manual_seed(0)
    vocabulary = models.config(models.find(options.model)).vocab_size
    config = PegasusConfig(vocab_size=vocabulary, **LARGE)
    model = PegasusForConditionalGeneration(config)
    return model.to(options.device, getattr(torch, options.dtype)).eval()


def asked(
    examples: Sequence[Example],
) -> list[tuple[str, Aspect, list[Example]]]:
    """Rows of the table: name, aspect, texts. The topics are put to the same texts."""
    topic = [Example(e.text, e.prefix, TOPIC.labels[0]) for e in examples]
    return [
        ("coherence", Coherence(), list(examples)),
        ("consistency", Consistency(), list(examples)),
        ("relevance, sentiment", Relevance((SENTIMENT,)), list(examples)),
        ("relevance, topic", Relevance((TOPIC,)), topic),
    ]


def padding(engine: Seq2Seq, pairs: Sequence[Pair]) -> float:
    """Share of padding in what the encoder reads."""
    lengths = [len(source) for source in {pair.source for pair in pairs}]
    read = sum(
        len(batch) * lengths[batch[0]] for batch in batches.plan(lengths, engine.budget)
    )
    return 1 - sum(lengths) / max(1, read)


def flop(engine: Seq2Seq, pairs: Sequence[Pair]) -> float:
    """Arithmetic that the pairs need: twice the weights for each token they pass."""
    model, sources = engine.model, {pair.source for pair in pairs}
    own = [_weights(part) for part in (model.get_encoder(), model.get_decoder())]
    head = model.get_output_embeddings().weight.numel()
    read = sum(map(len, sources))
    predicted = engine.work(pairs) - read
    return 2 * (read * own[0] + predicted * (own[1] + head))


def _weights(part: Any) -> int:
    return sum(p.numel() for n, p in part.named_parameters() if "embed" not in n)


def measure(
    scorer: CTRLEvalScorer, aspect: Aspect, examples: list[Example], options: Any
) -> str:
    """One row of the table."""
    engine = scorer.engine
    pairs = [pair for one in scorer._plan(aspect, examples).pairs for pair in one]
    engine.mean_logprobs(pairs[:8])  # warm
    fast, ours = best(lambda: engine.mean_logprobs(pairs), options.repeat)
    cells = [
        f"{len(pairs):6} {len({p.source for p in pairs}):8} {fast:9.2f}",
        f"{len(examples) / fast:8.2f} {engine.work(pairs) / fast:9.0f}",
        f"{padding(engine, pairs):8.1%}",
    ]
    if options.peak:
        cells.append(f"{flop(engine, pairs) / fast / options.peak / 1e12:6.1%}")
    if options.batch_sizes:
        runs = [
            (*best(lambda b=b: plain(engine, pairs, b), options.plain_repeat), b)
            for b in options.batch_sizes
        ]
        slow, theirs, size = min(runs, key=lambda run: run[0])
        off = np.abs(ours - theirs).max()
        cells.append(f"{slow:8.2f} {size:5} {slow / fast:6.1f} {off:8.0e}")
    return " ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--n", type=int, default=40)
    parser.add_argument("--shortest", action="store_true", help="take these texts")
    parser.add_argument("--large", action="store_true")
    parser.add_argument(
        "--batch-sizes", type=int, nargs="*", default=[1, 8, 64], help="of plain code"
    )
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--plain-repeat", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--peak", type=float, default=0, help="TFLOP/s of the device")
    options = parser.parse_args()
    models.limit_threads(options.threads)
    examples = read(options.texts, options.n, shortest=options.shortest)
    scorer = scorer_of(options)
    print(f"{len(examples)} texts, {options.threads} threads, {options.device}")
    print(
        f"{'':20}  pairs  sources  engine s  texts/s  tokens/s  padding"
        f"{' of peak' if options.peak else ''}  plain s batch  ratio    diff."
    )
    for name, aspect, texts in asked(examples):
        print(f"{name:20} {measure(scorer, aspect, texts, options)}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the process {peak:,.0f} MB")


if __name__ == "__main__":
    main()
