"""Below a study's address: the checklist, and the page that opens the study."""

from django.urls import path

from annotation.setup import views

urlpatterns = [
    path("setup/", views.study_setup, name="study_setup"),
    path("kinds/", views.study_kinds, name="study_kinds"),
    path("open/", views.study_open, name="study_open"),
    path("damaged-texts/", views.study_damaged_texts, name="study_damaged_texts"),
]
