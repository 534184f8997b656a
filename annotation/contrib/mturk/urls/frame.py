"""What exists in a frame on Mechanical Turk: the workers' pages and nothing else."""

from django.urls import include, path

urlpatterns = [path("w/", include("annotation.crowd.urls.pages"))]
