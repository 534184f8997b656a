from django.urls import path

from annotation.contrib.mturk import views

urlpatterns = [path("mturk.xml", views.question, name="study_mturk")]
