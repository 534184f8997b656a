"""An amateur beside a model of the fixtures: same tokenizer, other weights."""

import json
import shutil

import numpy as np


def sibling(folder, target, *, seed=1):
    """A copy of a model's folder with new random weights."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    shutil.copytree(folder, target, dirs_exist_ok=True)
    config = AutoConfig.from_pretrained(folder)
    torch.manual_seed(seed)
    encodes = config.is_encoder_decoder
    kind = AutoModelForSeq2SeqLM if encodes else AutoModelForCausalLM
    kind.from_config(config).save_pretrained(target)
    return target


def other_vocabulary(folder, target):
    """A copy of a model's folder whose tokenizer has two words the other way round."""
    sibling(folder, target)
    file = target / "tokenizer.json"
    written = json.loads(file.read_text())
    words = written["model"]["vocab"]
    words["ferry"], words["left"] = words["left"], words["ferry"]
    file.write_text(json.dumps(written))
    return target


def plain_logs(folder, ids, source=None):
    """Log-probability of each token of ids but the first, without any batching.

    With a source, ids begin with the token that starts the decoder.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    kind = AutoModelForCausalLM if source is None else AutoModelForSeq2SeqLM
    model = kind.from_pretrained(folder, dtype=torch.float32).eval()
    inputs, targets = torch.tensor([ids[:-1]]), torch.tensor(ids[1:])
    with torch.inference_mode():
        if source is None:
            logits = model(inputs).logits
        else:
            given = torch.tensor([source])
            logits = model(input_ids=given, decoder_input_ids=inputs).logits
    logs = logits[0].double().log_softmax(-1)
    return logs[np.arange(len(targets)), targets].numpy()
