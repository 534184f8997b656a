"""How studies of marked errors begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_noop

from annotation.kinds._setup import TextSetup
from annotation.kinds.spans import schemes
from annotation.kinds.spans.models import SpanScheme
from annotation.kinds.spans.scheme import PRESETS, Scheme, SchemeError, of_json
from annotation.kinds.spans.scheme_form import SchemeForm
from annotation.models import Study

INSTRUCTIONS = gettext_noop("""\
Each page shows one or more texts. Read each text to the end. Mark each error in it: \
select the words, then say what is wrong with them. Mark no more words than you must. \
If nothing is wrong, say so.

Then answer the questions about the text.
""")


class MarkSetup(TextSetup):
    def form(self, study: Study, data: Mapping[str, Any] | None) -> SchemeForm:
        return SchemeForm(study, data)

    def summary(self, study: Study) -> str:
        row = SpanScheme.objects.filter(study=study).first()
        title = schemes.TITLES[row.preset if row else schemes.DEFAULT]
        scheme = schemes.of_study(study)
        n_kinds, n_grades = len(scheme.categories), len(scheme.severities)
        return (
            f"{title} ({n_kinds} categor{'y' if n_kinds == 1 else 'ies'},"
            f" {n_grades} severit{'y' if n_grades == 1 else 'ies'})."
        )

    def own(self, study: Study) -> Mapping[str, Any]:
        row = SpanScheme.objects.filter(study=study).first()
        return {"preset": row.preset, **row.scheme} if row else {}

    def set_own(self, study: Study, values: Mapping[str, Any]) -> None:
        """What is left out is as in the preset that it names."""
        values = {**values}
        preset = values.pop("preset", "")
        if preset not in schemes.TITLES:
            raise SchemeError(f"Expected a preset of {', '.join(PRESETS)} or none.")
        usual = PRESETS.get(preset, Scheme()).as_json()
        if unknown := set(values) - set(usual):
            raise SchemeError(f"There is no “{min(unknown)[:40]}” in a scheme.")
        schemes.keep(study, of_json(usual | values), preset)


MARK_SETUP = MarkSetup(INSTRUCTIONS)
