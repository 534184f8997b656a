"""A small world to learn from: everything in it is made here, in seconds."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from benchmarks.bundled import pack, prepare
from benchmarks.bundled.continuing import Continuing
from benchmarks.bundled.embedding import Embedding
from benchmarks.bundled.infilling import Infilling
from benchmarks.bundled.recipes import Recipe

WHO = "the man|the old woman|my friend|a sailor|nobody|every child".split("|")
DID = "saw|liked|built|found|lost|painted".split("|")
WHAT = "the ferry|a red house|the long film|some bread|two gulls|his letter".split("|")
HOW = "good|bad|great|terrible|quiet|strange".split()
RATED = "once upon a time there was a ship that nobody had ever seen in the harbour"


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Two threads on a machine that does something else too are slower than one."""
    from scoring.metrics._engine import models

    models.limit_threads(1)


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Collections in the forms of the real ones."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(1)
    for name in "train_pos train_neg test_pos test_neg train_unsup".split():
        texts = [_story(rng, 8).replace("\n", "<br /><br />") for _ in range(60)]
        _write(folder / "text_imdb" / f"{name}.jsonl.gz", [*texts, texts[0]])
    head = "From: someone\nSubject: boats\n\n"
    texts = [head + _story(rng, 6) + "\n-- \nSomeone, Harbour Road" for _ in range(60)]
    texts.append(f"{head}He told it so: {RATED.title()}.")
    _write(folder / "text_20newsgroups" / "20_newsgroups.jsonl.gz", texts)
    (folder / "text_books").mkdir()
    book = "\n\n".join(_story(rng, 10) for _ in range(40))
    (folder / "text_books" / "book.txt").write_text(f"CHAPTER I\n\n{book}")
    (folder / "ctrleval").mkdir()
    (folder / "ctrleval" / "data_senti.txt").write_text(
        f"positive\tOnce upon a time\t{RATED}\t1\t2\t3\n"
    )
    (folder / "openmeva_mans").mkdir()
    (folder / "openmeva_mans" / "mans_roc.json").write_text('{"1": {"gen": {}}}')
    return folder


@pytest.fixture(scope="session")
def packed(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pack")
    prepare.prepare(data, folder, size=400)
    return pack.load(folder)


@pytest.fixture(
    params=["infill", "causal", "encoder"],
)
def recipe(request) -> Recipe:
    return RECIPES[request.param]


RECIPES = {
    "infill": Recipe(
        "infill",
        Infilling,
        {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "dropout": 0.1}
        | {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
        | {"encoder_ffn_dim": 32, "decoder_ffn_dim": 32},
        rate=2e-2,
        tokens=40_000,
        batch=1000,
        held_out_batch=1000,
    ),
    "causal": Recipe(
        "causal",
        Continuing,
        {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
        | {"num_key_value_heads": 2, "intermediate_size": 32},
        rate=2e-2,
        tokens=40_000,
        batch=1000,
        held_out_batch=1000,
    ),
    "encoder": Recipe(
        "encoder",
        Embedding,
        {"dim": 16, "n_heads": 2, "n_layers": 1, "hidden_dim": 32, "dropout": 0.1},
        rate=2e-2,
        tokens=40_000,
        batch=1000,
        held_out_batch=1000,
    ),
}


def _story(rng, n):
    """Sentences of a small language, some of which say how something was."""
    found = []
    for _ in range(n):
        who, did, what = (rng.choice(words) for words in (WHO, DID, WHAT))
        found.append(f"{who} {did} {what}.".capitalize())
        if rng.random() < 0.4:
            found.append(f"It was {rng.choice(HOW)}.")
    return " ".join(found[: n // 2]) + "\n" + " ".join(found[n // 2 :])


def _write(path, texts):
    path.parent.mkdir(exist_ok=True)
    with gzip.open(path, "wt") as file:
        for k, text in enumerate(texts):
            row = {"id": k, "text": text, "group": "rec.boats"}
            file.write(json.dumps(row) + "\n")
