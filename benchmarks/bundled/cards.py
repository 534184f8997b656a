"""Model cards: what a reader must know before trusting a bundled model's score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from benchmarks.bundled.embedding import Embedding
from benchmarks.bundled.pack import Facts
from benchmarks.bundled.recipes import Recipe

LEARNS = {
    "Infilling": "fills gaps: whole sentences, continuations (30 % of the batches"
    " each), beginnings of a text, some words, and one word in the short prompts of"
    " Table 8 of Ke et al. (2022), drawn from a hidden part of the same document; no"
    " label and no rating was used",
    "Continuing": "continues texts, word piece by word piece",
    "Embedding": "guesses hidden word pieces (cross-entropy), and finds the other half"
    " of a text among those of its batch; the loss is the sum of both",
}


def card(recipe: Recipe, pack: Facts, content: Mapping[str, Any], *, size: int) -> str:
    """The card as markdown.

    Args:
        recipe: Of the model.
        pack: Facts about what it was trained on.
        content: Of its checkpoint.
        size: Bytes of its weights.
    """
    facts, log = content["facts"], content["log"]
    state = "" if content["done"] else "**The training was stopped before its end.**\n"
    sizes = ", ".join(f"{key} {value}" for key, value in recipe.sizes.items())
    return f"""# {recipe.name}

A small model that ships with EvalApp, so that metrics run at once and anywhere.
For research take a large one.{_speed(facts["device"])}
{state}
- **Good for** {recipe.good}.
- **Not good for** text of other kinds than below, long text (the limit is 512 tokens;
  it was trained on up to {max(recipe.objective.limits)}), other languages than English,
  generating text for people, and facts.
- **Learns**: {LEARNS[recipe.objective.__name__]}.
- **Size**: {facts["parameters"]:,} parameters, {size / 1e6:.1f} MB in float16; {sizes};
  {pack["vocabulary"]:,} word pieces, shared by all bundled models.
{_losses(log, plain=recipe.objective is not Embedding)}
- **Trained** on {facts["device"]}, {content["seconds"] / 3600:.2f} hours,
  {content["tokens"]:,} tokens with padding, {content["step"]:,} steps,
  {content["place"][0]} whole passes over the data; AdamW, peak learning rate
  {facts["rate"]:g}, {facts["batch"]:,} tokens a batch, budget {facts["budget"]};
  token embeddings started from the co-occurrences in the same text.
- **Made by**
  `python -m benchmarks.bundled.train {recipe.name} --seed {facts["seed"]}` on
  a pack with hash `{facts["pack"]}`; see `benchmarks/bundled/README.md`.

## Data

{_data(pack)}

2 % of the documents ({pack["held_out"]:,}) are held out, by a hash of their words;
pages of one book are on both sides. Texts that share 13 words in a row with the
human-rated texts of CTRLEval or OpenMEVA were left out:
{_pairs(pack["left_out_for_overlap"])}.

## Licence

The weights come with the licence of EvalApp's code. The film reviews (Maas et al. 2011)
and the newsgroup messages (Lang 1995) state no licence and were published for research;
the books are in the public domain in the USA. No text is contained, though a model may
repeat phrases that it has read often.

## Losses

| step | tokens | training | held out |
| --- | --- | --- | --- |
{_table(log)}
"""


def _speed(device: str) -> str:
    if "CPU" not in device:
        return ""
    return (
        " No accelerator was at hand: this is what one core of a\n"
        "processor learns in the time below."
    )


def _losses(log: list[dict[str, float]], *, plain: bool) -> str:
    """`plain`: the loss is a mean log-probability and nothing else."""
    if not log:
        return "- **Loss**: none was measured."
    last = log[-1]
    train = f"{last['loss']:.3f}" if "loss" in last else "not measured"
    held_out = last["held_out"]
    each = ", nats per predicted token" if plain else ""
    perplexity = f" (perplexity {math.exp(min(held_out, 50)):.1f})" if plain else ""
    return (
        f"- **Loss**{each}: training {train} (over the last"
        f" entry below),\n  held out {held_out:.3f}{perplexity}."
    )


def _data(pack: Facts) -> str:
    names = {
        "imdb": "film reviews (IMDB, with and without ratings)",
        "20newsgroups": "newsgroup messages (20 Newsgroups, bodies only)",
        "books": "books (C. Brontë, Darwin, Du Bois, short stories)",
    }
    rows = [
        f"- {names.get(source, source)}:"
        f" {pack['documents'].get(source, 0):,} documents,"
        f" {pack['characters'].get(source, 0) / 1e6:.1f} million characters"
        for source in pack["sources"]
    ]
    return "\n".join([*rows, f"- together {pack['tokens']:,} tokens"])


def _pairs(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items())


def _table(log: list[dict[str, float]]) -> str:
    """At most a dozen lines of the log, the last one among them."""
    step = max(1, math.ceil(len(log) / 12))
    chosen = log[::-1][::step][::-1]
    return "\n".join(
        f"| {int(one['step']):,} | {int(one['tokens']):,} |"
        f" {_loss(one)} | {one['held_out']:.3f} |"
        for one in chosen
    )


def _loss(entry: dict[str, float]) -> str:
    return f"{entry['loss']:.3f}" if "loss" in entry else "—"
