from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evalapp.system import checking
from evalapp.system.checking import Found, Level
from scoring.endpoints import configuration
from scoring.scores import models_here


class Command(BaseCommand):
    help = (
        "Test the running site: database, broker, workers, files, clocks, the proxy in"
        " front, uploads, GPU, models and judges. Run it where the site's variables are"
        " set. It changes nothing and sends nothing to judges. It ends with an error if"
        " anything is wrong."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        found = list(checking.run((*checking.CHECKS, gpu, models, judges)))
        if options["json"]:
            self.stdout.write(json.dumps([one._asdict() for one in found], indent=2))
        else:
            for one in found:
                self.stdout.write(f"{one.level:5}  {one.part}: {one.said}")
        wrong = sum(one.level == Level.WRONG for one in found)
        if wrong:
            what = "problem" if wrong == 1 else "problems"
            raise CommandError(f"{wrong} {what} found: see above.")


def gpu() -> Iterator[Found]:
    """Of this machine: run the command where the workers are."""
    import torch

    if torch.cuda.is_available():
        n = torch.cuda.device_count()
        said = f"torch {torch.__version__} uses {n} GPU{'s' * (n > 1)}."
        yield Found("gpu", Level.WELL, said)
    elif shutil.which("nvidia-smi"):
        said = f"There is an NVIDIA driver, but torch {torch.__version__} cannot use a"
        said += " GPU. Install the build of torch for your CUDA version."
        yield Found("gpu", Level.WRONG, said)
    else:
        yield Found("gpu", Level.WELL, "This machine has no GPU.")


def models() -> Iterator[Found]:
    n = len(models_here.on_server())
    said = f"{n} can be chosen, from {settings.MODELS_DIR} and the bundled models."
    yield Found("models", Level.WELL, said)


def judges() -> Iterator[Found]:
    file = configuration.file(settings.DATA_DIR)
    found = configuration.read(file)
    for problem in found.problems:
        yield Found("judges", Level.WRONG, problem)
    if not found.problems:
        said = f"{len(found.known)} set up in {file}. `manage.py judges` tests them."
        yield Found("judges", Level.WELL, said)
