"""Below a study's results. The order matters: names of analyses are slugs, too."""

from django.urls import path

from scoring.results.views import (
    analyses,
    answer,
    more,
    plan,
    proposals,
    results,
    text_scores,
    texts,
)

ANALYSIS = "<slug:analysis>/"
POINTS = "<int:signature>/<slug:aspect>/<path:output>"

urlpatterns = [
    path("", results.results, name="results"),
    path("<slug:table>.<slug:format>", results.results_table, name="results_table"),
    path("more/", more.more, name="results_more"),
    path("explain/", texts.explain_list, name="explain_list"),
    path("explain/<int:signature>/", texts.explain, name="explain"),
    path("text-scores/", text_scores.text_scores, name="text_scores"),
    path("answer/card/", answer.card, name="answer_card"),
    path("proposals/", proposals.proposals, name="proposals"),
    path("compare/", texts.compare, name="compare"),
    path("plan/", plan.plan, name="plan"),
    path("plan/lock/", plan.plan_lock, name="plan_lock"),
    path(ANALYSIS, analyses.analysis, name="analysis"),
    path(f"{ANALYSIS}retry/", analyses.analysis_retry, name="analysis_retry"),
    path(
        f"{ANALYSIS}<slug:table>.<slug:format>",
        analyses.analysis_table,
        name="analysis_table",
    ),
    path(f"{POINTS}/", results.scatter, name="scatter"),
    path(f"{POINTS}.csv", results.scatter_csv, name="scatter_csv"),
]
