"""The golden PEGASUS as it is published: .bin weights, and what sentencepiece reads."""

import shutil

from scoring.metrics._engine import sentencepieces
from tests.support import shared

OWN = 105  # PEGASUS's tokens before those of sentencepiece, <pad> and </s> among them


def pegasus(folder):
    """Weights as pytorch_model.bin, the tokenizer as spiece.model, and nothing else."""
    import torch
    from safetensors.torch import load_file
    from sentencepiece import sentencepiece_model_pb2

    source = shared.path("golden/models/pegasus-tiny-sharp")
    folder.mkdir()
    for name in ("config.json", "tokenizer_config.json"):
        shutil.copyfile(source / name, folder / name)
    torch.save(load_file(source / "model.safetensors"), folder / "pytorch_model.bin")
    whole = sentencepieces.of_vocabulary(source / "tokenizer.json")
    proto = sentencepiece_model_pb2.ModelProto()
    proto.CopyFrom(whole)
    del proto.pieces[:]
    proto.pieces.extend([*whole.pieces[:2], *whole.pieces[OWN:]])
    proto.trainer_spec.unk_id = 2
    (folder / "spiece.model").write_bytes(proto.SerializeToString())
    return folder


def saved_by_transformers(folder):
    """As the recipe of old did it: transformers loads the tokenizer and saves it."""
    from transformers import AutoTokenizer

    source = shared.path("golden/models/pegasus-tiny-sharp")
    shutil.copytree(source, folder, copy_function=shutil.copyfile)
    AutoTokenizer.from_pretrained(folder).save_pretrained(folder)
    return folder
