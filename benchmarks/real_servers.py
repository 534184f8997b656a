"""Judges and log-probabilities over servers that nobody here wrote.

    python benchmarks/real_servers.py --python OTHER/bin/python

OTHER has transformers[serving], accelerate, llama-cpp-python[server] and gguf. Both
servers get the same copy of the bundled model causal-small, which has 256 more tokens,
one for each byte: llama.cpp needs them for line breaks. Their weights are 0. Under
transformers it ends an answer with the first digit, as it would never end otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from scoring.endpoints import configuration, requests
from scoring.metrics import Example, MetricError, get
from scoring.metrics._engine import models
from scoring.metrics.judge import support

TEXTS = [
    Example("The ferry left the harbour at seven.", prefix="The ferry"),
    Example("Nobody on deck said a word, and the gulls were fed.", prefix="Nobody on"),
    Example("By noon the island came into view.", source="A day at sea.\nThey waited."),
]
TAIL = "#3 and #1 and #4 and #2 and #5 and #4 and #1 and #5 and #"
PROMPT = f"{{text}} {{question}} {TAIL}"
PLAIN = "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}"
GGUF = Path(__file__).with_name("gguf_of.py")


def with_bytes(folder: Path, to: Path) -> Path:
    """A copy of a bundled model with a token for each byte, and a chat template."""
    from safetensors.numpy import load_file, save_file

    shutil.copytree(folder, to)
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    known = tokenizer["model"]["vocab"]
    known |= {f"<0x{k:02X}>": len(known) + k for k in range(256)}
    tokenizer["model"]["byte_fallback"] = True
    tokenizer["normalizer"] = {"type": "NFKC"}  # line breaks stay what they are
    decoders = [{"type": "ByteFallback"}, tokenizer["decoder"]]
    tokenizer["decoder"] = {"type": "Sequence", "decoders": decoders}
    _write(to / "tokenizer.json", tokenizer)
    config = json.loads((folder / "config.json").read_text())
    _write(to / "config.json", config | {"vocab_size": len(known), "dtype": "float32"})
    # So small a model would write on for ever: it ends with its first digit.
    digits = [known[f"{space}{k}"] for k in range(10) for space in ("", "▁")]
    ends = json.loads((folder / "generation_config.json").read_text())
    ends["eos_token_id"] = [config["eos_token_id"], *digits]
    _write(to / "generation_config.json", ends)
    facts = json.loads((folder / "tokenizer_config.json").read_text())
    _write(to / "tokenizer_config.json", facts | {"chat_template": PLAIN})
    tensors = load_file(folder / "model.safetensors")
    tensors = {name: one.astype(np.float32) for name, one in tensors.items()}
    table = tensors["model.embed_tokens.weight"]
    more = np.zeros((256, table.shape[1]), np.float32)
    tensors["model.embed_tokens.weight"] = np.concatenate([table, more])
    save_file(tensors, to / "model.safetensors", {"format": "pt"})
    return to


def answering(folder: Path, to: Path) -> Path:
    """A copy that answers every question with a digit, the test question, too."""
    shutil.copytree(folder, to)
    facts = json.loads((to / "tokenizer_config.json").read_text())
    facts["chat_template"] = f"{PLAIN} {TAIL}"
    _write(to / "tokenizer_config.json", facts)
    return to


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


@contextmanager
def running(arguments: list[str], port: int, log: Path) -> Iterator[None]:
    """A server until the block ends."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("w") as written:
        process = subprocess.Popen(
            arguments, stdout=written, stderr=written, env=environment
        )
    try:
        for _ in range(240):
            time.sleep(0.5)
            if process.poll() is not None:
                sys.exit(f"{arguments[2]} ended: {log.read_text()[-1500:]}")
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError:
                continue
            break
        yield
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def of_llama(python: str, gguf: Path, port: int) -> list[str]:
    options = ["--model", str(gguf), "--model_alias", "tiny", "--logits_all", "true"]
    options += ["--n_ctx", "512", "--n_threads", "1", "--port", str(port)]
    # 0 is float32 for what is kept of earlier tokens; its default is float16.
    options += ["--type_k", "0", "--type_v", "0"]
    options += ["--chat_format", "chat_template.default"]
    return [python, "-m", "llama_cpp.server", *options]


def of_transformers(python: str, folder: Path, port: int) -> list[str]:
    options = ["--port", str(port), "--device", "cpu", "--dtype", "float32"]
    command = [python, "-m", "transformers.cli.transformers", "serve"]
    return [*command, str(folder), *options]


