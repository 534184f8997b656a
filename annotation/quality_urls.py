"""Below a study's address: its quality control."""

from django.urls import path

from annotation.views import quality

urlpatterns = [
    path("quality/", quality.study_quality, name="study_quality"),
    path("quality/save/", quality.quality_save, name="quality_save"),
    path("quality/rejudge/", quality.quality_rejudge, name="quality_rejudge"),
]
