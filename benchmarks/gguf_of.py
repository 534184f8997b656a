"""A bundled causal model as a float32 file for llama.cpp: gguf_of.py FOLDER FILE."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from safetensors.numpy import load_file

NAMES = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.down_proj": "ffn_down",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
}
WHOLE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm"}
TEMPLATE = "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}"


def main() -> None:
    folder, file = map(Path, sys.argv[1:])
    config = json.loads((folder / "config.json").read_text())
    writer = gguf.GGUFWriter(file, "llama")
    _shape(writer, config)
    _tokens(writer, config, json.loads((folder / "tokenizer.json").read_text()))
    for name, values in load_file(folder / "model.safetensors").items():
        name = name.removesuffix(".weight")
        values = values.astype(np.float32)
        if name.endswith(("q_proj", "k_proj")):
            values = _interleaved(values, config["num_attention_heads"])
        writer.add_tensor(f"{_named(name)}.weight", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _shape(writer: Any, config: dict[str, Any]) -> None:
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_rope_dimension_count(config["head_dim"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)


def _tokens(writer: Any, config: dict[str, Any], tokenizer: dict[str, Any]) -> None:
    """llama.cpp joins the pair with the best score first: the earliest merge."""
    model = tokenizer["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    special = {one["content"] for one in tokenizer["added_tokens"]}
    ranks: dict[str, int] = {}
    for rank, pair in enumerate(model["merges"]):
        ranks.setdefault(
            "".join(pair if isinstance(pair, list) else pair.split()), rank
        )
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(ranks.get(one, len(ranks))) for one in tokens])
    writer.add_token_types([_kind(one, model["unk_token"], special) for one in tokens])
    writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(config["eos_token_id"])
    writer.add_unk_token_id(model["vocab"][model["unk_token"]])
    writer.add_pad_token_id(config["pad_token_id"])
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(True)
    writer.add_chat_template(TEMPLATE)


def _kind(token: str, unknown: str, special: set[str]) -> int:
    kinds = gguf.TokenType
    if token.startswith("<0x"):
        return int(kinds.BYTE)
    if token == unknown:
        return int(kinds.UNKNOWN)
    return int(kinds.CONTROL if token in special else kinds.NORMAL)


def _named(name: str) -> str:
    if name in WHOLE:
        return WHOLE[name]
    _, _, layer, rest = name.split(".", 3)
    return f"blk.{layer}.{NAMES[rest]}"


def _interleaved(values: np.ndarray, heads: int) -> np.ndarray:
    """Rows as llama.cpp turns them: pairs side by side, not half a head apart."""
    half = values.shape[0] // heads // 2
    split = values.reshape(heads, 2, half, *values.shape[1:])
    return split.swapaxes(1, 2).reshape(values.shape)


if __name__ == "__main__":
    main()
