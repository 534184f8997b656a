from django.urls import include, path

from scoring.publishing.views import bundle

STUDY = "studies/<slug:name>/"

urlpatterns = [
    path("metrics/", include("scoring.results.urls.metrics")),
    path(f"{STUDY}metrics/", include("scoring.runs.urls")),
    path(f"{STUDY}metrics/", include("scoring.evaluators.urls")),
    path(f"{STUDY}corpora/", include("scoring.corpora.urls")),
    path(f"{STUDY}judges/", include("scoring.judging.urls")),
    path(f"{STUDY}training/", include("scoring.training.urls")),
    path(f"{STUDY}results/", include("scoring.results.urls.results")),
    path(f"{STUDY}export/bundle/", bundle),
    path(f"{STUDY}export/bundle/download/", bundle),
    path(f"{STUDY}export/dataset/", include("scoring.publishing.urls")),
]
