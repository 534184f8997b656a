"""Write a trained model as a folder that any program of the kind can load.

python -m benchmarks.bundled.export NAME --checkpoint FILE --pack FOLDER --out FOLDER

float16 safetensors in shards under 12 MB, configuration, tokenizer, and a model card.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.bundled import cards, checkpoints, pack, vocabulary
from benchmarks.bundled.continuing import Continuing
from benchmarks.bundled.infilling import Infilling
from benchmarks.bundled.pack import Pack
from benchmarks.bundled.recipes import RECIPES, Recipe

SHARD = 11_900_000  # bytes; a file is under 12 MB with its head

# What each kind puts around a text.
ENDINGS = {Infilling: "$A </s>", Continuing: "<s> $A"}
OTHERS = "<s> $A </s>"
POSITIONS = 512


def export(recipe: Recipe, checkpoint: Path, source: Pack, out: Path) -> None:
    """Write the folder.

    Raises:
        ValueError: If the checkpoint is another model's, or of another pack.
    """
    content = checkpoints.read(checkpoint)
    facts = content["facts"]
    if facts["recipe"] != recipe.name:
        raise ValueError(f"{checkpoint} is of {facts['recipe']}, not of {recipe.name}")
    if facts["pack"] != source.facts["hash"]:
        raise ValueError(f"{checkpoint} was trained on another pack than this one")
    objective = recipe.objective(source)
    network = objective.network(recipe.sizes)
    network.load_state_dict(content["network"])
    shipped = objective.shipped(network).half().eval()
    shipped.save_pretrained(out, max_shard_size=SHARD)
    write_tokenizer(recipe, source, out)
    card = cards.card(recipe, source.facts, content, size=_size(out))
    (out / "README.md").write_text(card, encoding="utf-8")


def write_tokenizer(recipe: Recipe, source: Pack, out: Path) -> None:
    """The pack's tokenizer, with what this kind of model puts around a text."""
    from transformers import PreTrainedTokenizerFast

    tokenizer = vocabulary.load(source.folder / vocabulary.FILE)
    vocabulary.ending(tokenizer, ENDINGS.get(recipe.objective, OTHERS))
    names: dict[str, object] = {"pad_token": "<pad>", "unk_token": "<unk>"}
    names["eos_token"] = "</s>"
    if recipe.objective is Infilling:
        names["mask_token"] = "<mask_2>"  # as PEGASUS's own; the gap is <mask_1>
    else:
        names["bos_token"] = "<s>"
    if recipe.objective not in ENDINGS:
        names |= {"mask_token": "<mask_2>", "cls_token": "<s>", "sep_token": "</s>"}
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=POSITIONS, **names
    ).save_pretrained(out)
    # As it is: saving it through another program may have changed the pipeline.
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=RECIPES)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="gets a folder NAME")
    options = parser.parse_args()
    out = options.out / options.name
    export(RECIPES[options.name], options.checkpoint, pack.load(options.pack), out)
    for path in sorted(out.iterdir()):
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
