from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from annotation import api as annotation
from scoring import analysis_api, corpus_api, training_api
from scoring import api as scoring

study = "studies/<slug:name>"

urlpatterns = [
    path("token/", annotation.TokenApi.as_view()),
    path("studies/", annotation.StudiesApi.as_view()),
    path(f"{study}/", annotation.StudyApi.as_view()),
    path(f"{study}/state/", annotation.StateApi.as_view()),
    path(f"{study}/uploads/", annotation.UploadsApi.as_view()),
    path(f"{study}/generations/", annotation.GenerationsApi.as_view()),
    path(f"{study}/human-scores/", annotation.HumanScoresApi.as_view()),
    path("metrics/", scoring.MetricsApi.as_view()),
    path(f"{study}/corpora/", corpus_api.CorporaApi.as_view()),
    path(f"{study}/corpora/<slug:corpus>/", corpus_api.CorpusApi.as_view()),
    path(f"{study}/trainings/", training_api.TrainingsApi.as_view()),
    path(f"{study}/trainings/<slug:training>/", training_api.TrainingApi.as_view()),
    path(
        f"{study}/trainings/<slug:training>/cancel/",
        training_api.CancelTrainingApi.as_view(),
    ),
    path(
        f"{study}/trainings/<slug:training>/retry/",
        training_api.RetryTrainingApi.as_view(),
    ),
    path(f"{study}/runs/", scoring.RunsApi.as_view()),
    path(f"{study}/runs/<int:pk>/", scoring.RunApi.as_view()),
    path(f"{study}/runs/<int:pk>/cancel/", scoring.CancelApi.as_view()),
    path(f"{study}/runs/<int:pk>/scores/", scoring.ScoresApi.as_view()),
    path(f"{study}/agreement/", scoring.AgreementApi.as_view()),
    path(f"{study}/correlations/", scoring.CorrelationsApi.as_view()),
    path(f"{study}/analyses/", analysis_api.AnalysesApi.as_view()),
    path(f"{study}/analyses/<slug:analysis>/", analysis_api.AnalysisApi.as_view()),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="api"),
]
