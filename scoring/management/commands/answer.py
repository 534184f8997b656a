from __future__ import annotations

from collections.abc import Mapping

from annotation.models import Study
from scoring.management.analyses import PrintAnalysis
from scoring.results import answer


class Command(PrintAnalysis):
    help = (
        "Say for each aspect whether a metric can stand in for people, in a sentence"
        " with the numbers behind it."
    )
    analysis = "answer"
    own = ("grouping", "coefficient")
    compares = True

    def planned(self, study: Study) -> Mapping[str, object]:
        return answer.planned(study=study)

    def notes(self, study: Study, chosen: Mapping[str, object]) -> list[str]:
        planned = answer.as_planned(study=study)
        return [planned] if planned and "coefficient" not in chosen else []
