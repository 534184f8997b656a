from django.urls import path

from scoring import result_views, views

STUDY = "studies/<slug:name>/"
POINTS = f"{STUDY}results/<int:signature>/<slug:aspect>/<path:output>"

urlpatterns = [
    path(f"{STUDY}metrics/", views.run_list, name="runs"),
    path(f"{STUDY}metrics/start/", views.run_start, name="run_start"),
    path(f"{STUDY}metrics/upload/", views.scores_upload, name="scores_upload"),
    path(f"{STUDY}metrics/<int:pk>/", views.run, name="run"),
    path(f"{STUDY}metrics/<int:pk>/progress/", views.run_progress, name="run_progress"),
    path(f"{STUDY}metrics/<int:pk>/cancel/", views.run_cancel, name="run_cancel"),
    path(f"{STUDY}metrics/<int:pk>/retry/", views.run_retry, name="run_retry"),
    path(f"{STUDY}metrics/<int:pk>/scores.csv", views.run_scores, name="run_scores"),
    path(f"{STUDY}results/", result_views.results, name="results"),
    path(
        f"{STUDY}results/<slug:table>.<slug:format>",
        result_views.results_table,
        name="results_table",
    ),
    path(f"{POINTS}/", result_views.scatter, name="scatter"),
    path(f"{POINTS}.csv", result_views.scatter_csv, name="scatter_csv"),
]
