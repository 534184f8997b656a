from django.urls import path

from scoring.results.views import metrics, models

urlpatterns = [
    path("", metrics.metric_list, name="metrics"),
    path("models/", models.models_page, name="models"),
    path("<slug:metric>/", metrics.metric, name="metric"),
]
