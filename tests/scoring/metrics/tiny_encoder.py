"""A BERT with random weights that trains in milliseconds: no test needs a download."""

from __future__ import annotations

import string
from pathlib import Path

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = (
    "the a of and to in is was it that not no never for on with as he she they at by"
    " this had were are be from so all good bad great terrible film story man woman"
    " ferry harbour island gulls said came stood white old house sun"
).split()
ROOM = 128  # tokens


def tiny_encoder(folder: Path, *, seed: int = 0, width: int = 16) -> Path:
    """Write the folder of one, the same for the same seed. Other words are spelt."""
    import torch
    from transformers import BertConfig, BertModel

    size = _tokenizer(folder)
    config = BertConfig(
        vocab_size=size,
        hidden_size=width,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=2 * width,
        max_position_embeddings=ROOM,
        initializer_range=0.2,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


def _tokenizer(folder: Path) -> int:
    """Words, letters and marks of writing, in lower case. How many there are."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    letters = string.ascii_lowercase + string.digits
    pieces = [*MARKS, *WORDS, *letters, *string.punctuation]
    pieces += [f"##{letter}" for letter in letters]
    vocabulary = {piece: k for k, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(mark, vocabulary[mark]) for mark in ("[CLS]", "[SEP]")],
    )
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **dict(zip(names, MARKS, strict=True))
    ).save_pretrained(folder)
    return len(vocabulary)
