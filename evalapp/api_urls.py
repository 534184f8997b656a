from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from annotation import page_kinds as kinds
from annotation.exports.api import answers_api
from annotation.quality.api import QualityApi
from annotation.views.api import (
    imports,
    managing,
    members,
    one_study,
    page_kinds,
    ratings,
    studies,
    uploads,
)
from annotation.votes.api import VotesApi
from annotation.watching.api import WorkersApi
from evalapp import doors
from evalapp.accounts.api import TokenApi
from evalapp.api.reference import reference
from evalapp.work import api as work
from scoring.corpora import api as corpora
from scoring.publishing import api as publishing
from scoring.results import api as results
from scoring.runs import api as runs
from scoring.runs.api import score_files
from scoring.training import api as training

study = "studies/<slug:name>"
a_job = f"{study}/work/<slug:work>/<int:pk>"
a_training = f"{study}/trainings/<slug:training>"

urlpatterns = [
    path("token/", TokenApi.as_view()),
    path("studies/", studies.StudiesApi.as_view()),
    path(f"{study}/", one_study.StudyApi.as_view()),
    path(f"{study}/copy/", managing.CopyApi.as_view()),
    path(f"{study}/archive/", managing.ArchiveApi.as_view()),
    path(f"{study}/unarchive/", managing.UnarchiveApi.as_view()),
    path("deleted-studies/", managing.DeletedApi.as_view()),
    path("deleted-studies/<int:pk>/restore/", managing.RestoreApi.as_view()),
    path(f"{study}/page-kinds/", page_kinds.PageKindsApi.as_view()),
    path(f"{study}/state/", studies.StateApi.as_view()),
    path(f"{study}/members/", members.MembersApi.as_view()),
    path(f"{study}/members/<int:member>/", members.MemberApi.as_view()),
    path(f"{study}/uploads/", uploads.UploadsApi.as_view()),
    path(f"{study}/imports/", imports.ImportsApi.as_view()),
    path(f"{study}/imports/<int:pk>/", imports.ImportApi.as_view()),
    path(f"{study}/generations/", studies.GenerationsApi.as_view()),
    path(f"{study}/corpora/", corpora.CorporaApi.as_view()),
    path(f"{study}/corpora/<slug:corpus>/", corpora.CorpusApi.as_view()),
    path(f"{study}/quality/", QualityApi.as_view()),
    path(f"{study}/workers/", WorkersApi.as_view()),
    path(f"{study}/ratings/", ratings.RatingsApi.as_view()),
    *(
        path(f"{study}/{table.api.path}/", answers_api(table).as_view())
        for kind in kinds.every()
        for table in kind.tables.tables
    ),
    path(f"{study}/human-scores/", studies.HumanScoresApi.as_view()),
    path(f"{study}/votes/", VotesApi.as_view()),
    path("metrics/", runs.MetricsApi.as_view()),
    path(f"{study}/runs/", runs.RunsApi.as_view()),
    path(f"{study}/runs/several/", runs.SeveralApi.as_view()),
    path(f"{study}/runs/scores/", score_files.ScoreFilesApi.as_view()),
    path(f"{study}/runs/<int:pk>/", runs.RunApi.as_view()),
    path(f"{study}/runs/<int:pk>/cancel/", runs.CancelApi.as_view()),
    path(f"{study}/runs/<int:pk>/raise/", runs.RaiseApi.as_view()),
    path(f"{study}/runs/<int:pk>/scores/", runs.ScoresApi.as_view()),
    path(f"{study}/trainings/", training.TrainingsApi.as_view()),
    path(f"{a_training}/", training.TrainingApi.as_view()),
    path(f"{a_training}/cancel/", training.CancelTrainingApi.as_view()),
    path(f"{a_training}/retry/", training.RetryTrainingApi.as_view()),
    path(f"{study}/stars/", results.StarsApi.as_view()),
    path(f"{study}/plan/", results.PlanApi.as_view()),
    path(f"{study}/plan/lock/", results.PlanLockApi.as_view()),
    path(f"{study}/analyses/", results.AnalysesApi.as_view()),
    path(f"{study}/analyses/<slug:analysis>/", results.AnalysisApi.as_view()),
    path(f"{study}/agreement/", results.AgreementApi.as_view()),
    path(f"{study}/correlations/", results.CorrelationsApi.as_view()),
    path(f"{study}/bundle/", publishing.BundleApi.as_view()),
    path(f"{study}/bundle/download/", publishing.BundleFileApi.as_view()),
    path(f"{study}/dataset/", publishing.DataSetApi.as_view()),
    path(f"{study}/dataset/download/", publishing.DataSetFileApi.as_view()),
    path(f"{study}/work/", work.WorkApi.as_view()),
    path(f"{a_job}/", work.JobApi.as_view()),
    path(f"{a_job}/cancel/", work.CancelJobApi.as_view()),
    path(f"{a_job}/retry/", work.RetryJobApi.as_view()),
    path(f"{study}/", include(doors.patterns("api"))),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("", reference, name="api"),
]
