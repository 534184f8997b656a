"""Below a study's address: its quality control."""

from django.urls import path

from annotation.quality import views

urlpatterns = [
    path("quality/", views.study_quality, name="study_quality"),
    path("quality/save/", views.quality_save, name="quality_save"),
    path("quality/rejudge/", views.quality_rejudge, name="quality_rejudge"),
]
