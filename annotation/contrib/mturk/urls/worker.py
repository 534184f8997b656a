from django.urls import path

from annotation.contrib.mturk import views

urlpatterns = [path("<uuid:study_id>/mturk/", views.arrive, name="mturk")]
