"""What the commands share that print an analysis."""

from __future__ import annotations

import json as json_format
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.datastructures import MultiValueDict

from annotation.models import Study
from scoring import analyses
from scoring.analyses import pages
from scoring.option_fields import OptionField, option_fields
from scoring.results import analysing, answer
from scoring.results.forms.analyses import AnalysisForm
from scoring.stats.data import Filters

Result = dict[str, Any]
HELP = {
    "with_excluded": "include texts that a researcher excluded",
    "with_informed": "include pages that were rated after the debriefing",
}


class PrintAnalysis(BaseCommand):
    """One analysis of a study as text or JSON, computed now."""

    analysis: str
    own: tuple[str, ...] = ()  # its options that stand in the command line
    compares = False  # metrics with people: it says what is missing for that

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("--json", action="store_true", help="print JSON")
        for name in (*HELP, *self.own):
            add_option(parser, options_of(self.analysis)[name])

    def handle(self, *args: Any, study: str, json: bool, **options: Any) -> None:
        row = find_study(study)
        if self.compares and (lacks := answer.missing(study=row)):
            raise CommandError(f"{lacks.title}. {lacks.words}")
        names = (*HELP, *self.own)
        chosen = {name: options[name] for name in names if options[name]}
        result = computed(row, self.analysis, {**self.planned(row), **chosen})
        if json:
            self.stdout.write(as_json(self.records(result)))
        else:
            paragraphs = [*self.paragraphs(result), *self.notes(row, chosen)]
            self.stdout.write("\n\n".join(paragraphs))

    def planned(self, study: Study) -> Mapping[str, object]:
        """Options where nobody chooses."""
        return {}

    def records(self, result: Result) -> object:
        return pages.records(self.analysis, result)

    def paragraphs(self, result: Result) -> list[str]:
        return pages.as_text(self.analysis, result)

    def notes(self, study: Study, chosen: Mapping[str, object]) -> list[str]:
        return []


def find_study(name: str) -> Study:
    try:
        return Study.objects.whole().get(name=name)
    except Study.DoesNotExist:
        raise CommandError(f"There is no study named {name!r}.") from None


def options_of(analysis: str) -> dict[str, OptionField]:
    """What may be chosen of it, by name."""
    fields = option_fields(analyses.get(analysis).Options)
    return {field.name: field for field in fields if not field.fixed}


def add_option(parser: CommandParser, field: OptionField) -> None:
    """An option of an analysis under its own name, with what its page says of it."""
    flag = f"--{field.name.replace('_', '-')}"
    if field.type is bool:
        help = HELP.get(field.name, field.label)
        parser.add_argument(flag, action="store_true", help=help)
        return
    titles = zip(field.choices, field.titles, strict=True)
    words = "; ".join(f"{value}: {title}" for value, title in titles)
    default = field.default or field.none or "the setting of the study"
    parts = [field.label, field.help, words, f"the default is {default}"]
    help = ". ".join(part for part in parts if part)
    parser.add_argument(flag, help=help.replace("%", "%%"))


def options(study: Study, analysis: str, chosen: Mapping[str, object]) -> Filters:
    """What was chosen, checked as the form of its page checks it.

    Raises:
        CommandError: An option does not exist, or may not have this value.
    """
    known = options_of(analysis)
    for name in chosen.keys() - known:
        names = ", ".join(known)
        raise CommandError(f"There is no option {name!r}. There are: {names}.")
    several = {k: v if isinstance(v, list) else [v] for k, v in chosen.items()}
    form = AnalysisForm(study, analysis, MultiValueDict(several))
    if not form.is_valid():
        name, errors = next(iter(form.errors.items()))
        raise CommandError(_refusal(form, known[name], chosen.get(name), errors))
    return form.options()


def computed(study: Study, analysis: str, chosen: Mapping[str, object]) -> Result:
    """The result, computed here and now."""
    chosen = vars(options(study, analysis, chosen))
    return analysing.result_of(study=study, name=analysis, options=chosen)


def _refusal(
    form: AnalysisForm, field: OptionField, value: object, errors: list[str]
) -> str:
    value = ", ".join(value) if isinstance(value, list) else value
    choices = getattr(form.fields[field.name], "choices", None)
    if choices:
        there = ", ".join(str(choice) for choice, _ in choices if choice)
        return f"There is no {field.name} {value!r}. There are: {there}."
    if field.min is not None and field.max is not None:
        ends = f"from {field.min} to {field.max}"
        return f"{field.name}: expected a number {ends}, got {value!r}"
    return f"{field.name}: {' '.join(errors)}"


def as_json(records: object) -> str:
    return json_format.dumps(records, indent=1, allow_nan=False)
