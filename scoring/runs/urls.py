from django.urls import path

from scoring.runs.views import negatives, runs, systems

urlpatterns = [
    path("", runs.run_list, name="runs"),
    path("start/", runs.run_start, name="run_start"),
    path("upload/", runs.scores_upload, name="scores_upload"),
    path("negatives/", negatives.negatives_score, name="negatives_score"),
    path("<int:pk>/", runs.run, name="run"),
    path("<int:pk>/progress/", runs.run_progress, name="run_progress"),
    path("<int:pk>/cancel/", runs.run_cancel, name="run_cancel"),
    path("<int:pk>/retry/", runs.run_retry, name="run_retry"),
    path("<int:pk>/scores.csv", runs.run_scores, name="run_scores"),
    path("<int:pk>/<slug:table>.<slug:format>", systems.run_table, name="run_table"),
]
