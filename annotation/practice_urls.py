from django.urls import path

from annotation import practice_views

urlpatterns = [
    path("", practice_views.show, name="practice"),
    path("try/", practice_views.attempt, name="practice_try"),
]
