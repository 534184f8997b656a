from django.urls import path

from annotation.kinds.pairs import views

urlpatterns = [
    path("surveys/pairs/", views.study_more_pairs, name="study_more_pairs"),
]
