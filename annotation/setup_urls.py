from django.urls import path

from annotation.views import invites, setup

urlpatterns = [
    path("settings/preview/", setup.settings_preview, name="settings_preview"),
    path("preview/", setup.worker_preview, name="worker_preview"),
    path("practice/", setup.study_practice, name="study_practice"),
    path("practice/remove/", setup.practice_remove, name="practice_remove"),
    path("practice/preview/", setup.practice_preview, name="practice_preview"),
    path("invites/", invites.study_invites, name="study_invites"),
    path("invites/make/", invites.invites_make, name="invites_make"),
    path("invites/download/", invites.invites_download, name="invites_download"),
    path("invites/<int:pk>/revoke/", invites.invite_revoke, name="invite_revoke"),
]
