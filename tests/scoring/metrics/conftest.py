"""Tiny models with random weights, made here: the engine's tests need no download."""

from __future__ import annotations

import pytest

WORDS = (
    "the ferry left harbour at seven nobody on deck said a word good bad great terrible"
    " positive negative in summary it was to sum up all brief seems appears becomes"
    " really just actually so . , !"
).split()


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Two threads on a machine that does something else too are slower than one."""
    from scoring.metrics._engine import models as _models

    _models.limit_threads(1)


@pytest.fixture(scope="session")
def pegasus(tmp_path_factory):
    """Folder of a PEGASUS with a vocabulary of some words."""
    import torch
    from transformers import PegasusConfig, PegasusForConditionalGeneration

    folder = tmp_path_factory.mktemp("pegasus")
    torch.manual_seed(0)
    vocabulary = _tokenizer(folder, ["<pad>", "</s>", "<mask_1>", "<unk>"], end=True)
    config = PegasusConfig(
        vocab_size=vocabulary,
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=40,
        init_std=0.4,
    )
    PegasusForConditionalGeneration(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def gpt2(tmp_path_factory):
    """Folder of a causal model with a vocabulary of some words."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    folder = tmp_path_factory.mktemp("gpt2")
    torch.manual_seed(0)
    vocabulary = _tokenizer(folder, ["<s>", "</s>", "<unk>"], end=False)
    config = GPT2Config(
        vocab_size=vocabulary,
        n_positions=24,
        n_embd=16,
        n_layer=2,
        n_head=2,
        initializer_range=0.4,
        bos_token_id=0,
        eos_token_id=1,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def iwf(pegasus, tmp_path_factory):
    """Inverse word frequencies for it, 0 for special tokens like the published ones."""
    file = tmp_path_factory.mktemp("iwf") / "iwf.txt"
    numbers = [0] * 4 + [1 / (k + 1) for k in range(len(WORDS))]
    file.write_text("\n".join(map(str, numbers)))
    return file


def _tokenizer(folder, special, *, end):
    """Write tokenizer.json: words and marks, split at white space. Its size."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: k for k, word in enumerate([*special, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.add_special_tokens(special)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    names = {"eos_token": "</s>", "unk_token": "<unk>"}
    if end:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="$A </s>", special_tokens=[("</s>", vocabulary["</s>"])]
        )
        # The published PEGASUS tokenizer brings one too.
        tokenizer.enable_truncation(6)
    else:
        names["bos_token"] = "<s>"
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return len(vocabulary)
