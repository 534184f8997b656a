from django.urls import path

from annotation.votes import views

urlpatterns = [
    path("systems/kinds/", views.system_kinds, name="system_kinds"),
]
