from django.urls import path

from annotation.simulation import views

urlpatterns = [path("simulate/", views.study_simulate, name="study_simulate")]
