from django.urls import path

from scoring.results.views import metrics

urlpatterns = [
    path("", metrics.metric_list, name="metrics"),
    path("<slug:metric>/", metrics.metric, name="metric"),
]
