from django.urls import path

from scoring.publishing import views

urlpatterns = [
    path("", views.data_set, name="data_set"),
    path("settings/", views.data_set_settings, name="data_set_settings"),
    path("make/", views.data_set_make, name="data_set_make"),
    path("download/", views.data_set_download, name="data_set_download"),
]
