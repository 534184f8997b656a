from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from annotation.views import api as studies
from evalapp.accounts.api import TokenApi
from scoring.corpora import api as corpora
from scoring.results import api as results
from scoring.runs import api as runs
from scoring.training import api as training

study = "studies/<slug:name>"

urlpatterns = [
    path("token/", TokenApi.as_view()),
    path("studies/", studies.StudiesApi.as_view()),
    path(f"{study}/", studies.StudyApi.as_view()),
    path(f"{study}/state/", studies.StateApi.as_view()),
    path(f"{study}/uploads/", studies.UploadsApi.as_view()),
    path(f"{study}/generations/", studies.GenerationsApi.as_view()),
    path(f"{study}/human-scores/", studies.HumanScoresApi.as_view()),
    path("metrics/", runs.MetricsApi.as_view()),
    path(f"{study}/corpora/", corpora.CorporaApi.as_view()),
    path(f"{study}/corpora/<slug:corpus>/", corpora.CorpusApi.as_view()),
    path(f"{study}/trainings/", training.TrainingsApi.as_view()),
    path(f"{study}/trainings/<slug:training>/", training.TrainingApi.as_view()),
    path(
        f"{study}/trainings/<slug:training>/cancel/",
        training.CancelTrainingApi.as_view(),
    ),
    path(
        f"{study}/trainings/<slug:training>/retry/",
        training.RetryTrainingApi.as_view(),
    ),
    path(f"{study}/runs/", runs.RunsApi.as_view()),
    path(f"{study}/runs/<int:pk>/", runs.RunApi.as_view()),
    path(f"{study}/runs/<int:pk>/cancel/", runs.CancelApi.as_view()),
    path(f"{study}/runs/<int:pk>/scores/", runs.ScoresApi.as_view()),
    path(f"{study}/agreement/", results.AgreementApi.as_view()),
    path(f"{study}/correlations/", results.CorrelationsApi.as_view()),
    path(f"{study}/analyses/", results.AnalysesApi.as_view()),
    path(f"{study}/analyses/<slug:analysis>/", results.AnalysisApi.as_view()),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="api"),
]
