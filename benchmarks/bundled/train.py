"""Train one of the bundled models, in one go or over several commands.

python -m benchmarks.bundled.train NAME --pack FOLDER --out FOLDER [--minutes N]
    [--resume]

Writes NAME.pt (all that is needed to continue) and NAME.json (the losses) to --out.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.bundled import pack
from benchmarks.bundled.recipes import RECIPES
from benchmarks.bundled.training import Plan, Trainer


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    found.add_argument("name", choices=RECIPES)
    found.add_argument("--pack", type=Path, required=True)
    found.add_argument("--out", type=Path, required=True)
    found.add_argument("--minutes", type=float, help="stop cleanly after so many")
    found.add_argument(
        "--resume",
        action="store_true",
        help="continue where --out stopped, if it exists",
    )
    found.add_argument(
        "--tokens", type=float, help="of the whole training; default: the recipe's"
    )
    found.add_argument(
        "--budget-minutes",
        type=float,
        help="of the whole training, if these are over sooner: the learning rate then"
        " follows the clock and ends in time; not repeatable bit by bit",
    )
    found.add_argument("--every-minutes", type=float, default=Plan.every_minutes)
    found.add_argument("--batch", type=int, help="tokens; 8192 suits a processor")
    found.add_argument("--held-out-tokens", type=int, default=Plan.held_out_tokens)
    found.add_argument("--seed", type=int, default=Plan.seed)
    found.add_argument("--device", help="default: cuda where there is one, else cpu")
    found.add_argument("--workers", type=int, help="processes; default: 3 on cuda")
    found.add_argument("--threads", type=int, default=0, help="of a processor")
    found.add_argument("--compile", action="store_true", help="with torch.compile")
    return found


def plan(options: argparse.Namespace) -> Plan:
    import torch

    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    workers = options.workers
    if workers is None:
        workers = 3 if device.startswith("cuda") else 0
    return Plan(
        seed=options.seed,
        tokens=options.tokens,
        budget_minutes=options.budget_minutes,
        minutes=options.minutes,
        every_minutes=options.every_minutes,
        batch=options.batch,
        held_out_tokens=options.held_out_tokens,
        device=device,
        workers=workers,
        compile=options.compile,
    )


def main() -> None:
    options = parser().parse_args()
    # Forked loaders would warn, and encode nothing.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch

    if options.threads:
        torch.set_num_threads(options.threads)
    path = options.out / f"{options.name}.pt"
    if path.exists() and not options.resume:
        raise SystemExit(f"{path} exists: continue with --resume, or remove it")
    options.out.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(
        RECIPES[options.name], pack.load(options.pack), path, plan(options)
    )
    if trainer.state.done:
        raise SystemExit(f"{path} is finished")
    state = trainer.run()
    rate = state.tokens / max(state.seconds, 1e-9)
    print(f"{path}: {state.tokens:,} tokens, {rate:,.0f} tokens/s")
    if not state.done:
        share = trainer.progress()
        print(f"{share:.0%} of the training is done; continue with --resume")


if __name__ == "__main__":
    main()
