from django.urls import path

from annotation.views import adding
from scoring.runs.views import (
    choosing,
    judging,
    listing,
    negatives,
    runs,
    steps,
    systems,
)

urlpatterns = [
    path("", listing.run_list, name="runs"),
    path("start/", listing.run_start, name="run_start"),
    path("progress/", listing.runs_progress, name="runs_progress"),
    path("cancel/", listing.runs_cancel, name="runs_cancel"),
    path("with/<slug:metric>/", choosing.run_choose, name="run_choose"),
    path("with/<slug:metric>/add/", choosing.run_add, name="run_add"),
    path("with/<slug:metric>/steps/", steps.run_steps, name="run_steps"),
    path("upload/", adding.to_import),
    path("upload/<uuid:public_id>/", adding.to_import),
    path("negatives/", negatives.negatives_score, name="negatives_score"),
    path("<int:pk>/", runs.run, name="run"),
    path("<int:pk>/progress/", runs.run_progress, name="run_progress"),
    path("<int:pk>/cancel/", runs.run_cancel, name="run_cancel"),
    path("<int:pk>/directions/", runs.run_directions, name="run_directions"),
    path("<int:pk>/retry/", runs.run_retry, name="run_retry"),
    path("<int:pk>/raise/", judging.run_raise, name="run_raise"),
    path("<int:pk>/calls/", judging.run_calls, name="run_calls"),
    path("<int:pk>/calls.csv", judging.run_calls_csv, name="run_calls_csv"),
    path("<int:pk>/scores.csv", runs.run_scores, name="run_scores"),
    path("<int:pk>/<slug:table>.<slug:format>", systems.run_table, name="run_table"),
]
