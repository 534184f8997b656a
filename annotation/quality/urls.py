"""Below a study's address: its quality control."""

from django.urls import path

from annotation.quality import views

urlpatterns = [
    path("quality/", views.study_quality, name="study_quality"),
    path("quality/save/", views.quality_save, name="quality_save"),
    path("quality/rejudge/", views.quality_rejudge, name="quality_rejudge"),
    path("quality/applying/", views.quality_applying, name="quality_applying"),
    path(
        "quality/applying/cancel/",
        views.quality_applying_cancel,
        name="quality_applying_cancel",
    ),
]
