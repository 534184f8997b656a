from django.urls import include, path

from scoring import (
    analysis_views,
    bundle_views,
    evaluator_views,
    explain_views,
    metric_views,
    negative_views,
    plan_views,
    result_views,
    system_run_views,
    views,
)

STUDY = "studies/<slug:name>/"
EVALUATORS = f"{STUDY}metrics/evaluators"
ANALYSIS = f"{STUDY}results/<slug:analysis>"
BUNDLE = f"{STUDY}export/bundle/"
POINTS = f"{STUDY}results/<int:signature>/<slug:aspect>/<path:output>"

urlpatterns = [
    path("metrics/", metric_views.metric_list, name="metrics"),
    path("metrics/<slug:metric>/", metric_views.metric, name="metric"),
    path(f"{STUDY}metrics/", views.run_list, name="runs"),
    path(f"{STUDY}metrics/start/", views.run_start, name="run_start"),
    path(f"{STUDY}metrics/upload/", views.scores_upload, name="scores_upload"),
    path(
        f"{STUDY}metrics/negatives/",
        negative_views.negatives_score,
        name="negatives_score",
    ),
    path(f"{STUDY}metrics/<int:pk>/", views.run, name="run"),
    path(f"{STUDY}metrics/<int:pk>/progress/", views.run_progress, name="run_progress"),
    path(f"{STUDY}metrics/<int:pk>/cancel/", views.run_cancel, name="run_cancel"),
    path(f"{STUDY}metrics/<int:pk>/retry/", views.run_retry, name="run_retry"),
    path(f"{STUDY}metrics/<int:pk>/scores.csv", views.run_scores, name="run_scores"),
    path(
        f"{STUDY}metrics/<int:pk>/<slug:table>.<slug:format>",
        system_run_views.run_table,
        name="run_table",
    ),
    path(f"{STUDY}corpora/", include("scoring.corpus_urls")),
    path(f"{STUDY}probing/", include("scoring.probe_urls")),
    path(f"{STUDY}training/", include("scoring.training_urls")),
    path(f"{EVALUATORS}/", evaluator_views.evaluators, name="evaluators"),
    path(f"{EVALUATORS}/new/", evaluator_views.new, name="evaluators_new"),
    path(
        f"{EVALUATORS}/upload/files/",
        evaluator_views.upload_files,
        name="evaluators_upload_files",
    ),
    path(
        f"{EVALUATORS}/upload/json/",
        evaluator_views.upload_json,
        name="evaluators_upload_json",
    ),
    path(f"{EVALUATORS}.json", evaluator_views.download, name="evaluators_json"),
    path(
        f"{EVALUATORS}/<int:evaluators>/", evaluator_views.edit, name="evaluators_edit"
    ),
    path(
        f"{EVALUATORS}/<int:evaluators>/delete/",
        evaluator_views.delete,
        name="evaluators_delete",
    ),
    path(f"{STUDY}results/", result_views.results, name="results"),
    path(
        f"{STUDY}results/<slug:table>.<slug:format>",
        result_views.results_table,
        name="results_table",
    ),
    path(
        f"{STUDY}results/explain/<int:signature>/",
        explain_views.explain,
        name="explain",
    ),
    path(f"{STUDY}results/compare/", explain_views.compare, name="compare"),
    path(f"{STUDY}results/plan/", plan_views.plan, name="plan"),
    path(f"{STUDY}results/plan/lock/", plan_views.plan_lock, name="plan_lock"),
    path(f"{ANALYSIS}/", analysis_views.analysis, name="analysis"),
    path(f"{ANALYSIS}/retry/", analysis_views.analysis_retry, name="analysis_retry"),
    path(
        f"{ANALYSIS}/<slug:table>.<slug:format>",
        analysis_views.analysis_table,
        name="analysis_table",
    ),
    path(BUNDLE, bundle_views.bundle, name="bundle"),
    path(f"{BUNDLE}make/", bundle_views.bundle_make, name="bundle_make"),
    path(f"{BUNDLE}download/", bundle_views.bundle_download, name="bundle_download"),
    path(f"{POINTS}/", result_views.scatter, name="scatter"),
    path(f"{POINTS}.csv", result_views.scatter_csv, name="scatter_csv"),
]
