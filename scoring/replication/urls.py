from django.urls import path

from scoring.replication import views

urlpatterns = [
    path("", views.bundle, name="bundle"),
    path("make/", views.bundle_make, name="bundle_make"),
    path("download/", views.bundle_download, name="bundle_download"),
]
