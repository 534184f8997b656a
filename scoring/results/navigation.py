"""What a study has below the tabs Metrics and Results."""

from __future__ import annotations

from annotation.models import Study
from evalapp.navigation import Entry, Group, Page, below
from scoring import analyses
from scoring.analyses.needs import Facts
from scoring.results import offering, proposed_marks

ANSWER = "Answer"  # of which the first page is Results itself
GROUPS = ("People", "Metrics", "Systems", "Advanced")
# Pages that stand with one analysis.
ALSO = {"correlations": ("scatter",)}

# Pages of judges, of which only the first is in the strip.
JUDGES = (
    *(
        "judge_pairs",
        "judge_trial",
        "judge_steps",
        "judge_stress",
        "judge_stress_agree",
    ),
    *("judge_anchors", "judge_anchors_agree"),
)


@below("metrics")
def metrics(study: Study) -> list[Page]:
    evaluators = "new edit upload_files upload_json"
    return [
        Page(
            "Runs",
            "runs",
            also=("run", "run_start", "negatives_score"),
        ),
        Page(
            "Evaluators",
            "evaluators",
            also=tuple(f"evaluators_{page}" for page in evaluators.split()),
        ),
        Page("Corpora", "corpora", also=("corpus", "corpus_from_system")),
        Page("Judges", "judges", also=JUDGES),
        Page("Training", "trainings", also=("training",)),
        *([Page("Proposed marks", "proposals")] if proposed_marks.of(study) else []),
    ]


@below("results")
def results(study: Study) -> list[Entry]:
    """Five groups; an analysis that would be empty is listed on a page of its own."""
    facts = offering.facts(study=study)
    first = Page("The answer", "results", also=("analysis:answer",))
    return [
        Group(ANSWER, (first, *_pages(ANSWER, facts))),
        *(Group(title, tuple(_pages(title, facts))) for title in GROUPS),
    ]


def _pages(group: str, facts: Facts) -> list[Page]:
    offered = [
        Page(analyses.get(name).TITLE, "analysis", (name,), ALSO.get(name, ()))
        for name in offering.offered(facts)
        if group == analyses.get(name).GROUP
    ]
    return offered if group != GROUPS[-1] else [*offered, *_advanced(facts)]


def _advanced(facts: Facts) -> list[Page]:
    pages = [Page("Compare two texts", "compare")]
    if facts.scored:
        pages.append(Page("Explain a score", "explain_list", also=("explain",)))
    if len(offering.offered(facts)) < len(analyses.names()):
        pages.append(Page("More analyses", "results_more"))
    return pages
