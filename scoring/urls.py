from django.urls import include, path

STUDY = "studies/<slug:name>/"

urlpatterns = [
    path("metrics/", include("scoring.results.urls.metrics")),
    path(f"{STUDY}metrics/", include("scoring.runs.urls")),
    path(f"{STUDY}metrics/", include("scoring.evaluators.urls")),
    path(f"{STUDY}corpora/", include("scoring.corpora.urls")),
    path(f"{STUDY}judges/", include("scoring.judging.urls")),
    path(f"{STUDY}training/", include("scoring.training.urls")),
    path(f"{STUDY}results/", include("scoring.results.urls.results")),
    path(f"{STUDY}export/bundle/", include("scoring.replication.urls")),
    path(f"{STUDY}export/dataset/", include("scoring.publishing.urls")),
]