def supported(name: str, model: str) -> None:
    """What `manage.py judges` prints."""
    endpoint, asked = configuration.resolve(f"endpoint:{name}/{model}")
    try:
        found = support.ask(endpoint, asked)
    except MetricError as error:
        print(f"  {error}")
        return
    print(f"  answered by {Path(found.model).name}, fingerprint {found.fingerprint}")
    for mode, problem in found.problems.items():
        print(f"  {mode}: {problem or 'yes'}")


def off(one: np.ndarray, other: np.ndarray) -> str:
    """How far two arrays are apart; both must have the same numbers."""
    assert np.array_equal(np.isnan(one), np.isnan(other)), (one, other)
    return f"{np.nanmax(np.abs(one - other)):.1e} over {np.isfinite(one).sum()} numbers"


def compare_likelihoods(folder: Path) -> None:
    for name, options in (("perplexity", {"tokens": "generation"}), ("cdm", {})):
        if name == "cdm":
            options = {"expert": "endpoint:llama/tiny", "amateur": "endpoint:nano/tiny"}
            own = {"expert": str(folder), "amateur": str(folder.with_name("nano"))}
        else:
            own = {**options, "model": str(folder)}
            options = {**options, "model": "endpoint:llama/tiny"}
        # Without a prefix, perplexity would score the first token here, but not there.
        texts = TEXTS if name == "cdm" else TEXTS[:2]
        there = get(name)(**options).load("cpu")(texts)
        here = get(name)(**own).load("cpu")(texts)
        for key, values in there.values.items():
            print(f"  {name} {key}: differs by {off(values, here.values[key])}")


def compare_judges(folder: Path) -> None:
    requests.MOST_LIKELIEST = 400  # so that every spelling of each number is among them
    options = {"prompt": PROMPT, "aspects": "quality: How good?"}
    here = get("llm_judge")(model=str(folder), chat="false", **options).load("cpu")
    there = get("llm_judge")(model="endpoint:llama/tiny", **options).load()
    one, other = there(TEXTS), here(TEXTS)
    # A model as small as this one writes on behind the number, which leaves no score.
    print(f"  llm_judge, logprobs: {one.values['quality']} {one.reasons['quality'][0]}")
    shares = [found.parts["quality.p"] for found in (one, other)]
    print(f"  llm_judge, odds of each number: differ by {off(*shares)}")
    expected = [each @ np.arange(1, 6) / each.sum(1) for each in shares]
    print(f"  llm_judge, their expectation: differs by {off(*expected)}")
    requests.MOST_LIKELIEST = 20


def judged(model: str, mode: str, **options: Any) -> None:
    metric = get("llm_judge")(
        model=model, mode=mode, aspects="quality: How good?", **options
    )
    try:
        found = metric.load()(TEXTS)
    except MetricError as error:  # as a test question shows
        print(f"  {mode}: {error}")
        return
    print(f"  {mode}: {found.values['quality']}")
    for reason in dict.fromkeys(filter(None, found.reasons["quality"])):
        print(f"    {reason}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True, help="that has the servers")
    python = parser.parse_args().python
    with tempfile.TemporaryDirectory() as given:
        work = Path(given)
        folder = with_bytes(models.find("bundled:causal-small"), work / "small")
        with_bytes(models.find("bundled:causal-nano"), work / "nano")
        answers = answering(folder, work / "answers")
        ports = {name: free_port() for name in ("llama", "nano", "served")}
        tables = [
            f'[judges.{name}]\nurl = "http://127.0.0.1:{port}/v1"\ncalls_at_once = 2\n'
            f'models = ["{answers if name == "served" else "tiny"}"]\n'
            'schemas = "json_object"\n'
            for name, port in ports.items()
        ]
        (work / "judges.toml").write_text("".join(tables))
        os.environ["JUDGES_FILE"] = str(work / "judges.toml")
        for name in ("small", "nano"):
            arguments = [str(work / name), str(work / f"{name}.gguf")]
            subprocess.run([python, str(GGUF), *arguments], check=True)
        big = of_llama(python, work / "small.gguf", ports["llama"])
        small = of_llama(python, work / "nano.gguf", ports["nano"])
        with (
            running(big, ports["llama"], work / "llama.log"),
            running(small, ports["nano"], work / "nano.log"),
        ):
            print("llama-cpp-python")
            supported("llama", "tiny")
            compare_likelihoods(folder)
            compare_judges(folder)
            judged("endpoint:llama/tiny", "form")
        serve = of_transformers(python, answers, ports["served"])
        with running(serve, ports["served"], work / "served.log"):
            print("transformers serve")
            supported("served", str(answers))
            for mode in configuration.MODES:
                judged(f"endpoint:served/{answers}", mode)


if __name__ == "__main__":
    main()
