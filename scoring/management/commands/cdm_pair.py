from __future__ import annotations

from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Reference, Study
from scoring import corpora
from scoring.drawing import tables
from scoring.drawing.tables import Cell, Table, Value
from scoring.management.analyses import find_study
from scoring.metrics import Example, MetricError, cdm_pairs
from scoring.scores import models_here

KINDS = ("causal", "infill")
FORMATS = {
    "text": tables.as_text,
    "csv": tables.as_csv,
    "latex": tables.as_latex,
}


class Command(BaseCommand):
    help = (
        "Choose the expert and the amateur of CDM among the models on this server: of"
        " all pairs with the same tokenizer, the one whose losses on human texts are"
        " furthest apart. The first row of the table is the choice."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument(
            "--corpus",
            metavar="NAME",
            help="human texts of the study that no model was trained on; without it,"
            " the references of its prompts",
        )
        parser.add_argument(
            "--texts", type=int, default=200, help="most texts to read (default 200)"
        )
        parser.add_argument(
            "--kind",
            choices=KINDS,
            default="causal",
            help="models that continue texts, or (infill) that fill gaps",
        )
        parser.add_argument("--format", choices=FORMATS, default="text")

    def handle(self, *args: Any, study: str, **options: Any) -> None:
        found = find_study(study)
        examples = _texts(found, options["corpus"], options["texts"])
        known = [m for m in models_here.on_server() if options["kind"] in m.kinds]
        measured = []
        for one in known:
            try:
                measured.append(cdm_pairs.measure(one.value, examples))
            except MetricError as error:
                self.stderr.write(f"{one.value} is left out: {error}")
        pairs = cdm_pairs.pairs(measured)
        if not pairs:
            named = ", ".join(one.value for one in known) or "none"
            raise CommandError(
                "There are no two models with the same tokenizer and different losses."
                f" Models of this kind on this server: {named}."
            )
        self.stdout.write(FORMATS[options["format"]](table(pairs)))
        best = pairs[0]
        if options["format"] == "text":
            self.stdout.write(
                f"\nUse -o expert={best.expert} -o amateur={best.amateur}"
            )


def table(pairs: list[cdm_pairs.Pair]) -> Table:
    rows: list[list[Value]] = [
        [
            one.expert,
            one.amateur,
            Cell(one.expert_loss),
            Cell(one.amateur_loss),
            Cell(one.gap),
            one.texts,
        ]
        for one in pairs
    ]
    return Table(
        ["Expert", "Amateur", "Expert’s loss", "Amateur’s loss", "Gap", "Texts"],
        rows,
        "Pairs of models with one tokenizer. Losses are in nats per token of human"
        " texts that both can read; the pair with the largest gap comes first.",
        title="Pairs of models for CDM",
    )


def _texts(study: Study, corpus: str | None, most: int) -> list[Example]:
    try:
        chosen = corpora.find(study=study, name=corpus)
    except corpora.CorpusError as error:
        raise CommandError(str(error)) from error
    if chosen:
        return [Example(text) for text in islice(corpora.texts(chosen), most)]
    rows = Reference.objects.filter(prompt__study=study).order_by("pk")
    found = [
        Example(
            row.text,
            prefix=row.prompt.prefix if row.text.startswith(row.prompt.prefix) else "",
            source=row.prompt.source,
        )
        for row in rows.select_related("prompt")[:most]
    ]
    if not found:
        raise CommandError(
            f"The study {study.name} has no references: name a corpus with --corpus."
        )
    return found
