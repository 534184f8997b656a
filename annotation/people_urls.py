"""Below a study's address: who rates, what they reported, what was done about it."""

from django.urls import path

from annotation.views import log, reports, workers

urlpatterns = [
    path("workers/", workers.study_workers, name="study_workers"),
    path("log/", log.study_log, name="study_log"),
    path("reports/", reports.study_reports, name="study_reports"),
    path("reports/<int:pk>/keep/", reports.report_keep, name="report_keep"),
    path("reports/<int:pk>/exclude/", reports.report_exclude, name="report_exclude"),
]
