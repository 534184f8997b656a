from django.urls import include, path

from annotation import mturk_views
from annotation.views import exports, simulation, studies, surveys, texts, votes

urlpatterns = [
    path("", studies.studies, name="studies"),
    path("studies/new/", texts.study_new, name="study_new"),
    path("studies/<slug:name>/", studies.study, name="study"),
    path(
        "studies/<slug:name>/progress/", studies.study_progress, name="study_progress"
    ),
    path(
        "studies/<slug:name>/settings/", studies.study_settings, name="study_settings"
    ),
    path("studies/<slug:name>/", include("annotation.setup_urls")),
    path("studies/<slug:name>/open/", studies.study_open, name="study_open"),
    path("studies/<slug:name>/pause/", studies.study_pause, name="study_pause"),
    path("studies/<slug:name>/close/", studies.study_close, name="study_close"),
    path("studies/<slug:name>/texts/", texts.study_texts, name="study_texts"),
    path("studies/<slug:name>/import/", texts.study_import, name="study_import"),
    path("studies/<slug:name>/votes/", votes.study_votes, name="study_votes"),
    path(
        "studies/<slug:name>/votes/<int:pk>/delete/",
        votes.votes_delete,
        name="votes_delete",
    ),
    path("studies/<slug:name>/systems/kinds/", votes.system_kinds, name="system_kinds"),
    path("studies/<slug:name>/surveys/", surveys.study_surveys, name="study_surveys"),
    path(
        "studies/<slug:name>/surveys/<int:number>/",
        surveys.study_survey,
        name="study_survey",
    ),
    path("studies/<slug:name>/", include("annotation.people_urls")),
    path("studies/<slug:name>/", include("annotation.quality_urls")),
    path("studies/<slug:name>/mturk.xml", mturk_views.question, name="study_mturk"),
    path(
        "studies/<slug:name>/simulate/",
        simulation.study_simulate,
        name="study_simulate",
    ),
    path("studies/<slug:name>/export/", exports.study_export, name="study_export"),
    path(
        "studies/<slug:name>/export/<slug:kind>.<slug:format>",
        exports.study_download,
        name="study_download",
    ),
]
