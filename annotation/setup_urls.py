from django.urls import path

from annotation.views import setup

urlpatterns = [
    path("settings/preview/", setup.settings_preview, name="settings_preview"),
    path("preview/", setup.worker_preview, name="worker_preview"),
]
