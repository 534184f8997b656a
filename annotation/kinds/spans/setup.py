"""How studies of marked errors begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_noop

from annotation.kinds._setup import TextSetup
from annotation.kinds.spans import schemes
from annotation.kinds.spans.models import SpanScheme
from annotation.kinds.spans.scheme import of_json
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

    def own(self, study: Study) -> Mapping[str, Any]:
        row = SpanScheme.objects.filter(study=study).first()
        return {"preset": row.preset, **row.scheme} if row else {}

    def set_own(self, study: Study, values: Mapping[str, Any]) -> None:
        preset = str(values.get("preset", ""))[:8]
        schemes.keep(study, of_json(values), preset)


MARK_SETUP = MarkSetup(INSTRUCTIONS)
